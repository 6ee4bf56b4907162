"""Budgets are hard and honest (DSH-5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.writing.budget import LayerUse, require_room, weigh
from keepgate.protocol.entries import Usage
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Budgets, TrackBudgets

BUDGETS = Budgets(
    user=TrackBudgets(user_global=10, workspace=20), agent=TrackBudgets(user_global=30, workspace=40)
)


@pytest.mark.parametrize(
    ("limit", "name"),
    [(10, "user/user-global"), (20, "user/workspace"), (30, "agent/user-global"), (40, "agent/workspace")],
)
def test_each_layer_has_its_own_limit(limit: int, name: str, layer) -> None:
    """A change is weighed against the budget of the layer it touches, and nothing is refused yet."""
    of = layer(name)

    assert (LayerUse(layer=of, before=7, after=107, limit=limit),) == weigh({of: 7}, {of: 100}, BUDGETS)


def test_a_use_reports_the_layer_after_the_change(layer) -> None:
    """As budget reports show it."""
    use = LayerUse(layer=layer("agent/workspace"), before=7, after=9, limit=40)

    assert Usage(track="agent", scope="workspace", used=9, limit=40) == use.usage


@pytest.mark.parametrize(
    ("before", "after"),
    [(0, 0), (0, 10), (9, 10), (10, 10), (10, 0), (50, 49), (50, 11), (50, 50), (50, 0)],
)
def test_what_fits_or_does_not_grow_passes(before: int, after: int, layer) -> None:
    """Exactly full passes; over a lowered limit, shrinking and standing still pass."""
    require_room((LayerUse(layer=layer(), before=before, after=after, limit=10),))


@pytest.mark.parametrize(("before", "after"), [(0, 11), (10, 11), (50, 51)])
def test_growing_past_the_limit_is_refused(before: int, after: int, layer) -> None:
    """``needed`` is the total after the write, ``used`` the total before it."""
    with pytest.raises(Fault) as caught:
        require_room((LayerUse(layer=layer(), before=before, after=after, limit=10),))

    assert Code.BUDGET_EXCEEDED is caught.value.code
    assert {
        "track": "user",
        "scope": "workspace",
        "used": before,
        "limit": 10,
        "needed": after,
    } == caught.value.details


def test_the_first_layer_that_overflows_is_named(layer) -> None:
    """A batch is refused whole for one layer, whichever it is."""
    fits = LayerUse(layer=layer("user/workspace"), before=0, after=1, limit=10)
    over = LayerUse(layer=layer("agent/workspace"), before=0, after=11, limit=10)

    with pytest.raises(Fault) as caught:
        require_room((fits, over))

    assert "agent" == caught.value.details["track"]


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 20))
def test_a_refusal_is_exactly_growth_past_the_limit(layer, before: int, after: int, limit: int) -> None:
    """No other pair of totals is refused, and none of those passes."""
    use = LayerUse(layer=layer(), before=before, after=after, limit=limit)
    try:
        require_room((use,))
        refused = False
    except Fault:
        refused = True

    assert (after > limit and after > before) == refused
