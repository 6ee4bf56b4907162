"""Exactly one answer to every request with an id, whatever is wrong with it, in both framings."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# The raw client comes through the fixtures of conftest.py.
Json = dict[str, Any]
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, VALUE, WRITE_REQUIRES_AGENT = -32002, -32050, -32051
SESSION = {"id": "s1"}


@pytest.fixture(scope="module", params=["lsp", "lines"])
def shared(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    start_server: Callable[..., Any],
) -> Iterator[Any]:
    """One initialized server for every row: bad input must leave it as it was."""
    folder: Path = tmp_path_factory.mktemp("bad-input")
    (folder / "project").mkdir()
    server = start_server(folder / "home", framing=request.param)
    try:
        server.initialize(folder / "project")
        yield server
    finally:
        server.end()


def only_answer(server: Any, data: bytes) -> Json:
    """Send a frame of the client's and return the one message that it brings about.

    A request that is fine follows it, so an answer that never comes fails the test instead of hanging it.
    """
    before = len(server.received)
    server.send_bytes(data)
    marker = server.begin("memory/budgets")
    server.answer(marker)
    new = [each for each in server.received[before:] if "method" not in each and each["id"] != marker]
    assert len(new) == 1, new
    answer: Json = new[0]
    return answer


def framed(server: Any, body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body) if server.framing == "lsp" else body + b"\n"


@pytest.mark.parametrize(
    ("body", "number", "code"),
    [
        (b"{nonsense", None, PARSE_ERROR),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "memory/add", "params": {"text": "\xff"}}',
            None,
            PARSE_ERROR,
        ),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"limit": Infinity}}', None, PARSE_ERROR),
        (b'{"a":' * 20_000, None, PARSE_ERROR),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "memory/budgets"}]', None, INVALID_REQUEST),
        (b"{}", None, INVALID_REQUEST),
        (b'{"id": 5, "method": "memory/budgets"}', 5, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "memory/budgets"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "memory/budgets"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "memory/budgets"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": false, "method": "memory/budgets"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 5}', 7, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 8}', 8, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "memory/nothing"}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": ""}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "\\ud800"}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "textDocument/hover"}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "initialized"}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "$/cancelRequest"}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "exit"}', "m", METHOD_NOT_FOUND),
        (b'{"jsonrpc": "2.0", "id": "m", "method": "initialize", "params": {}}', "m", INVALID_REQUEST),
    ],
)
def test_frames_that_are_no_good_request(shared: Any, body: bytes, number: Any, code: int) -> None:
    """Whatever is in a frame gets one error, under the id when there is one; the next request is served."""
    answer = only_answer(shared, framed(shared, body))

    assert (number, code) == (answer["id"], answer["error"]["code"])


@pytest.mark.parametrize(
    ("method", "params", "code", "path"),
    [
        ("memory/add", [1, 2], WRITE_REQUIRES_AGENT, None),
        ("memory/add", {"text": 5}, WRITE_REQUIRES_AGENT, None),
        ("memory/add", {"session": None}, WRITE_REQUIRES_AGENT, None),
        ("memory/add", {"session": SESSION, "track": "user", "scope": "workspace"}, INVALID_PARAMS, "$.text"),
        (
            "memory/add",
            {"session": SESSION, "track": "user", "scope": "workspace", "text": 5},
            INVALID_PARAMS,
            "$.text",
        ),
        (
            "memory/add",
            {"session": SESSION, "track": "user", "scop": "workspace", "text": "x", "scope": "workspace"},
            INVALID_PARAMS,
            "$.scop",
        ),
        (
            "memory/add",
            {"session": SESSION, "track": "nobody", "scope": "workspace", "text": "x"},
            VALUE,
            "$.track",
        ),
        (
            "memory/add",
            {"session": SESSION, "track": "user", "scope": "workspace", "text": "\x00"},
            VALUE,
            "$.text",
        ),
        (
            "memory/add",
            {"session": SESSION, "track": "user", "scope": "workspace", "text": "\ud800"},
            VALUE,
            "$.text",
        ),
        ("memory/query", [], INVALID_PARAMS, "$"),
        ("memory/query", "text", INVALID_PARAMS, "$"),
        ("memory/query", {"limit": "5"}, INVALID_PARAMS, "$.limit"),
        ("memory/query", {"limit": True}, INVALID_PARAMS, "$.limit"),
        ("memory/query", {"tags": "a"}, INVALID_PARAMS, "$.tags"),
        ("memory/get", {}, INVALID_PARAMS, "$.id"),
        ("memory/get", {"id": None}, INVALID_PARAMS, "$.id"),
        ("session/open", {"id": 5}, INVALID_PARAMS, "$.id"),
        ("workspace/executeCommand", None, INVALID_PARAMS, "$"),
        ("workspace/executeCommand", {"command": "keepgate.nothing"}, INVALID_PARAMS, "$.command"),
        (
            "workspace/executeCommand",
            {"command": "keepgate.memory.query", "arguments": "{}"},
            INVALID_PARAMS,
            "$.arguments",
        ),
    ],
)
def test_params_that_are_no_good(shared: Any, method: str, params: Any, code: int, path: str | None) -> None:
    """Wrong types and unknown fields are -32602, wrong values -32050, each with its place."""
    # Escaped on the wire, so that a lone surrogate can be sent at all.
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()

    answer = only_answer(shared, framed(shared, body))

    assert (1, code) == (answer["id"], answer["error"]["code"])
    problems = answer["error"]["data"].get("problems", [])
    assert path is None or path in [problem["path"] for problem in problems]


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc": "2.0", "method": "memory/add", "params": {"text": 5}}',
        b'{"jsonrpc": "2.0", "method": "memory/nothing"}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "never sent"}}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": [1]}',
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest"}',
        b'{"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "verbose"}}',
        b'{"jsonrpc": "2.0", "method": "$/somethingNew", "params": {"jsonrpc": "2.0", "method": 5}}',
        b'{"jsonrpc": "2.0", "method": "initialize", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": null}}',
        b'{"jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": {"token": "unknown"}}',
        b'{"jsonrpc": "2.0", "id": "keepgate-99", "result": {"title": "Allow once"}}',
        b'{"jsonrpc": "2.0", "id": 12345, "error": {"code": 1, "message": "x"}}',
        b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "x"}}',
    ],
)
def test_what_is_never_answered(shared: Any, body: bytes) -> None:
    """Notifications, known or not, and answers to nothing bring about no answer and run nothing."""
    before = len(shared.received)

    shared.send_bytes(framed(shared, body))
    marker = shared.begin("memory/status")
    status = shared.answer(marker)

    assert [marker] == [each["id"] for each in shared.received[before:] if "method" not in each]
    assert status["result"]["counts"] == dict.fromkeys(status["result"]["counts"], 0)


def test_members_called_jsonrpc_are_just_members(shared: Any) -> None:
    """A nested object that looks like a message is a value like any other."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "memory/budgets"}

    answer = shared.ask("adapters/register", {"id": message})
    fine = shared.ask("memory/query", {"text": "x", "newerField": message})

    assert INVALID_PARAMS == answer["error"]["code"]
    assert fine["result"]["entries"] == []


