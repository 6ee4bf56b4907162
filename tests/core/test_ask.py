"""The question that a person is asked: approve what you see (DSH-3)."""

import pytest

from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import Add, ById, ByMatch, Consolidate, Draft, Remove, Replace, Seed, Undo
from keepgate.core.writing.plan import plan
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.proposals import AskEntry, AskTarget, Caution, ChangeKind
from keepgate.protocol.settings import Budgets

HERE = {"track": Track.USER, "scope": Scope.WORKSPACE, "workspace_key": "/srv/tides", "agent_key": ""}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.fixture
def ask(store_of, author):
    """Asks about a change to a store that holds the given entries."""

    def put(change, *entries, agent: str = "", commit=()) -> Ask:
        store = store_of(*entries)
        who = author(agent)
        for earlier in commit:
            store.commit(plan(earlier, who, store, Budgets(), store.stamp()))
        return ask_for(plan(change, who, store, Budgets(), store.stamp()), store, store.stamp())

    return put


@pytest.fixture
def draft(layer):
    """Makes an entry to be."""

    def make(text: str, name: str = "user/workspace", key: str = "/srv/tides", **fields) -> Draft:
        plain = {"layer": layer(name, key), "agent_key": "", "text": text, "tags": (), "source": "claude"}
        return Draft(**(plain | fields))

    return make


def test_an_add_shows_the_new_text(ask, draft) -> None:
    """The text as it would be stored, where, and whose label it carries."""
    asked = ask(Add(draft=draft(" Knots.\n", tags=("sea",), agent_key="pilot")), agent="pilot")

    assert (ChangeKind.ADD, " Knots.\n", "claude") == (asked.kind, asked.text, asked.source)
    assert ("user", "workspace", "/srv/tides") == (asked.track, asked.scope, asked.workspace_key)
    assert ((None, " Knots.\n"), (), None) == (asked.from_to, asked.targets, asked.count)
    assert (
        AskEntry(
            track=Track.USER, scope=Scope.WORKSPACE, workspace_key="/srv/tides", agent_key="pilot",
            text=" Knots.\n", tags=["sea"], source="claude",
        ),
    ) == asked.entries  # fmt: skip


def test_a_replacement_shows_both_texts_whole(ask, entry, layer) -> None:
    """``from:`` and ``to:``, however long; the source is the one that the caller named."""
    old = "o" * 1000 + "\nend"
    change = Replace(layer=layer(), target=ByMatch("END"), text="New\ntext", tags=None, source="claude")

    asked = ask(change, entry(old, id="e-9", version=4, source="mem0"))

    assert f"from:\n{old}\n\nto:\nNew\ntext" == asked.text
    assert (ChangeKind.REPLACE, "claude", (old, "New\ntext")) == (asked.kind, asked.source, asked.from_to)
    assert (AskTarget(id="e-9", version=4, text=old, match="END", **HERE),) == asked.targets
    assert ["mem0"] == [item.source for item in asked.entries]


def test_a_removal_shows_the_whole_text_and_the_entrys_own_source(ask, entry, layer) -> None:
    """What would go is seen in full."""
    old = "o" * 1000
    asked = ask(Remove(layer=layer(), target=ById("e-9")), entry(old, id="e-9", source="mem0"))

    assert (ChangeKind.REMOVE, old, "mem0") == (asked.kind, asked.text, asked.source)
    assert ((old, None), ()) == (asked.from_to, asked.entries)
    assert (AskTarget(id="e-9", version=1, text=old, match="e-9", **HERE),) == asked.targets


def test_a_consolidation_lists_what_goes_and_what_comes(ask, entry, layer) -> None:
    """For each target the match and its text cut at 300 units, last the new text whole."""
    long = "Tide " + "\U0001f44d" * 200
    change = Consolidate(
        layer=layer(), targets=(ByMatch("knots"), ById("long")), text="N" * 400, tags=(), source="claude",
        agent_key=None,
    )  # fmt: skip

    asked = ask(change, entry("Knots."), entry(long, id="long"))

    # Five units and 147 pairs: the 148th pair would end at unit 301.
    cut = "Tide " + "\U0001f44d" * 147 + "…"
    assert f"remove: knots\nKnots.\nremove: long\n{cut}\nnew text: {'N' * 400}" == asked.text
    assert (ChangeKind.CONSOLIDATE, "claude", (None, None)) == (asked.kind, asked.source, asked.from_to)
    assert [("knots", "Knots."), ("long", long)] == [(item.match, item.text) for item in asked.targets]
    assert ["N" * 400] == [item.text for item in asked.entries]


def test_a_target_of_300_units_is_shown_whole(ask, entry, layer) -> None:
    """Only what is longer is cut."""
    text = FAMILY * 27 + "abc"
    change = Consolidate(
        layer=layer(), targets=(ByMatch("abc"),), text="New", tags=(), source="claude", agent_key=None
    )

    asked = ask(change, entry(text))

    assert f"remove: abc\n{text}\nnew text: New" == asked.text


def test_a_seed_is_one_summary(ask, draft) -> None:
    """A line per entry with its layer; track and scope read ``batch``; the entries are counted."""
    drafts = (draft("a"), draft("b", "agent/user-global"), draft("c", source="mem0"))

    asked = ask(Seed(drafts=drafts))

    assert "user/workspace: a\nagent/user-global: b\nuser/workspace: c" == asked.text
    assert (ChangeKind.SEED, "batch", "batch", 3) == (asked.kind, asked.track, asked.scope, asked.count)
    assert "/srv/tides" == asked.workspace_key
    assert ["a", "b", "c"] == [item.text for item in asked.entries]


