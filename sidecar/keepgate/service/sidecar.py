"""The running product behind every front: connections, operations, events, and an orderly end."""

import contextlib
import uuid
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from attrs import define, field

from keepgate.adapters.registry import Registry
from keepgate.core.model.stamp import Stamp
from keepgate.core.writing.page_steps import PageFiles
from keepgate.gate.approvers import Approver, Asker, ClientInfo
from keepgate.gate.gate import Gate
from keepgate.gate.policies import RulesFor
from keepgate.pages.keeping import Pages
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.lifecycle import KeepgateStatus
from keepgate.protocol.operation import Operation
from keepgate.protocol.settings import Settings
from keepgate.service import dispatch, health, sessions
from keepgate.service.after_reply import AfterReply
from keepgate.service.connection import Connection, Peer, Progress, Silent
from keepgate.service.context import ReadCtx
from keepgate.service.events import Broadcast
from keepgate.service.folders import folders_after, open_folders
from keepgate.service.hearing import Hearing
from keepgate.service.routing import Routing
from keepgate.service.running import Running, answers_heard
from keepgate.service.usage import UsageLog
from keepgate.store import reads
from keepgate.store.open import Store

LOOKS_AT_PAGES: Final = ("verbs/", "pages/", "memory/status")
"""Operations that read the index of pages, which a process that lives for one command brings up first."""
REINDEX: Final = "pages/reindex"


