"""The running product behind every front: connections, operations, events, and an orderly end."""

import asyncio
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
from keepgate.protocol.proposals import ProposalStatus
from keepgate.protocol.settings import Settings
from keepgate.service import dispatch, health, sessions
from keepgate.service.after_reply import AfterReply
from keepgate.service.background import Background, errand
from keepgate.service.connection import Connection, Peer, Progress, Silent, Workspace
from keepgate.service.context import ReadCtx
from keepgate.service.events import PROPOSAL_KIND, RESTORED_KIND, Broadcast
from keepgate.service.usage import UsageLog
from keepgate.service.workspaces import folder_of, open_workspace
from keepgate.store import feed, reads
from keepgate.store.feed import FeedEvent, FeedWatcher
from keepgate.store.open import Store

LOOKS_AT_PAGES: Final = ("verbs/", "pages/", "memory/status")
"""Operations that read the index of pages, which a process that lives for one command brings up first."""
REINDEX: Final = "pages/reindex"
SWEEP_SECONDS: Final = 3600.0
DISCONNECT_SECONDS: Final = 1.0


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
    _running: dict[Connection, set["asyncio.Task[Any]"]] = field(factory=dict)
    _heard: int | None = None
    _watcher: FeedWatcher | None = None
    _starting: "asyncio.Task[None] | None" = None
    _background: Background = field(factory=Background)

    async def listen(self) -> None:
        """Have clients told of every commit from now on, once :meth:`start` has begun to tell them.

        Raises the store's faults. What lives for one command does not call it.
        """
        self._heard = await self.store.reading.run(feed.head, instant=True)

    async def start(self) -> None:
        """Begin what needs no answer: telling of commits, sweeping proposals that nobody waits for.

        Raises the store's faults and may be called again then; a second success changes nothing. Closing
        gives up a start under way.
        """
        if self._starting is None or (self._starting.done() and self._watcher is None):
            self._starting = self._background.begin(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        if self._heard is None:
            await self.listen()
        watcher = FeedWatcher(self.store, self._happened)
        try:
            await watcher.start(after=self._heard or 0)
        except BaseException:
            await watcher.close()
            raise
        self._watcher = watcher
        self.pages.start()
        self._background.begin(self._sweep_for_ever())

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

        Raises ``INVALID_INPUT`` for those that cannot be used, and for a project file in them that cannot.
        """
        asker = Asker(connection_id=uuid.uuid4().hex[:12], channel=channel, client=client, approver=approver)
        connection = Connection(
            asker=asker,
            peer=peer,
            workspaces=list(self._open_folders(folders, "$.workspaceFolders").values()),
            remote=remote,
            may_decide=may_decide,
            identity=self.settings.workspace_identity,
            default_session=session or self.settings.session,
        )
        if connection.default_session is not None:
            sessions.resolve(connection, connection.default_session)
        self.rules_for(connection.keys)
        self.connections.append(connection)
        self._running[connection] = set()
        self.pages.homes_changed()
        return connection

    def change_folders(self, connection: Connection, *, added: Sequence[str], removed: Sequence[str]) -> None:
        """Open and close folders; sessions inside a closed one lose it.

        Several folders may share one workspace; each is closed by its own path. Raises ``INVALID_INPUT``, for
        a project file that cannot be used, too; nothing is changed then.
        """
        gone = {folder_of(folder, f"$.event.removed[{index}]") for index, folder in enumerate(removed)}
        opened = {folder_of(item.path): item for item in connection.workspaces}
        opened = {folder: item for folder, item in opened.items() if folder not in gone}
        for folder, workspace in self._open_folders(added, "$.event.added").items():
            opened.setdefault(folder, workspace)
        self.rules_for({item.key for item in opened.values()})
        connection.workspaces = list(opened.values())
        self.pages.homes_changed()

    def _open_folders(self, folders: Sequence[str], where: str) -> dict[str, Workspace]:
        identity = self.settings.workspace_identity
        opened: dict[str, Workspace] = {}
        for index, folder in enumerate(folders):
            at = f"{where}[{index}]"
            opened.setdefault(folder_of(folder, at), open_workspace(folder, identity=identity, where=at))
        return opened

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
        with self._tracked(connection):
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

    @contextlib.contextmanager
    def _tracked(self, connection: Connection) -> Any:
        task = asyncio.current_task()
        running = self._running.get(connection, set())
        if task is not None:
            running.add(task)
        try:
            yield
        finally:
            if task is not None:
                running.discard(task)

    async def disconnect(self, connection: Connection) -> None:
        """Let a connection go: its questions stay pending in the inbox, its adapters vanish."""
        connection.asker.closing = True
        if connection in self.connections:
            self.connections.remove(connection)
            self.pages.homes_changed()
        waiting = self._running.pop(connection, set()) - {asyncio.current_task()}
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting, timeout=DISCONNECT_SECONDS)
        connection.adapters.clear()
        connection.sessions.clear()

    async def known_workspaces(self, keys: Collection[str]) -> set[str]:
        """Which of these workspace keys have memories or wishes."""
        return set(await self.store.reading.run(reads.workspace_keys)) & set(keys)

    async def status(self) -> KeepgateStatus:
        """What ``keepgate/status`` says now."""
        return await health.glance(self.store, self.connections)

    async def close(self) -> None:
        """End everything, in order, whatever fails on the way; may be called more than once."""
        async with contextlib.AsyncExitStack() as last_first:
            last_first.push_async_callback(self.store.close)
            last_first.push_async_callback(self.pages.close)
            last_first.push_async_callback(self._stop_watching)
            last_first.push_async_callback(self._background.stop)
            for connection in reversed(self.connections):
                last_first.push_async_callback(self.disconnect, connection)

    async def _stop_watching(self) -> None:
        if self._watcher is not None:
            await self._watcher.close()

    def _happened(self, events: Sequence[FeedEvent]) -> None:
        for event in events:
            if event.kind == RESTORED_KIND:
                self.pages.look_again()
                self._background.begin(errand(self._tell_restored()))
            elif event.kind == PROPOSAL_KIND and event.proposal_id is not None:
                if event.status != ProposalStatus.PENDING:
                    self.gate.decisions.decided(event.proposal_id)
                if self.broadcast.has_to_look(event, own_origin=self.store.origin):
                    self._background.begin(errand(self._announce_elsewhere(event, event.proposal_id)))
            self.broadcast.happened(event)

    async def _announce_elsewhere(self, event: FeedEvent, proposal_id: str) -> None:
        """Tell this process's connections of a question, or its end, in another process."""
        stored = await self.store.reading.run(reads.proposal, proposal_id)
        if stored is not None:
            self.broadcast.elsewhere(event, stored)

    async def _tell_restored(self) -> None:
        self.broadcast.restored(await self.status())

    async def _sweep_for_ever(self) -> None:
        while True:
            # A busy or read-only store is swept next time.
            await errand(self.gate.sweep())
            await asyncio.sleep(SWEEP_SECONDS)
