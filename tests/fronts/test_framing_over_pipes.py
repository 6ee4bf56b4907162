"""Frames as clients really send them: split, odd, huge, broken, in either form."""

import json
import threading
from typing import Any

import pytest

FRAME_BYTES_MAX = 16 * 1024 * 1024
INVALID_REQUEST = -32600
BUDGETS = {"jsonrpc": "2.0", "id": 1, "method": "memory/budgets"}


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_a_message_may_come_byte_by_byte(spawn: Any, framing: str) -> None:
    """Where the pipe cuts the stream means nothing, inside characters and headers included."""
    server = spawn(framing=framing)
    server.initialize()
    data = server.framed({**BUDGETS, "params": {"newer": "重跑🎈"}})

    for index in range(len(data)):
        server.send_bytes(data[index : index + 1])

    assert len(server.answer(1)["result"]["budgets"]) == 4


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_many_messages_may_come_at_once(spawn: Any, framing: str) -> None:
    """Pipelined requests are all answered, the ones behind ``initialize`` included."""
    server = spawn(framing=framing)
    first = {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {"capabilities": {}}}
    messages = [first, {"jsonrpc": "2.0", "method": "initialized"}]
    messages += [{"jsonrpc": "2.0", "id": number, "method": "memory/budgets"} for number in range(300)]

    server.send_bytes(b"".join(server.framed(message) for message in messages))

    assert "result" in server.answer("first")
    assert [4] * 300 == [len(server.answer(number)["result"]["budgets"]) for number in range(300)]


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nX-Extra: anything\r\n\r\n",
        b"\r\n\r\nContent-Length: %d \r\n\r\n",
    ],
)
def test_headers_in_other_forms(server: Any, header: bytes) -> None:
    """Names in any case, other headers and bare line feeds are all followed, and the stream stays in step."""
    body = json.dumps(BUDGETS).encode()

    server.send_bytes(header % len(body) + body)

    assert "result" in server.answer(1)
    assert "result" in server.ask("memory/budgets")


def test_lengths_count_bytes(server: Any) -> None:
    """Answers with characters beyond ASCII have the length of their bytes."""
    answer = server.ask("memory/get", {"id": "重跑🎈" * 100})

    assert "重跑🎈" in json.dumps(answer, ensure_ascii=False)
    assert "result" in server.ask("memory/budgets")


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n\r\n",
        b"\x00\x01\x02",
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: abc\r\n\r\n{}",
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"C" * 10_000,
        b"Cookies are no header line\r\n",
    ],
)
def test_garbage_ends_the_process(spawn: Any, garbage: bytes) -> None:
    """Bytes that cannot be a frame end it with exit code 1 and one line on stderr, never a deaf process."""
    server = spawn()

    server.send_bytes(garbage)

    assert server.exit_code() == 1
    assert server.stderr.startswith("keepgate: stdin does not speak the protocol: ")
    assert server.stderr.count("\n") == 1


def test_a_length_too_short_ends_the_process(server: Any) -> None:
    """A wrong length cannot be recovered from: the rest of the body is no header."""
    body = json.dumps(BUDGETS).encode()

    server.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body) - 5, body))
    server.send_bytes(b"Content-Length: 5\r\n\r\n")

    assert server.exit_code() == 1


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_a_frame_above_the_limit_is_refused(spawn: Any, framing: str) -> None:
    """The refusal names the limit, and the stream stays in step."""
    server = spawn(framing=framing)
    server.initialize()
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "memory/query", "params": {"text": "%b"}}'
    huge = body % (b"x" * FRAME_BYTES_MAX)

    server.send_bytes(b"Content-Length: %d\r\n\r\n" % len(huge) + huge if framing == "lsp" else huge + b"\n")
    after = server.ask("memory/budgets")

    refused = server.answer_to_nothing()
    assert INVALID_REQUEST == refused["error"]["code"]
    assert str(FRAME_BYTES_MAX) in refused["error"]["message"]
    assert "result" in after


def test_an_absurd_length_is_refused(server: Any) -> None:
    """A length beyond all memory is refused at once, without a byte of it."""
    server.send_bytes(b"Content-Length: 99999999999999\r\n\r\n")

    assert INVALID_REQUEST == server.answer_to_nothing()["error"]["code"]


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_a_frame_below_the_limit_is_served(spawn: Any, framing: str) -> None:
    """Ten megabytes of characters beyond ASCII go through."""
    server = spawn(framing=framing)
    server.initialize()
    sending = threading.Thread(
        target=server.send, args=({**BUDGETS, "params": {"newer": "重" * (10 * 1024 * 1024 // 3)}},)
    )

    sending.start()

    assert "result" in server.answer(1)
    sending.join()


def test_the_framing_can_be_fixed(spawn: Any) -> None:
    """With ``--framing=lines`` headers are no detection but broken JSON."""
    server = spawn("--framing=lines", framing="lines")

    server.send_bytes(b"Content-Length: 2\n")
    broken = server.answer_to_nothing()
    result = server.initialize()

    assert broken["error"]["code"] == -32700
    assert result["capabilities"]["experimental"]["keepgate"]["framing"] == "lines"


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_answers_use_the_framing_of_the_client(spawn: Any, framing: str) -> None:
    """The first byte that is no blank decides, and the server says what it decided."""
    server = spawn(framing=framing)
    server.send_bytes(b" \r\n\n")

    result = server.initialize()

    assert framing == result["capabilities"]["experimental"]["keepgate"]["framing"]
