"""A secret at the terminal: refused, unless the person types the word that is shown."""

import pytest

from keepgate.fronts.terminal.insisting import WORD

TOKEN = "ghp_" + "A1b2C3d4" * 4 + "A1b2"
COMMANDS = {
    "add": ("add", f"it is {TOKEN}"),
    "remember": ("remember", f"it is {TOKEN}", "--provenance", "me"),
    "pages put": ("pages", "put", "people/x", f"# X\n\n{TOKEN}\n"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_word_leads_to_the_question(keepgate, name):
    """Typed to the letter, the word leads to the question; the ledger says that the person insisted."""
    asked = keepgate.at_terminal(*COMMANDS[name], env={"NO_COLOR": "1"})
    warning = asked.until(f"Type {WORD}")
    assert "github-token" in warning
    assert TOKEN not in warning
    asked.type(f"{WORD}\r")
    asked.until("Allow this?")
    done = asked.finish("y\r")

    assert 0 == done.code
    rows = keepgate.run("audit", "--json").json["rows"]
    assert ["github-token"] == rows[0]["by"]["secretsConfirmed"]


@pytest.mark.parametrize("keys", ["y\r", "\r", f"{WORD} \r", f"{WORD.upper()}\r", "\x03", "\x04"])
def test_anything_else_refuses(keepgate, keys):
    """No other line stores it, and the question is not even put."""
    asked = keepgate.at_terminal(*COMMANDS["add"])
    asked.until(f"Type {WORD}")
    asked.type(keys)

    assert 2 == asked.end()
    assert "Allow this?" not in asked.screen
    (row,) = keepgate.run("audit", "--json").json["rows"]
    assert "add-refused" == row["action"]
    assert TOKEN not in str(row)


@pytest.mark.parametrize("arguments", [("capture", TOKEN), ("timeline", "people/x", "2026-11-30", TOKEN)])
def test_other_commands_offer_no_word(keepgate, arguments):
    """Only add, remember and pages put let a person insist."""
    keepgate.at_terminal("pages", "put", "people/x", "# X\n").finish("y\r")
    asked = keepgate.at_terminal("pages", *arguments)

    assert (2, False) == (asked.end(), WORD in asked.screen)


def test_without_a_terminal_it_is_refused(keepgate):
    """No option and no environment variable stands for the word; the error names place and kind alone."""
    done = keepgate.run("add", f"it is {TOKEN}", "--json")

    assert 2 == done.code
    assert "github-token" in done.err
    assert TOKEN not in done.err + done.out
