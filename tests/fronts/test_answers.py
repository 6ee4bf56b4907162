"""From the end of a task to the one answer of its request, and what the log says about it."""

import asyncio
import logging
from typing import Any

import pytest

from keepgate.fronts.lsp.answers import answer_of
from keepgate.protocol.errors import Fault, Problem, invalid_input

SECRET = "Rosebud"


async def ended(outcome: Any) -> asyncio.Task[Any]:
    """A task that returned ``outcome`` or raised it."""

    async def run() -> Any:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    task = asyncio.create_task(run())
    await asyncio.wait({task})
    return task


async def test_a_result() -> None:
    """What was returned is the result, ``None`` included."""
    assert {"jsonrpc": "2.0", "id": 1, "result": None} == answer_of(1, await ended(None))


async def test_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    """A fault is an answer like any other, and no matter for the log."""
    fault: Fault = invalid_input(Problem("$.text", "is empty"))

    answer = answer_of("a", await ended(fault))

    assert {"code": -32050, "message": "$.text: is empty", "data": fault.data()} == answer["error"]
    assert [] == caplog.records


async def test_a_cancellation() -> None:
    """A task that was cancelled is -32800."""
    task = asyncio.create_task(asyncio.sleep(60))
    task.cancel()
    await asyncio.wait({task})

    assert answer_of(1, task)["error"]["code"] == -32800


async def test_anything_unforeseen(caplog: pytest.LogCaptureFixture) -> None:
    """The client gets an id and nothing else; the log has the kind and the place, but no words of it."""
    error = KeyError(SECRET)
    error.__cause__ = ValueError(SECRET)
    caplog.set_level(logging.INFO)

    answer = answer_of(1, await ended(error))

    assert (-32603, "internal error", ["incident"]) == (
        answer["error"]["code"],
        answer["error"]["message"],
        list(answer["error"]["data"]),
    )
    logged = caplog.text
    assert answer["error"]["data"]["incident"] in logged
    assert "KeyError" in logged
    assert "test_answers.py" in logged
    assert "caused by ValueError" in logged
    assert SECRET not in logged


async def test_the_words_of_an_incident_are_for_debugging(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever asks for debug output gets the traceback whole."""
    caplog.set_level(logging.DEBUG)

    answer_of(1, await ended(KeyError(SECRET)))

    assert SECRET in caplog.text
