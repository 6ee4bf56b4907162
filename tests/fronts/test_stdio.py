"""The wire belongs to the protocol: nothing that prints reaches it, and nobody who does not read stops it."""

import contextlib
import json
import os
import shlex
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

SERVE = (sys.executable, "-m", "keepgate", "serve")
NOISE = """
import ctypes
import os
import subprocess
import sys
import warnings

print("noise: print")
sys.stdout.write("noise: no newline")
os.write(1, b"noise: descriptor\\n")
ctypes.CDLL(None).puts(b"noise: C")
ctypes.CDLL(None).fflush(None)
subprocess.run([sys.executable, "-c", "print('noise: child')"], check=True)
warnings.warn("noise: warning", stacklevel=1)
sys.stdin.read()
os.read(0, 1000)


class Noisy:
    id = "noisy"
"""


@pytest.fixture
def noisy_package(tmp_path: Path) -> Path:
    """An installed package whose adapter prints while the sidecar loads it."""
    folder = tmp_path / "site"
    info = folder / "noisy-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "noisy.py").write_text(NOISE, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[keepgate.adapters]\nnoisy = noisy:Noisy\n")
    return folder


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_printing_code_cannot_reach_the_wire(spawn: Any, noisy_package: Path, framing: str) -> None:
    """``print``, writes to descriptor 1, C code and children end on stderr; stdin is empty for them."""
    server = spawn(framing=framing, env={"PYTHONPATH": str(noisy_package)})

    server.initialize()

    # The first need of adapters imports those of installed packages.
    assert "result" in server.ask("adapters/list")
    assert "result" in server.ask("memory/budgets")
    kinds = ("print", "no newline", "descriptor", "C", "child", "warning")
    assert [] == [kind for kind in kinds if f"noise: {kind}" not in server.stderr]
    assert server.broken is None


def test_a_client_that_does_not_read_gets_everything_later(spawn: Any, project: Path) -> None:
    """Output that nobody reads pauses reading, loses nothing, and is all there once the client reads."""
    server = spawn(reading=False)
    text = "x" * 400_000
    count = 60
    asking = threading.Thread(
        target=lambda: [server.begin("memory/get", {"id": text}, number=number) for number in range(count)]
    )
    server.begin("initialize", {"capabilities": {}}, number="first")

    asking.start()
    asking.join(3)
    paused = asking.is_alive()
    server.start_reading()
    answers = [server.answer(number) for number in range(count)]
    asking.join()

    assert paused
    assert [text] * count == [answer["error"]["data"]["details"]["match"] for answer in answers]


def test_a_client_that_does_not_read_blocks_nobody_else(spawn: Any, project: Path) -> None:
    """Another client of the same store writes meanwhile, and the silent one can be ended."""
    deaf = spawn(reading=False)
    deaf.begin("initialize", {"capabilities": {}}, number="first")

    def ask_on() -> None:
        with contextlib.suppress(OSError):
            for _ in range(60):
                deaf.begin("memory/get", {"id": "x" * 400_000})

    asking = threading.Thread(target=ask_on)
    asking.start()
    os.read(deaf.process.stdout.fileno(), 1)
    other = spawn()
    other.initialize(project, initializationOptions={"writePolicy": "auto"})

    added = other.result(
        "memory/add",
        {"session": {"id": "s"}, "track": "user", "scope": "workspace", "text": "Written meanwhile."},
    )
    deaf.process.terminate()

    assert deaf.exit_code() == 1
    assert added["entry"]["text"] == "Written meanwhile."
    asking.join()


def test_the_log_names_no_memory(spawn: Any, project: Path) -> None:
    """At the default level neither stderr nor the log file holds a word of what was written."""
    log = project / "keepgate.log"
    server = spawn("--log-file", str(log))
    server.initialize(project)
    write = {"session": {"id": "s"}, "track": "user", "scope": "workspace", "text": "Rosebud"}
    number = server.begin("memory/add", write)
    server.reply(server.request_of_server("window/showMessageRequest"), {"title": "Reject"})

    denied = server.answer(number)
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": "nowhere:/x"}]}})
    warned = server.notification("window/logMessage")

    assert denied["error"]["data"]["code"] == "WRITE_DENIED"
    assert warned["message"].startswith("workspace/didChangeWorkspaceFolders was ignored: ")
    server.close_stdin()
    server.exit_code()
    assert warned["message"] in server.stderr
    assert warned["message"] in log.read_text(encoding="utf-8")
    assert "Rosebud" not in server.stderr + log.read_text(encoding="utf-8")
    assert os.name == "nt" or stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_file_that_cannot_be_written(spawn: Any, project: Path) -> None:
    """The process says so in one line and exits with 1."""
    server = spawn("--log-file", str(project / "absent" / "keepgate.log"))

    assert server.exit_code() == 1
    assert server.stderr.startswith("keepgate: cannot serve: ")


REQUESTS = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}\n'
    b'{"jsonrpc": "2.0", "id": 2, "method": "memory/budgets"}\n'
)
LARGE = b'{"jsonrpc": "2.0", "id": 3, "method": "memory/get", "params": {"id": "%b"}}\n' % (b"x" * 2_000_000)


def test_files_as_stdin_and_stdout(home: Path, tmp_path: Path) -> None:
    """Requests from a file are answered into a file."""
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    requests.write_bytes(REQUESTS)

    with requests.open("rb") as stdin, answers.open("wb") as stdout:
        code = subprocess.run(
            SERVE,
            check=False,
            stdin=stdin,
            stdout=stdout,
            env={**os.environ, "KEEPGATE_HOME": str(home)},
            timeout=200,
        ).returncode

    assert [1, 2] == [json.loads(line)["id"] for line in answers.read_text().splitlines()]
    assert code == 1


@pytest.mark.parametrize("blocking", [True, False])
def test_a_socket_as_stdin_and_stdout(home: Path, blocking: bool) -> None:
    """Sockets work like pipes, also when the other side has made them non-blocking."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(blocking)
    with ours, theirs:
        process = subprocess.Popen(
            SERVE, stdin=theirs, stdout=theirs, env={**os.environ, "KEEPGATE_HOME": str(home)}
        )
        ours.settimeout(60)
        with ours.makefile("rb") as answers:
            seen = []
            for request in [*REQUESTS.splitlines(keepends=True), LARGE]:
                ours.sendall(request)
                seen.append(json.loads(answers.readline())["id"])
        theirs.close()
        ours.shutdown(socket.SHUT_WR)
        code = process.wait(60)

    assert ([1, 2, 3], 1) == (seen, code)


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(("closed", "code", "count"), [("2>&-", 1, 2), ("<&-", 1, 0)])
def test_a_closed_descriptor(home: Path, closed: str, code: int, count: int) -> None:
    """Without a stderr it serves; without a stdin it ends."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {shlex.join(SERVE)} {closed}"],
        check=False,
        input=REQUESTS,
        capture_output=True,
        env={**os.environ, "KEEPGATE_HOME": str(home)},
        timeout=200,
    )

    assert (code, count) == (done.returncode, done.stdout.count(b"\n"))


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_other_encodings_do_not_matter(spawn: Any, encoding: str) -> None:
    """The wire is UTF-8 whatever the platform's encoding is."""
    server = spawn(env={"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"})
    server.initialize()

    error = server.error("memory/get", {"id": "重跑🎈"})

    assert error["data"]["details"]["match"] == "重跑🎈"
    assert server.stderr == ""
