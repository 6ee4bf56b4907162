"""Reading the index of pages. Every function takes a ``Sight``: homes and visibility are in every SQL."""

import json
from collections.abc import Iterable
from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import Sight
from keepgate.core.model.page import Dated, Link
from keepgate.protocol.verbs import Visibility
from keepgate.store.rows import Row, json_array

_COLUMNS: Final = (
    "p.row, p.home, p.root, p.path, p.slug, p.title, p.type, p.summary, p.tags, p.visibility, p.digest, "
    "p.changed_at"
)
_IN_SIGHT: Final = (
    "p.home IN (SELECT value FROM json_each(:homes)) AND (:world_only = 0 OR p.visibility = 'world')"
)
_SEEN: Final = f"SELECT {_COLUMNS} FROM pages AS p WHERE {_IN_SIGHT}"  # noqa: S608 - constants of this file
# A workspace's page stands before the user's own of the same name.
_BY_SLUG: Final = f"{_SEEN} AND p.slug = :slug ORDER BY p.home = '', p.home LIMIT 1"
_AT: Final = f"{_SEEN} AND p.home = :home AND p.slug = :slug"
# Each home comes sorted from its index, however many pages it has.
_LIST: Final = f"""
SELECT {_COLUMNS} FROM pages AS p
WHERE p.home = :home AND (:world_only = 0 OR p.visibility = 'world') AND p.slug >= :from
  AND (p.slug, p.home) > (:after_slug, :after_home) AND substr(p.slug, 1, :length) = :prefix
  AND (:type IS NULL OR p.type = :type)
ORDER BY p.slug LIMIT :limit
"""  # noqa: S608 - constants of this file
_ALIASES: Final = "SELECT alias FROM page_aliases WHERE page = ? ORDER BY key"
_LINKS: Final = "SELECT target, type, context FROM page_links WHERE page = ? ORDER BY place"
_TIMELINE: Final = "SELECT date, text FROM page_timeline WHERE page = ? ORDER BY date DESC, place"
_FROM: Final = f"""
FROM json_each(:homes) AS h CROSS JOIN page_links AS l ON l.home = h.value AND l.target = :slug
JOIN pages AS p ON p.row = l.page
WHERE {_IN_SIGHT}
"""
_BACKLINKS: Final = (
    f"SELECT p.slug, l.target, l.type, l.context {_FROM} ORDER BY p.slug, p.home, l.place LIMIT :limit"
)
_COUNT_BACKLINKS: Final = f"SELECT count(*) {_FROM}"
_PROBLEMS: Final = """
SELECT root, path, line, problem FROM page_problems WHERE home IN (SELECT value FROM json_each(:homes))
ORDER BY root, path, line LIMIT :limit
"""
_COUNTS: Final = """
SELECT
  (SELECT count(*) FROM pages WHERE home IN (SELECT value FROM json_each(:homes))
   AND (:world_only = 0 OR visibility = 'world')),
  (SELECT count(DISTINCT root || '/' || path) FROM page_problems
   WHERE home IN (SELECT value FROM json_each(:homes))),
  (SELECT count(*) FROM page_roots
   WHERE indexed_at IS NULL AND home IN (SELECT value FROM json_each(:homes)))
"""

PROBLEMS_MAX: Final = 1_000


@frozen(kw_only=True)
class FoundPage:
    """A page in the index. ``row`` is good within one transaction; ``root`` and ``path`` name its file."""

    row: int
    home: str
    root: str
    path: str
    slug: str
    title: str
    type: str
    summary: str
    tags: tuple[str, ...]
    visibility: Visibility
    digest: str
    changed_at: int


@frozen(kw_only=True)
class WholePage:
    """A page with all that the index has of it; the timeline newest first."""

    page: FoundPage
    aliases: tuple[str, ...]
    links: tuple[Link, ...]
    timeline: tuple[Dated, ...]


@frozen
class FileProblem:
    """What is wrong with a file; an empty ``path`` is the root itself."""

    root: str
    path: str
    line: int | None
    problem: str


