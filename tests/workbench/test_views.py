"""What is remembered, what waits and what was done, in the views of the workbench."""

from typing import Any

import pytest
from agents import memory, pending, remembered, rows
from question import ALLOW, choose, seen, text
from window import Window

pytestmark = pytest.mark.workbench

SIDE_BAR = 460
"""Pixels, so that whole sentences are seen."""

TESTS = "Run the tests with make check before every commit."
VERSIONS = "The interface is versioned by header, never by path."
HERON = "The staging server is called heron."
STABLE = "Releases are cut from the branch stable."


async def open_views(workbench: Any) -> Window:
    """A window in which the views of keepgate are open."""
    window: Window = await workbench.open()
    await window.page.get_by_role("tab", name="keepgate").first.click()
    await window.see("pane header", "Memory")
    await window.widen(SIDE_BAR)
    return window


async def test_what_is_remembered_is_in_the_tree(workbench: Any, house: Any, picture: Any) -> None:
    """Memories stand under their layer with its budget, facts under theirs; what is allowed appears."""
    await remembered(house, lambda agent: [memory(agent, "add", TESTS), memory(agent, "add", VERSIONS)])
    window = await open_views(workbench)
    await window.see("view row", TESTS[:30])
    await window.see("view row", VERSIONS[:30])

    agent = await house.agent()
    call = agent.remember(HERON)
    await seen(window, "Remember a fact")
    await choose(window, ALLOW)
    await agent.answer(call)
    await window.click("view row", "Facts")
    await window.click("view row", "About nothing in particular")
    await window.see("view row", HERON)
    await picture(window, "memory")

    assert any("/" in row for row in await window.texts("view row") if "agent" in row.lower())


async def test_a_memory_is_shown_whole(workbench: Any, house: Any) -> None:
    """A click on a memory opens its text and where it comes from."""
    await remembered(house, lambda agent: [memory(agent, "add", TESTS)])
    window = await open_views(workbench)

    await window.click("view row", TESTS[:30])

    assert TESTS in await text(window, TESTS)


async def test_a_wish_of_the_inbox_is_allowed(workbench: Any, house: Any, picture: Any) -> None:
    """Wishes that nobody saw stand in the inbox; a click puts one as a question."""
    agent = await house.agent()
    for fact in (HERON, STABLE):
        await agent.answer(agent.remember(fact))
    window = await open_views(workbench)
    await window.see("view row", HERON)
    await window.see("view row", STABLE)
    await picture(window, "inbox")

    await window.click("view row", STABLE)
    await seen(window, "Remember a fact")
    await text(window, STABLE)
    await choose(window, ALLOW)
    await window.gone("view row", STABLE)
    await window.see("status", "keepgate: 1 waiting")
    (row,) = await rows(house, "remember")

    assert [HERON] == await pending(house)
    assert "allowed-once (via inbox, writePolicy ask)" == row.outcome


async def test_a_change_is_undone_in_the_ledger(workbench: Any, house: Any, picture: Any) -> None:
    """Undo is a change like any other: it is asked about, and then the memory is gone from the tree."""
    await remembered(house, lambda agent: [memory(agent, "add", TESTS), memory(agent, "add", VERSIONS)])
    window = await open_views(workbench)
    await window.see("view row", VERSIONS[:30])
    await window.click("pane header", "Ledger")
    added = await window.see("view row", f"Add: {VERSIONS[:30]}")
    await picture(window, "ledger")

    await added.hover()
    await added.get_by_role("button", name="Undo this change").click()
    await seen(window, "Take back a change")
    await choose(window, ALLOW)
    await window.see("view row", "Undo, taken away")
    (row,) = await rows(house, "undo-remove")
    left = [entry.text for entry in (await (await house.person()).query()).entries]

    assert [TESTS] == left
    assert ("lsp", VERSIONS) == (row.by["channel"], row.text)
