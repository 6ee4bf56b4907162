"""What binds a yes to a change: the hash of what was shown (docs/protocol.md)."""

import hashlib
import json

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.writing.ask import content_hash
from keepgate.core.writing.change import Add, ById, ByMatch, Consolidate, Draft, Remove, Replace, Seed, Undo
from keepgate.core.writing.plan import plan
from keepgate.protocol.settings import Budgets, TrackBudgets

NOW_MS = 1_700_000_000_001


@pytest.fixture(scope="module")
def hash_of(store_of, author):
    """The hash of a change to a store that holds the given entries."""

    def work_out(change, *entries, who=None, budgets=None, now_ms=NOW_MS, skip_ids=0):
        store = store_of(*entries)
        for _ in range(skip_ids):
            store.stamp().new_id()
        return content_hash(plan(change, who or author(), store, budgets or Budgets(), store.stamp(now_ms)))

    return work_out


@pytest.fixture(scope="module")
def parts(layer):
    """Changes of each kind, with a target called ``e-9``."""
    draft = Draft(layer=layer(), agent_key="", text="Moon.", tags=("sky",), source="claude")
    target = ById("e-9")
    return {
        "add": Add(draft=draft),
        "replace": Replace(layer=layer(), target=target, text="Moon.", tags=("sky",), source="claude"),
        "remove": Remove(layer=layer(), target=target),
        "consolidate": Consolidate(
            layer=layer(), targets=(target,), text="Moon.", tags=("sky",), source="claude", agent_key=None
        ),
        "seed": Seed(drafts=(draft, evolve(draft, text="Sun."))),
    }


def test_the_hash_is_that_of_canonical_json(hash_of, entry, parts) -> None:
    """Sorted names, no blanks, UTF-8: anyone can compute it from the parts."""
    shown = {
        "action": "replace",
        "agentKey": "",
        "source": "claude",
        "steps": [
            {
                "action": "replace",
                "entry": ["user", "workspace", "/srv/tides", "", "Moon.", ["sky"], "mem0"],
                "target": ["e-9", 1, "月"],
            }
        ],
        "workspaceKey": "/srv/tides",
    }
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))

    assert hashlib.sha256(text.encode()).hexdigest() == hash_of(
        parts["replace"], entry("月", id="e-9", source="mem0")
    )


KINDS = ["add", "replace", "remove", "consolidate", "seed"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_content_has_the_same_hash(kind, hash_of, entry, parts, author) -> None:
    """Time, new ids, the session, budgets, other entries and recall counts do not count."""
    old = entry("Knots.", id="e-9")
    other = entry("Moon.", id="twin")
    read = evolve(old, recall_count=7, last_recalled=NOW_MS, updated_at=NOW_MS, session_id="s-2")

    assert hash_of(parts[kind], old) == hash_of(
        parts[kind],
        other,
        read,
        who=author("", "/srv/tides", "s-other"),
        budgets=Budgets(user=TrackBudgets(user_global=99, workspace=99)),
        now_ms=NOW_MS + 99_000,
        skip_ids=5,
    )


@pytest.mark.parametrize("kind", ["replace", "remove", "consolidate"])
@pytest.mark.parametrize("fields", [{"version": 2}, {"text": "Knots!"}, {"text": "Knots.\u200b"}])
def test_a_target_that_moved_changes_the_hash(kind, fields, hash_of, entry, parts) -> None:
    """Its version and its text were part of what was shown."""
    old = entry("Knots.", id="e-9")

    assert hash_of(parts[kind], old) != hash_of(parts[kind], evolve(old, **fields))


@pytest.mark.parametrize("kind", ["replace", "remove", "consolidate"])
def test_another_target_changes_the_hash(kind, hash_of, entry, parts) -> None:
    """Also one with the same text."""
    change = parts[kind]
    elsewhere = (
        evolve(change, targets=(ById("e-8"),))
        if kind == "consolidate"
        else evolve(change, target=ById("e-8"))
    )
    both = entry("Knots.", id="e-9"), entry("Knots.", id="e-8")

    assert hash_of(change, *both) != hash_of(elsewhere, *both)


@pytest.mark.parametrize("kind", ["replace", "remove"])
def test_how_a_target_was_named_does_not_matter(kind, hash_of, entry, parts) -> None:
    """A match and an id that lead to one entry ask for the same change."""
    old = entry("Knots.", id="e-9")

    assert hash_of(parts[kind], old) == hash_of(evolve(parts[kind], target=ByMatch("knots")), old)


@pytest.mark.parametrize("kind", ["replace", "consolidate"])
@pytest.mark.parametrize("fields", [{"text": "Moon!"}, {"tags": ("sun",)}, {"tags": ()}, {"source": "mem0"}])
def test_the_new_content_is_part_of_the_hash(kind, fields, hash_of, entry, parts) -> None:
    """Text, tags, and the source that the person is told."""
    old = entry("Knots.", id="e-9")

    assert hash_of(parts[kind], old) != hash_of(evolve(parts[kind], **fields), old)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "moon."},
        {"tags": ("sky", "sea")},
        {"source": "mem0"},
        {"agent_key": "pilot"},
        {"layer": "agent/workspace"},
        {"layer": "user/user-global"},
    ],
)
@pytest.mark.parametrize("kind", ["add", "seed"])
def test_a_drafts_place_is_part_of_the_hash(kind, fields, hash_of, layer, parts) -> None:
    """Track, scope and owner as much as text, tags and source."""
    fields = fields | ({"layer": layer(fields["layer"])} if "layer" in fields else {})
    change = parts[kind]
    if kind == "add":
        changed = Add(draft=evolve(change.draft, **fields))
    else:
        changed = Seed(drafts=(change.drafts[0], evolve(change.drafts[1], **fields)))

    assert hash_of(change) != hash_of(changed)


