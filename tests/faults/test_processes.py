"""Several processes on one store: nothing is lost or overshot, nobody waits for a sleeper."""

import asyncio
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Code
from keepgate_client import Client, Scope, Track

ALLOWED = "allowed-once (via policy, writePolicy auto)"


async def everything(look: Any) -> tuple[list[Any], list[Any], Any]:
    """Entries, ledger rows, and what verifying says."""
    return await look.entries(), await look.rows(), await look.call("memory/verify")


def start_all(nursery: Any, place: Path, role: str, processes: int, **job: Any) -> list[Any]:
    """So many writers that begin at the same moment."""
    go = place / f"go-{role}-{len(nursery.writers)}"
    writers = [nursery.start(role, f"writer{number}", go=str(go), **job) for number in range(processes)]
    go.touch()
    for writer in writers:
        writer.ended()
    return writers


def failures(writers: list[Any]) -> list[Any]:
    """What went wrong, in any of them."""
    return [note for writer in writers for note in writer.notes("failed")]


@pytest.mark.parametrize("processes", [2, 8])
def test_writers_at_once(nursery: Any, look: Any, place: Path, processes: int) -> None:
    """W13, DSH-6-allowed: every acknowledged write is there, with one row for each, in one chain."""
    writers = start_all(nursery, place, "adds", processes, count=200)

    entries, rows, verified = look(nursery.home, everything)

    assert [] == failures(writers)
    acknowledged = {note["id"] for writer in writers for note in writer.notes("added")}
    assert 200 * processes == len(acknowledged)
    assert acknowledged == {entry["id"] for entry in entries}
    assert Counter({("add", ALLOWED): 200 * processes}) == Counter(
        (row["action"], row["outcome"]) for row in rows
    )
    assert acknowledged == {row["entryId"] for row in rows}
    assert (True, 200 * processes) == (verified["ok"], verified["rows"])


def test_a_contested_budget(nursery: Any, look: Any, place: Path) -> None:
    """W12, DSH-5-exceeded: four writers fill one layer; it ends full, not over, and each is told so."""
    writers = start_all(nursery, place, "fills", 4, budget=500)

    entries, _, verified = look(nursery.home, everything)

    assert [] == failures(writers)
    assert [497, True] == [sum(len(entry["text"]) for entry in entries), verified["ok"]]
    refused = [writer.until("full") for writer in writers]
    assert [(Code.BUDGET_EXCEEDED, 497, 500, 504)] * 4 == [
        (note["code"], *(note["details"][name] for name in ("used", "limit", "needed"))) for note in refused
    ]


@pytest.mark.parametrize("processes", [2, 6])
def test_a_fresh_store_made_by_many(nursery: Any, look: Any, place: Path, processes: int) -> None:
    """W10: whoever comes first makes it, everybody else uses it; in every one of five rounds."""
    for number in range(5):
        home = place / f"round-{processes}-{number}" / "home"
        home.parent.mkdir()
        writers = start_all(nursery, place, "adds", processes, count=1, home=home, folder="project")

        entries, _, verified = look(home, everything)

        assert [] == failures(writers)
        assert (processes, True) == (len(entries), verified["ok"])


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_stopped_process_blocks_nobody(nursery: Any, look: Any) -> None:
    """No lock is held while a person thinks, so a process that sleeps in the question is in nobody's way."""
    sleeper = nursery.start("waits", "sleeper", policy="ask", answers=False)
    sleeper.until("asked")
    sleeper.signal(signal.SIGSTOP)

    writer = nursery.start("adds", "writer", count=20)
    writer.ended()
    sleeper.signal(signal.SIGCONT)
    entries, _, verified = look(nursery.home, everything)

    assert ([], []) == (failures([writer]), writer.notes("busy"))
    assert (20, True) == (len(entries), verified["ok"])


def test_the_wish_of_a_killed_process_waits(nursery: Any, look: Any) -> None:
    """DSH-6-denied: the next process that looks after the store says that nobody could be asked."""
    asker = nursery.start("waits", "asker", policy="ask", answers=False)
    asked = asker.until("asked")
    asker.kill()

    async def sweep(look: Any) -> Any:
        await look.sidecar.gate.sweep()
        proposal = await look.sidecar.call(look.connection, "proposals/get", {"id": asked["id"]})
        return proposal, await look.rows()

    async def in_the_folder(look: Any) -> Any:
        look.sidecar.change_folders(look.connection, added=[str(nursery.home.parent / "project")], removed=[])
        return await sweep(look)

    got, rows = look(nursery.home, in_the_folder)

    assert ("pending", "waited for") == (got["proposal"]["status"], got["ask"]["text"])
    expected = [("add-denied", "unavailable (via approval, writePolicy ask)", asked["id"])]
    assert expected == [(row["action"], row["outcome"], row["proposalId"]) for row in rows]


async def test_real_sidecars_at_once(place: Path) -> None:
    """Three served sidecars with a client each: all that was acknowledged is there for all of them."""
    workspace = place / "project"
    workspace.mkdir()
    options: dict[str, Any] = {
        "settings": {"writePolicy": "auto", "budgets": {"agent": {"userGlobal": 10**6, "workspace": 10**6}}},
        "env": {"KEEPGATE_HOME": str(place / "home"), "KEEPGATE_STORE": None},
    }

    async def write(number: int) -> tuple[set[str], set[str]]:
        session = SessionRef(id=f"session-{number}")
        async with Client.spawn(workspace, session=session, **options) as client:
            ids = set()
            for turn in range(30):
                added = await client.add(
                    track=Track.AGENT, scope=Scope.WORKSPACE, text=f"{number} note {turn}"
                )
                ids.add(added.entry.id)
            await asyncio.wait_for(barrier.wait(), 60)
            return ids, {entry.id for entry in (await client.list_entries(limit=1000)).entries}

    barrier = asyncio.Barrier(3)
    results = await asyncio.gather(*(write(number) for number in range(3)))

    written = set().union(*(ids for ids, _ in results))
    assert 90 == len(written)
    assert [written] * 3 == [seen for _, seen in results]
