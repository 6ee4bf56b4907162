"""Several command lines at once: each write counts once, each question finds its own answer."""

import json
import signal

import pytest

COUNT = 6
LEAVING = "leave it waiting: "


def test_many_adding_at_once_lose_nothing(keepgate):
    """Every acknowledged write is there, the ledger has a row for each, and it verifies."""
    keepgate.trusting()
    running = [keepgate.begin("--json", "add", f"memory {number}") for number in range(COUNT)]

    answers = [(process.communicate(timeout=200), process.returncode) for process in running]

    ids = {json.loads(out)["entry"]["id"] for (out, _), _ in answers}
    listed = keepgate.here("--json", "list").json["entries"]
    verified = keepgate.here("--json", "verify").json
    assert [0] * COUNT == [code for _, code in answers]
    assert ids == {entry["id"] for entry in listed}
    assert (True, COUNT) == (verified["ok"], verified["rows"])


def test_two_terminals_ask_each_its_own_person(keepgate):
    """While one question stands, another terminal can be asked and answered; neither waits for the other."""
    first = keepgate.at_terminal("add", "first")
    first.until("Allow this?")
    second = keepgate.at_terminal("add", "second").finish("y\r")
    first.type("n\r")

    assert (0, 3) == (second.code, first.end())
    assert ["second"] == [entry["text"] for entry in keepgate.here("--json", "list").json["entries"]]


def test_a_change_under_the_persons_eyes_is_asked_again(keepgate):
    """The target is rewritten while the person thinks: the yes to the old text changes nothing."""
    keepgate.trusting()
    keepgate.here("add", "Prefers small commits.")
    keepgate.asking()
    asked = keepgate.at_terminal("remove", "Prefers", env={"NO_COLOR": "1"})
    asked.until("- Prefers small commits.")
    asked.until("Allow this?")
    keepgate.trusting()
    keepgate.here("replace", "small", "Prefers large commits.")
    asked.type("y\r")
    asked.until("- Prefers large commits.")
    asked.until("Allow this?")
    asked.type("n\r")

    assert 3 == asked.end()
    assert ["Prefers large commits."] == [
        entry["text"] for entry in keepgate.here("--json", "list").json["entries"]
    ]


def _decide(keepgate, command):
    """Decide the one wish that waits, at another terminal."""
    (waiting,) = keepgate.here("--json", "proposals").json["proposals"]
    deciding = keepgate.at_terminal("proposals", command, waiting["id"])
    deciding.until(LEAVING)
    deciding.type("y\r")
    return deciding.end()


@pytest.mark.parametrize(
    ("command", "word", "code", "stored"), [("approve", "allowed", 0, 1), ("dismiss", "rejected", 3, 0)]
)
def test_a_question_ends_when_somebody_else_decides(keepgate, command, word, code, stored):
    """Without a key pressed the prompt is closed and says who it was; the command ends with that decision."""
    asked = keepgate.at_terminal("add", "decided elsewhere", env={"NO_COLOR": "1"})
    asked.until("Allow this?")
    decided = _decide(keepgate, command)
    screen = asked.until(f'Decided elsewhere: {word} by "keepgate command line"')

    assert (0, code) == (decided, asked.end())
    assert "This question is closed; an answer would change nothing." in screen
    assert stored == len(keepgate.here("--json", "list").json["entries"])


def test_an_answer_that_comes_too_late_changes_nothing(keepgate):
    """It is not reported as the person's own: the screen says who decided."""
    asked = keepgate.at_terminal("add", "decided elsewhere", env={"NO_COLOR": "1"})
    asked.until("Allow this?")
    asked.process.send_signal(signal.SIGSTOP)
    _decide(keepgate, "approve")
    asked.type("n\r")
    asked.process.send_signal(signal.SIGCONT)
    asked.until('Decided elsewhere: allowed by "keepgate command line"')

    assert 0 == asked.end()
    assert 1 == len(keepgate.here("--json", "list").json["entries"])


def test_the_inbox_ends_its_question_when_somebody_else_decides(keepgate):
    """Two terminals look at the same wish; the second is told and ends."""
    keepgate.run("add", "decided elsewhere")
    (waiting,) = keepgate.here("--json", "proposals").json["proposals"]
    looking = keepgate.at_terminal("proposals", "dismiss", waiting["id"], env={"NO_COLOR": "1"})
    looking.until(LEAVING)
    _decide(keepgate, "approve")
    looking.until('Decided elsewhere: allowed by "keepgate command line"')

    assert (4, 1) == (looking.end(), len(keepgate.here("--json", "list").json["entries"]))
