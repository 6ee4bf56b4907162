"""How the process ends: with the right code, soon, from every cause, and with nothing lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WRITE = {"session": {"id": "s1"}, "track": "user", "scope": "workspace", "text": "Asked and not answered."}
PROMPT = "window/showMessageRequest"


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that can be named as the one to live no longer than."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def leave_pending(server: Any) -> None:
    """Let a write wait for a person."""
    server.begin("memory/add", WRITE)
    server.request_of_server(PROMPT)


def close_stdin(server: Any) -> None:
    server.close_stdin()


def exit_alone(server: Any) -> None:
    server.notify("exit")


def terminate(server: Any) -> None:
    server.process.send_signal(signal.SIGTERM)


def interrupt(server: Any) -> None:
    server.process.send_signal(signal.SIGINT)


def hang_up(server: Any) -> None:
    server.process.send_signal(signal.SIGHUP)


ENDS = [close_stdin, exit_alone, terminate, interrupt, hang_up]


def shut_down_and_exit(server: Any) -> None:
    server.result("shutdown")
    server.notify("exit")


@pytest.mark.parametrize("end", ENDS)
def test_an_end_without_shutdown(server: Any, end: Callable[[Any], None]) -> None:
    """EOF, ``exit`` alone and every signal end it with 1."""
    end(server)

    assert server.exit_code() == 1
    assert server.stderr == ""


@pytest.mark.parametrize("end", ENDS)
def test_an_end_after_shutdown(server: Any, end: Callable[[Any], None]) -> None:
    """Once the client has said ``shutdown``, the same ends are orderly: exit code 0."""
    server.result("shutdown")

    end(server)

    assert server.exit_code() == 0
    assert server.stderr == ""


@pytest.mark.parametrize("end", [close_stdin, exit_alone, terminate])
def test_an_end_before_initialize(spawn: Any, end: Callable[[Any], None]) -> None:
    """A server that was never used ends like any other."""
    server = spawn()
    server.error("memory/query")

    end(server)

    assert server.exit_code() == 1
    assert server.stderr == ""


def test_shutdown_and_exit_in_one_write(server: Any) -> None:
    """``shutdown`` is still answered when ``exit`` is right behind it."""
    messages = [{"jsonrpc": "2.0", "id": 9, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]

    server.send_bytes(b"".join(server.framed(message) for message in messages))

    assert server.answer(9)["result"] is None
    assert server.exit_code() == 0


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_a_script_that_sends_everything_and_closes(spawn: Any, framing: str) -> None:
    """Requests that came before EOF are answered before the end."""
    server = spawn(framing=framing)
    messages: list[Any] = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}]
    messages += [{"jsonrpc": "2.0", "id": number, "method": "memory/budgets"} for number in range(1, 20)]

    server.send_bytes(b"".join(server.framed(message) for message in messages))
    server.close_stdin()

    assert ["result"] * 20 == [list(server.answer(number))[2] for number in range(20)]
    assert server.exit_code() == 1


@pytest.mark.parametrize("framing", ["lsp", "lines"])
def test_a_whole_conversation_in_one_write(spawn: Any, framing: str) -> None:
    """``shutdown`` and ``exit`` count although they were sent before ``initialize`` was answered."""
    server = spawn(framing=framing)
    messages: list[Any] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]

    server.send_bytes(b"".join(server.framed(message) for message in messages))
    server.close_stdin()

    assert ["result"] * 2 == [list(server.answer(number))[2] for number in range(2)]
    assert server.exit_code() == 0


@pytest.mark.parametrize("end", [*ENDS, shut_down_and_exit])
def test_a_question_survives_the_end(spawn: Any, project: Path, end: Callable[[Any], None]) -> None:
    """A write that waits for a person is answered ``unavailable`` and stays in the inbox."""
    server = spawn()
    server.initialize(project)
    leave_pending(server)

    end(server)
    code = server.exit_code()

    assert (0 if end is shut_down_and_exit else 1) == code
    again = spawn()
    again.initialize(project)
    waiting = again.result("proposals/list", {"status": "pending"})["proposals"]
    assert [WRITE["text"]] == [proposal["text"] for proposal in waiting]
    denied = again.result("memory/audit")["rows"][0]
    assert ("add-denied", waiting[0]["id"]) == (denied["action"], denied["proposalId"])
    assert denied["outcome"].startswith("unavailable")


def test_shutdown_answers_the_one_who_waits(server: Any) -> None:
    """With a question open, the write gets its error first and ``shutdown`` its answer then."""
    number = server.begin("memory/add", WRITE)
    server.request_of_server(PROMPT)

    ending = server.begin("shutdown")
    server.answer(ending)

    answers = [each for each in server.received if "method" not in each and each["id"] in (number, ending)]
    assert [(number, "error"), (ending, "result")] == [(each["id"], list(each)[2]) for each in answers]


def test_a_late_answer_after_shutdown_is_dropped(server: Any) -> None:
    """The client may still answer the prompt: nothing happens, and nothing is said about it."""
    leave_pending(server)
    prompt = server.request_of_server(PROMPT)
    server.result("shutdown")

    server.reply(prompt, {"title": "Allow once"})
    server.notify("exit")

    assert server.exit_code() == 0
    assert server.stderr == ""


@pytest.mark.parametrize("pending", [False, True])
def test_the_named_process_dies(
    spawn: Any, project: Path, bystander: subprocess.Popen[bytes], pending: bool
) -> None:
    """When the process named in ``initialize`` is gone, the pipes being open keeps nothing alive."""
    server = spawn()
    server.initialize(project, processId=bystander.pid)
    if pending:
        leave_pending(server)

    bystander.kill()

    assert server.exit_code() == 1


def test_a_named_process_that_lives(spawn: Any, bystander: subprocess.Popen[bytes]) -> None:
    """As long as it runs, so does the server."""
    server = spawn()
    server.initialize(processId=bystander.pid)

    time.sleep(1.5)

    assert "result" in server.ask("memory/budgets")


def test_a_named_process_that_is_not_here(spawn: Any) -> None:
    """A process id from another container names nobody here: the server goes by its pipes."""
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    server = spawn()
    server.initialize(processId=gone.pid)

    time.sleep(1.5)

    assert "result" in server.ask("memory/budgets")


def test_the_reader_of_stdout_goes(spawn: Any, project: Path) -> None:
    """A broken stdout ends an idle server, though its stdin is open."""
    server = spawn(reading=False)
    server.begin("initialize", {"capabilities": {}}, number=1)
    wire = server.process.stdout.fileno()
    os.read(wire, 100)

    server.process.stdout.close()

    assert server.exit_code() == 1


def test_a_killed_parent_whose_pipe_lives_on(spawn: Any, home: Path, tmp_path: Path) -> None:
    """The server of a killed editor ends, though a grandchild still holds both pipes."""
    script = tmp_path / "editor.py"
    script.write_text(
        "import json, os, subprocess, sys, time\n"
        "server = subprocess.Popen([sys.executable, '-m', 'keepgate', 'serve'],\n"
        "                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "params = {'processId': os.getpid(), 'capabilities': {}}\n"
        "body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': params}).encode()\n"
        "server.stdin.write(b'Content-Length: %d\\r\\n\\r\\n%b' % (len(body), body))\n"
        "server.stdin.flush()\n"
        "server.stdout.readline()\n"
        "hold = [server.stdin.fileno(), server.stdout.fileno()]\n"
        "for fd in hold: os.set_inheritable(fd, True)\n"
        "holder = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], pass_fds=hold)\n"
        "print(server.pid, holder.pid, flush=True)\n"
        "time.sleep(600)\n",
        encoding="utf-8",
    )
    editor = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "KEEPGATE_HOME": str(home)},
    )
    assert editor.stdout is not None
    server_pid, holder_pid = map(int, editor.stdout.readline().split())

    editor.kill()
    editor.wait()

    try:
        assert gone(server_pid)
    finally:
        editor.stdout.close()
        os.kill(holder_pid, signal.SIGKILL)


def gone(pid: int) -> bool:
    """Whether a process that is no child of this one ends in good time."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_client_that_reads_nothing_can_end_it(spawn: Any) -> None:
    """Output that nobody takes keeps no process alive."""
    server = spawn(reading=False)
    server.begin("initialize", {"capabilities": {}}, number=1)
    for _ in range(10):
        server.begin("memory/get", {"id": "x" * 200_000})

    server.close_stdin()

    assert server.exit_code() == 1


