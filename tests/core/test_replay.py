"""A store can be rebuilt from its ledger (DSH-6), whatever was done to it."""

from collections.abc import Callable

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.core.model.entry import layer_of
from keepgate.core.writing.change import (
    Add,
    ById,
    ByMatch,
    Change,
    Consolidate,
    Draft,
    Remove,
    Replace,
    Seed,
    Undo,
)
from keepgate.core.writing.ledger import Decision, Row, chain_breaks
from keepgate.core.writing.plan import Plan, plan
from keepgate.core.writing.replay import Replay
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Budgets, TrackBudgets

TIGHT = Budgets(
    user=TrackBudgets(user_global=15, workspace=25), agent=TrackBudgets(user_global=8, workspace=15)
)
AUTHORS = st.tuples(
    st.sampled_from(["", "pilot", "cook"]), st.sampled_from(["", "/srv/tides", "/srv/charts"])
)
NAMES = st.sampled_from(["user/workspace", "user/user-global", "agent/workspace"])
TEXTS = st.text(st.sampled_from("aAbB月\U0001f44d"), min_size=1, max_size=5)
TAGS = st.lists(st.sampled_from("xyz"), max_size=2, unique=True).map(tuple)
REFUSALS = {Code.ENTRY_NOT_FOUND, Code.AMBIGUOUS_MATCH, Code.BUDGET_EXCEEDED, Code.INVALID_INPUT}
KINDS = ["add", "replace", "remove", "consolidate", "seed", "undo"]


def replayed(rows) -> Replay:
    """A store rebuilt from rows."""
    replay = Replay()
    for row in rows:
        replay.apply(row)
    return replay


def a_change(draw: Callable, who, store, layer: Callable) -> Change:
    """Any change that this author could ask for; some of them cannot be made."""
    names = (
        ["user/workspace", "user/user-global", "agent/workspace"]
        if who.workspace_key
        else ["user/user-global"]
    )
    visible = [item for item in store.entries.values() if who.viewer.sees(item)]
    # Mostly aimed at what is there, so that there is something to replay; else anywhere.
    aimed = draw(st.sampled_from(visible)) if visible and draw(st.integers(0, 9)) else None
    home = layer_of(aimed) if aimed else layer(draw(st.sampled_from(names)), who.workspace_key)

    def draft() -> Draft:
        agent = draw(st.sampled_from(["", who.agent_key]))
        place = layer(draw(st.sampled_from(names)), who.workspace_key)
        return Draft(layer=place, agent_key=agent, text=draw(TEXTS), tags=draw(TAGS), source="claude")

    def target():
        return ById(aimed.id) if aimed else ByMatch(draw(TEXTS))

    match draw(st.sampled_from(KINDS if aimed else ["add", "seed", "undo", "replace"])):
        case "add":
            return Add(draft=draft())
        case "replace":
            tags = draw(st.none() | TAGS)
            return Replace(layer=home, target=target(), text=draw(TEXTS), tags=tags, source="claude")
        case "remove":
            return Remove(layer=home, target=target())
        case "consolidate":
            others = [ById(item.id) for item in visible if layer_of(item) == home and item != aimed]
            more = draw(st.lists(st.sampled_from(others), max_size=2, unique=True)) if others else []
            key = draw(st.sampled_from([None, "", who.agent_key]))
            return Consolidate(
                layer=home, targets=(target(), *more), text=draw(TEXTS), tags=draw(TAGS), source="claude",
                agent_key=key,
            )  # fmt: skip
        case "seed":
            return Seed(drafts=tuple(draft() for _ in range(draw(st.integers(1, 3)))))
        case _:
            # Mostly one of the newest rows: older ones have been overtaken.
            return Undo(seq=len(store.rows) - draw(st.integers(-1, 4)), source="keepgate")


def check(planned: Plan, who) -> None:
    """A plan stays within the author's sight and within the budgets."""
    for step in planned.mutations:
        assert all(who.viewer.sees(side) for side in (step.before, step.after) if side is not None)
        if step.before and step.after:
            assert (step.before.id, layer_of(step.before)) == (step.after.id, layer_of(step.after))
            assert step.after.version > step.before.version
    for use in planned.uses:
        assert use.after <= use.limit or use.after <= use.before


