"""Export, import and adapters."""

import json
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.ops import SERVER_MESSAGES
from keepgate.protocol.settings import Budgets, TrackBudgets

RESULTS: dict[str, Any] = {message.name: message.result for message in SERVER_MESSAGES}
UW = {"track": "user", "scope": "workspace"}
FIELDS = [
    "id", "track", "scope", "workspaceKey", "agentKey", "text", "source", "tags", "version", "createdAt",
    "updatedAt", "lastRecalled", "recallCount", "sessionId",
]  # fmt: skip


def small(units: int) -> Budgets:
    """The same budget for every layer."""
    one = TrackBudgets(user_global=units, workspace=units)
    return Budgets(user=one, agent=one)


async def test_export_and_import_go_round(house: Any, tmp_path: Path) -> None:
    """DSH-8-export, DSH-8-import, A11, W19: text, tags, source, layer and privacy survive."""
    planner = house.client(agent="planner")
    await planner.add("private", tags=["a"], source="editor")
    await planner.add("shared", agentKey="")
    await planner.add("global", scope="user-global", track="agent")
    await planner.call("memory/query", text="private")
    before = len(await planner.rows())
    envelope = await planner.call("memory/export")
    other = house.client("s2", agent="planner", folders=("other",))
    file = tmp_path / "export.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(envelope).encode())

    result = await other.call("memory/import", path=str(file))

    assert before == len(await planner.rows()) - 4
    assert ("dsh-memento", "memory-export-v1", 4) == (
        envelope["plugin"],
        envelope["schema"],
        len(envelope["budgets"]),
    )
    assert FIELDS == list(envelope["entries"][0])
    kept = ("track", "scope", "agentKey", "text", "source", "tags")
    assert [[entry[name] for name in kept] for entry in envelope["entries"]] == [
        [entry[name] for name in kept] for entry in result["entries"]
    ]
    fresh = {(entry["version"], entry["recallCount"], entry["sessionId"]) for entry in result["entries"]}
    assert {(1, 0, "s2")} == fresh
    assert not {entry["id"] for entry in envelope["entries"]} & {entry["id"] for entry in result["entries"]}
    assert {house.key("other"), ""} == {entry["workspaceKey"] for entry in result["entries"]}
    assert 1 == len(other.person.questions)


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"plugin": "other", "schema": "memory-export-v1", "entries": []}, "$.payload.plugin"),
        ({"plugin": "dsh-memento", "schema": "memory-export-v2", "entries": []}, "$.payload.schema"),
        ({"plugin": "dsh-memento", "schema": "memory-export-v1"}, "$.payload.entries"),
        ({"plugin": "dsh-memento", "schema": "memory-export-v1", "entries": []}, "$.entries"),
        (
            {"plugin": "dsh-memento", "schema": "memory-export-v1", "entries": [{**UW, "text": "x"}] * 1001},
            "$.payload",
        ),
        ("text", "$.payload"),
    ],
)
async def test_envelopes_that_are_no_good(client: Any, payload: Any, path: str) -> None:
    """DSH-8-schema, DSH-8-limit: refused loudly, before anyone is asked."""
    fault = await client.fault("memory/import", payload=payload)

    assert (Code.INVALID_INPUT, path) == (fault.code, fault.details["problems"][0]["path"])
    assert [] == client.person.questions


async def test_a_dry_run_only_reports(build: Any) -> None:
    """It shows entries, usage and what would be refused, asks nobody and stores nothing."""
    client = (await build(budgets=small(5))).client()
    entries = [{**UW, "text": "12345"}, {**UW, "text": "6", "source": "Some Tool"}]
    payload = {"plugin": "dsh-memento", "schema": "memory-export-v1", "entries": entries}

    result = await client.call("memory/import", payload=payload, dryRun=True)

    assert (0, 2, 6) == (result["added"], len(result["entries"]), result["usage"][0]["used"])
    problems = {note["path"]: note["problem"] for note in result["problems"]}
    assert {"$.entries", "$.entries[1].source"} == problems.keys()
    assert "some-tool" in problems["$.entries[1].source"]
    assert ([], [], []) == (client.person.questions, await client.texts(), await client.rows())


async def test_an_export_over_1000_entries_comes_in_parts(build: Any) -> None:
    """A11, DSH-8-limit: each part is a valid envelope that an import takes."""
    client = (await build(budgets=small(100_000))).client()
    for _ in range(2):
        await client.call("memory/seed", entries=[{**UW, "text": f"note {number}"} for number in range(700)])

    parts = (await client.call("memory/export"))["parts"]

    assert [1000, 400] == [len(part["entries"]) for part in parts]
    assert {"memory-export-v1"} == {part["schema"] for part in parts}


