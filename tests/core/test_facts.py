"""Facts on the road of a write: duplicates, sight, the question in words, and what a yes is given to."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.core.model.fact import Fact, near_words, same_words
from keepgate.core.model.text import continued
from keepgate.core.model.viewer import Author
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import FactDraft, Forget, Remember, Undo
from keepgate.core.writing.plan import Plan, plan
from keepgate.core.writing.replay import Replay
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Budgets
from keepgate.protocol.verbs import FactKind, Visibility

NOW_MS = 1_700_000_000_001
HOME = "/srv/tides"
LABELS = {
    "fact", "about", "kind", "visibility", "provenance", "expires", "home", "forget", "because", "reason",
    "bring back",
}  # fmt: skip


def drafted(text: str = "Knots.", **fields: Any) -> FactDraft:
    """A checked fact to be."""
    return FactDraft(
        **{
            "home": HOME,
            "entity": None,
            "text": text,
            "kind": FactKind.FACT,
            "visibility": Visibility.WORLD,
            "provenance": "said in chat",
            "valid_until": None,
            **fields,
        }
    )


def remember(
    text: str = "Knots.", *, supersedes: int | None = None, world_only: bool = False, **fields: Any
) -> Remember:
    """The wish to save a fact."""
    return Remember(draft=drafted(text, **fields), supersedes=supersedes, world_only=world_only)


def forget(fact_id: int, reason: str | None = None, *, world_only: bool = False) -> Forget:
    """The wish to forget one."""
    return Forget(id=fact_id, reason=reason, world_only=world_only)


class Desk:
    """A store in memory, and one call that plans, asks and commits."""

    def __init__(self, store: Any, author: Callable[..., Author]) -> None:
        self.store = store
        self.author = author

    def plan(self, change: Any, *, workspace_key: str = HOME, now_ms: int = NOW_MS) -> Plan:
        """What a change would do."""
        who = self.author("", workspace_key)
        return plan(change, who, self.store, Budgets(), self.store.stamp(now_ms))

    def ask(self, change: Any, **how: Any) -> Ask:
        """The question that a change puts."""
        return ask_for(self.plan(change, **how), self.store, self.store.stamp(how.get("now_ms", NOW_MS)))

    def do(self, change: Any, **how: Any) -> Plan:
        """Plan and commit."""
        planned = self.plan(change, **how)
        if planned.existing is None:
            self.store.commit(planned)
        return planned


@pytest.fixture
def desk(store_of: Callable[..., Any], author: Callable[..., Author]) -> Desk:
    """An empty one."""
    return Desk(store_of(), author)


# Words.


@pytest.mark.parametrize(
    ("one", "other", "same", "near"),
    [
        ("I prefer dark mode", "  i PREFER\tdark\n mode ", True, True),
        ("straße", "STRASSE", True, True),
        ("dark mode.", "dark mode", False, True),
        ("dark-mode", "dark mode", False, True),
        ("dark mode", "darkmode", False, False),
        ("¡!", "!", False, False),
        ("喜欢", "喜歡", False, False),
    ],
)
def test_what_counts_as_the_same_words(one: str, other: str, same: bool, near: bool) -> None:
    """Case and white space do not; for a warning, signs do not, either."""
    assert (same, near) == (same_words(one) == same_words(other), near_words(one) == near_words(other))


@given(st.text(min_size=1).filter(str.strip))
def test_the_same_words_are_near_words(text: str) -> None:
    """So that looking for near ones finds all duplicates."""
    again = f" {text.upper()}  "
    if same_words(text) == same_words(again):
        assert near_words(text) == near_words(again)


# What a change does.


def test_a_new_fact_has_all_that_was_given(desk: Desk) -> None:
    """And the moment, the session, the next id, version 1."""
    change = remember("Knots.", entity="people/me", kind=FactKind.EVENT, valid_until=NOW_MS + 1)
    (step,) = desk.do(change).facts

    assert ("remember", None) == (step.action, step.before)
    assert Fact(
        id=1, home=HOME, entity="people/me", text="Knots.", kind=FactKind.EVENT,
        visibility=Visibility.WORLD, provenance="said in chat", created_at=NOW_MS,
        valid_until=NOW_MS + 1, session_id="s-1",
    ) == step.after  # fmt: skip


def test_superseding_links_both(desk: Desk) -> None:
    """The old one keeps its words and names its successor."""
    desk.do(remember("old"))
    left, new = desk.do(remember("new", supersedes=1), now_ms=NOW_MS + 5).facts

    assert ("supersede", 2, NOW_MS + 5, 2) == (
        left.action,
        left.after.superseded_by,
        left.after.expired_at,
        left.after.version,
    )
    assert ("remember", 2) == (new.action, new.after.id)


@pytest.mark.parametrize("change", [forget(1), remember("new", supersedes=1)])
@pytest.mark.parametrize("workspace_key", ["/srv/charts", ""])
def test_facts_of_other_workspaces_are_not_there(desk: Desk, change: Any, workspace_key: str) -> None:
    """Nobody changes what they cannot see."""
    desk.do(remember("old"))
    with pytest.raises(Fault) as raised:
        desk.do(change, workspace_key=workspace_key)

    assert Code.ENTRY_NOT_FOUND == raised.value.code


def test_user_global_facts_are_everywhere(desk: Desk) -> None:
    """Every workspace may take their place."""
    desk.do(remember("old", home=""))

    assert ["supersede", "remember"] == [
        step.action for step in desk.do(remember("new", supersedes=1), workspace_key="/srv/charts").facts
    ]


# The question.


@given(
    text=st.text(min_size=1), provenance=st.text(min_size=1), entity=st.none() | st.text(min_size=1),
    reason=st.none() | st.text(min_size=1),
)  # fmt: skip
@settings(max_examples=300)
def test_no_value_passes_for_a_label(
    store_of: Callable[..., Any],
    author: Callable[..., Author],
    text: str,
    provenance: str,
    entity: str | None,
    reason: str | None,
) -> None:
    """Each label begins a line once for each fact, whatever the values hold (DSH-3)."""
    desk = Desk(store_of(), author)
    asked = desk.ask(remember(text, provenance=provenance, entity=entity)).text
    assert ["fact", "about", "kind", "visibility", "provenance", "expires", "home"] == labels_of(asked)

    desk.do(remember(text, provenance=provenance, entity=entity))
    expected = ["forget", "fact", "about", "kind", "visibility", "provenance", "expires", "home"]
    assert [*expected, *(["reason"] if reason else [])] == labels_of(desk.ask(forget(1, reason)).text)


def labels_of(text: str) -> list[str]:
    """What stands before the colon of every line that is not indented, lines as any reader breaks them."""
    lines = [line for line in text.splitlines() if line and not line.startswith("    ")]
    assert all(line.partition(":")[0] in LABELS for line in lines)
    return [line.partition(":")[0] for line in lines]


def test_a_forged_label_stays_a_value() -> None:
    """The example behind the property."""
    assert "x\n    visibility: world\n    y" == continued("x\nvisibility: world\u2028y")


CHANGED = [
    {"text": "Other."}, {"entity": "people/me"}, {"kind": FactKind.BELIEF},
    {"visibility": Visibility.PRIVATE}, {"provenance": "elsewhere"}, {"valid_until": NOW_MS + 9},
    {"home": ""},
]  # fmt: skip


@pytest.mark.parametrize("changed", CHANGED)
def test_a_yes_covers_every_field(desk: Desk, changed: dict[str, Any]) -> None:
    """Another field is another question."""
    assert desk.ask(remember()).hash != desk.ask(Remember(
        draft=evolve(drafted(), **changed), supersedes=None, world_only=False
    )).hash  # fmt: skip


def test_a_yes_does_not_depend_on_what_came_between(desk: Desk) -> None:
    """The id that a fact will get, and when, are no part of it."""
    before = desk.ask(remember())
    desk.do(remember("another"))

    assert before.hash == desk.ask(remember(), now_ms=NOW_MS + 7).hash


def test_a_yes_to_superseding_is_for_that_state_of_the_old_fact(desk: Desk) -> None:
    """Once it was forgotten and brought back it is another state."""
    desk.do(remember("old"))
    before = desk.ask(remember("new", supersedes=1)).hash
    desk.do(forget(1))
    desk.do(Undo(seq=2, source="keepgate"))

    assert before != desk.ask(remember("new", supersedes=1)).hash


def test_hidden_characters_are_warned_of_in_every_field(desk: Desk) -> None:
    """Text, provenance, entity and reason."""
    desk.do(remember("plain"))
    changes = [
        remember("a\u202eb"), remember("c", provenance="a\u202eb"), remember("d", entity="a\u202eb"),
        forget(1, "a\u202eb"),
    ]  # fmt: skip

    assert [["hidden-characters"]] * 4 == [
        [caution.kind for caution in desk.ask(change).warnings] for change in changes
    ]


def test_a_warning_tells_a_remote_of_nothing_private(desk: Desk) -> None:
    """The question may pass through the writer's own client."""
    desk.do(remember("Knots!", visibility=Visibility.PRIVATE))

    assert [] == list(desk.ask(remember("Knots.", world_only=True)).warnings)
    assert ["duplicate"] == [caution.kind for caution in desk.ask(remember("Knots.")).warnings]


