"""The extension for VS Code without its editor: its own parts in a Node process, beside real agents.

What needs a window is shown by ``tests/workbench``.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.editor, pytest.mark.timeout(300)]

Json = dict[str, Any]
EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
SERVE = [sys.executable, "-P", "-m", "keepgate", "serve"]
LINE_S = 90
INSTALL_S = 280
TESTS_S = 1_200
FACT = "The tests need port 5434."


class Host:
    """An extension host that is steered by lines of JSON; see ``editors/vscode/test/host.ts``."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.told: list[Json] = []

    async def tells(self, event: str, holds: Callable[[Json], Any] = lambda _: True) -> Json:
        """The next event of that name for which something holds."""
        assert self.process.stdout is not None
        while True:
            async with asyncio.timeout(LINE_S):
                line = await self.process.stdout.readline()
            assert line, f"the host ended; it told {self.told}"
            told: Json = json.loads(line)
            self.told.append(told)
            if told["event"] == event and holds(told):
                return told

    async def runs(self) -> None:
        """Wait for its sidecar."""
        await self.tells("state", lambda told: told["kind"] == "running")

    async def asked(self, *, awaited: bool = True) -> Json:
        """The question that opens next."""
        told = await self.tells("questions", lambda told: any(o["awaited"] is awaited for o in told["open"]))
        question: Json = next(each for each in told["open"] if each["awaited"] is awaited)
        return question

    def say(self, what: str, **more: Any) -> None:
        """Have it do something."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": what, **more}).encode() + b"\n")

    async def end(self) -> None:
        """End its stdin, as a window that goes away; it has to end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            async with asyncio.timeout(LINE_S):
                await self.process.communicate()
        finally:
            if self.process.returncode is None:
                self.process.kill()


@pytest.fixture(scope="module")
def built() -> Path:
    """The extension with its tests, bundled; what it needs is installed where it is not."""
    if not (EXTENSION / "node_modules" / ".package-lock.json").is_file():
        _npm("ci")
    subprocess.run(["node", "esbuild.mjs", "--tests"], cwd=EXTENSION, check=True, timeout=INSTALL_S)
    return EXTENSION / "out"


@pytest.fixture
async def start_host(house: Any, program: Any, built: Path) -> AsyncIterator[Any]:
    """Starts hosts for the workspace."""
    node = program("node")
    async with AsyncExitStack() as stack:

        async def start(*folders: Path) -> Host:
            said = {
                "HOST_PROGRAM": json.dumps(SERVE),
                "HOST_FOLDERS": json.dumps([str(folder) for folder in folders or (house.project,)]),
            }
            env = {
                name: value for name, value in (os.environ | house.env | said).items() if value is not None
            }
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec(
                node, str(built / "host.js"), env=env, stdin=pipe, stdout=pipe, limit=2**20
            )
            host = Host(process)
            stack.push_async_callback(host.end)
            await host.runs()
            return host

        yield start


async def test_a_wish_of_an_agent_is_allowed(house: Any, start_host: Any) -> None:
    """It is asked with the whole change, counted in the status bar, and the agent has its answer."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    host.say("allow", id=question["id"])

    told = await agent.answer(call)
    assert "inserted" == told["status"]
    assert FACT in question["shown"]["text"]
    assert any("1 waiting" in (each.get("look") or "") for each in host.told)
    await host.tells("questions", lambda told: told["waiting"] == 0)


async def test_a_wish_is_rejected(house: Any, start_host: Any) -> None:
    """The agent hears no, and nothing is left to decide."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    host.say("reject", id=question["id"])

    told = await agent.answer(call)
    assert "scope_denied" == told["error"]
    await host.tells("questions", lambda told: told["waiting"] == 0)


