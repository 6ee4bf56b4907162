"""From a name to a page: the one resolver of reading and writing (VERBS-entity).

Alias before exact title or slug before the end of a slug; among equals the most recently touched. Names are
compared as keys, never as patterns.
"""

from typing import Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import Sight
from keepgate.core.model.slug import alias_key, ends_with, slugify
from keepgate.store.rows import json_array

OTHERS_MAX: Final = 3
_READ_MAX: Final = 64
"""Pages read for one way of matching; more that match alike are told apart by nothing but their age."""

_COLUMNS: Final = "p.row, p.home, p.slug, p.title, p.type"
_VISIBLE: Final = "(:world_only = 0 OR p.visibility = 'world')"
_TOUCHED: Final = (
    "max(p.changed_at, coalesce((SELECT r.last_ms FROM page_retrievals AS r "
    "WHERE r.home = p.home AND r.slug = p.slug), 0))"
)
_ALIAS, _EXACT, _END = range(3)


def _way(rank: int, source: str, condition: str, order: str) -> str:
    # :homes is a JSON array; whatever is joined to it is looked up by an index.
    return f"""SELECT * FROM (
  SELECT {rank} AS rank, {_COLUMNS}, {_TOUCHED} AS touched
  FROM json_each(:homes) AS h CROSS JOIN {source}
  WHERE {condition} AND {_VISIBLE} ORDER BY {order}
)"""  # noqa: S608 - constants of this file


# One statement for all ways and homes: each costs more to run than to answer.
_MATCHES: Final = " UNION ALL ".join(
    (
        _way(
            _ALIAS,
            "page_aliases AS a CROSS JOIN pages AS p ON p.row = a.page",
            ":key <> '' AND a.home = h.value AND a.key = :key",
            "touched DESC, p.slug LIMIT :limit",
        ),
        _way(
            _EXACT,
            "pages AS p INDEXED BY pages_title",
            ":key <> '' AND p.home = h.value AND p.title_key = :key",
            "touched DESC, p.slug LIMIT :limit",
        ),
        _way(
            _EXACT,
            "pages AS p",
            ":literal <> '' AND p.home = h.value AND p.slug IN (:slug, :literal)",
            "p.slug",
        ),
        _way(
            _END,
            "pages AS p INDEXED BY pages_tail",
            ":slug <> '' AND p.home = h.value AND p.tail = :tail",
            "instr(p.slug, '/') > 0, touched DESC, p.slug LIMIT :tail_limit",
        ),
    )
)


@frozen
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
    values = {
        "homes": json_array(sight.homes),
        "world_only": sight.world_only,
        "key": alias_key(name),
        "slug": own,
        "literal": name.strip(),
        "tail": own.rpartition("/")[2],
        "limit": _READ_MAX,
        # Of a name with several segments the slugs' ends are compared below, so all are read.
        "tail_limit": -1 if "/" in own else _READ_MAX,
    }
    best: dict[int, tuple[int, int, str, PageName]] = {}
    for matched, *columns, touched in db.execute(_MATCHES, values):
        page = PageName(*columns)
        rank = _rank_of_end(page.slug, own) if matched == _END else matched
        if rank is not None and (page.row not in best or rank < best[page.row][0]):
            best[page.row] = (rank, -touched, page.slug, page)
    return [page for *_, page in sorted(best.values(), key=lambda order: order[:3])]


def _rank_of_end(slug: str, own: str) -> int | None:
    folded = slugify(slug)
    if folded == own:
        return _EXACT
    return _END if ends_with(folded, own) else None
