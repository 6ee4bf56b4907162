"""Connections: the settings every one has, and how long it waits for a lock."""

import random
import sys
import time
from pathlib import Path
from typing import Final

import apsw

from keepgate.store.syncing import needs_full_sync

WAIT_MS: Final = 5_000
"""How long a write waits for another process before it is ``STORE_BUSY``."""

_WAL_LIMIT_BYTES: Final = 8 * 1024 * 1024


Connection = apsw.Connection
"""What functions of the store work on; the name under which other layers know it."""


class Patience:
    """SQLite's busy handler: naps of 1 to 5 ms until ``limit_ms`` have passed.

    SQLite's own back-off grows to 100 ms and starves whoever waited longest. ``already_ms`` is what its
    caller waited before, and counts; ``waited_ms`` is how long the last wait took in all; :meth:`give_up`
    ends the running wait and every later one.
    """

    def __init__(self, limit_ms: int = WAIT_MS) -> None:
        self.limit_ms = limit_ms
        self.already_ms = 0
        self.waited_ms = 0
        self._since = 0.0
        self._gave_up = False

    def __call__(self, calls: int) -> bool:
        """Nap and say whether to try once more; SQLite counts the calls of one wait from 0."""
        now = time.monotonic()
        if calls == 0:
            self._since = now
        self.waited_ms = self.already_ms + round((now - self._since) * 1000)
        if self._gave_up or self.waited_ms >= self.limit_ms:
            return False
        time.sleep(random.uniform(0.001, 0.005))  # noqa: S311 - spreads the waiters, keeps no secret
        return True

    def give_up(self) -> None:
        """Wait no longer: the store is being closed."""
        self._gave_up = True


def connect(
    path: str,
    patience: Patience,
    *,
    read_only: bool = False,
    immutable: bool = False,
    synchronous: str = "NORMAL",
) -> apsw.Connection:
    """Open an existing file; ``immutable`` is for one that nobody can write, in a folder nobody can write."""
    flags = apsw.SQLITE_OPEN_READONLY if read_only or immutable else apsw.SQLITE_OPEN_READWRITE
    name = path
    if immutable:
        name, flags = f"{Path(path).absolute().as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    db = apsw.Connection(name, flags=flags)
    try:
        # First of all, so that nothing below can fail for a lock that is free a moment later.
        db.set_busy_handler(patience)
        _set_up(db, synchronous)
    except BaseException:
        db.close()
        raise
    return db


def _set_up(db: apsw.Connection, synchronous: str) -> None:
    for option, value in (
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1),
        # Plans look at no bound value: else many statements are prepared anew for every run of them.
        (apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1),
    ):
        db.config(option, value)
    # A conflict-replacing insert fires delete triggers only with this.
    db.execute("PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY")
    db.execute(f"PRAGMA synchronous = {synchronous}; PRAGMA journal_size_limit = {_WAL_LIMIT_BYTES}")
    if synchronous == "FULL" and needs_full_sync(sys.platform):  # pragma: no cover - another platform
        db.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    # Whoever writes takes the lock at once, so that what it read cannot be overtaken.
    db.transaction_mode = "IMMEDIATE"
