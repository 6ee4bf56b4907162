"""Requests, answers and their end, over real pipes to a real process."""

import asyncio
import os
import signal

import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.framing import Framing
from keepgate.protocol.verb_errors import VerbFault
from keepgate_client.connection import Connection
from keepgate_client.errors import Disconnected, RpcError

BOTH = pytest.mark.parametrize("framing", list(Framing))
WAIT_S = 90


async def eventually(call: asyncio.Future) -> dict:
    """The answer, within a bound."""
    return await asyncio.wait_for(call, WAIT_S)


async def sent_to(connection: Connection, method: str) -> list[dict]:
    """What the server has received of one method so far."""
    seen = await connection.request("seen", timeout_s=WAIT_S)
    return [message for message in seen if message.get("method") == method]


@BOTH
@pytest.mark.parametrize(
    "value",
    [
        {"text": "plain"},
        {"text": "記憶は承認の後に。\u2028 \x7f naïve 🗝"},
        {"text": "line\nbreaks\r\nand\ttabs"},
        {"nested": {"jsonrpc": "2.0", "id": 1, "method": "x", "deeper": [{"jsonrpc": "1.0"}]}},
        {"result": 1, "error": 2, "params": None},
        {"numbers": [0, -1, 1.5, 1e100], "null": None, "yes": True},
        {"text": "界" * 350_000},
        [1, 2, 3],
    ],
    ids=["plain", "cjk", "newlines", "nested-jsonrpc", "member-names", "scalars", "1-MB", "array"],
)
async def test_any_json_survives_both_ways(connect, framing, value):
    """What is sent comes back equal, in either framing, whatever its members are named."""
    connection = await connect(framing)

    echoed = await connection.request("echo", value, timeout_s=WAIT_S)

    assert value == echoed


@BOTH
async def test_an_answer_in_pieces_is_put_together(connect, framing):
    """A frame written byte by byte is one answer."""
    connection = await connect(framing)

    answer = await connection.request("split", {"text": "片々"}, timeout_s=WAIT_S)

    assert {"text": "片々"} == answer


async def test_answers_find_their_own_requests(connect):
    """Many requests on their way at once each get their own answer, also when a later one comes first."""
    connection = await connect()
    held = [connection.begin("hold") for _ in range(3)]

    echoes = await asyncio.gather(*(connection.request("echo", {"n": n}) for n in range(50)))
    await connection.request("release")

    assert [{"n": n} for n in range(50)] == echoes
    assert [call.id for call in held] == [(await eventually(call.answer))["id"] for call in held]


async def test_a_request_without_params_has_no_params_member(connect):
    """JSON-RPC params are an object or an array, so nothing is sent instead of null."""
    connection = await connect()

    received = await sent_to(connection, "seen")

    assert [{"jsonrpc": "2.0", "id": 1, "method": "seen"}] == received


async def test_a_second_answer_is_nobodys(connect):
    """A request takes its first answer; another one for the same id is reported as unmatched."""
    connection = await connect()
    strays: list[dict] = []
    connection.unmatched = strays.append

    answer = await connection.request("twice", timeout_s=WAIT_S)
    await connection.request("echo", {}, timeout_s=WAIT_S)

    assert "first" == answer
    assert ["second"] == [stray["result"] for stray in strays]


async def test_an_id_of_another_type_does_not_match(connect):
    """The answer to "1" is not the answer to 1."""
    connection = await connect()

    answer = await connection.request("as-text", timeout_s=WAIT_S)

    assert "for you" == answer


async def test_an_id_in_use_is_refused(connect):
    """Two requests on their way never share an id."""
    connection = await connect()
    connection.begin("hold", id="mine")

    with pytest.raises(ValueError, match="mine"):
        connection.begin("hold", id="mine")


async def test_a_contract_error_is_a_fault(connect):
    """An error whose data names a code of the contract raises that fault, whole."""
    connection = await connect()
    data = {"code": "BUDGET_EXCEEDED", "details": {"used": 1990, "limit": 2000}, "suggestion": "Make room."}

    with pytest.raises(Fault) as caught:
        await connection.request("fail", {"error": {"code": -32052, "message": "full", "data": data}})

    fault = caught.value
    assert (Code.BUDGET_EXCEEDED, "full", -32052, "Make room.") == (
        fault.code,
        fault.message,
        fault.number,
        fault.suggestion,
    )
    assert {"used": 1990, "limit": 2000} == fault.details


async def test_wrong_params_keep_number_and_problems(connect):
    """INVALID_INPUT numbered -32602 stays so, and its problems are found in the details."""
    connection = await connect()
    problems = [{"path": "$.text", "problem": "is missing"}]
    data = {"code": "INVALID_INPUT", "problems": problems}

    with pytest.raises(Fault) as caught:
        await connection.request("fail", {"error": {"code": -32602, "message": "no text", "data": data}})

    assert (-32602, problems) == (caught.value.number, caught.value.details["problems"])


