"""The sidecar in process, for the length of one command: open, connect, call, close."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from attrs import field, fields_dict, frozen

from keepgate import __version__
from keepgate.boot import open_sidecar
from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.fronts.terminal.elsewhere import WatchfulApprover
from keepgate.fronts.terminal.insisting import insist
from keepgate.fronts.terminal.tty import Terminal
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.operation import Access
from keepgate.protocol.ops import BY_NAME
from keepgate.protocol.wire import decode, encode, unstructure
from keepgate.service.after_reply import AfterReply
from keepgate.service.connection import Connection, NoPeer, Progress, Silent, Workspace
from keepgate.service.sidecar import Sidecar
from keepgate.service.workspaces import find_root

CHANNEL: Final = "terminal"
CLIENT: Final = ClientInfo(name="keepgate command line", version=__version__)


@frozen(kw_only=True)
class Entrance:
    """What the command line says about where it enters.

    ``workspace`` and ``store`` are paths or ``None``; ``agent`` is a preset, empty for none.
    """

    workspace: str | None = None
    store: str | None = None
    agent: str = ""


@frozen(kw_only=True)
class Calls:
    """An open sidecar and one connection to it, in the workspace of the command if it has one.

    ``after_reply`` holds what the calls owe once the command has printed what they returned.
    """

    sidecar: Sidecar
    connection: Connection
    session: SessionRef
    approver: WatchfulApprover | None = None
    after_reply: AfterReply = field(factory=AfterReply)

    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        as_session: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Do one operation and return its result in wire form. Raises ``Fault`` and ``UnknownMethod``.

        Writes speak for the command's own session; reads are the management view unless ``as_session``.
        Params that name a session, ``null`` included, are left as they are.
        """
        row = BY_NAME.get(method)
        raw = dict(params)
        if row is not None and "session" in fields_dict(row.params):
            ours = unstructure(self.session) if row.access is Access.WRITE or as_session else None
            raw.setdefault("session", ours)
        try:
            result = await self.sidecar.call(
                self.connection,
                method,
                raw,
                progress=progress or Silent(),
                after_reply=self.after_reply,
            )
        finally:
            await self._tell_who_decided()
        # Through the bytes of the wire, so that this front is given what every other client is given.
        return decode(encode(result))

    async def _tell_who_decided(self) -> None:
        if self.approver is not None:
            # The prompt may just be ending.
            async with self.connection.asker.turn:
                await self.approver.tell_who_decided(self.connection.asker.connection_id)


@asynccontextmanager
async def entered(
    entrance: Entrance, *, terminal: Terminal | None = None, may_decide: bool = False, insists: bool = False
) -> AsyncIterator[Calls]:
    """Open the sidecar for one command and close it again.

    With a ``terminal``, writes are asked there; where the command ``insists``, its person can store there
    what looks like a secret. Raises ``Fault`` for a store that cannot be opened and for a folder that cannot
    be a workspace.
    """
    places = find_places(os.environ)
    options = {"storePath": entrance.store} if entrance.store is not None else None
    settings = load_settings(places, os.environ, options=options)
    async with AsyncExitStack() as stack:
        sidecar = await open_sidecar(settings, places)
        stack.push_async_callback(sidecar.close)
        found = await _workspaces(sidecar, entrance.workspace, settings.workspace_identity)
        folders = [workspace.path for workspace in found]
        approver = WatchfulApprover(sidecar, terminal) if terminal is not None else None
        connection = sidecar.connect(
            peer=NoPeer(),
            channel=CHANNEL,
            client=CLIENT,
            folders=folders,
            approver=approver,
            may_decide=may_decide,
        )
        stack.push_async_callback(sidecar.disconnect, connection)
        if terminal is not None and insists:
            connection.asker.insisting = partial(insist, terminal)
        # The same folders, with the rule that found them instead of the one of an editor's folder.
        connection.workspaces = found
        session = SessionRef(id=f"cli-{uuid4()}", agent_preset=entrance.agent, cwd=next(iter(folders), None))
        yield Calls(sidecar=sidecar, connection=connection, session=session, approver=approver)


async def _workspaces(sidecar: Sidecar, override: str | None, identity: str) -> list[Workspace]:
    """The command's workspace, if it has one: the root of a file system is none."""
    here = Path.cwd()
    if override is None and here == Path(here.anchor):
        return []
    return [await find_root(str(here), sidecar.known_workspaces, override, identity=identity)]
