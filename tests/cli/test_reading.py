"""What reads show, to whom, and from which workspace and store."""

import pytest

from keepgate.protocol.entries import Entry
from keepgate.protocol.wire import structure

TEXT = "Prefers small commits."


@pytest.fixture
def entry(keepgate):
    """A memory in a store whose owner lets writes through."""
    keepgate.trusting()
    return structure(keepgate.here("--json", "add", TEXT, "--tag", "git").json["entry"], Entry)


def test_an_agents_private_memory_is_seen_with_its_name(keepgate):
    """``--agent`` writes what its own sessions see, and the management view; ``--shared`` what all see."""
    keepgate.trusting()
    keepgate.here("add", "private", "--agent", "reviewer")
    keepgate.here("add", "shared", "--agent", "reviewer", "--shared")

    def seen(*options):
        return sorted(entry["text"] for entry in keepgate.here("--json", "query", *options).json["entries"])

    assert ["private", "shared"] == seen()
    assert ["shared"] == seen("--as-session")
    assert ["shared"] == seen("--agent", "tester")
    assert ["private", "shared"] == seen("--agent", "reviewer")


def test_looking_counts_no_recall_but_a_sessions_query_does(keepgate, entry):
    """The owner's own look leaves the counters alone; ``--as-session`` is a recall like any other."""
    keepgate.here("query", "small")
    unmoved = keepgate.here("--json", "show", entry.id).json["entry"]["recallCount"]
    keepgate.here("query", "small", "--as-session")

    assert (0, 1) == (unmoved, keepgate.here("--json", "show", entry.id).json["entry"]["recallCount"])


def test_each_snapshot_is_taken_for_a_session_of_its_own(keepgate, entry):
    """A later snapshot shows what was added since the one before: none was frozen for anybody else."""
    first = keepgate.here("snapshot").out
    keepgate.here("add", "Signs commits.")

    second = keepgate.here("snapshot").out

    assert ("Signs" in first, "Signs" in second) == (False, True)


def test_pages_follow_one_another(keepgate):
    """The cursor that a page prints leads to the next one, until the end."""
    keepgate.trusting()
    for text in ("a", "b", "c"):
        keepgate.here("add", text)

    first = keepgate.here("--json", "list", "--limit", "2").json
    second = keepgate.here("--json", "list", "--limit", "2", "--after", first["next"]).json
    said = keepgate.here("list", "--limit", "2").out

    assert (["a", "b"], ["c"], None) == (
        [entry["text"] for entry in first["entries"]],
        [entry["text"] for entry in second["entries"]],
        second["next"],
    )
    assert f"More follow: keepgate list --after {first['next']}" in said


def test_the_ledger_can_be_filtered(keepgate, entry):
    """By action, memory, session, and backwards from a row."""
    keepgate.here("replace", "small", "other")

    def seqs(*options):
        return [row["seq"] for row in keepgate.here("--json", "audit", *options).json["rows"]]

    assert ([2], [1], [2, 1], [1], [1]) == (
        seqs("--action", "replace"),
        seqs("--before", "2"),
        seqs("--entry", entry.id[:8]),
        seqs("--session", entry.session_id),
        seqs("--before", "2", "--limit", "1"),
    )


def test_more_hits_than_shown_are_announced(keepgate, entry):
    """A query that was cut says how many there are."""
    keepgate.here("add", "Signs commits.")

    assert "1 of 2 shown; see more with --limit or --offset." in keepgate.here("query", "--limit", "1").out


def test_the_workspace_can_be_named(keepgate, entry, tmp_path):
    """``--workspace`` looks into another one; ``--all-workspaces`` into all."""
    other = tmp_path / "other"
    other.mkdir()

    there = keepgate.here("--json", "--workspace", str(other), "list").json["entries"]
    everywhere = keepgate.here("--json", "--workspace", str(other), "list", "--all-workspaces").json[
        "entries"
    ]

    assert ([], [entry.id]) == (there, [item["id"] for item in everywhere])


def test_a_folder_below_the_workspace_belongs_to_it(keepgate, entry):
    """The workspace is found from the working directory upwards."""
    below = keepgate.workspace / "src" / "deep"
    below.mkdir(parents=True)

    listed = keepgate.here("--json", "list", cwd=below)

    assert [entry.id] == [item["id"] for item in listed.json["entries"]]


def test_the_store_can_be_named(keepgate, entry, tmp_path):
    """``--store`` opens another file, for every command and for ``where``."""
    store = tmp_path / "elsewhere" / "memory.db"

    listed = keepgate.here("--json", "--store", str(store), "list").json["entries"]
    where = keepgate.here("--json", "--store", str(store), "where").json["store"]

    assert ([], {"path": str(store), "exists": True}) == (listed, where)


def test_the_root_of_the_file_system_is_no_workspace_but_no_hindrance(keepgate, entry):
    """From ``/`` the store can be looked after, and what holds everywhere can be read and written."""
    from pathlib import Path

    root = Path(keepgate.workspace.anchor)
    codes = [keepgate.here(*words, cwd=root).code for words in (["status"], ["verify"], ["doctor"], ["list"])]

    everywhere = keepgate.here("add", "x", "--scope", "user-global", cwd=root)
    here = keepgate.here("--json", "add", "y", cwd=root)

    assert ([0, 0, 0, 0], 0) == (codes, everywhere.code)
    assert (2, "INVALID_INPUT") == (here.code, here.json["error"]["code"])


@pytest.mark.parametrize(
    ("mark", "arguments", "rule"),
    [(None, (), "directory"), (".git", (), "marker"), (None, ("--workspace", "."), "given")],
    ids=["directory", "marker", "given"],
)
def test_the_rule_that_found_the_workspace_is_echoed(keepgate, mark, arguments, rule):
    """Where no editor names the folder, the answer says how it was found."""
    if mark is not None:
        (keepgate.workspace / mark).mkdir()

    found = keepgate.here("--json", *arguments, "status").json["workspaces"]

    assert [(str(keepgate.workspace), rule)] == [(item["key"], item["rule"]) for item in found]