@pytest.mark.parametrize(
    ("error", "number", "data"),
    [
        ({"code": -32601, "message": "unknown"}, -32601, None),
        ({"code": -32603, "message": "incident 7", "data": {"incident": "7"}}, -32603, {"incident": "7"}),
        (
            {"code": -32064, "message": "new", "data": {"error": "newer_code"}},
            -32064,
            {"error": "newer_code"},
        ),
        ({"code": -32099, "message": "new", "data": {"code": ["odd"]}}, -32099, {"code": ["odd"]}),
        ("not an object", -32603, "not an object"),
    ],
)
async def test_other_errors_keep_number_and_data(connect, error, number, data):
    """An error that names no code of the contract raises RpcError with what the server said."""
    connection = await connect()

    with pytest.raises(RpcError) as caught:
        await connection.request("fail", {"error": error}, timeout_s=WAIT_S)

    assert (number, data) == (caught.value.number, caught.value.data)


async def test_a_verbs_error_is_its_envelope(connect):
    """Code, suggestion and detail as the verb sent them (VERBS-errors)."""
    connection = await connect()
    data = {"error": "scope_denied", "code": "scope_denied", "suggestion": "Ask.", "detail": "WRITE_DENIED"}

    with pytest.raises(VerbFault) as caught:
        await connection.request(
            "fail", {"error": {"code": -32064, "message": "denied", "data": data}}, timeout_s=WAIT_S
        )

    fault = caught.value
    assert ("scope_denied", "denied", "Ask.", "WRITE_DENIED") == (
        fault.code, fault.message, fault.suggestion, fault.detail,
    )  # fmt: skip


async def test_a_cancelled_wait_tells_the_server(connect):
    """Cancelling the waiting task sends $/cancelRequest with the request's id."""
    connection = await connect()
    waiting = asyncio.create_task(connection.request("hold"))
    await asyncio.sleep(0)

    waiting.cancel()
    await asyncio.wait([waiting], timeout=WAIT_S)

    assert waiting.cancelled()
    assert [{"id": 1}] == [each["params"] for each in await sent_to(connection, "$/cancelRequest")]


async def test_a_timeout_tells_the_server(connect):
    """A request whose time is over raises TimeoutError and is given up at the server too."""
    connection = await connect()

    with pytest.raises(TimeoutError):
        await connection.request("hold", timeout_s=0.01)

    assert 1 == len(await sent_to(connection, "$/cancelRequest"))


async def test_the_late_answer_of_a_cancelled_request_is_dropped(connect):
    """An answer that comes after the cancellation disturbs nobody."""
    connection = await connect()
    strays: list[dict] = []
    connection.unmatched = strays.append

    with pytest.raises(TimeoutError):
        await connection.request("hold", {"ignoreCancel": True}, timeout_s=0.01)
    await connection.request("release", timeout_s=WAIT_S)

    assert [] == strays


@BOTH
async def test_death_fails_every_waiting_request(connect, framing):
    """A server that dies mid-request lets all waiting requests raise, with exit code and last words."""
    connection = await connect(framing)
    held = connection.begin("hold")

    with pytest.raises(Disconnected) as caught:
        await connection.request("die", {"code": 7, "words": "one\n\nlast words\n"}, timeout_s=WAIT_S)

    assert (7, ("one", "last words")) == (caught.value.exit_code, caught.value.stderr)
    assert "exit code 7" in str(caught.value)
    assert "last words" in str(caught.value)
    with pytest.raises(Disconnected):
        await eventually(held.answer)


async def test_a_signal_is_a_negative_exit_code(connect):
    """Death by a signal shows as the negated signal number."""
    connection = await connect()

    with pytest.raises(Disconnected) as caught:
        await connection.request("die-by-signal", timeout_s=WAIT_S)

    assert -signal.SIGKILL == caught.value.exit_code


async def test_nothing_can_be_asked_after_the_end(connect):
    """Requests and notifications after the end raise at once instead of waiting."""
    connection = await connect()
    with pytest.raises(Disconnected):
        await connection.request("die", {"code": 0}, timeout_s=WAIT_S)

    with pytest.raises(Disconnected, match="before echo could be asked"):
        await connection.request("echo")
    with pytest.raises(Disconnected, match="exit"):
        await connection.notify("exit")


async def test_a_closed_stdout_is_the_end(connect):
    """A server that closes its stdout cannot answer any more, and is told so by the end of its input."""
    connection = await connect()

    with pytest.raises(Disconnected) as caught:
        await connection.request("close-stdout", timeout_s=WAIT_S)

    assert 1 == caught.value.exit_code


