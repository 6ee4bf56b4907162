"""What a window is told of the questions of other processes: each with its end, once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from keepgate.gate.approvers import NobodyThere
from keepgate.store.backup import backup, restore

UW = {"track": "user", "scope": "workspace"}


@pytest.fixture
async def elsewhere(house: Any, build: Any) -> Any:
    """Another process's view of the same store."""
    await house.sidecar.listen()
    return await build()


async def test_a_quick_answer_is_told_as_question_and_decision(house: Any, elsewhere: Any) -> None:
    """DSH-6-pair: also to a window that hears of both at once."""
    witness = house.client()
    await elsewhere.client().add("one")

    await house.sidecar.start()
    await witness.hears("memory/added")
    (decided,) = await witness.hears("approval/decided")
    (asked,) = witness.told("approval/asked")

    assert (asked.id, "one", "allowed-once") == (decided.id, asked.text, decided.outcome)
    assert "approval/asked" == next(name for name, _ in witness.notes if name.startswith("approval/"))


async def test_a_question_that_was_given_up_is_told_as_unavailable(
    house: Any, elsewhere: Any, people: Any
) -> None:
    """A window that showed the question takes it away when nobody could be reached."""
    await house.sidecar.start()
    witness = house.client()

    async def once_it_is_told(_: Any) -> Any:
        await witness.hears("approval/asked")
        return NobodyThere("nobody is there")

    await elsewhere.client(person=people([once_it_is_told])).fault("memory/add", **UW, text="one")
    (decided,) = await witness.hears("approval/decided")

    assert (witness.told("approval/asked")[0].id, "unavailable", None) == (
        decided.id, decided.outcome, decided.by
    )  # fmt: skip


async def test_a_wish_for_the_inbox_is_no_question(house: Any, elsewhere: Any) -> None:
    """Nobody is asked, so nothing is announced but the change of the inbox."""
    await house.sidecar.start()
    witness = house.client()
    await elsewhere.client().call("proposals/create", change={"action": "add", **UW, "text": "one"})
    await elsewhere.client().add("two")

    await witness.hears("approval/decided")

    assert ["two"] == [event.text for event in witness.told("approval/asked")]


async def test_a_restored_store_is_told(house: Any, elsewhere: Any, tmp_path: Path) -> None:
    """Every window learns that what it read before may be gone."""
    await house.sidecar.start()
    witness = house.client()
    copy = str(tmp_path / "copy.db")
    await backup(elsewhere.sidecar.store, copy)

    await restore(elsewhere.sidecar.store, copy)
    (status,) = await witness.hears("keepgate/status")

    assert ("ok", True) == (status.health, "backup was put back" in status.message)


async def test_a_decision_by_another_process_ends_the_wait(house: Any, elsewhere: Any, people: Any) -> None:
    """Its caller gets the answer, and both windows are told once."""
    await house.sidecar.start()
    asker, decider = house.client(person=people(["waits"])), elsewhere.client()
    waiting = asyncio.create_task(asker.add("one"))
    await asker.person.asked.wait()
    (wish,) = (await decider.call("proposals/list"))["proposals"]

    await decider.call("proposals/approve", id=wish["id"], hash=wish["hash"])

    assert "one" == (await waiting)["text"]
    assert ["allowed-once"] == [event.outcome for event in await asker.hears("approval/decided")]
