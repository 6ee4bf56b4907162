"""A watching terminal asks about the wishes of other processes; the inbox decides many facts in one look."""

import json

import pytest

ASKING = "anything else = no: "
WATCHING = "Ctrl-C ends it."
MANY = "anything else = leave them waiting: "


@pytest.fixture
def watching(keepgate):
    """A terminal with ``keepgate inbox --watch``."""
    terminal = keepgate.at_terminal("inbox", "--watch", env={"NO_COLOR": "1"})
    terminal.until(WATCHING)
    reach = keepgate.home / "state" / "reach"
    while not [path for path in reach.glob("*/*") if path.parent.name != "marks"]:
        assert terminal.process.poll() is None
    return terminal


@pytest.mark.parametrize(
    ("keys", "code", "word"), [("y\r", 0, "Allowed"), ("n\r", 3, "Rejected"), ("\x03", 3, "Dismissed")]
)
def test_the_wish_of_another_command(keepgate, watching, keys, code, word):
    """It is shown whole at the watching terminal, and the command goes on with the answer."""
    waiting = keepgate.begin("add", "Prefers small commits.")
    watching.until(ASKING)
    watching.type(keys)
    watching.until(f'{word} by "keepgate command line"')

    assert (code, True) == (waiting.wait(30), "+ Prefers small commits." in watching.screen)
    row = keepgate.run("--json", "audit").json["rows"][0]
    assert "terminal" == row["by"]["channel"]
    assert "(via approval, writePolicy ask)" in row["outcome"]


def test_ctrl_c_ends_the_watch(keepgate, watching):
    """Without a question it is how one leaves, and no failure."""
    watching.type("\x03")

    assert 0 == watching.end()


def test_it_needs_a_terminal(keepgate):
    """Without one nobody could be asked."""
    done = keepgate.run("--json", "inbox", "--watch")

    assert (3, "WRITE_DENIED") == (done.code, done.json["error"]["code"])


def test_what_waits_already_is_told(keepgate):
    """It is no question until somebody waits for its answer."""
    keepgate.run("add", "Prefers small commits.")

    terminal = keepgate.at_terminal("inbox", "watch")
    terminal.until("Waiting already: 1")
    terminal.type("\x03")

    assert (0, False) == (terminal.end(), ASKING in terminal.screen)


def test_the_inbox_has_two_names(keepgate):
    """``inbox`` and ``proposals`` list the same."""
    keepgate.run("add", "Prefers small commits.")

    assert keepgate.run("--json", "inbox").json == keepgate.run("--json", "proposals").json


class TestAllFacts:
    """Many small facts, one look."""

    FACTS = ("The sky is blue.", "Water is wet.")

    @pytest.fixture
    def waiting(self, keepgate):
        """Two facts, a third with a hidden character, and a memory, that wait."""
        for fact in (*self.FACTS, "Loose lips\u200b."):
            keepgate.run("remember", fact, "--provenance", "test")
        keepgate.run("add", "Prefers small commits.")

    def test_a_yes_stores_each_as_it_was_shown(self, keepgate, waiting):
        """Those without a warning are shown together, and each has its own row; the rest waits."""
        deciding = keepgate.at_terminal("inbox", "approve", "--all-facts", env={"NO_COLOR": "1"})
        deciding.until(MANY)
        deciding.type("y\r")
        code = deciding.end()

        assert (0, True) == (code, "keepgate asks: remember 2 facts?" in deciding.screen)
        assert [True, True] == [f"+ {fact}" in deciding.screen for fact in self.FACTS]
        assert "1 fact not among these" in deciding.screen
        assert "Approved 2 facts." in deciding.screen
        rows = [row for row in keepgate.run("--json", "audit").json["rows"] if row["action"] == "remember"]
        assert [2, 2] == [len(rows), len({row["proposalId"] for row in rows})]
        assert 2 == len(keepgate.run("--json", "inbox").json["proposals"])

    @pytest.mark.parametrize("keys", ["n\r", "\r", "\x03"], ids=["n", "empty", "ctrl-c"])
    def test_anything_else_leaves_them(self, keepgate, waiting, keys):
        """Looking decides nothing."""
        deciding = keepgate.at_terminal("inbox", "approve", "--all-facts")
        deciding.until(MANY)
        deciding.type(keys)

        assert (3, 4) == (deciding.end(), len(keepgate.run("--json", "inbox").json["proposals"]))

    def test_the_result_is_data_with_json(self, keepgate, waiting):
        """One result for each."""
        deciding = keepgate.at_terminal("--json", "inbox", "approve", "--all-facts", piped_stdout=True)
        deciding.until(MANY)
        deciding.type("y\r")
        results = json.loads(deciding.process.stdout.read())["results"]
        deciding.end()

        assert ["approved"] * 2 == [each["proposal"]["status"] for each in results]

    def test_no_facts(self, keepgate):
        """There is nothing to look at."""
        assert 3 == keepgate.at_terminal("inbox", "approve", "--all-facts").end()

    @pytest.mark.parametrize("arguments", [("approve",), ("approve", "x", "--all-facts")])
    def test_one_or_all(self, keepgate, arguments):
        """An id and all do not go together, and nothing names nothing."""
        assert 2 == keepgate.run("inbox", *arguments).code

    def test_it_needs_a_terminal(self, keepgate, waiting):
        """No option answers in a person's place."""
        assert 3 == keepgate.run("inbox", "approve", "--all-facts").code
