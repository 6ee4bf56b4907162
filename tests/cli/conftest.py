"""The command line as people and programs meet it: in a home of its own, with and without a terminal."""

import contextlib
import io
import json
import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen

WAIT_S = 90.0
ASKING = "anything else = no: "

# Makes the descriptor in argv[1] the controlling terminal of the new session, then becomes the command.
_ATTACH = """
import fcntl, os, sys, termios
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.execv(sys.argv[2], sys.argv[2:])
"""


@frozen
class Finished:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


@define(eq=False)
class AtTerminal:
    """A command on a pseudo-terminal. ``screen`` is everything that it drew there."""

    process: "subprocess.Popen[bytes]"
    _master: int
    _drawn: bytearray = field(factory=bytearray)
    _seen: int = 0

    @property
    def screen(self) -> str:
        """Everything on the terminal so far, with plain line feeds."""
        return self._drawn.decode("utf-8", "replace").replace("\r\n", "\n")

    def until(self, text: str) -> str:
        """Wait for ``text`` after what was waited for before; returns the screen."""
        wanted = text.encode()
        deadline = time.monotonic() + WAIT_S
        while (found := self._drawn.find(wanted, self._seen)) < 0:
            if not self._read(deadline):
                raise AssertionError(f"{text!r} did not come; the screen:\n{self.screen}")
        self._seen = found + len(wanted)
        return self.screen

    def type(self, keys: str) -> None:
        """Press keys; a carriage return is Enter."""
        os.write(self._master, keys.encode())

    def answer(self, keys: str) -> None:
        """Wait for a question and answer it."""
        self.until(ASKING)
        self.type(keys)

    def end(self) -> int:
        """Wait for the end; the exit code."""
        deadline = time.monotonic() + WAIT_S
        while self._read(deadline):
            pass
        return self.process.wait(WAIT_S)

    def leave(self) -> None:
        """Let go of the terminal, if that has not happened yet."""
        if self._master >= 0:
            self.hang_up()

    def hang_up(self) -> None:
        """Close the window: the terminal is gone for everybody on it."""
        os.close(self._master)
        self._master = -1

    def finish(self, keys: str) -> Finished:
        """Answer the question and wait for the end; ``out`` is the piped stdout, or else the screen."""
        self.answer(keys)
        out = self.process.stdout.read().decode() if self.process.stdout is not None else None
        code = self.end()
        return Finished(code, self.screen if out is None else out, self.screen)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            raise AssertionError(f"nothing more came; the screen:\n{self.screen}")
        try:
            part = os.read(self._master, 65536)
        except OSError:  # Linux says EIO once nobody has the other side open
            return False
        self._drawn += part
        return bool(part)


@frozen(kw_only=True)
class CommandLine:
    """Runs ``python -m keepgate`` with its own home, in its own workspace."""

    home: Path
    workspace: Path
    stack: contextlib.ExitStack
    here: Callable[..., Finished]

    @property
    def environ(self) -> dict[str, str]:
        """The environment of every command: this one's, less what would change how things are drawn."""
        kept = {k: v for k, v in os.environ.items() if k not in _UNWANTED and not k.startswith("KEEPGATE_")}
        return {**kept, "KEEPGATE_HOME": str(self.home), "TERM": "xterm-256color"}

    def settings(self, text: str) -> None:
        """Write the user's config.toml."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    def trusting(self) -> None:
        """Let writes through without a question, as a user may configure it."""
        self.settings('writePolicy = "auto"\n')

    def asking(self) -> None:
        """Back to the default policy."""
        self.settings("")

    def run(
        self, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> Finished:
        """Run it as a process without any terminal."""
        done = subprocess.run(
            [sys.executable, "-m", "keepgate", *arguments],
            input=stdin,
            capture_output=True,
            env=self.environ | (env or {}),
            cwd=cwd or self.workspace,
            timeout=WAIT_S,
            start_new_session=True,
            check=False,
        )
        decode = (env or {}).get("PYTHONIOENCODING", "utf-8").partition(":")[0]
        return Finished(done.returncode, done.stdout.decode(decode), done.stderr.decode(decode))

    def begin(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start it as a process without any terminal."""
        process = subprocess.Popen(
            [sys.executable, "-m", "keepgate", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            cwd=self.workspace,
            start_new_session=True,
        )
        self.stack.callback(_reap, process)
        return process

    def at_terminal(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        piped_stdout: bool = False,
        env: dict[str, str] | None = None,
        columns: int = 100,
        command: tuple[str, ...] | None = None,
    ) -> AtTerminal:
        """Start it on a terminal of its own; ``stdin`` comes from a pipe instead when it is given."""
        if sys.platform == "win32":
            pytest.skip("pseudo-terminals are a POSIX thing; the console is tested through its key function")
        import fcntl
        import termios

        master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        line = command or (sys.executable, "-m", "keepgate", *arguments)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _ATTACH, str(slave), *line],
            stdin=slave if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE if piped_stdout else slave,
            stderr=slave,
            env=self.environ | (env or {}),
            cwd=self.workspace,
            start_new_session=True,
            pass_fds=(slave,),
        )
        os.close(slave)
        self.stack.callback(_reap, process)
        if stdin is not None:
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
        terminal = AtTerminal(process, master)
        self.stack.callback(terminal.leave)
        return terminal


_UNWANTED = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PYTHONIOENCODING", "PYTHONUTF8", "COLORTERM")


def _reap(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    process.wait(WAIT_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


@pytest.fixture
def keepgate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[CommandLine]:
    """A command line with an empty home and an empty workspace. ``here`` runs it inside this process."""
    workspace = tmp_path / "project"
    workspace.mkdir()

    def here(
        *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None, cwd: Path = workspace
    ) -> Finished:
        from keepgate.cli.root import run

        with monkeypatch.context() as patch:
            for name in _UNWANTED:
                patch.delenv(name, raising=False)
            patch.setenv("KEEPGATE_HOME", str(line.home))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            patch.chdir(cwd)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            capsys.readouterr()
            code = run(list(arguments))
        shown = capsys.readouterr()
        return Finished(code, shown.out, shown.err)

    with contextlib.ExitStack() as stack:
        line = CommandLine(home=tmp_path / "home", workspace=workspace, stack=stack, here=here)
        yield line
