"""``workspace/executeCommand``: every operation but the deciding ones, for clients that have nothing else."""

from typing import Any

import pytest

from keepgate.protocol.operation import Access
from keepgate.protocol.ops import OPERATIONS

WRITE = {"session": {"id": "s1"}, "track": "agent", "scope": "workspace", "text": "Use tabs."}
PROMPT = "window/showMessageRequest"
COMMAND = "workspace/executeCommand"


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": []}, {"arguments": [{}]}])
def test_one_object_or_nothing(shared_server: Any, arguments: dict[str, Any]) -> None:
    """A left-out argument is an empty object."""
    result = shared_server.result(COMMAND, {"command": "keepgate.memory.budgets", **arguments})

    assert shared_server.result("memory/budgets") == result


@pytest.mark.parametrize("arguments", [[{}, {}], [None], ["{}"], [[]], [5], {"session": {"id": "s1"}}, "x"])
def test_anything_else_is_refused(shared_server: Any, arguments: Any) -> None:
    """More than one argument, or one that is no object, runs nothing."""
    error = shared_server.error(COMMAND, {"command": "keepgate.memory.add", "arguments": arguments})

    assert error["code"] == -32602
    assert "$.arguments" in [problem["path"] for problem in error["data"]["problems"]]


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_every_operation_has_its_mirror(shared_server: Any, row: Any) -> None:
    """The command answers as the method does; deciding has none."""
    params = {"somethingWrong": 1}
    method = shared_server.ask(row.name, params)
    command = shared_server.ask(
        COMMAND, {"command": "keepgate." + row.name.replace("/", "."), "arguments": [params]}
    )

    if row.access is Access.DECIDE:
        assert command["error"]["data"]["problems"][0]["path"] == "$.command"
    elif "error" in method:
        assert method["error"] == command["error"]
    else:
        assert method["result"].keys() == command["result"].keys()


def test_a_write_is_asked_about(server: Any) -> None:
    """A command goes through the same gate."""
    number = server.begin(COMMAND, {"command": "keepgate.memory.add", "arguments": [WRITE]})

    server.reply(server.request_of_server(PROMPT), {"title": "Allow once"})

    assert server.answer(number)["result"]["entry"]["text"] == "Use tabs."


def test_deciding_by_command_is_refused(spawn: Any, project: Any) -> None:
    """Not even for a client that may decide."""
    server = spawn()
    server.initialize(project, capabilities={"experimental": {"keepgate": {"approver": True}}})

    error = server.error(
        COMMAND, {"command": "keepgate.proposals.approve", "arguments": [{"id": "x", "hash": "y"}]}
    )

    assert error["code"] == -32602
