"""Presence: a locked file says that a process lives. The system drops the lock when the process goes."""

import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

SWEEP_AGE_S: Final = 60
"""Files younger than this are left alone: their process may not have locked them yet."""

LOOK_S: Final = 1.0
"""Far longer than a look at a presence file takes."""


class Presence:
    """Holds ``<folder>/<token>.lock`` for the life of this process, or until :meth:`release`.

    Where the folder takes no files, as on a read-only home, nothing holds the token, and to other processes
    this one is not there.
    """

    def __init__(self, folder: str) -> None:
        self._folder: Final = Path(folder)
        self.token: Final = secrets.token_hex(16)
        self._lock: FileLock | None = None
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self._path(self.token), mode=0o600, thread_local=False)
            # Others look at it for a moment, to see whether anybody lives.
            lock.acquire(timeout=LOOK_S, poll_interval=LOOK_S / 100)
            self._lock = lock
            self._sweep()

    def alive(self, token: str) -> bool:
        """Whether the process that holds ``token`` lives. One that is stopped lives."""
        if token == self.token:
            return self._lock is not None
        path = self._path(token)
        return path.exists() and not _clear(path)

    def release(self) -> None:
        """Give the token up. May be called twice."""
        if self._lock is None:
            return
        lock, self._lock = self._lock, None
        with suppress(OSError):
            self._path(self.token).unlink(missing_ok=True)
        lock.release()

    def _sweep(self) -> None:
        """Remove what killed processes left behind."""
        before = time.time() - SWEEP_AGE_S
        for path in self._folder.glob("*.lock"):
            with suppress(OSError):
                if path.stat().st_mtime < before:
                    _clear(path)

    def _path(self, token: str) -> Path:
        return self._folder / f"{token}.lock"


def anybody_lives(folder: str) -> bool:
    """Whether any process holds a token in this folder."""
    return any(_held(path) for path in Path(folder).glob("*.lock"))


def _held(path: Path) -> bool:
    # The file stays, whoever it is of: its process may be about to lock it.
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        with lock.acquire(blocking=False):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def _clear(path: Path) -> bool:
    """Remove the file of a process that is gone; ``False`` when it is held."""
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        with lock.acquire(blocking=False), suppress(OSError):
            path.unlink(missing_ok=True)
    except Timeout:
        return False
    return True
