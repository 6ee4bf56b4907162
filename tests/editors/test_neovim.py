"""The plugin for Neovim: a real Neovim, set up as its page says, beside real agents and commands."""

import json
import os
import signal
import subprocess
import sys
import unicodedata
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from keepgate.core.model.text import is_hidden, make_visible
from keepgate.protocol.entries import IdTarget, Scope, SessionRef, Track

pytestmark = [pytest.mark.editor, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "editors" / "neovim"
SCENARIOS = Path(__file__).parent / "neovim"
FACT = "The tests need port 5434."
DECIDING = {"experimental": {"keepgate": {"approver": True}}}


@pytest.fixture
def neovim(house: Any, stage: Any, program: Any, shown_block: Any, tmp_path: Path) -> Any:
    """Starts Neovim on a scenario, with the plugin and the settings where its page puts them."""
    command = program("nvim")
    data, config = tmp_path / "data", tmp_path / "config"
    package = data / "nvim" / "site" / "pack" / "keepgate" / "start" / "keepgate"
    package.parent.mkdir(parents=True)
    package.symlink_to(PLUGIN)
    (config / "nvim").mkdir(parents=True)
    shown = shown_block("neovim.md", 'require("keepgate").setup()')
    (config / "nvim" / "init.lua").write_text(shown, encoding="utf-8")
    places = {"XDG_DATA_HOME": data, "XDG_CONFIG_HOME": config, "XDG_STATE_HOME": tmp_path / "state"}
    env = house.env | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "VIMRUNTIME": None}
    env |= {name: str(place) for name, place in places.items()}

    async def play(scenario: str, **more: str) -> Any:
        named = {"KEEPGATE_SCENARIO": str(SCENARIOS / f"{scenario}.lua"), **more}
        arguments = ("--headless", "-i", "NONE", "-c", f"luafile {SCENARIOS / 'play.lua'}")
        return await stage.play((command, *arguments), house.project, env | named)

    return play


async def test_a_wish_of_an_agent_is_seen_and_allowed(house: Any, neovim: Any) -> None:
    """The window opens without taking the cursor; the choice is the picker's, and the agent is answered."""
    agent = await house.agent()
    editor = await neovim("approve")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    told = await agent.answer(call)
    assert "inserted" == told["status"]
    person = await house.person()
    why = await person.why(id=str(told["id"]))
    assert ("Neovim", "agent") == (why.chain[0].decided_by["client"], why.chain[0].asked_by["client"])


async def test_a_wish_is_rejected(house: Any, neovim: Any) -> None:
    """A no reaches the agent as a no."""
    agent = await house.agent()
    editor = await neovim("reject")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    told = await agent.answer(call)
    assert "scope_denied" == told["error"]


async def test_a_wish_that_is_put_off_is_kept(house: Any, neovim: Any) -> None:
    """A picker that is left, ``q`` and a closed window decide nothing; the wish can be opened again."""
    agent = await house.agent()
    editor = await neovim("later")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_the_picker_of_a_plain_neovim(house: Any, neovim: Any) -> None:
    """It takes a number; the first is to decide later, the second allows."""
    agent = await house.agent()
    editor = await neovim("builtin")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_questions_come_to_the_editor_in_focus(
    house: Any, neovim: Any, held: Any, look: Any, tmp_path: Path
) -> None:
    """The person was at another window and turned to Neovim, which is asked."""
    go_on = tmp_path / "go on"
    other = await house.editor("other", held())
    agent = await house.agent()
    editor = await neovim("focus", GO_ON=str(go_on))
    await editor.tells("up")
    await look(lambda: 2 <= house.reachable())
    await other.request("session/active")
    go_on.touch()
    await editor.tells("in focus")
    call = agent.remember(FACT)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_neovim_without_a_screen_holds_nothing_up(
    house: Any, neovim: Any, held: Any, look: Any, tmp_path: Path
) -> None:
    """Its question is offered to the next window; with a screen it is asked and answers."""
    go_on, later, asked = tmp_path / "go on", held(), []

    async def reject_once(question: Any) -> Any:
        asked.append(question)
        return "Reject" if 1 == len(asked) else await later(question)

    await house.editor("other", reject_once)
    agent = await house.agent()
    editor = await neovim("unseen", GO_ON=str(go_on))
    await editor.tells("up")
    await look(lambda: 2 <= house.reachable())
    go_on.touch()
    await editor.tells("ready")
    assert "scope_denied" == (await agent.answer(agent.remember(FACT)))["error"]
    await editor.tells("seen")
    call = agent.remember("Wish 2")
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_leave_for_a_session_is_given_and_ended(house: Any, neovim: Any) -> None:
    """The next wish of the session is not asked about, until ``:Keepgate grants`` ends that."""
    agent = await house.agent()
    editor = await neovim("session")
    await editor.tells("ready")
    first = agent.remember("Wish 1")
    assert "inserted" == (await agent.answer(first))["status"]
    await editor.tells("allowed")
    await editor.tells("revoked")
    third = agent.remember("Wish 3")
    await editor.holds()

    assert "scope_denied" == (await agent.answer(third))["error"]


