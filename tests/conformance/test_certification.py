"""The runner against targets that do what they like, and the case language at its edges."""

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from keepgate.conformance.case_files import BadCase, load_cases
from keepgate.conformance.endpoints import BadTarget, UrlEndpoint, endpoint_of
from keepgate.conformance.registry import schemas_of
from keepgate.conformance.runner import Run
from keepgate.conformance.shapes import problems


def _module(name: str) -> ModuleType:
    folder = str(Path(__file__).parent)
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


certification = _module("certification")
case = certification.case

CALL = {"call": "recall", "with": {}}

MISBEHAVIOUR = {
    "dies": ("os._exit(3)", "died"),
    "hangs": ("time.sleep(3600)", "silent"),
    "prints": ('print("Listening on port 80!", flush=True)', "noise"),
    "prints before the answer": (
        'print("debug"); write({**reply, "result": {"content": []}})',
        "noise",
    ),
    "answers with a list": ("write([reply])", "garbage"),
    "answers without a result": ("write(reply)", "garbage"),
    "answers with both": ('write({**reply, "result": {}, "error": {}})', "garbage"),
    "answers with no content": ('write({**reply, "result": {}})', "garbage"),
    "answers with an image": ('write({**reply, "result": {"content": [{"type": "image"}]}})', "garbage"),
    "answers in prose": (
        'write({**reply, "result": {"content": [{"type": "text", "text": "Hi"}]}})',
        "garbage",
    ),
    "answers something deep": (
        """
        text = "[" * 100000 + "]" * 100000
        write({**reply, "result": {"content": [{"type": "text", "text": text}]}})
        """,
        "garbage",
    ),
    "writes binary": ('sys.stdout.buffer.write(bytes(range(256)) + b"\\n"); sys.stdout.flush()', "noise"),
    "floods": ('sys.stdout.write("x" * (40 << 20)); sys.stdout.flush(); time.sleep(3600)', "garbage"),
    "chatters without end": (
        "while True: write({'jsonrpc': '2.0', 'method': 'notifications/message'})",
        "silent",
    ),
    "answers another request": ('write({**reply, "id": 99}); time.sleep(3600)', "silent"),
}


@pytest.mark.parametrize("name", list(MISBEHAVIOUR))
def test_whatever_a_target_does_is_a_failed_case(tmp_path: Path, name: str) -> None:
    """It fails, says how, and the next case is run all the same."""
    answer, kind = MISBEHAVIOUR[name]
    command = certification.server_of(tmp_path, answer)
    cases = [case(CALL, name="a/one"), case({"method": "tools/list"}, name="a/two")]

    outcomes = certification.run_command(command, cases, limit_s=3)

    assert ["failed", "passed"] == [outcomes[name].status for name in ("a/one", "a/two")]
    assert kind in outcomes["a/one"].message


def test_a_target_that_cannot_be_started_fails_every_case(tmp_path: Path) -> None:
    """No program, one that ends at once: the cases fail, and soon without another try."""
    cases = [case(CALL, name=f"a/{number}") for number in range(8)]

    missing = certification.run_command([str(tmp_path / "nothing")], cases)
    ending = certification.run_command([sys.executable, "-c", "raise SystemExit(4)"], cases)

    for outcomes in (missing, ending):
        assert {"failed"} == {outcome.status for outcome in outcomes.values()}
        assert "given up" in outcomes["a/7"].message
    assert "code 4" in ending["a/0"].message


