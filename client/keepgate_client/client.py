"""The typed client: ``async with Client.spawn(workspace=".") as memory: await memory.add(...)``."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, Self, TypeVar

from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Fault
from keepgate.protocol.framing import Framing
from keepgate.protocol.lifecycle import (
    KeepgateCapabilities,
    SessionOpenParams,
    SessionOpenResult,
    WorkspaceInfo,
)
from keepgate.protocol.ops import SERVER_MESSAGES
from keepgate.protocol.wire import structure, unstructure
from keepgate_client import approver as approvals
from keepgate_client.adapters import ClientAdapters
from keepgate_client.approver import Approver
from keepgate_client.calls import Calls
from keepgate_client.connection import Connection
from keepgate_client.errors import Disconnected, RpcError, UnexpectedAnswer
from keepgate_client.handshake import Folder, all_folders, initialize_params, merged
from keepgate_client.language_model import LanguageModel, complete
from keepgate_client.messages import Message, error_of

T = TypeVar("T")

GRACE_S: Final = 2.0
START_S: Final = 60.0
CLIENT_NAME: Final = "keepgate-client"
# -P keeps the current folder off the module path: it may be a checkout that nobody has read yet.
SERVE: Final = (sys.executable, "-P", "-m", "keepgate", "serve")

_CAPABILITIES: Final = {"workspace": {"workspaceFolders": True}, "window": {"workDoneProgress": True}}
_NOTIFIED: Final = {message.name: message.params for message in SERVER_MESSAGES if message.result is None}


class Client(Calls):
    """A sidecar of one's own and the typed calls to it. Belongs to one event loop.

    Calls raise ``Fault`` for what the contract names, ``RpcError`` for other errors of the server,
    ``Disconnected`` when it is gone and ``UnexpectedAnswer`` for a result this client does not know.
    A cancelled call is cancelled at the sidecar too; whether it had been stored shows in the ledger.
    """

    def __init__(self, connection: Connection) -> None:
        self.adapters = ClientAdapters(connection, self.call)
        self.initialize_result: Message = {}
        self.capabilities: KeepgateCapabilities
        self.default_session: SessionOpenResult | None = None
        self._connection = connection
        connection.unmatched = self._unmatched
        connection.on_request("window/workDoneProgress/create", _accept)

    @classmethod
    @asynccontextmanager
    async def spawn(  # noqa: PLR0913 - one entry; every parameter has a default and a name
        cls,
        workspace: Folder | None = None,
        *,
        workspaces: Sequence[Folder] = (),
        command: Sequence[str] | None = None,
        approver: Approver | None = None,
        language_model: LanguageModel | None = None,
        settings: Mapping[str, Any] | None = None,
        session: SessionRef | None = None,
        framing: Framing = Framing.LSP,
        client_name: str = CLIENT_NAME,
        client_version: str | None = None,
        env: Mapping[str, str | None] | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Self]:
        """Start a sidecar, introduce this client, and end the process on leaving, whatever happens.

        ``workspace`` and ``workspaces`` are folders or URIs, the first being the root. ``command``
        defaults to ``python -m keepgate serve``. With an ``approver`` this client announces that it can
        ask a person; without, writes wait in the inbox unless a policy decides. A ``language_model`` answers
        what ``verbs/synthesize`` needs; without one it is ``unavailable``. ``settings`` are the
        initialization options, in wire names; ``session`` is opened as the default of all calls.
        ``env`` is laid over the environment (``None`` removes); ``capabilities`` over the client's own.

        Raises ``OSError`` when the command cannot be started, ``TimeoutError`` when it does not answer
        within a minute, and the fault of a store that cannot be opened.
        """
        params = initialize_params(
            folders=all_folders(workspace, workspaces),
            client_name=client_name,
            client_version=client_version,
            capabilities=_announced(approver, language_model, capabilities),
            settings=settings,
        )
        connection = await Connection.open(SERVE if command is None else command, framing=framing, env=env)
        try:
            client = cls(connection)
            if approver is not None:
                connection.on_request("approval/request", partial(_ask, connection, approver))
            if language_model is not None:
                connection.on_request("languageModel/complete", partial(complete, language_model))
            async with asyncio.timeout(START_S):
                await client._introduce(params, session)
            yield client
        finally:
            await _leave(connection)

    @property
    def workspaces(self) -> tuple[WorkspaceInfo, ...]:
        """The workspaces that were open at the start, with their keys."""
        return tuple(self.capabilities.workspaces)

    @property
    def stderr(self) -> str:
        """What the sidecar logged so far, at most the last 256 KiB."""
        return self._connection.process.stderr

    @property
    def pid(self) -> int:
        """The sidecar's process id."""
        return self._connection.process.pid

    async def call(self, name: str, params: Any, result: type[T]) -> T:
        """One typed call; the methods of this class are written in terms of it."""
        answer = await self._connection.request(name, unstructure(params))
        try:
            return structure(answer, result)
        except Fault as fault:
            raise UnexpectedAnswer(name, fault) from None

    async def raw(self, method: str, params: Any = None, *, timeout_s: float | None = None) -> Any:
        """Call any method with JSON params; returns the JSON result."""
        return await self._connection.request(method, params, timeout_s=timeout_s)

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, for instance ``session/active``."""
        await self._connection.notify(method, params)

    def on(self, method: str, callback: Callable[[Any], Awaitable[None] | None]) -> Callable[[], None]:
        """Call back for each notification ``method``; returns the function that withdraws.

        The callback receives the typed params of a notification that the operation table names (such
        as ``MemoryEvent`` for ``memory/added``) and JSON for any other. Its exceptions go to the event
        loop's exception handler.
        """
        cls = _NOTIFIED.get(method)
        if cls is None:
            return self._connection.subscribe(method, callback)
        return self._connection.subscribe(method, lambda params: callback(structure(params, cls)))

    def on_progress(self, token: str | int, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Call back with each ``value`` of ``$/progress`` for the ``work_done_token`` of a call."""

        def select(params: Any) -> None:
            if params["token"] == token:
                callback(params["value"])

        return self._connection.subscribe("$/progress", select)

    async def _introduce(self, params: Message, session: SessionRef | None) -> None:
        self.initialize_result = await self._connection.request("initialize", params)
        try:
            self.capabilities = structure(_announcement(self.initialize_result), KeepgateCapabilities)
        except Fault as fault:
            raise UnexpectedAnswer("initialize", fault) from None
        await self._connection.notify("initialized", {})
        if session is not None:
            wanted = SessionOpenParams(
                id=session.id, agent_preset=session.agent_preset or "", cwd=session.cwd, default=True
            )
            self.default_session = await self.call("session/open", wanted, SessionOpenResult)

    def _unmatched(self, response: Message) -> None:
        # The server could not read one of our messages and cannot say which. An error for all that wait
        # is better than one call that waits for ever.
        if response["id"] is None and "error" in response:
            self._connection.fail_all(lambda: error_of(response["error"]))


async def _leave(connection: Connection) -> None:
    try:
        with contextlib.suppress(TimeoutError, Disconnected, RpcError, Fault):
            await connection.request("shutdown", timeout_s=GRACE_S)
            await connection.notify("exit")
    finally:
        await connection.close(GRACE_S)


def _announcement(initialize_result: Any) -> Any:
    match initialize_result:
        case {"capabilities": {"experimental": {"keepgate": announcement}}}:
            return announcement
        case _:
            return None


async def _accept(_: Any) -> None:
    """Answer null, which is all that ``window/workDoneProgress/create`` wants."""


async def _ask(connection: Connection, approver: Approver, params: Any) -> Any:
    """Hand a question to the approver, and say that it is shown: otherwise others are asked as well."""
    await connection.notify("approval/shown", {"id": params["id"]})
    return await approvals.answer(approver, params)


def _announced(
    approver: Approver | None, language_model: LanguageModel | None, capabilities: Mapping[str, Any] | None
) -> dict[str, Any]:
    asks, completes = approver is not None, language_model is not None
    can = {"approver": asks, "approvalRequest": asks, "languageModel": completes}
    own = merged(_CAPABILITIES, {"experimental": {"keepgate": can}} if asks or completes else {})
    return merged(own, capabilities or {})
