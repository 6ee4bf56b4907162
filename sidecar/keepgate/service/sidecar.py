"""The running product behind every front: connections, operations, events, and an orderly end."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any, Final

from attrs import define, field

from keepgate.adapters.registry import Registry
from keepgate.core.model.stamp import Stamp
from keepgate.gate.approvers import Approver, Asker, ClientInfo
from keepgate.gate.gate import Gate
from keepgate.gate.policies import RulesFor
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Fault
from keepgate.protocol.lifecycle import KeepgateStatus
from keepgate.protocol.proposals import ProposalStatus
from keepgate.protocol.settings import Settings
from keepgate.protocol.wire import unstructure
from keepgate.service import dispatch, health, sessions
from keepgate.service.connection import Connection, Peer, Progress, Silent, Workspace
from keepgate.service.context import ReadCtx
from keepgate.service.events import PROPOSAL_KIND, Broadcast
from keepgate.service.workspaces import folder_of, open_workspace
from keepgate.store import reads
from keepgate.store.feed import FeedEvent, FeedWatcher
from keepgate.store.open import Store

SWEEP_SECONDS: Final = 3600.0
DISCONNECT_SECONDS: Final = 1.0


@define(kw_only=True, eq=False)
class Sidecar:
    """One process's store, gate and connections. Made by ``boot.open_sidecar``.

    ``heard`` is the newest event of the feed at that time: clients are told of every later one, also when
    they write before :meth:`start`.
    """

    store: Store
    gate: Gate
    settings: Settings
    rules_for: RulesFor
    registry: Registry
    stamp: Callable[[], Stamp]
    broadcast: Broadcast
    connections: list[Connection]
    heard: int
    notices: list[str] = field(factory=list)
    _running: dict[Connection, set["asyncio.Task[Any]"]] = field(factory=dict)
    _watcher: FeedWatcher | None = None
    _sweeper: "asyncio.Task[None] | None" = None
    _errands: set["asyncio.Task[None]"] = field(factory=set)

    async def start(self) -> None:
        """Begin what needs no answer: watching for commits, sweeping proposals that nobody waits for."""
        self._watcher = FeedWatcher(self.store, self._happened)
        await self._watcher.start(after=self.heard)
        self._sweeper = asyncio.create_task(self._sweep_for_ever())

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
    ) -> Any:
        """Run an operation on decoded JSON; returns JSON-ready values. Raises faults and ``UnknownMethod``.

        Cancelling the caller withdraws its question; a change whose commit has begun is completed.
        """
        row = dispatch.operation(method)
        params = dispatch.parse(row, connection, raw, command=command)
        with self._tracked(connection):
            return unstructure(
                await dispatch.run(self._context(connection, progress), self.gate, row, params)
            )

    async def call_typed(
        self, connection: Connection, method: str, params: Any, *, progress: Progress | None = None
    ) -> Any:
        """Run an operation on typed params, for callers in this process; returns the typed result."""
        row = dispatch.operation(method)
        with self._tracked(connection):
            return await dispatch.run(self._context(connection, progress), self.gate, row, params)

    def _context(self, connection: Connection, progress: Progress | None) -> ReadCtx:
        return ReadCtx(
            store=self.store,
            settings=self.settings,
            rules_for=self.rules_for,
            stamp=self.stamp,
            connection=connection,
            registry=self.registry,
            progress=progress or Silent(),
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
        """End everything, in order; may be called more than once."""
        for connection in list(self.connections):
            await self.disconnect(connection)
        if self._sweeper is not None:
            self._sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeper
            self._sweeper = None
        if self._watcher is not None:
            await self._watcher.close()
            self._watcher = None
        for errand in tuple(self._errands):
            errand.cancel()
        await self.store.close()

    def _happened(self, events: Sequence[FeedEvent]) -> None:
        for event in events:
            if event.kind == PROPOSAL_KIND and event.proposal_id is not None:
                if event.status != ProposalStatus.PENDING:
                    self.gate.decisions.decided(event.proposal_id)
                if event.origin != self.store.origin:
                    self._keep(self._announce_foreign(event.proposal_id))
            self.broadcast.happened(event)

    async def _announce_foreign(self, proposal_id: str) -> None:
        """Tell this process's connections of a question or decision in another process."""
        with contextlib.suppress(Fault):
            stored = await self.store.reading.run(reads.proposal, proposal_id)
            if stored is not None:
                self.broadcast.elsewhere(stored)

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _sweep_for_ever(self) -> None:
        while True:
            with contextlib.suppress(Fault):
                # A busy or read-only store is swept next time.
                await self.gate.sweep()
            await asyncio.sleep(SWEEP_SECONDS)
