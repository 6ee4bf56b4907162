"""What a change would do to the store as it is (DSH-3, DSH-5)."""

import pytest
from attrs import evolve

from keepgate.core.model.text import units
from keepgate.core.writing.budget import LayerUse
from keepgate.core.writing.change import (
    Add,
    ById,
    ByMatch,
    Consolidate,
    Draft,
    FactDraft,
    Forget,
    Quarantine,
    Release,
    Remember,
    Remove,
    Replace,
    Seed,
    Undo,
    UndoSession,
    homes_of,
    kind_of,
    new_texts,
)
from keepgate.core.writing.mutation import Mutation
from keepgate.core.writing.page_change import (
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.plan import plan
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import ChangeKind
from keepgate.protocol.settings import Budgets, TrackBudgets
from keepgate.protocol.verbs import FactKind, Visibility

NOW_MS = 1_700_000_000_001
ROOMY = Budgets()
SMALL = Budgets(user=TrackBudgets(user_global=20, workspace=20))


def draft_of(layer, text: str = "Knots.", agent_key: str = "", tags: tuple[str, ...] = ()) -> Draft:
    """A checked entry to be."""
    return Draft(layer=layer, agent_key=agent_key, text=text, tags=tags, source="claude")


def fact_draft(text: str = "Knots.") -> FactDraft:
    """A checked fact to be."""
    return FactDraft(
        home="/srv/tides",
        entity=None,
        text=text,
        kind=FactKind.FACT,
        visibility=Visibility.WORLD,
        provenance="said in chat",
        valid_until=None,
    )


def test_an_add_makes_a_fresh_entry(store_of, layer, author) -> None:
    """New id, version 1, both times now, no recalls, the session that wrote it; the text untouched."""
    store = store_of()

    planned = plan(
        Add(draft=draft_of(layer(), " Knots.\n", "pilot", ("sea",))),
        author("pilot"),
        store,
        ROOMY,
        store.stamp(),
    )

    (step,) = planned.mutations
    added = step.after
    assert ("add", None) == (step.action, step.before)
    assert ("e-1", 1, NOW_MS, NOW_MS) == (added.id, added.version, added.created_at, added.updated_at)
    assert (" Knots.\n", ("sea",), "claude") == (added.text, added.tags, added.source)
    assert ("/srv/tides", "pilot", "s-1") == (added.workspace_key, added.agent_key, added.session_id)
    assert (None, 0) == (added.last_recalled, added.recall_count)
    assert (LayerUse(layer=layer(), before=0, after=8, limit=2000),) == planned.uses


def test_equal_texts_may_be_added(store_of, entry, layer, author) -> None:
    """Nothing is folded into what is there."""
    store = store_of(entry("Knots."))

    planned = plan(Add(draft=draft_of(layer())), author(), store, ROOMY, store.stamp())

    assert None is planned.mutations[0].before


def test_a_replacement_keeps_who_and_what_the_entry_is(store_of, entry, layer, author) -> None:
    """Id, source, keys and creation stay; text, version, time and session are new; tags stay unless given."""
    old = entry("Knots.", agent_key="pilot", source="mem0", tags=("sea",), version=4, recall_count=7)
    store = store_of(old)
    change = Replace(layer=layer(), target=ByMatch("knots"), text="Metres.", tags=None, source="claude")

    planned = plan(change, author("pilot"), store, ROOMY, store.stamp())

    new = evolve(old, text="Metres.", version=5, updated_at=NOW_MS, session_id="s-1")
    assert (Mutation(action="replace", before=old, after=new),) == planned.mutations
    assert (LayerUse(layer=layer(), before=6, after=7, limit=2000),) == planned.uses


@pytest.mark.parametrize("tags", [(), ("air",)])
def test_a_replacement_takes_the_tags_it_is_given(
    tags: tuple[str, ...], store_of, entry, layer, author
) -> None:
    """An empty list clears them."""
    store = store_of(entry("Knots.", tags=("sea",)))
    change = Replace(layer=layer(), target=ByMatch("knots"), text="Metres.", tags=tags, source="claude")

    planned = plan(change, author(), store, ROOMY, store.stamp())

    assert tags == planned.mutations[0].after.tags


def test_a_clock_that_stepped_back_makes_no_entry_older(store_of, entry, layer, author) -> None:
    """``updatedAt`` never falls behind the last state or the creation."""
    store = store_of(entry("Knots.", updated_at=NOW_MS + 500))
    change = Replace(layer=layer(), target=ByMatch("knots"), text="Metres.", tags=None, source="claude")

    planned = plan(change, author(), store, ROOMY, store.stamp(NOW_MS - 10_000))

    assert NOW_MS + 500 == planned.mutations[0].after.updated_at


def test_a_removal_takes_the_entry_away(store_of, entry, layer, author) -> None:
    """The entry is the step's before; the layer shrinks."""
    old = entry("Knots.")
    store = store_of(old)

    planned = plan(Remove(layer=layer(), target=ById(old.id)), author(), store, ROOMY, store.stamp())

    assert (Mutation(action="remove", before=old, after=None),) == planned.mutations
    assert old == planned.mutations[0].entry
    assert (LayerUse(layer=layer(), before=6, after=0, limit=2000),) == planned.uses


def consolidate(
    layer, *matches: str, text: str = "Knots, metres.", agent_key: str | None = None
) -> Consolidate:
    """One entry in the place of those that match."""
    targets = tuple(map(ByMatch, matches))
    return Consolidate(
        layer=layer, targets=targets, text=text, tags=("sea",), source="claude", agent_key=agent_key
    )


def test_a_consolidation_removes_all_and_adds_one(store_of, entry, layer, author) -> None:
    """Targets go in the order given; the new entry is at version 1 and has the change's tags and source."""
    knots, metres = entry("Knots.", tags=("old",), version=3), entry("Metres.")
    store = store_of(knots, metres)

    planned = plan(consolidate(layer(), "metres", "knots"), author(), store, ROOMY, store.stamp())

    *gone, added = planned.mutations
    assert [("consolidate-remove", metres), ("consolidate-remove", knots)] == [
        (step.action, step.before) for step in gone
    ]
    assert ("consolidate-add", None, 1) == (added.action, added.before, added.after.version)
    assert ("Knots, metres.", ("sea",), "claude") == (added.after.text, added.after.tags, added.after.source)
    assert (LayerUse(layer=layer(), before=13, after=14, limit=2000),) == planned.uses


@pytest.mark.parametrize(
    ("expected", "owners", "given"),
    [
        ("", ("", ""), None),
        ("pilot", ("", "pilot"), None),
        ("pilot", ("pilot", "pilot"), None),
        ("", ("pilot", "pilot"), ""),
        ("pilot", ("", ""), "pilot"),
    ],
)
def test_a_consolidated_entry_is_shared_if_all_its_targets_were(
    expected: str, owners: tuple[str, str], given: str | None, store_of, entry, layer, author
) -> None:
    """Otherwise it is the session's own; an explicit agent key wins."""
    store = store_of(entry("Knots.", agent_key=owners[0]), entry("Metres.", agent_key=owners[1]))
    change = consolidate(layer(), "knots", "metres", agent_key=given)

    planned = plan(change, author("pilot"), store, ROOMY, store.stamp())

    assert expected == planned.mutations[-1].after.agent_key


@pytest.mark.parametrize(
    ("code", "matches"),
    [
        (Code.ENTRY_NOT_FOUND, ("knots", "moon")),
        (Code.ENTRY_NOT_FOUND, ("knots", "nots")),
        (Code.AMBIGUOUS_MATCH, ("knots", "m")),
    ],
)
def test_a_consolidation_resolves_every_target_or_fails(
    code: Code, matches: tuple[str, ...], store_of, entry, layer, author
) -> None:
    """None, several, or one that is taken: nobody is asked about a change that cannot be made."""
    store = store_of(entry("Knots."), entry("Metres"), entry("Miles"))

    with pytest.raises(Fault) as caught:
        plan(consolidate(layer(), *matches), author(), store, ROOMY, store.stamp())

    assert code is caught.value.code


def test_a_seed_adds_every_draft_in_order(store_of, layer, author) -> None:
    """Layers may differ; each is weighed on its own."""
    one, two, three = (
        draft_of(layer("user/workspace"), "a", "pilot"),
        draft_of(layer("agent/user-global"), "bb"),
        draft_of(layer("user/workspace"), "cc"),
    )
    store = store_of()

    planned = plan(Seed(drafts=(one, two, three)), author("pilot"), store, ROOMY, store.stamp())

    assert [("add", "a", "pilot"), ("add", "bb", ""), ("add", "cc", "")] == [
        (step.action, step.after.text, step.after.agent_key) for step in planned.mutations
    ]
    assert 3 == len({step.after.id for step in planned.mutations})
    assert [(layer("user/workspace"), 3), (layer("agent/user-global"), 2)] == [
        (use.layer, use.after) for use in planned.uses
    ]


def test_a_workspace_layer_counts_its_own_workspace(store_of, entry, layer, author) -> None:
    """What another workspace holds takes no room here, and private entries share the layer's pot."""
    store = store_of(
        entry("x" * 15, id="there", workspace_key="/srv/charts"),
        entry("y" * 12, id="here", agent_key="cook"),
    )

    planned = plan(Add(draft=draft_of(layer(), "z" * 8)), author(), store, SMALL, store.stamp())

    assert (LayerUse(layer=layer(), before=12, after=20, limit=20),) == planned.uses


def test_an_emoji_takes_two_units(store_of, layer, author) -> None:
    """Ten thumbs fill a budget of twenty; one more letter does not fit."""
    store = store_of()
    thumbs = "\U0001f44d" * 10
    plan(Add(draft=draft_of(layer(), thumbs)), author(), store, SMALL, store.stamp())

    with pytest.raises(Fault) as caught:
        plan(Add(draft=draft_of(layer(), thumbs + "x")), author(), store, SMALL, store.stamp())

    assert Code.BUDGET_EXCEEDED is caught.value.code
    assert 21 == caught.value.details["needed"]


def test_a_batch_that_overflows_one_layer_is_refused_whole(store_of, layer, author) -> None:
    """Room elsewhere does not help."""
    store = store_of()
    drafts = (draft_of(layer("agent/workspace"), "fits"), draft_of(layer(), "x" * 21))

    with pytest.raises(Fault) as caught:
        plan(Seed(drafts=drafts), author(), store, SMALL, store.stamp())

    assert ("user", "workspace", 0, 20, 21) == tuple(caught.value.details.values())


@pytest.mark.parametrize("size", [29, 30])
def test_over_a_lowered_budget_a_replacement_may_shrink(size: int, store_of, entry, layer, author) -> None:
    """A layer that is too full may become emptier, or stay as full as it is."""
    store = store_of(entry("o" * 30))
    change = Replace(layer=layer(), target=ByMatch("o"), text="x" * size, tags=None, source="claude")

    planned = plan(change, author(), store, SMALL, store.stamp())

    assert (LayerUse(layer=layer(), before=30, after=size, limit=20),) == planned.uses


def test_over_a_lowered_budget_a_replacement_may_not_grow(store_of, entry, layer, author) -> None:
    """One unit more is refused, with the true use and the total that was asked for."""
    store = store_of(entry("o" * 30))
    change = Replace(layer=layer(), target=ByMatch("o"), text="x" * 31, tags=None, source="claude")

    with pytest.raises(Fault) as caught:
        plan(change, author(), store, SMALL, store.stamp())

    assert Code.BUDGET_EXCEEDED is caught.value.code
    assert ("user", "workspace", 30, 20, 31) == tuple(caught.value.details.values())


def test_a_consolidation_is_weighed_by_its_net_change(store_of, entry, layer, author) -> None:
    """What goes makes room for what comes."""
    store = store_of(entry("a" * 10), entry("b" * 10))

    planned = plan(consolidate(layer(), "a", "b", text="c" * 20), author(), store, SMALL, store.stamp())

    assert 20 == planned.uses[0].after == units(planned.mutations[-1].after.text)


@pytest.mark.parametrize("kind", ["replace", "remove", "consolidate"])
@pytest.mark.parametrize(
    "hidden", [{"workspace_key": "/srv/charts"}, {"agent_key": "cook"}, {"layer": "agent/workspace"}]
)
def test_nothing_out_of_sight_is_planned(
    kind: str, hidden: dict[str, str], store_of, entry, layer, author
) -> None:
    """Other workspaces, other presets and other layers cannot be targets, by match or by id."""
    store = store_of(entry("Knots.", id="theirs", **hidden))
    for target in (ByMatch("knots"), ById("theirs")):
        change = {
            "replace": Replace(layer=layer(), target=target, text="x", tags=None, source="claude"),
            "remove": Remove(layer=layer(), target=target),
            "consolidate": Consolidate(
                layer=layer(), targets=(target,), text="x", tags=(), source="claude", agent_key=None
            ),
        }[kind]
        with pytest.raises(Fault) as caught:
            plan(change, author("pilot"), store, ROOMY, store.stamp())
        assert Code.ENTRY_NOT_FOUND is caught.value.code


def test_planning_leaves_the_store_alone(store_of, entry, layer, author) -> None:
    """A plan only reads; the same plan can be made again."""
    store = store_of(entry("Knots."))
    change = Replace(layer=layer(), target=ByMatch("knots"), text="Metres.", tags=None, source="claude")
    before = dict(store.entries)

    first = plan(change, author(), store, ROOMY, store.stamp())
    second = plan(change, author(), store, ROOMY, store.stamp())

    assert first == second
    assert (before, []) == (store.entries, store.rows)


def test_every_change_has_its_word(layer) -> None:
    """The word of asks, ledgers and lists."""
    target = ByMatch("x")
    changes = (
        Add(draft=draft_of(layer())),
        Replace(layer=layer(), target=target, text="x", tags=None, source="claude"),
        Remove(layer=layer(), target=target),
        consolidate(layer(), "x"),
        Seed(drafts=()),
        Undo(seq=1, source="claude"),
        Remember(draft=fact_draft(), supersedes=None, world_only=False),
        Remember(draft=fact_draft(), supersedes=1, world_only=False),
        Forget(id=1, reason=None, world_only=False),
        PutPage(home="", root="/pages", slug="a", path="a.md", content="x", world_only=False),
        RemovePage(home="", root="/pages", slug="a", path="a.md", world_only=False),
        TrustRoot(home="", root="/pages"),
        Quarantine(session_id="s", reason=None),
        Release(session_id="s"),
    )

    assert list(ChangeKind) == [kind_of(change) for change in changes]
    assert ChangeKind.UNDO == kind_of(UndoSession(session_id="s", source="claude"))


def test_a_change_names_the_texts_it_would_store(layer) -> None:
    """All of a batch, none of what only goes or comes back."""
    target = ByMatch("old")
    drafts = draft_of(layer(), "a"), draft_of(layer(), "b")
    changes = (
        Add(draft=drafts[0]),
        Replace(layer=layer(), target=target, text="new", tags=None, source="claude"),
        consolidate(layer(), "old", text="both"),
        Seed(drafts=drafts),
        Remove(layer=layer(), target=target),
        Undo(seq=1, source="claude"),
        Remember(draft=fact_draft("open"), supersedes=None, world_only=False),
        Remember(
            draft=evolve(fact_draft("hush"), visibility=Visibility.PRIVATE), supersedes=None, world_only=False
        ),
        PutPage(home="", root="/pages", slug="a", path="a.md", content="long", world_only=False),
    )

    assert [("a",), ("new",), ("both",), ("a", "b"), (), (), ("open",), (), ()] == [
        new_texts(change) for change in changes
    ]


def test_a_change_is_about_its_authors_workspace_and_those_a_batch_goes_to(layer, author) -> None:
    """User-global entries belong to none, and an author may have none."""
    charts, everywhere = layer("user/workspace", "/srv/charts"), layer("user/user-global")
    batch = Seed(drafts=(draft_of(charts), draft_of(everywhere)))

    assert {"/srv/tides", "/srv/charts"} == homes_of(batch, author())
    assert {"/srv/charts"} == homes_of(batch, author("", ""))
    assert {"/srv/tides"} == homes_of(Add(draft=draft_of(everywhere)), author())
    assert set() == homes_of(Add(draft=draft_of(everywhere)), author("", ""))
