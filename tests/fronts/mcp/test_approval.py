"""A write over MCP asks the person: through the client where it can, through another window where not."""

from pathlib import Path
from typing import Any

import pytest

ASK = 'writePolicy = "ask"\napprovalTimeoutSeconds = 20\n'
BRIEF = 'writePolicy = "ask"\napprovalTimeoutSeconds = 1\n'
FORMS = {"elicitation": {}}
WISH = {"action": "add", "track": "agent", "scope": "workspace", "text": "Use tabs \u202e here."}
FACT = {"fact": "Alice likes tea.", "provenance": "a test"}


def asked(client: Any, count: int = 1) -> Any:
    """The form that the client is sent."""
    return client.server.request_of_server("elicitation/create", count)


def offered(question: Any) -> list[str]:
    """What the form lets a person choose."""
    titles: list[str] = question["params"]["requestedSchema"]["properties"]["decision"]["enum"]
    return titles


def chosen(decision: Any) -> Any:
    return {"action": "accept", "content": {"decision": decision}}


def test_the_form_shows_the_whole_change(open_mcp: Any) -> None:
    """What would be stored, where, for whom, hidden characters made visible; a yes stores it."""
    client = open_mcp(settings=ASK, capabilities=FORMS)

    number = client.begin("memory", WISH)
    question = asked(client)
    client.server.reply(question, chosen("Allow once"))
    result = client.finish(number)

    assert "Use tabs ⟨U+202E⟩ here." in question["params"]["message"]
    assert "agent memory" in question["params"]["message"]
    # It has a hidden character, and no leave for a session covers what is warned of.
    assert ["Allow once", "Reject"] == offered(question)
    assert "default" not in str(question["params"]["requestedSchema"])
    assert not result.get("isError")
    assert 1 == client.call("memory", {"action": "query"})["total"]


def test_a_yes_for_the_session_asks_no_more(open_mcp: Any) -> None:
    """Further additions to the layer are granted; whatever else is asked again."""
    client = open_mcp(settings=ASK, capabilities=FORMS)
    plain = {**WISH, "text": "Use tabs."}
    number = client.begin("memory", plain)
    assert ["Allow once", "Allow for this session", "Reject"] == offered(asked(client))
    client.server.reply(asked(client), chosen("Allow for this session"))
    client.finish(number)

    client.call("memory", {**plain, "text": "Use spaces in YAML."})

    assert 1 == len(client.server.requests("elicitation/create"))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("put_page", {"slug": "people/ann", "content": "# Ann"}),
        ("memory", {**WISH, "text": "Use tabs.", "scope": "user-global"}),
    ],
)
def test_a_leave_that_cannot_follow_is_not_offered(
    open_mcp: Any, tool: str, arguments: dict[str, Any]
) -> None:
    """A page, and what is user-global, is asked about each time."""
    client = open_mcp(settings=ASK, capabilities=FORMS)
    number = client.begin(tool, arguments)

    assert ["Allow once", "Reject"] == offered(asked(client))
    client.server.reply(asked(client), chosen("Reject"))
    client.finish(number)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (chosen("Reject"), "rejected"),
        ({"action": "decline"}, "rejected"),
        ({"action": "cancel"}, "cancelled"),
        ({"action": "accept", "content": {}}, "cancelled"),
        ({"action": "accept"}, "cancelled"),
        (chosen("allow once"), "cancelled"),
        (chosen("allowed-once"), "cancelled"),
    ],
)
def test_only_a_choice_of_the_form_allows(open_mcp: Any, answer: Any, outcome: str) -> None:
    """Anything but an exact yes denies, and is told as what it was."""
    client = open_mcp(settings=ASK, capabilities=FORMS)

    number = client.begin("memory", WISH)
    client.server.reply(asked(client), answer)
    result = client.finish(number)

    assert result["isError"] is True
    assert outcome in result["content"][0]["text"]
    assert '"WRITE_DENIED"' in result["content"][0]["text"]
    assert 0 == client.call("memory", {"action": "query"})["total"]


