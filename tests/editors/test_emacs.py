"""The package for Emacs: a real Emacs, set up as its page says, beside real agents and commands."""

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from keepgate.core.model.text import make_visible

pytestmark = [pytest.mark.editor, pytest.mark.timeout(300)]

PACKAGE = Path(__file__).parents[2] / "editors" / "emacs"
TESTS = PACKAGE / "test"
FACT = "The tests need port 5434."
DECIDING = {"experimental": {"keepgate": {"approver": True}}}
LINT_OF_NO_HOME = "Package should have a Homepage or URL header"
LINT_OF_NEW_EMACS = "uninstallable in all released Emacs versions"


def _file(name: str) -> Path:
    return TESTS / f"keepgate-{name}-test.el"


def _names(file: str) -> list[str]:
    text = _file(file).read_text(encoding="utf-8")
    return re.findall(r"^\(ert-deftest (keepgate-\S+)", text, re.MULTILINE)


def _alone(*files: str, but: str = " ") -> list[Any]:
    return [pytest.param(file, name, id=name) for file in files for name in _names(file) if but not in name]


@pytest.fixture
def emacs(house: Any, stage: Any, program: Any, shown_block: Any, tmp_path: Path) -> Any:
    """Starts Emacs on a test of its own, with the settings that its page shows."""
    command = program("emacs")
    (house.project / ".git").mkdir()
    signs = tmp_path / "signs"
    signs.mkdir()
    checkout = str(PACKAGE.parents[1])

    async def play(file: str, name: str, setup: str = "(keepgate-mode 1)") -> Any:
        shown = shown_block("emacs.md", setup).replace("/path/to/keepgate", checkout)
        (tmp_path / "init.el").write_text(shown, encoding="utf-8")
        env = {
            **house.env,
            "HOME": str(tmp_path),
            "KEEPGATE_TEST_PROJECT": str(house.project),
            "KEEPGATE_TEST_SIGNS": str(signs),
        }
        # Its messages go to stderr, and the stage reads stdout.
        line = ('exec "$@" 2>&1', "sh", command, "--batch", "--eval", "(package-initialize)")
        load = ("-l", tmp_path / "init.el", "-L", PACKAGE, "-L", TESTS, "-l", _file(file))
        run = ("--eval", f'(keepgate-test-play "{name}")')
        return await stage.play(("sh", "-c", *line, *load, *run), house.project, env)

    return play


@pytest.mark.parametrize(("file", "name"), _alone("answers", "shown", "lists"))
async def test_a_person_at_emacs(emacs: Any, file: str, name: str) -> None:
    """Questions of Emacs itself, what they show, and the lists; each test says in Lisp what it shows."""
    editor = await emacs(file, name)
    await editor.holds()


@pytest.mark.parametrize(("file", "name"), _alone("setup", but="-eglot-"))
async def test_setting_emacs_up(emacs: Any, file: str, name: str) -> None:
    """What a repository cannot set, and where sidecars start."""
    editor = await emacs(file, name)
    await editor.holds()


async def test_a_wish_of_an_agent_is_seen_and_allowed(house: Any, emacs: Any) -> None:
    """The question comes to Emacs, the agent gets its answer, and the ledger knows who allowed it."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-allow")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    told = await agent.answer(call)
    assert "inserted" == told["status"]
    person = await house.person()
    why = await person.why(id=str(told["id"]))
    assert ("Emacs", "agent") == (why.chain[0].decided_by["client"], why.chain[0].asked_by["client"])


async def test_a_wish_is_rejected(house: Any, emacs: Any) -> None:
    """A no reaches the agent as a no."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-reject")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    assert "scope_denied" == (await agent.answer(call))["error"]


async def test_a_wish_that_its_caller_gives_up_leaves_the_screen(house: Any, emacs: Any) -> None:
    """The window closes, and there is nothing left to allow."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-withdrawn")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("shown")
    await agent.connection.notify("notifications/cancelled", {"requestId": call.id})
    await editor.holds()

    person = await house.person()
    assert [] == (await person.verbs_recall()).facts


async def test_a_wish_that_is_decided_elsewhere_leaves_the_screen(house: Any, emacs: Any, held: Any) -> None:
    """The yes of another window counts; Emacs closes its question."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-withdrawn")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("shown")
    # It was opened last: where Emacs is slow to say that it shows the question, it is asked, too.
    other = await house.editor("other", held(), capabilities=DECIDING)
    pending = await other.request("proposals/list", {"status": "pending"})
    chosen = {name: pending["proposals"][0][name] for name in ("id", "hash")}
    await other.request("proposals/approve", chosen)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_several_wishes_are_asked_one_after_the_other(house: Any, emacs: Any) -> None:
    """Three agents wish at once; each gets an answer, two of them yes."""
    agents = [await house.agent() for _ in range(3)]
    editor = await emacs("agents", "keepgate-agents-three")
    await editor.tells("ready")
    calls = [agent.remember(f"Wish {number}") for number, agent in enumerate(agents)]
    await editor.holds()

    told = [await agent.answer(call) for agent, call in zip(agents, calls, strict=True)]
    assert ["inserted", "inserted", "scope_denied"] == sorted(
        each.get("status") or each["error"] for each in told
    )