async def test_adapters(house: Any) -> None:
    """DSH-9-register, DSH-9-built-in, DSH-9-not-found, DSH-9-payload: listed, used, refused."""
    client = house.client()
    listed = [info["id"] for info in (await client.call("adapters/list"))["adapters"]]

    imported = await client.call("memory/import", adapter="mem0", payload=[{"memory": "likes tea"}])
    exported = await client.call("memory/export", adapter="hermes-memory-md")
    unknown = await client.fault("memory/import", adapter="nobody", payload=[])
    refused = await client.fault("memory/import", adapter="hermes-memory-md", payload="- fine\n# Title\n")

    assert {"mem0", "hermes-memory-md", "claude-code-memory-md", "server-memory"} <= set(listed)
    assert ["likes tea"] == [entry["text"] for entry in imported["entries"]]
    assert "likes tea" in json.dumps(exported)
    assert (Code.ADAPTER_NOT_FOUND, {"adapterId": "nobody"}) == (unknown.code, unknown.details)
    assert (Code.ADAPTER_PAYLOAD, 2) == (refused.code, refused.details["line"])


async def test_an_adapter_of_a_client(house: Any) -> None:
    """DSH-9-register: adapters/adapt and adapters/export go to the client; it can withdraw its own only."""
    client = house.client()

    def run(method: str, params: Any) -> Any:
        kind = RESULTS[method]
        if method == "adapters/adapt":
            return kind(entries=[{**UW, "text": line} for line in params.payload])
        return kind(payload=[entry.text for entry in params.entries])

    client.adapter = run
    info = {
        "id": "lines",
        "name": "Lines",
        "description": "d",
        "version": "1",
        "importFormats": [],
        "exportFormat": "x",
    }
    await client.call("adapters/register", **info)

    imported = await client.call("memory/import", adapter="lines", payload=["one", "two"])
    exported = await client.call("memory/export", adapter="lines")
    twice = await client.fault("adapters/register", **info)
    await client.call("adapters/unregister", id="lines")
    gone = await client.fault("adapters/unregister", id="lines")
    built_in = await client.fault("adapters/unregister", id="mem0")

    assert (2, ["one", "two"]) == (imported["added"], exported)
    assert [Code.INVALID_INPUT, Code.ADAPTER_NOT_FOUND, Code.ADAPTER_NOT_FOUND] == [
        fault.code for fault in (twice, gone, built_in)
    ]


async def test_an_adapter_of_a_client_that_fails(house: Any) -> None:
    """DSH-9-payload: whatever the client answers, the caller gets ADAPTER_PAYLOAD."""
    client = house.client()
    info = {
        "id": "lines",
        "name": "Lines",
        "description": "d",
        "version": "1",
        "importFormats": [],
        "exportFormat": "x",
    }
    await client.call("adapters/register", **info)

    failed = await client.fault("memory/import", adapter="lines", payload=1)
    client.adapter = lambda method, params: RESULTS[method](entries=[{"text": 5}])
    malformed = await client.fault("memory/import", adapter="lines", payload=1)

    assert {Code.ADAPTER_PAYLOAD} == {failed.code, malformed.code}


async def test_a_remote_caller_names_no_file(house: Any, tmp_path: Path) -> None:
    """R-LOCAL: whoever is not at this machine sends the payload itself."""
    (tmp_path / "MEMORY.md").write_text("- a secret of the disk\n")
    client = house.client(remote=True)
    named = {"path": str(tmp_path / "MEMORY.md"), "adapter": "claude-code-memory-md", "dryRun": True}

    fault = await client.fault("memory/import", **named)

    assert (Code.INVALID_INPUT, "$.path") == (fault.code, fault.details["problems"][0]["path"])


async def test_budgets_of_an_export_are_those_of_its_session(house: Any) -> None:
    """DSH-8: also of the default session, whose entries the export holds."""
    client = house.client(None, folders=("one", "two"))
    await client.call("session/open", id="s", cwd=str(house.folder / "two"), default=True)
    await client.add("12345")

    envelope = await client.call("memory/export")

    assert (["12345"], 5) == (
        [entry["text"] for entry in envelope["entries"]],
        next(
            row["used"]
            for row in envelope["budgets"]
            if row["track"] == "user" and row["scope"] == "workspace"
        ),
    )


@pytest.mark.parametrize("adapter", [None, "claude-code-memory-md"])
async def test_of_too_many_entries_no_more_are_read_than_it_takes_to_say_so(
    client: Any, adapter: Any
) -> None:
    """An entry beyond the first that is too many is not even looked at."""
    good = {"track": "user", "scope": "workspace", "text": "x"}
    envelope = {"plugin": "dsh-memento", "schema": "memory-export-v1", "entries": [good] * 1001 + ["broken"]}
    payload = envelope if adapter is None else "- word of a list\n" * 1002

    fault = await client.fault("memory/import", payload=payload, **({"adapter": adapter} if adapter else {}))

    assert "more than 1000" in fault.message
