"""A wish of any process is put to the person where the person is, and the first answer counts."""

import asyncio
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from keepgate.protocol.errors import Fault
from keepgate_client.testing import ScriptedApprover

ALLOW = "Allow once"
REJECT = "Reject"
PROMPT = "window/showMessageRequest"
CLOSE = "$/cancelRequest"


async def rows(house: Any, *actions: str) -> list[Any]:
    """The ledger's rows of these actions, oldest first; the ledger proves the store."""
    person = await house.person()
    assert (await person.verify()).ok
    found = (await person.audit(limit=500)).rows
    return [row for row in reversed(found) if row.action in actions]


async def test_the_window_where_the_person_is(house: Any) -> None:
    """The wish of an agent is put in the window that was active last; the others only hear of it."""
    one, other = await house.editor("one", [ALLOW]), await house.editor("other")
    await one.active()
    assert {"reachable": True} == await one.request("session/active")
    agent = await house.agent()

    answer = await agent.answer(agent.remember("The sky is blue."))
    heard = await other.wait_for_notification("approval/decided")
    (row,) = await rows(house, "remember")

    assert ("inserted", 1, 0) == (answer["status"], len(one.prompts), len(other.prompts))
    assert "The sky is blue." in other.notifications("approval/asked")[0]["text"]
    assert ("allowed-once", "one", "lsp") == (heard["outcome"], heard["by"]["client"], heard["by"]["channel"])
    assert "allowed-once (via approval, writePolicy ask)" == row.outcome
    assert ("one", "lsp") == (row.by["client"], row.by["channel"])


async def test_activity_moves_the_person(house: Any) -> None:
    """Each question goes where the person said last to be."""
    one, other = await house.editor("one", [ALLOW]), await house.editor("other", [ALLOW])
    agent = await house.agent()

    await one.request("session/active")
    await agent.answer(agent.remember("First."))
    await other.request("session/active")
    await agent.answer(agent.remember("Second."))

    assert "First." in one.prompts[0]["message"]
    assert "Second." in other.prompts[0]["message"]


async def test_a_decision_in_the_other_window(house: Any, held: Any) -> None:
    """It counts; the open prompt is withdrawn, and its late answer changes nothing."""
    late = held()
    one, other = await house.editor("one", late), await house.editor("other", approver=ScriptedApprover())
    await one.request("session/active")
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    await one.wait_for_prompts(1)
    (proposal,) = (await other.request("proposals/list", {"status": "pending"}))["proposals"]

    await other.request("proposals/approve", {"id": proposal["id"], "hash": proposal["hash"]})
    answer = await agent.answer(call)
    await one.wait_for_notification(CLOSE)
    late.say(REJECT)
    (row,) = await rows(house, "remember", "remember-denied")

    assert ("inserted", "other") == (answer["status"], row.by["client"])


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped as POSIX does")
@pytest.mark.parametrize("end", ["SIGKILL", "SIGSTOP"])
async def test_a_window_that_falls_silent(house: Any, held: Any, end: str) -> None:
    """Its question goes on to the next window; what it may say later changes nothing."""
    late = held()
    other, one = await house.editor("other", [ALLOW]), await house.editor("one", late)
    await one.request("session/active")
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    await one.wait_for_prompts(1)

    if end == "SIGKILL":
        one.kill()
    else:
        os.kill(one.pid, signal.SIGSTOP)
    await other.wait_for_prompts(1)
    answer = await agent.answer(call)
    if end == "SIGSTOP":
        os.kill(one.pid, signal.SIGCONT)
        late.say(REJECT)
        await one.wait_for_notification("approval/decided")
    (row,) = await rows(house, "remember", "remember-denied")

    assert ("inserted", "other") == (answer["status"], row.by["client"])


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped as POSIX does")
async def test_a_window_that_is_stopped_before_it_asks(house: Any) -> None:
    """A stopped process counts as silent even when it never showed anything."""
    other, one = await house.editor("other", [ALLOW]), await house.editor("one")
    await one.request("session/active")
    agent = await house.agent()
    os.kill(one.pid, signal.SIGSTOP)

    answer = await agent.answer(agent.remember("The sky is blue."))

    assert ("inserted", 1) == (answer["status"], len(other.prompts))


@pytest.mark.parametrize("acknowledge", [True, False], ids=["shown", "not shown"])
async def test_a_question_that_is_not_acknowledged(house: Any, held: Any, acknowledge: bool) -> None:
    """A client of structured questions says that one is shown, or the next window is offered it as well."""
    person = held()
    other = await house.editor("other", [ALLOW] if not acknowledge else [])
    one = await house.editor("one", approver=person, acknowledge=acknowledge)
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    asked = await one.wait_for_request("approval/request")

    if acknowledge:
        # Longer than anybody's patience, then the answer.
        await one.request("memory/status")
        await asyncio.sleep(2.5)
        person.say({"outcome": "allowed-once", "hash": asked.params["hash"]})
    answer = await agent.answer(call)

    assert ("inserted", 0 if acknowledge else 1) == (answer["status"], len(other.prompts))


