"""The parts that need no process: the question's lines, keys, bars, encodings, progress."""

import asyncio
import io

import pytest

from keepgate.cli.streams import output_encoding
from keepgate.cli.tryout.answers import Scripted, button
from keepgate.fronts.terminal.progress import progress_on
from keepgate.fronts.terminal.question import everything_lines, proposal_lines, question_lines
from keepgate.fronts.terminal.screen import Screen, Share, bar, look_for
from keepgate.fronts.terminal.tty import Interrupted, line_from_keys, terminal_names
from keepgate.protocol.entries import Scope, Track, Usage
from keepgate.protocol.proposals import (
    ApprovalRequestParams,
    AskEntry,
    AskTarget,
    Caution,
    Proposal,
    ProposalsGetResult,
    ProposalStatus,
)


def a_question(**changes):
    """A question that adds one memory, or as ``changes`` say."""
    fields = {
        "id": "p1",
        "action": "add",
        "track": "user",
        "scope": "workspace",
        "workspace_key": "/w",
        "agent_key": "",
        "source": "keepgate",
        "session_id": "s1",
        "text": "x",
        "hash": "ab" * 32,
        "deadline": 0,
        "warnings": [],
        "entries": [an_entry("x")],
        "usage": [Usage(track=Track.USER, scope=Scope.WORKSPACE, used=1, limit=10)],
    }
    return ApprovalRequestParams(**fields | changes)


def an_entry(text, **changes):
    """An entry as a question shows it."""
    fields = {
        "track": Track.USER,
        "scope": Scope.WORKSPACE,
        "workspace_key": "/w",
        "agent_key": "",
        "text": text,
        "tags": [],
        "source": "keepgate",
    }
    return AskEntry(**fields | changes)


def shown(lines):
    """Lines as one text."""
    return "\n".join(line.text for line in lines)


def test_warnings_stand_before_everything_else():
    """What a person should know comes right below the first line."""
    question = a_question(warnings=[Caution(kind="duplicate", message="entry e1 already says the same")])

    lines = [line.text for line in question_lines(question)]

    assert [
        "keepgate asks: add a memory to user/workspace?",
        "! entry e1 already says the same",
        "",
    ] == lines[:3]


@pytest.mark.parametrize(
    "place",
    [
        {"session_id": "s\x1b[2J\n"},
        {"workspace_key": "/w\x1b[2J\n"},
        {"agent_key": "a\x1b[2J\n"},
        {"source": "s\x1b[2J\n"},
        {"action": "odd\x1b[2J\n"},
        {"client": {"client": "c\x1b[2J\n", "version": "1\x1b"}},
        {"warnings": [Caution(kind="x", message="w\x1b[2J\n")]},
        {"entries": [an_entry("t\x1b[2J", tags=["g\x1b[2J\n"], agent_key="k\x1b", source="o\x1b")]},
        {"targets": [AskTarget(id="i\x1b[2J\n", version=1, text="t\x1b[2J", match="m\x1b[2J\n")]},
        {"from_": "f\x1b[2J", "to": "t\x1b[2J"},
    ],
    ids=lambda place: next(iter(place)),
)
def test_no_field_of_a_question_reaches_the_terminal_raw(place):
    """Whatever a client put into whatever field, no line holds a control character."""
    question = a_question(**place)

    for line in [*question_lines(question), *everything_lines(question)]:
        assert "\x1b" not in line.text
        assert "\n" not in line.text


def test_two_texts_that_differ_in_a_hidden_character_differ_on_the_screen():
    """The difference is made of what is shown, not of what is stored."""
    question = a_question(action="replace", from_="ab", to="a\u200bb")

    assert "- ab\n+ a⟨U+200B⟩b" in shown(question_lines(question))


