"""Taking a change back: an inverse that is a change like any other (DSH-6)."""

import pytest
from attrs import evolve

from keepgate.core.writing.change import Add, ById, ByMatch, Consolidate, Draft, Remove, Replace, Seed, Undo
from keepgate.core.writing.plan import plan
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Budgets, TrackBudgets

NOW_MS = 1_700_000_000_001


@pytest.fixture
def desk(store_of, entry, layer, author):
    """A store with two entries, and one call that plans and commits."""

    class Desk:
        def __init__(self) -> None:
            self.knots = entry("Knots.", id="knots", tags=("sea",), version=3)
            self.metres = entry("Metres.", id="metres", agent_key="pilot")
            self.store = store_of(self.knots, self.metres)
            self.layer = layer()

        def do(self, change, agent="pilot", budgets=None, now_ms=NOW_MS, workspace_key="/srv/tides"):
            """Plan and commit; returns the steps and the seqs of their rows."""
            who = author(agent, workspace_key, "s-undo")
            planned = plan(change, who, self.store, budgets or Budgets(), self.store.stamp(now_ms))
            return planned.mutations, self.store.commit(planned)

        def undo(self, seq: int, **how):
            """Take a row's change back."""
            return self.do(Undo(seq=seq, source="keepgate"), **how)

        def draft(self, text: str, **fields) -> Draft:
            """An entry to be, in the desk's layer."""
            return Draft(
                **({"layer": self.layer, "agent_key": "", "text": text, "tags": (), "source": "x"} | fields)
            )

        @property
        def changes(self):
            """One change of every kind, none of which needs another."""
            return {
                "add": Add(draft=self.draft("Moon.")),
                "replace": Replace(
                    layer=self.layer, target=ById("knots"), text="Miles.", tags=(), source="claude"
                ),
                "remove": Remove(layer=self.layer, target=ById("knots")),
                "consolidate": Consolidate(
                    layer=self.layer, targets=(ById("knots"), ByMatch("metres")), text="Both.", tags=(),
                    source="claude", agent_key=None,
                ),
                "seed": Seed(drafts=(self.draft("Sun."), self.draft("Stars.", agent_key="pilot"))),
            }  # fmt: skip

    return Desk()


def content(store) -> dict[str, tuple]:
    """What a reader gets of each entry."""
    return {item.id: (item.text, item.tags, item.source, item.agent_key, item.created_at)
            for item in store.entries.values()}  # fmt: skip


