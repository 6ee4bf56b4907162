"""Texts that say nearly the same: a cheap comparison by the letters and digits that stand together."""

from collections.abc import Iterable
from typing import Final, TypeVar

from keepgate.core.model.fact import near_words

T = TypeVar("T")

ALIKE: Final = 0.72
"""Texts that share so much of their triples of characters say nearly the same."""
COMPARED_MAX: Final = 200
"""So many of the newest texts are compared; the layers' budgets keep most layers below it."""
TOLD_MAX: Final = 3
_LENGTH_MAX: Final = 4_000


def nearest(text: str, others: Iterable[tuple[T, str]]) -> list[T]:
    """The things whose texts are nearly that one, nearest first; at most three."""
    own = _triples(text)
    found = [(likeness, thing) for thing, other in others if (likeness := _likeness(own, other)) >= ALIKE]
    return [thing for _, thing in sorted(found, key=lambda pair: -pair[0])[:TOLD_MAX]]


def _likeness(own: frozenset[str], other: str) -> float:
    theirs = _triples(other)
    if not own or not theirs or min(len(own), len(theirs)) < ALIKE * max(len(own), len(theirs)):
        return 0.0
    return len(own & theirs) / len(own | theirs)


def _triples(text: str) -> frozenset[str]:
    plain = f" {near_words(text[:_LENGTH_MAX])} "
    return frozenset(plain[index : index + 3] for index in range(len(plain) - 2))
