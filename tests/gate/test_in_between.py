"""What comes between: a caller that goes, a store that is locked, another decision, at the worst moment."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Unreachable
from keepgate.core.writing.page_change import PutPage
from keepgate.gate.asking import Decisions, decider
from keepgate.gate.receipt import Late, Refused
from keepgate.gate.relaying import relay
from keepgate.protocol.errors import Code, Fault
from keepgate.store.connection import Connection, Patience, connect

LAYER = {"track": "user", "scope": "workspace"}
ADD = {**LAYER, "text": "prefers tabs"}
WAIT_S = 90.0


@pytest.fixture
def lock(house: Any) -> Iterator[Connection]:
    """Another process's connection to the store, which may take its write lock."""
    db = connect(house.sidecar.store.path, Patience())
    yield db
    db.close()


async def until_it_waits(house: Any) -> None:
    """Until the house's writer has found the store locked."""
    async with asyncio.timeout(WAIT_S):
        while house.sidecar.store.canonical._patience.waited_ms == 0:  # noqa: ASYNC110 - a lock sets no event
            await asyncio.sleep(0.005)


@contextmanager
def impatient(house: Any) -> Iterator[None]:
    """The house waits for a lock for a moment only."""
    patience = house.sidecar.store.canonical._patience
    usual, patience.limit_ms = patience.limit_ms, 30
    yield
    patience.limit_ms = usual


async def proposals(house: Any, connection: Any) -> list[str]:
    """What became of every wish, in order of their ids."""
    found = (await house.call(connection, "proposals/list", session=None))["proposals"]
    return [item["status"] for item in found]


async def test_a_caller_that_goes_before_its_wish_is_stored_is_asked_nothing(
    house: Any, person: Any, lock: Connection
) -> None:
    """The wish is stored and closed as cancelled; no question comes up that nobody waits for."""
    connection = house.connect(person)
    lock.execute("BEGIN IMMEDIATE")
    call = asyncio.create_task(house.call(connection, "memory/add", **ADD))
    await until_it_waits(house)
    call.cancel()
    lock.execute("ROLLBACK")
    with pytest.raises(asyncio.CancelledError):
        await call

    (row,) = await house.rows(connection)
    assert ("add-denied", "cancelled (via approval, writePolicy ask)") == (row["action"], row["outcome"])
    assert (["dismissed"], []) == (await proposals(house, connection), person.questions)


async def test_a_caller_that_goes_while_a_stale_yes_is_looked_at_is_not_asked_again(
    house: Any, person: Any, lock: Connection
) -> None:
    """The target has changed, so the yes stores nothing; the second question has nobody to wait for it."""
    other = house.connect(type(person)(script=["allowed-once"] * 2), session="s2")
    await house.call(other, "memory/add", **ADD)

    async def meanwhile(_: Any) -> str:
        await house.call(other, "memory/replace", **LAYER, match="tabs", text="prefers tabs, 4 wide")
        house.sidecar.store.canonical._patience.waited_ms = 0
        lock.execute("BEGIN IMMEDIATE")
        return "allowed-once"

    person.script = [meanwhile]
    connection = house.connect(person)
    call = asyncio.create_task(house.call(connection, "memory/remove", **LAYER, match="tabs"))
    await person.seen.wait()
    await until_it_waits(house)
    call.cancel()
    lock.execute("ROLLBACK")
    with pytest.raises(asyncio.CancelledError):
        await call

    assert 1 == len(person.questions)
    (row,) = await house.rows(connection, "remove-denied")
    assert row["outcome"].startswith("cancelled")
    assert 1 == (await house.call(connection, "memory/query"))["total"]


async def test_a_no_that_the_store_could_not_take_leaves_the_wish_to_the_inbox(
    house: Any, person: Any, lock: Connection
) -> None:
    """The caller hears of the store; the next sweep notes that nobody waits, and clients hear it."""

    async def locked(_: Any) -> str:
        lock.execute("BEGIN IMMEDIATE")
        return "rejected"

    person.script = [locked]
    connection = house.connect(person)
    with impatient(house), pytest.raises(Fault) as raised:
        await house.call(connection, "memory/add", **ADD)
    lock.execute("ROLLBACK")
    before = connection.peer.of("approval/decided")
    await house.sidecar.gate.sweep()

    assert (Code.STORE_BUSY, []) == (raised.value.code, before)
    (told,) = connection.peer.of("approval/decided")
    assert "unavailable" == told.outcome
    (row,) = await house.rows(connection)
    assert ("add-denied", True) == (row["action"], row["outcome"].startswith("unavailable"))
    assert ["pending"] == await proposals(house, connection)


