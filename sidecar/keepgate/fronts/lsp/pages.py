"""Pages in an editor: its watched-files events, and what is wrong with page files as diagnostics."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Final

from lsprotocol import types

from keepgate.fronts.lsp.protocol import KeepgateProtocol
from keepgate.fronts.stdio.logs import incident
from keepgate.protocol.errors import Fault
from keepgate.protocol.pages import PageProblem
from keepgate.service.connection import PeerError

METHOD: Final = "pages/didChange"
WATCHED: Final = "**/*.{md,markdown}"
REGISTRATION: Final = "keepgate-pages"
PAUSE_S: Final = 0.2
"""How long changes are gathered before the problems are looked at again."""
LINE_END: Final = 1_000
"""A column behind the end of a line: the whole line is marked."""


class PageNotices:
    """Keeps the client's diagnostics equal to the problems of the pages in its sight.

    ``look`` reads these. A client that did not announce diagnostics is sent none.
    """

    def __init__(
        self, protocol: KeepgateProtocol, look: Callable[[], Awaitable[Iterable[PageProblem]]]
    ) -> None:
        self._protocol = protocol
        self._look = look
        self._shown: dict[str, list[tuple[int, str]]] = {}
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Ask for watched-files events, and show what is wrong: each where the client takes it."""
        said = self._protocol.client_capabilities
        watching = said.workspace and said.workspace.did_change_watched_files
        if watching and watching.dynamic_registration:
            self._begin(self._register())
        if said.text_document and said.text_document.publish_diagnostics:
            self._changed.set()
            self._begin(self._show_for_ever())

    def notified(self, method: str) -> None:
        """The client was sent a notification: of changed pages, or of anything else."""
        if method == METHOD:
            self._changed.set()

    def look_again(self) -> None:
        """Other pages are in sight."""
        self._changed.set()

    def stop(self) -> None:
        """Show nothing more."""
        for task in self._tasks:
            task.cancel()

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _register(self) -> None:
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
        wanted = types.Registration(REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        try:
            await self._protocol.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([wanted]))
        except PeerError as error:
            # The product watches itself; the client's eyes are only a second pair.
            self._protocol.warn(f"the client reports no changed files: {error}")

    async def _show_for_ever(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                self._show(await self._look())
            except Fault as fault:
                self._protocol.warn(f"problems of pages are shown later: {fault.message}")
            except Exception as error:  # noqa: BLE001 - whatever it is, the next look may go well
                incident(error)
            await asyncio.sleep(PAUSE_S)

    def _show(self, problems: Iterable[PageProblem]) -> None:
        by_file: dict[str, list[tuple[int, str]]] = {}
        for each in problems:
            by_file.setdefault(Path(each.path).as_uri(), []).append(((each.line or 1) - 1, each.problem))
        for uri in [*by_file, *(uri for uri in self._shown if uri not in by_file)]:
            found = by_file.get(uri, [])
            if found != self._shown.get(uri, []):
                self._protocol.notify(
                    types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
                    types.PublishDiagnosticsParams(uri, [_diagnostic(*each) for each in found]),
                )
        self._shown = by_file


def _diagnostic(line: int, problem: str) -> types.Diagnostic:
    marked = types.Range(types.Position(line, 0), types.Position(line, LINE_END))
    return types.Diagnostic(marked, problem, severity=types.DiagnosticSeverity.Warning, source="keepgate")
