"""What the bytes of a frame are taken for."""

from typing import Any

import pytest

from keepgate.fronts.stdio.messages import ABSENT, Notification, Request, Response, Unusable, failure, parse
from keepgate.protocol.errors import RpcNumber


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b"{", RpcNumber.PARSE_ERROR),
        (b"", RpcNumber.PARSE_ERROR),
        (b"\xff\xfe", RpcNumber.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":NaN}}', RpcNumber.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}', RpcNumber.PARSE_ERROR),
        (b"[" * 100_000, RpcNumber.PARSE_ERROR),
        (b"[]", RpcNumber.INVALID_REQUEST),
        (b'[{"jsonrpc":"2.0","id":1,"method":"a"}]', RpcNumber.INVALID_REQUEST),
        (b"5", RpcNumber.INVALID_REQUEST),
        (b"null", RpcNumber.INVALID_REQUEST),
        (b'"memory/add"', RpcNumber.INVALID_REQUEST),
        (b"{}", RpcNumber.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0"}', RpcNumber.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","method":5}', RpcNumber.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"a"}', RpcNumber.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"a"}', RpcNumber.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"a"}', RpcNumber.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":["a"],"method":"a"}', RpcNumber.INVALID_REQUEST),
    ],
)
def test_unusable_without_id(body: bytes, number: RpcNumber) -> None:
    """What cannot be told to be a request is answered under the id null."""
    message = parse(body)

    assert isinstance(message, Unusable)
    assert (None, number) == (message.id, message.number)


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b'{"id":7,"method":"a"}', 7),
        (b'{"jsonrpc":"1.0","id":"x","method":"a"}', "x"),
        (b'{"jsonrpc":2.0,"id":"x","method":"a"}', "x"),
        (b'{"jsonrpc":"2.0","id":7,"method":null}', 7),
    ],
)
def test_unusable_with_id(body: bytes, number: Any) -> None:
    """A broken request that names a valid id is answered under it."""
    message = parse(body)

    assert isinstance(message, Unusable)
    assert (number, RpcNumber.INVALID_REQUEST) == (message.id, message.number)


def test_the_parse_error_quotes_nothing() -> None:
    """The complaint about broken JSON names a place, never the input, which may be a memory."""
    message = parse(b'{"text": "a secret", oops}')

    assert isinstance(message, Unusable)
    assert "the message is not JSON at character 21" == message.problem


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"a"}', Request(1, "a", None)),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"1","method":"a","params":[1]}', Request("1", "a", [1])),
        (
            b'{"jsonrpc":"2.0","id":-3,"method":"a","params":{"jsonrpc":"2.0"}}',
            Request(-3, "a", {"jsonrpc": "2.0"}),
        ),
        (b'{"jsonrpc":"2.0","method":"a","params":5}', Notification("a", 5)),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Response(id=1, result=None, error=None)),
        (b'{"jsonrpc":"2.0","id":null,"error":5}', Response(id=None, result=ABSENT, error=5)),
        (b'{"jsonrpc":"2.0","id":1}', Response(id=1, result=ABSENT, error=None)),
    ],
)
def test_usable(body: bytes, expected: Any) -> None:
    """Requests, notifications and responses are told apart by ``method`` and ``id``."""
    assert expected == parse(body)


def test_a_failure_keeps_id_null() -> None:
    """An error without a request to belong to says ``"id": null``."""
    answer = failure(None, -32700, "broken")

    assert {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "broken"}} == answer
