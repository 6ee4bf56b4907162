"""An editor for tests: it speaks the editor protocol to a real sidecar, and shows prompts to a script."""

import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, Self

from keepgate.protocol.framing import Framing
from keepgate_client.approver import Approver, answer
from keepgate_client.connection import Call, Connection
from keepgate_client.errors import Disconnected
from keepgate_client.handshake import Folder, all_folders, initialize_params, merged
from keepgate_client.incoming import RequestHandler
from keepgate_client.messages import Message, MessageId
from keepgate_client.testing.script import Reply, Script
from keepgate_client.testing.transcript import WAIT_S, ServerRequest, Transcript
from keepgate_client.testing.waiting import Waiting

SERVE: Final = (sys.executable, "-P", "-m", "keepgate", "serve", "--stdio")
PLAIN_EDITOR: Final[Mapping[str, Any]] = {"window": {"showMessage": {"messageActionItem": {}}}}
"""Capabilities of an editor that can show a message with buttons and nothing else."""

RICH: Final[Mapping[str, Any]] = {"experimental": {"keepgate": {"approvalRequest": True}}}
"""What an editor announces that puts structured questions."""

GRACE_S: Final = 10.0
_TRACEBACK: Final = "Traceback (most recent call last)"


class FakeEditor(Waiting):
    """An editor with one sidecar, and nobody but a script in front of it.

    ``answers`` replies to ``window/showMessageRequest``: a title, offered or not; ``None`` for a prompt
    that was dismissed; an exception for an error reply; a function of the params, maybe asynchronous,
    that returns one of these; any other JSON is sent as it is. ``transcript`` has every message.

    On leaving, the editor shuts the sidecar down and raises ``AssertionError`` when a request of the
    sidecar was never answered, a prompt had no scripted reply, stderr shows a traceback, or the process
    had to be killed. ``tolerate_unanswered`` and ``tolerate_traceback`` switch two of these off.
    """

    def __init__(self, connection: Connection, answers: Iterable[Reply] | Callable[[Any], Any]) -> None:
        self.connection = connection
        self.transcript = Transcript(connection)
        self.answers = Script(answers)
        self.prompts: list[Any] = []
        self.documents: list[Any] = []
        self.initialize_params: Message = {}
        self.initialize_result: Any = None
        self.tolerate_unanswered = False
        self.tolerate_traceback = False
        self._gone_on_purpose = False
        connection.on_request("window/showMessageRequest", self._show_message)
        connection.on_request("window/workDoneProgress/create", _accept)

    @classmethod
    @asynccontextmanager
    async def spawn(  # noqa: PLR0913 - one entry; every parameter has a default and a name
        cls,
        workspace: Folder | None = None,
        *,
        workspaces: Sequence[Folder] = (),
        command: Sequence[str] | None = None,
        answers: Iterable[Reply] | Callable[[Any], Any] = (),
        capabilities: Mapping[str, Any] = PLAIN_EDITOR,
        show_document: bool = False,
        settings: Mapping[str, Any] | None = None,
        framing: Framing = Framing.LSP,
        client_name: str = "fake-editor",
        client_version: str | None = None,
        env: Mapping[str, str | None] | None = None,
        initialize: bool = True,
        approver: Approver | None = None,
        acknowledge: bool = True,
    ) -> AsyncIterator[Self]:
        """Start ``keepgate serve --stdio`` (or ``command``) and send ``initialize`` and ``initialized``.

        With an ``approver`` the editor announces ``approvalRequest`` and puts questions to it, each of which
        it acknowledges as shown, unless ``acknowledge`` is false.
        ``show_document`` adds the capability and records what is shown in ``documents``. With
        ``initialize=False`` nothing is sent; ``initialize_params`` holds what would have been.
        """
        connection = await Connection.open(SERVE if command is None else command, framing=framing, env=env)
        try:
            editor = cls(connection, answers)
            if show_document:
                capabilities = merged(capabilities, {"window": {"showDocument": {"support": True}}})
                connection.on_request("window/showDocument", editor._show_document)
            if approver is not None:
                capabilities = merged(capabilities, RICH)
                connection.on_request("approval/request", partial(editor._put, approver, acknowledge))
            editor.initialize_params = initialize_params(
                folders=all_folders(workspace, workspaces),
                client_name=client_name,
                client_version=client_version,
                capabilities=capabilities,
                settings=settings,
            )
            if initialize:
                editor.initialize_result = await editor.request("initialize", editor.initialize_params)
                await editor.notify("initialized", {})
            yield editor
            await editor._leave()
        finally:
            await connection.close(GRACE_S / 10)

    @property
    def stderr(self) -> str:
        """What the sidecar printed on stderr so far, at most the last 256 KiB."""
        return self.connection.process.stderr

    @property
    def pid(self) -> int:
        """The sidecar's process id."""
        return self.connection.process.pid

    @property
    def server_requests(self) -> list[ServerRequest]:
        """Every request that the sidecar sent."""
        return self.transcript.requests()

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """Answer another method of the sidecar, for instance ``approval/request``."""
        self.connection.on_request(method, handler)

    async def request(self, method: str, params: Any = None, *, timeout_s: float = WAIT_S) -> Any:
        """The JSON result. Raises ``Fault`` and ``RpcError``."""
        return await self.connection.request(method, params, timeout_s=timeout_s)

    async def request_raw(self, method: str, params: Any = None, *, timeout_s: float = WAIT_S) -> Message:
        """The whole response object, error or not."""
        return await self.answer_of(self.begin(method, params), timeout_s=timeout_s)

    def begin(self, method: str, params: Any = None, *, id: MessageId | None = None) -> Call:  # noqa: A002 - the member's name
        """Send a request without waiting; cancel it with its ``id``, read it with :meth:`answer_of`."""
        return self.connection.begin(method, params, id=id)

    async def answer_of(self, call: Call, *, timeout_s: float = WAIT_S) -> Message:
        """The whole response to a request that was begun."""
        answer = call.answer
        return await self.transcript.until(
            lambda: answer.result() if answer.done() else None, f"an answer to {call.method}", timeout_s
        )

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        await self.connection.notify(method, params)

    def cancel(self, number: MessageId) -> None:
        """Send ``$/cancelRequest`` for a request that was begun; its answer still comes."""
        self.connection.cancel(number)

    def send_bytes(self, data: bytes) -> None:
        """Write these very bytes."""
        self.connection.send_bytes(data)

    def send_message(self, message: Any) -> None:
        """Frame and write any JSON value, well-formed JSON-RPC or not."""
        self.connection.send_message(message)

    async def active(self) -> None:
        """Say that the person is at this editor now."""
        await self.notify("session/active", {})

    def close_stdin(self) -> None:
        """End the sidecar's input, as an editor that goes away does."""
        self._gone_on_purpose = True
        self.connection.process.close_stdin()

    def kill(self) -> None:
        """Kill the sidecar (SIGKILL)."""
        self._gone_on_purpose = True
        self.connection.process.kill()

    async def wait_exit(self, timeout_s: float = WAIT_S) -> int:
        """The exit code, negative for a signal. Raises ``TimeoutError`` when the sidecar still runs."""
        code = await self.connection.process.wait(timeout_s)
        if code is None:
            raise TimeoutError(f"the sidecar still runs after {timeout_s} seconds")
        return code

    async def _show_message(self, params: Any) -> Any:
        self.prompts.append(params)
        reply = await self.answers.reply(params)
        return {"title": reply} if isinstance(reply, str) else reply

    async def _put(self, approver: Approver, acknowledge: bool, params: Any) -> Any:
        if acknowledge:
            await self.notify("approval/shown", {"id": params["id"]})
        return await answer(approver, params)

    async def _show_document(self, params: Any) -> Any:
        self.documents.append(params)
        return {"success": True}

    async def _leave(self) -> None:
        if not (self.connection.ended or self._gone_on_purpose):
            await self._shut_down()
        problems = self.answers.complaints()
        unanswered = [request.method for request in self.transcript.unanswered()]
        if unanswered and not (self.tolerate_unanswered or self._gone_on_purpose):
            problems.append(f"never answered: {', '.join(unanswered)}")
        if await self.connection.process.wait(GRACE_S) is None:
            problems.append("the sidecar did not exit by itself")
        if _TRACEBACK in self.stderr and not self.tolerate_traceback:
            problems.append(f"stderr shows a traceback:\n{self.stderr}")
        assert not problems, "; ".join(problems)

    async def _shut_down(self) -> None:
        asked = {message.get("method") for message in self.transcript.sent}
        try:
            if "initialize" in asked and "shutdown" not in asked:
                await self.request_raw("shutdown", timeout_s=GRACE_S)
            if "exit" not in asked:
                await self.notify("exit")
        except (Disconnected, TimeoutError):
            return


async def _accept(_: Any) -> None:
    """Answer null."""
