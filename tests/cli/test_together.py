"""Several command lines at once: each write counts once, each question finds its own answer."""

import json

COUNT = 6


def test_many_adding_at_once_lose_nothing(keepgate):
    """Every acknowledged write is there, the ledger has a row for each, and it verifies."""
    keepgate.trusting()
    running = [keepgate.begin("--json", "add", f"memory {number}") for number in range(COUNT)]

    answers = [(process.communicate(timeout=60), process.returncode) for process in running]

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
