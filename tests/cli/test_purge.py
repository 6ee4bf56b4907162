"""``keepgate purge --secret``: the text comes unseen, the question shows counts, and then it is gone."""

SECRET = "zq-geheim-99317-oolong"


def test_purges_what_comes_on_stdin(keepgate, holding):
    """The question names counts and copies; afterwards no file of the store holds the text."""
    keepgate.trusting()
    keepgate.run("add", f"it was {SECRET}")
    keepgate.run("remove", SECRET)
    keepgate.run("backup", str(keepgate.workspace / "copy.db"))
    keepgate.asking()
    asked = keepgate.at_terminal("purge", "--secret", stdin=f"{SECRET}\n".encode(), env={"NO_COLOR": "1"})
    screen = asked.until("Allow this?")
    assert "keepgate asks: purge a text for good?" in screen
    assert "2 of ledger" in screen
    assert "copy.db" in screen
    done = asked.finish("y\r")

    assert 0 == done.code
    assert SECRET not in done.out
    assert "none holds it" in done.out
    assert [] == holding(keepgate.home, [SECRET.encode()])
    assert SECRET.encode() not in (keepgate.workspace / "copy.db").read_bytes()
    assert keepgate.run("verify").code == 0


def test_a_typed_text_does_not_show(keepgate, holding):
    """Typed at the prompt the text is not echoed, and a no leaves everything as it is."""
    keepgate.trusting()
    keepgate.run("add", f"it was {SECRET}")
    keepgate.asking()
    asked = keepgate.at_terminal("purge", "--secret")
    asked.until("The text to purge")
    asked.type(f"{SECRET}\r")
    done = asked.finish("n\r")

    assert (3, False) == (done.code, SECRET in done.out)
    assert [] != holding(keepgate.home, [SECRET.encode()])


def test_an_argument_is_refused(keepgate):
    """Arguments stand in the shell's history and in lists of processes."""
    assert 2 == keepgate.run("purge", "--secret", SECRET).code
    assert 2 == keepgate.run("purge").code


def test_without_a_terminal_nothing_goes(keepgate, holding):
    """No policy stands in for the person, and no wish is left behind."""
    keepgate.trusting()
    keepgate.run("add", f"it was {SECRET}")
    done = keepgate.run("purge", "--secret", stdin=SECRET.encode())

    assert 3 == done.code
    assert [] != holding(keepgate.home, [SECRET.encode()])
    assert [] == keepgate.run("proposals", "list", "--json").json["proposals"]


def test_the_operation_asks_the_same(keepgate):
    """Called by its name it asks the person, too, and answers with counts and no text."""
    keepgate.trusting()
    keepgate.run("add", f"it was {SECRET}")
    keepgate.asking()
    params = f'{{"text": "{SECRET}"}}'
    asked = keepgate.at_terminal("call", "memory/purge", "-", stdin=params.encode(), piped_stdout=True)
    done = asked.finish("y\r")

    assert {"entries": 1, "ledger": 1} == done.json["removed"]
    assert done.json["clean"]
    assert SECRET not in done.out


def test_pages_are_shown_and_rewritten_with_a_flag(keepgate, holding):
    """The difference is on the screen, with a mark where the text is; the file is rewritten after a yes."""
    page = keepgate.workspace / ".keepgate" / "pages" / "a.markdown"
    page.parent.mkdir(parents=True)
    page.write_text(f"# A\n\nit was {SECRET} here\n", encoding="utf-8")
    asked = keepgate.at_terminal(
        "purge", "--secret", "--pages", stdin=f"{SECRET}\n".encode(), env={"NO_COLOR": "1"}
    )
    screen = asked.until("Allow this?")
    done = asked.finish("y\r")

    assert "- it was ⟨the text⟩ here" in screen
    assert "+ it was (purged) here" in screen
    assert (0, False) == (done.code, SECRET in done.out)
    assert f"Rewritten: {page.resolve()}" in done.out
    assert "# A\n\nit was (purged) here\n" == page.read_text(encoding="utf-8")
    assert [] == holding(keepgate.home, [SECRET.encode()])
