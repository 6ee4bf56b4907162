"""Status, notifications, and the one door to all operations."""

import asyncio
from typing import Any

import apsw
import pytest

from keepgate.protocol.entries import SessionRef
from keepgate.service.dispatch import UnknownMethod
from keepgate.store import migrate

EVENTS = ("memory/added", "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot")
UW = {"track": "user", "scope": "workspace"}


async def test_status_tells_how_it_is(client: Any, house: Any) -> None:
    """A write transaction round-trips, counts, paths and what waits."""
    await client.add("one")
    await client.call("proposals/create", change={"action": "add", **UW, "text": "two"})

    status = await client.call("memory/status")

    assert ("ok", 1, 1, migrate.VERSION) == (
        status["health"], status["pendingProposals"], status["counts"]["entries"], status["storeVersion"]
    )  # fmt: skip
    assert status["writeRoundTripMs"] >= 0
    assert [house.key()] == [each["key"] for each in status["workspaces"]]
    assert "1 waiting for approval" == (await house.sidecar.status()).message


async def test_clients_hear_of_changes(house: Any) -> None:
    """Every commit is told to the connections of the workspace, and to no other."""
    await house.sidecar.start()
    client, other = house.client(folders=("one",)), house.client("s2", folders=("two",))
    entry = await client.add("one")
    await client.call("memory/replace", **UW, match="one", text="two")
    await client.call("memory/query")
    await client.call("memory/snapshot")
    await client.call("memory/remove", **UW, match="two")

    removed = await client.hears("memory/removed")

    seqs = {name: [event.seq for event in client.told(name)] for name in EVENTS}
    assert {
        "memory/added": [1], "memory/updated": [2], "memory/recalled": [3], "memory/snapshot": [4],
        "memory/removed": [5],
    } == seqs  # fmt: skip
    assert entry["id"] == removed[0].id
    statuses = [event.status for event in await client.hears("proposals/didChange", 6)]
    assert ["pending", "approved"] * 3 == statuses
    assert [] == other.notes


async def test_clients_hear_of_what_came_before_the_start(house: Any) -> None:
    """A client that writes at once after its introduction misses nothing."""
    await house.sidecar.listen()
    client = house.client()
    await client.add("one")

    await house.sidecar.start()

    assert [1] == [event.seq for event in await client.hears("memory/added")]


async def test_each_ask_is_announced_and_concluded(house: Any, people: Any) -> None:
    """DSH-6-pair: one approval/asked with the payload, one approval/decided, to all in the workspace."""
    asker, witness = house.client(person=people(["rejected"])), house.client("s2")
    elsewhere = house.client("s3", folders=("two",))

    await asker.fault("memory/add", **UW, text="one", tags=["x"])

    for client in (asker, witness):
        (asked,), (decided,) = client.told("approval/asked"), client.told("approval/decided")
        assert ("add", "one", asker.person.questions[0].hash) == (asked.action, asked.text, asked.hash)
        assert (asked.id, "rejected") == (decided.id, decided.outcome)
        assert "tester" == decided.by["client"]
    assert [] == elsewhere.notes


async def test_one_prompt_at_a_time(house: Any, people: Any) -> None:
    """A client's second question waits until the first is answered."""
    go = asyncio.Event()

    async def slowly(_: Any) -> str:
        await go.wait()
        return "allowed-once"

    client = house.client(person=people([slowly]))
    both = [asyncio.create_task(client.add(text)) for text in ("one", "two")]
    await client.person.asked.wait()
    await asyncio.sleep(0.05)
    shown = len(client.person.questions)
    go.set()
    await asyncio.gather(*both)

    assert (1, 2) == (shown, len(client.person.questions))


async def test_unknown_methods_and_positions(client: Any) -> None:
    """Only the table's operations exist, and params go by name."""
    with pytest.raises(UnknownMethod):
        await client.call("memory/nonsense")
    with pytest.raises(Exception, match="by name"):
        await client.sidecar.call(client.connection, "memory/query", [1])


async def test_status_counts_what_is_in_sight(house: Any) -> None:
    """Only the local management view learns how much there is that it does not see."""
    await house.client(folders=("two",)).add("elsewhere")
    await house.client().add("here")
    views = {
        "local": house.client(None),
        "remote": house.client(None, remote=True),
        "session": house.client(None, default=SessionRef(id="s")),
    }

    counts = {name: (await view.call("memory/status"))["counts"] for name, view in views.items()}

    assert {"entries": 2, "ledgerRows": 2, "pendingProposals": 0, "facts": 0, "pages": 0} == counts.pop(
        "local"
    )
    seen = {"entries": 1, "pendingProposals": 0, "facts": 0, "pages": 0}
    assert {"remote": seen, "session": seen} == counts


async def test_a_store_that_takes_no_write_is_an_error(house: Any) -> None:
    """Health is whether a write round-trips."""
    db = apsw.Connection(house.sidecar.store.path)
    db.execute("BEGIN IMMEDIATE")

    status = await house.client(None).call("memory/status")

    db.close()
    assert ("error", None) == (status["health"], status["writeRoundTripMs"])
    assert status["problems"][0].startswith("STORE_BUSY")