def test_unknown_fields_are_ignored_on_reads(shared: Any) -> None:
    """A newer client may ask an older server."""
    assert shared.result("memory/query", {"text": "x", "somethingNewer": 1})["total"] == 0


@pytest.mark.parametrize("number", [0, -1, 2**40, "", "x" * 1000, "1"])
def test_ids_are_kept_as_they_are(shared: Any, number: Any) -> None:
    """Integers and strings come back unchanged."""
    assert number == shared.ask("memory/budgets", number=number)["id"]


def test_requests_before_initialize(spawn: Any) -> None:
    """Nothing but ``initialize`` is served before it, and it can still be sent afterwards."""
    server = spawn()
    methods = ("memory/query", "memory/nothing", "shutdown", "workspace/executeCommand")

    codes = [server.error(method)["code"] for method in methods]
    result = server.initialize()

    assert [NOT_INITIALIZED] * 4 == codes
    assert "keepgate" == result["serverInfo"]["name"]


def test_requests_after_shutdown(server: Any) -> None:
    """After ``shutdown`` every request is refused and the process waits for ``exit``."""
    assert server.result("shutdown") is None

    codes = [
        server.error(method)["code"]
        for method in ("memory/query", "memory/nothing", "shutdown", "initialize")
    ]

    assert [INVALID_REQUEST] * 4 == codes


def test_an_id_in_flight_is_refused(server: Any, project: Path) -> None:
    """A second request with the id of one that is being answered is refused; the first is served."""
    write = {"session": SESSION, "track": "user", "scope": "workspace", "text": "one"}
    server.begin("memory/add", write, number=1)
    prompt = server.request_of_server("window/showMessageRequest")

    server.begin("memory/budgets", number=1)
    refused = server.until(lambda each: each.get("id") == 1 and "error" in each)
    server.reply(prompt, {"title": "Allow once"})
    served = server.until(lambda each: each.get("id") == 1 and "result" in each)

    assert INVALID_REQUEST == refused["error"]["code"]
    assert served["result"]["entry"]["text"] == "one"


def test_the_number_1_is_not_true(server: Any) -> None:
    """Cancelling ``true`` does not cancel the request with the id 1."""
    write = {"session": SESSION, "track": "user", "scope": "workspace", "text": "one"}
    server.begin("memory/add", write, number=1)
    prompt = server.request_of_server("window/showMessageRequest")

    server.notify("$/cancelRequest", {"id": True})
    server.reply(prompt, {"title": "Allow once"})

    assert "result" in server.answer(1)