def test_a_client_that_fails_to_ask_leaves_the_wish_pending(open_mcp: Any) -> None:
    """An error of the client is ``unavailable``; the proposal stays in the inbox."""
    client = open_mcp(settings=ASK, capabilities=FORMS)

    number = client.begin("memory", WISH)
    question = asked(client)
    client.server.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "no"}})
    result = client.finish(number)

    assert '"unavailable"' in result["content"][0]["text"]
    assert 1 == len(client.call("proposals_list", {"status": "pending"})["proposals"])


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_without_a_way_to_ask_the_wish_waits_for_another_window(
    open_mcp: Any, capabilities: Any, version: str
) -> None:
    """After the deadline the answer names the proposal, which stays pending."""
    client = open_mcp(settings=BRIEF, capabilities=capabilities, version=version)

    denied = client.fail("memory", WISH)

    (waiting,) = client.call("proposals_list", {"status": "pending"})["proposals"]
    assert "WRITE_DENIED" == denied["error"]
    assert {"outcome": "unavailable", "proposalId": waiting["id"]} == {
        name: denied["details"][name] for name in ("outcome", "proposalId")
    }


def test_a_verb_names_where_to_decide(open_mcp: Any) -> None:
    """``unavailable``, the proposal in ``detail``, and the command that shows it."""
    client = open_mcp(settings=BRIEF)

    denied = client.fail("remember", FACT)

    (waiting,) = client.call("proposals_list", {"status": "pending"})["proposals"]
    assert "unavailable" == denied["error"]
    assert waiting["id"] in denied["detail"]
    assert f"keepgate proposals approve {waiting['id']}" in denied["suggestion"]


def test_another_window_decides(open_mcp: Any, spawn: Any, project: Path) -> None:
    """An editor of the same workspace allows what an MCP client without a way to ask wants."""
    client = open_mcp(settings=ASK)
    editor = spawn()
    editor.initialize(project, capabilities={"experimental": {"keepgate": {"approver": True}}})
    number = client.begin("memory", WISH)
    editor.notification("approval/asked")

    (waiting,) = editor.result("proposals/list", {"status": "pending"})["proposals"]
    shown = editor.result("proposals/get", {"id": waiting["id"]})
    editor.result("proposals/approve", {"id": waiting["id"], "hash": shown["ask"]["hash"]})

    assert not client.finish(number).get("isError")


def test_a_cancelled_call_closes_its_proposal(open_mcp: Any) -> None:
    """``notifications/cancelled`` withdraws the wish: nothing is stored, waits, or is answered."""
    client = open_mcp(settings=ASK, capabilities=FORMS)
    number = client.begin("memory", WISH)
    question = asked(client)

    client.server.notify("notifications/cancelled", {"requestId": number})
    client.server.until(lambda message: message.get("method") == "notifications/cancelled")
    client.server.reply(question, chosen("Allow once"))

    client.server.until(
        lambda _: any("cancelled" in str(row) for row in client.call("memory_audit", {"limit": 5})["rows"])
    )
    assert [] == client.call("proposals_list", {"status": "pending"})["proposals"]
    assert 0 == client.call("memory", {"action": "query"})["total"]
    assert all(message.get("id") != number for message in client.server.received if "method" not in message)


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_the_wait_is_reported(open_mcp: Any, version: str) -> None:
    """A client that gave a token hears that a person is waited for; its progress grows."""
    client = open_mcp(settings='writePolicy = "ask"\napprovalTimeoutSeconds = 4\n', version=version)

    client.finish(client.begin("memory", WISH, {"progressToken": "token-1"}))

    told = client.server.notifications("notifications/progress")
    assert len(told) >= 2
    assert {"token-1"} == {each["progressToken"] for each in told}
    assert {"waiting for a person to allow this"} == {each["message"] for each in told}
    assert sorted({each["progress"] for each in told}) == [each["progress"] for each in told]
    assert {4} == {each["total"] for each in told}


def test_without_a_token_nothing_is_reported(open_mcp: Any) -> None:
    """Progress is for those who asked for it."""
    client = open_mcp(settings=BRIEF)

    client.fail("memory", WISH)

    assert [] == client.server.notifications("notifications/progress")


def test_a_policy_that_refuses_asks_nobody(open_mcp: Any) -> None:
    """``off`` denies at once."""
    client = open_mcp(settings='writePolicy = "off"\n', capabilities=FORMS)

    assert "rejected" == client.fail("memory", WISH)["details"]["outcome"]
    assert [] == client.server.requests("elicitation/create")


NEWEST = "2026-07-28"


