"""Sections 8, 9 and 10 of the contract: export, import, adapters, and the suite itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.errors import Fault

LAYER = {"track": "user", "scope": "workspace"}
SCHEMA = Path(__file__).parents[2] / "schemas/dsh-memory-protocol-v1.schema.json"
NOTES = {
    "id": "notes", "name": "Notes", "description": "One a line.", "version": "1",
    "importFormats": ["text/plain"], "exportFormat": "text/plain",
}  # fmt: skip


async def test_an_export_is_a_document_of_the_contract(provider: Any) -> None:
    """DSH-8-export: it validates against the contract's schema, asks nobody and writes no row."""
    jsonschema = pytest.importorskip("jsonschema", reason="a development dependency")
    await provider.add("Likes tea.", tags=["drink"], session={"id": "s1", "agentPreset": "one"})
    provider.person.questions.clear()
    rows = await provider.rows()
    document = await provider.call("memory/export", session=None)
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))

    assert ("dsh-memento", "memory-export-v1") == (document["plugin"], document["schema"])
    assert [("Likes tea.", "one", "s1")] == [
        (entry["text"], entry["agentKey"], entry["sessionId"]) for entry in document["entries"]
    ]
    assert (rows, []) == (await provider.rows(), provider.person.questions)


async def test_what_was_exported_comes_back(open_provider: Any) -> None:
    """DSH-8-import: one question; text, layer, tags, source and sharing stay, the rest is fresh."""
    async with open_provider() as provider:
        shared = await provider.add("Likes tea.", tags=["drink"], source="notes")
        await provider.add("of one", session={"id": "s1", "agentPreset": "one"})
        await provider.call("memory/query")
        document = await provider.call("memory/export", session=None)
    async with open_provider(home="other") as provider:
        result = await provider.call(
            "memory/import", payload=document, session={"id": "s9", "agentPreset": "one"}
        )
        questions = provider.person.questions
        rows = [row["action"] for row in await provider.rows()]

    kept = ("text", "track", "scope", "workspaceKey", "agentKey", "tags", "source")
    assert [[entry[name] for name in kept] for entry in document["entries"]] == [
        [entry[name] for name in kept] for entry in result["entries"]
    ]
    assert [(1, 0, None, "s9")] * 2 == [
        (entry["version"], entry["recallCount"], entry["lastRecalled"], entry["sessionId"])
        for entry in result["entries"]
    ]
    assert shared["id"] not in {entry["id"] for entry in result["entries"]}
    assert (["seed"], ["seed", "add", "add"]) == ([question["action"] for question in questions], rows)


async def test_a_dry_run_only_tells(open_provider: Any) -> None:
    """DSH-8-import: nobody is asked, nothing is stored, a layer that would be over is named."""
    async with open_provider(budgets={"user": {"userGlobal": 10}}) as provider:
        result = await provider.call(
            "memory/import", adapter="hermes-memory-md", payload="- 123456\n- 7890ab\n", dryRun=True
        )

        assert (0, ["123456", "7890ab"]) == (result["added"], [entry["text"] for entry in result["entries"]])
        assert [True] == ["12 of 10" in note["problem"] for note in result["problems"]]
        assert ([], []) == (await provider.texts(), provider.person.questions)


async def test_an_unknown_document_is_refused(provider: Any, fault_of: Any) -> None:
    """DSH-8-schema, DSH-7-INVALID_INPUT: loudly, and nothing is stored."""
    document = await provider.call("memory/export", session=None)
    document["entries"] = [{**LAYER, "text": "Likes tea."}]
    changes = [{"schema": "memory-export-v2"}, {"plugin": "other"}, {"entries": {}}, {"entries": []}]

    faults = [
        await fault_of(provider.call("memory/import", payload={**document, **change})) for change in changes
    ]

    assert ["INVALID_INPUT"] * 4 == [fault.code for fault in faults]
    assert [] == await provider.texts()


@pytest.mark.parametrize(("count", "fits"), [(1000, True), (1001, False)])
async def test_an_import_has_a_limit(open_provider: Any, count: int, fits: bool) -> None:
    """DSH-8-limit: a thousand entries, not one more."""
    payload = "".join(f"- {number}\n" for number in range(count))
    async with open_provider(budgets={"user": {"userGlobal": 10**6}}) as provider:
        call = provider.call("memory/import", adapter="hermes-memory-md", payload=payload)
        if fits:
            assert count == (await call)["added"]
        else:
            with pytest.raises(Fault, match="1000"):
                await call
            assert [] == await provider.texts()