@pytest.mark.parametrize(("name", "facts"), [("allow", [FACT]), ("reject", [])])
async def test_a_wish_from_before_waits_in_the_inbox(
    house: Any, emacs: Any, name: str, facts: list[str]
) -> None:
    """A wish made while no window was open is told of at the start, listed, shown and decided."""
    agent = await house.agent()
    told = await agent.answer(agent.remember(FACT))
    assert "unavailable" == told["error"]
    editor = await emacs("agents", f"keepgate-agents-inbox-{name}")
    await editor.holds()

    person = await house.person()
    assert facts == [fact.fact for fact in (await person.verbs_recall()).facts]


async def test_a_command_brings_questions_to_emacs(house: Any, emacs: Any, tmp_path: Path) -> None:
    """Another window was used last; after a command in Emacs the next question is put there alone."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-here")
    await editor.tells("ready")
    other = await house.editor("other", lambda _: "Reject")
    await other.active()
    await other.request("memory/status", {})
    (tmp_path / "signs" / "other").touch()
    await editor.tells("here")
    told = await agent.answer(agent.remember(FACT))
    await editor.holds()

    assert "inserted" == told["status"]
    assert [] == other.prompts


async def test_a_wish_survives_a_restart(house: Any, emacs: Any) -> None:
    """``keepgate-restart`` asks what was open again."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-restart")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]


async def test_a_sidecar_that_dies_is_started_anew(house: Any, emacs: Any, sidecars: Any, look: Any) -> None:
    """The wish of an agent comes back after the sidecar was killed; Emacs leaves none behind."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-died")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("kill the sidecar")
    (sidecar,) = sidecars(house.home)
    os.kill(sidecar, signal.SIGKILL)
    await editor.holds()

    assert "inserted" == (await agent.answer(call))["status"]
    await look(lambda: not sidecars(house.home))


async def test_killing_emacs_leaves_nothing_behind(house: Any, emacs: Any, sidecars: Any, look: Any) -> None:
    """The sidecar goes with it, and the wish that was on the screen is asked in the next Emacs."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-living")
    await editor.tells("ready")
    call = agent.remember(FACT)
    await editor.tells("shown")
    assert 1 == len(sidecars(house.home))
    editor.kill()
    await look(lambda: not sidecars(house.home))

    following = await emacs("agents", "keepgate-agents-allow")
    await following.holds()
    await agent.answer(call)
    person = await house.person()
    assert [FACT] == [fact.fact for fact in (await person.verbs_recall()).facts]


async def test_turning_the_mode_off_decides_nothing(
    house: Any, emacs: Any, sidecars: Any, look: Any, held: Any
) -> None:
    """The sidecar ends in peace, and the wish is pending."""
    agent = await house.agent()
    editor = await emacs("agents", "keepgate-agents-mode-off")
    await editor.tells("ready")
    agent.remember(FACT)
    await editor.holds()

    await look(lambda: not sidecars(house.home))
    other = await house.editor("other", held(), capabilities=DECIDING)
    pending = await other.request("proposals/list", {"status": "pending"})
    assert 1 == len(pending["proposals"])


@pytest.mark.parametrize(("name", "facts"), [("allow", [FACT]), ("reject", [])])
async def test_eglot_asks_in_the_minibuffer(
    house: Any, emacs: Any, tmp_path: Path, name: str, facts: list[str]
) -> None:
    """With the settings of the page, eglot alone puts the wish of an agent, and its answer counts."""
    agent = await house.agent()
    editor = await emacs("setup", f"keepgate-setup-eglot-{name}", setup="eglot-server-programs")
    await editor.tells("ready")
    await agent.answer(agent.remember(FACT))
    (tmp_path / "signs" / "answered").touch()
    await editor.holds()

    person = await house.person()
    assert facts == [fact.fact for fact in (await person.verbs_recall()).facts]