async def test_a_wish_of_a_process_that_is_gone_is_noted_and_not_announced_as_ones_own(
    house: Any, person: Any
) -> None:
    """Whoever sweeps tells the ledger; its clients hear through the feed."""
    other = await house.reopen()
    call = asyncio.create_task(other.call(other.connect(person), "memory/add", **ADD))
    await person.seen.wait()
    other.sidecar.store.presence.release()
    connection = house.connect(session="s2")

    await house.sidecar.gate.sweep()

    (row,) = await house.rows(connection, "add-denied")
    assert row["outcome"].startswith("unavailable")
    assert ["pending"] == await proposals(house, connection)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await other.sidecar.close()


async def waiting(house: Any, connection: Any) -> Any:
    """A wish in the inbox."""
    change = {"action": "add", **ADD}
    made = (await house.call(connection, "proposals/create", change=change))["proposal"]
    return await house.sidecar.gate.stored(made["id"])


async def test_nobody_there_for_a_wish_that_is_decided_changes_nothing(house: Any, person: Any) -> None:
    """Its decision stands, and no client hears of another one."""
    connection = house.connect(person, may_decide=True)
    gate, stored = house.sidecar.gate, await waiting(house, connection)
    ask, by = await gate.ask_now(stored), decider(connection.asker, via="approval")
    nobody = Unreachable(by=by, reason="nobody is there")

    left = await gate.conclude(stored, ask, nobody)
    await house.call(connection, "proposals/dismiss", id=stored.id)
    heard = len(connection.peer.of("approval/decided"))
    late = await gate.conclude(stored, ask, nobody)

    assert (Refused, Late) == (type(left), type(late))
    assert heard == len(connection.peer.of("approval/decided"))
    assert ["dismissed"] == await proposals(house, connection)
    assert 2 == len(await house.rows(connection, "add-denied"))


async def test_a_wish_that_is_decided_is_not_put_at_another_window(house: Any, person: Any) -> None:
    """Its turn there came too late."""
    connection = house.connect(person, may_decide=True)
    gate, stored = house.sidecar.gate, await waiting(house, connection)
    await house.call(connection, "proposals/dismiss", id=stored.id)

    assert await relay(gate, house.sidecar.store.reach, stored.id, connection.asker, person)
    assert [] == person.questions


async def test_a_wish_that_would_change_nothing_is_none(house: Any, person: Any) -> None:
    """A person would be asked for nothing: the page says so already."""
    person.script = ["allowed-once"]
    connection = house.connect(person)
    await house.call(connection, "pages/put", slug="a", content="# A\n")
    file = (house.folder / "project" / ".keepgate" / "pages" / "a.md").resolve()
    home = str((house.folder / "project").resolve())
    same = PutPage(home=home, root=str(file.parent), slug="a", path="a.md", content="# A\n", world_only=False)
    author = Author(session_id="s1", agent_key="", workspace_key=home)
    with pytest.raises(Fault) as raised:
        await house.sidecar.gate.create(same, author, connection.asker)

    assert Code.INVALID_INPUT == raised.value.code
    assert "would change nothing" in raised.value.message
    assert ["approved"] == await proposals(house, connection)


def test_of_two_that_wait_for_one_decision_one_may_go() -> None:
    """The other hears of it all the same; once both are gone, there is nobody to tell."""
    decisions = Decisions()
    with decisions.watching("p") as first:
        with decisions.watching("p") as second:
            pass
        decisions.decided("other")
        untold = first.is_set()
        decisions.decided("p")
        decisions.decided("p")
    decisions.decided("p")

    assert (False, True, False) == (untold, first.is_set(), second.is_set())
