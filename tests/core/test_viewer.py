"""Who sees what (DSH-2, visibility)."""

import itertools

import pytest

from keepgate.core.model.viewer import Viewer

HERE, THERE = "/srv/tides", "/srv/charts"
KINDS = list(itertools.product(("user/workspace", "agent/user-global"), (HERE, THERE), ("", "pilot", "cook")))


def seen_by(viewer: Viewer, entry) -> set[tuple[str, str, str]]:
    """The kinds of entries that a viewer sees: layer, workspace, agent."""
    return {
        (name, key, agent)
        for name, key, agent in KINDS
        if viewer.sees(
            entry("x", name, workspace_key="" if name.endswith("global") else key, agent_key=agent)
        )
    }


@pytest.mark.parametrize("agent", ["", "pilot"])
def test_a_session_sees_its_workspace_its_own_entries_and_the_shared_ones(agent: str, author, entry) -> None:
    """Neither another workspace nor another preset's private entries, in no layer."""
    expected = {
        (name, key, owner)
        for name, key, owner in KINDS
        if owner in ("", agent) and (key == HERE or name == "agent/user-global")
    }

    assert expected == seen_by(author(agent, HERE).viewer, entry)


def test_a_session_without_a_workspace_sees_user_global_entries_only(author, entry) -> None:
    """An empty key is no workspace, also when a broken entry has none."""
    viewer = author("pilot", "").viewer

    assert {"agent/user-global"} == {name for name, _, _ in seen_by(viewer, entry)}
    assert not viewer.sees(entry("x", "user/workspace", workspace_key=""))


def test_management_sees_all_agents_of_its_workspaces(entry) -> None:
    """A view without an agent shows every preset's entries, of the workspaces in view."""
    seen = seen_by(Viewer(workspaces=frozenset({THERE}), agent_key=None), entry)

    assert {kind for kind in KINDS if kind[1] == THERE or kind[0] == "agent/user-global"} == seen


def test_the_full_view_sees_everything(entry) -> None:
    """No limits, nothing hidden."""
    assert set(KINDS) == seen_by(Viewer(workspaces=None, agent_key=None), entry)


def test_an_empty_agent_key_is_not_all_agents(entry) -> None:
    """A session without a preset sees the shared layer and nobody's private one."""
    assert {""} == {agent for _, _, agent in seen_by(Viewer(workspaces=None, agent_key=""), entry)}


@pytest.mark.parametrize(
    ("expected", "keys", "agent"),
    [
        (True, (), ""),
        (True, (HERE,), "pilot"),
        (False, (HERE, THERE), ""),
        (False, (HERE,), "cook"),
        (False, (), "cook"),
    ],
)
def test_what_speaks_of_several_workspaces_is_seen_by_those_who_see_all(
    expected: bool, keys: tuple[str, ...], agent: str, author
) -> None:
    """The summary of a batch shows no more than its entries do; what belongs to no workspace is global."""
    assert expected == author("pilot", HERE).viewer.sees_keys(keys, agent)
