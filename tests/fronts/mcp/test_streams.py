"""The SDK's streams over real pipes: a reply's debts are paid once its bytes have left, and only then."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCRequest, JSONRPCResponse

from keepgate.fronts.mcp.streams import Incoming, Open, Outgoing
from keepgate.fronts.stdio.transport import Descriptors, Wire
from keepgate.service.after_reply import AfterReply

WAIT_S = 90


class Pipes:
    """A wire whose other ends the test holds, and the streams over it."""

    def __init__(self) -> None:
        self.theirs_in, mine_out = os.pipe()
        mine_in, self.theirs_out = os.pipe()
        self.requests = Open()
        self.broken = asyncio.Event()
        self.wire = Wire(
            Descriptors(mine_in, mine_out),
            on_input=lambda data: [self.incoming.take(line) for line in data.splitlines()],
            on_end=lambda: self.incoming.end(),  # noqa: PLW0108 - made below
            on_broken=self.broken.set,
            on_last=lambda: None,
        )
        self.incoming = Incoming(self.requests, self.wire.write)
        self.outgoing = Outgoing(self.requests, self.wire.write, self.wire.when_written)
        self.wire.start()

    def owing(self, number: int, done: list[str]) -> AfterReply:
        """A reply that owes something."""

        async def work() -> None:
            done.append("written")

        after = AfterReply()
        after(work, lost=lambda: done.append("lost"))
        self.outgoing.owe(number, after)
        return after


def reply(number: int, text: str = "ok") -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result={"text": text}))


@pytest.fixture
async def pipes() -> AsyncIterator[Pipes]:
    made = Pipes()
    yield made
    for descriptor in (made.theirs_in, made.theirs_out):
        with contextlib.suppress(OSError):
            os.close(descriptor)


async def until(holds: Any) -> None:
    async with asyncio.timeout(WAIT_S):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


async def test_what_a_reply_owes_is_done_once_it_has_left(pipes: Pipes) -> None:
    """A reply that waits in a full pipe has not left; it has once the client has read it."""
    done: list[str] = []
    pipes.owing(1, done)

    await pipes.outgoing.send(reply(1, "x" * 1_000_000))
    await asyncio.sleep(0.2)
    before = list(done)
    read = b""
    while not read.endswith(b"\n"):
        read += await asyncio.to_thread(os.read, pipes.theirs_in, 65536)
    await until(lambda: done)

    assert [] == before
    assert ["written"] == done


async def test_a_reply_that_cannot_leave_owes_nothing(pipes: Pipes) -> None:
    """A client that is gone was told nothing, so nothing counts as told."""
    done: list[str] = []
    os.close(pipes.theirs_in)
    pipes.owing(1, done)

    await pipes.outgoing.send(reply(1))
    await asyncio.wait_for(pipes.broken.wait(), WAIT_S)
    await pipes.outgoing.settled()

    assert "written" not in done


async def test_an_error_in_its_place_loses_it(pipes: Pipes) -> None:
    """The client was told of a failure instead."""
    done: list[str] = []
    pipes.owing(1, done)

    error = JSONRPCError(jsonrpc="2.0", id=1, error=ErrorData(code=-32603, message="no"))
    await pipes.outgoing.send(SessionMessage(error))

    assert ["lost"] == done


async def test_a_second_debt_under_one_id_loses_the_first(pipes: Pipes) -> None:
    """A client that uses an id twice gets one of the replies."""
    first: list[str] = []
    second: list[str] = []
    pipes.owing(1, first)
    pipes.owing(1, second)

    await pipes.outgoing.send(reply(1))
    await until(lambda: second)

    assert (["lost"], ["written"]) == (first, second)


async def test_requests_are_open_until_they_are_answered(pipes: Pipes) -> None:
    """Or until the client no longer waits."""
    for line in (
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"b","method":"ping"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"no":["id"]}}}',
        b"no message",
    ):
        os.write(pipes.theirs_out, line + b"\n")
    os.close(pipes.theirs_out)

    read = [item async for item in pipes.incoming]
    opened = set(pipes.requests.ids)
    await pipes.outgoing.send(reply(1))

    assert isinstance(read[0], SessionMessage)
    assert isinstance(read[0].message, JSONRPCRequest)
    assert 4 == len(read)
    assert {1} == opened
    assert set() == pipes.requests.ids
