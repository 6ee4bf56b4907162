"""From a name to a page: the one resolver of reading and writing (VERBS-entity).

Alias before exact title or slug before the end of a slug; among equals the most recently touched. Names are
compared as keys, never as patterns.
"""

from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import Sight
from keepgate.core.model.slug import alias_key, ends_with, slugify

OTHERS_MAX: Final = 3
_READ_MAX: Final = 64
"""Pages read for one way of matching; more that match alike are told apart by nothing but their age."""

_COLUMNS: Final = "p.row, p.home, p.slug, p.title, p.type"
_VISIBLE: Final = "(:world_only = 0 OR p.visibility = 'world')"
_TOUCHED: Final = (
    "max(p.changed_at, coalesce((SELECT r.last_ms FROM page_retrievals AS r "
    "WHERE r.home = p.home AND r.slug = p.slug), 0))"
)
_BY_ALIAS: Final = f"""
SELECT {_COLUMNS}, {_TOUCHED} AS touched
FROM page_aliases AS a CROSS JOIN pages AS p ON p.row = a.page
WHERE a.home = :home AND a.key = :key AND {_VISIBLE}
ORDER BY touched DESC, p.slug LIMIT :limit
"""  # noqa: S608 - constants of this file
_BY_TITLE: Final = f"""
SELECT {_COLUMNS}, {_TOUCHED} AS touched FROM pages AS p INDEXED BY pages_title
WHERE p.home = :home AND p.title_key = :key AND {_VISIBLE}
ORDER BY touched DESC, p.slug LIMIT :limit
"""  # noqa: S608
_BY_SLUG: Final = f"""
SELECT {_COLUMNS}, {_TOUCHED} AS touched FROM pages AS p
WHERE p.home = :home AND p.slug IN (:slug, :literal) AND {_VISIBLE}
"""  # noqa: S608
_BY_TAIL: Final = f"""
SELECT {_COLUMNS}, {_TOUCHED} AS touched FROM pages AS p INDEXED BY pages_tail
WHERE p.home = :home AND p.tail = :tail AND {_VISIBLE}
ORDER BY instr(p.slug, '/') > 0, touched DESC, p.slug LIMIT :tail_limit
"""  # noqa: S608

_ALIAS, _EXACT, _END = range(3)


@frozen(kw_only=True)
class PageName:
    """A page that a name stands for. ``row`` is its row in the index, good within one transaction."""

    row: int
    home: str
    slug: str
    title: str
    type: str


@frozen(kw_only=True)
class Resolution:
    """What a name stands for: the best page, up to three others, and the slug that facts are filed under.

    Without a page ``slug`` is the slugified name, empty when nothing is left of it. ``slugs`` are all under
    which its facts may stand: of a page also the name's own, from before the page was there.
    """

    hit: PageName | None
    others: tuple[PageName, ...]
    slug: str
    slugs: tuple[str, ...]


def resolve(db: apsw.Connection, sight: Sight, name: str) -> Resolution:
    """Resolve a name among the pages in sight. Two names that differ in letters never meet."""
    own = slugify(name)
    found = _candidates(db, sight, name, own)
    if not found:
        return Resolution(hit=None, others=(), slug=own, slugs=(own,) if own else ())
    hit, *others = found
    taken = any(page.slug == own for page in others)
    slugs = dict.fromkeys((hit.slug, *([own] if own and not taken else [])))
    return Resolution(hit=hit, others=tuple(others[:OTHERS_MAX]), slug=hit.slug, slugs=tuple(slugs))


def _candidates(db: apsw.Connection, sight: Sight, name: str, own: str) -> list[PageName]:
    best: dict[int, tuple[int, int, str, PageName]] = {}
    for home in sorted(sight.homes):
        values = {
            "home": home,
            "world_only": sight.world_only,
            "key": alias_key(name),
            "slug": own,
            "literal": name.strip(),
            "tail": own.rpartition("/")[2],
            "limit": _READ_MAX,
            # Of a name with several segments the slugs' ends are compared below, so all are read.
            "tail_limit": -1 if "/" in own else _READ_MAX,
        }
        for rank, row in _matches(db, values):
            page = PageName(row=row[0], home=row[1], slug=row[2], title=row[3], type=row[4])
            order = (rank, -row[5], page.slug, page)
            if page.row not in best or rank < best[page.row][0]:
                best[page.row] = order
    return [page for *_, page in sorted(best.values(), key=lambda order: order[:3])]


def _matches(db: apsw.Connection, values: dict[str, Any]) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    if values["key"]:
        found += ((_ALIAS, row) for row in db.execute(_BY_ALIAS, values))
        found += ((_EXACT, row) for row in db.execute(_BY_TITLE, values))
    if values["literal"]:
        found += ((_EXACT, row) for row in db.execute(_BY_SLUG, values))
    if own := values["slug"]:
        for row in db.execute(_BY_TAIL, values):
            folded = slugify(row[2])
            if ends_with(folded, own):
                found.append((_EXACT if folded == own else _END, row))
    return found
