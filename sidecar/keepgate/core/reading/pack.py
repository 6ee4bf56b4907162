"""The context pack: cards, open threads and facts as one block (VERBS-context_pack)."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from keepgate.core.model.fact import Fact
from keepgate.core.reading.block import Block, Item, pack_block
from keepgate.core.reading.rendering import entity_line, fact_line, thread_line
from keepgate.protocol.verbs import PACK_ENTITIES_MAX, Card, Thread

HEADINGS: Final = ("Standing entities", "Open threads", "Hot memory")
_ENTITIES, _THREADS, _FACTS = range(3)

TWINS_ALIKE: Final = 0.9
"""Two facts say the same when so much of all their words is in both."""

_WORD: Final = re.compile(r"\w+")
_TELLING: Final = re.compile(r"\d|^(?:no|not|never|none|without|nor|isn|don|doesn|didn|won|cannot)$")


@frozen(kw_only=True)
class Pack:
    """What fits: the block, and of each arm what is kept."""

    block: Block
    cards: Sequence[Card]
    threads: Sequence[Thread]
    facts: Sequence[Fact]


def entity_names(entities: str) -> list[str]:
    """The names in a comma-separated list that count: trimmed, without blanks, the first eight."""
    return [name for part in entities.split(",") if (name := part.strip())][:PACK_ENTITIES_MAX]


def later_than(threads: Iterable[Thread], since: str | None) -> list[Thread]:
    """The threads that are dated strictly later than this ISO instant; all of them without one.

    A day counts as its UTC midnight. What has no date is left out where there is a ``since``.
    """
    if since is None:
        return list(threads)
    return [thread for thread in threads if thread.date and _comparable(thread.date) > since]


def pack_context(
    cards: Sequence[Card], facts: Sequence[Fact], *, since: str | None, budget: int | None
) -> Pack:
    """Pack cards, each with its open threads after ``since`` (an ISO instant), then facts."""
    threads = [later_than(card.open_threads, since) for card in cards]
    card_items = [_card_item(card, own) for card, own in zip(cards, threads, strict=True)]
    block = pack_block(HEADINGS, (card_items, [_fact_item(fact) for fact in facts]), budget)
    kept_cards, kept_facts = block.kept
    return Pack(
        block=block,
        cards=cards[:kept_cards],
        threads=[thread for own in threads[:kept_cards] for thread in own],
        facts=facts[:kept_facts],
    )


def without_twins(facts: Iterable[Fact]) -> list[Fact]:
    """The facts without those that say of the same entity what one before them says."""
    kept: list[tuple[Fact, frozenset[str]]] = []
    for fact in facts:
        words = _words(fact.text)
        if not any(other.entity == fact.entity and _alike(words, of_other) for other, of_other in kept):
            kept.append((fact, words))
    return [fact for fact, _ in kept]


def _card_item(card: Card, threads: Sequence[Thread]) -> Item:
    line = entity_line(card.entity.title, card.entity.slug, card.summary)
    return [(_ENTITIES, line), *((_THREADS, thread_line(thread)) for thread in threads)]


def _fact_item(fact: Fact) -> Item:
    return [(_FACTS, fact_line(fact.text, fact.entity, fact.fact_id))]


def _comparable(date: str) -> str:
    return f"{date}T00:00:00.000Z" if len(date) == len("2026-11-30") else date


def _words(text: str) -> frozenset[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(_WORD.findall(folded)) or frozenset({folded.strip()})


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if one == other:
        return True
    differing = one ^ other
    # A number or a "not" makes another fact of a long sentence.
    if any(_TELLING.search(word) for word in differing):
        return False
    return len(one & other) >= TWINS_ALIKE * len(one | other)
