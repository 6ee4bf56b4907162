"""From the arguments of a call to an operation: sessions, unknown names, wrong values."""

from typing import Any

import pytest

ADD = {"action": "add", "track": "agent", "scope": "workspace", "text": "Use tabs."}


def test_the_session_is_beside_the_arguments(open_mcp: Any) -> None:
    """``_meta.session_id`` names the session of a call."""
    client = open_mcp()

    added = client.call("memory", ADD, {"session_id": "s-1"})

    assert "s-1" == added["entry"]["sessionId"]


def test_the_session_may_be_inside_the_arguments(open_mcp: Any) -> None:
    """For clients that can set nothing else; what stands beside them counts first."""
    client = open_mcp()

    inside = client.call("memory", {**ADD, "_meta": {"session_id": "s-2"}})
    both = client.call("memory", {**ADD, "_meta": {"session_id": "s-3"}}, {"session_id": "s-4"})

    assert ["s-2", "s-4"] == [added["entry"]["sessionId"] for added in (inside, both)]


@pytest.mark.parametrize("bad", ["", "x" * 257, 5, None, "a\x00b"])
def test_a_session_that_cannot_be_used_is_none(open_mcp: Any, bad: Any) -> None:
    """The connection's own session, the same for every call, takes its place."""
    client = open_mcp()

    first = client.call("memory", ADD, {"session_id": bad})["entry"]["sessionId"]

    assert first.startswith("mcp-")
    assert first == client.call("memory", ADD)["entry"]["sessionId"]


def test_two_connections_have_two_sessions(open_mcp: Any) -> None:
    """Nobody else's session is guessed."""
    ids = {open_mcp().call("memory", ADD)["entry"]["sessionId"] for _ in range(2)}

    assert 2 == len(ids)


def test_an_argument_cannot_pose_as_a_session(open_mcp: Any) -> None:
    """Whose memories a call sees is not the caller's to say."""
    client = open_mcp()

    refused = client.fail("memory", {**ADD, "session": {"id": "s", "agentPreset": "other"}})

    assert "INVALID_INPUT" == refused["error"]
    assert "$.session" == refused["details"]["problems"][0]["path"]


def test_a_session_among_the_arguments_of_a_verb_is_passed_over(open_mcp: Any) -> None:
    """Verbs take what they do not know, and say so beside the result."""
    client = open_mcp()

    result = client.finish(client.begin("recall", {"session": {"id": "s", "agentPreset": "other"}}))

    assert [{"code": "unknown_param", "param": "session"}] == result["_meta"]["warnings"]


def test_unknown_arguments_of_a_verb_are_warned_of(open_mcp: Any) -> None:
    """One text block, and the name that was meant in ``_meta.warnings``."""
    client = open_mcp()

    result = client.finish(client.begin("recall", {"qurey": "tabs", "entity": ""}))

    assert "isError" not in result
    assert [{"code": "unknown_param", "param": "qurey", "suggestion": "Did you mean query?"}] == (
        result["_meta"]["warnings"]
    )


def test_unknown_arguments_of_a_write_are_refused(open_mcp: Any) -> None:
    """A typo must not store into the wrong layer."""
    client = open_mcp()

    assert "INVALID_INPUT" == client.fail("memory", {**ADD, "agentkey": "x"})["error"]


@pytest.mark.parametrize("action", [None, "approve", 5, "Add"])
def test_the_memory_tool_wants_one_of_its_actions(open_mcp: Any, action: Any) -> None:
    """The message lists them."""
    client = open_mcp()

    refused = client.fail("memory", {} if action is None else {"action": action})

    assert "INVALID_INPUT" == refused["error"]
    assert "add, replace, remove, consolidate, query, get, list" in refused["message"]


def test_every_action_of_the_memory_tool(open_mcp: Any) -> None:
    """One tool, seven operations."""
    client = open_mcp()
    entry = client.call("memory", ADD)["entry"]
    layer = {"track": "agent", "scope": "workspace"}

    client.call("memory", {"action": "replace", **layer, "match": "tabs", "text": "Use two tabs."})
    client.call("memory", {**ADD, "text": "Use spaces."})
    client.call(
        "memory", {"action": "consolidate", **layer, "matches": ["two", "spaces"], "text": "Use both."}
    )
    found = client.call("memory", {"action": "query", "text": "both"})["entries"]
    (listed,) = client.call("memory", {"action": "list"})["entries"]
    got = client.call("memory", {"action": "get", "id": listed["id"]})["entry"]
    client.call("memory", {"action": "remove", **layer, "id": listed["id"]})

    assert ["Use both."] == [each["text"] for each in found]
    assert listed == {**got, "lastRecalled": listed["lastRecalled"]}
    assert entry["id"] != listed["id"]
    assert 0 == client.call("memory", {"action": "query"})["total"]


def test_a_fault_carries_its_details(open_mcp: Any) -> None:
    """Code, message, suggestion and details, as one JSON object."""
    client = open_mcp(settings='writePolicy = "auto"\n[budgets.agent]\nuserGlobal = 5\nworkspace = 5\n')

    refused = client.fail("memory", ADD)

    assert {"error", "message", "suggestion", "details"} == refused.keys()
    assert "BUDGET_EXCEEDED" == refused["error"]
    assert 5 == refused["details"]["limit"]


def test_all_workspaces_are_for_local_callers(open_mcp: Any) -> None:
    """An MCP client does not look into other workspaces."""
    client = open_mcp()

    assert "INVALID_INPUT" == client.fail("memory", {"action": "query", "allWorkspaces": True})["error"]


def test_a_path_is_for_local_callers(open_mcp: Any, home: Any) -> None:
    """An MCP client does not have the sidecar read files for it."""
    client = open_mcp()

    assert "INVALID_INPUT" == client.fail("memory_import", {"path": str(home / "config.toml")})["error"]
