"""Work-done progress, for operations that may take long and clients that want to watch."""

from pathlib import Path
from typing import Any

import pytest

PROMPT = "window/showMessageRequest"
CREATE = "window/workDoneProgress/create"
CAPABLE = {"window": {"workDoneProgress": True}}
IMPORT = {
    "session": {"id": "s1"},
    "payload": {
        "plugin": "dsh-memento",
        "schema": "memory-export-v1",
        "exportedAt": "2026-01-01T00:00:00Z",
        "budgets": [],
        "entries": [],
    },
}


def entry(text: str) -> dict[str, Any]:
    return {
        "id": "11111111-1111-4111-8111-111111111111",
        "track": "agent",
        "scope": "user-global",
        "workspaceKey": "",
        "agentKey": "",
        "text": text,
        "source": "keepgate",
        "tags": [],
        "version": 1,
        "createdAt": 1,
        "updatedAt": 1,
        "lastRecalled": None,
        "recallCount": 0,
        "sessionId": None,
    }


def kinds(server: Any, token: Any) -> list[str]:
    return [
        report["value"]["kind"] for report in server.notifications("$/progress") if report["token"] == token
    ]


@pytest.fixture
def capable(spawn: Any, project: Path) -> Any:
    """A server whose client shows progress."""
    server = spawn()
    server.initialize(project, capabilities=CAPABLE)
    return server


@pytest.mark.parametrize(
    ("token", "as_command"), [("mine", False), (7, False), (0, False), ("other", True), (8, True)]
)
def test_under_the_clients_token(shared_server: Any, token: Any, as_command: bool) -> None:
    """A token in the params is enough; begin and end come before the answer, and nothing is created."""
    if as_command:
        params = {"command": "keepgate.memory.verify", "workDoneToken": token}
        answer = shared_server.ask("workspace/executeCommand", params)
    else:
        answer = shared_server.ask("memory/verify", {"workDoneToken": token})

    assert answer["result"]["ok"]
    seen = kinds(shared_server, token)
    assert ("begin", "end") == (seen[0], seen[-1])
    assert {"report"} >= set(seen[1:-1])
    begun = next(
        each["value"] for each in shared_server.notifications("$/progress") if each["token"] == token
    )
    assert (True, 0) == (begun["cancellable"], begun["percentage"])
    assert begun["title"]
    assert shared_server.received.index(answer) > max(
        index for index, each in enumerate(shared_server.received) if each.get("method") == "$/progress"
    )
    assert [] == shared_server.requests(CREATE)


def test_under_a_token_of_ours(capable: Any) -> None:
    """A client that announced work-done progress is asked to make room, and then shown it."""
    number = capable.begin("memory/verify")
    create = capable.request_of_server(CREATE)
    capable.reply(create, None)

    assert capable.answer(number)["result"]["ok"]
    seen = kinds(capable, create["params"]["token"])
    assert ("begin", "end") == (seen[0], seen[-1])


def test_two_runs_have_two_tokens(capable: Any) -> None:
    """A token is used once."""
    for count in (1, 2):
        number = capable.begin("memory/verify")
        capable.reply(capable.request_of_server(CREATE, count), None)
        capable.answer(number)

    tokens = [create["params"]["token"] for create in capable.requests(CREATE)]
    assert len(set(tokens)) == 2


def test_a_client_that_makes_no_room(capable: Any) -> None:
    """An error answer means no progress, and the work goes on."""
    number = capable.begin("memory/verify")
    create = capable.request_of_server(CREATE)

    capable.send({"jsonrpc": "2.0", "id": create["id"], "error": {"code": 1, "message": "no"}})

    assert capable.answer(number)["result"]["ok"]
    assert [] == capable.notifications("$/progress")


def test_a_client_that_never_answers(capable: Any) -> None:
    """Neither does the work wait for it."""
    assert capable.result("memory/verify")["ok"]

    assert [] == capable.notifications("$/progress")


def test_a_client_that_shows_none(shared_server: Any) -> None:
    """Without the capability and without a token nothing is sent."""
    reported = len(shared_server.notifications("$/progress"))

    shared_server.result("memory/verify")

    assert reported == len(shared_server.notifications("$/progress"))
    assert [] == shared_server.requests(CREATE)


def test_short_work_reports_nothing(capable: Any) -> None:
    """Operations that are quick ask for no room."""
    capable.result("memory/query", {"text": "x"})
    capable.result("memory/budgets")

    assert [] == capable.requests(CREATE)


def test_cancelling_by_progress(shared_server: Any) -> None:
    """``window/workDoneProgress/cancel`` cancels the import while its question is open."""
    payload = {**IMPORT["payload"], "entries": [entry("Use tabs.")]}
    params = {**IMPORT, "payload": payload, "workDoneToken": "to cancel"}
    number, prompt = shared_server.begin_asked("memory/import", params)

    shared_server.notify("window/workDoneProgress/cancel", {"token": "to cancel"})
    answer = shared_server.answer(number)
    shared_server.reply(prompt, {"title": "Allow once"})

    assert answer["error"]["code"] == -32800
    assert kinds(shared_server, "to cancel")[-1] == "end"
    assert shared_server.result("memory/query", {"text": "tabs"})["total"] == 0


def test_a_token_that_is_in_use(shared_server: Any) -> None:
    """A second request under the token of a running one is served without progress of its own."""
    payload = {**IMPORT["payload"], "entries": [entry("Use tabs.")]}
    params = {**IMPORT, "payload": payload, "workDoneToken": "t"}
    number, prompt = shared_server.begin_asked("memory/import", params)

    shared_server.result("memory/verify", {"workDoneToken": "t"})
    during = kinds(shared_server, "t")
    shared_server.reply(prompt, {"title": "Allow once"})
    shared_server.answer(number)

    assert (during.count("begin"), during.count("end")) == (1, 0)
    assert kinds(shared_server, "t").count("end") == 1


@pytest.mark.parametrize("token", [True, 1.5, [], {}])
def test_a_token_that_is_none(shared_server: Any, token: Any) -> None:
    """A token of another type is a wrong type, and nothing is reported under it."""
    reported = len(shared_server.notifications("$/progress"))

    error = shared_server.error("memory/verify", {"workDoneToken": token})

    assert error["code"] == -32602
    assert reported == len(shared_server.notifications("$/progress"))