@define(kw_only=True, eq=False)
class Sidecar:
    """One process's store, gate and connections. Made by ``boot.open_sidecar``."""

    store: Store
    gate: Gate
    settings: Settings
    rules_for: RulesFor
    registry: Registry
    stamp: Callable[[], Stamp]
    broadcast: Broadcast
    connections: list[Connection]
    data_folder: str
    page_files: PageFiles
    pages: Pages
    usage: UsageLog
    _running: Running = field(factory=Running)
    _hearing: Hearing = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._hearing = Hearing(
            store=self.store,
            gate=self.gate,
            pages=self.pages,
            broadcast=self.broadcast,
            connections=self.connections,
            routing=Routing(store=self.store, gate=self.gate, connections=self.connections),
        )

    async def listen(self) -> None:
        """Have clients told of every commit from now on, once :meth:`start` has begun to tell them.

        Raises the store's faults. What lives for one command does not call it.
        """
        await self._hearing.listen()

    async def start(self) -> None:
        """Begin what needs no answer: telling of commits, sweeping proposals that nobody waits for.

        Raises the store's faults and may be called again then; a second success changes nothing. Closing
        gives up a start under way.
        """
        await self._hearing.start()

    def connect(
        self,
        *,
        peer: Peer,
        channel: str,
        client: ClientInfo,
        folders: Sequence[str],
        approver: Approver | None,
        may_decide: bool = False,
        remote: bool = False,
        session: SessionRef | None = None,
    ) -> Connection:
        """A new connection; ``folders`` are ``file:`` URIs or absolute paths.

        A remote client is asked after the windows of the workspace. Raises ``INVALID_INPUT`` for folders that
        cannot be used, and for a project file in them that cannot.
        """
        asker = Asker(
            connection_id=uuid.uuid4().hex[:12],
            channel=channel,
            client=client,
            approver=approver,
            asks_last=remote,
            patient=remote,
        )
        identity = self.settings.workspace_identity
        connection = Connection(
            asker=asker,
            peer=peer,
            workspaces=open_folders(folders, "$.workspaceFolders", identity=identity),
            remote=remote,
            may_decide=may_decide,
            identity=identity,
            default_session=session or self.settings.session,
        )
        if connection.default_session is not None:
            sessions.resolve(connection, connection.default_session)
        self.rules_for(connection.keys)
        self.connections.append(connection)
        self._running.begin(connection)
        self.pages.homes_changed()
        return connection

    def make_reachable(self, connection: Connection, *, acknowledges: bool) -> None:
        """Ask the person at a connection about the wishes of other processes, too.

        ``acknowledges``: the client says when it shows a question; one that it does not show in time is
        offered to other windows as well.
        """
        connection.asker.prompts.serve(acknowledges=acknowledges, notify=connection.peer.notify)
        connection.reachable = connection.asker.approver is not None
        self._windows_changed(connection)

    def change_folders(self, connection: Connection, *, added: Sequence[str], removed: Sequence[str]) -> None:
        """Open and close folders; sessions inside a closed one lose it.

        Several folders may share one workspace; each is closed by its own path. Raises ``INVALID_INPUT``, for
        a project file that cannot be used, too; nothing is changed then.
        """
        identity = self.settings.workspace_identity
        workspaces = folders_after(connection.workspaces, added=added, removed=removed, identity=identity)
        self.rules_for({item.key for item in workspaces})
        connection.workspaces = workspaces
        self.pages.homes_changed()
        self._windows_changed(connection)

    def _windows_changed(self, connection: Connection) -> None:
        if connection.reachable:
            self._hearing.windows_changed()

    async def call(
        self,
        connection: Connection,
        method: str,
        raw: Any,
        *,
        progress: Progress | None = None,
        command: bool = False,
        after_reply: AfterReply | None = None,
    ) -> Any:
        """Run an operation on decoded JSON; returns JSON-ready values. Raises faults and ``UnknownMethod``.

        Cancelling the caller withdraws its question; a change whose commit has begun is completed.
        ``after_reply`` collects what the caller has done once it has written the result out; without it,
        returning the result is all the writing there is.
        """
        row = dispatch.operation(method)
        work = self._call(row, connection, raw, progress=progress, command=command, after_reply=after_reply)
        if not row.is_verb:
            return await work
        with self.usage.noting(row.name.removeprefix("verbs/"), connection) as noted:
            noted.result = await work
        return noted.result

    async def _call(
        self,
        row: Operation,
        connection: Connection,
        raw: Any,
        *,
        progress: Progress | None,
        command: bool,
        after_reply: AfterReply | None,
    ) -> Any:
        request = dispatch.parse(row, connection, raw, command=command)
        owed = after_reply or AfterReply()
        with self._running.tracked(connection):
            context = self._context(connection, progress, owed)
            if row.name.startswith(LOOKS_AT_PAGES) and row.name != REINDEX:
                await self.pages.refresh()
            result = await dispatch.run(context, self.gate, request)
            if after_reply is None:
                await owed.written()
            return result

    def _context(self, connection: Connection, progress: Progress | None, after_reply: AfterReply) -> ReadCtx:
        return ReadCtx(
            store=self.store,
            settings=self.settings,
            rules_for=self.rules_for,
            stamp=self.stamp,
            connection=connection,
            registry=self.registry,
            progress=progress or Silent(),
            after_reply=after_reply,
            data_folder=self.data_folder,
            page_files=self.page_files,
            pages=self.pages,
        )

    async def disconnect(self, connection: Connection) -> None:
        """Let a connection go: its questions stay pending in the inbox, its adapters vanish.

        A question whose answer has arrived is decided by it.
        """
        await answers_heard()
        connection.asker.closing = True
        if connection in self.connections:
            self.connections.remove(connection)
            self.pages.homes_changed()
            self._windows_changed(connection)
        await self._running.give_up(connection)
        connection.adapters.clear()
        connection.sessions.clear()

    async def known_workspaces(self, keys: Collection[str]) -> set[str]:
        """Which of these workspace keys have memories, facts, pages or wishes."""
        return set(await self.store.reading.run(reads.workspace_keys)) & set(keys)

    async def status(self) -> KeepgateStatus:
        """What ``keepgate/status`` says now."""
        return await health.glance(self.store, self.connections)

    async def close(self) -> None:
        """End everything, in order, whatever fails on the way; may be called more than once."""
        async with contextlib.AsyncExitStack() as last_first:
            last_first.push_async_callback(self.store.close)
            last_first.callback(self.usage.close)
            last_first.push_async_callback(self.pages.close)
            last_first.push_async_callback(self._hearing.stop_watching)
            last_first.push_async_callback(self._hearing.stop_tasks)
            for connection in reversed(self.connections):
                last_first.push_async_callback(self.disconnect, connection)