def test_a_batch_names_layer_and_tags_of_each():
    """In a question over several layers every memory says where it would go."""
    entries = [an_entry("one", tags=["a", "b"]), an_entry("two", track=Track.AGENT)]
    question = a_question(action="seed", track="batch", scope="batch", count=2, entries=entries)

    text = shown(question_lines(question))

    assert "keepgate asks: add 2 memories?" in text
    assert "user/workspace [a, b]:\n+ one\nagent/workspace:\n+ two" in text


def test_another_client_is_named():
    """A wish that came from elsewhere says from where."""
    question = a_question(client={"client": "editor", "version": "3"}, agent_key="reviewer")

    text = shown(question_lines(question))

    assert "asked by    editor 3, session s1" in text
    assert "agent       reviewer" in text


def test_a_layer_over_its_budget_stands_out():
    """The effect on the budget is told, and told apart when it is over."""
    usage = [Usage(track=Track.USER, scope=Scope.WORKSPACE, used=11, limit=10)]

    last = list(question_lines(a_question(usage=usage)))[-1]

    assert ("user/workspace will hold 11 of 10 units", "warning") == (last.text, last.tone.value)


@pytest.mark.parametrize(
    ("status", "problem", "line"),
    [
        (
            ProposalStatus.PENDING,
            "ENTRY_NOT_FOUND: gone",
            "! It can no longer be made: ENTRY_NOT_FOUND: gone",
        ),
        (ProposalStatus.DISMISSED, None, "Proposal p1, dismissed, rejected (via inbox, writePolicy ask)"),
    ],
)
def test_a_wish_without_a_question_still_shows_its_text(status, problem, line):
    """What cannot be asked any more is shown with what became of it."""
    outcome = "rejected (via inbox, writePolicy ask)" if status is ProposalStatus.DISMISSED else None
    proposal = Proposal(
        id="p1", kind="add", status=status, track="user", scope="workspace", workspace_key="/w", agent_key="",
        source=None, session_id=None, text="one\ntwo", hash="ab", created_at=0, expires_at=0, decided_at=None,
        outcome=outcome,
    )  # fmt: skip

    text = shown(proposal_lines(ProposalsGetResult(proposal=proposal, ask=None, problem=problem)))

    assert line in text
    assert "add in user/workspace:\n  one\n  two" in text


def test_the_terminal_has_its_names_on_every_platform():
    """One device on POSIX, two on Windows."""
    assert ("/dev/tty", "/dev/tty") == terminal_names("linux") == terminal_names("darwin")
    assert ("CONIN$", "CONOUT$") == terminal_names("win32")


@pytest.mark.parametrize(
    ("keys", "line", "echoed"),
    [
        ("y\r", "y", "y\r\n"),
        ("yx\b\r", "y", "yx\b \b\r\n"),
        ("\b\x7fn\n", "n", "n\r\n"),
        ("\x00Hy\r", "y", "y\r\n"),
        ("\xe0Ky\r", "y", "y\r\n"),
        ("y\x04\x1b\r", "y", "y\r\n"),
        ("\x04", None, ""),
        ("\x1a", None, ""),
    ],
    ids=[
        "enter",
        "backspace",
        "nothing to take back",
        "function key",
        "arrow",
        "controls",
        "ctrl-d",
        "ctrl-z",
    ],
)
def test_a_console_line_is_made_of_keys(keys, line, echoed):
    """Where the system edits no lines, keys do: Enter ends, Backspace takes back, Ctrl-D ends the input."""
    pressed = iter(keys)
    typed: list[str] = []
    out = io.StringIO()
    complete = False
    while complete is False:
        complete = line_from_keys(lambda: next(pressed), typed, out.write)

    assert (line, echoed) == (None if complete is None else "".join(typed), out.getvalue())


def test_control_c_interrupts_a_console_line():
    """Ctrl-C arrives as a key there."""
    with pytest.raises(Interrupted):
        line_from_keys(lambda: "\x03", [], lambda _: None)


