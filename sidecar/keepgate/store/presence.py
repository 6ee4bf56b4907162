"""Presence: a locked file says that a process lives. The system drops the lock when the process goes."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout


class Presence:
    """Holds ``<folder>/<token>.lock`` for the life of this process, or until :meth:`release`.

    Where the folder takes no files, as on a read-only home, the token is held by nothing: others see the
    process as gone.
    """

    def __init__(self, folder: str) -> None:
        self._folder: Final = Path(folder)
        self.token: str = ""
        self._lock: FileLock | None = None
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep()
            while self._lock is None:
                self._lock = self._take()
        self.token = self.token or secrets.token_hex(16)

    def alive(self, token: str) -> bool:
        """Whether the process that holds ``token`` lives. It does also while it is stopped."""
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

    def _take(self) -> FileLock | None:
        token = secrets.token_hex(16)
        path = self._path(token)
        lock = FileLock(path, mode=0o600, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return None
        # Another process's sweep may have removed the file between its making and its locking.
        if not path.exists() or os.fstat(lock._context.lock_file_fd).st_ino != path.stat().st_ino:
            lock.release()
            return None
        self.token = token
        return lock

    def _sweep(self) -> None:
        for path in self._folder.glob("*.lock"):
            _clear(path)

    def _path(self, token: str) -> Path:
        return self._folder / f"{token}.lock"


def _clear(path: Path) -> bool:
    """Remove the file of a process that is gone; ``False`` when it is held."""
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        with lock.acquire(blocking=False), suppress(OSError):
            path.unlink(missing_ok=True)
    except (Timeout, OSError):
        return False
    return True
