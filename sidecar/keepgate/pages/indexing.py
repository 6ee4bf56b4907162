"""Bringing the index of one root up to date: compare, read in batches, write in short transactions."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from attrs import define, field, frozen

from keepgate.core.model.page import PageFlaw
from keepgate.core.model.stamp import Stamp
from keepgate.pages.ready import Ready, make_ready
from keepgate.pages.roots import Root
from keepgate.pages.scan import Scan, Seen, scan
from keepgate.store import known_pages
from keepgate.store import pages as index
from keepgate.store.connection import Connection
from keepgate.store.lane import Lane
from keepgate.store.open import Store

BATCH: Final = 32
"""Files that are read before they are written."""
REMOVED_AT_ONCE: Final = 50
TELL_EVERY_S: Final = 1.0

T = TypeVar("T")

Report = Callable[[int, int], None]


@define
class Outcome:
    """What came of it. ``is_whole`` is false where time ran out; ``flawed`` counts news of problems.

    ``told`` is how much of it other processes know of.
    """

    changed: int = 0
    removed: int = 0
    flawed: int = 0
    told: int = 0
    is_whole: bool = True

    @property
    def news(self) -> int:
        """How often readers see something else than before."""
        return self.changed + self.removed + self.flawed


@frozen(kw_only=True)
class _Work:
    """What a comparison of disk and index found to do."""

    look: list[Seen]
    gone: list[str]
    flaws: list[tuple[str, PageFlaw]]


@define(eq=False)
class Indexing:
    """Indexes roots of one store. Its lane reads files and the store; the derived lane writes.

    Any process may do so at any time: what is written is what the files say, whoever read them.
    """

    store: Store
    stamp: Callable[[], Stamp]
    _lane: Lane = field(init=False)
    _stopped: bool = False
    _told: float = 0.0

    def __attrs_post_init__(self) -> None:
        self._lane = Lane("pages", self.store.path, self.store.connect_reading)

    def stop(self) -> None:
        """Stop after the file that is being read."""
        self._stopped = True

    async def close(self) -> None:
        """End the lane once it has stopped."""
        self.stop()
        await self._lane.close()

    async def in_lane(self, work: Callable[[], T]) -> T:
        """Do something that blocks where files are read."""
        return await self._lane.run(lambda _: work())

    async def bring_up(
        self,
        root: Root,
        below: Sequence[str] = ("",),
        *,
        every: bool = False,
        until: float | None = None,
        report: Report = lambda done, total: None,
    ) -> Outcome:
        """Make the index say what is at ``below`` in a root: files or folders, by default all of it.

        ``every`` reads files again whose size and time are known. Work ends early at the monotonic time
        ``until``. Raises the store's faults; what is written by then stays.
        """
        outcome = Outcome()
        work = await self._lane.run(partial(self._compare, root=root, below=below, every=every))
        for begin in range(0, len(work.gone), REMOVED_AT_ONCE):
            await self._put(root, Ready(gone=work.gone[begin : begin + REMOVED_AT_ONCE]), outcome)
        await self._put(root, Ready(refused=work.flaws), outcome)
        for begin in range(0, len(work.look), BATCH):
            if until is not None and time.monotonic() > until:
                outcome.is_whole = False
                break
            seen = work.look[begin : begin + BATCH]
            read = partial(make_ready, root=root, seen=seen, every=every, is_stopped=self._is_stopped)
            await self._put(root, await self._lane.run(read), outcome)
            report(begin + len(seen), len(work.look))
        if "" in below and outcome.is_whole and not self._stopped:
            now_ms = self.stamp().now_ms
            await self.store.derived.write(
                lambda db: index.complete_root(db, root.home, root.folder, now_ms=now_ms)
            )
        await self._tell(root.home, outcome)
        return outcome

    async def drop_strangers(self, home: str, folders: Sequence[str], roots: Sequence[Root]) -> None:
        """Forget roots of a home that are none any more: gone, or inside ``folders`` and not configured."""
        ours = {root.folder for root in roots}
        known = await self._lane.run(lambda db: known_pages.roots_of(db, home))
        for folder in known:
            if folder not in ours and _is_stale(folder, folders):
                drop = partial(index.drop_root, home=home, root=folder)
                while not await self.store.derived.write(drop):
                    continue
                await self._tell(home, Outcome(removed=1))

    def _compare(self, db: Connection, root: Root, below: Sequence[str], every: bool) -> _Work:
        found = Scan()
        for part in below:
            one = scan(root.folder, part, self._is_stopped)
            found.files |= one.files
            found.flaws |= one.flaws
            found.unread += one.unread
        known = known_pages.known_files(db, root.home, root.folder)
        flawed = known_pages.flawed_files(db, root.home, root.folder)
        missing = (
            path
            for path in (known.keys() | flawed) - found.files.keys() - found.flaws.keys()
            if _is_at(path, below) and not found.is_unknown(path)
        )
        gone = sorted(missing)
        files = [found.files[path] for path in sorted(found.files)]
        look = [file for file in files if every or known.get(file.path) != (file.size, file.mtime_ns)]
        if gone:
            # One of them may have stood in the way of another file of the same slug.
            seen = {file.path for file in look}
            waiting = sorted(path for path in flawed - known.keys() - seen if path not in gone and path)
            look += [file for path in waiting for file in scan(root.folder, path).files.values()]
        return _Work(look=look, gone=gone, flaws=sorted(found.flaws.items()))

    async def _put(self, root: Root, ready: Ready, outcome: Outcome) -> None:
        """Write what is ready, in as many transactions as keep each of them short."""
        while not ready.is_empty:
            now_ms = self.stamp().now_ms
            through = await self.store.derived.write(partial(_put_some, root, ready, outcome, now_ms))
            ready = ready.after(through)
            if time.monotonic() - self._told > TELL_EVERY_S:
                await self._tell(root.home, outcome)

    async def _tell(self, home: str, outcome: Outcome) -> None:
        """Let every process know of news; while much changes, about once a second."""
        if outcome.news > outcome.told:
            outcome.told = outcome.news
            self._told = time.monotonic()
            now_ms = self.stamp().now_ms
            await self.store.derived.write(
                lambda db: index.tell_changed(db, home, origin=self.store.origin, now_ms=now_ms)
            )
            self.store.announce()

    def _is_stopped(self) -> bool:
        return self._stopped


def _put_some(root: Root, ready: Ready, outcome: Outcome, now_ms: int, db: Connection) -> int:
    """Write one transaction's worth; returns how many of the pages are through."""
    index.restat(db, ready.same)
    removed = index.remove_pages(db, root.home, root.folder, ready.gone)
    flawed = 0
    for path, flaw in ready.refused:
        removed += index.drop_page(db, root.home, root.folder, path)
        flawed += index.note_flaws(db, root.home, root.folder, path, (flaw,))
    written = index.put_pages(db, ready.pages, now_ms=now_ms) if ready.pages else index.NOTHING
    outcome.removed += removed
    outcome.flawed += flawed
    outcome.changed += written.changed
    return written.through


def _is_at(path: str, below: Sequence[str]) -> bool:
    return any(not part or path == part or path.startswith(f"{part}/") for part in below)


def _is_stale(folder: str, ours: Sequence[str]) -> bool:
    parents = Path(folder).parents
    return not Path(folder).is_dir() or any(Path(our) in parents or our == folder for our in ours)
