"""Upkeep of derived tables: the search index with what is left in it, and the feed's old end."""

import json
import time
from functools import partial
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.reading.analyse import VERSION, analysed
from keepgate.core.reading.page_terms import chunk_terms, title_terms
from keepgate.store.lane import Lane
from keepgate.store.rows import Row

TOUCH: Final = "UPDATE derived SET value = value WHERE key = 'analysis_version'"
"""A write that changes nothing, to see whether writing works."""

BATCH: Final = 200
"""Entries or facts per transaction: the write lock is never held for longer than about 50 ms."""
PARTS: Final = 40
"""The same for parts of pages, which are longer."""

FEED_KEPT_MS: Final = 7 * 24 * 3600 * 1000
"""A process that slept for longer than this reads the store anew."""

_PRUNE: Final = "DELETE FROM feed WHERE ts < ? AND seq IN (SELECT seq FROM feed ORDER BY seq LIMIT ?)"
_ANALYSED_AS: Final = "SELECT value FROM derived WHERE key = 'analysis_version'"
_CLAIM: Final = "UPDATE derived SET value = ? WHERE key = 'analysis_version'"


@frozen(kw_only=True)
class Index:
    """The statements of one search index: of its own table, and of the one whose texts it holds."""

    empty: str
    following: str
    unindex: str
    index: str
    merge: str


# In a merge a negative number: all that the index has is merged in the end, not only what there is much of.
ENTRIES: Final = Index(
    empty="INSERT INTO search (search) VALUES ('delete-all')",
    following="SELECT row, text FROM entries WHERE row > ? ORDER BY row LIMIT ?",
    unindex="DELETE FROM search WHERE rowid = ?",
    index="INSERT INTO search (rowid, text) VALUES (?, ?)",
    merge="INSERT INTO search (search, rank) VALUES ('merge', ?)",
)
FACTS: Final = Index(
    empty="INSERT INTO fact_search (fact_search) VALUES ('delete-all')",
    following="SELECT id, text || ' ' || coalesce(entity, '') FROM facts "
    "WHERE id > ? AND expired_at IS NULL ORDER BY id LIMIT ?",
    unindex="DELETE FROM fact_search WHERE rowid = ?",
    index="INSERT INTO fact_search (rowid, text) VALUES (?, ?)",
    merge="INSERT INTO fact_search (fact_search, rank) VALUES ('merge', ?)",
)

_EMPTY_PAGES: Final = "INSERT INTO page_search (page_search) VALUES ('delete-all')"
_PAGE_PARTS: Final = """
SELECT c.row, c.heading, c.text, p.title, p.tags,
  (SELECT json_group_array(a.alias) FROM page_aliases AS a WHERE a.page = p.row)
FROM page_chunks AS c JOIN pages AS p ON p.row = c.page
WHERE c.row > ? ORDER BY c.row LIMIT ?
"""
_UNINDEX_PAGE: Final = "DELETE FROM page_search WHERE rowid = ?"
_INDEX_PAGE: Final = "INSERT INTO page_search (rowid, title, text) VALUES (?, ?, ?)"

FORGET_PAGES: Final = 64
"""Index pages per transaction: the write lock is never held for longer than about 10 ms."""

_LEFT_BEHIND: Final = """
INSERT INTO derived (key, value) VALUES ('index_leftovers', '1') ON CONFLICT (key) DO NOTHING
"""
_IS_LEFT_BEHIND: Final = "SELECT 1 FROM derived WHERE key = 'index_leftovers'"
_NOTHING_LEFT: Final = "DELETE FROM derived WHERE key = 'index_leftovers'"
_MERGED_NOTHING: Final = 2
"""A merge that found nothing to do changes fewer rows than this."""


def index(db: apsw.Connection, row: int, text: str, of: Index = ENTRIES) -> None:
    """Make an entry's or a fact's text searchable; inside a transaction."""
    db.execute(of.index, (row, analysed(text)))


def unindex(db: apsw.Connection, row: int, of: Index = ENTRIES) -> None:
    """Have an entry or a fact found no more; inside a transaction.

    Its words go for good with :func:`forget_step`.
    """
    db.execute(of.unindex, (row,))
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
    for of in (ENTRIES, FACTS):
        before = db.total_changes()
        db.execute(of.merge, (-FORGET_PAGES,))
        if db.total_changes() - before >= _MERGED_NOTHING:
            return True
    db.execute(_NOTHING_LEFT)
    return False


def renew_index(lane: Lane, db: apsw.Connection) -> None:
    """Rebuild the indexes if another analysis made them; all is searchable again as it goes."""
    if db.execute(_ANALYSED_AS).get == str(VERSION):
        return
    for of in (ENTRIES, FACTS):
        lane.transact(db, partial(_empty, of=of))
        row = 0
        while batch := lane.transact(db, partial(_index_batch, of=of, after=row)):
            row = batch
    lane.transact(db, lambda db: db.execute(_EMPTY_PAGES).fetchall())
    row = 0
    while batch := lane.transact(db, partial(_page_batch, after=row)):
        row = batch
    # Only now: a process that dies on the way leaves the rest to the next one.
    lane.transact(db, lambda db: db.execute(_CLAIM, (str(VERSION),)).fetchall())


def rebuild_indexes(db: apsw.Connection) -> None:
    """Make all indexes anew inside the caller's transaction, so that no word of what went is left in them."""
    for of in (ENTRIES, FACTS):
        _empty(db, of)
        row: int | None = 0
        while row is not None:
            row = _index_batch(db, of, row)
    db.execute(_EMPTY_PAGES).fetchall()
    row = 0
    while row is not None:
        row = _page_batch(db, row)


def _page_batch(db: apsw.Connection, after: int) -> int | None:
    """Analyse the next parts of pages, as the reading of their files does."""
    rows: list[Row] = db.execute(_PAGE_PARTS, (after, PARTS)).fetchall()
    for row, heading, text, title, tags, aliases in rows:
        names = title_terms(title, json.loads(aliases), json.loads(tags))
        db.execute(_UNINDEX_PAGE, (row,))
        db.execute(_INDEX_PAGE, (row, names, chunk_terms(heading, text)))
    return rows[-1][0] if rows else None


def prune_feed(lane: Lane, db: apsw.Connection, now_ms: int) -> None:
    """Delete feed rows older than seven days, a batch per transaction."""
    while lane.transact(db, lambda db: _prune_batch(db, now_ms - FEED_KEPT_MS)):
        continue


def _prune_batch(db: apsw.Connection, before_ms: int) -> int:
    db.execute(_PRUNE, (before_ms, BATCH))
    return db.changes()


def _empty(db: apsw.Connection, of: Index) -> None:
    db.execute(of.empty).fetchall()


def _index_batch(db: apsw.Connection, of: Index, after: int) -> int | None:
    rows: list[Row] = db.execute(of.following, (after, BATCH)).fetchall()
    for row, text in rows:
        db.execute(of.unindex, (row,))
        index(db, row, text, of)
    return rows[-1][0] if rows else None