def test_a_client_that_reads_nothing_and_closes(spawn: Any) -> None:
    """Reading is paused by then, and the end of input is noticed all the same."""
    server = spawn(reading=False)
    server.begin("initialize", {"capabilities": {}}, number=1)
    stdin = server.process.stdin.fileno()
    request = {"jsonrpc": "2.0", "id": 2, "method": "memory/get", "params": {"id": "x" * 400_000}}
    data = server.framed(request)
    os.set_blocking(stdin, False)
    written, stuck = 0, 0
    while stuck < 20:
        # Until the server reads no more: for two seconds nothing could be written.
        try:
            written += os.write(stdin, data[written % len(data) :])
            stuck = 0
        except BlockingIOError:
            stuck += 1
            time.sleep(0.1)

    server.close_stdin()

    assert server.exit_code() == 1


def test_no_child_processes(server: Any) -> None:
    """By default the server starts none."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")

    server.result("memory/status")

    assert children.read_text() == ""


def test_the_status_is_told(server: Any) -> None:
    """After ``initialized`` the server says how things stand, and again when a question waits or is gone."""
    first = server.notification("keepgate/status")
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)
    waiting = server.notification("keepgate/status", lambda status: status["pendingApprovals"] == 1)

    server.reply(prompt, {"title": "Reject"})
    server.answer(number)
    server.until(
        lambda each: [0, 1, 0] == [s["pendingApprovals"] for s in server.notifications("keepgate/status")]
    )

    assert {"health": "ok", "quiescent": True, "message": "ok", "pendingApprovals": 0} == first
    assert waiting["message"] == "1 waiting for approval"