async def test_a_child_of_the_server_that_holds_the_pipes_delays_nothing_for_ever(connect, monkeypatch):
    """When the server is dead and its pipes are not, waiting requests still fail."""
    monkeypatch.setattr("keepgate_client.process.SETTLE_S", 0.2)
    connection = await connect()
    held = connection.begin("hold")

    child = await connection.request("leave-a-child-behind", timeout_s=WAIT_S)

    try:
        with pytest.raises(Disconnected, match="exit code 0"):
            await eventually(held.answer)
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize(
    ("framing", "garbage"),
    [
        (Framing.LSP, b"hello from a stray print\n"),
        (Framing.LSP, b"Content-Length: x\r\n\r\n"),
        (Framing.LSP, b"Content-Length: 3\r\n\r\n{x}"),
        (Framing.LSP, b"Content-Length: 2\r\n\r\n\xff\xfe"),
        (Framing.LSP, b"Content-Length: 2\r\n\r\n[]"),
        (Framing.LSP, b'Content-Length: 17\r\n\r\n{"jsonrpc":"1.0"}'),
        (Framing.LSP, b"Content-Length: 999999999999\r\n\r\n"),
        (Framing.LINES, b"hello from a stray print\n"),
        (Framing.LINES, b'{"jsonrpc":"2.0"}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","id":1}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","id":1,"result":1,"error":{}}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","id":1.0,"result":1}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","id":true,"result":1}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","id":null,"method":"x"}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","method":5}\n'),
        (Framing.LINES, b'{"jsonrpc":"2.0","id":1,"id":2,"result":1}\n'),
        (Framing.LINES, b'{"a":' * 100_000 + b"\n"),
    ],
)
async def test_garbage_ends_the_connection(connect, framing, garbage):
    """What is not a message ends the connection with a reason; no request is left waiting."""
    connection = await connect(framing)

    with pytest.raises(Disconnected, match="the server wrote something that is not a message"):
        await connection.request("write", {"hex": garbage.hex()}, timeout_s=WAIT_S)

    assert connection.ended


async def test_noise_on_stderr_blocks_nothing(connect):
    """A server may print megabytes on stderr; the last 256 KiB are kept."""
    connection = await connect()

    await connection.request("noise", {"line": "x" * 99 + "\n", "times": 20_000}, timeout_s=WAIT_S)

    assert connection.process.stderr.endswith("x" * 99 + "\n")
    assert 256 * 1024 >= len(connection.process.stderr)


async def test_a_request_above_the_limit_is_refused_here(connect):
    """More than 16 MiB is not sent, since the server's complaint could not name the request."""
    connection = await connect()

    with pytest.raises(Fault, match="16777216") as caught:
        await connection.request("echo", {"text": "x" * (16 * 1024 * 1024)})

    assert Code.INVALID_INPUT == caught.value.code
    assert {} == await connection.request("echo", {}, timeout_s=WAIT_S)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
async def test_params_that_are_not_json_are_refused_here(connect, value):
    """NaN and Python objects raise at the caller and leave nothing waiting."""
    connection = await connect()

    with pytest.raises((TypeError, ValueError)):
        await connection.request("echo", {"value": value})

    assert {} == await connection.request("echo", {}, timeout_s=WAIT_S)


async def test_a_server_that_stops_reading_delays_only_until_the_timeout(connect):
    """Filling the pipe of a server that does not read ends in the caller's timeout."""
    connection = await connect()
    connection.begin("stop-reading")

    with pytest.raises(TimeoutError):
        await connection.request("echo", {"text": "x" * 1_000_000}, timeout_s=0.2)


async def test_a_server_that_cannot_read_any_more_is_lost(connect, monkeypatch):
    """A server that closed its stdin is no partner any more, although it still runs."""
    monkeypatch.setattr("keepgate_client.process.SETTLE_S", 0.2)
    connection = await connect()

    with pytest.raises(Disconnected, match="still running"):
        await connection.request("close-stdin", timeout_s=WAIT_S)


async def test_closing_ends_a_stubborn_process(connect):
    """A process that ignores the end of input and SIGTERM is killed."""
    connection = await connect(Framing.LSP, "--stubborn")
    await connection.request("echo")

    exit_code = await connection.close(0.1)

    assert -signal.SIGKILL == exit_code


async def test_closing_twice_is_the_same_as_once(connect):
    """The exit code stays available."""
    connection = await connect()
    first = await connection.close(WAIT_S)

    second = await connection.close(WAIT_S)

    assert (1, 1) == (first, second)


async def test_a_cancelled_close_still_leaves_no_process(connect):
    """Cancelling the closing task kills at once."""
    connection = await connect(Framing.LSP, "--stubborn")
    await connection.request("echo")
    closing = asyncio.create_task(connection.close(WAIT_S))
    await asyncio.sleep(0)

    closing.cancel()
    await asyncio.wait([closing], timeout=WAIT_S)

    assert -signal.SIGKILL == await connection.process.wait(WAIT_S)


async def test_a_missing_program_is_an_os_error():
    """A command that does not exist says so."""
    with pytest.raises(FileNotFoundError):
        await Connection.open(["/nonexistent/keepgate"])


async def test_the_environment_is_laid_over(connect, monkeypatch):
    """Given names are added or, with None, removed; the rest is inherited."""
    monkeypatch.setenv("KEPT", "1")
    monkeypatch.setenv("REMOVED", "1")
    connection = await connect(env={"ADDED": "2", "REMOVED": None})

    environment = await connection.request("environment", timeout_s=WAIT_S)

    assert ("1", "2", None) == tuple(environment.get(name) for name in ("KEPT", "ADDED", "REMOVED"))
