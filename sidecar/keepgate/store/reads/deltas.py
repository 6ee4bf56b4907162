"""What changed in each home after its position, and where a home's newest changes are."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import apsw

from keepgate.core.model.fact import Fact, Sight
from keepgate.core.reading.delta import DELTA_LIMIT, ChangedPage, Position, after
from keepgate.store.facts import ACTIVE
from keepgate.store.rows import FACT_COLUMNS, fact_of

_PAGES: Final = """
SELECT p.home, p.slug, p.title, p.changed_at FROM pages AS p INDEXED BY pages_changed
WHERE p.home = :home AND (p.changed_at, p.slug) > (:since, :slug)
  AND (:world_only = 0 OR p.visibility = 'world')
ORDER BY p.changed_at, p.slug LIMIT :limit
"""
_FACTS: Final = f"""
SELECT {FACT_COLUMNS} FROM facts AS f INDEXED BY facts_home
WHERE f.home = :home AND f.id > :fact_id AND (:world_only = 0 OR f.visibility = 'world') AND {ACTIVE}
ORDER BY f.id LIMIT :limit
"""  # noqa: S608 - constants of this package
_NEWEST_PAGE: Final = """
SELECT changed_at, slug FROM pages INDEXED BY pages_changed
WHERE home = ? ORDER BY changed_at DESC, slug DESC LIMIT 1
"""
_NEWEST_FACT: Final = "SELECT coalesce(max(id), 0) FROM facts"
# The clock may have stepped back between two facts: what has a smaller id than this is older in any case.
_FIRST_AFTER: Final = "SELECT min(id) FROM facts INDEXED BY facts_since WHERE home = ? AND created_at > ?"

_ONE_MORE: Final = DELTA_LIMIT + 1


def changed_pages(db: apsw.Connection, sight: Sight, positions: Mapping[str, Position]) -> list[ChangedPage]:
    """Of each home the first pages in sight after its position, one more than an answer carries."""
    found: list[ChangedPage] = []
    for home, position in positions.items():
        values = {"since": position.page_since, "slug": position.page_slug, **_values(sight, home)}
        found += (
            ChangedPage(home=row[0], slug=row[1], title=row[2], changed_at=row[3])
            for row in db.execute(_PAGES, values)
        )
    return found


def new_facts(
    db: apsw.Connection, sight: Sight, positions: Mapping[str, Position], now_ms: int
) -> list[Fact]:
    """Of each home the first active facts in sight after its position, one more than an answer carries."""
    found: list[Fact] = []
    for home, position in positions.items():
        values = {"fact_id": position.fact_id, "now_ms": now_ms, **_values(sight, home)}
        found += map(fact_of, db.execute(_FACTS, values))
    return found


def present(db: apsw.Connection, homes: Collection[str]) -> dict[str, Position]:
    """The position after everything that is there: of what was committed, not of the clock."""
    newest_fact: int = db.execute(_NEWEST_FACT).get
    positions = {}
    for home in sorted(homes):
        since, slug = db.execute(_NEWEST_PAGE, (home,)).fetchone() or (0, "")
        positions[home] = Position(page_since=since, page_slug=slug, fact_id=newest_fact)
    return positions


def since(
    db: apsw.Connection, homes: Collection[str], since_ms: int, *, slug: str | None, fact_id: int | None
) -> dict[str, Position]:
    """The positions that a request names: after ``since_ms``, or after that page, and after that fact.

    Without a fact they lie before the first that was saved after ``since_ms``.
    """
    newest_fact: int = db.execute(_NEWEST_FACT).get
    positions = {}
    for home in sorted(homes):
        first: int | None = db.execute(_FIRST_AFTER, (home, since_ms)).get
        facts = fact_id if fact_id is not None else newest_fact if first is None else first - 1
        positions[home] = (
            after(since_ms, facts)
            if slug is None
            else Position(page_since=since_ms, page_slug=slug, fact_id=facts)
        )
    return positions


def _values(sight: Sight, home: str) -> dict[str, Any]:
    return {"home": home, "world_only": sight.world_only, "limit": _ONE_MORE}
