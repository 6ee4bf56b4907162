"""From a path to a usable file: folder, permissions, journal, version. Foreign files are never touched."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw
from attrs import define, field, frozen

from keepgate.core.model.stamp import Stamp
from keepgate.store import faults, migrate
from keepgate.store.clean import needs_check
from keepgate.store.connection import Patience, connect
from keepgate.store.filesystem import FileSystem
from keepgate.store.lane import Connect

BRIEF_MS: Final = 100
"""How long to wait for something that is not needed."""

_STORE_ID: Final = "SELECT value FROM meta WHERE key = 'store_id'"
_ANALYSIS: Final = "SELECT value FROM derived WHERE key = 'analysis_version'"


@frozen(kw_only=True)
class Reached:
    """How a file was opened; ``immutable`` when SQLite could not even read a log beside it."""

    patience: Patience
    read_only: bool
    immutable: bool = False


@frozen(kw_only=True)
class Facts:
    """What is known of an open file."""

    store_id: str
    version: int
    journal_mode: str
    analysis: str


def reach(path: str, patience: Patience, *, read_only: bool) -> tuple[apsw.Connection, Reached]:
    """Open the file, making it and its folder where they are missing (0600, 0700).

    Raises ``STORE_READ_ONLY`` when there is nothing and nothing can be made, ``STORE_FULL``,
    ``STORE_CORRUPT`` for a folder in the file's place, and SQLite's errors.
    """
    file = Path(path)
    if file.is_dir():
        raise faults.corrupt(path, "it is a folder")
    if not file.exists():
        if read_only:
            raise faults.read_only(path, "there is no store there")
        _make(file)
    writable = not read_only and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    if writable:
        _tighten(file)
        return connect(path, patience, synchronous="FULL"), Reached(patience=patience, read_only=False)
    try:
        return connect(path, patience, read_only=True), Reached(patience=patience, read_only=True)
    except apsw.CantOpenError:
        log = Path(f"{path}-wal")
        if log.exists() and log.stat().st_size:
            raise faults.read_only(path, "its log can only be read where it can be written") from None
        # A log cannot be begun beside the file, and none is there: the file alone is the whole store.
        db = connect(path, patience, immutable=True)
        return db, Reached(patience=patience, read_only=True, immutable=True)


@define(kw_only=True)
class Opening:
    """One store on its way from a path to open connections. ``where`` is the file system it lies on."""

    path: str
    state_folder: str
    where: FileSystem
    read_only: bool
    _check_pages: bool = False
    _reached: Reached = field(init=False)

    @property
    def reached(self) -> Reached:
        """How the file was opened, once it is."""
        return self._reached

    def reach(self, patience: Patience) -> apsw.Connection:
        """Open the first connection. Raises what :func:`reach` raises."""
        self._check_pages = needs_check(self.state_folder, self.path)
        db, self._reached = reach(self.path, patience, read_only=self.read_only)
        return db

    def settle(self, db: apsw.Connection, stamp: Stamp) -> Facts:
        """Give the file its journal and its newest version. Raises the faults of :func:`migrate.prepare`."""
        state, path, reached = Path(self.state_folder), self.path, self._reached
        with suppress(OSError):
            # Only a write needs it, and only then does it matter that it cannot be made.
            state.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = migrate.is_new(db)
        if not new:
            migrate.require_ours(db, path)
        if not reached.read_only:
            # A store that others keep open in another mode stays in it, unless a log would be wrong here.
            needed = new or not self.where.local
            patience = reached.patience if needed else Patience(BRIEF_MS)
            _set_journal(db, "wal" if self.where.local else "delete", patience, needed=needed)
            db.set_busy_handler(reached.patience)
        migrate.prepare(
            db,
            path,
            stamp,
            locks=str(state / "locks"),
            writable=not reached.read_only,
            check_pages=self._check_pages,
        )
        return Facts(
            store_id=db.execute(_STORE_ID).get,
            version=db.execute("PRAGMA user_version").get,
            journal_mode=db.execute("PRAGMA journal_mode").get,
            analysis=db.execute(_ANALYSIS).get,
        )

    def through(self, door: Callable[[apsw.Connection], apsw.Connection], *, wal: bool) -> Connect:
        """How a lane opens a further connection, behind ``door``."""

        def open_door(patience: Patience) -> apsw.Connection:
            db = connect(
                self.path,
                patience,
                read_only=self._reached.read_only,
                immutable=self._reached.immutable,
                # Without a log, anything less than a full sync may tear the file in a power cut.
                synchronous="NORMAL" if wal else "FULL",
            )
            return door(db)

        return open_door


def _make(file: Path) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made here and not by SQLite, for the mode; and closed before SQLite opens it, because closing it
        # later would drop SQLite's locks.
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        # Another process was first, or a file stands where the folder should be; opening it will tell.
        return
    except OSError as error:
        raise faults.of_system(error, str(file)) from error


def _tighten(file: Path) -> None:
    if sys.platform == "win32":  # pragma: no cover - access control lists of the user's profile do it there
        return
    for item in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
        with suppress(OSError):
            found = item.stat()
            if found.st_uid == os.geteuid() and found.st_mode & 0o077:
                item.chmod(0o600)


def _set_journal(db: apsw.Connection, wanted: str, patience: Patience, *, needed: bool) -> None:
    """Switch the journal; one that is not to be had in time is left as it is unless it is ``needed``.

    SQLite may answer "busy" at once here, without asking the busy handler.
    """
    db.set_busy_handler(patience)
    until = time.monotonic() + patience.limit_ms / 1000
    while db.execute("PRAGMA journal_mode").get != wanted:
        try:
            db.execute(f"PRAGMA journal_mode = {wanted}").fetchall()
        except apsw.BusyError:
            if time.monotonic() > until:
                if needed:
                    raise
                return
            time.sleep(0.002)