def test_hidden_characters_are_those_of_the_sidecar(program: Any, tmp_path: Path) -> None:
    """Every character that the sidecar writes out is written out in Emacs, and no other."""
    codes = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF and code != 0x0A]
    text = "\n".join(f"a{chr(code)}b" for code in codes)
    text += "\n👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 न\u200dम a\u200db"
    (tmp_path / "in").write_bytes(text.encode())
    visit = f'(insert-file-contents "{tmp_path}/in")'
    shown = f'(let ((coding-system-for-write (quote utf-8-unix))) (write-region shown nil "{tmp_path}/out"))'
    form = f"(let ((coding-system-for-read (quote utf-8-unix)) shown) (with-temp-buffer {visit} \
        (setq shown (keepgate-text-visible (buffer-string)))) {shown})"
    _batch(program, "-L", PACKAGE, "-l", "keepgate-text", "--eval", form)

    theirs = (tmp_path / "out").read_bytes().decode().split("\n")
    ours = make_visible(text).split("\n")
    differing = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    assert [] == differing[:20]


def test_the_package_compiles_without_a_warning(program: Any, tmp_path: Path) -> None:
    """Every file is byte-compiled, each warning an error."""
    for file in [*PACKAGE.glob("*.el"), *TESTS.glob("*.el")]:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    files = sorted(path.name for path in tmp_path.glob("*.el"))
    strict = ("--eval", "(setq byte-compile-error-on-warn t)")
    _batch(program, "-L", tmp_path, *strict, "-f", "batch-byte-compile", *files, cwd=tmp_path)

    assert [f"{name}c" for name in files] == sorted(path.name for path in tmp_path.glob("*.elc"))


def test_every_function_is_documented(program: Any) -> None:
    """Checkdoc has nothing to say, but for the mood of verbs, which it guesses at."""
    files = " ".join(f'"{path}"' for path in sorted([*PACKAGE.glob("*.el"), *TESTS.glob("*.el")]))
    form = f"(let (checkdoc-verb-check-experimental-flag) (dolist (file '({files})) (checkdoc-file file)))"
    said = _batch(program, "-l", "checkdoc", "--eval", form)

    assert "" == said.strip()


def test_the_package_is_one(program: Any) -> None:
    """Package-lint complains of no home page alone; an old one has not heard of Emacs 28."""
    start = [program("emacs"), "--batch", "--eval", "(package-initialize)"]
    found = '(kill-emacs (if (locate-library "package-lint") 0 1))'
    if subprocess.run([*start, "--eval", found], check=False, capture_output=True).returncode:
        pytest.skip("package-lint is not installed")
    files = sorted(str(path) for path in PACKAGE.glob("*.el"))
    main = ("--eval", '(setq package-lint-main-file "keepgate.el")')
    lint = ("-l", "package-lint", *main, "-f", "package-lint-batch-and-exit")
    done = subprocess.run(
        [*start, *lint, *files],
        cwd=PACKAGE, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    complaints = re.findall(r"^keepgate\S*\.el:.*$", done.stderr + done.stdout, re.MULTILINE)

    allowed = (LINT_OF_NO_HOME, LINT_OF_NEW_EMACS)
    assert [] == [line for line in complaints if not any(words in line for words in allowed)]


def test_the_folder_installs_as_a_package(program: Any, tmp_path: Path) -> None:
    """``package-install-file`` takes the folder, and the mode is there without a ``require``."""
    start = "(require 'package)", f'(setq package-user-dir "{tmp_path}/elpa")', "(package-initialize)"
    install = f'(package-install-file "{PACKAGE}")'
    _batch(program, *_evaluated(*start, install))
    told = _batch(program, *_evaluated(*start, "(keepgate-mode 1)", '(message "mode %s" keepgate-mode)'))

    assert "mode t" in told.splitlines()


def _evaluated(*forms: str) -> list[str]:
    return [argument for form in forms for argument in ("--eval", form)]


def test_no_file_is_long() -> None:
    """Files have less than 250 lines, functions less than 40."""
    long = []
    for path in [*PACKAGE.glob("*.el"), *TESTS.glob("*.el")]:
        text = path.read_text(encoding="utf-8")
        long += [path.name] if text.count("\n") >= 250 else []
        for form in re.split(r"\n(?=\()", text):
            long += [f"{path.name}: {form.split(chr(10))[0]}"] if form.rstrip().count("\n") >= 40 else []

    assert [] == long


def _batch(program: Any, *arguments: Any, cwd: Path | None = None) -> str:
    """What Emacs says; it must end well."""
    done = subprocess.run(
        [program("emacs"), "--batch", "-Q", *map(str, arguments)],
        cwd=cwd, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    return done.stderr
