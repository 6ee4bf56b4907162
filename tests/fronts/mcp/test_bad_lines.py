"""Lines that are no message of MCP: each that could be a request is answered, and the next one is served."""

from typing import Any

FINE = '{"jsonrpc":"2.0","id":"after","method":"ping"}'
BAD = [
    ("{broken", None, -32700),
    ("[" * 9000, None, -32700),
    ("[]", None, -32600),
    ('[{"jsonrpc":"2.0","id":5,"method":"ping"}]', None, -32600),
    ("7", None, -32600),
    ("null", None, -32600),
    ('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}', 2, -32602),
    ('{"jsonrpc":"2.0","id":"b","method":"tools/call","params":5}', "b", -32602),
    ('{"jsonrpc":"2.0","id":6,"method":5}', 6, -32600),
    ('{"jsonrpc":"2.0","id":7}', 7, -32600),
    ('{"id":8,"method":"ping"}', 8, -32600),
    ('{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
    ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
    ('{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', None, -32600),
    ('{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
]
"""A line, and the id and code of its answer."""
SILENT = [
    '{"jsonrpc":"2.0","method":"nothing","params":5}',
    '{"jsonrpc":"2.0","id":9,"result":5}',
    '{"jsonrpc":"2.0","id":9,"error":5}',
]
"""What asks for nothing."""


def test_lines_that_are_no_message(open_mcp: Any) -> None:
    """Each gets one answer, under its id where it has one; what is no request gets none."""
    server = open_mcp().server
    for line in [*SILENT, *(line for line, _, _ in BAD), FINE]:
        server.send_bytes(f"{line}\n".encode())
    server.answer("after")

    answers = [each for each in server.received if "error" in each]

    assert [(number, code) for _, number, code in BAD] == [
        (each["id"], each["error"]["code"]) for each in answers
    ]


def test_a_line_that_is_too_long(open_mcp: Any) -> None:
    """It is answered, and the next one is served."""
    server = open_mcp().server
    server.send_bytes(b'"' + b"x" * (16 * 1024 * 1024) + b'"\n' + FINE.encode() + b"\n")
    server.answer("after")

    assert -32600 == server.answer_to_nothing()["error"]["code"]
