"""The parts that need no process: keys, bars, encodings, progress."""

import asyncio
import io

import pytest

from keepgate.cli.streams import output_encoding
from keepgate.cli.tryout.answers import Scripted, button
from keepgate.fronts.terminal.progress import progress_on
from keepgate.fronts.terminal.screen import Screen, Share, bar, look_for
from keepgate.fronts.terminal.tty import Interrupted, line_from_keys, terminal_names


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
