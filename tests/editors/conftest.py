"""Editors that play a scenario in a language of their own, and tell the test how far they are."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LINE_S = 120
BIN = ROOT / ".venv" / "bin"


class Playing:
    """An editor at work on a scenario; each line of its stdout is something that it tells."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.told: list[str] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    async def tells(self, line: str) -> None:
        """Wait until the editor tells this; fails when it ends before."""
        while line not in self.told:
            await self._read(f"waited in vain for {line!r}")

    async def holds(self) -> None:
        """Wait until the scenario is over, and fail unless all of it held."""
        while not any(line == "held" for line in self.told):
            await self._read("the scenario did not hold")
        async with asyncio.timeout(LINE_S):
            await self._process.wait()
        assert 0 == self._process.returncode

    def kill(self) -> None:
        """End the editor as the system would: it gets no chance to clean up."""
        self._process.kill()

    async def leave(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()

    async def _read(self, otherwise: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), LINE_S)
        except TimeoutError:
            self.kill()
            line = b""
        if not line:
            errors = (await self._process.stderr.read()).decode(errors="replace")
            pytest.fail("\n".join([otherwise, *self.told, errors]))
        self.told.append(line.decode(errors="replace").rstrip("\r\n"))


class Stage:
    """Starts editors, and ends them with the test."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack

    async def play(
        self, command: Sequence[str | Path], folder: Path, env: Mapping[str, str | None]
    ) -> Playing:
        """Start an editor in a folder; ``env`` is laid over the environment, ``None`` removes."""
        whole = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"} | env
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env={name: value for name, value in whole.items() if value is not None},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        playing = Playing(process)
        self._stack.push_async_callback(playing.leave)
        return playing


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    """Where editors play."""
    async with AsyncExitStack() as stack:
        yield Stage(stack)


def program_of(*names: str) -> str:
    """The first of these programs that is here; else the test skips, or fails where all have to be."""
    for name in names:
        found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.environ['PATH']}")
        if found is not None:
            return found
    if os.environ.get("KEEPGATE_EDITORS") == "all":
        pytest.fail(f"none of {', '.join(names)} is here")
    pytest.skip(reason=f"none of {', '.join(names)} is here")


@pytest.fixture
def program() -> Any:
    """Finds a program by its names."""
    return program_of


@pytest.fixture
def shown_block() -> Any:
    """Reads the code block of a page that holds a text, as a reader would copy it."""

    def read(page: str, holding: str) -> str:
        text = (ROOT / "docs" / "editors" / page).read_text(encoding="utf-8")
        blocks = re.findall(r"^( *)```\w+\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
        found = [re.sub(f"(?m)^{indent}", "", block) for indent, block in blocks if holding in block]
        assert 1 == len(found), f"{page} shows {len(found)} blocks with {holding!r}"
        return found[0]

    return read


@pytest.fixture
def sidecars() -> Any:
    """Tells the sidecars of a store that live, by their command and environment."""

    def living(home: Path) -> list[int]:
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                command, environment = (each / "cmdline").read_bytes(), (each / "environ").read_bytes()
            except OSError:
                continue
            mine = f"KEEPGATE_HOME={home}".encode() in environment.split(b"\0")
            if mine and b"serve" in command.split(b"\0"):
                found.append(int(each.name))
        return found

    return living
