"""Standing entities as packs and deltas show them: their cards, and the facts of theirs and around them."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import Fact, Sight
from keepgate.protocol.verbs import Card
from keepgate.store.page_writes import is_trusted
from keepgate.store.reads.entities import card_of
from keepgate.store.reads.facts import FactFilter, newest_facts
from keepgate.store.reads.resolve import resolve
from keepgate.store.rows import Row

ENTITY_FACTS_MAX: Final = 30
"""Facts of the entities of one pack; each entity has an equal share of them."""
RECENT_FACTS_MAX: Final = 10
RECENT_LOOKED_AT: Final = 50

_CHANGED: Final = """
SELECT row, slug, changed_at FROM pages INDEXED BY pages_changed
WHERE home = :home AND (:world_only = 0 OR visibility = 'world')
ORDER BY changed_at DESC, slug DESC LIMIT :limit
"""
_WAS_SHOWN: Final = """
SELECT 1 FROM ledger INDEXED BY ledger_session
WHERE session_id = ? AND action = 'snapshot' AND entry_id = 'pack' AND json_extract(payload, '$.text') = ?
LIMIT 1
"""


@frozen(kw_only=True)
class Standing:
    """What the names stand for: a card for each page, once, and for each name the slugs of its facts.

    ``looked_at`` says how many of the names were resolved before the time was up.
    """

    cards: Sequence[Card]
    slugs: Sequence[tuple[str, ...]]
    looked_at: int


def standing(
    db: apsw.Connection,
    sight: Sight,
    names: Sequence[str],
    *,
    now_ms: int,
    trusted_only: bool = False,
    in_time: Callable[[], bool] = lambda: True,
) -> Standing:
    """The cards of entities in the order of their names; what no page in sight stands for has none.

    With ``trusted_only`` a page has none, either, whose folder nobody trusts. ``in_time`` is asked before
    each name.
    """
    cards, slugs, seen = list[Card](), list[tuple[str, ...]](), set[int]()
    trust = _Trust(db)
    for count, name in enumerate(names):
        if not in_time():
            return Standing(cards=cards, slugs=slugs, looked_at=count)
        found = resolve(db, sight, name)
        if found.slugs not in slugs:
            slugs.append(found.slugs)
        if found.hit is not None and found.hit.row not in seen:
            seen.add(found.hit.row)
            if not trusted_only or trust.holds(found.hit.home, found.hit.row):
                cards.append(card_of(db, sight, found.hit, found.slugs, now_ms))
    return Standing(cards=cards, slugs=slugs, looked_at=len(names))


def facts_around(
    db: apsw.Connection, sight: Sight, slugs: Collection[tuple[str, ...]], *, now_ms: int
) -> list[Fact]:
    """The newest active facts of entities, then the most recent ones of whatever is in sight; each once."""
    share = ENTITY_FACTS_MAX // max(len(slugs), 1)
    of_entities = {
        fact.id: fact
        for of_one in slugs
        if of_one
        for fact in newest_facts(db, sight, FactFilter(now_ms=now_ms, entities=of_one), share)
    }
    first = sorted(of_entities.values(), key=lambda fact: fact.id, reverse=True)
    recent = newest_facts(db, sight, FactFilter(now_ms=now_ms), RECENT_FACTS_MAX + len(first))
    others = [fact for fact in recent if fact.id not in of_entities]
    return [*first, *others[:RECENT_FACTS_MAX]]


def recent_names(db: apsw.Connection, sight: Sight, *, now_ms: int, limit: int) -> list[str]:
    """The entities that were touched last: pages of trusted folders that changed, and subjects of facts."""
    trust, touched = _Trust(db), dict[str, int]()
    for home in sorted(sight.homes):
        values = {"home": home, "world_only": sight.world_only, "limit": RECENT_LOOKED_AT}
        rows: list[Row] = db.execute(_CHANGED, values).fetchall()
        for row, slug, changed_at in rows:
            if trust.holds(home, row):
                touched[slug] = max(changed_at, touched.get(slug, 0))
    for fact in newest_facts(db, sight, FactFilter(now_ms=now_ms), RECENT_LOOKED_AT):
        if fact.entity is not None:
            touched[fact.entity] = max(fact.created_at, touched.get(fact.entity, 0))
    # A comma would make two names of one.
    names = (slug for slug in touched if "," not in slug)
    return sorted(names, key=lambda slug: (-touched[slug], slug))[:limit]


def was_shown(db: apsw.Connection, session_id: str, text: str) -> bool:
    """Whether the ledger says that a session was shown this very pack."""
    return db.execute(_WAS_SHOWN, (session_id, text)).fetchone() is not None


class _Trust:
    """Whether the folders of pages are trusted, each looked up once."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._known: dict[tuple[str, str], bool] = {}

    def holds(self, home: str, row: int) -> bool:
        """Whether the page in this row of the index is of a trusted folder."""
        root: str = self._db.execute("SELECT root FROM pages WHERE row = ?", (row,)).get
        if (home, root) not in self._known:
            self._known[home, root] = is_trusted(self._db, home, root)
        return self._known[home, root]
