"""What is done with a whole session from the command line: taint, and taking back all that it wrote."""

TEXT = "Prefers small commits."


def _session_of(keepgate, seq):
    rows = keepgate.here("--json", "audit").json["rows"]
    return next(row["sessionId"] for row in rows if row["seq"] == seq)


def test_a_session_goes_back_and_what_was_changed_since_is_told(keepgate):
    """Each command is a session; the other ones stay."""
    keepgate.trusting()
    keepgate.here("add", TEXT)
    keepgate.here("add", "Another.")
    gone, kept = _session_of(keepgate, 1), _session_of(keepgate, 2)
    keepgate.here("replace", "Another.", "A third.")

    undone = keepgate.here("undo", "--session", gone)
    refused = keepgate.here("--json", "undo", "--session", kept)

    assert f": {TEXT}" in undone.out
    assert (2, "INVALID_INPUT") == (refused.code, refused.json["error"]["code"])
    assert ["A third."] == [entry["text"] for entry in keepgate.here("--json", "list").json["entries"]]


def test_an_undo_names_a_row_or_a_session(keepgate):
    """Neither and both are usage errors."""
    assert 2 == keepgate.here("undo").code == keepgate.here("undo", "3", "--session", "s1").code


def test_a_tainted_session_is_told_of(keepgate):
    """What it has read stands in quotes, also what was known before."""
    keepgate.here("session", "taint", "s1", "--source", 'a "page"')

    said = keepgate.here("session", "taint", "s1", "--source", "a mail").out

    assert ['  "a \\"page\\""', '  "a mail"'] == said.splitlines()[1:]


def test_the_list_of_another_day(keepgate):
    """By ledger row and by moment; facts, too."""
    keepgate.trusting()
    keepgate.here("add", TEXT)
    keepgate.here("remember", "Alice likes tea.", "--provenance", "said in chat", "--entity", "alice")
    keepgate.here("remove", "small")

    by_row = keepgate.here("list", "--as-of", "2").out
    now = keepgate.here("--json", "list", "--as-of", "0 seconds ago").json
    early = keepgate.here("list", "--as-of", "2001-01-01").out
    first = keepgate.here("list", "--as-of", "2", "--limit", "1").out

    assert TEXT in by_row
    assert "Alice likes tea." in by_row
    assert (3, [], 1) == (now["seq"], now["entries"], len(now["facts"]))
    assert "The ledger begins later.\n" == early
    assert "More follow: keepgate list --as-of 2 --after 1" in first


def test_another_day_is_a_row_or_a_moment_of_all_layers(keepgate):
    """Anything else is a usage error; a row that there is not is refused."""
    assert 2 == keepgate.here("list", "--as-of", "yesterdayish").code
    assert 2 == keepgate.here("list", "--as-of", "1", "--track", "user").code
    assert 2 == keepgate.here("list", "--as-of", "999").code


def test_leave_of_sessions_is_listed_and_ended(keepgate):
    """A command's own session ends with it, so there is none of it left; an unknown id is no error."""
    assert "No session has leave" in keepgate.here("grants").out
    assert {"grants": []} == keepgate.here("--json", "grants", "list").json
    assert "There is no such leave" in keepgate.here("grants", "revoke", "0c9a7f21").out


def test_a_session_goes_into_quarantine_and_comes_back(keepgate):
    """A person at a terminal answers, also where a policy lets writes through; the list tells of it."""
    keepgate.trusting()
    keepgate.here("add", TEXT)
    session = _session_of(keepgate, 1)

    refused = keepgate.here("--json", "quarantine", session)
    gone = keepgate.at_terminal("quarantine", session, "--reason", "a bad page").finish("y\r")
    meanwhile = keepgate.here("list").out
    listed = keepgate.here("quarantine").out
    back = keepgate.at_terminal("release", session).finish("y\r")

    assert (3, "WRITE_DENIED") == (refused.code, refused.json["error"]["code"])
    assert f"In quarantine: 1 memory, 0 facts. Bring back with: keepgate release {session}" in gone.out
    assert TEXT not in meanwhile
    assert "a bad page" in listed
    assert "Back: 1 memory, 0 facts." in back.out
    assert TEXT in keepgate.here("list").out
    assert "Nothing is in quarantine." in keepgate.here("quarantine").out
    assert 2 == keepgate.here("quarantine", "--reason", "x").code
