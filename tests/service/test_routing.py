"""Questions of another sidecar over the same store, put to the person who is at this one."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from keepgate.protocol.errors import Code

UW = {"track": "user", "scope": "workspace"}


@pytest.fixture
async def elsewhere(house: Any, build: Any) -> Any:
    """Another process's view of the same store, where agents speak."""
    await house.sidecar.listen()
    other = await build()
    await other.sidecar.start()
    return other


@pytest.fixture
async def window(house: Any, elsewhere: Any, people: Any) -> Any:
    """Makes a window of the first sidecar; what its person says is laid out."""

    async def make(*script: Any, acknowledges: bool = False, **given: Any) -> Any:
        client = house.client("window", person=people(list(script)), **given)
        house.sidecar.make_reachable(client.connection, acknowledges=acknowledges)
        await house.sidecar.start()
        return client

    return make


def agent(elsewhere: Any, people: Any, *script: Any) -> Any:
    """A client that is asked after the windows; by itself it says no."""
    return elsewhere.client("agent", person=people(list(script), always="rejected"), remote=True)


async def until(holds: Callable[[], Any]) -> None:
    """Look until it holds."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - files and other tasks tell nobody
            await asyncio.sleep(0.01)


async def test_the_window_decides(elsewhere: Any, window: Any, people: Any) -> None:
    """The agent's own client is not asked; the row names the window, and the question who asks."""
    here = await window()
    caller = agent(elsewhere, people)

    entry = await caller.add("one")
    (asked,) = here.person.questions
    (row,) = await here.rows("add")

    assert ([], "tester") == (caller.person.questions, asked.client["client"])
    assert (entry["id"], here.connection.asker.connection_id) == (row["entryId"], row["by"]["connection"])


@pytest.mark.parametrize(("word", "outcome"), [("rejected", "rejected"), ("other-hash", "cancelled")])
async def test_anything_but_an_allow_denies(
    elsewhere: Any, window: Any, people: Any, word: str, outcome: str
) -> None:
    """As it would at the caller's own client; a no that names another hash is no answer to this question."""
    await window(word)

    fault = await agent(elsewhere, people).fault("memory/add", **UW, text="one")

    assert (Code.WRITE_DENIED, outcome) == (fault.code, fault.details["outcome"])


async def test_a_window_that_cannot_ask(elsewhere: Any, window: Any, people: Any) -> None:
    """The question goes back to the caller's own client, and is closed once."""
    await window("nobody")
    caller = agent(elsewhere, people, "allowed-once")

    await caller.add("one")

    assert 1 == len(caller.person.questions)
    assert ["add"] == [row["action"] for row in await elsewhere.client().rows()]


async def test_a_change_that_drifts_is_asked_again(elsewhere: Any, window: Any, people: Any) -> None:
    """What was shown is what is written, in whichever process it was shown."""
    caller = elsewhere.client("agent")
    entry = await caller.add("one")

    async def change_it(_: Any) -> str:
        await caller.call("memory/replace", **UW, match="one", text="two")
        return "allowed-once"

    here = await window(change_it)
    await agent(elsewhere, people).call("memory/remove", track="user", scope="workspace", id=entry["id"])

    assert ["one", "two"] == [question.targets[0].text for question in here.person.questions]
    assert [] == await caller.texts()


async def test_a_change_that_drifts_for_ever(elsewhere: Any, window: Any, people: Any) -> None:
    """It is given up as it is at the caller's own client."""
    caller = elsewhere.client("agent")
    entry = await caller.add("text 0")

    async def change_it(question: Any) -> str:
        now = question.targets[0].text
        await caller.call("memory/replace", **UW, match=now, text=f"text {int(now[5:]) + 1}")
        return "allowed-once"

    here = await window(*[change_it] * 4)
    fault = await agent(elsewhere, people).fault("memory/remove", **UW, id=entry["id"])

    assert (4, "cancelled") == (len(here.person.questions), fault.details["outcome"])


async def test_a_change_that_can_no_longer_be_made(elsewhere: Any, window: Any, people: Any) -> None:
    """A yes to it refuses it, and its caller hears so."""
    caller = elsewhere.client("agent")
    entry = await caller.add("one")

    async def remove_it(_: Any) -> str:
        await caller.call("memory/remove", **UW, match="one")
        return "allowed-once"

    await window(remove_it)
    fault = await agent(elsewhere, people).fault("memory/remove", **UW, id=entry["id"])

    assert Code.WRITE_DENIED == fault.code
    assert 1 == len(await caller.rows("remove-refused"))


async def test_one_question_at_a_time_and_its_queue(elsewhere: Any, window: Any, people: Any) -> None:
    """Those of the same session are listed in the open one; another session's are not."""
    opened = asyncio.Event()

    async def wait(_: Any) -> str:
        await opened.wait()
        return "allowed-once"

    here = await window(wait)
    first, other = agent(elsewhere, people), elsewhere.client("other", person=people(), remote=True)
    wishes = [asyncio.ensure_future(first.add("one"))]
    await here.person.asked.wait()
    for caller, text in ((first, "two"), (first, "three " * 40), (other, "four")):
        wishes += [asyncio.ensure_future(caller.add(text))]
    await until(lambda: len(here.connection.asker.prompts._questions) == 4)
    opened.set()
    await asyncio.gather(*wishes)

    queues = {question.text: question.queue for question in here.person.questions}
    assert [] == queues["one"] == queues["four"]
    (behind,) = queues["two"] or queues[("three " * 40).strip()]
    assert ("add", 64) == (behind.action, len(behind.hash))
    assert len(behind.text) <= 121


