"""A write asks on the terminal it runs in, and does what the person says."""

import sys

import pytest

TEXT = "Prefers small commits."


def test_yes_stores_what_was_shown(keepgate):
    """``y`` and Enter store the memory, and the command says its id."""
    done = keepgate.at_terminal("add", TEXT, "--tag", "git").finish("y\r")

    assert (0, [TEXT]) == (done.code, texts(keepgate))
    assert "Added " in done.out


def test_the_question_shows_the_whole_change(keepgate):
    """What, where, who, every line of the text, the tags and the effect on the budget are in the question."""
    screen = keepgate.at_terminal("add", "one\ntwo", "--tag", "git", "--source", "notes").until("Allow this?")

    assert "keepgate asks: add a memory to user/workspace?" in screen
    for shown in (
        f"workspace   {keepgate.workspace}",
        "asked by    this command, session cli-",
        "source      notes",
        "tags        git",
        "+ one\n+ two\n",
        "user/workspace will hold 7 of 2000 units",
    ):
        assert shown in screen.replace("\x1b[32m", "").replace("\x1b[0m", "")


@pytest.mark.parametrize(
    "keys",
    ["n\r", "\r", "yes\r", "ja\r", "\x04", "Y\r", " y\r", "y \r", "D\r"],
    ids=["n", "empty", "yes", "ja", "eof", "Y", "blank-y", "y-blank", "D"],
)
def test_anything_else_rejects(keepgate, keys):
    """Only ``y`` allows, to the letter: any other line and end of input reject, and the ledger says so."""
    done = keepgate.at_terminal("add", TEXT).finish(keys)

    assert (3, []) == (done.code, texts(keepgate))
    assert "rejected (via approval, writePolicy ask)" == newest(keepgate)["outcome"]


def test_control_c_cancels(keepgate):
    """Ctrl-C is an answer, too: the wish is closed as cancelled and nothing is stored."""
    done = keepgate.at_terminal("add", TEXT).finish("\x03")

    assert (3, []) == (done.code, texts(keepgate))
    assert "cancelled (via approval, writePolicy ask)" == newest(keepgate)["outcome"]


def test_d_shows_every_detail_and_asks_again(keepgate):
    """``d`` shows the proposal, the hash and the keys of the entry; the question stands again below."""
    asked = keepgate.at_terminal("add", TEXT, env={"NO_COLOR": "1"})
    asked.answer("d\r")
    details = asked.until("Allow this?")
    done = asked.finish("y\r")

    assert "sha-256     " in details
    assert "entry as it would be:\n  layer       user/workspace\n" in details
    assert "seen by     every agent\n" in details
    assert (0, [TEXT]) == (done.code, texts(keepgate))


def test_text_from_a_pipe_is_still_asked_about_on_the_terminal(keepgate):
    """``echo text | keepgate add -`` asks at the keyboard, not in the pipe."""
    done = keepgate.at_terminal("add", "-", stdin=f"{TEXT}\n".encode()).finish("y\r")

    assert (0, [TEXT]) == (done.code, texts(keepgate))


def test_a_yes_in_the_pipe_answers_nothing(keepgate):
    """Lines of stdin are text of the memory, never answers."""
    done = keepgate.at_terminal("add", "-", stdin=b"y\ny\n").finish("n\r")

    assert (3, []) == (done.code, texts(keepgate))


def test_what_was_typed_before_the_question_does_not_answer_it(keepgate):
    """Keys that wait from before are dropped, so a question can only be answered by someone who saw it."""
    asked = keepgate.at_terminal("add", TEXT)
    asked.type("y\r")
    done = asked.finish("n\r")

    assert (3, []) == (done.code, texts(keepgate))


def test_json_goes_to_stdout_and_the_question_to_the_terminal(keepgate):
    """With ``--json`` stdout holds one document; the question does not get into it."""
    done = keepgate.at_terminal("--json", "add", TEXT, piped_stdout=True).finish("y\r")

    assert TEXT == done.json["entry"]["text"]
    assert "Allow this?" in done.err


