"""Exit codes say what happened, errors say what to do, and neither loses anything."""

import contextlib

import pytest

from keepgate.cli.failures import failure_of, report
from keepgate.protocol.errors import FAULTS, ExitCode, Fault


@pytest.fixture
def stocked(keepgate):
    """A command line with two memories that share a word, and little room."""
    keepgate.settings('writePolicy = "auto"\n[budgets.user]\nuserGlobal = 10\nworkspace = 40\n')
    keepgate.here("add", "red fox")
    keepgate.here("add", "red kite")
    return keepgate


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["list"], 0, None),
        (["import", "broken.md", "--adapter", "hermes-memory-md"], 1, "ADAPTER_PAYLOAD"),
        (["nonsense"], 2, "USAGE"),
        (["add"], 2, "USAGE"),
        (["add", ""], 2, "INVALID_INPUT"),
        (["add", "a\ud800"], 2, "INVALID_INPUT"),
        (["add", "x", "--source", "Not A Label"], 2, "INVALID_INPUT"),
        (["add", "x", "--track", "nobody"], 2, "USAGE"),
        (["query", "--limit", "many"], 2, "USAGE"),
        (["query", "--limit", "0"], 2, "INVALID_INPUT"),
        (["remove", "fox", "--version", "1"], 2, "USAGE"),
        (["remove", "fox", "--id", "x"], 2, "USAGE"),
        (["replace", "only one"], 2, "USAGE"),
        (["consolidate", "--into", "x"], 2, "USAGE"),
        (["call", "no/such"], 2, "USAGE"),
        (["call", "memory/query", "[1]"], 2, "USAGE"),
        (["call", "memory/query", "{"], 2, "USAGE"),
        (["call", "memory/query", '{"text": 5}'], 2, "INVALID_INPUT"),
        (["call", "memory/add", '{"scop": "workspace"}'], 2, "INVALID_INPUT"),
        (["import", "missing.json"], 2, "INVALID_INPUT"),
        (["--workspace", "/", "list"], 2, "INVALID_INPUT"),
        (["undo", "999"], 2, "INVALID_INPUT"),
        (["schema", "Nothing"], 2, "USAGE"),
        (["serve", "--json"], 2, "USAGE"),
        (["try", "--store", "x.db"], 2, "USAGE"),
        (["call", "proposals/approve", '{"id": "x", "hash": "y"}'], 3, "WRITE_DENIED"),
        (["remove", "wolf"], 4, "ENTRY_NOT_FOUND"),
        (["show", "00000000-0000-4000-8000-000000000000"], 4, "ENTRY_NOT_FOUND"),
        (["show", "00000000"], 4, "ENTRY_NOT_FOUND"),
        (["proposals", "show", "none"], 4, "PROPOSAL_NOT_FOUND"),
        (["export", "--adapter", "none"], 4, "ADAPTER_NOT_FOUND"),
        (["remove", "red"], 5, "AMBIGUOUS_MATCH"),
        (["add", "x" * 30], 6, "BUDGET_EXCEEDED"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_every_failure_has_its_code(stocked, words, code, error):
    """The exit code follows the table; ``--json`` puts the error on stdout, too, beside stderr."""
    (stocked.workspace / "broken.md").write_text("no bullet\n", encoding="utf-8")

    done = stocked.here(*words) if "--json" in words else stocked.here("--json", *words)

    assert code == done.code
    if error is not None:
        assert error == done.json["error"]["code"]
        assert ["code", "message", "details", "suggestion"] == list(done.json["error"])
        assert done.err.startswith("keepgate: ")


def test_nothing_is_lost_by_failing(stocked):
    """After a refused write the store is as it was and verifies."""
    stocked.here("add", "x" * 30)
    stocked.here("remove", "red")

    listed = stocked.here("--json", "list").json["entries"]

    assert ["red fox", "red kite"] == [entry["text"] for entry in listed]
    assert stocked.here("--json", "verify").json["ok"]


def test_ambiguous_matches_are_listed(stocked):
    """Whoever must choose sees the candidates."""
    done = stocked.here("remove", "red")

    assert "  - red fox\n  - red kite\n" in done.err


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"not a database, and longer than one page header of sixteen bytes", "STORE_CORRUPT")],
)
def test_a_store_that_cannot_be_opened_is_exit_code_7(keepgate, content, error):
    """The file is named and left untouched; ``doctor`` reports it as a problem with a fix, exit code 1."""
    store = keepgate.home / "data" / "memory.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(content)

    done = keepgate.here("--json", "list")
    doctor = keepgate.here("doctor")

    assert (7, error, str(store)) == (
        done.code,
        done.json["error"]["code"],
        done.json["error"]["details"]["path"],
    )
    assert (1, content) == (doctor.code, store.read_bytes())
    assert f"!!  store: {error}" in doctor.out
    assert "    fix: " in doctor.out


