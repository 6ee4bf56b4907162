"""Which folders hold pages."""

import os
from pathlib import Path

import pytest

from keepgate.pages.roots import Root, user_root, workspace_roots


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "work"
    folder.mkdir()
    return folder


def test_roots_lie_below_every_folder_of_the_workspace(work: Path, tmp_path: Path) -> None:
    """In order, each once, whether they exist or not; through a link to the workspace as well."""
    other = work.parent / "other"
    (tmp_path / "link").symlink_to(work)
    roots = workspace_roots("/key", [str(work), str(tmp_path / "link"), str(other)], ["docs", "notes/pages"])

    folders = [work / "docs", work / "notes/pages", other / "docs", other / "notes/pages"]
    assert [Root("/key", str(folder)) for folder in folders] == roots


def test_a_root_that_leaves_the_workspace_is_none(work: Path, tmp_path: Path) -> None:
    """By a link or by dots; one that stays inside counts under its real name."""
    (tmp_path / "secrets").mkdir()
    (work / "real").mkdir()
    (work / "out").symlink_to(tmp_path / "secrets")
    (work / "in").symlink_to(work / "real")

    assert [Root("k", str(work / "real"))] == workspace_roots("k", [str(work)], ["out", "../secrets", "in"])


def test_a_workspace_of_another_system_has_no_roots() -> None:
    """Its path is none here."""
    assert [] == workspace_roots("c:\\work", ["c:\\work"], ["docs"])


def test_the_users_root_lies_in_the_data_folder(work: Path) -> None:
    """Under its real path."""
    assert Root("", str(work / "pages")) == user_root(str(work))
