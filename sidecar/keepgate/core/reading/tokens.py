"""Budgets of tokens, as every verb counts them: estimates, and packing a greedy prefix (VERBS-budget)."""

import math
from collections.abc import Iterable, Sequence

from attrs import frozen

from keepgate.core.model.text import units


def estimate(text: str | None) -> int:
    """About how many tokens a text has: a quarter of its UTF-16 units, rounded up."""
    return -(-units(text) // 4) if text else 0


def declared(budget_tokens: float | None) -> int | None:
    """The budget that counts: finite, at least 1, rounded down; ``None`` when none was given."""
    if budget_tokens is None or not math.isfinite(budget_tokens) or budget_tokens < 1:
        return None
    return math.floor(budget_tokens)


@frozen(kw_only=True)
class Packed:
    """How much of each arm fits: ``kept`` items from its beginning; tokens ``used``, items ``dropped``."""

    kept: tuple[int, ...]
    used: int
    dropped: int


def pack(budget: int | None, *arms: Sequence[int]) -> Packed:
    """Pack arms of items, given by their costs, one arm after the other; ``None`` keeps everything.

    Of each arm a greedy prefix: the first item that would exceed what is left ends the arm. The next arm has
    what is left; when that is nothing, it is dropped whole.
    """
    kept, used = [], 0
    for costs in arms:
        count, cost = _prefix(costs, None if budget is None else budget - used)
        kept.append(count)
        used += cost
    return Packed(kept=tuple(kept), used=used, dropped=sum(map(len, arms)) - sum(kept))


def _prefix(costs: Iterable[int], left: int | None) -> tuple[int, int]:
    count = used = 0
    for cost in costs:
        if left is not None and (left <= 0 or used + cost > left):
            break
        count, used = count + 1, used + cost
    return count, used
