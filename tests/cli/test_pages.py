"""Pages on the command line: what lies in the files is found by the next command, and writes ask."""

import json
from pathlib import Path
from typing import Any

FOLDER = ".keepgate/pages"


def write(keepgate: Any, path: str, text: str) -> Path:
    file: Path = keepgate.workspace / FOLDER / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_pages_are_read_without_any_preparation(keepgate: Any) -> None:
    """No process has to run: a command brings the index up itself."""
    write(keepgate, "people/alice.md", "# Alice\n\nLikes oolong. See [[people/bob]].\n")
    write(keepgate, "people/bob.md", "---\nvisibility: private\n---\n# Bob\n")

    listed = keepgate.here("pages", "list", "--json")

    assert ["people/alice", "people/bob"] == [page["slug"] for page in json.loads(listed.out)["pages"]]
    assert "# Alice" in keepgate.here("pages", "get", "people/alice").out
    assert "people/alice" in keepgate.here("pages", "search", "oolong").out
    assert "people/alice" in keepgate.here("pages", "backlinks", "people/bob").out
    assert "Nothing found." in keepgate.here("pages", "search", "zzz").out
    assert "people/bob" not in keepgate.here("pages", "list", "--prefix", "people/a").out


def test_a_change_is_found_by_the_next_command(keepgate: Any) -> None:
    """Changed, added and removed files: a command sees what is there now."""
    file = write(keepgate, "a.md", "# One")
    assert "One" in keepgate.here("pages", "list").out
    file.write_text("# Second", encoding="utf-8")
    write(keepgate, "b.md", "# Bee")

    assert ["Second", "Bee"] == [
        page["title"] for page in json.loads(keepgate.here("pages", "list", "--json").out)["pages"]
    ]
    file.unlink()
    assert ["b"] == [
        page["slug"] for page in json.loads(keepgate.here("pages", "list", "--json").out)["pages"]
    ]


def test_a_page_that_is_not_there(keepgate: Any) -> None:
    """The exit code of what is not found, and a word on how to go on."""
    done = keepgate.here("pages", "get", "nobody")

    assert 4 == done.code
    assert "no visible page" in done.err


def test_reindexing_lists_problems(keepgate: Any) -> None:
    """Every file is read again, what is wrong is named with its line, and status says so."""
    write(keepgate, "good.md", "# Good")
    bad = write(keepgate, "bad.md", "---\ntitle: [\n---\n")

    done = keepgate.here("reindex")
    status = json.loads(keepgate.here("status", "--json").out)

    assert 0 == done.code
    assert "2 pages; 2 new or changed, 0 gone." in done.out
    assert f"! {bad.resolve()}:3: the front matter is not YAML" in done.out
    assert ("warning", 2) == (status["health"], status["counts"]["pages"])
    assert [True] == [str(bad.resolve()) in problem for problem in status["problems"]]


def test_the_users_own_pages_hold_everywhere(keepgate: Any, tmp_path: Path) -> None:
    """They lie in the data folder, and every workspace sees them."""
    file = keepgate.home / "data" / "pages" / "me.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Me", encoding="utf-8")
    other = tmp_path / "other"
    other.mkdir()

    assert "everywhere" in keepgate.here("pages", "list").out
    assert "everywhere" in keepgate.here("pages", "list", cwd=other).out


def test_writes_are_asked_for_and_found(keepgate: Any) -> None:
    """Where the user lets writes through, each of them ends in its file and in the index at once."""
    keepgate.trusting()
    put = keepgate.here("pages", "put", "people/alice", "-", stdin=b"# Alice\n")
    assert 0 == put.code, put.err
    assert "Created people/alice" in put.out
    for words in (
        ("link", "people/alice", "companies/acme", "--type", "works_at"),
        ("timeline", "people/alice", "2026-11-30", "Met for tea"),
        ("capture", "Ask about the release day"),
    ):
        done = keepgate.here("pages", *words)
        assert 0 == done.code, done.err
    page = json.loads(keepgate.here("pages", "get", "people/alice", "--json").out)
    linking = json.loads(keepgate.here("pages", "backlinks", "companies/acme", "--json").out)

    assert [{"date": "2026-11-30", "text": "Met for tea"}] == page["timeline"]
    assert ["works_at"] == [link["type"] for link in linking["links"]]
    assert "release day" in keepgate.here("pages", "search", "release").out
    assert 0 == keepgate.here("pages", "remove", "people/alice").code
    assert 4 == keepgate.here("pages", "get", "people/alice").code


def test_nobody_to_ask_means_no(keepgate: Any) -> None:
    """Without a terminal nothing is written."""
    done = keepgate.run("pages", "put", "a", "# A")

    assert 3 == done.code
    assert not (keepgate.workspace / FOLDER).exists()


def test_an_undo_names_the_page(keepgate: Any) -> None:
    """Its file is as it was before."""
    keepgate.trusting()
    assert 0 == keepgate.here("pages", "put", "people/alice", "# Alice\n").code
    done = keepgate.here("undo", "1")

    assert 0 == done.code, done.err
    assert "Page people/alice is as it was before." in done.out
    assert not (keepgate.workspace / FOLDER / "people/alice.md").exists()


def test_a_changed_page_is_asked_about_as_a_difference(keepgate: Any) -> None:
    """The terminal shows the lines that go and come; a yes writes the file."""
    path = write(keepgate, "people/alice.md", "# Alice\n\nLikes tea.\n")
    asked = keepgate.at_terminal(
        "pages", "put", "people/alice", "# Alice\n\nLikes coffee.\n", env={"NO_COLOR": "1"}
    )
    screen = asked.until("Allow this?")
    done = asked.finish("y\r")

    assert "keepgate asks: change a page?" in screen
    assert "- Likes tea.\n+ Likes coffee.\n" in screen
    assert 0 == done.code, done.err
    assert "# Alice\n\nLikes coffee.\n" == path.read_text()


def test_what_became_of_a_page_and_why(keepgate: Any) -> None:
    """Both commands take it as ``page:`` and its slug, and say when the file is another by now."""
    keepgate.trusting()
    assert 0 == keepgate.here("pages", "put", "people/alice", "# Alice\n").code
    assert 0 == keepgate.here("pages", "timeline", "people/alice", "2026-11-30", "Met for tea").code

    history = keepgate.here("history", "page:people/alice")
    why = keepgate.here("why", "page:people/alice")
    write(keepgate, "people/alice.md", "# By hand\n")

    assert (0, 2) == (history.code, history.out.count("page-put"))
    assert "Met for tea" in history.out
    assert "Version 2, page-put: allowed-once (via policy, writePolicy auto)" in why.out
    assert "as the last of these changes left it" in why.out
    assert "Something else has changed the file since." in keepgate.here("why", "page:people/alice").out
    assert 4 == keepgate.here("why", "page:nobody").code