@frozen(kw_only=True)
class PageCounts:
    """``unfinished`` are roots whose first indexing has not come to its end."""

    pages: int
    with_problems: int
    unfinished: int


def sight_values(sight: Sight) -> dict[str, Any]:
    """The values of a sight that the statements about pages name."""
    return {"homes": json_array(sight.homes), "world_only": sight.world_only}


def page_of(row: Row) -> FoundPage:
    """A row with the columns of a page."""
    return FoundPage(
        row=row[0],
        home=row[1],
        root=row[2],
        path=row[3],
        slug=row[4],
        title=row[5],
        type=row[6],
        summary=row[7],
        tags=tuple(json.loads(row[8])),
        visibility=Visibility(row[9]),
        digest=row[10],
        changed_at=row[11],
    )


def page_by_slug(db: apsw.Connection, sight: Sight, slug: str) -> FoundPage | None:
    """The page with exactly this slug; a workspace's own before the user's."""
    row = db.execute(_BY_SLUG, {**sight_values(sight), "slug": slug}).fetchone()
    return page_of(row) if row is not None else None


def pages_named(
    db: apsw.Connection, sight: Sight, names: Iterable[tuple[str, str]]
) -> list[FoundPage | None]:
    """The pages with these homes and slugs, in the order given."""
    values = sight_values(sight)
    rows = (db.execute(_AT, {**values, "home": home, "slug": slug}).fetchone() for home, slug in names)
    return [page_of(row) if row is not None else None for row in rows]


def whole_page(db: apsw.Connection, sight: Sight, slug: str) -> WholePage | None:
    """The page with this slug and all that stands in it but its text."""
    page = page_by_slug(db, sight, slug)
    if page is None:
        return None
    return WholePage(
        page=page,
        aliases=tuple(alias for (alias,) in db.execute(_ALIASES, (page.row,))),
        links=tuple(Link(*row) for row in db.execute(_LINKS, (page.row,))),
        timeline=tuple(Dated(*row) for row in db.execute(_TIMELINE, (page.row,))),
    )


def pages_after(
    db: apsw.Connection,
    sight: Sight,
    *,
    prefix: str = "",
    of_type: str | None = None,
    after: tuple[str, str] = ("", ""),
    limit: int,
) -> list[FoundPage]:
    """Pages in the order of slug and home, from the one behind ``after`` on."""
    values = {
        "world_only": sight.world_only,
        "from": max(prefix, after[0]),
        "prefix": prefix,
        "length": len(prefix),
        "type": of_type,
        "after_slug": after[0],
        "after_home": after[1],
        "limit": limit,
    }
    rows = (row for home in sight.homes for row in db.execute(_LIST, {**values, "home": home}).fetchall())
    return sorted(map(page_of, rows), key=lambda page: (page.slug, page.home))[:limit]


def backlinks(db: apsw.Connection, sight: Sight, slug: str, limit: int) -> tuple[list[tuple[str, Link]], int]:
    """Links to a slug, each with the slug of the page that holds it, and how many there are in all."""
    values = {**sight_values(sight), "slug": slug, "limit": limit}
    links = [(row[0], Link(*row[1:])) for row in db.execute(_BACKLINKS, values)]
    return links, db.execute(_COUNT_BACKLINKS, values).get


def page_problems(db: apsw.Connection, sight: Sight, limit: int = PROBLEMS_MAX) -> list[FileProblem]:
    """What is wrong with files in these homes, in the order of their paths."""
    return [FileProblem(*row) for row in db.execute(_PROBLEMS, {**sight_values(sight), "limit": limit})]


def page_counts(db: apsw.Connection, sight: Sight) -> PageCounts:
    """How many pages and files with problems these homes have."""
    values = sight_values(sight)
    row: Row | None = db.execute(_COUNTS, values).fetchone()
    assert row is not None, "counts are always there"
    return PageCounts(pages=row[0], with_problems=row[1], unfinished=row[2])