KINDS = ["add", "replace", "remove", "consolidate", "seed"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_undo_brings_the_content_back(kind: str, desk) -> None:
    """Whatever the change was, ids, texts, tags, sources and owners are as before."""
    before = content(desk.store)
    _, seqs = desk.do(desk.changes[kind])
    assert before != content(desk.store)

    desk.undo(seqs[0])

    assert before == content(desk.store)


@pytest.mark.parametrize("kind", KINDS)
def test_an_undo_can_be_undone(kind: str, desk) -> None:
    """The inverse of the inverse has the content of the change; versions only go up."""
    _, seqs = desk.do(desk.changes[kind])
    changed = {item.id: item for item in desk.store.entries.values()}
    after = content(desk.store)
    _, undone = desk.undo(seqs[-1])

    desk.undo(undone[0])

    assert after == content(desk.store)
    assert all(item.version >= changed[item.id].version for item in desk.store.entries.values())


@pytest.mark.parametrize("row", [0, 1, 2])
def test_any_row_of_a_change_stands_for_all_of_it(row: int, desk) -> None:
    """A seed's summary and each of its entries, all go together."""
    _, seqs = desk.do(desk.changes["seed"])

    steps, _ = desk.undo(seqs[row])

    assert [("undo-remove", "Stars."), ("undo-remove", "Sun.")] == [
        (step.action, step.entry.text) for step in steps
    ]


def test_an_undone_removal_comes_back_as_itself(desk) -> None:
    """Same id and creation, next version, this session; recall counts begin anew."""
    _, (seq,) = desk.do(desk.changes["remove"])

    (step,), _ = desk.undo(seq)

    back = evolve(desk.knots, version=4, updated_at=NOW_MS, session_id="s-undo")
    assert ("undo-add", None, back) == (step.action, step.before, step.after)


def test_an_undone_replacement_keeps_its_recalls(desk) -> None:
    """Reading an entry in between overtakes nothing and is not forgotten."""
    _, (seq,) = desk.do(desk.changes["replace"])
    read = evolve(desk.store.entries["knots"], recall_count=5, last_recalled=NOW_MS)
    desk.store.entries["knots"] = read

    (step,), _ = desk.undo(seq)

    back = evolve(
        desk.knots, version=5, updated_at=NOW_MS, session_id="s-undo", recall_count=5, last_recalled=NOW_MS
    )
    assert ("undo-replace", read, back) == (step.action, step.before, step.after)


def test_an_undone_consolidation_frees_its_room_first(desk) -> None:
    """The new entry goes, then the targets come back, last one first."""
    _, seqs = desk.do(desk.changes["consolidate"])

    steps, _ = desk.undo(seqs[1])

    assert [("undo-remove", "Both."), ("undo-add", "Metres."), ("undo-add", "Knots.")] == [
        (step.action, step.entry.text) for step in steps
    ]


def test_a_clock_that_stepped_back_makes_no_restored_entry_older(desk) -> None:
    """The time of the last state is the earliest that the restored one may have."""
    _, (seq,) = desk.do(desk.changes["replace"])

    (step,), _ = desk.undo(seq, now_ms=NOW_MS - 10_000)

    assert NOW_MS == step.after.updated_at


def test_an_undo_needs_room(desk) -> None:
    """What was removed comes back only where it fits."""
    _, (seq,) = desk.do(desk.changes["remove"])
    tight = Budgets(user=TrackBudgets(user_global=12, workspace=12))

    with pytest.raises(Fault) as caught:
        desk.undo(seq, budgets=tight)

    assert ("BUDGET_EXCEEDED", 13) == (caught.value.code, caught.value.details["needed"])


@pytest.mark.parametrize(
    "later",
    [
        lambda desk: Replace(layer=desk.layer, target=ById("knots"), text="Later.", tags=None, source="x"),
        lambda desk: Remove(layer=desk.layer, target=ById("knots")),
    ],
)
def test_a_change_that_others_have_overtaken_is_not_undone(later, desk) -> None:
    """Undoing it would take back what came after it too; the fault names the entry and the row."""
    _, (seq,) = desk.do(desk.changes["replace"])
    desk.do(later(desk))

    with pytest.raises(Fault, match=f"entry knots has changed since ledger row {seq}") as caught:
        desk.undo(seq)

    assert (Code.INVALID_INPUT, "$.seq") == (caught.value.code, caught.value.details["problems"][0]["path"])


def test_what_was_undone_is_not_undone_again(desk) -> None:
    """A second request finds the entry as it was before, and leaves it."""
    _, (seq,) = desk.do(desk.changes["add"])
    desk.undo(seq)

    with pytest.raises(Fault, match="has changed since"):
        desk.undo(seq)


def test_an_entry_that_came_back_is_not_restored_over(desk) -> None:
    """A removal that was undone has been overtaken."""
    _, (seq,) = desk.do(desk.changes["remove"])
    desk.undo(seq)

    with pytest.raises(Fault, match="has changed since"):
        desk.undo(seq)


def test_an_entry_that_is_gone_again_comes_back_from_its_last_removal_only(desk) -> None:
    """A removal, undone, then repeated: the earlier one has been overtaken, and no version comes twice."""
    _, (first,) = desk.do(desk.changes["remove"])
    desk.undo(first)
    desk.do(desk.changes["replace"])
    _, (last,) = desk.do(desk.changes["remove"])

    with pytest.raises(Fault, match="has changed since"):
        desk.undo(first)
    (step,), _ = desk.undo(last)

    assert ("Miles.", 6) == (step.after.text, step.after.version)


@pytest.mark.parametrize("seq", [0, -1, 99])
def test_an_unknown_row_is_no_change(seq: int, desk) -> None:
    """There is nothing to take back."""
    with pytest.raises(Fault, match="names no allowed change that this session can see"):
        desk.undo(seq)


@pytest.mark.parametrize("how", [{"agent": "cook"}, {"workspace_key": "/srv/charts"}, {"workspace_key": ""}])
def test_a_change_out_of_sight_is_not_undone(how: dict[str, str], desk) -> None:
    """A change of which the session may see no step is as good as unknown."""
    _, seqs = desk.do(Seed(drafts=(desk.draft("Sun.", agent_key="pilot"),)))

    with pytest.raises(Fault, match="names no allowed change that this session can see"):
        desk.undo(seqs[0], **how)


def test_what_workspaces_share_is_taken_back_once(layer, desk) -> None:
    """The first takes it back with its part; the other still takes back its own, and leaves the rest."""
    there, everywhere = layer(workspace_key="/srv/charts"), layer("user/user-global")
    drafts = desk.draft("Ours."), desk.draft("All.", layer=everywhere), desk.draft("Theirs.", layer=there)
    _, seqs = desk.do(Seed(drafts=drafts))

    ours, _ = desk.undo(seqs[0])
    theirs, _ = desk.undo(seqs[0], workspace_key="/srv/charts")

    assert (["All.", "Ours."], ["Theirs."]) == tuple(
        [step.entry.text for step in part] for part in (ours, theirs)
    )
    for workspace_key in ("/srv/tides", "/srv/charts"):
        with pytest.raises(Fault, match="has changed since"):
            desk.undo(seqs[0], workspace_key=workspace_key)


def test_what_workspaces_share_comes_back_once(layer, desk) -> None:
    """The same for undoing the undo: a removal that was taken back elsewhere is left as it is."""
    there, everywhere = layer(workspace_key="/srv/charts"), layer("user/user-global")
    drafts = desk.draft("Ours."), desk.draft("All.", layer=everywhere), desk.draft("Theirs.", layer=there)
    _, seqs = desk.do(Seed(drafts=drafts))
    _, undone = desk.undo(seqs[0])

    shared, _ = desk.undo(undone[0], workspace_key="/srv/charts")
    own, _ = desk.undo(undone[0])

    assert [["All."], ["Ours."]] == [[step.entry.text for step in part] for part in (shared, own)]


def test_a_shared_part_that_moved_on_is_still_in_the_way(layer, desk) -> None:
    """Rewritten is not undone: what came after would be lost."""
    there, everywhere = layer(workspace_key="/srv/charts"), layer("user/user-global")
    drafts = desk.draft("Ours."), desk.draft("All.", layer=everywhere), desk.draft("Theirs.", layer=there)
    _, seqs = desk.do(Seed(drafts=drafts))
    desk.do(Replace(layer=everywhere, target=ByMatch("All"), text="More.", tags=None, source="x"))

    with pytest.raises(Fault, match="has changed since"):
        desk.undo(seqs[0], workspace_key="/srv/charts")


def test_each_workspace_takes_back_its_part_of_a_batch(layer, desk) -> None:
    """What lies in other workspaces, or belongs to other presets, stays."""
    there = layer(workspace_key="/srv/charts")
    drafts = desk.draft("Ours."), desk.draft("Theirs.", layer=there), desk.draft("Cook.", agent_key="cook")
    _, seqs = desk.do(Seed(drafts=drafts))

    ours, _ = desk.undo(seqs[0])
    theirs, _ = desk.undo(seqs[0], workspace_key="/srv/charts")

    assert (["Ours."], ["Theirs."]) == tuple([step.entry.text for step in part] for part in (ours, theirs))
