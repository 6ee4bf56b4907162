"""Every command, for a program and for a person."""

import json
import subprocess
import sys

import pytest

from keepgate.protocol.entries import (
    AuditResult,
    BudgetsResult,
    Entry,
    HistoryResult,
    ListResult,
    QueryResult,
    SnapshotResult,
    StatusResult,
    VerifyResult,
    WhyResult,
)
from keepgate.protocol.proposals import ProposalsListResult
from keepgate.protocol.wire import structure

TEXT = "Prefers small commits."


@pytest.fixture
def entry(keepgate):
    """A memory in a store whose owner lets writes through."""
    keepgate.trusting()
    return structure(keepgate.here("--json", "add", TEXT, "--tag", "git").json["entry"], Entry)


@pytest.mark.parametrize(
    ("command", "cls"),
    [
        ("query small", QueryResult),
        ("list", ListResult),
        ("history ID", HistoryResult),
        ("why ID", WhyResult),
        ("budgets", BudgetsResult),
        ("snapshot", SnapshotResult),
        ("audit", AuditResult),
        ("verify", VerifyResult),
        ("status", StatusResult),
        ("proposals list", ProposalsListResult),
        ("export", None),
        ("call memory/query", QueryResult),
        ("doctor", None),
        ("where", None),
        ("schema Entry", None),
        ("schema", None),
        ("completion bash", None),
    ],
)
def test_json_is_one_document_in_wire_form(keepgate, entry, command, cls):
    """With ``--json``, before or after the command's name, stdout is one document and stderr stays empty."""
    words = [word.replace("ID", entry.id) for word in command.split()]

    after, before = keepgate.here(*words, "--json"), keepgate.here("--json", *words)

    assert (0, "", 0, "") == (after.code, after.err, before.code, before.err)
    assert isinstance(before.json, dict)
    if cls is not None:
        assert isinstance(structure(after.json, cls), cls)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("query small", TEXT),
        ("query nowhere", "Nothing found."),
        ("list", TEXT),
        ("show ID", "kept for   every agent"),
        ("show SHORT", TEXT),
        ("history ID", "Prefers small commits."),
        ("why ID", "Version 1, add: allowed-once (via policy, writePolicy auto)"),
        ("budgets", "user/workspace       22  2000  1 %"),
        ("snapshot", "- Prefers small commits."),
        ("audit", "allowed-once (via policy, writePolicy auto)"),
        ("audit --action remove", "The ledger has no such rows."),
        ("verify", "The ledger holds: 1 rows, and replaying them gives this store."),
        ("status", "ok: ok"),
        ("proposals", "No proposals."),
        ("export", '"plugin": "dsh-memento"'),
        ("call memory/budgets", '"budgets": ['),
        ("doctor", "ok  ledger: 1 rows, and their replay equals the store"),
        ("where", "memory.db"),
        ("schema Entry", '"$defs"'),
        ("schema", "memory/add"),
        ("completion bash", "_KEEPGATE_COMPLETE"),
    ],
)
def test_people_read_text(keepgate, entry, command, shown):
    """Without ``--json`` the same command answers in words, and stderr stays empty."""
    words = [word.replace("ID", entry.id).replace("SHORT", entry.id[:6]) for word in command.split()]

    done = keepgate.here(*words)

    assert (0, "") == (done.code, done.err)
    assert shown in done.out


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


def test_call_speaks_any_method_with_params_from_stdin(keepgate, entry):
    """``-`` reads the params; writes speak for the command's session, and a null session is left as it is."""
    found = keepgate.here("call", "memory/query", "-", stdin=b'{"text": "small"}').json
    added = keepgate.here("call", "memory/add", '{"track": "user", "scope": "workspace", "text": "x"}').json
    without = keepgate.here(
        "--json",
        "call",
        "memory/add",
        '{"track": "user", "scope": "workspace", "text": "y", "session": null}',
    )

    assert [entry.id] == [item["id"] for item in found["entries"]]
    assert added["entry"]["sessionId"].startswith("cli-")
    assert (2, "WRITE_REQUIRES_AGENT") == (without.code, without.json["error"]["code"])


def test_text_from_stdin_is_stored_as_it_is(keepgate):
    """All bytes count but the one line end that ``echo`` adds, be it LF or CRLF."""
    keepgate.trusting()
    for given in (b"a\r\nb\r\n", b" c \n\n", "漢字 \U0001f980".encode(), b"d\r"):
        keepgate.here("add", "-", stdin=given)

    assert ["a\r\nb", " c \n", "漢字 \U0001f980", "d\r"] == [text for text, _ in stored(keepgate)]


