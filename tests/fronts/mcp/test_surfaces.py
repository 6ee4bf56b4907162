"""Each surface with the SDK's own client over a real process: what is listed is what can be called."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from keepgate.protocol.operation import Surface
from keepgate.protocol.surfaces import SURFACES, TOOLS, offered

SCHEMA = Path(__file__).parents[3] / "schemas" / "mcp-tools.json"
PAGE = {"slug": "people/alice", "content": "---\ntitle: Alice\n---\nAlice works at Example.\n"}
ARGUMENTS: Mapping[str, Any] = {
    "recall": {"query": "tabs"},
    "remember": {"fact": "Alice likes tea.", "provenance": "a test", "entity": "people/alice"},
    "entity": {"name": "Alice"},
    "synthesize": {"question": "What does Alice like?"},
    "forget": {"id": "999"},
    "context_pack": {"entities": "Alice"},
    "delta": {"since": "2026-01-01"},
    "memory": {"action": "add", "track": "agent", "scope": "workspace", "text": "Use tabs."},
    "memory_seed": {"entries": [{"track": "agent", "scope": "workspace", "text": "Use spaces."}]},
    "memory_history": {"id": "3f2a1c9e-8d4b-4e6f-9a7c-5b1d0e2f3a4b"},
    "memory_why": {"id": "3f2a1c9e-8d4b-4e6f-9a7c-5b1d0e2f3a4b"},
    "memory_undo": {"seq": 999},
    "memory_import": {"payload": {"entries": []}, "dryRun": True},
    "proposals_create": {
        "change": {"action": "add", "track": "agent", "scope": "workspace", "text": "Ask me later."}
    },
    "proposals_get": {"id": "no-such-proposal"},
    "put_page": PAGE,
    "get_page": {"slug": "people/alice"},
    "get_backlinks": {"slug": "people/alice"},
    "search": {"query": "Alice"},
    "resolve_slugs": {"names": ["Alice"]},
    "add_link": {"from": "people/alice", "to": "companies/example", "type": "works_at"},
    "add_timeline_entry": {"slug": "people/alice", "date": "2026-01-02", "text": "Joined."},
    "capture": {"text": "A note."},
    "remove_page": {"slug": "people/alice"},
    "memory_as_of": {"seq": 0},
    "taint": {"sources": ["https://example.org/issue/7"]},
}


@pytest.mark.parametrize("surface", list(SURFACES))
async def test_every_tool_of_a_surface_answers(mcp_command: Any, surface: Surface) -> None:
    """The list is the surface; each tool answers one JSON object, or an error with a way on."""
    async with Client(mcp_command("--surface", surface)) as client:
        listed = (await client.list_tools()).tools
        answers = {
            tool.name: await client.call_tool(tool.name, ARGUMENTS.get(tool.name, {})) for tool in listed
        }

    assert list(offered(surface)) == [tool.name for tool in listed]
    for name, answer in answers.items():
        assert ["text"] == [block.type for block in answer.content], name
        said = json.loads(answer.content[0].text)
        assert answer.structured_content is None, name
        assert not answer.is_error or (said["error"] and said["suggestion"]), (name, said)
        assert said.get("error") not in ("INTERNAL", "internal", "unknown_tool"), (name, said)


async def test_the_list_is_the_published_file(mcp_command: Any) -> None:
    """``schemas/mcp-tools.json`` is what a client is told."""
    published = json.loads(SCHEMA.read_text(encoding="utf-8"))

    async with Client(mcp_command()) as client:
        listed = (await client.list_tools()).tools

    assert published["tools"] == [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed]
    assert all(tool.output_schema is None for tool in listed)


async def test_the_calls_of_these_tests_fit_their_schemas(mcp_command: Any) -> None:
    """The schemas accept what the server accepts."""
    async with Client(mcp_command()) as client:
        listed = (await client.list_tools()).tools

    for tool in listed:
        Draft202012Validator.check_schema(tool.input_schema)
        problems = list(Draft202012Validator(tool.input_schema).iter_errors(ARGUMENTS.get(tool.name, {})))
        assert [] == problems, tool.name


@pytest.mark.parametrize("surface", ["verbs", "starter"])
def test_a_hidden_tool_is_as_unknown_as_one_that_does_not_exist(open_mcp: Any, surface: str) -> None:
    """Called by name, both get the same answer, and no hidden tool is suggested."""
    client = open_mcp("--surface", surface)
    visible = set(client.tools())
    hidden = {tool.name for tool in TOOLS} - visible

    answers = {name: client.fail(name) for name in [*hidden, "memory_no_such_thing"]}

    assert hidden
    for name, answer in answers.items():
        assert {"error": "unknown_tool", "message": f"Unknown tool: {name}", "protocol_version": 1} == {
            key: value for key, value in answer.items() if key != "suggestion"
        }
        named = answer.get("suggestion", "").removeprefix("Did you mean ").removesuffix("?")
        assert named in {"", *visible}


def test_a_near_miss_is_suggested(open_mcp: Any) -> None:
    """The name that was meant, where it is visible."""
    client = open_mcp("--surface", "verbs")

    assert "Did you mean remember?" == client.fail("remembr")["suggestion"]
    assert "suggestion" not in client.fail("whoam")


def test_the_settings_have_a_default_surface(open_mcp: Any) -> None:
    """``mcp.surface`` counts where the command line names none."""
    client = open_mcp(settings='[mcp]\nsurface = "verbs"\n')

    assert 7 == len(client.tools())


def test_the_command_line_beats_the_settings(open_mcp: Any) -> None:
    """A surface that is given counts."""
    client = open_mcp("--surface", "starter", settings='[mcp]\nsurface = "verbs"\n')

    assert "starter" == client.call("whoami")["ceiling"]


@pytest.mark.parametrize(
    "name", ["proposals_approve", "proposals_dismiss", "session_open", "adapters_register"]
)
def test_deciding_is_no_tool(open_mcp: Any, name: str) -> None:
    """Nothing that a model calls answers a question in the person's place."""
    client = open_mcp()

    assert "unknown_tool" == client.fail(name, {"id": "x", "hash": "y"})["error"]
