"""Finding the one entry that a write means (DSH-3, DSH-4)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.core.model.text import units
from keepgate.core.writing.change import ById, ByMatch
from keepgate.core.writing.match import contains, named, resolve, resolve_all
from keepgate.protocol.errors import Code, Fault

LETTERS = st.text(st.sampled_from("aAbBZzßäÄΣσς\u212akKİiı记忆Ａ\u0301é\U0001f44d"), max_size=12)


def by_brute_force(text: str, match: str) -> bool:
    """Compare at every place, letter by letter."""
    pairs = {ord(small) - 32: small for small in "abcdefghijklmnopqrstuvwxyz"}
    text, match = text.translate(pairs), match.translate(pairs)
    return any(text[start : start + len(match)] == match for start in range(len(text) + 1))


@example("ΟΔΟΣΑ", "ΟΔΟΣ")
@example("ISTANBUL", "istanbul")
@given(LETTERS, LETTERS)
def test_matching_is_a_substring_test_with_ascii_folding(text: str, match: str) -> None:
    """Agrees with a letter-by-letter comparison, also where Unicode folding depends on context."""
    assert by_brute_force(text, match) == contains(text, match)


@pytest.mark.parametrize(
    ("expected", "text", "match"),
    [
        (True, "Istanbul", "ISTANBUL"),
        (True, "100% _literal_", "% _"),
        (True, " padded ", " padded"),
        (True, "记忆与工作区", "忆与"),
        (True, "\U0001f44d\U0001f3fd", "\U0001f44d"),
        (True, "a", ""),
        (False, "padded", " padded"),
        (False, "Ä", "ä"),
        (False, "Straße", "STRASSE"),
        (False, "\u212a", "k"),
        (False, "İ", "i"),
        (False, "Ａ", "a"),
        (False, "é", "e\u0301"),
    ],
)
def test_nothing_but_ascii_case_is_folded(expected: bool, text: str, match: str) -> None:
    """No trimming, no normalising, no wildcards."""
    assert expected == contains(text, match)


def test_the_one_entry_that_contains_the_match_is_meant(store_of, entry, layer, author) -> None:
    """Case of ASCII letters aside."""
    knots, metres = entry("Speed is in knots."), entry("Depth is in metres.")

    assert metres == resolve(store_of(knots, metres), layer(), author(), ByMatch("METRES"))


def test_no_entry_is_not_found(store_of, entry, layer, author) -> None:
    """The fault repeats what was asked for."""
    with pytest.raises(Fault) as caught:
        resolve(store_of(entry("Speed is in knots.")), layer(), author(), ByMatch("metres"))

    assert Code.ENTRY_NOT_FOUND is caught.value.code
    assert {"track": "user", "scope": "workspace", "match": "metres"} == caught.value.details


@pytest.mark.parametrize("count", [2, 10, 11, 25])
def test_several_entries_are_ambiguous(count: int, store_of, entry, layer, author) -> None:
    """All are counted, at most ten are shown, in creation order."""
    texts = [f"Tide {number}" for number in range(count)]

    with pytest.raises(Fault) as caught:
        resolve(store_of(*map(entry, texts)), layer(), author(), ByMatch("tide"))

    assert Code.AMBIGUOUS_MATCH is caught.value.code
    assert {
        "track": "user",
        "scope": "workspace",
        "match": "tide",
        "candidates": count,
        "sample": texts[:10],
    } == caught.value.details


@given(st.lists(st.text(st.sampled_from("a\U0001f44d"), min_size=190, max_size=230), min_size=2, max_size=3))
def test_samples_are_excerpts(store_of, entry, layer, author, texts: list[str]) -> None:
    """Each is cut to 200 units and an ellipsis, never inside a pair."""
    entries = [entry(f"x{text}", id=f"e-{index}") for index, text in enumerate(texts)]

    with pytest.raises(Fault) as caught:
        resolve(store_of(*entries), layer(), author(), ByMatch("x"))

    for item, shown in zip(entries, caught.value.details["sample"], strict=True):
        kept = shown.removesuffix("…")
        assert item.text.startswith(kept)
        assert item.text == shown or 199 <= units(kept) <= 200


HIDDEN = [
    {"layer": "user/workspace", "workspace_key": "/srv/charts"},
    {"layer": "agent/workspace"},
    {"layer": "user/user-global"},
    {"layer": "user/workspace", "agent_key": "cook"},
]


@pytest.mark.parametrize("fields", HIDDEN)
def test_entries_out_of_sight_are_neither_found_nor_shown(
    fields: dict[str, str], store_of, entry, layer, author
) -> None:
    """Another workspace, another layer, another preset: they neither match nor make a match ambiguous."""
    hidden = entry("Tide of theirs", id="theirs", **fields)
    mine = entry("Tide of ours", id="ours", agent_key="pilot")
    store = store_of(hidden, mine)

    assert mine == resolve(store, layer(), author("pilot"), ByMatch("tide"))
    with pytest.raises(Fault) as caught:
        resolve(store, layer(), author("pilot"), ByMatch("of theirs"))
    assert Code.ENTRY_NOT_FOUND is caught.value.code


@pytest.mark.parametrize("fields", HIDDEN)
def test_an_id_opens_no_entry_out_of_sight(fields: dict[str, str], store_of, entry, layer, author) -> None:
    """An id from elsewhere is answered like an unknown one."""
    store = store_of(entry("Tide of theirs", id="theirs", **fields))

    with pytest.raises(Fault) as caught:
        resolve(store, layer(), author("pilot"), ById("theirs"))

    assert Code.ENTRY_NOT_FOUND is caught.value.code
    assert {"track": "user", "scope": "workspace", "match": "theirs"} == caught.value.details


@pytest.mark.parametrize("target", [ByMatch("tide"), ById("there")])
@pytest.mark.parametrize("workspace_key", ["/srv/tides", ""])
def test_a_layer_of_another_workspace_is_out_of_sight(
    target: ByMatch | ById, workspace_key: str, store_of, entry, layer, author
) -> None:
    """Naming another workspace's layer does not reach it, whoever forgot to check."""
    store = store_of(entry("Tide there", id="there", workspace_key="/srv/charts"))
    there = layer("user/workspace", "/srv/charts")

    with pytest.raises(Fault) as caught:
        resolve(store, there, author("", workspace_key), target)

    assert Code.ENTRY_NOT_FOUND is caught.value.code