@pytest.mark.parametrize(
    "name", ["Entry", "memory/add", "dsh-memory-protocol-v1", "keepgate-settings", "openrpc"]
)
def test_schemas_are_json_schemas_of_their_own(keepgate, name):
    """What is printed needs nothing beside it."""
    printed = keepgate.here("schema", name).json

    if name != "openrpc":
        import jsonschema

        jsonschema.Draft202012Validator.check_schema(printed)
    assert "" not in [ref.partition("#")[2] for ref in references(printed)]


def test_the_schema_of_an_entry_accepts_an_entry(keepgate, entry):
    """The printed schema and the printed entry fit."""
    import jsonschema

    printed = keepgate.here("schema", "Entry").json
    shown = keepgate.here("--json", "show", entry.id).json["entry"]

    assert [] == list(jsonschema.Draft202012Validator(printed).iter_errors(shown))


def test_every_command_has_a_short_help_with_an_example(keepgate):
    """``--help`` of each is a screenful at most and shows how to call it."""
    from keepgate.cli.root import COMMANDS

    for name in COMMANDS:
        shown = keepgate.here(name, "--help").out
        if name != "proposals":
            assert f"Example:\n  keepgate {name}" in shown, name
        assert 45 > shown.count("\n"), name


def test_the_list_of_commands_names_every_command(keepgate):
    """``--help`` lists all commands and the exit codes."""
    from keepgate.cli.root import COMMANDS

    shown = keepgate.here("--help").out

    assert [] == [name for name in COMMANDS if f"\n  {name} " not in shown]
    assert "3 denied" in shown


def references(schema):
    """Every ``$ref`` in a schema."""
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def stored(keepgate):
    """Texts and tags in the order they came."""
    return [(entry["text"], entry["tags"]) for entry in keepgate.here("--json", "list").json["entries"]]


def newest(keepgate):
    """The newest ledger row."""
    return keepgate.here("--json", "audit", "--limit", "1").json["rows"][0]


def test_the_root_of_the_file_system_is_no_workspace_but_no_hindrance(keepgate, entry):
    """From ``/`` the store can be looked after, and what holds everywhere can be read and written."""
    from pathlib import Path

    root = Path(keepgate.workspace.anchor)
    codes = [keepgate.here(*words, cwd=root).code for words in (["status"], ["verify"], ["doctor"], ["list"])]

    everywhere = keepgate.here("add", "x", "--scope", "user-global", cwd=root)
    here = keepgate.here("--json", "add", "y", cwd=root)

    assert ([0, 0, 0, 0], 0) == (codes, everywhere.code)
    assert (2, "INVALID_INPUT") == (here.code, here.json["error"]["code"])


def test_more_hits_than_shown_are_announced(keepgate, entry):
    """A query that was cut says how many there are."""
    keepgate.here("add", "Signs commits.")

    assert "1 of 2 shown; see more with --limit or --offset." in keepgate.here("query", "--limit", "1").out


def test_a_removed_memory_still_has_a_history(keepgate, entry):
    """Its whole id leads to the ledger's account of it."""
    keepgate.here("remove", "small")

    assert 4 == keepgate.here("show", entry.id).code
    assert "remove" in keepgate.here("history", entry.id).out
    assert "This memory was removed." in keepgate.here("why", entry.id).out


def test_serve_speaks_the_protocol_from_the_command_line(keepgate, tmp_path):
    """``keepgate --store PATH serve --framing lines`` serves that store and ends with the client."""
    store = str(tmp_path / "served.db")
    line = [sys.executable, "-m", "keepgate", "--store", store, "serve", "--stdio", "--framing", "lines"]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=keepgate.environ, cwd=keepgate.workspace
    ) as serving:
        assert serving.stdin is not None
        assert serving.stdout is not None

        def send(**message):
            serving.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            serving.stdin.flush()

        send(id=1, method="initialize", params={"processId": None, "capabilities": {}})
        announced = json.loads(serving.stdout.readline())["result"]["capabilities"]["experimental"][
            "keepgate"
        ]
        send(method="initialized", params={})
        send(id=2, method="shutdown")
        while json.loads(serving.stdout.readline()).get("id") != 2:
            pass
        send(method="exit")
        code = serving.wait(30)

    assert (0, store, "lines") == (code, announced["storePath"], announced["framing"])


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
