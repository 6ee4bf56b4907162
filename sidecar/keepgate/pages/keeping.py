"""All roots that a process is about: kept up to date while it lives, or brought up once for one command."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from attrs import frozen

from keepgate.core.model.stamp import Stamp
from keepgate.pages.indexing import Indexing, Outcome, Report
from keepgate.pages.keeper import AGAIN_S, Keeper, election, is_elected
from keepgate.pages.roots import Root
from keepgate.pages.watch import Watcher
from keepgate.protocol.errors import Fault
from keepgate.store.open import Store

BEGIN_S: Final = 0.3
"""How long a process that lives on answers undisturbed before it begins to index."""
LOOK_S: Final = 5.0
"""How often it is asked which roots there are: folders are opened and closed, and settings written."""
REFRESH_S: Final = 1.0
"""How long a command reads files before it answers with what the index has."""
FRESH_S: Final = 2.0
"""For how long what was refreshed counts as fresh."""

_log: Final = logging.getLogger(__name__)


@frozen(kw_only=True)
class Home:
    """A home with its roots.

    ``folders`` decide over them: a root inside of one that is none of ``roots`` is no root any more.
    """

    key: str
    folders: tuple[str, ...]
    roots: tuple[Root, ...]


class Pages:
    """The index of the page files of one process.

    ``homes`` says which there are now. It looks at the disk, is called in a thread, and must not raise.
    """

    def __init__(
        self,
        *,
        store: Store,
        stamp: Callable[[], Stamp],
        lock_folder: str,
        homes: Callable[[], Sequence[Home]],
    ) -> None:
        self.homes: Final = homes
        self._lock_folder = lock_folder
        self._read_only: Final = store.read_only
        self._indexing: Final = Indexing(store, stamp)
        self._watcher: Watcher | None = None
        self._keepers: dict[Root, tuple[Keeper, asyncio.Task[None]]] = {}
        self._known: Sequence[Home] = ()
        self._supervising: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._fresh: dict[Root, float] = {}
        self._all_fresh_until = 0.0
        self._refreshing = asyncio.Lock()
        self._closed = False

    def start(self) -> None:
        """Keep the index up to date from now on, in the background. May be called twice."""
        if self._supervising is None and not self._read_only and not self._closed:
            self._supervising = asyncio.get_running_loop().create_task(self._supervise())

    def homes_changed(self) -> None:
        """Folders were opened or closed: look at once which roots there are."""
        self._changed.set()

    def files_changed(self, paths: Iterable[str]) -> None:
        """An editor saw changes at these absolute paths."""
        for path in paths:
            for keeper, _ in self._keepers.values():
                keeper.changed(path)

    def look_again(self) -> None:
        """The index is another than it was, such as an older one that was put back: look at everything."""
        self._fresh.clear()
        self._all_fresh_until = 0.0
        for keeper, _ in self._keepers.values():
            keeper.changed(keeper.root.folder)

    async def written(self, home: str, folder: str, paths: Sequence[str]) -> None:
        """Files below a root were written here: have them in the index before the writer has its answer."""
        await self.look_at(Root(home, folder), paths)

    async def look_at(self, root: Root, paths: Sequence[str]) -> None:
        """Bring files or folders of a root into the index now, such as one that was just written.

        A store that is busy or read-only puts it off.
        """
        if self._read_only or self._closed or not paths:
            return
        try:
            await self._indexing.bring_up(root, paths)
        except Fault as fault:
            _log.info("a page is indexed later: %s", fault.code)

    async def refresh(self) -> None:
        """For a process that does not keep the index: bring it up where no other process does.

        Reads for a second at most; does nothing in a process that keeps the index, and where it is fresh.
        """
        if self._supervising is not None or self._read_only or self._closed:
            return
        # Which roots there are is asked of the disk, too, and not for every call.
        if time.monotonic() < self._all_fresh_until and not self._changed.is_set():
            return
        async with self._refreshing:
            begun = time.monotonic()
            self._changed.clear()
            for home in await self._homes_now():
                for root in home.roots:
                    if time.monotonic() - self._fresh.get(root, -FRESH_S) >= FRESH_S:
                        await self._refresh(root, begun + REFRESH_S)
            self._all_fresh_until = begun + FRESH_S

    async def _refresh(self, root: Root, until: float) -> None:
        lock = election(self._lock_folder, root)
        if is_elected(lock):
            try:
                await self._indexing.bring_up(root, until=until)
            except Fault as fault:
                _log.info("pages are indexed later: %s", fault.code)
            finally:
                lock.release()
        self._fresh[root] = time.monotonic()

    async def reindex(self, homes: Sequence[Home], report: Report) -> Outcome:
        """Read every file of these homes anew, also beside the process that keeps their index.

        Raises the store's faults. Cancelled, it stops after the files that are being read.
        """
        whole = Outcome()
        for home in homes:
            await self._indexing.drop_strangers(home.key, home.folders, home.roots)
        roots = [root for home in homes for root in home.roots]
        for at, root in enumerate(roots):
            of_roots = partial(_report_share, report, at, len(roots))
            outcome = await self._indexing.bring_up(root, every=True, report=of_roots)
            whole.changed += outcome.changed
            whole.removed += outcome.removed
        return whole

    async def close(self) -> None:
        """End everything; may be called twice."""
        self._closed = True
        self._indexing.stop()
        tasks = [task for _, task in self._keepers.values()]
        if self._supervising is not None:
            tasks.append(self._supervising)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._keepers.clear()
        self._supervising = None
        if self._watcher is not None:
            watcher, self._watcher = self._watcher, None
            await self._indexing.in_lane(watcher.close)
        await self._indexing.close()

    async def _supervise(self) -> None:
        await asyncio.sleep(BEGIN_S)
        while True:
            homes = await self._homes_now()
            if homes != self._known:
                await self._adjust(homes)
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._changed.wait()

    async def _adjust(self, homes: Sequence[Home]) -> None:
        roots = [root for home in homes for root in home.roots]
        for root in [root for root in self._keepers if root not in roots]:
            _, task = self._keepers.pop(root)
            task.cancel()
            await asyncio.wait([task])
        try:
            for home in homes:
                if home not in self._known:
                    await self._indexing.drop_strangers(home.key, home.folders, home.roots)
            self._known = homes
        except Fault as fault:
            _log.info("old roots of pages are dropped later: %s", fault.code)
        for root in roots:
            if root not in self._keepers:
                keeper = Keeper(root, self._indexing, self._watching, self._lock_folder)
                task = asyncio.get_running_loop().create_task(_kept_alive(keeper))
                self._keepers[root] = keeper, task

    async def _homes_now(self) -> Sequence[Home]:
        # Which roots there are is asked of the disk, which may be slow to answer.
        return await self._indexing.in_lane(self.homes)

    def _watching(self) -> Watcher:
        if self._watcher is None:
            self._watcher = Watcher(asyncio.get_running_loop())
        return self._watcher


async def _kept_alive(keeper: Keeper) -> None:
    try:
        while True:
            try:
                await keeper.serve()
            except Exception as error:  # noqa: BLE001 - whatever it is, one root's trouble is not the others'
                _log.error("a root of pages gave trouble: %s", type(error).__name__)
                _log.debug("what went wrong", exc_info=error)
                await asyncio.sleep(AGAIN_S)
    finally:
        # Where the lane is closed, the watch is ended already.
        with suppress(RuntimeError):
            await keeper.end()


def _report_share(report: Report, at: int, count: int, done: int, total: int) -> None:
    """Of several roots each is an equal share of the work."""
    report(at * max(total, 1) + done, count * max(total, 1))
