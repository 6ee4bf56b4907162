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
from keepgate.protocol.looking_back import SessionTaintResult
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
        ("session taint s1 --source page", SessionTaintResult),
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
        ("status", "ok\n"),
        ("proposals", "No proposals."),
        ("export", '"plugin": "dsh-memento"'),
        ("call memory/budgets", '"budgets": ['),
        ("doctor", "ok  ledger: 1 rows, and their replay equals the store"),
        ("doctor", "ok  pages: the file is sound"),
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
        if "COMMAND [ARGS]..." not in shown:
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