@settings(max_examples=150)
@given(st.data())
def test_a_replay_of_the_ledger_equals_the_store(store_of, layer, author, data) -> None:
    """After any sequence of changes, undone ones too; no plan leaves the author's sight or the budget.

    Faults are the contract's own. The totals that a plan reports are those of the store after it.
    """
    store, refusals = store_of(), set()
    for number in range(data.draw(st.integers(5, 15), label="changes")):
        who = author(*data.draw(AUTHORS), f"s-{number}")
        change = a_change(data.draw, who, store, layer)
        try:
            planned = plan(change, who, store, TIGHT, store.stamp(1_700_000_000_001 + number))
        except Fault as fault:
            refusals.add(fault.code)
            continue
        check(planned, who)
        store.commit(planned)
        assert [use.after for use in planned.uses] == [store.used(use.layer) for use in planned.uses]

    assert refusals <= REFUSALS
    assert [] == list(chain_breaks(store.rows))
    assert store.without_recalls() == replayed(store.rows).entries


@given(st.data())
def test_a_purge_forgets_what_it_must_and_nothing_else(store_of, layer, author, data) -> None:
    """An entry whose last row was purged is named; all others are rebuilt."""
    store = store_of()
    for number in range(4):
        draft = Draft(layer=layer(), agent_key="", text=f"{number}", tags=(), source="claude")
        store.commit(plan(Add(draft=draft), author(), store, Budgets(), store.stamp()))
    gone = data.draw(st.sets(st.integers(0, 3)))
    for place in gone:
        store.rows[place] = evolve(store.rows[place], payload=None, salt=None)

    replay = replayed(store.rows)

    lost = {store.rows[place].entry_id for place in gone}
    assert lost == replay.purged
    assert {key: item for key, item in store.entries.items() if key not in lost} == replay.entries
    assert [] == list(chain_breaks(store.rows))


def test_a_later_row_makes_a_purged_entry_known_again(store_of, layer, author) -> None:
    """Rows hold whole states, so one of them is enough."""
    store = store_of()
    draft = Draft(layer=layer(), agent_key="", text="Knots.", tags=(), source="claude")
    store.commit(plan(Add(draft=draft), author(), store, Budgets(), store.stamp()))
    change = Replace(layer=layer(), target=ByMatch("knots"), text="Miles.", tags=None, source="claude")
    store.commit(plan(change, author(), store, Budgets(), store.stamp()))
    store.rows[0] = evolve(store.rows[0], payload=None, salt=None)

    replay = replayed(store.rows)

    assert (store.entries, set()) == (replay.entries, replay.purged)


def test_a_removal_settles_a_purged_entry(store_of, layer, author) -> None:
    """What is known to be gone is not missing."""
    store = store_of()
    draft = Draft(layer=layer(), agent_key="", text="Knots.", tags=(), source="claude")
    store.commit(plan(Add(draft=draft), author(), store, Budgets(), store.stamp()))
    store.commit(
        plan(Remove(layer=layer(), target=ByMatch("knots")), author(), store, Budgets(), store.stamp())
    )
    store.rows[0] = evolve(store.rows[0], payload=None, salt=None)

    replay = replayed(store.rows)

    assert ({}, set()) == (replay.entries, replay.purged)


def test_rows_that_change_no_entry_are_passed_over(store_of) -> None:
    """Denials and evidence leave the rebuilt store alone, purged or not."""
    store = store_of()
    plain = {"ts": 1, "outcome": "ok", "entry_id": "e-1", "payload": {"text": "Knots."}}
    store.append(Row(action="add-denied", decision=Decision.DENIED, **plain))
    store.append(Row(action="recalled", decision=Decision.EVIDENCE, **plain))
    store.rows[1] = evolve(store.rows[1], payload=None, salt=None)

    replay = replayed(store.rows)

    assert ({}, set()) == (replay.entries, replay.purged)
