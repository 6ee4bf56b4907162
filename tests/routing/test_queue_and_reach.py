"""A burst shows in the open prompt; what is user-global finds a window without a folder."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from keepgate_client.testing import FakeEditor
from keepgate_client.testing.editor import RICH

ALLOW = "Allow once"
GLOBAL = {"action": "add", "track": "user", "scope": "user-global", "text": "Prefers short answers."}

Spawn = Callable[..., Any]


@pytest.fixture
async def elsewhere(house: Any, look: Any) -> AsyncIterator[Spawn]:
    """Start editors without a folder, each reachable when it is there."""
    async with AsyncExitStack() as stack:

        async def spawn(*folders: Any, **options: Any) -> FakeEditor:
            before = house.reachable()
            spawning = FakeEditor.spawn(*folders, env=house.env, **options)
            editor: FakeEditor = await stack.enter_async_context(spawning)
            editor.tolerate_unanswered = True
            await look(lambda: house.reachable() > before)
            return editor

        yield spawn


def wish(agent: Any, arguments: dict[str, Any]) -> Any:
    """Begin a call of the tool ``memory``."""
    return agent.connection.begin("tools/call", {"name": "memory", "arguments": arguments})


async def test_an_open_prompt_shows_the_burst_growing_and_shrinking(house: Any, held: Any) -> None:
    """A client of structured questions is told of each wish that joins the queue, and of one that leaves."""
    person = held()
    one = await house.editor("one", approver=person)
    agent = await house.agent()
    calls = [agent.remember("Fact number 0.")]
    opened = await one.wait_for_request("approval/request")
    for number in (1, 2):
        calls.append(agent.remember(f"Fact number {number}."))
        grown = await one.wait_for_notification(
            "approval/queued", lambda each, count=number: len(each["waiting"]) == count
        )
    waiting = grown["waiting"]
    await one.request("proposals/dismiss", {"id": waiting[0]["id"]})
    shrunk = await one.wait_for_notification(
        "approval/queued", lambda each: [item["id"] for item in each["waiting"]] == [waiting[1]["id"]]
    )

    assert opened.params["id"] == grown["id"] == shrunk["id"]
    assert ["number 1." in waiting[0]["text"], "number 2." in waiting[1]["text"]] == [True, True]
    assert ["remember"] * 2 == [item["action"] for item in waiting]
    assert [] == opened.params["queue"]
    assert "scope_denied" == (await agent.answer(calls[1]))["error"]


async def test_another_sessions_wishes_are_not_of_the_burst(house: Any, held: Any) -> None:
    """They wait as well, and are asked in their turn; the open prompt does not list them."""
    one = await house.editor("one", approver=held())
    agent, other = await house.agent(), await house.agent()
    agent.remember("The first.")
    await one.wait_for_request("approval/request")
    other.remember("Of another session.")
    await one.wait_for_notification("approval/asked", lambda each: "another" in each["text"])
    agent.remember("The second.")

    told = await one.wait_for_notification("approval/queued")

    assert ["The second." in item["text"] for item in told["waiting"]] == [True]


@pytest.mark.parametrize("folders", [0, 1])
async def test_a_window_without_the_workspace_is_asked_about_what_is_for_all(
    house: Any, elsewhere: Spawn, tmp_path: Any, folders: int
) -> None:
    """Without any folder, or with another one: a user-global wish of an agent finds the person there."""
    other = tmp_path / "other"
    other.mkdir()
    editor = await elsewhere(*([other] * folders), answers=[ALLOW])
    agent = await house.agent()

    result = json.loads((await wish(agent, GLOBAL).answer)["result"]["content"][0]["text"])

    assert "Prefers short answers." == result["entry"]["text"]
    (prompt,) = editor.prompts
    assert "Prefers short answers." in prompt["message"]


async def test_the_workspaces_own_window_comes_first(house: Any, elsewhere: Spawn) -> None:
    """Also when a window without a folder is the one that was used last."""
    mine = await house.editor("mine", [ALLOW])
    editor = await elsewhere(answers=[ALLOW])
    await editor.request("session/active", {})
    agent = await house.agent()

    await wish(agent, GLOBAL).answer

    assert (1, 0) == (len(mine.prompts), len(editor.prompts))


async def test_what_is_of_a_workspace_stays_there(house: Any, elsewhere: Spawn) -> None:
    """A window without a folder is not asked about it: the agent's own client is."""
    editor = await elsewhere(capabilities=RICH, approver=lambda _: None)
    agent = await house.agent(on_form=lambda _: {"action": "decline"})

    answer = await agent.answer(agent.remember("Of the project."))

    assert "scope_denied" == answer["error"]
    assert 1 == len(agent.asked)
    assert [] == editor.transcript.requests("approval/request")