@pytest.mark.parametrize("told", ["person", "program"])
def test_a_dead_target_is_told_in_one_line(tmp_path: Path, told: str) -> None:
    """No case is run, nothing is said of writes that cannot happen, and it is not certified."""
    command = [sys.executable, "-m", "keepgate", *(["--json"] if told == "program" else [])]
    run = subprocess.run(
        [*command, "protocol", "conformance", "--target", str(tmp_path / "nothing")],
        env={**os.environ, "KEEPGATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 1 == run.returncode
    first, *more = run.stderr.splitlines()
    assert first.startswith(f"cannot reach {tmp_path / 'nothing'}: ")
    if told == "person":
        assert ("", []) == (run.stdout, more)
    else:
        assert (False, []) == (json.loads(run.stdout)["ok"], json.loads(run.stdout)["cases"])


def test_a_target_that_only_hangs_is_given_up(tmp_path: Path) -> None:
    """Its limit is not waited out once per case."""
    command = certification.server_of(tmp_path, "time.sleep(3600)")
    cases = [case(CALL, name=f"a/{number}") for number in range(50)]

    outcomes = certification.run_command(command, cases, limit_s=0.5)

    assert 50 == len(certification.failed(outcomes))
    assert "given up" in outcomes["a/49"].message


def test_a_skipped_case_says_why(tmp_path: Path) -> None:
    """A missing tool, a missing feature and a stricter level each have words of their own."""
    command = certification.server_of(tmp_path, 'write({**reply, "result": {}})')
    cases = [
        case(CALL, name="a/tool", requires=("tool:put_page",)),
        case(CALL, name="a/fresh", requires=("fresh",)),
        case(CALL, name="a/role", requires=("as:elsewhere",)),
        case(CALL, name="a/local", requires=("local",)),
        case(CALL, name="a/strict", level="strict"),
    ]

    outcomes = certification.run_command(command, cases, strict=False)

    assert {"skipped"} == {outcome.status for outcome in outcomes.values()}
    assert 5 == len({outcome.message for outcome in outcomes.values()})
    assert "put_page" in outcomes["a/tool"].message


BAD_STEPS = [
    {"call": "recall", "expect": {"is": {"$": {"resembles": 1}}}},
    {"call": "recall", "expect": {"is": {"facts": 1}}},
    {"call": "recall", "expect": {"is": {"$": {"schema": "no such"}}}},
    {"call": "recall", "with": {"query": "${nowhere}"}},
]


@pytest.mark.parametrize("step", BAD_STEPS, ids=str)
def test_a_case_that_cannot_be_read_fails(step: dict[str, Any]) -> None:
    """A mistake in a case is told as such and ends nothing else."""
    outcomes = certification.run_command(certification.broken(), [case(step), case(CALL, name="a/next")])

    assert ["failed", "passed"] == [outcome.status for outcome in outcomes.values()]


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"cases": [{}]}', '{"cases": [{"id": "a", "title": "b", "steps": [{}]}]}']
)
def test_a_case_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    """The file is named before anything is run."""
    (tmp_path / "verbs").mkdir()
    (tmp_path / "verbs" / "mine.json").write_text(text, encoding="utf-8")

    with pytest.raises(BadCase, match=r"mine\.json"):
        load_cases("verbs", tmp_path)


def test_cases_have_ids_titles_and_steps_of_their_own() -> None:
    """Every file loads; an id is used once; what needs an empty store comes first."""
    for contract, least in (("verbs", 150), ("dsh", 45)):
        cases = load_cases(contract)

        assert len(cases) >= least
        assert all(one.title and one.steps for one in cases)
    assert "fresh" in load_cases("verbs")[0].requires


@pytest.mark.parametrize(
    ("target", "contract"), [("mcp", "dsh"), ("http://localhost/", "dsh"), ("   ", "verbs"), ("'", "verbs")]
)
def test_what_is_no_target_is_refused(target: str, contract: str) -> None:
    """A contract that is not spoken there, an empty command, a quote without its end."""
    with pytest.raises(BadTarget):
        endpoint_of(target, contract=contract, token=None, limit_s=1)