async def test_a_question_that_nobody_awaits_gives_way(house: Any, build: Any, people: Any) -> None:
    """It is open until one that is awaited queues behind it; then it lies in the inbox."""
    await house.sidecar.listen()
    here = house.client("window", person=people(["waits"]))
    house.sidecar.make_reachable(here.connection, acknowledges=False)
    await house.sidecar.start()
    hasty, elsewhere = await build(approval_timeout_seconds=1), await build()
    await elsewhere.sidecar.start()

    fault = await agent(hasty, people).fault("memory/add", **UW, text="one")
    stays = here.connection.asker.prompts._open
    await agent(elsewhere, people).add("two")

    assert (Code.WRITE_DENIED, fault.details["proposalId"]) == (fault.code, stays)
    (left,) = (await here.call("proposals/list", status="pending"))["proposals"]
    assert (stays, ["one", "two"]) == (left["id"], [each.text for each in here.person.questions])


async def test_another_workspace_is_no_window(house: Any, elsewhere: Any, window: Any, people: Any) -> None:
    """Until its folder is opened there."""
    here = await window(folders=("other",))
    caller = agent(elsewhere, people, "allowed-once")
    await caller.add("one")
    assert (1, 0) == (len(caller.person.questions), len(here.person.questions))

    project = str(house.folder / "project")
    house.sidecar.change_folders(here.connection, added=[project], removed=[])
    await until(lambda: elsewhere.sidecar.store.reach.reachable({house.key()}))
    await caller.add("two")

    assert (1, 1) == (len(caller.person.questions), len(here.person.questions))


async def test_a_window_that_closes(house: Any, elsewhere: Any, window: Any, people: Any) -> None:
    """Its question goes back to the caller's client."""
    here = await window("waits")
    caller = agent(elsewhere, people, "allowed-once")
    adding = asyncio.ensure_future(caller.add("one"))
    await here.person.asked.wait()

    await house.sidecar.disconnect(here.connection)
    await adding

    assert 1 == len(caller.person.questions)


class TestActive:
    """``session/active`` and ``approval/shown``."""

    async def test_a_window(self, window: Any, elsewhere: Any, house: Any) -> None:
        """A client that can be asked is preferred from then on."""
        here = await window()

        assert {"reachable": True} == await here.call("session/active")
        assert [house.sidecar.store.reach.token] == elsewhere.sidecar.store.reach.reachable({house.key()})

    async def test_no_window(self, house: Any) -> None:
        """One that announced nothing changes nothing."""
        assert {"reachable": False} == await house.client().call("session/active")

    async def test_a_question_that_is_open(
        self, window: Any, elsewhere: Any, people: Any, house: Any
    ) -> None:
        """It holds the question once it says so, and not before; other ids are none of its questions."""
        reach = house.sidecar.store.reach
        marks: list[Any] = []

        async def say_so(question: Any) -> str:
            marks.append(reach.silent_s(question.id, reach.token))
            marks.append(await here.call("approval/shown", id=question.id))
            marks.append(reach.silent_s(question.id, reach.token) is not None)
            return "allowed-once"

        here = await window(say_so, acknowledges=True)
        await agent(elsewhere, people).add("one")

        assert [None, {"open": True}, True] == marks
        assert {"open": False} == await here.call("approval/shown", id="another")


class TestSeveralAtOnce:
    """``ids``: one look, as many decisions."""

    async def wishes(self, client: Any, *texts: str) -> list[dict[str, str]]:
        made = [
            (await client.call("proposals/create", change={"action": "add", **UW, "text": text}))["proposal"]
            for text in texts
        ]
        return [{"id": each["id"], "hash": each["hash"]} for each in made]

    async def test_approve(self, client: Any) -> None:
        """Each is stored by its own hash; what is wrong with one is no obstacle to the next."""
        one, two, three = await self.wishes(client, "one", "two", "three")
        unknown = {"id": "unknown", "hash": one["hash"]}

        answer = await client.call("proposals/approve", ids=[one, unknown, {**two, "hash": "0" * 64}, three])

        words = [(each["error"] or {}).get("code", "approved") for each in answer["results"]]
        assert ["approved", "PROPOSAL_NOT_FOUND", "WRITE_DENIED", "approved"] == words
        assert (None, []) == (answer["proposal"], answer["seqs"])
        rows = await client.rows("add")
        assert [[row["seq"]] for row in rows] == [answer["results"][0]["seqs"], answer["results"][3]["seqs"]]
        assert ["one", "three"] == sorted(await client.texts())

    async def test_dismiss(self, client: Any) -> None:
        """Each is closed, with the one reason."""
        choices = await self.wishes(client, "one", "two")

        results = (await client.call("proposals/dismiss", ids=choices, reason="not true"))["results"]

        assert ["dismissed"] * 2 == [each["proposal"]["status"] for each in results]
        assert [] == await client.texts()

    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("proposals/approve", {}),
            ("proposals/approve", {"id": "x"}),
            ("proposals/approve", {"id": "x", "ids": []}),
            ("proposals/approve", {"ids": [{"id": "x", "hash": "h"}] * 2}),
            ("proposals/approve", {"ids": [{"id": str(number), "hash": "h"} for number in range(201)]}),
            ("proposals/dismiss", {}),
            ("proposals/dismiss", {"id": "x", "ids": []}),
        ],
    )
    async def test_what_makes_no_sense(self, client: Any, method: str, params: Any) -> None:
        """One, or several, each once, not too many."""
        assert Code.INVALID_INPUT == (await client.fault(method, **params)).code

    async def test_only_who_may_decide(self, house: Any, client: Any) -> None:
        """Several are no way around it."""
        choices = await self.wishes(client, "one")
        stranger = house.client(may_decide=False)

        fault = await stranger.fault("proposals/approve", ids=choices)

        assert "not-an-approver" == fault.details["reason"]
