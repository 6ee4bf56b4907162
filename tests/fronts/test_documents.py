"""The change as a file: private, read-only, and gone afterwards."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from keepgate.fronts.lsp.documents import change_document, remove_leftovers
from keepgate.protocol.proposals import ApprovalRequestParams

QUESTION = ApprovalRequestParams(
    id="p1",
    action="add",
    track="agent",
    scope="workspace",
    workspace_key="/w/project",
    agent_key="",
    source="keepgate",
    session_id="s1",
    text="Use täbs. 重跑",
    hash="0" * 64,
    deadline=0,
    warnings=[],
)


def test_the_document_is_private_and_read_only(tmp_path: Path) -> None:
    """Nobody but this user can read it, and an editor opens it read-only."""
    with change_document(tmp_path / "state" / "changes", QUESTION) as path:
        modes = [stat.S_IMODE(item.stat().st_mode) for item in (path, path.parent)]
        text = path.read_text(encoding="utf-8")

    assert [0o400, 0o700] == modes
    assert "Use täbs. 重跑" in text


def test_the_document_goes_with_the_question(tmp_path: Path) -> None:
    """Nothing is left when the question is answered, whatever happened meanwhile."""
    with pytest.raises(RuntimeError, match="answered"), change_document(tmp_path, QUESTION):
        raise RuntimeError("answered")

    assert [] == list(tmp_path.iterdir())


def test_two_questions_have_two_documents(tmp_path: Path) -> None:
    """Questions that are open at once do not share a file."""
    with change_document(tmp_path, QUESTION) as one, change_document(tmp_path, QUESTION) as other:
        assert one != other


def test_leftovers_of_dead_processes_are_removed(tmp_path: Path) -> None:
    """A killed process leaves its documents to the next one; those of living processes stay."""
    child = subprocess.Popen([sys.executable, "-c", "pass"], stdin=subprocess.DEVNULL)
    child.wait()
    (tmp_path / f"change-{child.pid}-1.txt").write_text("old")
    kept = tmp_path / f"change-{os.getppid()}-1.txt"
    kept.write_text("shown by somebody else")
    (tmp_path / "notes.txt").write_text("not ours")

    remove_leftovers(tmp_path)

    assert [kept.name, "notes.txt"] == sorted(path.name for path in tmp_path.iterdir())


def test_no_folder_means_no_leftovers(tmp_path: Path) -> None:
    """The first start has nothing to remove."""
    remove_leftovers(tmp_path / "absent")

    assert not (tmp_path / "absent").exists()
