"""Cards of entities (VERBS-entity). Homes, visibility, ttl and expiry are in the SQL of every part."""

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

import apsw

from keepgate.core.model.fact import Fact, Sight
from keepgate.core.model.page import LINKS_TO, Dated
from keepgate.core.model.times import iso, iso_or_none
from keepgate.core.reading.card import THREADS_MAX, Linked, edges, open_threads, recent_since
from keepgate.protocol.verbs import Card, EntityName, LastTouched
from keepgate.store.facts import ACTIVE
from keepgate.store.reads.resolve import PageName, Resolution, resolve
from keepgate.store.rows import FACT_COLUMNS, fact_of, json_array

_RECENT: Final = """
SELECT date, text FROM page_timeline WHERE page = :row AND date >= :recent
ORDER BY date DESC, place LIMIT :limit
"""
# keys is a JSON array of [home, slug].
_FACTS: Final = f"""
FROM json_each(:keys) AS k CROSS JOIN facts AS f INDEXED BY facts_card
  ON f.home = k.value ->> 0 AND f.entity = k.value ->> 1
WHERE (:world_only = 0 OR f.visibility = 'world') AND {ACTIVE}
"""
_ANY: Final = f"SELECT EXISTS (SELECT 1 {_FACTS})"
_COMMITMENTS: Final = f"""
SELECT {FACT_COLUMNS} FROM facts AS f INDEXED BY facts_card
WHERE f.home = :home AND f.entity = :entity AND f.kind = 'commitment'
  AND (:world_only = 0 OR f.visibility = 'world') AND {ACTIVE}
ORDER BY f.id DESC LIMIT :limit
"""  # noqa: S608 - constants of this package

_NO_MENTION: Final = "l.type NOT IN ('mention', 'mentions')"
# What is named in front matter says more than a link in passing.
_OUT: Final = f"""
SELECT l.page, l.type, l.target, l.context FROM page_links AS l
WHERE l.page = :row AND {_NO_MENTION} AND EXISTS (
  SELECT 1 FROM json_each(:homes) AS h CROSS JOIN pages AS t ON t.home = h.value AND t.slug = l.target
  WHERE :world_only = 0 OR t.visibility = 'world'
)
ORDER BY l.type = '{LINKS_TO}', l.place
"""  # noqa: S608 - constants of this package
_INTO: Final = """
FROM json_each(:homes) AS h CROSS JOIN page_links AS l INDEXED BY page_links_target
  ON l.home = h.value AND l.target = :slug
"""
_LINK_SEEN: Final = f"(:world_only = 0 OR l.visibility = 'world') AND {_NO_MENTION}"
_IN: Final = f"""
SELECT l.page, l.type, p.slug, l.context {_INTO} CROSS JOIN pages AS p ON p.row = l.page WHERE {_LINK_SEEN}
"""
# One statement for what is one row or one number: each costs more to run than to answer.
_PAGE: Final = f"""
SELECT p.summary, p.changed_at,
  (SELECT r.last_ms FROM page_retrievals AS r WHERE r.home = p.home AND r.slug = p.slug),
  (SELECT max(t.date) FROM page_timeline AS t WHERE t.page = p.row),
  (SELECT json_group_array(a.alias) FROM page_aliases AS a INDEXED BY page_aliases_page WHERE a.page = p.row),
  (SELECT count(*) {_INTO} WHERE {_LINK_SEEN}),
  (SELECT count(*) {_FACTS})
FROM pages AS p WHERE p.row = :row
"""  # noqa: S608 - constants of this package


def entity_card(db: apsw.Connection, sight: Sight, name: str, now_ms: int) -> tuple[Resolution, Card | None]:
    """What a name stands for and the card of its page; ``None`` without a page in sight."""
    found = resolve(db, sight, name)
    if found.hit is None:
        return found, None
    return found, card_of(db, sight, found.hit, found.slugs, now_ms)


def card_of(db: apsw.Connection, sight: Sight, page: PageName, slugs: Collection[str], now_ms: int) -> Card:
    """The card of a page in sight; ``slugs`` are those that its facts stand under."""
    values = {"homes": json_array(sight.homes), "world_only": sight.world_only, "now_ms": now_ms}
    keys = [[home, slug] for home in sorted(sight.homes) for slug in slugs]
    of_page = {**values, "row": page.row, "slug": page.slug, "keys": json.dumps(keys)}
    summary, changed_at, retrieved_at, dated, aliases, backlinks, facts = db.execute(_PAGE, of_page).get
    return Card(
        entity=EntityName(slug=page.slug, title=page.title, type=page.type),
        aka=sorted(json.loads(aliases)),
        summary=summary,
        last_touched=LastTouched(
            updated_at=iso(changed_at), last_retrieved_at=iso_or_none(retrieved_at), last_timeline_date=dated
        ),
        open_threads=open_threads(
            _commitments(db, values, keys) if facts else (), _recent(db, page.row, now_ms) if dated else ()
        ),
        edges=edges(_links(db, _OUT, of_page), _links(db, _IN, of_page) if backlinks else ()),
        backlink_count=backlinks,
        active_fact_count=facts,
    )


def has_facts(db: apsw.Connection, sight: Sight, slug: str, now_ms: int) -> bool:
    """Whether any active fact in sight stands under this slug."""
    keys = json.dumps([[home, slug] for home in sorted(sight.homes)])
    return bool(db.execute(_ANY, {"keys": keys, "world_only": sight.world_only, "now_ms": now_ms}).get)


def _commitments(db: apsw.Connection, values: dict[str, Any], keys: list[list[str]]) -> Iterator[Fact]:
    for home, entity in keys:
        keyed = {**values, "home": home, "entity": entity, "limit": THREADS_MAX}
        yield from map(fact_of, db.execute(_COMMITMENTS, keyed))


def _recent(db: apsw.Connection, row: int, now_ms: int) -> list[Dated]:
    values = {"row": row, "recent": recent_since(now_ms), "limit": THREADS_MAX}
    return [Dated(*found) for found in db.execute(_RECENT, values)]


def _links(db: apsw.Connection, statement: str, values: dict[str, Any]) -> Iterator[Linked]:
    for row, kind, slug, context in db.execute(statement, values):
        yield Linked(row=row, type=kind, slug=slug, context=context)
