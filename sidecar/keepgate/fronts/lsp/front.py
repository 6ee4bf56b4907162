"""The editor's front: one client, one sidecar, every operation under its name and as a command."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from keepgate import __version__
from keepgate.boot import open_sidecar
from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.fronts.lsp.answers import Reply
from keepgate.fronts.lsp.client import Announced, ClientPeer, announced, client_info, folders_of
from keepgate.fronts.lsp.documents import remove_leftovers
from keepgate.fronts.lsp.pages import PageNotices
from keepgate.fronts.lsp.params import member
from keepgate.fronts.lsp.progress import progress_of
from keepgate.fronts.lsp.protocol import KeepgateProtocol
from keepgate.fronts.lsp.status import StatusNotices
from keepgate.protocol.errors import Fault, Problem, invalid_input
from keepgate.protocol.framing import Framing
from keepgate.protocol.lifecycle import CONTRACTS, PROTOCOL_VERSION, KeepgateCapabilities, KeepgateStatus
from keepgate.protocol.operation import Access, Operation
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.pages import PageProblem
from keepgate.protocol.wire import unstructure
from keepgate.service.after_reply import AfterReply
from keepgate.service.connection import Connection
from keepgate.service.pages.indexing import problems_in_sight
from keepgate.service.sidecar import Sidecar
from keepgate.service.workspaces import real_paths

NAME: Final = "keepgate"
START_AGAIN_S: Final = 1.0


class Front:
    """One client from ``initialize`` to its end. ``framing`` tells how it frames its messages.

    ``on_process_id`` is called with the process that this one must not outlive, when the client names one.
    ``store`` is the path of the store as ``KEEPGATE_STORE`` would name it.
    """

    def __init__(
        self, framing: Callable[[], Framing], on_process_id: Callable[[int], None], store: str | None
    ) -> None:
        server = LanguageServer(
            NAME,
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.None_,
            protocol_cls=KeepgateProtocol,
        )
        assert isinstance(server.protocol, KeepgateProtocol), "pygls makes the protocol it is given"
        self.protocol = server.protocol
        self._framing = framing
        self._on_process_id = on_process_id
        self._environ = {**os.environ, **({} if store is None else {"KEEPGATE_STORE": store})}
        self._sidecar: Sidecar | None = None
        self._connection: Connection | None = None
        self._beginning = False
        self._status = StatusNotices(self._look, lambda now: self.protocol.notify("keepgate/status", now))
        self._pages = PageNotices(self.protocol, self._page_problems)
        _register(server, self)

    async def initialize(self, params: types.InitializeParams) -> None:
        """Open the store and connect the client; after a fault the client may try again.

        Raises ``INVALID_INPUT`` for options and folders that cannot be used, and the ``STORE_*`` faults.
        """
        places, folders = find_places(self._environ), folders_of(params)
        settings = load_settings(places, self._environ, options=params.initialization_options)
        said = announced(params, settings.client)
        documents = Path(places.state_folder) / "changes"
        sidecar = await open_sidecar(settings, places)
        try:
            await sidecar.listen()
            connection = sidecar.connect(
                peer=ClientPeer(self.protocol, self._notified),
                channel="lsp",
                client=client_info(params),
                folders=folders,
                approver=said.way_to_ask(self.protocol, documents),
                may_decide=said.may_decide,
            )
        except BaseException:
            await sidecar.close()
            raise
        said.apply_to(sidecar, connection)
        self._sidecar, self._connection = sidecar, connection
        self.protocol.announcement = unstructure(self._capabilities(sidecar, connection, said))
        remove_leftovers(documents)
        if params.process_id is not None:
            self._on_process_id(params.process_id)

    async def initialized(self) -> None:
        """Tell how things stand and start what runs beside requests; a second time is ignored.

        Where the store cannot be read just now, that is tried again until the client leaves.
        """
        sidecar, connection = self._open()
        if self._beginning:
            return
        self._beginning = True
        self._status.start()
        self._pages.start()
        while not connection.asker.closing:
            try:
                await sidecar.start()
            except Fault as fault:
                self.protocol.warn(f"changes are not told yet: {fault.message}")
                await asyncio.sleep(START_AGAIN_S)
            else:
                return

    def change_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Open and close workspace folders.

        Raises ``INVALID_INPUT`` for a folder or a project file that cannot be used; nothing is opened then.
        """
        sidecar, connection = self._open()
        sidecar.change_folders(
            connection,
            added=[folder.uri for folder in event.added],
            removed=[folder.uri for folder in event.removed],
        )
        self._pages.look_again()

    def files_changed(self, uris: Iterable[str]) -> None:
        """The client saw changes of files; those of pages are looked at."""
        self._open()[0].pages.files_changed(real_paths(uris))

    async def run(self, operation: Operation, raw: Any, token: Any, *, command: bool = False) -> Reply:
        """Run an operation on decoded JSON. Raises the operation's faults."""
        sidecar, connection = self._open()
        after_reply = AfterReply()
        try:
            async with progress_of(self.protocol, operation, token) as progress:
                result = await sidecar.call(
                    connection,
                    operation.name,
                    raw,
                    progress=progress,
                    command=command,
                    after_reply=after_reply,
                )
                return Reply(result, after_reply)
        except BaseException:
            after_reply.lost()
            raise
        finally:
            for notice in sidecar.registry.take_notices():
                self.protocol.warn(notice)

    async def disconnect(self) -> None:
        """Let the client go: its open questions stay in the inbox, and what waits for it fails."""
        self._status.stop()
        self._pages.stop()
        if self._sidecar is not None and self._connection is not None:
            await self._sidecar.disconnect(self._connection)

    async def close(self) -> None:
        """Close the store."""
        if self._sidecar is not None:
            await self._sidecar.close()

    def _open(self) -> tuple[Sidecar, Connection]:
        assert self._sidecar is not None and self._connection is not None, "served after initialize"  # noqa: PT018
        return self._sidecar, self._connection

    def _notified(self, method: str, params: Any) -> None:
        self._status.notified(method, params)
        self._pages.notified(method)

    async def _look(self) -> KeepgateStatus:
        return await self._open()[0].status()

    async def _page_problems(self) -> Iterable[PageProblem]:
        sidecar, connection = self._open()
        return await problems_in_sight(sidecar.store, connection.keys)

    def _capabilities(
        self, sidecar: Sidecar, connection: Connection, said: Announced
    ) -> KeepgateCapabilities:
        return KeepgateCapabilities(
            protocol_version=PROTOCOL_VERSION,
            contracts=dict(CONTRACTS),
            methods=[row.name for row in OPERATIONS if row.access is not Access.DECIDE or said.may_decide],
            framing=self._framing(),
            approval=said.approval,
            store_path=sidecar.settings.store_path or "",
            workspaces=[workspace.info() for workspace in connection.workspaces],
        )


