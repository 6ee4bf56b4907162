"""Writes from the command line, their owner letting them through without a question."""

import pytest

from keepgate.protocol.entries import Entry
from keepgate.protocol.wire import structure

TEXT = "Prefers small commits."


@pytest.fixture
def entry(keepgate):
    """A memory in a store whose owner lets writes through."""
    keepgate.trusting()
    return structure(keepgate.here("--json", "add", TEXT, "--tag", "git").json["entry"], Entry)


def test_writing_commands_change_the_store(keepgate, entry):
    """Add, replace, consolidate, remove and undo each do what they say, and say what they did."""
    replaced = keepgate.here("replace", "small", "Prefers tiny commits.")
    keepgate.here("add", "Signs commits.")
    consolidated = keepgate.here(
        "consolidate", "tiny", "Signs", "--into", "Tiny, signed commits.", "--tag", "git"
    )
    removed = keepgate.here("remove", "signed")
    undone = keepgate.here("undo", str(newest(keepgate)["seq"]))

    assert f"Changed {entry.id} to version 2; user/workspace holds 21 of 2000.\n" == replaced.out
    assert "in the place of 2 memories; user/workspace holds 21 of 2000.\n" in consolidated.out
    assert "user/workspace holds 0 of 2000.\n" in removed.out
    assert undone.out.startswith("Restored ")
    assert [("Tiny, signed commits.", ["git"])] == stored(keepgate)


@pytest.mark.parametrize("short", [False, True], ids=["whole id", "beginning of the id"])
def test_an_id_alone_names_a_memory_of_any_layer(keepgate, short):
    """With ``--id`` the layer is the memory's own, so nobody has to know it."""
    keepgate.trusting()
    line = ("--json", "add", "x", "--track", "agent", "--scope", "user-global")
    named = keepgate.here(*line).json["entry"]["id"][: 8 if short else None]

    replaced = keepgate.here("replace", "--id", named, "--version", "1", "y")
    stale = keepgate.here("replace", "--id", named, "--version", "1", "z")
    removed = keepgate.here("remove", "--id", named)

    assert (0, 4, 0, []) == (replaced.code, stale.code, removed.code, stored(keepgate))


def test_memories_can_be_consolidated_by_id(keepgate):
    """Several ``--id`` take the place of the matches."""
    keepgate.trusting()
    ids = [
        keepgate.here("--json", "add", text, "--track", "agent").json["entry"]["id"] for text in ("a", "b")
    ]

    keepgate.here("consolidate", "--id", ids[0], "--id", ids[1][:8], "--into", "ab")

    assert [("ab", [])] == stored(keepgate)


def test_an_ambiguous_beginning_of_an_id_is_refused(keepgate, tmp_path):
    """A beginning that two ids share is no name; the answer lists them."""
    from keepgate.cli.ids import _the_one
    from keepgate.protocol.errors import Fault

    with pytest.raises(Fault) as raised:
        _the_one(["abcd-1", "abcd-2"], "abcd")

    assert ("AMBIGUOUS_MATCH", ["abcd-1", "abcd-2"]) == (raised.value.code, raised.value.details["sample"])


def test_tags_stay_unless_they_are_given_or_taken_off(keepgate, entry):
    """A replacement keeps the tags, replaces them with ``--tag``, and clears them with ``--no-tags``."""
    keepgate.here("replace", "small", "one")
    kept = stored(keepgate)
    keepgate.here("replace", "one", "two", "--tag", "a", "--tag", "b")
    given = stored(keepgate)
    keepgate.here("replace", "two", "three", "--no-tags")

    assert [("one", ["git"])] == kept
    assert [("two", ["a", "b"])] == given
    assert [("three", [])] == stored(keepgate)


def test_text_from_stdin_is_stored_as_it_is(keepgate):
    """All bytes count but the one line end that ``echo`` adds, be it LF or CRLF."""
    keepgate.trusting()
    for given in (b"a\r\nb\r\n", b" c \n\n", "漢字 \U0001f980".encode(), b"d\r"):
        keepgate.here("add", "-", stdin=given)

    assert ["a\r\nb", " c \n", "漢字 \U0001f980", "d\r"] == [text for text, _ in stored(keepgate)]


def test_a_removed_memory_still_has_a_history(keepgate, entry):
    """Its whole id leads to the ledger's account of it."""
    keepgate.here("remove", "small")

    assert 4 == keepgate.here("show", entry.id).code
    assert "remove" in keepgate.here("history", entry.id).out
    assert "This memory was removed." in keepgate.here("why", entry.id).out


def stored(keepgate):
    """Texts and tags in the order they came."""
    return [(entry["text"], entry["tags"]) for entry in keepgate.here("--json", "list").json["entries"]]


def newest(keepgate):
    """The newest ledger row."""
    return keepgate.here("--json", "audit", "--limit", "1").json["rows"][0]
