"""One workspace and the processes around it: editors, MCP servers, commands, each a real process."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.framing import Framing
from keepgate_client import Client
from keepgate_client.connection import Call, Connection
from keepgate_client.testing import FakeEditor

Json = dict[str, Any]
WAIT_S = 90
ASKING = "anything else = no: "
"""The end of a question at a terminal."""
ATTACH = """
import fcntl, os, sys, termios
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Makes the descriptor in argv[1] the controlling terminal of the new session, then becomes the command."""


class Agent:
    """A client of ``keepgate mcp`` that remembers facts."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.asked: list[Json] = []

    @property
    def pid(self) -> int:
        return self.connection.process.pid

    def remember(self, fact: str) -> Call:
        """Begin a call; :meth:`answer` reads its end."""
        arguments = {"fact": fact, "provenance": "test"}
        return self.connection.begin("tools/call", {"name": "remember", "arguments": arguments})

    async def answer(self, call: Call) -> Json:
        """What the tool answers: the envelope of an error, or the result."""
        message = await call.answer
        result = message["result"]
        told: Json = json.loads(result["content"][0]["text"])
        return told

    def kill(self) -> None:
        self.connection.process.kill()


class Terminal:
    """``keepgate inbox --watch`` on a pseudo-terminal; ``keys`` gives what is typed at each question."""

    def __init__(self, process: asyncio.subprocess.Process, master: int, keys: Callable[[], Any]) -> None:
        self.process = process
        self.screen = ""
        self.questions = 0
        self._master = master
        self._keys = keys
        self._answering: set[asyncio.Task[None]] = set()
        asyncio.get_running_loop().add_reader(master, self._read)

    @property
    def ended(self) -> bool:
        return self.process.returncode is not None

    async def kill(self) -> None:
        """End it at once, stopped or not."""
        if not self.ended:
            self.process.kill()
            await self.process.wait()

    async def leave(self) -> None:
        """End it, and let go of its terminal."""
        await self.kill()
        for task in self._answering:
            task.cancel()
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)

    def _read(self) -> None:
        try:
            self.screen += os.read(self._master, 65536).decode("utf-8", "replace")
        except OSError:  # nobody has the other side open any more
            asyncio.get_running_loop().remove_reader(self._master)
            return
        while self.questions < self.screen.count(ASKING):
            self.questions += 1
            task = asyncio.create_task(self._answer())
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    def type(self, keys: str) -> None:
        """Press keys; a carriage return is Enter."""
        with contextlib.suppress(OSError):
            os.write(self._master, keys.encode())

    async def _answer(self) -> None:
        self.type(await self._keys())


class House:
    """The workspace. Everything that is started here ends with the test."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.project = folder / "project"
        self.home = folder / "home"
        self.project.mkdir()
        self.home.mkdir()
        self.env: dict[str, str | None] = {"KEEPGATE_HOME": str(self.home), "KEEPGATE_STORE": None}
        self._stack = stack

    def settings(self, text: str) -> None:
        """Write the user's config.toml."""
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    async def editor(self, name: str, answers: Any = (), **options: Any) -> FakeEditor:
        """An editor of the workspace that can be asked, once it is reachable."""
        before = self.windows()
        spawned = FakeEditor.spawn(self.project, answers=answers, env=self.env, client_name=name, **options)
        editor = await self._stack.enter_async_context(spawned)
        editor.tolerate_unanswered = True
        # The files of windows that were killed may go meanwhile.
        await until(lambda: self.windows() - before)
        self._stack.callback(_go_on, editor.pid)
        return editor

    def windows(self) -> set[Path]:
        """The files that say that a process is reachable for the workspace."""
        return {path for path in (self.home / "state" / "reach").glob("*/*") if path.parent.name != "marks"}

    def reachable(self) -> int:
        """How many of these files there are."""
        return len(self.windows())

    async def terminal(self, keys: Callable[[], Any]) -> Terminal:
        """A terminal of the workspace that can be asked, once it is reachable."""
        before = self.windows()
        master, slave = os.openpty()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", "-c", ATTACH, str(slave)),
            *(sys.executable, "-m", "keepgate", "--workspace", str(self.project), "inbox", "--watch"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "KEEPGATE_HOME": str(self.home), "TERM": "xterm", "NO_COLOR": "1"},
            start_new_session=True,
            pass_fds=(slave,),
        )
        os.close(slave)
        terminal = Terminal(process, master, keys)
        self._stack.push_async_callback(terminal.leave)
        await until(lambda: self.windows() - before)
        return terminal

    async def agent(self, on_form: Callable[[Json], Any] | None = None, *, name: str = "agent") -> Agent:
        """An agent of that name in the workspace; ``on_form`` answers what its client is asked."""
        pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
        command = (sys.executable, "-m", "keepgate", "mcp", "--workspace", str(self.project))
        connection = await Connection.open(command, framing=Framing.LINES, env=self.env)
        self._stack.push_async_callback(connection.close, 1.0)
        agent = Agent(connection)
        if on_form is not None:

            async def put(params: Json) -> Any:
                agent.asked.append(params)
                return on_form(params)

            connection.on_request("elicitation/create", put)
        capabilities = {} if on_form is None else {"elicitation": {}}
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"},
        }
        await connection.request("initialize", hello)
        await connection.notify("notifications/initialized")
        await connection.request("tools/call", {"name": "recall", "arguments": {"query": "x"}})
        return agent

    async def person(self) -> Client:
        """A client that looks at the store and may decide; it announces nothing that could be asked."""
        return await self._stack.enter_async_context(Client.spawn(self.project, env=self.env))


def files_holding(folder: Path, forms: Collection[bytes]) -> list[Path]:
    """The files below a folder that hold one of these. What is taken away meanwhile holds none."""
    found = []
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and any(form in path.read_bytes() for form in forms):
                found.append(path)
    return found


@pytest.fixture(scope="session")
def holding() -> Callable[[Path, Collection[bytes]], list[Path]]:
    """Searches the raw files of a folder."""
    return files_holding


async def until(holds: Callable[[], Any]) -> Any:
    """Look until it holds; what it gave."""
    async with asyncio.timeout(WAIT_S):
        while not (found := holds()):  # noqa: ASYNC110 - files of other processes tell nobody
            await asyncio.sleep(0.01)
    return found


def _go_on(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """The workspace."""
    async with AsyncExitStack() as stack:
        yield House(tmp_path, stack)


class Held:
    """A person who looks at a question until told what to answer."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def __call__(self, _: Any) -> Any:
        return await asyncio.shield(self._answer)

    def say(self, answer: Any) -> None:
        """Answer."""
        self._answer.set_result(answer)


@pytest.fixture
def held() -> type[Held]:
    """Makes people who take their time."""
    return Held


@pytest.fixture
def look() -> Callable[[Callable[[], Any]], Any]:
    """Looks until something holds."""
    return until