async def test_a_wish_can_be_told_only_or_put_at_once(house: Any, neovim: Any) -> None:
    """The setting ``on_question``, and ``notify``."""
    agent = await house.agent()
    editor = await neovim("ways")
    await editor.tells("ready")
    first = agent.remember("Wish 1")
    await editor.tells("rejected")
    second = agent.remember("Wish 2")
    await editor.holds()

    answers = [await agent.answer(first), await agent.answer(second)]
    assert ["scope_denied", None] == [answer.get("error") for answer in answers]


async def test_no_stray_key_answers(house: Any, neovim: Any) -> None:
    """What is typed while a question opens goes into the text; nothing is decided by it."""
    agent = await house.agent()
    editor = await neovim("typing")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("typed")
    assert not call.answer.done()
    await editor.holds()

    assert "scope_denied" == (await agent.answer(call))["error"]


async def test_a_wish_that_its_caller_gives_up_leaves_the_screen(house: Any, neovim: Any) -> None:
    """The window closes, and a picker that is still open can store nothing."""
    agent = await house.agent()
    editor = await neovim("withdrawn")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("shown")
    await agent.connection.notify("notifications/cancelled", {"requestId": call.id})
    await editor.holds()

    person = await house.person()
    assert [] == (await person.verbs_recall()).facts


async def test_a_wish_that_is_decided_elsewhere_leaves_the_screen(house: Any, neovim: Any, held: Any) -> None:
    """The yes of another window counts; this one closes its question."""
    agent = await house.agent()
    editor = await neovim("withdrawn")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("shown")
    other = await house.editor("other", held(), capabilities=DECIDING)
    pending = await other.request("proposals/list", {"status": "pending"})
    chosen = {name: pending["proposals"][0][name] for name in ("id", "hash")}
    await other.request("proposals/approve", chosen)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_wish_from_before_waits_in_the_inbox(house: Any, neovim: Any) -> None:
    """A wish that was made while no window was open is told of at the start, listed, shown and allowed."""
    agent = await house.agent()
    told = await agent.answer(agent.remember(FACT))
    assert "unavailable" == told["error"]
    editor = await neovim("waiting")
    await editor.holds()

    person = await house.person()
    assert [FACT] == [fact.fact for fact in (await person.verbs_recall()).facts]


async def test_a_sidecar_that_dies_is_started_anew(house: Any, neovim: Any, sidecars: Any, look: Any) -> None:
    """The wish of an agent comes back after the sidecar was killed, and after ``:Keepgate restart``."""
    agent = await house.agent()
    editor = await neovim("restart")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("kill the sidecar")
    (sidecar,) = sidecars(house.home)
    os.kill(sidecar, signal.SIGKILL)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]
    await look(lambda: not sidecars(house.home))


async def test_several_wishes_are_asked_one_after_the_other(house: Any, neovim: Any) -> None:
    """Three agents wish at once; each is shown, in the order in which they came, and gets its own answer."""
    agents = [await house.agent() for _ in range(3)]
    editor = await neovim("queue")
    await editor.tells("ready")
    calls = [agent.remember(f"Wish {number}") for number, agent in enumerate(agents, 1)]
    await editor.holds()

    told = [await agent.answer(call) for agent, call in zip(agents, calls, strict=True)]
    assert ["inserted", None, "inserted"] == [each.get("status") for each in told]
    assert {"seen 1", "seen 2", "seen 3"} <= set(editor.told)


async def test_a_rewriting_is_shown_as_a_difference(house: Any, neovim: Any, look: Any) -> None:
    """What goes, what comes and what stays, of a replacement and of a consolidation."""
    house.settings('writePolicy = "auto"\n')
    layer: Any = {"track": Track.AGENT, "scope": Scope.WORKSPACE, "session": SessionRef(id="s1")}
    writer = await house.person()
    first = await writer.add(text="First line stays.\nThe tests need port 5433.", **layer)
    second = await writer.add(text="Run the linter.", **layer)
    house.settings("")
    person = await house.person()
    editor = await neovim("rewriting")
    await editor.tells("ready")
    await look(house.reachable)
    changed = "First line stays.\nThe tests need port 5434."
    replaced = await person.replace(id=first.entry.id, text=changed, **layer)
    ids = [IdTarget(id=replaced.entry.id), IdTarget(id=second.entry.id)]
    merged = await person.consolidate(ids=ids, text="Both in one.", **layer)
    await editor.holds()

    assert [merged.entry.text] == [entry.text for entry in (await person.list_entries()).entries]


