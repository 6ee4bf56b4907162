"""Where nobody can be asked, nothing is stored, and the answer says who can decide and how."""

import pytest

TEXT = "Prefers small commits."


def test_a_write_without_a_terminal_waits_in_the_inbox(keepgate):
    """Exit code 3, the code and outcome as data, and the proposal stays pending with the text."""
    done = keepgate.run("--json", "add", TEXT)

    error = done.json["error"]
    waiting = keepgate.here("--json", "proposals").json["proposals"]
    assert (3, "WRITE_DENIED", "unavailable") == (done.code, error["code"], error["details"]["outcome"])
    assert [(error["details"]["proposalId"], TEXT)] == [(item["id"], item["text"]) for item in waiting]
    assert f"keepgate proposals approve {waiting[0]['id']}" in error["suggestion"]


def test_people_are_told_what_to_do(keepgate):
    """Without ``--json`` stdout stays empty and stderr names the command that decides."""
    done = keepgate.run("add", TEXT)

    assert "" == done.out
    assert "keepgate: the write was not allowed: unavailable" in done.err
    assert "  Decide it on a terminal: keepgate proposals approve " in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("replace", "small", "x"),
        ("remove", "small"),
        ("consolidate", "small", "--into", "x"),
        ("undo", "1"),
        ("call", "memory/remove", '{"track": "user", "scope": "workspace", "match": "small"}'),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_kind_of_write_is_denied(keepgate, arguments):
    """No write goes round the question, by whatever command; what is stored stays."""
    keepgate.trusting()
    keepgate.here("add", TEXT)
    keepgate.asking()

    done = keepgate.run(*arguments)

    left = keepgate.here("--json", "list").json["entries"]
    assert (3, [(TEXT, 1)]) == (done.code, [(entry["text"], entry["version"]) for entry in left])


def test_an_import_without_a_terminal_is_denied_whole(keepgate):
    """An import is one question: unanswered, none of it is stored."""
    (keepgate.workspace / "MEMORY.md").write_text("- one\n- two\n", encoding="utf-8")

    done = keepgate.run("import", "MEMORY.md", "--adapter", "claude-code-memory-md")

    assert (3, []) == (done.code, keepgate.here("--json", "list").json["entries"])


@pytest.mark.parametrize("command", ["approve", "dismiss"])
def test_deciding_needs_a_terminal(keepgate, command):
    """A program without a terminal cannot decide what waits."""
    keepgate.run("add", TEXT)
    waiting = keepgate.here("--json", "proposals").json["proposals"][0]["id"]

    done = keepgate.run("--json", "proposals", command, waiting)

    assert (3, "unavailable") == (done.code, done.json["error"]["details"]["outcome"])
    assert [waiting] == [item["id"] for item in keepgate.here("--json", "proposals").json["proposals"]]


def test_deciding_is_no_call(keepgate):
    """``call`` speaks every method but those that decide."""
    keepgate.run("add", TEXT)
    waiting = keepgate.here("--json", "proposals").json["proposals"][0]

    done = keepgate.run(
        "call", "proposals/approve", f'{{"id": "{waiting["id"]}", "hash": "{waiting["hash"]}"}}'
    )

    assert (3, []) == (done.code, keepgate.here("--json", "list").json["entries"])


def test_restoring_needs_a_terminal(keepgate):
    """A backup is put in the store's place only where somebody can agree."""
    keepgate.here("backup", "copy.db")

    done = keepgate.run("restore", "copy.db")

    assert 3 == done.code


@pytest.mark.parametrize("option", ["--yes", "-y", "--force", "--no-input", "--approve"])
def test_no_option_answers_in_the_persons_place(keepgate, option):
    """Options that other programs have for it do not exist."""
    assert 2 == keepgate.here("add", TEXT, option).code


@pytest.mark.parametrize(
    "name",
    [
        "KEEPGATE_YES",
        "KEEPGATE_WRITE_POLICY",
        "KEEPGATE_WRITEPOLICY",
        "KEEPGATE_AUTO",
        "KEEPGATE_APPROVE",
        "CI",
    ],
)
def test_no_environment_variable_loosens_the_gate(keepgate, name):
    """The environment can point at another store; it can not allow a write."""
    done = keepgate.run("add", TEXT, env={name: "auto"})

    assert (3, []) == (done.code, keepgate.here("--json", "list").json["entries"])


def test_a_projects_own_file_cannot_loosen_the_gate(keepgate):
    """``auto`` in a repository's settings counts for nothing."""
    (keepgate.workspace / ".keepgate").mkdir()
    (keepgate.workspace / ".keepgate" / "config.toml").write_text('writePolicy = "auto"\n', encoding="utf-8")

    assert 3 == keepgate.run("add", TEXT).code


def test_a_projects_own_file_can_tighten_it(keepgate):
    """``off`` in a repository's settings refuses what the user's own settings would let through."""
    keepgate.trusting()
    (keepgate.workspace / ".keepgate").mkdir()
    (keepgate.workspace / ".keepgate" / "config.toml").write_text('writePolicy = "off"\n', encoding="utf-8")

    done = keepgate.run("--json", "add", TEXT)

    assert (3, "rejected") == (done.code, done.json["error"]["details"]["outcome"])
