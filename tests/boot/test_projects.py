"""Project files: what they may say, and for whom it holds."""

import os
from pathlib import Path
from typing import Any

import pytest

from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.boot.projects import Projects
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Settings, WritePolicy

OFF, ASK, AUTO = WritePolicy.OFF, WritePolicy.ASK, WritePolicy.AUTO


def test_a_project_narrows_its_own_workspace(project: Any, projects: Any) -> None:
    """Its budgets and its floor hold where it is, and nowhere else."""
    folder = project('writePolicy = "off"', "[budgets.user]", "workspace = 10", "userGlobal = 9000")

    here, elsewhere = (projects().rules_for(keys) for keys in ([folder], ["/elsewhere"]))

    assert (OFF, 10, 2000) == (
        here.floor.write_policy, here.settings.budgets.user.workspace, here.settings.budgets.user.user_global
    )  # fmt: skip
    assert (AUTO, Settings()) == (elsewhere.floor.write_policy, elsewhere.settings)


def test_of_several_projects_the_strictest_counts(project: Any, projects: Any) -> None:
    """A batch over two workspaces has both floors."""
    one = project("[writePolicies]", '"user/workspace" = "ask"', '"source:bot" = "off"', name="one")
    two = project('writePolicy = "ask"', "[writePolicies]", '"user/workspace" = "off"', name="two")

    floor = projects().rules_for([one, two]).floor

    assert (ASK, {"user/workspace": OFF, "source:bot": OFF}) == (floor.write_policy, floor.write_policies)


def test_a_changed_file_is_read_again(project: Any, projects: Any) -> None:
    """What a project says now holds now; its file may come and go."""
    known = projects()
    folder = project('writePolicy = "off"')
    first = known.rules_for([folder]).floor.write_policy
    project('writePolicy = "ask"  # no longer off')
    second = known.rules_for([folder]).floor.write_policy
    Path(folder, ".keepgate", "config.toml").unlink()

    third = known.rules_for([folder]).floor.write_policy

    assert (OFF, ASK, AUTO) == (first, second, third)


def test_the_folders_open_under_a_key_count(project: Any) -> None:
    """A work tree that shares a repository's memory brings its own file along."""
    tree = project('writePolicy = "off"', name="tree")

    rules = Projects(Settings(), lambda key: {tree}).rules_for(["/repository"])

    assert OFF == rules.floor.write_policy


def test_what_only_the_user_may_say_is_left_out(project: Any, projects: Any, caplog: Any) -> None:
    """A store path in a repository is ignored, and the log says so."""
    folder = project('storePath = "/elsewhere.db"')

    rules = projects().rules_for([folder])

    assert (None, 1) == (rules.settings.store_path, caplog.text.count("storePath can only stand"))


@pytest.mark.parametrize("line", ["writePolicy = ", 'writePolicy = "maybe"', "budgets = 3"])
def test_a_file_that_cannot_be_read_is_no_empty_one(project: Any, projects: Any, line: str) -> None:
    """A broken floor is a fault that names the file, never the absence of a floor."""
    folder = project(line)

    with pytest.raises(Fault, match=r"config\.toml") as caught:
        projects().rules_for([folder])

    assert Code.INVALID_INPUT == caught.value.code


def test_a_file_called_keepgate_is_no_project_file(tmp_path: Path, projects: Any) -> None:
    """Neither is a folder that is not there, or whose name is too long."""
    (tmp_path / ".keepgate").touch()
    keys = [str(tmp_path), str(tmp_path / "none"), f"{tmp_path}/{'x' * 5000}", "c:\\project"]

    rules = projects().rules_for(keys)

    assert Settings() == rules.settings


def test_a_file_where_the_home_should_be(tmp_path: Path) -> None:
    """The user's own file is missing then, too, and defaults hold."""
    (tmp_path / "home").touch()

    settings = load_settings(find_places({"KEEPGATE_HOME": str(tmp_path / "home")}), os.environ)

    assert ASK == settings.write_policy