SHAPES = [
    (1, {"type": "integer"}, True), (1.0, {"type": "integer"}, True), (1.5, {"type": "integer"}, False),
    (True, {"type": "integer"}, False), (True, {"const": 1}, False),
    (None, {"type": ["string", "null"]}, True),
    ({"a": 1}, {"required": ["b"]}, False), ({"a": 1}, {"properties": {"a": {"type": "string"}}}, False),
    ([1, "x"], {"items": {"type": "integer"}}, False), ("x", {"enum": ["y"]}, False),
    ("x", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, True),
    ({"a": {}}, {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"required": ["b"]}}}, False),
    ({"z": 1}, {"type": "object", "properties": {}}, True),
]  # fmt: skip


@pytest.mark.parametrize(("value", "schema", "fits"), SHAPES, ids=str)
def test_shapes(value: Any, schema: dict[str, Any], fits: bool) -> None:
    """The subset of JSON Schema judges as JSON Schema does; unknown fields are allowed."""
    assert fits == (not list(problems(value, schema)))


class _Http(BaseHTTPRequestHandler):
    """A server of one tool over Streamable HTTP; ``way`` is how it answers."""

    way: ClassVar[str] = "json"
    seen: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(dict(self.headers))
        if self.headers.get("Authorization") != "Bearer secret":
            self._send(401, "text/plain", b"no")
        elif "id" not in message:
            self._send(202, "text/plain", b"")
        elif self.way == "redirect" and message["method"] == "tools/call":
            self._send(307, "text/plain", b"")
        else:
            self._answer({"jsonrpc": "2.0", "id": message["id"], "result": _result(message["method"])})

    def _answer(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        if self.way == "sse":
            note = b'data: {"jsonrpc": "2.0", "method": "notifications/message"}\n\n'
            self._send(200, "text/event-stream", b": hello\n\n" + note + b"data: " + data + b"\n\n")
        elif self.way == "prose" and b"content" in data:
            self._send(200, "application/json", b"<html>")
        else:
            self._send(200, "application/json", data)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Mcp-Session-Id", "s1")
        if status == 307:
            self.send_header("Location", "http://elsewhere.example/")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _result(method: str) -> dict[str, Any]:
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {}}
    if method == "tools/list":
        return {"tools": [{"name": "recall"}]}
    return {"content": [{"type": "text", "text": '{"facts": []}'}]}


@pytest.fixture
def over_http() -> Iterator[Callable[..., Any]]:
    """Run one case against the HTTP server, which answers in a certain way."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Http)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _Http.seen.clear()

    def run(way: str, token: str | None = "secret") -> Any:
        _Http.way = way
        url = f"http://127.0.0.1:{server.server_address[1]}/mcp"
        endpoint = UrlEndpoint(url=url, token=token, limit_s=10)
        one = case({"call": "recall", "expect": {"is": {"$.facts": []}}})
        return Run(endpoint=endpoint, schemas=schemas_of("verbs"), marker="m", strict=True, limit_s=10).cases(
            [one], lambda _: None
        )[0]

    yield run
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("way", ["json", "sse"])
def test_an_address_is_certified(over_http: Callable[..., Any], way: str) -> None:
    """JSON bodies and event streams are read; the token and the session go with every message."""
    outcome = over_http(way)

    assert ("passed", "") == (outcome.status, outcome.message)
    assert {"Bearer secret"} == {headers.get("Authorization") for headers in _Http.seen}
    assert "s1" == _Http.seen[-1]["Mcp-Session-Id"]


@pytest.mark.parametrize(
    ("way", "token", "words"),
    [
        ("json", None, "refuses the token"), ("redirect", "secret", "elsewhere.example"),
        ("prose", "secret", "no message"),
    ],
)  # fmt: skip
def test_an_address_that_does_not_answer_fails(
    over_http: Callable[..., Any], way: str, token: str | None, words: str
) -> None:
    """A wrong token, a redirect, which is not followed, and a page of HTML are failures with their reason."""
    outcome = over_http(way, token)

    assert "failed" == outcome.status
    assert words in outcome.message


def _keepgate(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "keepgate", "protocol", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=False,
        env={**os.environ, "KEEPGATE_HOME": str(home)},
    )


def test_our_own_server_is_certified_by_the_command(tmp_path: Path) -> None:
    """Exit code 0, one JSON document, nothing on stderr, and nothing in the caller's own store."""
    done = _keepgate(
        "conformance", "--target", "in-process", "--case", "remember/*", "--json", home=tmp_path / "home"
    )
    document = json.loads(done.stdout)

    assert (0, "") == (done.returncode, done.stderr)
    assert document["ok"]
    assert document["failed"] == 0
    assert document["passed"] > 20
    assert not (tmp_path / "home" / "data").exists()