def test_an_id_may_name_its_version(store_of, entry, layer, author) -> None:
    """The version that is there passes, with or without being named."""
    tide = entry("Tide", id="e-1", version=3)
    store = store_of(tide)

    assert tide == resolve(store, layer(), author(), ById("e-1", 3))
    assert tide == resolve(store, layer(), author(), ById("e-1"))


def test_an_id_of_another_version_is_not_found(store_of, entry, layer, author) -> None:
    """The fault says which version is there."""
    with pytest.raises(Fault) as caught:
        resolve(store_of(entry("Tide", id="e-1", version=3)), layer(), author(), ById("e-1", 2))

    assert "version 2 was asked for, the entry is at version 3" == caught.value.details["reason"]


def test_targets_are_found_in_the_order_given(store_of, entry, layer, author) -> None:
    """Matches and ids may be mixed."""
    first, second = entry("Tide"), entry("Moon")

    assert (second, first) == resolve_all(
        store_of(first, second), layer(), author(), (ById(second.id), ByMatch("tide"))
    )


@pytest.mark.parametrize("again", [ByMatch("ide"), ById("id-of-Tide")])
def test_two_targets_cannot_be_one_entry(again: ByMatch | ById, store_of, entry, layer, author) -> None:
    """What an earlier target took is not there for the next; the fault names the later one."""
    with pytest.raises(Fault) as caught:
        resolve_all(store_of(entry("Tide")), layer(), author(), (ByMatch("Tide"), again))

    assert Code.ENTRY_NOT_FOUND is caught.value.code
    assert named(again) == caught.value.details["match"]
    assert "another match already names that entry" == caught.value.details["reason"]
