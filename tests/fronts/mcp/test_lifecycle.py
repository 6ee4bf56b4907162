"""The process lives as long as its client, and answers what it was sent before."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ASK = 'writePolicy = "ask"\napprovalTimeoutSeconds = 30\n'
WISH = {"action": "add", "track": "agent", "scope": "workspace", "text": "Asked and not answered."}
PROMISED_S = 2.0


def close_stdin(server: Any) -> None:
    server.close_stdin()


def terminate(server: Any) -> None:
    server.process.send_signal(signal.SIGTERM)


def hang_up(server: Any) -> None:
    server.process.send_signal(signal.SIGHUP)


ENDS = [close_stdin, terminate, hang_up]


@pytest.mark.parametrize("end", ENDS)
def test_an_end_is_orderly(open_mcp: Any, end: Callable[[Any], None]) -> None:
    """The end of input and signals end it with 0 and without a word."""
    client = open_mcp()
    client.call("memory_budgets")

    end(client.server)

    assert 0 == client.server.exit_code()
    assert "" == client.server.stderr


@pytest.mark.parametrize("end", ENDS)
def test_an_end_before_the_first_message(open_mcp: Any, end: Callable[[Any], None]) -> None:
    """A server that was never used ends as well."""
    client = open_mcp(handshake=False)

    end(client.server)

    assert client.server.exit_code() in (0, -signal.SIGTERM, -signal.SIGHUP)


@pytest.mark.parametrize("end", ENDS)
def test_a_question_survives_the_end(open_mcp: Any, end: Callable[[Any], None]) -> None:
    """A wish that waits when its client leaves stays in the inbox."""
    client = open_mcp(settings=ASK, capabilities={"elicitation": {}})
    client.begin("memory", WISH)
    client.server.request_of_server("elicitation/create")

    end(client.server)
    code = client.server.exit_code()

    assert 0 == code
    assert 1 == len(open_mcp(settings=ASK).call("proposals_list", {"status": "pending"})["proposals"])


def test_everything_sent_before_the_end_is_answered(open_mcp: Any) -> None:
    """A script that writes its requests and closes gets every answer."""
    client = open_mcp(handshake=False)
    first = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "script", "version": "1"},
    }
    messages: list[Any] = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": first}]
    messages += [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "memory_budgets"}}
        for number in range(1, 20)
    ]

    client.server.send_bytes(b"".join(client.server.framed(message) for message in messages))
    client.server.close_stdin()

    assert 0 == client.server.exit_code()
    assert ["result"] * 20 == [list(client.server.answer(number))[2] for number in range(20)]


def test_a_broken_stdout_ends_it(home: Path, project: Path) -> None:
    """A client that reads no more has left, although it keeps the input open."""
    process = _started(home, project)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_line({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
    process.stdin.flush()
    process.stdout.readline()

    process.stdout.close()

    assert 0 == process.wait(20)
    process.stdin.close()


def test_it_does_not_outlive_its_parent(home: Path, project: Path) -> None:
    """When the client is killed it is gone, also while something else still holds its pipes."""
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'keepgate', 'mcp'], stdin=0, stdout=1)\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "KEEPGATE_HOME": str(home)},
        cwd=project,
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    assert parent.stderr is not None
    child = int(parent.stderr.readline())
    parent.stdin.write(_line({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
    parent.stdin.flush()
    parent.stdout.readline()

    parent.kill()
    parent.wait()
    killed = time.monotonic()

    # The pipes are still held here; their end comes when the server has let them go.
    assert b"" == parent.stdout.read()
    assert time.monotonic() - killed < PROMISED_S + 30, f"{child} lived on"
    for stream in (parent.stdin, parent.stdout, parent.stderr):
        stream.close()


def test_printing_code_cannot_reach_the_wire(open_mcp: Any, home: Path, tmp_path: Path) -> None:
    """What an adapter prints while it is loaded goes to stderr."""
    info = tmp_path / "site" / "noisy-1.0.dist-info"
    info.mkdir(parents=True)
    (tmp_path / "site" / "noisy.py").write_text("import os\nprint('noise')\nos.write(1, b'noise 2\\n')\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[keepgate.adapters]\nnoisy = noisy:Noisy\n")
    path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    client = open_mcp(env={"PYTHONPATH": path})

    client.call("adapters_list")

    assert 4 == len(client.call("memory_budgets")["budgets"])
    assert "noise 2" in client.server.stderr


def test_a_store_that_cannot_be_opened_is_told_by_the_calls(open_mcp: Any, home: Path) -> None:
    """The server starts and lists its tools; each call says what is wrong, in the words of its contract."""
    (home / "data").mkdir(parents=True)
    (home / "data" / "memory.db").write_bytes(b"not a store" * 500)
    client = open_mcp()

    assert "recall" in client.tools()
    assert "STORE_CORRUPT" == client.fail("memory", {"action": "query"})["error"]
    assert "unavailable" == client.fail("recall", {"query": "x"})["error"]
    assert client.fail("recall")["suggestion"]


def test_without_the_extra_one_line_says_what_to_install(home: Path) -> None:
    """Exit code 2 and one line, and nothing else of the command line needs the SDK."""
    code = "import sys; sys.modules['mcp'] = None; from keepgate.cli import main; main()"
    installing = subprocess.run(
        [sys.executable, "-c", code, "install", "claude-code"],
        env={**os.environ, "KEEPGATE_HOME": str(home), "HOME": str(home)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert 0 == installing.returncode
    assert "the extra mcp is missing" in installing.stderr
    told = subprocess.run(
        [sys.executable, "-c", code, "mcp"],
        env={**os.environ, "KEEPGATE_HOME": str(home)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )

    assert 2 == told.returncode
    assert "" == told.stdout
    wanted = "mcp needs the MCP SDK; install it from a checkout: python3 -m pip install '.[mcp]'"
    assert [f"keepgate: {wanted}"] == told.stderr.splitlines()


def test_settings_that_cannot_be_used_are_told_at_the_start(open_mcp: Any) -> None:
    """A server with the wrong settings does not pretend to serve."""
    client = open_mcp(settings='[mcp]\nsurface = "everything"\n', handshake=False)

    assert 2 == client.server.exit_code()
    assert "surface" in client.server.stderr


def _started(home: Path, project: Path) -> "subprocess.Popen[bytes]":
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "keepgate", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "KEEPGATE_HOME": str(home)},
        cwd=project,
    )


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"
