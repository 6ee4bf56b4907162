"""Whole, checked copies of a store file, made with SQLite's backup API."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw

from keepgate.store import faults
from keepgate.store.connection import Patience, connect
from keepgate.store.stopping import Cancelled, Progress, Stopped, never, silent
from keepgate.store.syncing import sync_file, sync_folder

STEP_PAGES: Final = 256

_ORDINARY_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"


def written_time(now_ms: int) -> str:
    """A time for file names: ``20250131T093000.123Z``."""
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    return f"{moment:%Y%m%dT%H%M%S}.{now_ms % 1000:03d}Z"


def copy_to_file(
    db: apsw.Connection,
    target: str,
    *,
    progress: Progress = silent,
    cancelled: Cancelled = never,
) -> str:
    """Write the store's present state to a new file (0600), whole or not at all; returns its content hash.

    The copy is read back and compared before it gets its name. Raises ``FileExistsError`` for a target that
    is there, :class:`~keepgate.store.stopping.Stopped`, and ``STORE_CORRUPT`` for a copy that differs.
    """
    if Path(target).exists():
        raise FileExistsError(target)
    draft = f"{target}.{secrets.token_hex(8)}.part"
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        # One read transaction for copy and hash: other processes' commits neither restart nor change it.
        with reading(db):
            _copy(db, draft, progress, cancelled)
            expected = file_hash(db)
        _require_same(draft, expected)
        sync_file(draft)
        Path(draft).rename(target)
        sync_folder(target)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise
    return expected


def file_hash(db: apsw.Connection) -> str:
    """SHA-256 over every row of every ordinary table, whatever the version."""
    digest = hashlib.sha256()
    for (name,) in db.execute(_ORDINARY_TABLES).fetchall():
        digest.update(str(name).encode())
        for row in db.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 - a name from the file's own schema
            digest.update(repr(row).encode())
    return digest.hexdigest()


def copy_pages(
    source: apsw.Connection, target: apsw.Connection, progress: Progress, cancelled: Cancelled
) -> None:
    """Make ``target`` the same as ``source``, step by step in one transaction of the target."""
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            if cancelled():
                raise Stopped
            copying.step(STEP_PAGES)
            progress(copying.page_count - copying.remaining, copying.page_count)


@contextmanager
def reading(db: apsw.Connection) -> Iterator[None]:
    """One state of the store for everything that is read inside."""
    db.execute("BEGIN DEFERRED")
    try:
        # The state is fixed by the first read, not by BEGIN.
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        yield
    finally:
        db.execute("ROLLBACK")


def _copy(db: apsw.Connection, draft: str, progress: Progress, cancelled: Cancelled) -> None:
    target = connect(draft, Patience(), synchronous="FULL")
    try:
        copy_pages(db, target, progress, cancelled)
        # A copy is one file: without this, opening it would put a log beside it.
        target.execute("PRAGMA journal_mode = DELETE").fetchall()
    finally:
        target.close()


def _require_same(draft: str, expected: str) -> None:
    db = connect(draft, Patience(), read_only=True)
    try:
        if db.execute("PRAGMA quick_check(1)").get != "ok" or file_hash(db) != expected:
            raise faults.corrupt(draft, "the copy differs from the store")
    finally:
        db.close()