async def test_the_caller_dies(house: Any, held: Any) -> None:
    """The wish stays, the question stays open, and a yes stores it."""
    person = held()
    one = await house.editor("one", person)
    agent = await house.agent()
    agent.remember("The sky is blue.")
    await one.wait_for_prompts(1)

    agent.kill()
    await agent.connection.process.wait(30)
    pending = (await one.request("proposals/list", {"status": "pending"}))["proposals"]
    person.say(ALLOW)
    await one.wait_for_notification("facts/didChange")
    (row,) = await rows(house, "remember")

    assert ([row.proposal_id], "one") == ([each["id"] for each in pending], row.by["client"])


async def test_the_caller_stops_waiting(house: Any, held: Any) -> None:
    """After its deadline it is told that the wish waits; a later yes at the open prompt stores it."""
    house.settings("approvalTimeoutSeconds = 1\n")
    person = held()
    one = await house.editor("one", person)
    agent = await house.agent()

    answer = await agent.answer(agent.remember("The sky is blue."))
    person.say(ALLOW)
    await one.wait_for_notification("facts/didChange")
    denied, stored = await rows(house, "remember", "remember-denied")

    assert "unavailable" in str(answer)
    assert ("remember-denied", "remember") == (denied.action, stored.action)
    assert denied.proposal_id == stored.proposal_id


async def test_a_question_that_nobody_awaits_gives_way(house: Any, held: Any) -> None:
    """One whose caller has gone does not stand before one whose caller waits."""
    house.settings("approvalTimeoutSeconds = 1\n")
    stuck = held()
    one = await house.editor("one", lambda shown: stuck(shown) if "First" in shown["message"] else ALLOW)
    agent = await house.agent()
    await agent.answer(agent.remember("First."))
    house.settings("")
    patient = await house.agent()

    answer = await patient.answer(patient.remember("Second."))

    assert ("inserted", 2) == (answer["status"], len(one.prompts))
    stuck.say(None)


async def test_the_caller_takes_it_back(house: Any, held: Any) -> None:
    """Cancelling the call closes the prompt and the wish."""
    person = held()
    one = await house.editor("one", person)
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    await one.wait_for_prompts(1)

    await agent.connection.notify("notifications/cancelled", {"requestId": call.id})
    await one.wait_for_notification(CLOSE)
    decided = await one.wait_for_notification("approval/decided")
    (row,) = await rows(house, "remember", "remember-denied")

    assert ("cancelled", "remember-denied") == (decided["outcome"], row.action)
    person.say(ALLOW)


async def test_an_editor_that_opens_while_the_caller_waits(house: Any) -> None:
    """It is asked as soon as it is there."""
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    await asyncio.sleep(0)

    one = await house.editor("one", [ALLOW])

    assert ("inserted", 1) == ((await agent.answer(call))["status"], len(one.prompts))


async def test_a_command_without_a_terminal(house: Any) -> None:
    """It waits where another process reaches the person, and answers at once where none does."""

    async def add(text: str) -> Any:
        command = [sys.executable, "-m", "keepgate", "--workspace", str(house.project), "add", text]
        env = {key: value for key, value in {**os.environ, **house.env}.items() if value is not None}
        return await asyncio.to_thread(
            subprocess.run, command, env=env, capture_output=True, check=False, start_new_session=True
        )

    alone = await add("Nobody is there.")
    one = await house.editor("one", [ALLOW])
    asked = await add("The sky is blue.")

    assert (3, 0) == (alone.returncode, asked.returncode)
    assert ["The sky is blue." in each["message"] for each in one.prompts] == [True]


async def test_another_editor_whose_client_cannot_ask(house: Any) -> None:
    """A client that knows no prompts has its wishes put in another window."""
    mute = await house.editor("mute", [RuntimeError("no such method")])
    one = await house.editor("one", [ALLOW])
    wish = {"session": {"id": "s1"}, "track": "user", "scope": "workspace", "text": "Use tabs."}

    added = await mute.request("memory/add", wish)

    assert ("Use tabs.", 1, 1) == (added["entry"]["text"], len(mute.prompts), len(one.prompts))


async def test_both_windows_answer_at_once(house: Any) -> None:
    """A yes and a no race: exactly one of them counts, and the caller hears that one."""
    one = await house.editor("one", approver=ScriptedApprover(), acknowledge=False)
    other = await house.editor("other", approver=ScriptedApprover(), acknowledge=False)
    for editor in (one, other):
        editor.on_request("approval/request", _never)
    agent = await house.agent()
    call = agent.remember("The sky is blue.")
    asked = await one.wait_for_notification("approval/asked")

    told = await asyncio.gather(
        one.request("proposals/approve", {"id": asked["id"], "hash": asked["hash"]}),
        other.request("proposals/dismiss", {"id": asked["id"]}),
        return_exceptions=True,
    )
    answer = await agent.answer(call)
    (row,) = await rows(house, "remember", "remember-denied")
    (late,) = [each for each in told if isinstance(each, Fault)]

    assert "PROPOSAL_NOT_FOUND" == late.code
    assert ("inserted" == answer.get("status")) == (row.action == "remember")


