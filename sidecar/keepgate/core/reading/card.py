"""What a card shows of an entity, and in which order (VERBS-entity)."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from keepgate.core.model.fact import Fact
from keepgate.core.model.page import Dated
from keepgate.core.model.times import iso
from keepgate.protocol.verbs import Edge, Thread, ThreadKind

THREADS_MAX: Final = 3
EDGES_MAX: Final = 10
RECENT_DAYS: Final = 90
"""A timeline entry is an open thread for so long."""

_DAY_MS: Final = 86_400_000


@frozen(kw_only=True)
class Linked:
    """A link between the entity's page and another one, out of it or into it; ``row`` is the holder's."""

    row: int
    type: str
    slug: str
    context: str | None


def recent_since(now_ms: int) -> str:
    """The ISO day from which timeline entries count as open threads."""
    return iso(max(now_ms - RECENT_DAYS * _DAY_MS, 0))[:10]


def open_threads(commitments: Iterable[Fact], entries: Iterable[Dated]) -> list[Thread]:
    """Commitments, newest first, then what happened lately, newest first; three in all."""
    made = sorted(commitments, key=lambda fact: fact.id, reverse=True)
    threads = [
        *(
            Thread(kind=ThreadKind.COMMITMENT, text=fact.text, date=iso(fact.created_at))
            for fact in made[:THREADS_MAX]
        ),
        *(Thread(kind=ThreadKind.RECENT_EVENT, text=entry.text, date=entry.date) for entry in entries),
    ]
    return threads[:THREADS_MAX]


def edges(outgoing: Iterable[Linked], incoming: Iterable[Linked]) -> list[Edge]:
    """Links out of the page first, each kind of link to a page once; ten in all.

    Reads no more of its arguments than it shows.
    """
    shown: dict[tuple[str, str, int, str], Edge] = {}
    for direction, links in (("out", outgoing), ("in", incoming)):
        for link in links:
            if len(shown) == EDGES_MAX:
                break
            edge = Edge(type=link.type, direction=direction, slug=link.slug, context=link.context)
            shown.setdefault((direction, link.type, link.row, link.slug), edge)
    return list(shown.values())
