"""The plugin for Vim: a real Vim on a terminal, with keys that are typed, beside real agents and commands."""

import asyncio
import fcntl
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.entries import Scope, SessionRef, Track
from keepgate.protocol.verbs import Visibility

pytestmark = [pytest.mark.editor, pytest.mark.timeout(300)]

PLUGIN = Path(__file__).parents[2] / "editors" / "vim"
FACT = "The tests need port 5434."
DECIDING = {"experimental": {"keepgate": {"approver": True}}}
ROWS, COLUMNS = 50, 120
WAIT_S = 60


class Vim:
    """A Vim on a terminal of its own; it connects to the test and evaluates what it is sent."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process
        self._terminal, self._far_end = pty.openpty()
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._connected: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._number = 0

    async def start(self, program: str, folder: Path, env: Mapping[str, str], socket: str) -> None:
        server = await asyncio.start_unix_server(lambda *ends: self._connected.set_result(ends), socket)
        asyncio.get_running_loop().add_reader(self._terminal, self._drain)
        connect = f"let g:test = ch_open('unix:{socket}')"
        self.process = await asyncio.create_subprocess_exec(
            program, "-i", "NONE", "-n", "-c", connect,
            cwd=folder, env=env, stdin=self._far_end, stdout=self._far_end, stderr=self._far_end,
        )  # fmt: skip
        os.close(self._far_end)
        self._reader, self._writer = await asyncio.wait_for(self._connected, WAIT_S)
        server.close()

    async def value(self, expression: str) -> Any:
        """What Vim gives for an expression."""
        self._number -= 1
        self._writer.write(json.dumps(["expr", expression, self._number]).encode() + b"\n")
        line = await asyncio.wait_for(self._reader.readline(), WAIT_S)
        number, value = json.loads(line)
        assert (self._number, True) == (number, value != "ERROR"), expression
        return value

    async def run(self, command: str) -> None:
        """Run an Ex command as if it was typed in Normal mode."""
        await self.value(f"execute({json.dumps(command)})")

    def types(self, keys: str) -> None:
        """Type keys into the terminal."""
        os.write(self._terminal, keys.encode())

    async def until(self, expression: str) -> Any:
        """Wait until an expression is true; its value."""
        async with asyncio.timeout(WAIT_S):
            while not (value := await self.value(expression)):  # noqa: ASYNC110 - Vim tells nobody
                await asyncio.sleep(0.02)
        return value

    async def shows(self, part: str) -> None:
        """Wait until the screen holds this."""
        cells = "join(range(1, &columns)->map({_, c -> screenstring(r, c)}), '')"
        screen = f"range(1, &lines)->map({{_, r -> {cells}}})->join('|')"
        try:
            await self.until(f"stridx({screen}, {json.dumps(part)}) >= 0")
        except TimeoutError:
            pytest.fail(f"{part!r} is not on the screen:\n" + (await self.value(screen)).replace("|", "\n"))

    async def question(self, part: str) -> list[str]:
        """Wait for a question that holds this; its lines."""
        lines = "getbufline('keepgate://question', 1, '$')"
        shown = "!empty(win_findbuf(bufnr('keepgate://question')))"
        await self.until(f"{shown} && stridx(join({lines}), {json.dumps(part)}) >= 0")
        found: list[str] = await self.value(lines)
        return found

    async def no_question(self) -> None:
        await self.until("empty(win_findbuf(bufnr('keepgate://question')))")

    async def choose(self, label: str) -> None:
        """Open the menu of the question on the screen and choose, with keys."""
        self.types("\x1b:KeepgateNext\r")
        await self.until("!empty(popup_list()) && popup_getpos(popup_list()[-1]).visible")
        items = await self.value("getbufline(winbufnr(popup_list()[-1]), 1, '$')")
        self.types("j" * items.index(label) + "\r")
        await self.until("empty(popup_list())")

    async def leave(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        asyncio.get_running_loop().remove_reader(self._terminal)
        self._writer.close()
        os.close(self._terminal)

    def _drain(self) -> None:
        try:
            os.read(self._terminal, 65536)
        except OSError:
            asyncio.get_running_loop().remove_reader(self._terminal)


@pytest.fixture
async def vim(house: Any, program: Any, shown_block: Any, look: Any, tmp_path: Path) -> AsyncIterator[Any]:
    """Starts Vim in the workspace, with the plugin and the settings where its page puts them."""
    command = program("vim.nox", "vim")
    home = tmp_path / "me"
    package = home / ".vim" / "pack" / "keepgate" / "start" / "keepgate"
    package.parent.mkdir(parents=True)
    package.symlink_to(PLUGIN)
    (home / ".vimrc").write_text(shown_block("vim.md", "g:keepgate_cmd"), encoding="utf-8")
    binaries = Path(__file__).parents[2] / ".venv" / "bin"
    changed = house.env | {"HOME": str(home), "LANG": "C.UTF-8", "LC_ALL": None, "TERM": "xterm-256color"}
    changed |= {
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "VIMINIT": None,
        "XDG_CONFIG_HOME": None,
    }
    env = {name: value for name, value in (os.environ | changed).items() if value is not None}
    async with AsyncExitStack() as stack:
        # The path of a socket has to be short.
        sockets = stack.enter_context(tempfile.TemporaryDirectory(prefix="keepgate"))

        async def start(folder: Path = house.project) -> Vim:
            running = Vim()
            number = len(list(Path(sockets).iterdir()))
            await running.start(command, folder, env, f"{sockets}/{number}")
            stack.push_async_callback(running.leave)
            await look(house.reachable)
            return running

        yield start


async def test_a_wish_of_an_agent_is_seen_and_allowed(house: Any, vim: Any) -> None:
    """The window opens without taking the cursor; the menu allows, and the agent has its answer."""
    agent = await house.agent()
    editor = await vim()
    window = await editor.value("win_getid()")
    call = agent.remember(FACT)
    lines = await editor.question(FACT)
    assert "keepgate asks: remember a fact?" == lines[0]
    assert window == await editor.value("win_getid()")
    await editor.shows(FACT)
    editor.types("\x1b:KeepgateNext\r")
    await editor.until("!empty(popup_list()) && popup_getpos(popup_list()[-1]).visible")
    menu = await editor.value("popup_getpos(popup_list()[-1])")
    top = await editor.value("win_screenpos(bufwinid('keepgate://question'))[0]")
    assert menu["line"] + menu["height"] <= top, "the menu hides a part of what it asks about"
    editor.types("j\r")

    told = await agent.answer(call)
    assert "inserted" == told["status"]
    await editor.no_question()
    person = await house.person()
    why = await person.why(id=str(told["id"]))
    assert "Vim" == why.chain[0].decided_by["client"]


async def test_a_wish_is_rejected(house: Any, vim: Any) -> None:
    """A no reaches the agent as a no."""
    agent = await house.agent()
    editor = await vim()
    call = agent.remember(FACT)
    await editor.question(FACT)
    await editor.choose("Reject")

    assert "scope_denied" == (await agent.answer(call))["error"]


async def test_no_stray_key_answers(house: Any, vim: Any) -> None:
    """What is typed while a question opens goes into the text; a menu that is left decides nothing."""
    agent = await house.agent()
    editor = await vim()
    await editor.run("edit notes.txt")
    editor.types("ibefore")
    await editor.until("getline(1) == 'before'")
    call = agent.remember(FACT)
    await editor.question(FACT)
    editor.types("\r1\ry\rq\r")
    await editor.until("line('$') == 5")
    assert ["before", "1", "y", "q", ""] == await editor.value("getbufline('notes.txt', 1, '$')")
    await editor.choose("Decide later")
    await editor.no_question()
    await editor.until("keepgate#Status() == 'keepgate: 1 waiting'")
    assert not call.answer.done()
    editor.types(":KeepgateNext\r")
    await editor.until("!empty(popup_list())")
    editor.types("\x1b")
    await editor.until("empty(popup_list())")
    await editor.no_question()
    await editor.choose("Allow once")

    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_command_line_is_not_disturbed(house: Any, vim: Any) -> None:
    """While a command is typed no window opens; it does when that is over."""
    agent = await house.agent()
    editor = await vim()
    editor.types(":echo 1")
    await editor.until("getcmdline() == 'echo 1'")
    call = agent.remember(FACT)
    await editor.until("!empty(popup_list())")
    assert "echo 1" == await editor.value("getcmdline()")
    editor.types("\x1b")
    await editor.until("mode() == 'n'")
    await editor.question(FACT)
    await editor.until("empty(popup_list())")
    await editor.choose("Allow once")

    assert "inserted" == (await agent.answer(call))["status"]


@pytest.mark.parametrize("way", ["given up", "decided elsewhere"])
async def test_a_wish_leaves_the_screen(way: str, house: Any, vim: Any, held: Any) -> None:
    """When its caller gives it up, and when another window decides it."""
    agent = await house.agent()
    editor = await vim()
    call = agent.remember(FACT)
    await editor.question(FACT)
    if way == "given up":
        await agent.connection.notify("notifications/cancelled", {"requestId": call.id})
    else:
        other = await house.editor("other", held(), capabilities=DECIDING)
        pending = await other.request("proposals/list", {"status": "pending"})
        chosen = {name: pending["proposals"][0][name] for name in ("id", "hash")}
        await other.request("proposals/approve", chosen)
        assert "inserted" == (await agent.answer(call))["status"]
    await editor.no_question()
    await editor.shows("keepgate: a wish was decided elsewhere, withdrawn")


async def test_a_wish_that_nobody_awaits_any_more_can_still_be_allowed(house: Any, vim: Any) -> None:
    """Its agent was told that nobody decided; the question stays, and a yes stores it."""
    house.settings("approvalTimeoutSeconds = 10")
    agent = await house.agent()
    editor = await vim()
    call = agent.remember(FACT)
    await editor.question(FACT)
    assert "unavailable" == (await agent.answer(call))["error"]
    await editor.shows("keepgate: 1 waiting")
    await editor.question(FACT)
    await editor.choose("Allow once")
    await editor.no_question()
    # The next question comes up once the one before it is dealt with.
    call = agent.remember("Another fact.")
    await editor.question("Another fact.")
    await editor.choose("Allow once")
    assert "inserted" == (await agent.answer(call))["status"]

    person = await house.person()
    assert {FACT, "Another fact."} == {fact.fact for fact in (await person.verbs_recall()).facts}


async def test_a_wish_from_before_waits_in_the_inbox(house: Any, vim: Any) -> None:
    """A wish that was made while no window was open is counted, listed and allowed."""
    agent = await house.agent()
    assert "unavailable" == (await agent.answer(agent.remember(FACT)))["error"]
    editor = await vim()
    await editor.shows("keepgate: 1 waiting")
    await editor.run("KeepgateInbox")
    await editor.shows(FACT)
    await editor.choose("Allow once")
    await editor.shows("Nothing waits for you")

    person = await house.person()
    assert [FACT] == [fact.fact for fact in (await person.verbs_recall()).facts]


async def test_a_sidecar_that_dies_is_started_anew(house: Any, vim: Any, sidecars: Any, look: Any) -> None:
    """The wish comes back after the sidecar was killed and after a restart; none is left with Vim."""
    agent = await house.agent()
    editor = await vim()
    call = agent.remember(FACT)
    await editor.question(FACT)
    (sidecar,) = sidecars(house.home)
    os.kill(sidecar, signal.SIGKILL)
    await editor.no_question()
    await editor.question(FACT)
    await editor.run("KeepgateRestart")
    await editor.no_question()
    await editor.question(FACT)
    await editor.choose("Allow once")
    assert "inserted" == (await agent.answer(call))["status"]

    editor.types(":quitall!\r")
    assert 0 == await asyncio.wait_for(editor.process.wait(), WAIT_S)
    await look(lambda: not sidecars(house.home))


async def test_a_killed_editor_leaves_nothing_behind(house: Any, vim: Any, sidecars: Any, look: Any) -> None:
    """The sidecar ends with Vim; the wish is kept."""
    agent = await house.agent()
    editor = await vim()
    call = agent.remember(FACT)
    await editor.question(FACT)
    editor.process.kill()
    await look(lambda: not sidecars(house.home))

    assert "unavailable" == (await agent.answer(call))["error"]
    person = await house.person()
    assert 1 == len((await person.proposals_list()).proposals)


def test_every_function_compiles(program: Any, tmp_path: Path) -> None:
    """Vim finds no fault in any function, those included that no test calls."""
    copied = tmp_path / "vim"
    shutil.copytree(PLUGIN, copied)
    scripts = sorted(copied.glob("[ap]*/**/*.vim"))
    for script in scripts:
        script.write_text(script.read_text(encoding="utf-8") + "\ndefcompile\n", encoding="utf-8")
    sources = [f"source {script}" for script in scripts]
    told = "try | {} | catch | verbose echo v:exception v:throwpoint | cquit | endtry"
    for source in sources:
        arguments = ("-es", "-u", "NONE", "-i", "NONE", "--cmd", f"set nocompatible rtp^={copied}")
        compiled = subprocess.run(
            [program("vim.nox", "vim"), *arguments, "-c", told.format(source), "-c", "quitall!"],
            env=os.environ | {"LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (0, "") == (compiled.returncode, compiled.stdout), compiled.stdout
    assert 8 == len(scripts)


async def test_memories_are_added_listed_and_forgotten(house: Any, vim: Any) -> None:
    """Each through the gate; a rewriting from elsewhere is shown as a difference."""
    editor = await vim()
    await editor.run("KeepgateAdd agent/workspace Run  the linter.")
    assert "+ Run  the linter." in await editor.question("add a memory to agent/workspace")
    await editor.choose("Allow once")
    await editor.no_question()
    await editor.run("KeepgateList")
    await editor.shows("Run  the linter.")
    await editor.shows("Agent notes, in this workspace  █░░░░░░░░░  16/4000")
    await editor.shows("<CR> shows one whole, d forgets it after a question, R reads again, q closes")

    person = await house.person()
    fact = {"fact": "Ada likes tea.", "provenance": "chat", "entity": "people/ada"}
    remembering = asyncio.create_task(person.verbs_remember(visibility=Visibility.PRIVATE, **fact))
    await editor.question("Ada likes tea.")
    await editor.choose("Allow once")
    await remembering
    await editor.shows("people/ada: Ada likes tea.  (private)")

    layer: Any = {"track": Track.AGENT, "scope": Scope.WORKSPACE, "session": SessionRef(id="s1")}
    replacing = asyncio.create_task(person.replace(match="linter", text="Run  the linter.\nTwice.", **layer))
    lines = await editor.question("change a memory")
    assert ["  Run  the linter.", "+ Twice."] == [
        line for line in lines if "linter" in line or "Twice" in line
    ]
    await editor.choose("Allow once")
    await replacing
    await editor.shows("Run  the linter. ⏎ Twice.")

    await editor.run("call win_gotoid(win_findbuf(bufnr('keepgate://list'))[0])")
    editor.types("/linter\rd")
    await editor.question("remove a memory")
    await editor.choose("Allow once")
    await editor.until("stridx(join(getbufline('keepgate://list', 1, '$')), 'linter') < 0")
    assert [] == (await person.list_entries()).entries


async def test_hostile_text_is_written_out(house: Any, vim: Any) -> None:
    """Controls and bidirectional marks are visible in the question and in the list, and names are quoted."""
    agent = await house.agent(name="this editor, session of yours")
    editor = await vim()
    call = agent.remember("Port \u202e5434\u202c\x1b[2J\nkeepgate asks: nothing?\n\rvim: set ft=x :")
    lines = await editor.question("Port")
    assert any("⟨U+202E⟩5434⟨U+202C⟩⟨U+001B⟩[2J" in line for line in lines)
    assert [0] == [number for number, line in enumerate(lines) if line.startswith("keepgate asks")]
    assert all(line.isprintable() for line in lines)
    assert any('asked by    "this editor, session of yours" 1, session ' in line for line in lines)
    await editor.choose("Allow once")
    assert "inserted" == (await agent.answer(call))["status"]
    await editor.run("KeepgateList")
    await editor.shows("⟨U+202E⟩5434")


async def test_each_root_has_a_sidecar(
    house: Any, vim: Any, tmp_path: Path, sidecars: Any, look: Any
) -> None:
    """A file of another root starts one for that root; what is added there belongs there."""
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    editor = await vim()
    await editor.run(f"edit {other}/notes.txt")
    await look(lambda: 2 == len(sidecars(house.home)))
    await editor.run("KeepgateAdd agent/workspace Of the other root.")
    lines = await editor.question("Of the other root.")
    assert any(str(other) in line for line in lines)
    await editor.choose("Allow once")
    await editor.no_question()
    person = await house.person()
    editor.types(":quitall!\r")

    await look(lambda: not [pid for pid in sidecars(house.home) if pid != person.pid])
    assert [] == (await person.list_entries()).entries