@pytest.mark.parametrize(("expected", "sources"), [("mem0", ("mem0", "mem0")), ("keepgate", ("mem0", "x"))])
def test_a_seed_names_the_source_that_its_entries_share(expected, sources, ask, draft) -> None:
    """Else the product's own label stands for them."""
    asked = ask(Seed(drafts=tuple(draft("a", source=source) for source in sources)))

    assert expected == asked.source


@pytest.mark.parametrize(
    ("expected", "places"),
    [
        ("/srv/charts", [("user/workspace", "/srv/charts"), ("user/user-global", "")]),
        ("", [("user/workspace", "/srv/charts"), ("user/workspace", "/srv/tides")]),
        ("", [("user/user-global", "")]),
    ],
)
def test_a_batch_names_its_workspace_when_it_has_just_one(expected, places, ask, draft) -> None:
    """User-global entries belong to none; several cannot be named by one key."""
    asked = ask(Seed(drafts=tuple(draft("a", name, key) for name, key in places)))

    assert expected == asked.workspace_key


def test_an_empty_batch_is_still_a_question(ask) -> None:
    """Nobody asks it, but it does not fail."""
    asked = ask(Seed(drafts=()))

    assert ("", 0, "batch", "") == (asked.text, asked.count, asked.track, asked.workspace_key)


def test_an_undo_shows_every_step(ask, entry, layer) -> None:
    """What goes and what comes back, whole, in the order in which it happens."""
    change = Consolidate(
        layer=layer(), targets=(ByMatch("knots"), ByMatch("metres")), text="Both.", tags=(), source="claude",
        agent_key=None,
    )  # fmt: skip

    asked = ask(Undo(seq=1, source="claude"), entry("Knots."), entry("Metres."), commit=[change])

    assert "remove:\nBoth.\n\nrestore:\nMetres.\n\nrestore:\nKnots." == asked.text
    assert (ChangeKind.UNDO, "batch", "claude", None) == (asked.kind, asked.track, asked.source, asked.count)
    assert [(None, "Both.")] == [(item.match, item.text) for item in asked.targets]


def test_an_undone_replacement_shows_both_texts(ask, entry, layer) -> None:
    """As any change of one text into another."""
    change = Replace(layer=layer(), target=ByMatch("knots"), text="Miles.", tags=None, source="claude")

    asked = ask(Undo(seq=1, source="claude"), entry("Knots."), commit=[change])

    assert ("from:\nMiles.\n\nto:\nKnots.", ("Miles.", "Knots.")) == (asked.text, asked.from_to)


def test_hidden_characters_are_counted(ask, draft) -> None:
    """In texts and tags of all that would be stored, with how they will be shown."""
    drafts = (draft("a\u202eb"), draft("c", tags=("d\u200b", "\U000e0041")), draft("fine\n"))

    asked = ask(Seed(drafts=drafts))

    assert (
        Caution(kind="hidden-characters", message="3 hidden characters, shown as ⟨U+XXXX⟩"),
    ) == asked.warnings


def test_hidden_characters_of_what_goes_warn_nobody(ask, entry, layer) -> None:
    """Removing them is no danger."""
    asked = ask(Remove(layer=layer(), target=ByMatch("a")), entry("a\u202eb"))

    assert () == asked.warnings


def test_an_entry_that_says_the_same_is_named(ask, draft, entry) -> None:
    """Equal texts are allowed, but the person is told; ASCII case does not count."""
    asked = ask(Add(draft=draft("KNOTS.")), entry("Knots.", id="e-9"))

    assert (Caution(kind="duplicate", message="entry e-9 already says the same"),) == asked.warnings


@pytest.mark.parametrize(
    "fields", [{"layer": "agent/workspace"}, {"workspace_key": "/srv/charts"}, {"agent_key": "cook"}]
)
def test_entries_out_of_sight_are_no_duplicates(fields, ask, draft, entry) -> None:
    """A warning tells nothing about another layer, workspace or preset."""
    asked = ask(Add(draft=draft("Knots.")), entry("Knots.", **fields))

    assert () == asked.warnings


def test_a_replacement_is_not_compared(ask, entry, layer) -> None:
    """It changes an entry that is there; nothing comes to be twice."""
    change = Replace(layer=layer(), target=ByMatch("knots"), text="KNOTS.", tags=None, source="claude")

    assert () == ask(change, entry("Knots.")).warnings


def test_what_goes_in_the_same_change_is_no_duplicate(ask, entry, layer) -> None:
    """A consolidation may keep the words of one of its targets."""
    change = Consolidate(
        layer=layer(), targets=(ByMatch("knots"),), text="Knots.", tags=(), source="claude", agent_key=None
    )

    assert () == ask(change, entry("Knots.")).warnings


def test_a_warning_is_given_once(ask, draft, entry) -> None:
    """Two drafts with one twin are one warning."""
    asked = ask(Seed(drafts=(draft("Knots."), draft("knots."))), entry("Knots.", id="e-9"))

    assert 1 == len(asked.warnings)