def test_a_foreign_server_is_told_of_first_and_fails_with_a_table(tmp_path: Path) -> None:
    """The marker is named before anything is written; a failure is exit code 1 with its reason."""
    target = " ".join(certification.broken("ignores-limit"))
    done = _keepgate("conformance", "--target", target, "--case", "recall/limit*", home=tmp_path)

    assert 1 == done.returncode
    assert "marker kg" in done.stderr
    assert "failed  recall/limit" in done.stdout
    assert "skipped recall/limit-default: stricter than the contract" in done.stdout
    assert "not certified: 0 passed, 1 failed, 1 skipped" in done.stdout


def test_a_pattern_without_cases_is_a_usage_error(tmp_path: Path) -> None:
    """A certification of nothing certifies nothing."""
    assert 2 == _keepgate("conformance", "--case", "nothing/*", home=tmp_path).returncode


def test_the_specification_is_printed(tmp_path: Path) -> None:
    """--json is the whole document, verbs in its order; without it one line per verb."""
    document = json.loads(_keepgate("--json", home=tmp_path).stdout)
    lines = _keepgate(home=tmp_path).stdout.splitlines()
    names = ["recall", "remember", "entity", "synthesize", "forget", "context_pack", "delta"]

    assert ["protocol", "protocol_version", "versioning_policy", "verbs", "error_schema"] == list(document)
    assert names == list(document["verbs"])
    assert names == [line.partition("(")[0] for line in lines]
    assert document["verbs"]["synthesize"]["description"].startswith("[EXPENSIVE")
    assert all({"description", "input_schema", "annotations", "response_schema"} == set(verb)
               for verb in document["verbs"].values())  # fmt: skip


def test_an_installation_carries_the_cases(tmp_path: Path) -> None:
    """The wheel puts them where the package looks for them."""
    root = Path(__file__).resolve().parents[2]
    wheel = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    (source, target), *others = wheel["targets"]["wheel"]["force-include"].items()
    package = tmp_path / "keepgate" / "conformance"
    package.mkdir(parents=True)
    shutil.copy(root / "sidecar" / "keepgate" / "conformance" / "case_files.py", package)
    shutil.copytree(root / source, tmp_path / target)
    spec = importlib.util.spec_from_file_location("installed_case_files", package / "case_files.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    assert [] == others
    assert tmp_path / target == module.cases_folder()
    assert len(load_cases("verbs")) == len(module.load_cases("verbs"))


def test_usage_is_added_up_by_the_command(tmp_path: Path) -> None:
    """What verb calls left behind, as a document and for people; an empty log is no failure."""
    empty = json.loads(_keepgate("stats", "--json", home=tmp_path).stdout)
    environ = {**os.environ, "KEEPGATE_HOME": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-m", "keepgate", "entity", "Nobody"],
        env=environ, cwd=tmp_path, check=False, capture_output=True, timeout=200,
    )  # fmt: skip
    document = json.loads(_keepgate("stats", "--json", home=tmp_path).stdout)
    text = _keepgate("stats", "--days", "1", home=tmp_path).stdout

    assert (0, {}) == (empty["total_calls"], empty["by_verb"])
    assert (1, 1) == (document["total_calls"], document["by_verb"]["entity"]["missed"])
    assert document["first_call_after_s"] >= 0
    assert text.startswith("1 verb calls in 1 days")