async def _never(_: Any) -> Any:
    await asyncio.Event().wait()


class TestElicitation:
    """The agent's own client is asked when no window is there."""

    def form(self, answer: str) -> Any:
        return lambda _: {"action": "accept", "content": {"decision": answer}}

    async def test_no_window(self, house: Any) -> None:
        """Nobody else is there."""
        agent = await house.agent(self.form(ALLOW))

        answer = await agent.answer(agent.remember("The sky is blue."))

        assert ("inserted", 1) == (answer["status"], len(agent.asked))

    async def test_a_window(self, house: Any) -> None:
        """The window comes first, and its no is the answer."""
        one = await house.editor("one", [REJECT])
        agent = await house.agent(self.form(ALLOW))

        answer = await agent.answer(agent.remember("The sky is blue."))

        assert ("scope_denied", 1, 0) == (answer["error"], len(one.prompts), len(agent.asked))

    async def test_a_window_that_dies(self, house: Any, held: Any) -> None:
        """Then the agent's client is asked after all; its refusal is a denial."""
        one = await house.editor("one", held())
        agent = await house.agent(lambda _: {"action": "decline"})
        call = agent.remember("The sky is blue.")
        await one.wait_for_prompts(1)

        one.kill()
        answer = await agent.answer(call)
        (row,) = await rows(house, "remember-denied")

        assert ("scope_denied", 1, "mcp") == (answer["error"], len(agent.asked), row.by["channel"])


async def test_a_burst_is_one_prompt_and_a_queue(house: Any, held: Any) -> None:
    """Many wishes of one session open one prompt; those behind it are listed in the next."""
    people = [held() for _ in range(4)]
    one = await house.editor("one", people)
    agent = await house.agent()
    calls = [agent.remember(f"Fact number {number}.") for number in range(4)]
    for _ in range(4):
        await one.wait_for_notification("approval/asked")
    await one.wait_for_prompts(1)
    pending = (await one.request("proposals/list", {"status": "pending"}))["proposals"]

    first = len(one.prompts)
    people[0].say(ALLOW)
    second = (await one.wait_for_prompts(2))[1]["message"]
    for person in people[1:]:
        person.say(ALLOW)
    answers = [await agent.answer(call) for call in calls]

    assert (4, 1) == (len(pending), first)
    assert "2 more of this session will be asked after it:" in second
    assert ["inserted"] * 4 == [answer["status"] for answer in answers]


async def test_a_burst_is_decided_in_one_look(house: Any, held: Any) -> None:
    """A client of structured questions decides all it was shown; each is committed with its own hash."""
    person = held()
    one = await house.editor("one", approver=person)
    agent = await house.agent()
    calls = [agent.remember(f"Fact number {number}.") for number in range(3)]
    events = [
        await one.wait_for_notification("approval/asked", lambda each, n=n: f"number {n}." in each["text"])
        for n in range(3)
    ]
    choices = [{"id": each["id"], "hash": each["hash"]} for each in events]
    choices[2]["hash"] = "0" * 64

    results = (await one.request("proposals/approve", {"ids": choices}))["results"]
    answers = [await agent.answer(call) for call in calls[:2]]
    closed = (await one.request("proposals/dismiss", {"ids": [choice(events[2])]}))["results"]
    last = await agent.answer(calls[2])
    stored = await rows(house, "remember")

    assert ["approved", "approved", None] == [(each["proposal"] or {}).get("status") for each in results]
    assert "WRITE_DENIED" == results[2]["error"]["code"]
    assert ["dismissed"] == [each["proposal"]["status"] for each in closed]
    assert (["inserted"] * 2, "scope_denied") == ([each["status"] for each in answers], last["error"])
    assert {each["id"] for each in events[:2]} == {row.proposal_id for row in stored}


def choice(event: Any) -> Any:
    return {"id": event["id"], "hash": event["hash"]}


async def test_leave_for_the_session(house: Any) -> None:
    """Given in a window, it holds for the agent's session in the agent's own process."""
    one = await house.editor("one", ["Allow for this session"])
    agent = await house.agent()

    first = await agent.answer(agent.remember("The sky is blue."))
    second = await agent.answer(agent.remember("Water is wet."))
    asked, granted = await rows(house, "remember")

    assert (["inserted"] * 2, 1) == ([each["status"] for each in (first, second)], len(one.prompts))
    assert (True, "one") == (asked.by["forSession"], asked.by["client"])
    assert "allowed-once (via session grant, writePolicy ask)" == granted.outcome


async def test_nothing_is_brought_up_that_nobody_waits_for(house: Any) -> None:
    """What lies in the inbox disturbs nobody, and an idle window opens no prompt."""
    one, other = await house.editor("one"), await house.editor("other")
    wish = {"action": "add", "track": "user", "scope": "workspace", "text": "Use tabs."}

    await other.request("proposals/create", {"session": {"id": "s1"}, "change": wish})
    await one.wait_for_notification("proposals/didChange")

    assert [] == one.prompts == other.prompts
