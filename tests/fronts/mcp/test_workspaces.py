"""Where an MCP client works: its roots, what the command line says, or the working directory."""

from pathlib import Path
from typing import Any

import pytest

ROOTS = {"roots": {"listChanged": True}}
WISH = {"action": "add", "track": "agent", "scope": "workspace"}


def folder(tmp_path: Path, name: str) -> Path:
    made = tmp_path / name
    made.mkdir()
    return made.resolve()


def answer_roots(client: Any, *folders: Any, count: int = 1) -> None:
    """Answer the server's question for the client's roots."""
    uris = [each.as_uri() if isinstance(each, Path) else each for each in folders]
    question = client.server.request_of_server("roots/list", count)
    client.server.reply(question, {"roots": [{"uri": uri} for uri in uris]})


def test_the_first_root_is_the_workspace(open_mcp: Any, tmp_path: Path) -> None:
    """What is written goes to the first root; the others are in sight."""
    one, two = folder(tmp_path, "one"), folder(tmp_path, "two")
    client = open_mcp(capabilities=ROOTS)
    answer_roots(client, one, two)

    added = client.call("memory", {**WISH, "text": "Use tabs."})
    who = client.call("whoami")

    assert str(one) == added["entry"]["workspaceKey"]
    assert {"key": str(one), "rule": "root"} == who["workspace"]
    assert [str(one), str(two)] == [each["key"] for each in who["workspaces"]]


def test_facts_of_all_roots_are_in_sight(open_mcp: Any, tmp_path: Path) -> None:
    """Reads see every root; a write goes to the first."""
    one, two, three = (folder(tmp_path, name) for name in ("one", "two", "three"))
    for place in (one, two, three):
        open_mcp(cwd=place).call("remember", {"fact": f"Of {place.name}.", "provenance": "a test"})
    client = open_mcp(capabilities=ROOTS)
    answer_roots(client, one, two)

    client.call("remember", {"fact": "Of both.", "provenance": "a test"})

    assert ["Of both.", "Of one.", "Of two."] == sorted(
        each["fact"] for each in client.call("recall")["facts"]
    )
    assert {"Of one.", "Of both."} == {each["fact"] for each in open_mcp(cwd=one).call("recall")["facts"]}


def test_roots_may_change(open_mcp: Any, tmp_path: Path) -> None:
    """After ``roots/list_changed`` the new ones count; the memories of the old one are out of sight."""
    one, two = folder(tmp_path, "one"), folder(tmp_path, "two")
    client = open_mcp(capabilities=ROOTS)
    answer_roots(client, one)
    client.call("memory", {**WISH, "text": "Of one."})

    client.server.notify("notifications/roots/list_changed")
    answer_roots(client, two, count=2)

    client.server.until(lambda _: client.call("whoami")["workspace"]["key"] == str(two))
    assert [] == client.call("memory", {"action": "query"})["entries"]


@pytest.mark.parametrize("roots", [[], ["https://example.com/repository"]])
def test_roots_that_are_no_folders_leave_the_working_directory(
    open_mcp: Any, project: Path, roots: list[str]
) -> None:
    """No root that can be used is no root."""
    client = open_mcp(capabilities=ROOTS)
    answer_roots(client, *roots)

    assert {"key": str(project.resolve()), "rule": "directory"} == client.call("whoami")["workspace"]


def test_a_client_that_refuses_its_roots_is_served_all_the_same(open_mcp: Any, project: Path) -> None:
    """An error is no root."""
    client = open_mcp(capabilities=ROOTS)
    question = client.server.request_of_server("roots/list")
    client.server.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "no"}})

    assert str(project.resolve()) == client.call("whoami")["workspace"]["key"]


def test_the_command_line_beats_the_roots(open_mcp: Any, tmp_path: Path) -> None:
    """``--workspace`` is not asked about."""
    given = folder(tmp_path, "given")
    client = open_mcp("--workspace", str(given), capabilities=ROOTS)

    assert {"key": str(given), "rule": "given"} == client.call("whoami")["workspace"]
    assert [] == client.server.requests("roots/list")


def test_a_marked_folder_above_is_the_workspace(open_mcp: Any, project: Path) -> None:
    """The nearest ancestor with ``.keepgate`` or ``.git``."""
    (project / ".git").mkdir()
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    client = open_mcp(cwd=below)

    assert {"key": str(project.resolve()), "rule": "marker"} == client.call("whoami")["workspace"]


def test_a_known_folder_beats_a_marked_one(open_mcp: Any, project: Path) -> None:
    """The deepest ancestor that has memories."""
    below = project / "src"
    below.mkdir()
    (below / ".git").mkdir()
    open_mcp(cwd=project).call("memory", {**WISH, "text": "Of the project."})

    client = open_mcp(cwd=below)

    assert {"key": str(project.resolve()), "rule": "known-workspace"} == client.call("whoami")["workspace"]


def test_two_clients_of_two_folders_see_their_own(open_mcp: Any, tmp_path: Path) -> None:
    """Folders of one name are two workspaces."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = folder(tmp_path / "a", "same"), folder(tmp_path / "b", "same")
    open_mcp(cwd=one).call("memory", {**WISH, "text": "Only of one."})

    assert 0 == open_mcp(cwd=two).call("memory", {"action": "query"})["total"]
    assert 1 == open_mcp(cwd=one).call("memory", {"action": "query"})["total"]


def test_an_agent_has_memories_of_its_own(open_mcp: Any) -> None:
    """``--agent`` is the preset that calls speak for; another agent does not see its private entries."""
    client = open_mcp("--agent", "coder")
    added = client.call("memory", {**WISH, "text": "For the coder."})

    assert "coder" == added["entry"]["agentKey"]
    assert "coder" == client.call("whoami")["agent"]
    assert 0 == open_mcp("--agent", "writer").call("memory", {"action": "query"})["total"]


def test_a_working_directory_that_is_gone_is_no_workspace(open_mcp: Any, tmp_path: Path) -> None:
    """What is known everywhere is answered all the same."""
    gone = folder(tmp_path, "gone")
    client = open_mcp(cwd=gone, handshake=False)
    gone.rmdir()
    client.initialize()

    assert {"key": "", "rule": "none"} == client.call("whoami")["workspace"]
    assert [] == client.call("recall")["facts"]