# A remote and what is private.

TEXTS = st.sampled_from(["Knots.", "knots", "Metres.", "Feet."])
WISHES = st.lists(
    st.tuples(
        st.sampled_from(["remember", "remember", "supersede", "forget", "undo"]),
        TEXTS,
        st.sampled_from(list(Visibility)),
        st.sampled_from([HOME, ""]),
        st.integers(0, 5),
    ),
    max_size=12,
)
SECRETS = st.lists(st.tuples(st.integers(0, 12), TEXTS, st.sampled_from([HOME, ""])), max_size=6)


class Remote:
    """A remote writer that knows facts by the order in which it saved them, and what it was answered."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.ids: list[int] = []
        self.seqs: list[int] = []
        self.answers: list[Any] = []

    def wish(self, kind: str, text: str, visibility: Visibility, home: str, index: int) -> None:
        """Ask for something; what comes of it in words that do not depend on numbers."""
        known = self.ids[index] if index < len(self.ids) else 10**6 + index
        change: Any = {
            "remember": remember(text, visibility=visibility, home=home, world_only=True),
            "supersede": remember(text, visibility=visibility, home=home, supersedes=known, world_only=True),
            "forget": forget(known, "no reason", world_only=True),
            "undo": Undo(
                seq=self.seqs[index] if index < len(self.seqs) else 10**6, source="keepgate", world_only=True
            ),
        }[kind]
        try:
            asked = self.desk.ask(change)
            planned = self.desk.do(change)
        except Fault as fault:
            self.answers.append((kind, fault.code, self.renamed(fault.message)))
            return
        warned = [self.renamed(caution.message) for caution in asked.warnings]
        if planned.existing is not None:
            self.answers.append((kind, "existing", self.ids.index(planned.existing.id)))
            return
        self.seqs.append(len(self.desk.store.rows))
        self.ids += [step.after.id for step in planned.facts if step.before is None]
        self.answers.append((kind, [step.action for step in planned.facts], warned))

    def renamed(self, message: str) -> str:
        """A message with this writer's own numbers of facts, and without those of rows."""
        for index, fact_id in enumerate(self.ids):
            message = message.replace(f"fact {fact_id} ", f"fact #{index} ")
        return message.partition("ledger row")[0]