def test_every_fault_has_an_exit_code_and_words():
    """The table of faults reaches people and programs whole."""
    for code, kind in FAULTS.items():
        failure = failure_of(Fault(code, "message"))

        assert (kind.exit_code, str(code)) == (failure.exit_code, failure.error["code"])
        assert "message" == failure.lines[0]


def test_what_nobody_foresaw_is_one_line_with_an_incident(capsys):
    """The exception's words, which may quote a memory, are not shown; the incident's id is."""
    failure = failure_of(RuntimeError("secret memory text"))

    report(failure, json_wanted=True)

    shown = capsys.readouterr()
    assert (ExitCode.FAILED, "INTERNAL") == (failure.exit_code, failure.error["code"])
    assert "secret" not in shown.out + shown.err
    assert "(incident " in shown.err


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (PermissionError(13, "Permission denied", "out.json"), 1, "out.json: Permission denied"),
        (OSError("odd"), 1, "odd"),
    ],
    ids=["interrupt", "permission", "odd"],
)
def test_other_ends_are_told_in_words(error, code, word):
    """Interruption and the system's own errors need no incident."""
    failure = failure_of(error)

    assert (code, word) == (failure.exit_code, failure.error["message"])


def test_a_traceback_is_for_debugging_alone(keepgate):
    """A fault is no accident: even with ``--log-level debug`` it prints no traceback."""
    done = keepgate.here("--log-level", "debug", "show", "nothing")

    assert 4 == done.code
    assert "Traceback" not in done.err


def test_hostile_words_in_an_error_are_shown_not_obeyed(keepgate):
    """What a message quotes is made visible, too."""
    done = keepgate.here("call", "no\x1b[2J/such\u202e")

    assert (2, True, False) == (done.code, "⟨U+001B⟩[2J" in done.err, "\x1b" in done.err)


def test_a_ledger_that_was_tampered_with_is_exit_code_7(stocked):
    """``verify`` names what is wrong and where, and ``doctor`` reports it as a problem."""
    import apsw

    with contextlib.closing(apsw.Connection(str(stocked.home / "data" / "memory.db"))) as db:
        for (trigger,) in list(db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
            db.execute(f'DROP TRIGGER "{trigger}"')
        db.execute("UPDATE ledger SET outcome = 'rejected' WHERE seq = 1")

    verified, doctor = stocked.here("verify"), stocked.here("doctor")

    assert (7, 1) == (verified.code, doctor.code)
    assert "at row 1: " in verified.out
    assert "The ledger does not hold; " in verified.out
    assert "!!  ledger: " in doctor.out


def test_settings_that_cannot_be_read_are_a_problem_with_a_name(keepgate):
    """A typing error in the user's file is told with its place; ``doctor`` says it, too."""
    keepgate.settings('writePolcy = "auto"\n')

    done, doctor = keepgate.here("--json", "list"), keepgate.here("doctor")

    assert (2, "INVALID_INPUT", 1) == (done.code, done.json["error"]["code"], doctor.code)
    assert "writePolcy" in done.err
    assert "!!  settings: INVALID_INPUT" in doctor.out


def test_an_accident_shows_its_traceback_only_when_debugging(capsys):
    """The incident's line stands alone unless ``--log-level debug`` was given."""
    from keepgate.cli.common import Globals
    from keepgate.cli.root import _failed

    with pytest.raises(ZeroDivisionError) as accident:
        _ = 1 / 0
    code = _failed(accident.value, [], Globals())
    quiet = capsys.readouterr()
    _failed(accident.value, [], Globals(log_level="debug"))
    loud = capsys.readouterr()

    assert (1, "", False, True) == (code, quiet.out, "Traceback" in quiet.err, "Traceback" in loud.err)


def test_no_arguments_at_all_show_the_help(keepgate):
    """``keepgate`` alone is a question, not a mistake."""
    done = keepgate.here()

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith("Usage: keepgate ")