def test_hostile_text_cannot_draw_or_forge_anything(keepgate):
    """Escape sequences, bidirectional controls and markup are shown; no line of a text looks like ours."""
    hostile = "a\x1b[2J\u202eb [bold]c[/bold]\nAllow this? y = yes\r\x07"
    asked = keepgate.at_terminal("add", hostile, env={"NO_COLOR": "1"})
    screen = asked.until("\nAllow this?")

    assert "! 4 hidden characters" in screen
    assert "+ a⟨U+001B⟩[2J⟨U+202E⟩b [bold]c[/bold]\n+ Allow this? y = yes⟨U+000D⟩⟨U+0007⟩\n" in screen
    assert "\x1b" not in screen


def test_a_replacement_is_shown_as_a_difference(keepgate):
    """What stays, what goes and what comes are told apart line by line."""
    keepgate.trusting()
    keepgate.here("add", "one\ntwo\nthree")
    keepgate.asking()

    done = keepgate.at_terminal("replace", "two", "one\n2\nthree", env={"NO_COLOR": "1"}).finish("y\r")

    assert "  one\n- two\n+ 2\n  three\n" in done.out
    assert ["one\n2\nthree"] == texts(keepgate)


def test_a_consolidation_shows_every_target(keepgate):
    """Each memory that would go stands there in full, and so does the one that takes their place."""
    keepgate.trusting()
    keepgate.here("add", "Uses tabs.")
    keepgate.here("add", "Uses LF.")
    keepgate.asking()

    asked = keepgate.at_terminal(
        "consolidate", "tabs", "LF", "--into", "Uses tabs and LF.", env={"NO_COLOR": "1"}
    )
    done = asked.finish("y\r")

    assert "put one memory in the place of 2 memories in user/workspace?" in done.out
    assert "- Uses tabs.\n- Uses LF.\n+ Uses tabs and LF.\n" in done.out
    assert ["Uses tabs and LF."] == texts(keepgate)


def test_removing_and_undoing_ask_like_any_other_write(keepgate):
    """A removal shows what goes, an undo what comes back."""
    keepgate.trusting()
    keepgate.here("add", TEXT)
    keepgate.asking()

    removed = keepgate.at_terminal("remove", "small", env={"NO_COLOR": "1"}).finish("y\r")
    seq = newest(keepgate)["seq"]
    undone = keepgate.at_terminal("undo", str(seq), env={"NO_COLOR": "1"}).finish("y\r")

    assert f"- {TEXT}\n" in removed.out
    assert f"+ {TEXT}\n" in undone.out
    assert [TEXT] == texts(keepgate)


def test_a_job_in_the_background_asks_nobody(keepgate):
    """In the background of a terminal nothing can be answered: the wish is kept, the job not stopped."""
    script = 'set -m; "$0" -m keepgate --json add background & wait $!; echo code=$?'
    shell = keepgate.at_terminal(command=("/bin/sh", "-c", script, sys.executable))
    shell.until("code=3")

    assert 0 == shell.end()
    assert "unavailable (via approval, writePolicy ask)" == newest(keepgate)["outcome"]


def texts(keepgate):
    """The texts in the store."""
    return [entry["text"] for entry in keepgate.here("--json", "list").json["entries"]]


def newest(keepgate):
    """The newest ledger row."""
    return keepgate.here("--json", "audit", "--limit", "1").json["rows"][0]


def test_a_question_ends_at_its_deadline(keepgate):
    """Nobody answers in time: the question closes itself, and the wish waits in the inbox."""
    keepgate.settings("approvalTimeoutSeconds = 1\n")

    asked = keepgate.at_terminal("add", TEXT)
    asked.until("This question is closed; an answer would change nothing.")

    assert (3, []) == (asked.end(), texts(keepgate))
    assert [TEXT] == [item["text"] for item in keepgate.here("--json", "proposals").json["proposals"]]


def test_a_terminal_that_goes_away_leaves_the_wish_waiting(keepgate):
    """The window is closed while the question stands: nothing is stored, nothing is lost."""
    asked = keepgate.at_terminal("add", TEXT)
    asked.until("Allow this?")
    asked.hang_up()

    assert asked.process.wait(30) != 0
    assert ([], [TEXT]) == (
        texts(keepgate),
        [item["text"] for item in keepgate.here("--json", "proposals").json["proposals"]],
    )
