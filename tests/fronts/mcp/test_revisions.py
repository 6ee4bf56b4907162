"""Every revision of MCP that the SDK knows, spoken by hand."""

import json
from typing import Any

import pytest

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
NEWEST = "2026-07-28"


@pytest.mark.parametrize("version", REVISIONS)
def test_a_handshake_agrees_on_the_revision(open_mcp: Any, version: str) -> None:
    """The server echoes the revision, names itself, says how to use it, and offers tools."""
    client = open_mcp(version=version, handshake=False)

    said = client.initialize()

    assert version == said["protocolVersion"]
    assert "keepgate" == said["serverInfo"]["name"]
    assert {"tools": {"listChanged": True}} == said["capabilities"]
    assert "asked of the person" in said["instructions"]


@pytest.mark.parametrize("version", [*REVISIONS, NEWEST])
def test_tools_are_listed_and_called(open_mcp: Any, version: str) -> None:
    """The list, a write, a read and an error have one form in each revision."""
    client = open_mcp(version=version)
    added = client.call(
        "memory", {"action": "add", "track": "agent", "scope": "workspace", "text": "Use tabs."}
    )

    found = client.call("memory", {"action": "query", "text": "tabs"})

    assert "recall" in client.tools()
    assert [added["entry"]["id"]] == [entry["id"] for entry in found["entries"]]
    assert "unknown_tool" == client.fail("no_such_tool")["error"]


def test_the_newest_revision_needs_no_handshake(open_mcp: Any, project: Any) -> None:
    """The first message may be a call; without roots the working directory is the workspace."""
    client = open_mcp(version=NEWEST, capabilities={"roots": {}, "elicitation": {}})

    who = client.call("whoami")

    assert {"name": "raw", "version": "1.2"} == who["client"]
    assert str(project.resolve()) == who["workspace"]["key"]


def test_the_newest_revision_can_be_discovered(open_mcp: Any) -> None:
    """``server/discover`` names the revision and what to know before the first call."""
    client = open_mcp(version=NEWEST)

    said = client.server.result("server/discover", client.stamped({}))

    assert [NEWEST] == said["supportedVersions"]
    assert "asked of the person" in said["instructions"]


def test_a_tool_may_be_called_before_the_list(open_mcp: Any) -> None:
    """Listing first is a habit of clients, not a duty."""
    client = open_mcp()

    assert [] == client.call("memory", {"action": "list"})["entries"]


@pytest.mark.parametrize("arguments", [None, {}])
def test_arguments_may_be_left_out(open_mcp: Any, arguments: Any) -> None:
    """No arguments are empty arguments."""
    client = open_mcp()

    assert 4 == len(client.call("memory_budgets", arguments)["budgets"])


def test_null_arguments_are_empty(open_mcp: Any) -> None:
    """Some clients send null."""
    client = open_mcp()

    answer = client.server.ask("tools/call", {"name": "memory_budgets", "arguments": None})

    assert 4 == len(json.loads(answer["result"]["content"][0]["text"])["budgets"])


def test_lines_that_are_no_messages_are_passed_over(open_mcp: Any) -> None:
    """Garbage, broken JSON and bytes that are no text end nothing."""
    client = open_mcp()

    client.server.send_bytes(b'garbage\n{"jsonrpc":"2.0",\n\xff\xfe\n[]\n\n{"id": 1}\n')

    assert {} == client.server.result("ping")
    assert 4 == len(client.call("memory_budgets")["budgets"])


def test_a_lone_surrogate_is_answered(open_mcp: Any) -> None:
    """JSON can carry half a character; whoever sends one does not wait for ever."""
    client = open_mcp()
    sent = [{"name": "recall", "arguments": {"query": "\ud800"}}, {"name": "\ud800"}]

    for number, params in enumerate(sent):
        call = {"jsonrpc": "2.0", "id": f"half-{number}", "method": "tools/call", "params": params}
        client.server.send_bytes(json.dumps(call).encode() + b"\n")

    answers = (client.server.answer(f"half-{number}")["result"] for number in range(2))
    first, second = (json.loads(answer["content"][0]["text"]) for answer in answers)
    assert ("invalid_params", "query contains a lone surrogate") == (first["error"], first["message"])
    assert "unknown_tool" == second["error"]


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "no/such"])
def test_what_is_not_offered_is_not_found(open_mcp: Any, method: str) -> None:
    """There are tools and nothing else."""
    client = open_mcp()

    assert -32601 == client.server.error(method)["code"]


def test_no_line_end_is_inside_a_message(open_mcp: Any) -> None:
    """Separators that some readers take for line ends are escaped."""
    client = open_mcp()
    text = "one\u2028two\u2029three\u0085four\nfive \U0001f600"
    client.call("memory", {"action": "add", "track": "agent", "scope": "workspace", "text": text})

    found = client.call("memory", {"action": "query"})

    assert [text] == [entry["text"] for entry in found["entries"]]
