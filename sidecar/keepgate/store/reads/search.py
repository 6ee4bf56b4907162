"""Search of pages and facts by words (VERBS-recall, docs/adr/0020).

Hits come from the index best first, and each is joined to what says who may see it: what is out of sight
takes no place in an answer. A hit's score is compared with the best one in sight.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import apsw
from attrs import evolve, frozen

from keepgate.core.model.fact import Fact, Sight
from keepgate.core.model.slug import alias_key
from keepgate.core.reading.matching import Query, all_of, any_of, quoted
from keepgate.core.reading.rank import evidence_of, is_noise
from keepgate.protocol.verbs import Evidence
from keepgate.store.reads.facts import SEEN, FactFilter, filter_values
from keepgate.store.rows import FACT_COLUMNS, Row, fact_of, json_array

_PAGE_SEEN: Final = (
    "p.home IN (SELECT value FROM json_each(:homes)) AND (:world_only = 0 OR p.visibility = 'world')"
)
_PAGES: Final = f"""
SELECT s.rank, p.row, p.home, p.slug, p.title, c.text, c.row
FROM page_search AS s CROSS JOIN page_chunks AS c ON c.row = s.rowid CROSS JOIN pages AS p ON p.row = c.page
WHERE page_search MATCH :match AND s.rank MATCH 'bm25(3.0, 1.0)' AND {_PAGE_SEEN}
ORDER BY s.rank
"""  # noqa: S608 - constants of this file
_ALIASED: Final = f"""
SELECT p.row, p.home, p.slug, p.title
FROM json_each(:homes) AS h CROSS JOIN page_aliases AS a ON a.home = h.value AND a.key = :key
  CROSS JOIN pages AS p ON p.row = a.page
WHERE {_PAGE_SEEN}
ORDER BY p.changed_at DESC, p.row LIMIT :limit
"""  # noqa: S608 - constants of this file
_TITLED: Final = f"""
SELECT p.row, p.home, p.slug, p.title
FROM json_each(:homes) AS h CROSS JOIN pages AS p INDEXED BY pages_title
  ON p.home = h.value AND p.title_key = :key
WHERE {_PAGE_SEEN}
ORDER BY p.changed_at DESC, p.row LIMIT :limit
"""  # noqa: S608
_BEGINNING: Final = "SELECT text FROM page_chunks WHERE page = ? ORDER BY place LIMIT 1"
_FACTS: Final = f"""
SELECT s.rank, {FACT_COLUMNS}
FROM fact_search AS s CROSS JOIN facts AS f ON f.id = s.rowid
WHERE fact_search MATCH :match AND f.home IN (SELECT value FROM json_each(:homes))
  AND (:entities IS NULL OR f.entity IN (SELECT value FROM json_each(:entities))) AND {SEEN}
