"""Keeping the index of one root up to date while a process lives: elected, watching, looking again."""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from keepgate.pages.indexing import Indexing
from keepgate.pages.locks import INDEXING, lock_of
from keepgate.pages.roots import Root
from keepgate.pages.scan import is_of_interest
from keepgate.pages.watch import Watched, Watcher
from keepgate.protocol.errors import Fault

TAKE_OVER_S: Final = 2.0
"""How often a process that was not elected looks whether the one that was is gone."""
HEARTBEAT_S: Final = 2.0
"""How often a root is looked at as a whole: whether it is there, and is the folder that is watched."""
QUIET_S: Final = 0.1
GATHERED_S: Final = 1.0
"""Changes are gathered until it was quiet for the first time, and for the second at most."""
DIRTY_MAX: Final = 200
"""After more changes than this, everything is looked at."""
RESCAN_S: Final = 60.0
RESCAN_SHARE: Final = 300
"""Everything is looked at again after a minute, or after 300 times as long as that takes."""
UNWATCHED_S: Final = 5.0
AGAIN_S: Final = 1.0

_log: Final = logging.getLogger(__name__)
_Identity = tuple[int, int] | None


def election(folder: str, root: Root) -> FileLock:
    """The lock of whoever indexes a root. The system drops it when its process is gone."""
    return lock_of(folder, INDEXING, root.home, root.folder)


def is_elected(lock: FileLock) -> bool:
    """Whether this process has the lock now."""
    try:
        Path(lock.lock_file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        return False
    return True


class Keeper:
    """Serves one root, in a task of its own, until it is cancelled."""

    def __init__(
        self, root: Root, indexing: Indexing, watcher: Callable[[], Watcher], lock_folder: str
    ) -> None:
        self.root: Final = root
        self._indexing = indexing
        self._watcher = watcher
        self._lock_folder = lock_folder
        self._dirty: dict[str, None] = {}
        self._woken = asyncio.Event()
        self._watched: Watched | None = None
        self._watched_as: _Identity = None
        self._everything_at = 0.0
        self.is_elected = False

    def changed(self, path: str) -> None:
        """Something at an absolute path changed, below the root or not."""
        if not self.is_elected:
            return
        if path == self.root.folder:
            self._everything_at = 0.0
            self._woken.set()
            return
        prefix = os.path.join(self.root.folder, "")  # noqa: PTH118 - of a string
        below = path[len(prefix) :].replace(os.sep, "/") if path.startswith(prefix) else ""
        if below and is_of_interest(below):
            self._dirty[below] = None
            self._woken.set()

    async def serve(self) -> None:
        """Index and watch the root while this process is the elected one, and wait to be it otherwise."""
        lock = election(self._lock_folder, self.root)
        try:
            while not is_elected(lock):  # noqa: ASYNC110 - the end of another process sets no event
                await asyncio.sleep(TAKE_OVER_S)
            self.is_elected = True
            while True:
                await self._keep_for_once()
        finally:
            self.is_elected = False
            lock.release()

    async def end(self) -> None:
        """End the watch."""
        await self._watch_nothing()

    async def _keep_for_once(self) -> None:
        try:
            await self._see_that_it_is_watched()
            if self._is_time_for_everything():
                await self._look_at_everything()
            elif self._dirty:
                await self._look_at_changes()
        except Fault as fault:
            # A busy or full store; nothing is lost, for everything is looked at again.
            _log.info("pages are indexed later: %s", fault.code)
            self._everything_at = 0.0
            await asyncio.sleep(AGAIN_S)
            return
        if not self._dirty:
            await self._wait(HEARTBEAT_S)
        if self._dirty:
            await self._gather()

    async def _see_that_it_is_watched(self) -> None:
        now = _identity(self.root.folder)
        if now == self._watched_as:
            return
        # Another folder than before, or none: of what went on in it meanwhile nothing is known.
        self._everything_at = 0.0
        await self._watch_nothing()
        if now is not None:
            begin = partial(self._watcher().watch, self.root.folder, self.changed)
            self._watched = await self._indexing.in_lane(begin)
        self._watched_as = now

    async def _watch_nothing(self) -> None:
        watched, self._watched = self._watched, None
        if watched is not None:
            await self._indexing.in_lane(partial(self._watcher().unwatch, watched))

    def _is_time_for_everything(self) -> bool:
        return len(self._dirty) > DIRTY_MAX or time.monotonic() >= self._everything_at

    async def _look_at_everything(self) -> None:
        self._dirty.clear()
        begun = time.monotonic()
        await self._indexing.bring_up(self.root)
        ended = time.monotonic()
        usual = RESCAN_S if self._watched is not None or self._watched_as is None else UNWATCHED_S
        self._everything_at = ended + max(usual, RESCAN_SHARE * (ended - begun))

    async def _look_at_changes(self) -> None:
        below = tuple(self._dirty)
        self._dirty.clear()
        try:
            await self._indexing.bring_up(self.root, below)
        except BaseException:
            self._dirty.update(dict.fromkeys(below))
            raise

    async def _gather(self) -> None:
        until = time.monotonic() + GATHERED_S
        count = -1
        while count != len(self._dirty) and time.monotonic() < until:
            count = len(self._dirty)
            await asyncio.sleep(QUIET_S)

    async def _wait(self, seconds: float) -> None:
        self._woken.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()


def _identity(folder: str) -> _Identity:
    try:
        found = os.stat(folder)  # noqa: PTH116 - every two seconds, of every root
    except OSError:
        return None
    return found.st_dev, found.st_ino
