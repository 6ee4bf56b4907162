"""A wish of an agent is seen in the workbench and answered there, and the agent goes on."""

from typing import Any

import pytest
from agents import memory, pending, rows
from question import ALLOW, ALLOW_SESSION, LATER, LOOK, REJECT, choose, choose_with_keys, seen, text

pytestmark = pytest.mark.workbench

ONE_WAITS = "keepgate: 1 waiting"
DECIDING = {"experimental": {"keepgate": {"approver": True}}, "window": {"showMessage": {}}}
"""A window with prompts and an inbox."""


async def test_a_wish_is_allowed(workbench: Any, house: Any, picture: Any) -> None:
    """The fact is shown whole, stored on a yes, and the ledger says who allowed it and through what."""
    window = await workbench.open()
    agent = await house.agent()
    call = agent.remember("The release is cut from the branch `stable`, never from main.")
    question = await seen(window, 'Remember a fact in "project"?')
    shown = await text(window, "The release is cut from the branch `stable`")
    await window.see("status", ONE_WAITS)
    await picture(window, "question")

    await choose(window, ALLOW)
    answer = await agent.answer(call)
    await question.wait_for(state="hidden")
    await window.gone("status", ONE_WAITS)
    (row,) = await rows(house, "remember")

    assert "Asked by:" in shown
    assert "inserted" == answer["status"]
    assert "allowed-once (via approval, writePolicy ask)" == row.outcome
    assert ("code-server", "lsp") == (row.by["client"], row.by["channel"])


async def test_a_wish_is_rejected_with_the_keyboard(workbench: Any, house: Any) -> None:
    """Arrow keys and Enter reach every choice; the agent hears that the person said no."""
    window = await workbench.open()
    agent = await house.agent()
    call = agent.remember("The sky is green.")
    await seen(window, "Remember a fact")

    await choose_with_keys(window, REJECT)
    answer = await agent.answer(call)
    (row,) = await rows(house, "remember-denied")

    assert ("scope_denied", "rejected (via approval, writePolicy ask)") == (answer["error"], row.outcome)
    assert [] == await pending(house)


async def test_a_replacement_is_seen_as_a_difference(workbench: Any, house: Any, picture: Any) -> None:
    """The old text stands beside the new one, in the editor for differences."""
    window = await workbench.open()
    agent = await house.agent()
    added = memory(agent, "add", "Run the tests with make check.\nThey take ten minutes.")
    await seen(window, "Add to the agent memory")
    await choose(window, ALLOW)
    await agent.answer(added)

    replaced = memory(
        agent, "replace", "Run the tests with make test.\nThey take ten minutes.", match="make check"
    )
    await seen(window, "Replace in the agent memory")
    await window.see("diff")
    shown = await text(window, "Run the tests with make check.", "Run the tests with make test.")
    await picture(window, "difference")
    await choose(window, LOOK)
    await window.page.wait_for_timeout(500)
    await choose(window, ALLOW)
    answer = await agent.answer(replaced)
    await window.gone("diff")

    assert "They take ten minutes." in shown
    assert "Run the tests with make test.\nThey take ten minutes." == answer["entry"]["text"]


async def test_what_is_put_off_stays_in_the_inbox(workbench: Any, house: Any) -> None:
    """Later is no answer: the agent hears that nobody decided, and the wish is allowed when there is time."""
    window = await workbench.open()
    agent = await house.agent()
    call = agent.remember("The office has a cat.")
    await seen(window, "Remember a fact")

    await choose(window, LATER)
    answer = await agent.answer(call)
    waiting = await pending(house)
    await window.click("status", ONE_WAITS)
    await seen(window, "Remember a fact")
    await choose(window, ALLOW)
    await window.gone("status", ONE_WAITS)
    (row,) = await rows(house, "remember")

    assert ("unavailable", ["The office has a cat."]) == (answer["error"], waiting)
    assert "allowed-once (via inbox, writePolicy ask)" == row.outcome


async def test_leave_for_a_session(workbench: Any, house: Any) -> None:
    """One yes for the session, and its next fact is stored without a question."""
    window = await workbench.open()
    agent = await house.agent()
    call = agent.remember("The first of two.")
    await seen(window, "Remember a fact")

    await choose(window, ALLOW_SESSION)
    first = await agent.answer(call)
    second = await agent.answer(agent.remember("The second of two."))

    await window.gone("quick input")
    outcomes = [row.outcome for row in await rows(house, "remember")]

    assert ["inserted", "inserted"] == [first["status"], second["status"]]
    assert [
        "allowed-once (via approval, writePolicy ask)",
        "allowed-once (via session grant, writePolicy ask)",
    ] == outcomes


async def test_what_is_typed_for_a_file_decides_nothing(workbench: Any, house: Any) -> None:
    """A question that appears under busy fingers takes none of their keys; put aside, it comes back."""
    window = await workbench.open()
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    await window.see("quick input", "Remember a fact")

    await window.page.keyboard.type("reject allow once")
    await window.page.keyboard.press("Enter")
    await window.see("quick focus", LOOK)
    await window.page.keyboard.press("Escape")
    await window.see("toast", "a question is still open")
    waiting, undecided = await pending(house), not call.answer.done()
    await window.click("toast button", "Show the question")
    await seen(window, "Remember a fact")
    await choose(window, ALLOW)
    answer = await agent.answer(call)

    assert (1, True) == (len(waiting), undecided)
    assert "inserted" == answer["status"]


async def test_a_question_that_was_decided_elsewhere_closes(workbench: Any, house: Any) -> None:
    """The list and the tab go when another window decides, and the window says so."""
    other = await house.editor("other", capabilities=DECIDING)
    window = await workbench.open()
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    question = await seen(window, "Remember a fact")
    (wish,) = (await other.request("proposals/list", {"status": "pending"}))["proposals"]

    await other.request("proposals/approve", {"id": wish["id"], "hash": wish["hash"]})
    answer = await agent.answer(call)
    await question.wait_for(state="hidden")
    await window.gone("tab", "Remember a fact")

    assert "inserted" == answer["status"]