ORDER BY s.rank LIMIT :limit
"""  # noqa: S608
# One pass over what holds all words is faster than a search for each row, hence the plus.
_HOLDING: Final = """
SELECT s.rowid FROM page_search AS s
WHERE page_search MATCH :match AND +s.rowid IN (SELECT value FROM json_each(:rows))
"""
_COUNT_PAGES: Final = "SELECT count(*) FROM (SELECT 1 FROM page_search WHERE page_search MATCH ? LIMIT ?)"
_COUNT_FACTS: Final = "SELECT count(*) FROM (SELECT 1 FROM fact_search WHERE fact_search MATCH ? LIMIT ?)"
# The index keeps its own totals in this row; the first number in it is that of its documents.
_TOTALS_OF_PAGES: Final = "SELECT block FROM page_search_data WHERE id = 1"
_TOTALS_OF_FACTS: Final = "SELECT block FROM fact_search_data WHERE id = 1"


@frozen(kw_only=True)
class PageHit:
    """A page that a query found, with the part of it that matched best.

    ``score`` is its share of the best hit's; 1 also for a page that is called by what was asked.
    """

    home: str
    slug: str
    title: str
    chunk: str
    evidence: Evidence
    score: float = 1.0


@frozen(kw_only=True)
class _Hit:
    page: int
    home: str
    slug: str
    title: str
    chunk: str | None = None
    chunk_row: int | None = None
    score: float = 1.0
    alias: bool = False
    titled: bool = False


def search_pages(
    db: apsw.Connection, sight: Sight, text: str, query: Query | None, *, limit: int, floor: float
) -> list[PageHit]:
    """Pages in sight whose alias or title is ``text``, then those that hold its words, best first.

    One hit a page; a hit that scores less than ``floor`` times the best is left out.
    """
    values = {"homes": json_array(sight.homes), "world_only": sight.world_only}
    hits = _named(db, values, alias_key(text), limit)
    for page, hit in (_scored(db, values, query, limit, floor) if query else {}).items():
        named = hits.get(page)
        hits[page] = evolve(hit, alias=named.alias, titled=named.titled) if named else hit
    return _with_evidence(db, list(hits.values())[:limit], query)


def search_facts(
    db: apsw.Connection, sight: Sight, query: Query, wanted: FactFilter, *, limit: int, floor: float
) -> list[Fact]:
    """Facts in sight that the filter lets through and that hold words of the query, best first.

    Of equals the newest first; a fact that scores less than ``floor`` times the best is left out.
    """
    match = _opening(db, query, _TOTALS_OF_FACTS, _COUNT_FACTS)
    values = {**filter_values(sight, wanted), "match": match, "limit": limit}
    rows: list[Row] = db.execute(_FACTS, values).fetchall()
    if not rows:
        return []
    best = -rows[0][0]
    kept = [
        (round(-row[0] / best, 6), fact_of(row[1:])) for row in rows if not is_noise(-row[0], best, floor)
    ]
    return [fact for _, fact in sorted(kept, key=lambda item: (item[0], item[1].id), reverse=True)]


def _named(db: apsw.Connection, values: dict[str, Any], key: str, limit: int) -> dict[int, _Hit]:
    """Pages that are called so, by their rows: by an alias first, and the newest first."""
    named: dict[int, _Hit] = {}
    for statement, alias in ((_ALIASED, True), (_TITLED, False)) if key else ():
        for page, home, slug, title in db.execute(statement, {**values, "key": key, "limit": limit}):
            hit = _Hit(page=page, home=home, slug=slug, title=title, alias=alias, titled=not alias)
            named.setdefault(page, hit)
    return named


def _scored(
    db: apsw.Connection, values: dict[str, Any], query: Query, limit: int, floor: float
) -> dict[int, _Hit]:
    match = _opening(db, query, _TOTALS_OF_PAGES, _COUNT_PAGES)
    hits: dict[int, _Hit] = {}
    best: float | None = None
    # Read as long as more are wanted: rows come best first, so the first of a page is its best.
    for rank, page, home, slug, title, chunk, chunk_row in db.execute(_PAGES, {**values, "match": match}):
        best = -rank if best is None else best
        if len(hits) == limit or is_noise(-rank, best, floor):
            break
        hits.setdefault(
            page,
            _Hit(
                page=page,
                home=home,
                slug=slug,
                title=title,
                chunk=chunk,
                chunk_row=chunk_row,
                score=round(rank / -best, 4) if best else 1.0,
            ),
        )
    return hits


def _with_evidence(db: apsw.Connection, hits: Sequence[_Hit], query: Query | None) -> list[PageHit]:
    rows = [hit.chunk_row for hit in hits if hit.chunk_row is not None]
    holding = _holding_all(db, rows, query) if query and rows else frozenset()
    return [
        PageHit(
            home=hit.home,
            slug=hit.slug,
            title=hit.title,
            # What matched says more than how the page begins.
            chunk=_beginning(db, hit.page) if hit.chunk is None else hit.chunk,
            evidence=evidence_of(alias=hit.alias, title=hit.titled, every_word=hit.chunk_row in holding),
            score=hit.score,
        )
        for hit in hits
    ]


def _beginning(db: apsw.Connection, page: int) -> str:
    row = db.execute(_BEGINNING, (page,)).fetchone()
    return row[0] if row else ""


def _holding_all(db: apsw.Connection, rows: Sequence[int], query: Query) -> frozenset[int]:
    if len(query.terms) == 1:
        return frozenset(rows)
    values = {"rows": json.dumps(rows), "match": all_of(query)}
    return frozenset(row for (row,) in db.execute(_HOLDING, values))


def _opening(db: apsw.Connection, query: Query, totals: str, count: str) -> str:
    """The expression that opens the set of hits; terms are counted no further than up to common."""
    return any_of(
        query, lambda term, most: db.execute(count, (quoted(term), most)).get, _documents(db, totals)
    )


def _documents(db: apsw.Connection, totals: str) -> int:
    block: bytes | None = db.execute(totals).get
    number = 0
    for byte in block or b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number
