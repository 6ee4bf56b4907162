"""Upkeep of derived tables: the search index with what is left in it, and the feed's old end."""

import time
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

FORGET_PAGES: Final = 64
"""Index pages per transaction: the write lock is never held for longer than about 10 ms."""

_LEFT_BEHIND: Final = """
INSERT INTO derived (key, value) VALUES ('index_leftovers', '1') ON CONFLICT (key) DO NOTHING
"""
_IS_LEFT_BEHIND: Final = "SELECT 1 FROM derived WHERE key = 'index_leftovers'"
_NOTHING_LEFT: Final = "DELETE FROM derived WHERE key = 'index_leftovers'"
# A negative number: all that the index has is merged in the end, not only what there is much of.
_MERGE: Final = "INSERT INTO search (search, rank) VALUES ('merge', ?)"
_MERGED_NOTHING: Final = 2
"""A merge that found nothing to do changes fewer rows than this."""


def index(db: apsw.Connection, row: int, text: str) -> None:
    """Make an entry's text searchable; inside a transaction."""
    db.execute(_INDEX, (row, analysed(text)))


def unindex(db: apsw.Connection, row: int) -> None:
    """Have an entry found no more; inside a transaction. Its words go for good with :func:`forget_step`."""
    db.execute(_UNINDEX, (row,))
    db.execute(_LEFT_BEHIND)


def forget_step(lane: Lane, db: apsw.Connection) -> bool:
    """Take words of removed texts out of the index, some pages at a time; whether there is more to do.

    The index only marks what is removed; its words stay in its pages until these are merged.
    """
    if db.execute(_IS_LEFT_BEHIND).fetchone() is None:
        return False
    return lane.transact(db, _forget_some)


def forget_for(lane: Lane, db: apsw.Connection, seconds: float) -> None:
    """Do as :func:`forget_step` does, for so long at most; what is left is left to the next process."""
    end = time.monotonic() + seconds
    while forget_step(lane, db) and time.monotonic() < end:
        continue


def _forget_some(db: apsw.Connection) -> bool:
    before = db.total_changes()
    db.execute(_MERGE, (-FORGET_PAGES,))
    if db.total_changes() - before >= _MERGED_NOTHING:
        return True
    db.execute(_NOTHING_LEFT)
    return False


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
        index(db, row, text)
    return rows[-1][0] if rows else None
