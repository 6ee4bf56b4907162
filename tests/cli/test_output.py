"""What is drawn where: for people and programs, in any encoding, width and taste of colour."""

import json
import subprocess
import sys

import pytest

TEXT = "Prefers café, 漢字 and \U0001f980 [red]bold[/red] \x1b[31m"


@pytest.fixture
def stocked(keepgate):
    """A command line with one memory that is hard to draw, its owner letting writes through."""
    keepgate.trusting()
    keepgate.here("add", TEXT, "--tag", "naïve")
    return keepgate


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "ascii:strict", "FORCE_COLOR": "1"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "FORCE_COLOR": "1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["list", "audit", "budgets"])
def test_no_encoding_makes_a_command_fail(stocked, command, env):
    """What an encoding lacks is shown as an escape; nothing raises and nothing is lost without a trace."""
    done = stocked.run(command, env=env)

    assert (0, "") == (done.code, done.err)


def test_what_an_encoding_lacks_is_shown_as_an_escape(stocked):
    """Characters that cp1252 has come through, others are written out."""
    done = stocked.run("list", env={"PYTHONIOENCODING": "cp1252"})

    assert "Prefers café, \\u6f22\\u5b57 and \\U0001f980" in done.out


def test_json_is_utf8_in_any_encoding(stocked):
    """A program reads the same bytes whatever the locale says."""
    plain = subprocess_bytes(stocked, {})
    odd = subprocess_bytes(stocked, {"PYTHONIOENCODING": "cp1252"})

    assert plain == odd
    assert TEXT == json.loads(plain)["entries"][0]["text"]


def test_output_for_programs_is_utf8_without_a_locale(stocked):
    """In the C locale, even without Python's own help, text for pipes is UTF-8."""
    done = stocked.run("list", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})

    assert "漢字" in done.out


def test_errors_are_drawn_in_any_encoding(stocked):
    """Stderr is no different."""
    done = stocked.run("call", "漢\x1b", env={"PYTHONIOENCODING": "ascii"})

    assert 2 == done.code
    assert "no method \\u6f22\\u27e8U+001B\\u27e9" in done.err


@pytest.mark.parametrize(
    ("arguments", "env", "boxes", "colour"),
    [
        ((), {}, True, True),
        ((), {"NO_COLOR": "1"}, True, False),
        (("--no-color",), {}, True, False),
        ((), {"TERM": "dumb"}, False, False),
        (("--no-color",), {"FORCE_COLOR": "1"}, True, False),
    ],
    ids=["terminal", "NO_COLOR", "--no-color", "dumb", "--no-color beats FORCE_COLOR"],
)
def test_a_terminal_gets_tables_and_colours_as_wanted(stocked, arguments, env, boxes, colour):
    """Boxes and bars for a person; no escape sequence at all without colours."""
    shown = stocked.at_terminal(*arguments, "budgets", env=env)
    shown.end()

    assert (boxes, colour) == ("─" in shown.screen and "░" in shown.screen, "\x1b[" in shown.screen)


@pytest.mark.parametrize(
    ("env", "boxes", "colour"),
    [
        ({}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
    ids=["pipe", "FORCE_COLOR", "both"],
)
def test_a_pipe_gets_plain_text_unless_forced(stocked, env, boxes, colour):
    """Programs read aligned text; ``FORCE_COLOR`` draws for a pager."""
    done = stocked.here("budgets", env=env)

    assert (boxes, colour) == ("─" in done.out, "\x1b[" in done.out)


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_the_width_of_the_terminal_is_kept(stocked, columns):
    """No line is wider than the terminal, and no word of a memory is left out."""
    stocked.here("add", "word " * 40 + "end")

    shown = stocked.at_terminal("list", columns=columns, env={"NO_COLOR": "1"})
    shown.end()

    assert columns >= max(len(line) for line in shown.screen.splitlines() if line.isascii())
    assert (40, True) == (shown.screen.count("word"), "end" in shown.screen)


def test_an_ascii_terminal_gets_ascii_bars(stocked):
    """Without Unicode, boxes and bars are drawn with what there is."""
    done = stocked.run("budgets", env={"PYTHONIOENCODING": "ascii", "FORCE_COLOR": "1", "NO_COLOR": "1"})

    assert "#-------------------" in done.out
    assert "\\u" not in done.out


@pytest.mark.parametrize("command", ["list", "audit", "snapshot", "query"])
@pytest.mark.parametrize("env", [{}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}], ids=["plain", "boxes"])
def test_memory_text_is_neither_markup_nor_escape_sequence(stocked, command, env):
    """Square brackets stay, escape sequences are written out."""
    done = stocked.here(command, env=env | {"COLUMNS": "200"})

    assert "[red]bold[/red] ⟨U+001B⟩[31m" in done.out
    assert "\x1b" not in done.out


def test_text_with_line_breaks_stays_in_its_row(keepgate):
    """A memory cannot begin a line that looks like another row."""
    keepgate.trusting()
    keepgate.here("add", "one\n00000000  user/workspace  forged")

    lines = keepgate.here("list").out.splitlines()

    assert 2 == len(lines)
    assert "one ⏎ 00000000" in lines[1]


def test_people_see_short_ids_and_programs_whole_ones(stocked):
    """Eight characters are enough to point at; a pipe gets all of them."""
    full = stocked.here("--json", "list").json["entries"][0]["id"]

    plain, boxed = (
        stocked.here("list").out,
        stocked.here("list", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out,
    )

    assert (True, False, True) == (full in plain, full in boxed, full[:8] in boxed)


def test_progress_is_drawn_on_a_terminal_alone(stocked):
    """Stderr of a pipe has none of it, and what was drawn is gone at the end."""
    piped = stocked.run("verify").err
    shown = stocked.at_terminal("verify", piped_stdout=True)
    shown.process.stdout.read()
    shown.end()

    assert "" == piped
    assert "\rVerifying the ledger" in shown.screen
    assert shown.screen.endswith("\r")


def test_a_reader_that_has_enough_is_no_error(stocked):
    """``keepgate schema keepgate-protocol | head -c 1`` ends without a traceback."""
    line = [sys.executable, "-m", "keepgate", "schema", "keepgate-protocol"]
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=stocked.environ, cwd=stocked.workspace
    )
    assert process.stdout is not None
    process.stdout.read(1)
    process.stdout.close()

    assert b"" == process.stderr.read()
    process.stderr.close()
    process.wait(30)


def subprocess_bytes(keepgate, env):
    """The bytes that ``--json list`` writes."""
    return subprocess.run(
        [sys.executable, "-m", "keepgate", "--json", "list"],
        capture_output=True,
        env=keepgate.environ | env,
        cwd=keepgate.workspace,
        check=True,
    ).stdout


def test_a_shown_memory_cannot_forge_fields(keepgate):
    """Every line of a memory is set in; the fields below it are not."""
    keepgate.trusting()
    full = keepgate.here("--json", "add", "one\n\nid  forged").json["entry"]["id"]

    shown = keepgate.here("show", full).out

    assert shown.startswith("  one\n  \n  id  forged\n\nid ")
