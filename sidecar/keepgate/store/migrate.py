"""Creating a store and bringing an older one up to date, each step in one exclusive transaction."""

import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

import apsw
from filelock import FileLock, Timeout

from keepgate.core.model.stamp import Stamp
from keepgate.core.reading.analyse import VERSION as ANALYSIS_VERSION
from keepgate.store import faults
from keepgate.store.connection import WAIT_MS
from keepgate.store.copying import copy_to_file, written_time

APPLICATION_ID: Final = 0x6B676174
"""``kgat``, in the header of every store."""

Step = Callable[[apsw.Connection], None]

QUICK_CHECK_BYTES_MAX: Final = 64 * 1024 * 1024
"""Larger files are not checked page by page at opening, whatever happened to them: it would be noticed."""


def _sql(name: str) -> Step:
    def step(db: apsw.Connection) -> None:
        db.execute(files("keepgate.store.schema").joinpath(name).read_text("utf-8"))

    return step


STEPS: Final[Sequence[Step]] = (_sql("0001.sql"), _sql("0002.sql"))
"""Step ``n`` makes version ``n`` from version ``n - 1``; a released step never changes."""

VERSION: Final = len(STEPS)
"""The store version that this keepgate writes."""

TABLES: Final = frozenset({
    "meta", "ledger", "entries", "proposals", "usage", "recall", "search", "derived", "feed",
    "facts", "page_writes", "fact_search", "pages", "page_aliases", "page_links", "page_timeline",
    "page_chunks", "page_search", "page_retrievals", "page_problems", "page_roots", "cursors",
})  # fmt: skip


def prepare(
    db: apsw.Connection,
    path: str,
    stamp: Stamp,
    *,
    locks: str,
    writable: bool,
    check_pages: bool,
) -> None:
    """Make an open file a store of the newest version, or say why it cannot be one. Foreign files stay.

    ``locks`` is the folder for the lock that lets one process upgrade at a time; ``check_pages`` says that
    nobody vouches for the file. Raises ``STORE_CORRUPT``,
    ``STORE_UNSUPPORTED_VERSION``, and ``STORE_READ_ONLY`` when the file must be written and cannot be.
    """
    if is_new(db):
        if not writable:
            raise faults.read_only(path, "there is no store yet, and none can be made here")
        _create(db, stamp)
    found = require_ours(db, path)
    if found < len(STEPS):
        if not writable:
            raise faults.read_only(path, f"the store has version {found} and cannot be brought up to date")
        _upgrade(db, path, stamp, locks)
    _require_tables(db, path)
    if check_pages and Path(path).stat().st_size < QUICK_CHECK_BYTES_MAX:
        _require_sound_pages(db, path)


def is_new(db: apsw.Connection) -> bool:
    """Whether the file holds nothing yet: zero bytes, or an empty database that nobody has marked."""
    return (_pragma(db, "application_id"), _pragma(db, "user_version")) == (0, 0) and not db.execute(
        "SELECT count(*) FROM sqlite_schema"
    ).get


def _create(db: apsw.Connection, stamp: Stamp) -> None:
    db.execute("BEGIN EXCLUSIVE")
    try:
        # Another process may have been first while this one waited for the lock.
        if is_new(db):
            for step in STEPS:
                step(db)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(STEPS)}")
            facts = {"store_id": stamp.new_id(), "created": str(stamp.now_ms)}
            db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", facts.items())
            db.execute(
                "INSERT INTO derived (key, value) VALUES ('analysis_version', ?)", (str(ANALYSIS_VERSION),)
            )
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def require_ours(db: apsw.Connection, path: str) -> int:
    """The version of a keepgate store. Raises ``STORE_CORRUPT`` and ``STORE_UNSUPPORTED_VERSION``."""
    if _pragma(db, "application_id") != APPLICATION_ID:
        raise faults.corrupt(path, "it belongs to another application")
    found = _pragma(db, "user_version")
    if found > len(STEPS):
        raise faults.unsupported(path, found, len(STEPS))
    if found < 1:
        raise faults.corrupt(path, f"its version is {found}")
    return found


def _upgrade(db: apsw.Connection, path: str, stamp: Stamp, locks: str) -> None:
    name = hashlib.sha256(path.encode()).hexdigest()[:16]
    try:
        Path(locks).mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(Path(locks) / f"upgrade-{name}.lock", timeout=WAIT_MS / 1000, mode=0o600):
            # Another process may have done it while this one waited for the lock.
            if require_ours(db, path) < len(STEPS):
                copy_to_file(db, f"{path}.before-v{len(STEPS)}-{written_time(stamp.now_ms)}")
                step_up(db, path)
    except Timeout:
        raise faults.busy(WAIT_MS) from None
    except OSError as error:
        raise faults.of_system(error, path) from error


def step_up(db: apsw.Connection, path: str) -> None:
    """Take the missing steps, without a copy of what was there before: for a file that is a copy itself."""
    for version in range(require_ours(db, path) + 1, len(STEPS) + 1):
        _take_step(db, version, STEPS[version - 1])


def _take_step(db: apsw.Connection, version: int, step: Step) -> None:
    db.execute("BEGIN EXCLUSIVE")
    try:
        if _pragma(db, "user_version") == version - 1:
            step(db)
            db.execute(f"PRAGMA user_version = {version}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _require_tables(db: apsw.Connection, path: str) -> None:
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if missing := sorted(TABLES - names):
        raise faults.corrupt(path, f"tables are missing: {', '.join(missing)}")


def _require_sound_pages(db: apsw.Connection, path: str) -> None:
    found = db.execute("PRAGMA quick_check(1)").get
    if found != "ok":
        raise faults.corrupt(path, str(found))


def _pragma(db: apsw.Connection, name: str) -> int:
    value: int = db.execute(f"PRAGMA {name}").get
    return value