def test_the_owner_of_a_consolidated_entry_is_part_of_the_hash(hash_of, entry, parts, author) -> None:
    """Shared or private is what the person agrees to."""
    old = entry("Knots.", id="e-9")
    shared, private = (evolve(parts["consolidate"], agent_key=key) for key in ("", "pilot"))

    assert hash_of(shared, old, who=author("pilot")) != hash_of(private, old, who=author("pilot"))


@pytest.mark.parametrize("who", [("pilot", "/srv/tides"), ("", "/srv/charts")])
def test_who_wants_it_from_where_is_part_of_the_hash(who, hash_of, layer, author) -> None:
    """The same global entry, wanted by another preset or from another workspace, is another question."""
    draft = Draft(layer=layer("user/user-global"), agent_key="", text="Moon.", tags=(), source="claude")

    assert hash_of(Add(draft=draft)) != hash_of(Add(draft=draft), who=author(*who))


def test_the_kind_of_change_is_part_of_the_hash(hash_of, parts) -> None:
    """An add and a seed of one entry are two questions."""
    add = parts["add"]

    assert hash_of(add) != hash_of(Seed(drafts=(add.draft,)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((("a", "b"), "c"), (("a",), "bc")),
        ((("a,b",), "c"), (("a", "b"), "c")),
        ((('a","b',), "c"), (("a", "b"), "c")),
    ],
)
def test_contents_that_run_together_differ(one, other, hash_of, layer) -> None:
    """Where a tag or text ends cannot be shifted."""
    plain = {"layer": layer(), "agent_key": "", "source": "claude"}
    first, second = (Add(draft=Draft(**plain, tags=tags, text=text)) for tags, text in (one, other))

    assert hash_of(first) != hash_of(second)


def test_the_order_of_a_batch_is_part_of_the_hash(hash_of, parts) -> None:
    """Entries are shown, and stored, in the order given."""
    seed = parts["seed"]

    assert hash_of(seed) != hash_of(Seed(drafts=seed.drafts[::-1]))


def test_an_undo_is_bound_to_what_it_does(store_of, entry, parts, author) -> None:
    """Undoing the same row later, over another state, is another question."""
    store = store_of(entry("Knots.", id="e-9"))
    for change in (parts["remove"], Undo(seq=1, source="keepgate")):
        store.commit(plan(change, author(), store, Budgets(), store.stamp()))

    undo, from_elsewhere = (
        content_hash(plan(Undo(seq=2, source=source), author(), store, Budgets(), store.stamp()))
        for source in ("keepgate", "claude")
    )

    assert undo != from_elsewhere
    assert undo != content_hash(plan(parts["remove"], author(), store, Budgets(), store.stamp()))


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=6)


@given(TEXTS, TEXTS)
def test_texts_share_a_hash_only_when_they_are_equal(hash_of, layer, one: str, other: str) -> None:
    """Normalisation, case and hidden characters all tell texts apart."""
    plain = {"layer": layer(), "agent_key": "", "tags": (), "source": "claude"}
    first, second = (hash_of(Add(draft=Draft(**plain, text=text))) for text in (one, other))

    assert (one == other) == (first == second)
