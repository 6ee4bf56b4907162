"""Backup and restore: a lossless pair, equal in content hash after a round trip."""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.writing.ledger import Decision, Row
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.store import faults, migrate, opening
from keepgate.store.anchor import REPLACED, advance_anchor, read_anchor
from keepgate.store.appending import RESTORED, Appender
from keepgate.store.backups import note_backup
from keepgate.store.connection import Patience, connect
from keepgate.store.contents import content_hash, counts_of
from keepgate.store.copying import copy_pages, copy_to_file, reading, written_time
from keepgate.store.facts import next_fact_id, skip_fact_ids
from keepgate.store.longwork import run_long
from keepgate.store.open import Store
from keepgate.store.stopping import Cancelled, Progress, silent
from keepgate.store.verify import verify

_ROOM: Final = 10_000
"""How far a restored feed and its facts' ids jump ahead: further than others can commit while it is put back,
and than a store that can no longer be read is likely to have got.
"""

_STORE_ID: Final = "SELECT value FROM meta WHERE key = 'store_id'"
_FEED_HEAD: Final = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'feed'), 0)"


@frozen(kw_only=True)
class BackupResult:
    """A verified copy; ``content_hash`` covers entries, facts, proposals, page writes and ledger."""

    path: str
    size_bytes: int
    entries: int
    ledger_rows: int
    content_hash: str


@frozen(kw_only=True)
class RestoreResult:
    """A restored store; ``kept`` is what was there before, ``None`` when there was nothing."""

    path: str
    source: str
    kept: str | None
    entries: int
    ledger_rows: int
    content_hash: str


async def backup(store: Store, target_path: str, *, progress: Progress = silent) -> BackupResult:
    """Copy the whole store to a new file (0600) while others go on writing; whole or not at all.

    ``progress`` counts pages. Raises ``INVALID_INPUT`` when something is at the path already, and the
    faults of a place that cannot be written.
    """

    def work(db: apsw.Connection, tell: Progress, cancelled: Cancelled) -> BackupResult:
        copy_to_file(db, target_path, progress=tell, cancelled=cancelled)
        copied = connect(target_path, Patience(), read_only=True)
        try:
            entries, rows = counts_of(copied)
            found = content_hash(copied)
        finally:
            copied.close()
        note_backup(store.state_folder, str(Path(target_path).absolute()))
        return BackupResult(
            path=target_path,
            size_bytes=Path(target_path).stat().st_size,
            entries=entries,
            ledger_rows=rows,
            content_hash=found,
        )

    try:
        return await run_long(store, work, connect=store.connect_reading, progress=progress)
    except FileExistsError:
        raise invalid_input(Problem("$.path", "something is there already")) from None
    except OSError as error:
        raise faults.of_system(error, target_path) from error


async def restore(store: Store, source_path: str, *, progress: Progress = silent) -> RestoreResult:
    """Put a backup in the place of the store's content; other processes that have it open see it at once.

    The source is checked whole before anything changes, and a copy of the present store is kept beside it.
    The ledger notes it, and the anchor begins anew. Raises ``INVALID_INPUT`` for a source that is not there
    or is the store itself, ``STORE_CORRUPT`` and ``STORE_UNSUPPORTED_VERSION`` for one that is of no use.
    """
    require_source(store.path, source_path)
    draft = f"{store.path}.{secrets.token_hex(8)}.part"

    def work(db: apsw.Connection, tell: Progress, cancelled: Cancelled) -> RestoreResult:
        try:
            return _restore(store, db, source_path, draft, tell, cancelled)
        finally:
            with suppress(OSError):
                Path(draft).unlink()

    def connect_live(patience: Patience) -> apsw.Connection:
        return connect(store.path, patience, read_only=store.read_only, synchronous="FULL")

    try:
        return await run_long(store, work, connect=connect_live, progress=progress)
    except OSError as error:
        raise faults.of_system(error, store.path) from error