async def test_a_wish_whose_agent_gives_up_is_taken_from_the_screen(house: Any, start_host: Any) -> None:
    """``$/cancelRequest`` of the prompt closes it, and it is not asked again."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    await agent.connection.notify("notifications/cancelled", {"requestId": call.id})

    ended = await host.tells("ended")
    assert (question["id"], "elsewhere") == (ended["id"], ended["end"])


async def test_a_wish_that_is_left_for_later_stays_in_the_inbox(house: Any, start_host: Any) -> None:
    """It is not put again by itself; brought from the inbox and allowed, its agent has the answer."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    host.say("later", id=question["id"])
    later = await host.tells("questions", lambda told: not told["open"])
    host.say("next")
    brought = await host.asked(awaited=False)
    host.say("allow", id=brought["id"])

    assert 1 == later["waiting"]
    assert question["id"] == brought["id"]
    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_restart_of_the_sidecar_keeps_the_question(house: Any, start_host: Any) -> None:
    """The question of a sidecar that was ended is asked by the next, and its agent still waits."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    host.say("restart")
    await host.runs()
    again = await host.asked()
    host.say("allow", id=again["id"])

    assert question["id"] == again["id"]
    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_sidecar_that_is_killed_is_started_again(house: Any, start_host: Any) -> None:
    """It takes a moment and nobody has to do anything; the question is back, with its agent."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    await host.asked()
    sidecar = next(told["pid"] for told in host.told if told["event"] == "started")
    os.kill(sidecar, 9)
    await host.tells("state", lambda told: told["kind"] == "waiting")
    await host.runs()
    question = await host.asked()
    host.say("allow", id=question["id"])

    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_wish_from_before_is_found_when_the_folder_is_opened(house: Any, start_host: Any) -> None:
    """An agent asked while no editor was there: its wish is in the inbox, counted and decided there."""
    house.settings("approvalTimeoutSeconds = 1\n")
    agent = await house.agent()
    await agent.answer(agent.remember(FACT))
    host = await start_host()
    waiting = await host.tells("questions", lambda told: told["waiting"] == 1)
    host.say("next")
    question = await host.asked(awaited=False)
    host.say("reject", id=question["id"])
    await host.tells("questions", lambda told: told["waiting"] == 0)

    assert "1 waiting" in waiting["look"]
    assert not question["forSession"]


async def test_a_wish_in_the_second_folder_of_a_window(house: Any, start_host: Any, tmp_path: Path) -> None:
    """Every folder of the window is a workspace whose agents are asked for here."""
    other = tmp_path / "other"
    other.mkdir()
    host = await start_host(other, house.project)
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    host.say("allow", id=question["id"])

    assert "inserted" == (await agent.answer(call))["status"]
    assert f"home: {house.project}" in question["text"]


async def test_two_windows_show_one_question_and_the_other_lets_it_go(house: Any, start_host: Any) -> None:
    """The window that was used last asks; what is decided elsewhere is closed here."""
    first = await start_host()
    second = await start_host()
    second.say("active")
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await second.asked()
    first.say("next")
    brought = await first.asked(awaited=False)
    first.say("allow", id=brought["id"])

    assert "inserted" == (await agent.answer(call))["status"]
    ended = await second.tells("ended")
    assert (question["id"], "elsewhere") == (ended["id"], ended["end"])


async def test_a_host_that_is_killed_leaves_no_process_and_no_wish_is_lost(
    house: Any, start_host: Any, sidecars: Any, look: Any
) -> None:
    """The sidecar ends with it; the wish waits in the inbox for the next window."""
    host = await start_host()
    agent = await house.agent()
    call = agent.remember(FACT)
    question = await host.asked()
    host.process.kill()
    await look(lambda: not sidecars(house.home))
    after = await start_host()
    again = await after.asked()
    after.say("allow", id=again["id"])

    assert question["id"] == again["id"]
    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_window_that_is_closed_ends_its_sidecar(
    house: Any, start_host: Any, sidecars: Any, look: Any
) -> None:
    """As the extension does when it is switched off: the process is gone before it says so."""
    host = await start_host()
    host.say("stop")
    async with asyncio.timeout(LINE_S):
        await host.process.wait()

    assert not sidecars(house.home)


@pytest.mark.timeout(TESTS_S)
def test_its_own_parts(built: Path) -> None:
    """``node --test``: the finder, the settings, the questions, the views, with a sidecar for each test."""
    _npm("test")


def test_types_and_rules_hold(built: Path) -> None:
    """``tsc`` and ``eslint`` have nothing to complain about."""
    _npm("run", "types")
    _npm("run", "lint")


def _npm(*arguments: str) -> None:
    done = subprocess.run(
        ["npm", *arguments], cwd=EXTENSION, capture_output=True, text=True, timeout=TESTS_S, check=False
    )
    assert 0 == done.returncode, done.stdout + done.stderr
