"""Upkeep of derived tables: the search index after a new analysis, and the feed's old end."""

from functools import partial
from typing import Final

import apsw

from keepgate.core.reading.analyse import VERSION, analysed
from keepgate.store.lane import Lane
from keepgate.store.rows import Row

TOUCH: Final = "UPDATE derived SET value = value WHERE key = 'analysis_version'"
"""A write that changes nothing, to see whether writing works."""

BATCH: Final = 200
"""Entries per transaction: the write lock is never held for longer than about 50 ms."""

FEED_KEPT_MS: Final = 7 * 24 * 3600 * 1000
"""A process that slept for longer than this reads the store anew."""

_PRUNE: Final = "DELETE FROM feed WHERE ts < ? AND seq IN (SELECT seq FROM feed ORDER BY seq LIMIT ?)"
_ANALYSED_AS: Final = "SELECT value FROM derived WHERE key = 'analysis_version'"
_CLAIM: Final = "UPDATE derived SET value = ? WHERE key = 'analysis_version'"
_EMPTY: Final = "INSERT INTO search (search) VALUES ('delete-all')"
_NEXT: Final = "SELECT row, text FROM entries WHERE row > ? ORDER BY row LIMIT ?"
_UNINDEX: Final = "DELETE FROM search WHERE rowid = ?"
_INDEX: Final = "INSERT INTO search (rowid, text) VALUES (?, ?)"


def renew_index(lane: Lane, db: apsw.Connection) -> None:
    """Rebuild the search index if another analysis made it; entries are searchable again as it goes."""
    if db.execute(_ANALYSED_AS).get == str(VERSION):
        return
    lane.transact(db, lambda db: db.execute(_EMPTY).fetchall())
    row = 0
    while batch := lane.transact(db, partial(_index_batch, after=row)):
        row = batch
    # Only now: a process that dies on the way leaves the rest to the next one.
    lane.transact(db, lambda db: db.execute(_CLAIM, (str(VERSION),)).fetchall())


def prune_feed(lane: Lane, db: apsw.Connection, now_ms: int) -> None:
    """Delete feed rows older than seven days, a batch per transaction."""
    while lane.transact(db, lambda db: _prune_batch(db, now_ms - FEED_KEPT_MS)):
        continue


def _prune_batch(db: apsw.Connection, before_ms: int) -> int:
    db.execute(_PRUNE, (before_ms, BATCH))
    return db.changes()


def _index_batch(db: apsw.Connection, after: int) -> int | None:
    rows: list[Row] = db.execute(_NEXT, (after, BATCH)).fetchall()
    for row, text in rows:
        db.execute(_UNINDEX, (row,))
        db.execute(_INDEX, (row, analysed(text)))
    return rows[-1][0] if rows else None