def round_of(client: Any, wish: Any, **more: Any) -> Any:
    """One round of a call on the newest revision: its whole result."""
    params = client.stamped({"name": "memory", "arguments": wish})
    return client.server.result("tools/call", {**params, **more})


def answered(question: Any, answer: Any) -> Any:
    """What the client brings in the next round."""
    (name,) = question["inputRequests"]
    return {"requestState": question["requestState"], "inputResponses": {name: answer}}


def test_the_newest_revision_asks_in_its_answer(open_mcp: Any) -> None:
    """The call says what is missing, and with that it is made."""
    client = open_mcp(settings=ASK, capabilities=FORMS, version=NEWEST)

    question = round_of(client, WISH)
    result = round_of(client, WISH, **answered(question, chosen("Allow once")))

    (request,) = question["inputRequests"].values()
    assert "input_required" == question["resultType"]
    assert "Use tabs ⟨U+202E⟩ here." in request["params"]["message"]
    assert "complete" == result["resultType"]
    assert not result.get("isError")
    assert 1 == client.call("memory", {"action": "query"})["total"]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (chosen("Reject"), "rejected"),
        ({"action": "decline"}, "rejected"),
        ({"action": "cancel"}, "cancelled"),
        ({"action": "accept", "content": {}}, "cancelled"),
        ({"roots": []}, "cancelled"),
    ],
)
def test_only_a_choice_allows_on_the_newest_revision(open_mcp: Any, answer: Any, outcome: str) -> None:
    """Anything else denies there, too."""
    client = open_mcp(settings=ASK, capabilities=FORMS, version=NEWEST)
    question = round_of(client, WISH)

    result = round_of(client, WISH, **answered(question, answer))

    assert result["isError"] is True
    assert outcome in result["content"][0]["text"]
    assert 0 == client.call("memory", {"action": "query"})["total"]


def test_a_yes_holds_for_the_call_that_was_asked_about(open_mcp: Any) -> None:
    """Brought back with another wish, or a second time, it allows nothing: that is asked on its own."""
    client = open_mcp(settings=BRIEF, capabilities=FORMS, version=NEWEST)
    question = round_of(client, WISH)
    yes = answered(question, chosen("Allow once"))

    other = round_of(client, {**WISH, "text": "Something else."}, **yes)
    again = round_of(client, {**WISH, "text": "A third."}, **{**yes, "requestState": "made-up"})

    assert ["input_required"] * 2 == [each["resultType"] for each in (other, again)]
    assert 3 == len({each["requestState"] for each in (question, other, again)})
    assert 0 == client.call("memory", {"action": "query"})["total"]


def test_a_yes_is_used_up(open_mcp: Any) -> None:
    """What was allowed once is allowed once."""
    client = open_mcp(settings=ASK, capabilities=FORMS, version=NEWEST)
    yes = answered(round_of(client, WISH), chosen("Allow once"))
    round_of(client, WISH, **yes)

    again = round_of(client, WISH, **yes)

    assert "input_required" == again["resultType"]
    assert 1 == client.call("memory", {"action": "query"})["total"]


def test_a_round_that_never_comes_leaves_the_wish_pending(open_mcp: Any) -> None:
    """After the deadline it waits in the inbox, and a late answer is the beginning of a new call."""
    client = open_mcp(settings=BRIEF, capabilities=FORMS, version=NEWEST)
    question = round_of(client, WISH)

    client.server.until(
        lambda _: any("unavailable" in str(row) for row in client.call("memory_audit", {"limit": 5})["rows"])
    )
    late = round_of(client, WISH, **answered(question, chosen("Allow once")))

    assert "input_required" == late["resultType"]
    assert 0 == client.call("memory", {"action": "query"})["total"]
    assert 1 == len(client.call("proposals_list", {"status": "pending"})["proposals"])


async def test_the_sdks_client_is_asked_on_its_own_revision(mcp_command: Any) -> None:
    """The form reaches its callback, whichever way the revision carries it."""
    from mcp import Client
    from mcp_types import ElicitResult

    seen: list[str] = []

    async def person(_: Any, params: Any) -> ElicitResult:
        seen.append(params.message)
        return ElicitResult(action="accept", content={"decision": "Allow once"})

    async with Client(mcp_command(settings=ASK), elicitation_callback=person) as client:
        result = await client.call_tool("memory", WISH)

    assert not result.is_error
    assert 1 == len(seen)
