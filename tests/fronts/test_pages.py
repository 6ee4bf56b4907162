"""Pages of a workspace in an editor: found, followed, and their problems shown where they are."""

import time
from pathlib import Path
from typing import Any

import pytest

CAPABILITIES = {
    "textDocument": {"publishDiagnostics": {}},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
}
FOLDER = ".keepgate/pages"


def write(project: Path, path: str, text: str) -> Path:
    file = project / FOLDER / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def until(holds: Any, timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.05)


def slugs(server: Any) -> list[str]:
    return [page["slug"] for page in server.result("pages/list")["pages"]]


def test_pages_are_read_over_the_wire(spawn: Any, project: Path) -> None:
    """Every read of pages answers from files that nobody had to register."""
    write(project, "people/alice.md", "---\naliases: [Ally]\n---\n# Alice\n\nKnows [[people/bob]].\n")
    bob = write(project, "people/bob.md", "# Bob\n\nDrinks oolong.\n\n## Timeline\n- 2026-11-30: tea\n")
    server = spawn()
    server.initialize(project)
    until(lambda: slugs(server) == ["people/alice", "people/bob"])

    page = server.result("pages/get", {"slug": "people/bob"})

    assert ("Bob", "person", "world", "Drinks oolong.") == (
        page["page"]["title"], page["page"]["type"], page["page"]["visibility"], page["summary"]
    )  # fmt: skip
    assert (bob.read_text(), str(bob.resolve())) == (page["content"], page["path"])
    assert [{"date": "2026-11-30", "text": "tea"}] == page["timeline"]
    link = {"from": "people/alice", "to": "people/bob", "type": "links_to", "context": "Knows people/bob."}
    assert {"links": [link], "total": 1} == server.result("pages/backlinks", {"slug": "people/bob"})
    hits = server.result("pages/search", {"query": "oolong"})["hits"]
    assert [("people/bob", 1)] == [(hit["page"]["slug"], hit["score"]) for hit in hits]
    names = server.result("pages/resolve", {"names": ["ally", "nobody"]})["resolved"]
    assert ["people/alice", None] == [each["slug"] for each in names]
    assert "PAGE_NOT_FOUND" == server.error("pages/get", {"slug": "people/carol"})["data"]["code"]


def test_a_list_is_read_page_by_page(spawn: Any, project: Path) -> None:
    """Every page is in one of them, whatever its name; a foreign cursor is refused."""
    names = [f"n{at:02}" for at in range(7)] + ["日本", "people/é"]
    for name in names:
        write(project, f"{name}.md", "x")
    server = spawn()
    server.initialize(project)
    until(lambda: len(slugs(server)) == len(names))
    seen, after = [], None
    while True:
        page = server.result("pages/list", {"limit": 2, "after": after})
        seen += [each["slug"] for each in page["pages"]]
        after = page["next"]
        if after is None:
            break

    assert sorted(names) == seen
    assert ["people/é"] == [
        each["slug"] for each in server.result("pages/list", {"prefix": "people/"})["pages"]
    ]
    assert [] == server.result("pages/list", {"type": "company"})["pages"]
    for bad in ("x", "[1]", "[1,2]", '{"a":1}', "[" * 5_000):
        assert "INVALID_INPUT" == server.error("pages/list", {"after": bad})["data"]["code"]


def test_problems_are_diagnostics(spawn: Any, project: Path) -> None:
    """A bad page is marked at its line, and the mark goes with the mistake."""
    file = write(project, "bad.md", "---\ntitle: ok\naliases: [\n---\nText")
    server = spawn()
    server.initialize(project, capabilities=CAPABILITIES)
    uri = file.resolve().as_uri()
    shown = server.notification("textDocument/publishDiagnostics", lambda params: params["uri"] == uri)

    (diagnostic,) = shown["diagnostics"]
    assert 3 == diagnostic["range"]["start"]["line"]
    assert "not YAML" in diagnostic["message"]
    assert ("keepgate", 2) == (diagnostic["source"], diagnostic["severity"])
    write(project, "bad.md", "---\ntitle: ok\naliases: []\n---\nText")
    server.notification(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == uri and params["diagnostics"] == [],
    )


def test_who_shows_no_diagnostics_is_sent_none(spawn: Any, project: Path) -> None:
    """A harness is told of changed pages, and of nothing that only an editor shows."""
    write(project, "bad.md", "---\ntitle: [\n---\n")
    server = spawn()
    server.initialize(project)
    server.notification("pages/didChange")
    until(lambda: slugs(server) == ["bad"])

    assert [] == server.notifications("textDocument/publishDiagnostics")
    assert [] == server.requests("client/registerCapability")


def test_watched_files_are_asked_for_and_taken(spawn: Any, project: Path) -> None:
    """Where the client registers watches it is asked to; what it then sends never disturbs anything."""
    server = spawn()
    server.initialize(project, capabilities=CAPABILITIES)
    wanted = server.request_of_server("client/registerCapability")
    server.reply(wanted, None)
    (registration,) = wanted["params"]["registrations"]
    assert "workspace/didChangeWatchedFiles" == registration["method"]
    file = write(project, "a.md", "# A")
    changes = [
        {"uri": uri, "type": 1} for uri in (file.as_uri(), "untitled:x", "file:///nowhere/b.md", "", "[")
    ]

    server.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    server.notify("workspace/didChangeWatchedFiles", {"changes": "x"})

    until(lambda: slugs(server) == ["a"])


def test_folders_bring_their_pages(spawn: Any, project: Path, tmp_path: Path) -> None:
    """A folder that is opened later is indexed; closed again, its pages are out of sight."""
    other = tmp_path / "other"
    write(other, "b.md", "# B")
    write(project, "a.md", "# A")
    server = spawn()
    server.initialize(project)
    until(lambda: slugs(server) == ["a"])
    folder = {"uri": other.as_uri(), "name": "other"}

    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    until(lambda: slugs(server) == ["a", "b"])
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    until(lambda: slugs(server) == ["a"])


def test_reindexing_reports_progress(spawn: Any, project: Path) -> None:
    """Everything is read again, with the problems that are there."""
    for at in range(40):
        write(project, f"n{at}.md", "x")
    bad = write(project, "bad.md", "---\ntitle: [\n---\n")
    server = spawn()
    server.initialize(project)

    result = server.result("pages/reindex", {"workDoneToken": "t"})

    assert 41 == result["pages"]
    assert [str(bad.resolve())] == [problem["path"] for problem in result["problems"]]
    kinds = [params["value"]["kind"] for params in server.notifications("$/progress")]
    assert ("begin", "end") == (kinds[0], kinds[-1])


@pytest.mark.parametrize("count", [0, 2_000])
def test_a_server_that_indexes_leaves_in_time(spawn: Any, project: Path, count: int) -> None:
    """Neither watching nor indexing keeps the process when its client is gone."""
    for at in range(count):
        write(project, f"n{at}.md", "some words " * 50)
    write(project, "a.md", "# A")
    server = spawn()
    server.initialize(project)
    until(lambda: slugs(server) != [])
    assert "error" not in server.ask("shutdown")
    begun = time.monotonic()
    server.notify("exit")

    assert 0 == server.exit_code()
    assert time.monotonic() - begun < 10