def require_source(path: str, source_path: str) -> None:
    """Raise ``INVALID_INPUT`` for a source that is no file, or is the store itself."""
    source = Path(source_path)
    if not source.is_file() or (Path(path).exists() and source.samefile(path)):
        raise invalid_input(Problem("$.path", "must be a backup file other than the store"))


def _restore(
    store: Store,
    live: apsw.Connection,
    source_path: str,
    draft: str,
    progress: Progress,
    cancelled: Cancelled,
) -> RestoreResult:
    stamp = store.stamp_maker()
    take_in(source_path, draft, cancelled)
    incoming = connect(draft, Patience(), synchronous="FULL")
    try:
        appender = Appender(incoming, store.key(), stamp, store.origin)
        found = adopt(
            incoming,
            appender,
            source_path,
            store.anchors,
            store_id=store.id,
            feed_head=live.execute(_FEED_HEAD).get,
            fact_head=next_fact_id(live) - 1,
        )
        kept = f"{store.path}.before-restore-{written_time(stamp.now_ms)}"
        copy_to_file(live, kept, cancelled=cancelled)
        # One transaction of the store: its content is the old one, or the new one with its note.
        copy_pages(incoming, live, progress, cancelled)
        entries, rows = counts_of(incoming)
    finally:
        incoming.close()
    advance_anchor(live, store.anchors, renew=True)
    store.announce()
    return RestoreResult(
        path=store.path, source=source_path, kept=kept, entries=entries, ledger_rows=rows, content_hash=found
    )


def adopt(
    incoming: apsw.Connection,
    appender: Appender,
    source_path: str,
    anchors: str,
    *,
    store_id: str | None = None,
    feed_head: int | None = None,
    fact_head: int | None = None,
) -> str:
    """Make a copy of a backup the store whose place it is to take, in one transaction; its content hash.

    It gets that store's id, where that is known, a feed that goes on after everything others have seen, ids
    for new facts that no fact had, and a ``restored`` note that names the anchor of the ledger that it
    replaces.
    """
    found = content_hash(incoming)
    payload = {"text": f"restored from {source_path}", "contentHash": found}
    with incoming:
        if store_id is not None:
            incoming.execute("UPDATE meta SET value = ? WHERE key = 'store_id'", (store_id,))
        if anchor := read_anchor(anchors, incoming.execute(_STORE_ID).get):
            payload[REPLACED] = anchor.hash
        head = (incoming.execute(_FEED_HEAD).get if feed_head is None else feed_head) + _ROOM
        incoming.execute("DELETE FROM feed; DELETE FROM sqlite_sequence WHERE name = 'feed'")
        incoming.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('feed', ?)", (head,))
        skip_fact_ids(incoming, (next_fact_id(incoming) - 1 if fact_head is None else fact_head) + _ROOM)
        row = Row(
            ts=appender.stamp.now_ms, action="restored", decision=Decision.NOTE, outcome="ok", payload=payload
        )
        appender.feed(RESTORED, ledger_seq=appender.append(row))
    return found


def take_in(source_path: str, draft: str, cancelled: Cancelled) -> None:
    """A copy of the source, checked whole and in the present version; the source is only read."""
    try:
        source, _ = opening.reach(source_path, Patience(), read_only=True)
        try:
            migrate.require_ours(source, source_path)
            copy_to_file(source, draft, cancelled=cancelled)
        finally:
            source.close()
        copied = connect(draft, Patience(), synchronous="FULL")
        try:
            migrate.step_up(copied, source_path)
            _require_whole(copied, source_path, cancelled)
        finally:
            copied.close()
    except apsw.Error as error:
        fault = faults.fault_of(error, source_path)
        raise fault or error from error


def _require_whole(db: apsw.Connection, source_path: str, cancelled: Cancelled) -> None:
    # Its seals may be another installation's, and its anchor is not ours to ask for: the chain must hold.
    with reading(db):
        result = verify(db, key=None, anchor=None, progress=silent, cancelled=cancelled)
    broken = [problem for problem in result.problems if problem.kind not in ("purged", "foreign-key")]
    if broken:
        raise faults.corrupt(source_path, f"{broken[0].kind}: {broken[0].message}")
