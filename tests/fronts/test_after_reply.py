"""What a reply owes is done once its bytes have left the process, and not before (VERBS-delta)."""

from pathlib import Path
from typing import Any

import pytest

WAKE = {"session_id": "wakes", "session": {"id": "s1"}}
FACT = {"fact": "The sky is blue.", "provenance": "test", "session": {"id": "s1"}}


@pytest.fixture
def trusting(home: Path) -> None:
    """Facts are saved without a question."""
    home.mkdir(parents=True)
    (home / "config.toml").write_text('writePolicy = "auto"\n', encoding="utf-8")


def facts(result: Any) -> list[str]:
    return [fact["fact"] for fact in result["facts"]]


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("as_command", [False, True])
def test_a_reply_that_was_read_is_not_sent_again(server: Any, as_command: bool) -> None:
    """Also when the next request is sent before the reply is read."""
    command = {"command": "keepgate.verbs.delta", "arguments": [WAKE]}
    call = ("workspace/executeCommand", command) if as_command else ("verbs/delta", WAKE)
    server.result(*call)
    server.result("verbs/remember", FACT)

    numbers = [server.begin(*call) for _ in range(3)]

    assert [["The sky is blue."], [], []] == [facts(server.answer(number)["result"]) for number in numbers]


@pytest.mark.usefixtures("trusting")
def test_a_client_that_reads_and_leaves_at_once(spawn: Any, project: Path) -> None:
    """The cursor has moved when the next process asks."""
    first = spawn()
    first.initialize(project)
    first.result("verbs/delta", WAKE)
    first.result("verbs/remember", FACT)
    delivered = first.result("verbs/delta", WAKE)
    first.process.stdin.close()
    first.process.wait(30)
    second = spawn()
    second.initialize(project)

    assert ["The sky is blue."] == facts(delivered)
    assert [] == facts(second.result("verbs/delta", WAKE))


@pytest.mark.usefixtures("trusting")
def test_a_client_that_never_reads(spawn: Any, project: Path) -> None:
    """A reply that did not leave the process moves nothing: the next one carries it again."""
    first = spawn(reading=False)
    first.start_reading()
    first.initialize(project)
    first.result("verbs/delta", WAKE)
    first.result("verbs/remember", FACT)
    second = spawn(reading=False)
    second.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": second_params(project)})
    second.process.stdout.close()
    second.send({"jsonrpc": "2.0", "id": 2, "method": "verbs/delta", "params": WAKE})
    second.process.wait(30)

    assert ["The sky is blue."] == facts(first.result("verbs/delta", WAKE))


def second_params(project: Path) -> Any:
    folder = {"uri": project.as_uri(), "name": "project"}
    return {"processId": None, "capabilities": {}, "workspaceFolders": [folder]}