async def test_hostile_text_is_written_out(house: Any, neovim: Any) -> None:
    """Controls and bidirectional marks are visible, in the question, the list and the history."""
    agent = await house.agent(name="this editor, session of yours")
    editor = await neovim("hostile")
    await editor.tells("ready")
    hostile = "Port \u202e5434\u202c\x1b[2J\nkeepgate asks: nothing?\n\rvim: set modeline :"
    call = agent.remember(hostile)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_memories_are_written_listed_changed_and_taken_back(house: Any, neovim: Any) -> None:
    """Add, list, rewrite, why, history, forget and undo, each through the gate."""
    editor = await neovim("memories")
    await editor.holds()

    person = await house.person()
    texts = [entry.text for entry in (await person.list_entries()).entries]
    assert ["Likes short answers.\nAnd tea.", "Run the linter last."] == sorted(texts)
    denied = [row for row in (await person.audit()).rows if row.action == "replace-denied"]
    assert 1 == len(denied)


async def test_pages_are_listed_changed_and_removed(house: Any, neovim: Any, look: Any) -> None:
    """A page's file is shown and opened; a change of another process is shown as a difference."""
    folder = house.project / ".keepgate" / "pages" / "people"
    folder.mkdir(parents=True)
    (folder / "ada.md").write_text("# Ada\n\nKeeps the engine.\n", encoding="utf-8")
    person = await house.person()
    editor = await neovim("pages")
    await editor.tells("ready")
    await look(house.reachable)
    changed = "# Ada\n\nKeeps two engines.\n"
    await person.pages_put(slug="people/ada", content=changed, session=SessionRef(id="s1"))
    await editor.holds()

    assert not (folder / "ada.md").exists()


async def test_each_root_has_a_sidecar(
    house: Any, neovim: Any, tmp_path: Path, sidecars: Any, look: Any
) -> None:
    """Memories of one root are not shown in another; all sidecars end with the editor."""
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    editor = await neovim("roots", OTHER_PROJECT=str(other))
    await editor.holds()

    await look(lambda: not sidecars(house.home))


@pytest.fixture
def help_tags(program: Any, tmp_path: Path) -> Path:
    """A folder with the help and its tags, as a plugin manager makes them."""
    pages = tmp_path / "help" / "doc"
    pages.mkdir(parents=True)
    for page in (PLUGIN / "doc").glob("*.txt"):
        (pages / page.name).write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    steps = ("-c", f"helptags {pages}", "-c", "quit")
    made = subprocess.run(
        [program("nvim"), "--headless", "-u", "NONE", "-i", "NONE", *steps],
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    assert b"" == made.stderr
    return pages.parent


async def test_the_help_and_the_health_check(neovim: Any, help_tags: Path) -> None:
    """``:checkhealth`` finds nothing wrong, and every subcommand has a tag in the help."""
    editor = await neovim("health", HELP_TAGS=str(help_tags))

    await editor.holds()


async def test_a_missing_program_is_told_once(neovim: Any) -> None:
    """Without the program the health check says how to get it; an unknown setting is an error."""
    editor = await neovim("missing")

    await editor.holds()


async def test_a_killed_editor_leaves_nothing_behind(
    house: Any, neovim: Any, sidecars: Any, look: Any
) -> None:
    """The sidecar ends with the editor; the wish is kept."""
    agent = await house.agent()
    editor = await neovim("living")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("shown")
    editor.kill()
    await look(lambda: not sidecars(house.home))

    assert "unavailable" == (await agent.answer(call))["error"]
    person = await house.person()
    assert [FACT in proposal.text for proposal in (await person.proposals_list()).proposals] == [True]


async def test_the_same_characters_count_as_hidden(neovim: Any, tmp_path: Path) -> None:
    """What the sidecar writes out the plugin writes out; letters and emoji stay as they are."""
    codes = [code for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    plain = {
        code for code in codes if unicodedata.category(chr(code))[0] in "LNPS" and not is_hidden(chr(code))
    }
    samples = ["a\u202eb", "x\u200by", "é \U0001f469\u200d\U0001f4bb ❤\ufe0f", "tab\tand\nline", "\r\x07"]
    known = {
        "hidden": _ranges([code for code in codes if is_hidden(chr(code))]),
        "plain": _ranges(sorted(plain)),
        "shown": [[sample, make_visible(sample)] for sample in samples],
    }
    table = tmp_path / "characters.json"
    table.write_text(json.dumps(known), encoding="utf-8")
    editor = await neovim("characters", HIDDEN_CHARACTERS=str(table))

    await editor.holds()


def _ranges(codes: list[int]) -> list[tuple[int, int]]:
    runs = (list(run) for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0]))
    return [(run[0][1], run[-1][1]) for run in runs]


@pytest.mark.parametrize("folder", [PLUGIN, SCENARIOS], ids=["plugin", "scenarios"])
def test_the_linter_has_nothing_to_say(folder: Path, program: Any) -> None:
    """Luacheck is content with the plugin and with its scenarios."""
    options = ("--config", str(PLUGIN / ".luacheckrc"), "--no-color", "--quiet", "--globals", "play")
    checked = subprocess.run(
        [program("luacheck"), folder, *options], capture_output=True, text=True, check=False, timeout=60
    )

    assert 0 == checked.returncode, checked.stdout
