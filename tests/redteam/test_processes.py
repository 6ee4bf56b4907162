"""Every hostile text through real processes: prompts of editors and MCP clients, commands, hooks, logs."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from keepgate.core.model.text import hidden_positions, make_visible

CORPUS: Final = json.loads((Path(__file__).parent / "corpus.json").read_text("utf-8"))
TEXTS: Final = [item["text"] for item in CORPUS]
SESSION: Final = {"id": "s1"}
LAYER: Final = {"session": SESSION, "track": "user", "scope": "workspace"}
ROOM: Final = (
    "[budgets.user]\nuserGlobal = 200000\nworkspace = 200000\n"
    "[budgets.agent]\nuserGlobal = 200000\nworkspace = 200000\n"
)
_COLOURS: Final = re.compile("\x1b\\[[0-9;]*m")


def _raw_server() -> Any:
    path = Path(__file__).parents[1] / "fronts" / "conftest.py"
    spec = importlib.util.spec_from_file_location("raw_client_of_fronts", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RawServer


RawServer: Final = _raw_server()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A workspace folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Settings with room for every text."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text(ROOM, encoding="utf-8")
    return folder


@pytest.fixture
def spawn(home: Path, project: Path) -> Iterator[Callable[..., Any]]:
    """Start servers; each is gone when the test ends."""
    servers: list[Any] = []

    def start(*args: str, **options: Any) -> Any:
        server = RawServer(home, *args, cwd=project, **options)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.end()


def clean(drawn: str) -> None:
    """What was drawn steers no terminal and hides nothing."""
    plain = _COLOURS.sub("", drawn)
    assert [hex(ord(plain[place])) for place in hidden_positions(plain)] == []


def told_of_nothing(logged: str) -> None:
    """No log holds a text, or steers the terminal that shows it."""
    clean(logged)
    for text in TEXTS:
        for piece in (text[:24], make_visible(text)[:24]):
            assert len(piece.strip()) < 12 or piece not in logged


def test_an_editor_is_asked_in_words(spawn: Callable[..., Any], project: Path) -> None:
    """The message of each prompt hides nothing, begins with our line, and a rejection stores nothing."""
    server = spawn("--log-level", "info")
    server.initialize(project)
    for place, text in enumerate(TEXTS, 1):
        number = server.begin("memory/add", {**LAYER, "text": text})
        prompt = server.request_of_server("window/showMessageRequest", place)
        message = prompt["params"]["message"]
        clean(message)
        assert message.startswith('Add to the user memory of "project"? Source keepgate, session s1.\n')
        assert message.endswith(make_visible(text))
        assert [action["title"] for action in prompt["params"]["actions"]][-1] == "Reject"
        server.reply(prompt, {"title": "Reject"})
        assert server.answer(number)["error"]["data"]["details"]["outcome"] == "rejected"
    told_of_nothing(server.stderr)


def test_a_structured_question_carries_the_text_and_nothing_more(
    spawn: Callable[..., Any], project: Path
) -> None:
    """In ``approval/request`` a text is one string, whole; what it says about answers answers nothing."""
    server = spawn("--log-level", "info")
    announced = {"experimental": {"keepgate": {"approvalRequest": True}}}
    server.initialize(project, capabilities=announced)
    for place, text in enumerate(TEXTS, 1):
        number = server.begin("memory/add", {**LAYER, "text": text})
        request = server.request_of_server("approval/request", place)
        asked = request["params"]
        assert asked["entries"][0]["text"] == asked["to"] == text
        server.reply(request, {"outcome": "rejected", "hash": asked["hash"]})
        assert server.answer(number)["error"]["data"]["details"]["outcome"] == "rejected"
    told_of_nothing(server.stderr)


def test_an_mcp_client_is_asked_by_a_form(spawn: Callable[..., Any]) -> None:
    """The message of each form hides nothing; declining stores nothing."""
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    server = spawn(command=(sys.executable, "-m", "keepgate", "mcp"), framing="lines")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}}
    server.result("initialize", {**hello, "clientInfo": {"name": "raw", "version": "1"}})
    server.notify("notifications/initialized")
    for place, text in enumerate(TEXTS, 1):
        arguments = {"fact": text, "provenance": "a test"}
        number = server.begin("tools/call", {"name": "remember", "arguments": arguments})
        form = server.request_of_server("elicitation/create", place)
        clean(form["params"]["message"])
        assert form["params"]["message"].startswith("Remember a fact")
        server.reply(form, {"action": "decline"})
        assert server.answer(number)["result"]["isError"] is True
    told_of_nothing(server.stderr)


@pytest.fixture
def stored(spawn: Callable[..., Any], home: Path, project: Path) -> list[str]:
    """A store that holds every text, as a memory, as a fact and as a page; the texts as they are stored."""
    (home / "config.toml").write_text('writePolicy = "auto"\n' + ROOM, encoding="utf-8")
    server = spawn()
    server.initialize(project)
    kept = []
    for place, text in enumerate(TEXTS):
        kept.append(server.result("memory/add", {**LAYER, "text": text})["entry"]["text"])
        server.result("verbs/remember", {"fact": text, "provenance": "a test", "session": SESSION})
        page = {"slug": f"notes/n{place}", "content": f"# N{place}\n\n{text}\n"}
        server.result("pages/put", {**page, "session": SESSION})
    told_of_nothing(server.stderr)
    server.end()
    return kept


def test_the_command_line_and_hooks(stored: list[str], home: Path, project: Path) -> None:
    """Tables, cards, blocks, hooks and errors steer no terminal; JSON is one document with every text."""

    def run(*arguments: str, **env: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "keepgate", *arguments],
            capture_output=True,
            env={**os.environ, "KEEPGATE_HOME": str(home), "PYTHONIOENCODING": "utf-8", **env},
            cwd=project,
            input=b"",
            timeout=200,
            check=False,
        )
        return done.stdout.decode(), done.stderr.decode()

    for arguments in (
        ("list", "--limit", "500"),
        ("audit", "--limit", "1000"),
        ("snapshot",),
        ("recall", "--limit", "100"),
        ("delta",),
        ("hook", "session-start"),
        ("query", "allow", "--limit", "50"),
        ("pages", "list"),
        ("pages", "search", "allow"),
        ("remove", "\x1b[31m\u202ex"),
        ("show", "\x9b2J"),
    ):
        for env in ({}, {"FORCE_COLOR": "1", "COLUMNS": "60"}):
            out, err = run(*arguments, **env)
            clean(out)
            clean(err)

    out, err = run("list", "--limit", "500", "--json")
    clean(re.sub("[\u200c\u200d\ufe00-\ufe0f\u0300-\u036f\u115f\u1160\u2800\u3164\uffa0\U000e0100]", "", out))
    assert [entry["text"] for entry in json.loads(out)["entries"]] == stored
    assert err == ""