async def test_the_adapters_of_the_contract_are_there(provider: Any) -> None:
    """DSH-9-built-in: sorted, with the three that the contract names."""
    ids = [info["id"] for info in (await provider.call("adapters/list"))["adapters"]]

    assert sorted(ids) == ids
    assert {"mem0", "hermes-memory-md", "claude-code-memory-md"} <= set(ids)


@pytest.mark.parametrize("method", ["import", "export"])
async def test_an_unknown_adapter_is_named(provider: Any, fault_of: Any, method: str) -> None:
    """DSH-9-not-found, DSH-7-ADAPTER_NOT_FOUND."""
    payload = {"payload": "x"} if method == "import" else {}

    fault = await fault_of(provider.call(f"memory/{method}", adapter="nobody", **payload))

    assert ("ADAPTER_NOT_FOUND", {"adapterId": "nobody"}) == (fault.code, fault.details)


@pytest.mark.parametrize(
    ("adapter", "payload", "line"),
    [("hermes-memory-md", "- fine\n# not fine\n", 2), ("mem0", {"messages": []}, None)],
)
async def test_a_payload_that_does_not_fit_is_refused(
    provider: Any, fault_of: Any, adapter: str, payload: Any, line: int | None
) -> None:
    """DSH-9-payload, DSH-7-ADAPTER_PAYLOAD: with the adapter and, in text, the line."""
    fault = await fault_of(provider.call("memory/import", adapter=adapter, payload=payload))

    assert ("ADAPTER_PAYLOAD", adapter, line) == (
        fault.code,
        fault.details["adapterId"],
        fault.details.get("line"),
    )
    assert [] == await provider.texts()


async def test_adapters_are_registered_and_withdrawn(provider: Any, fault_of: Any) -> None:
    """DSH-9-register: listed while they are there; an id is taken once; the built-in ones stay."""
    await provider.call("adapters/register", **NOTES)
    listed = [info["id"] for info in (await provider.call("adapters/list"))["adapters"]]
    taken = await fault_of(provider.call("adapters/register", **NOTES))
    await provider.call("adapters/unregister", id="notes")
    left = [info["id"] for info in (await provider.call("adapters/list"))["adapters"]]
    built_in = await fault_of(provider.call("adapters/unregister", id="mem0"))

    assert ("notes" in listed, "notes" in left) == (True, False)
    assert ("INVALID_INPUT", "ADAPTER_NOT_FOUND") == (taken.code, built_in.code)


@pytest.mark.parametrize("adapter", ["mem0", "hermes-memory-md", "claude-code-memory-md", "server-memory"])
async def test_converting_writes_nothing(provider: Any, adapter: str) -> None:
    """DSH-9-pure: an export through an adapter gives data and changes nothing."""
    await provider.add("Likes tea.")
    rows = await provider.rows()

    assert "Likes tea." in json.dumps(await provider.call("memory/export", adapter=adapter))
    assert rows == await provider.rows()


async def test_sessions_are_opened_and_closed(provider: Any, fault_of: Any) -> None:
    """DSH-2-visibility: a default session speaks for requests that carry none, until it is closed."""
    opened = await provider._send("session/open", {"id": "d", "agentPreset": "one", "default": True})
    entry = (await provider._send("memory/add", {**LAYER, "text": "of one"}))["entry"]
    closed = await provider._send("session/close", {"id": "d"})
    fault = await fault_of(provider._send("memory/add", {**LAYER, "text": "of nobody"}))

    assert ("folder", "one") == (opened["rule"], opened["agentKey"])
    assert ("d", "one", {"closed": True}) == (entry["sessionId"], entry["agentKey"], closed)
    assert "WRITE_REQUIRES_AGENT" == fault.code


def test_the_suite_runs_against_every_face(request: pytest.FixtureRequest) -> None:
    """DSH-10-suite: the cases know the provider by its operations only, and run on each of its faces."""
    faces = {item.callspec.params.get("open_provider") for item in request.session.items
             if item.path.parent == Path(__file__).parent and hasattr(item, "callspec")}  # fmt: skip

    assert {"in-process", "stdio"} <= faces
