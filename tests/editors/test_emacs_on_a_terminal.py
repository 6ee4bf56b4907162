"""Emacs as a person has it: on a terminal, with a keyboard, and a question that comes while they type."""

import asyncio
import os
import pty
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.editor, pytest.mark.timeout(300)]

PACKAGE = Path(__file__).parents[2] / "editors" / "emacs"
BIN = PACKAGE.parents[1] / ".venv" / "bin"
FACT = "The tests need port 5434."
ANSWERS = "arsq"
SAVE = "\x18\x13"
ANSWER_S = 60
BETWEEN_KEYS_S = 2
COLUMNS, LINES = "100", "40"
DRAWING = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
"""What moves the cursor and changes colours."""
OWNING = "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); \
os.execvp(sys.argv[1], sys.argv[1:])"
"""Runs a program that owns the terminal, as Emacs has to."""


class Terminal:
    """A screen and a keyboard with a program behind them."""

    def __init__(self, command: Sequence[str | Path], env: dict[str, str]) -> None:
        self._fd, theirs = pty.openpty()
        subprocess.run(["stty", "rows", LINES, "cols", COLUMNS], stdin=theirs, check=True)
        streams: Any = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
        self._process = subprocess.Popen([sys.executable, "-c", OWNING, *command], env=env, **streams)
        os.close(theirs)
        self._drawn = b""
        # Nobody waits for a screen: a program whose output is not taken stops.
        asyncio.get_running_loop().add_reader(self._fd, self._take)

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def shows(self, words: str) -> bool:
        return words.encode() in DRAWING.sub(b"", self._drawn)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)

    def _take(self) -> None:
        try:
            self._drawn += os.read(self._fd, 65536)
        except OSError:  # the program has ended
            asyncio.get_running_loop().remove_reader(self._fd)


@pytest.fixture
async def terminal(house: Any, program: Any, tmp_path: Path) -> AsyncIterator[Terminal]:
    """Emacs on a file of the workspace."""
    (house.project / ".git").mkdir()
    setup = tmp_path / "setup.el"
    setup.write_text(
        f'(add-to-list (quote load-path) "{PACKAGE}")\n(require (quote keepgate))\n(keepgate-mode 1)\n'
    )
    env = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm", "KEEPGATE_HOME": str(house.home)}
    env["PATH"] = f"{BIN}{os.pathsep}{env['PATH']}"
    opened = Terminal((program("emacs"), "-nw", "-Q", "-l", setup, house.project / "notes.txt"), env)
    yield opened
    opened.close()


async def test_what_is_typed_when_a_question_comes_decides_nothing(
    house: Any, terminal: Terminal, look: Callable[[Callable[[], Any]], Awaitable[Any]]
) -> None:
    """The keys of the answers go into the file; the question is answered in its buffer, on purpose."""
    agent = await house.agent()
    await look(lambda: house.reachable() > 0)
    call = agent.remember(FACT)
    await look(lambda: terminal.shows(FACT))
    terminal.type(ANSWERS + SAVE)
    await look((house.project / "notes.txt").is_file)

    assert ANSWERS == (house.project / "notes.txt").read_text().strip()
    assert not call.answer.done()

    terminal.type("\x1bxkeepgate-question\r")
    async with asyncio.timeout(ANSWER_S):
        while not call.answer.done():
            terminal.type("a")
            # Keys in quick succession are taken for typing, and decide nothing.
            await asyncio.sleep(BETWEEN_KEYS_S)
    assert "inserted" == (await agent.answer(call))["status"]
