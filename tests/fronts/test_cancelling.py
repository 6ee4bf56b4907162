"""Cancelling: before, while and after a person is asked; and whose ids are whose."""

from typing import Any

import pytest

PROMPT = "window/showMessageRequest"
CANCELLED = -32800


def test_before_it_is_asked(shared_server: Any, wish: Any) -> None:
    """A request whose cancellation arrives with it is answered -32800, once, and nobody is asked."""
    asked = len(shared_server.requests(PROMPT))
    messages = [
        {"jsonrpc": "2.0", "id": wish["text"], "method": "memory/add", "params": wish},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": wish["text"]}},
    ]

    shared_server.send_bytes(b"".join(shared_server.framed(message) for message in messages))
    answer = shared_server.answer(wish["text"])
    shared_server.result("memory/budgets")

    assert CANCELLED == answer["error"]["code"]
    assert asked == len(shared_server.requests(PROMPT))
    assert len([each for each in shared_server.received if each.get("id") == wish["text"]]) == 1


@pytest.mark.parametrize("as_command", [False, True])
def test_while_the_person_is_asked(shared_server: Any, wish: Any, as_command: bool) -> None:
    """The proposal is closed, the client is told that the prompt is moot, a late yes is nothing."""
    command = {"command": "keepgate.memory.add", "arguments": [wish]}
    call = ("workspace/executeCommand", command) if as_command else ("memory/add", wish)
    number, prompt = shared_server.begin_asked(*call)

    shared_server.notify("$/cancelRequest", {"id": number})
    answer = shared_server.answer(number)
    shared_server.reply(prompt, {"title": "Allow once"})

    assert CANCELLED == answer["error"]["code"]
    assert shared_server.result("memory/query", {"text": wish["text"]})["total"] == 0
    assert {"id": prompt["id"]} == shared_server.notifications("$/cancelRequest")[-1]
    row = shared_server.result("memory/audit")["rows"][0]
    assert ("add-denied", "cancelled") == (row["action"], row["outcome"].split(" ")[0])
    assert [] == shared_server.result("proposals/list", {"status": "pending"})["proposals"]


def test_after_it_was_answered(shared_server: Any, wish: Any) -> None:
    """A cancellation that comes too late changes nothing and is not answered."""
    number, prompt = shared_server.begin_asked("memory/add", wish)
    shared_server.reply(prompt, {"title": "Allow once"})
    shared_server.answer(number)
    before = len(shared_server.received)

    shared_server.notify("$/cancelRequest", {"id": number})
    marker = shared_server.begin("memory/query", {"text": wish["text"]})

    assert shared_server.answer(marker)["result"]["total"] == 1
    assert [marker] == [each["id"] for each in shared_server.received[before:] if "method" not in each]


def test_right_after_the_yes(shared_server: Any, wish: Any) -> None:
    """Yes and cancellation in one write: either it is stored and said so, or neither."""
    number, prompt = shared_server.begin_asked("memory/add", wish)
    messages = [
        {"jsonrpc": "2.0", "id": prompt["id"], "result": {"title": "Allow once"}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}},
    ]

    shared_server.send_bytes(b"".join(shared_server.framed(message) for message in messages))
    answer = shared_server.answer(number)

    stored = shared_server.result("memory/query", {"text": wish["text"]})["total"]
    assert ("result" in answer, stored) in [(True, 1), (False, 0)]
    assert shared_server.result("memory/verify")["ok"]


def test_one_of_two_that_wait(shared_server: Any, wish: Any) -> None:
    """Cancelling a write whose prompt is still queued takes nothing from the one that is shown."""
    first, prompt = shared_server.begin_asked("memory/add", wish)
    asked = len(shared_server.requests(PROMPT))
    second = shared_server.begin("memory/add", {**wish, "text": wish["text"] + " Or not."})

    shared_server.notify("$/cancelRequest", {"id": second})
    cancelled = shared_server.answer(second)
    shared_server.reply(prompt, {"title": "Allow once"})

    assert CANCELLED == cancelled["error"]["code"]
    assert "result" in shared_server.answer(first)
    assert len(shared_server.requests(PROMPT)) == asked


def test_a_client_cannot_cancel_our_prompt(shared_server: Any, wish: Any) -> None:
    """The ids of our requests are not those of the client's."""
    number, prompt = shared_server.begin_asked("memory/add", wish)

    shared_server.notify("$/cancelRequest", {"id": prompt["id"]})
    shared_server.reply(prompt, {"title": "Allow once"})

    assert "result" in shared_server.answer(number)


def test_the_same_id_in_both_directions(shared_server: Any, wish: Any) -> None:
    """A request of the client with the id of our open prompt is served, and answers nothing of ours."""
    number, prompt = shared_server.begin_asked("memory/add", wish)

    shared_server.begin("memory/budgets", number=prompt["id"])
    served = shared_server.until(lambda each: each.get("id") == prompt["id"] and "result" in each)
    shared_server.reply(prompt, {"title": "Allow once"})

    assert len(served["result"]["budgets"]) == 4
    assert "result" in shared_server.answer(number)


def test_two_answers_to_one_prompt(shared_server: Any, wish: Any) -> None:
    """The first one counts."""
    number, prompt = shared_server.begin_asked("memory/add", wish)
    answers = [
        {"jsonrpc": "2.0", "id": prompt["id"], "result": {"title": title}}
        for title in ("Reject", "Allow once")
    ]

    shared_server.send_bytes(b"".join(shared_server.framed(answer) for answer in answers))

    assert shared_server.answer(number)["error"]["data"]["details"]["outcome"] == "rejected"
    assert shared_server.result("memory/query", {"text": wish["text"]})["total"] == 0


def test_an_answer_with_another_ids_type(shared_server: Any, wish: Any) -> None:
    """An answer must name our request by its very id."""
    number, prompt = shared_server.begin_asked("memory/add", wish)

    for other in (prompt["id"] + " ", None, 1, True, [prompt["id"]], {"id": prompt["id"]}):
        shared_server.send({"jsonrpc": "2.0", "id": other, "result": {"title": "Allow once"}})
    shared_server.result("memory/budgets")
    shared_server.reply(prompt, {"title": "Reject"})

    assert shared_server.answer(number)["error"]["data"]["details"]["outcome"] == "rejected"
