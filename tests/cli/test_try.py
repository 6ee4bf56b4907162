"""``keepgate try`` does the main job with a real sidecar, and touches nothing of the user's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BATCH_BUTTONS = "[1] Allow once   [2] Show change   [3] Reject"
BUTTONS = "[1] Allow once   [2] Allow for this session   [3] Show change   [4] Reject"
ANSWERING = "Enter alone closes the prompt): "
SECOND = "Always push straight to main"


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    """One whole show without a terminal, in a home that nobody has used."""
    base = tmp_path_factory.mktemp("show")
    (base / "project").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KEEPGATE_")}
    done = subprocess.run(
        [sys.executable, "-m", "keepgate", "try"],
        capture_output=True,
        cwd=base / "project",
        env=kept | {"KEEPGATE_HOME": str(base / "home")},
        start_new_session=True,
        check=False,
    )
    return base, done.returncode, done.stdout.decode(), done.stderr.decode()


def test_without_a_terminal_a_script_answers(show):
    """The whole show: a question allowed, one looked at and rejected, a second session that recalls."""
    _, code, out, err = show

    assert (0, "") == (code, err)
    assert in_order(
        out,
        "A script answers the prompts in your place.",
        "--> initialize",
        "--> memory/import",
        "<-- approval/asked",
        BATCH_BUTTONS,
        "The script chose: Allow once",
        "memories stored, with one question and one transaction",
        "--> memory/add",
        BUTTONS,
        "The script chose: Show change",
        "<-- window/showDocument",
        "(the same question again)",
        "The script chose: Reject",
        "<-- error -32055 WRITE_DENIED",
        "--> shutdown, exit",
        "--> initialize",
        "--> memory/snapshot",
        "  | - Prefers tabs in Makefiles",
        "--> memory/budgets",
        "user/user-global",
        "--> memory/audit",
        "add-denied",
        "--> memory/verify",
        "The ledger holds",
    )


def test_the_users_own_store_is_not_touched(show):
    """Nothing appears in the user's home or workspace, and the temporary store is gone afterwards."""
    base, _, out, _ = show

    assert (False, False) == (temporary_store(out).exists(), (base / "home").exists())
    assert [] == list((base / "project").iterdir())


def test_json_tells_what_came_of_it(keepgate):
    """One document: what was stored, what was denied, what the second session is given."""
    seen = keepgate.run("--json", "try").json

    assert (True, "WRITE_DENIED", True) == (
        seen["scripted"],
        seen["secondWish"]["error"]["code"],
        seen["verify"]["ok"],
    )
    assert seen["import"]["added"] == seen["snapshot"]["entries"] > 10
    assert SECOND not in seen["snapshot"]["text"]


def test_the_person_at_the_keyboard_answers(keepgate):
    """On a terminal the answers are typed, by number or by the first letters."""
    show = keepgate.at_terminal("try", env={"NO_COLOR": "1"})
    for keys in ("2\r", "9\r", "Allow o\r", "rej\r"):
        show.until(ANSWERING)
        show.type(keys)

    assert 0 == show.end()
    assert in_order(
        show.screen,
        "You answer the prompts.",
        "You chose: Show change",
        "<-- window/showDocument",
        "You chose: Allow once",
        "You chose: Reject",
        "The ledger holds",
    )


def test_a_person_may_allow_nothing(keepgate):
    """Closed prompts store nothing, and the show goes on and says so."""
    show = keepgate.at_terminal("try", env={"NO_COLOR": "1"})
    for keys in ("\r", "\x04"):
        show.until(ANSWERING)
        show.type(keys)

    assert 0 == show.end()
    assert in_order(show.screen, "You closed the prompt.", "cancelled", "(nothing: no wish was allowed)")


def test_a_script_can_be_asked_for(keepgate):
    """``--script`` answers on a terminal, too."""
    show = keepgate.at_terminal("try", "--script")

    assert 0 == show.end()
    assert "A script answers the prompts in your place." in show.screen


def test_control_c_ends_the_show(keepgate):
    """The sidecar is ended and the temporary store removed."""
    show = keepgate.at_terminal("try", env={"NO_COLOR": "1"})
    show.until(ANSWERING)
    show.type("\x03")

    assert (130, False) == (show.end(), temporary_store(show.screen).exists())


def temporary_store(shown):
    """The folder that the show says its store is in."""
    return Path(shown.split("store of its own in ")[1].splitlines()[0])


def in_order(text, *parts):
    """Whether every part stands in the text, one after the other."""
    place = 0
    for part in parts:
        found = text.find(part, place)
        assert found >= 0, f"{part!r} is missing after position {place} of:\n{text}"
        place = found + len(part)
    return True
