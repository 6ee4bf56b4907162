"""Cancelling: before, while and after a person is asked; and whose ids are whose."""

from typing import Any

import pytest

PROMPT = "window/showMessageRequest"
WRITE = {"session": {"id": "s1"}, "track": "agent", "scope": "workspace", "text": "Use tabs."}
CANCELLED = -32800


def test_before_it_is_asked(server: Any) -> None:
    """A request whose cancellation arrives with it is answered -32800, once, and nobody is asked."""
    messages = [
        {"jsonrpc": "2.0", "id": "w", "method": "memory/add", "params": WRITE},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "w"}},
    ]

    server.send_bytes(b"".join(server.framed(message) for message in messages))
    answer = server.answer("w")
    server.result("memory/budgets")

    assert CANCELLED == answer["error"]["code"]
    assert [] == server.requests(PROMPT)
    assert len([each for each in server.received if each.get("id") == "w"]) == 1


@pytest.mark.parametrize("as_command", [False, True])
def test_while_the_person_is_asked(server: Any, as_command: bool) -> None:
    """The proposal is closed, the client is told that the prompt is moot, a late yes is nothing."""
    if as_command:
        number = server.begin(
            "workspace/executeCommand", {"command": "keepgate.memory.add", "arguments": [WRITE]}
        )
    else:
        number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)

    server.notify("$/cancelRequest", {"id": number})
    answer = server.answer(number)
    server.reply(prompt, {"title": "Allow once"})

    assert CANCELLED == answer["error"]["code"]
    assert server.result("memory/query", {"text": "tabs"})["total"] == 0
    assert [{"id": prompt["id"]}] == server.notifications("$/cancelRequest")
    row = server.result("memory/audit")["rows"][0]
    assert ("add-denied", "cancelled") == (row["action"], row["outcome"].split(" ")[0])
    assert [] == server.result("proposals/list", {"status": "pending"})["proposals"]


def test_after_it_was_answered(server: Any) -> None:
    """A cancellation that comes too late changes nothing and is not answered."""
    number = server.begin("memory/add", WRITE)
    server.reply(server.request_of_server(PROMPT), {"title": "Allow once"})
    server.answer(number)
    before = len(server.received)

    server.notify("$/cancelRequest", {"id": number})
    marker = server.begin("memory/query", {"text": "tabs"})

    assert server.answer(marker)["result"]["total"] == 1
    assert [marker] == [each["id"] for each in server.received[before:] if "method" not in each]


def test_right_after_the_yes(server: Any) -> None:
    """Yes and cancellation in one write: either it is stored and said so, or neither."""
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)
    messages = [
        {"jsonrpc": "2.0", "id": prompt["id"], "result": {"title": "Allow once"}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}},
    ]

    server.send_bytes(b"".join(server.framed(message) for message in messages))
    answer = server.answer(number)

    stored = server.result("memory/query", {"text": "tabs"})["total"]
    assert ("result" in answer, stored) in [(True, 1), (False, 0)]
    assert server.result("memory/verify")["ok"]


def test_one_of_two_that_wait(server: Any) -> None:
    """Cancelling a write whose prompt is still queued takes nothing from the one that is shown."""
    first = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)
    second = server.begin("memory/add", {**WRITE, "text": "Use spaces."})

    server.notify("$/cancelRequest", {"id": second})
    cancelled = server.answer(second)
    server.reply(prompt, {"title": "Allow once"})

    assert CANCELLED == cancelled["error"]["code"]
    assert "result" in server.answer(first)
    assert len(server.requests(PROMPT)) == 1


def test_a_client_cannot_cancel_our_prompt(server: Any) -> None:
    """The ids of our requests are not those of the client's."""
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)

    server.notify("$/cancelRequest", {"id": prompt["id"]})
    server.reply(prompt, {"title": "Allow once"})

    assert "result" in server.answer(number)


def test_the_same_id_in_both_directions(server: Any) -> None:
    """A request of the client with the id of our open prompt is served, and answers nothing of ours."""
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)

    server.begin("memory/budgets", number=prompt["id"])
    served = server.until(lambda each: each.get("id") == prompt["id"] and "result" in each)
    server.reply(prompt, {"title": "Allow once"})

    assert len(served["result"]["budgets"]) == 4
    assert "result" in server.answer(number)


def test_two_answers_to_one_prompt(server: Any) -> None:
    """The first one counts."""
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)
    answers = [
        {"jsonrpc": "2.0", "id": prompt["id"], "result": {"title": title}}
        for title in ("Reject", "Allow once")
    ]

    server.send_bytes(b"".join(server.framed(answer) for answer in answers))

    assert server.answer(number)["error"]["data"]["details"]["outcome"] == "rejected"
    assert server.result("memory/query", {"text": "tabs"})["total"] == 0


def test_an_answer_with_another_ids_type(server: Any) -> None:
    """An answer must name our request by its very id."""
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)

    for other in (prompt["id"] + " ", None, 1, True, [prompt["id"]], {"id": prompt["id"]}):
        server.send({"jsonrpc": "2.0", "id": other, "result": {"title": "Allow once"}})
    server.result("memory/budgets")
    server.reply(prompt, {"title": "Reject"})

    assert server.answer(number)["error"]["data"]["details"]["outcome"] == "rejected"
