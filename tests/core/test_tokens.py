"""Budgets: estimates, what counts as a budget, and packing a greedy prefix."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.reading.tokens import declared, estimate, pack

ARMS = st.lists(st.lists(st.integers(0, 12), max_size=8), max_size=3)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (None, 0),
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("\U0001f44d\U0001f44d\U0001f44d", 2),
        ("记忆记忆", 1),
    ],
)
def test_a_token_is_four_units(text: str | None, tokens: int) -> None:
    """VERBS-budget: UTF-16 units, rounded up."""
    assert tokens == estimate(text)


@pytest.mark.parametrize(
    ("given_", "counts"),
    [
        (None, None),
        (1, 1),
        (10.9, 10),
        (0.5, None),
        (0, None),
        (-3, None),
        (math.inf, None),
        (math.nan, None),
    ],
)
def test_which_budgets_count(given_: float | None, counts: int | None) -> None:
    """Finite and at least one, rounded down; anything else is no budget."""
    assert counts == declared(given_)


@pytest.mark.parametrize(
    ("budget", "arms", "kept", "used", "dropped"),
    [
        (None, ([5, 5], [9]), (2, 1), 19, 0),
        (10, ([5, 5, 1], [1]), (2, 0), 10, 2),
        (10, ([5, 6, 1], [4, 9]), (1, 1), 9, 3),
        (3, ([4], [3]), (0, 1), 3, 1),
        (5, ([5], [0, 0]), (1, 0), 5, 2),
        (5, ([], []), (0, 0), 0, 0),
    ],
)
def test_arms_are_packed_one_after_the_other(
    budget: int | None, arms: tuple[list[int], ...], kept: tuple[int, ...], used: int, dropped: int
) -> None:
    """The first item that does not fit ends its arm; the next arm has what is left, or is dropped whole."""
    packed = pack(budget, *arms)

    assert (kept, used, dropped) == (packed.kept, packed.used, packed.dropped)


@given(st.integers(1, 40), ARMS)
def test_a_budget_is_never_exceeded_and_the_prefix_is_greedy(budget: int, arms: list[list[int]]) -> None:
    """Whatever the costs: nothing over budget, nothing left out that would still have fitted next."""
    packed = pack(budget, *arms)

    left = budget
    for costs, count in zip(arms, packed.kept, strict=True):
        spent = sum(costs[:count])
        assert spent <= left
        assert count == len(costs) or left == 0 or spent + costs[count] > left or spent == left
        left -= spent
    assert budget - left == packed.used
    assert sum(map(len, arms)) == sum(packed.kept) + packed.dropped
