"""Standing entities as packs and deltas show them: their cards, and the facts of theirs and around them."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import Fact, Sight
from keepgate.protocol.verbs import Card
from keepgate.store.reads.entities import card_of
from keepgate.store.reads.facts import FactFilter, newest_facts
from keepgate.store.reads.resolve import resolve

ENTITY_FACTS_MAX: Final = 30
"""Facts of the entities of one pack; each entity has an equal share of them."""
RECENT_FACTS_MAX: Final = 10


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
    in_time: Callable[[], bool] = lambda: True,
) -> Standing:
    """The cards of entities in the order of their names; what no page in sight stands for has none.

    ``in_time`` is asked before each of them.
    """
    cards, slugs, seen = list[Card](), list[tuple[str, ...]](), set[int]()
    for count, name in enumerate(names):
        if not in_time():
            return Standing(cards=cards, slugs=slugs, looked_at=count)
        found = resolve(db, sight, name)
        if found.slugs not in slugs:
            slugs.append(found.slugs)
        if found.hit is not None and found.hit.row not in seen:
            seen.add(found.hit.row)
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