@pytest.mark.parametrize(
    ("used", "drawn"),
    [(0, "----------"), (1, "#---------"), (50, "#####-----"), (99, "#########-"), (150, "##########")],
)
def test_a_bar_is_empty_or_full_only_when_the_layer_is(used, drawn):
    """A single unit shows, and a last free one, too."""
    assert drawn == bar(Share(used, 100), width=10, ascii_only=True)


@pytest.mark.parametrize(
    ("environ", "is_terminal", "no_color", "expected"),
    [
        ({}, True, False, (True, True)),
        ({}, False, False, (False, False)),
        ({"NO_COLOR": "1"}, True, False, (True, False)),
        ({"NO_COLOR": ""}, True, False, (True, True)),
        ({"FORCE_COLOR": "1"}, False, False, (True, True)),
        ({"FORCE_COLOR": "0"}, False, False, (False, False)),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False, (True, False)),
        ({"TERM": "dumb"}, True, False, (False, False)),
        ({}, True, True, (True, False)),
    ],
)
def test_the_look_follows_the_conventions(environ, is_terminal, no_color, expected):
    """``NO_COLOR``, ``FORCE_COLOR`` and ``TERM=dumb`` mean what they mean elsewhere."""
    look = look_for(environ, is_terminal=is_terminal, no_color=no_color)

    assert expected == (look.boxes, look.colour)


@pytest.mark.parametrize(
    ("environ", "is_terminal", "announced", "expected"),
    [
        ({}, False, "cp1252", "utf-8"),
        ({}, True, "cp1252", "cp1252"),
        ({"PYTHONIOENCODING": "latin-1:strict"}, True, "utf-8", "latin-1"),
        ({"PYTHONIOENCODING": ":replace"}, False, "ascii", "utf-8"),
    ],
)
def test_the_encoding_of_output(environ, is_terminal, announced, expected):
    """A terminal keeps its own, everything else is UTF-8, and an explicit wish goes before both."""
    assert expected == output_encoding(environ, is_terminal=is_terminal, announced=announced)


class TerminalStream(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """It is."""
        return True


def test_progress_leaves_an_empty_line():
    """Each step draws over the one before; at the end nothing of it stays, and equal steps draw once."""
    stream = TerminalStream()
    progress = progress_on(stream)

    progress.begin("Backing up")
    progress.report(1, 4)
    progress.report(1, 4)
    progress.report(0, 0)
    progress.end()

    assert "\rBacking up\rBacking up: 25 %\rBacking up: 0   \r             \r" == stream.getvalue()


def test_no_progress_where_nobody_looks():
    """A pipe gets nothing."""
    stream = io.StringIO()
    progress = progress_on(stream)

    progress.begin("Backing up")
    progress.report(1, 4)
    progress.end()

    assert "" == stream.getvalue()


def test_an_empty_table_draws_nothing():
    """Without rows there is no header either."""
    stream = io.StringIO()

    Screen(stream=stream, look=look_for({}, is_terminal=False, no_color=False)).table([], [])

    assert "" == stream.getvalue()


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("1", "Allow once"),
        ("4", "Reject"),
        ("0", None),
        ("5", None),
        ("all", None),
        ("allow o", "Allow once"),
        ("R", "Reject"),
    ],
)
def test_a_button_is_named_by_number_or_beginning(typed, chosen):
    """A beginning that two buttons share names neither."""
    titles = ["Allow once", "Allow for this session", "Show change", "Reject"]

    assert chosen == button(typed, titles)


def test_a_script_without_answers_rejects():
    """Whatever a script did not foresee is a no, and a button that is not there closes the prompt."""
    scripted = Scripted(["Allow once"])

    first = asyncio.run(scripted.choose(["Allow once", "Reject"]))
    second = asyncio.run(scripted.choose(["Allow once", "Reject"]))
    third = asyncio.run(scripted.choose(["Other"]))

    assert ("Allow once", "Reject", None) == (first[0], second[0], third[0])