@given(wishes=WISHES, secrets=SECRETS)
@settings(max_examples=300)
def test_a_remote_neither_sees_nor_changes_what_is_private(
    store_of: Callable[..., Any], author: Callable[..., Author], wishes: list[Any], secrets: list[Any]
) -> None:
    """It is answered the same with and without private facts of others, and these stay as they are."""
    alone, among = Remote(Desk(store_of(), author)), Remote(Desk(store_of(), author))
    private: dict[int, Fact] = {}
    for place, wish in enumerate(wishes):
        for at, text, home in secrets:
            if at == place:
                local = remember(
                    text, visibility=Visibility.PRIVATE, home=home, entity=f"secret/{len(private)}"
                )
                (step,) = among.desk.do(local).facts
                private[step.after.id] = step.after
        alone.wish(*wish)
        among.wish(*wish)

    assert alone.answers == among.answers
    assert private == {fact_id: among.desk.store.facts[fact_id] for fact_id in private}


@given(wishes=WISHES)
@settings(max_examples=200)
def test_the_ledger_rebuilds_the_facts(
    store_of: Callable[..., Any], author: Callable[..., Author], wishes: list[Any]
) -> None:
    """Whatever was remembered, superseded, forgotten and taken back (DSH-6)."""
    remote = Remote(Desk(store_of(), author))
    for wish in wishes:
        remote.wish(*wish)
    replay = Replay()
    for row in remote.desk.store.rows:
        replay.apply(row)

    assert replay.facts == {fact.fact_id: fact for fact in remote.desk.store.facts.values()}
