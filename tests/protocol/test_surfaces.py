"""Which tools there are, pinned: what a surface offers is part of what agents are told."""

import pytest
from attrs import evolve

from keepgate.protocol.operation import Access, Surface
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.surfaces import LOCAL_FIELDS, SURFACES, TOOLS, nearest, offered, tools_of, within

VERBS = {"recall", "remember", "entity", "synthesize", "forget", "context_pack", "delta"}
STARTER = VERBS | {
    "search",
    "get_page",
    "put_page",
    "list_pages",
    "get_backlinks",
    "resolve_slugs",
    "add_timeline_entry",
    "add_link",
    "capture",
    "memory",
    "memory_snapshot",
    "memory_budgets",
    "whoami",
    "request_tools",
}


def test_the_verbs_are_exactly_the_seven() -> None:
    """In the order of the contract."""
    assert [row.tool for row in OPERATIONS if row.is_verb] == list(offered(Surface.VERBS))
    assert offered(Surface.VERBS).keys() == VERBS


def test_starter_is_the_daily_set() -> None:
    """The seven and what an agent needs every day."""
    assert offered(Surface.STARTER).keys() == STARTER


def test_each_surface_holds_the_one_before() -> None:
    """verbs, starter, full."""
    verbs, starter, full = (offered(surface).keys() for surface in SURFACES)

    assert verbs < starter < full
    assert full == {tool.name for tool in TOOLS}


def test_full_is_every_operation_that_a_remote_caller_may_use() -> None:
    """Each row with a surface is behind exactly one tool; deciding and administration are behind none."""
    behind = [row.name for tool in TOOLS for row in tool.rows.values()]

    assert sorted(behind) == sorted(
        row.name
        for row in OPERATIONS
        if row.surface is not None and row.access in (Access.READ, Access.WRITE)
    )
    assert not [row.name for row in OPERATIONS if row.surface is None and row.access is Access.READ]
    assert {"session", "all_workspaces"} <= LOCAL_FIELDS


@pytest.mark.parametrize("access", [Access.DECIDE, Access.ADMIN])
def test_a_row_that_decides_is_no_tool_whatever_it_says(access: Access) -> None:
    """A surface on such a row would be a mistake; it stays without effect."""
    row = next(row for row in OPERATIONS if row.name == "proposals/approve")

    tools = tools_of((evolve(row, access=access, surface=Surface.VERBS, tool="approve"),))

    assert ["whoami", "request_tools"] == [tool.name for tool in tools]


def test_a_name_is_taken_from_the_method_where_there_is_no_other() -> None:
    """``memory/history`` is ``memory_history``."""
    assert "memory/history" == offered(Surface.FULL)["memory_history"].rows[""].name


def test_only_what_is_offered_is_suggested() -> None:
    """A hidden name is not given away by a near miss."""
    assert "memory_audit" == nearest("memory_audi", offered(Surface.FULL))
    assert nearest("memory_audi", offered(Surface.VERBS)) is None
    assert "recall" == nearest("recal", offered(Surface.VERBS))


def test_surfaces_are_ordered() -> None:
    """A ceiling holds itself and what lies below."""
    assert [True, True, False] == [within(surface, Surface.STARTER) for surface in SURFACES]