def _register(server: LanguageServer, front: Front) -> None:
    """Put the life cycle and every row of the operation table under its names."""

    @server.feature(types.INITIALIZE)
    async def initialize(params: types.InitializeParams) -> None:
        await front.initialize(params)

    @server.feature(types.INITIALIZED)
    async def initialized(_: None) -> None:
        await front.initialized()

    @server.feature(types.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await front.disconnect()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        front.change_folders(params.event)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        front.files_changed(change.uri for change in params.changes)

    for operation in OPERATIONS:
        server.feature(operation.name)(_method(front, operation))
        if operation.command is not None:
            server.command(operation.command)(_command(front, operation))


def _method(front: Front, operation: Operation) -> Callable[[Any], Awaitable[Any]]:
    async def method(raw: Any) -> Any:
        return await front.run(operation, raw, member(raw, "workDoneToken"))

    return method


def _command(front: Front, operation: Operation) -> Callable[[types.ExecuteCommandParams], Awaitable[Any]]:
    async def command(params: types.ExecuteCommandParams) -> Any:
        raw = _argument(params)
        token = params.work_done_token if params.work_done_token is not None else member(raw, "workDoneToken")
        return await front.run(operation, raw, token, command=True)

    return command


def _argument(params: types.ExecuteCommandParams) -> Any:
    """The one object that a command takes; left out, it is empty."""
    given = params.arguments or []
    if len(given) > 1 or (given and type(given[0]) is not dict):
        raise invalid_input(Problem("$.arguments", "must be one object, or nothing"), shape=True)
    return given[0] if given else {}
