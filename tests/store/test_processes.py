"""Several processes on one file: contention, crashes, and processes that stand still."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.store import reads
from keepgate.store.connection import Patience, connect
from keepgate.store.memory import Writer
from keepgate.store.open import Store
from keepgate.store.verify import verify_store


async def ids_of(store: Store) -> set[str]:
    """The ids of all entries."""
    rows = await store.reading.run(lambda db: db.execute("SELECT id FROM entries").fetchall())
    return {str(entry_id) for (entry_id,) in rows}


async def test_every_acknowledged_write_of_every_process_is_there(
    acting: ModuleType, store: Store, writer: Writer, actor: Callable[..., Any]
) -> None:
    """Four processes and this one at once: no write lost, no fault, one ledger row each."""
    others = [actor("write", "40", f"p{number}") for number in range(4)]
    ours = [(await acting.add(writer, f"ours {number}")).id for number in range(40)]
    said = [line for other in others for line in await asyncio.to_thread(other.rest)]
    acknowledged = [line.split()[1] for line in said if line.startswith("added")]
    assert 160 == len(acknowledged)
    assert {*acknowledged, *ours} == await ids_of(store)
    assert 200 == (await store.reading.run(reads.counts, 0))["ledger_rows"]
    assert (await verify_store(store)).ok


async def test_a_lock_that_is_held_for_a_while_is_waited_for(
    acting: ModuleType, store: Store, writer: Writer, actor: Callable[..., Any]
) -> None:
    """Reads answer meanwhile; opening needs no lock; the write goes through when its turn comes."""
    other = actor("hold", "1.0")
    assert "held" == await asyncio.to_thread(other.line)
    adding = asyncio.create_task(acting.add(writer, "patient"))
    await store.reading.run(reads.counts, 0)
    await store.reading.run(reads.counts, 0, instant=True)
    second = await acting.open_at(Path(store.path).parent.parent)
    await second.close()
    assert not adding.done()
    assert "patient" == (await adding).text


async def test_a_lock_that_is_never_let_go_is_a_fault_worth_a_retry(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """After five seconds, ``STORE_BUSY``; never ``STORE_CORRUPT`` (W11)."""
    other = connect(store.path, Patience())
    other.execute("BEGIN IMMEDIATE")
    begun = time.monotonic()
    with pytest.raises(Fault) as raised:
        await acting.add(writer, "impatient")
    waited = time.monotonic() - begun
    other.close()
    assert Code.STORE_BUSY == raised.value.code
    assert raised.value.details["waitedMs"] >= 5000
    assert waited >= 5
    assert "retried" == (await acting.add(writer, "retried")).text


async def test_opening_a_new_store_under_a_lock_is_busy_not_corrupt(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody begins to make a store and stands still."""
    path = Path(acting.store_path(tmp_path))
    path.parent.mkdir()
    other = apsw.Connection(str(path))
    other.execute("PRAGMA journal_mode = WAL").fetchall()
    other.execute("BEGIN IMMEDIATE; CREATE TABLE half_way (x)")
    monkeypatch.setattr("keepgate.store.connection.Patience.__init__.__defaults__", (200,))
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    other.execute("ROLLBACK")
    other.close()
    assert Code.STORE_BUSY == raised.value.code
    store = await acting.open_at(tmp_path)
    await store.close()


async def test_a_switch_of_the_journal_waits_for_its_turn(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file that somebody reads is made a store when they are done, or is busy until then."""
    path = Path(acting.store_path(tmp_path))
    path.parent.mkdir()
    other = apsw.Connection(str(path))
    other.execute("PRAGMA user_version = 1; PRAGMA user_version = 0")
    other.execute("BEGIN").fetchall()
    other.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    with monkeypatch.context() as patch:
        patch.setattr("keepgate.store.connection.Patience.__init__.__defaults__", (200,))
        with pytest.raises(Fault) as raised:
            await acting.open_at(tmp_path)
    opening = asyncio.create_task(acting.open_at(tmp_path))
    await asyncio.sleep(0.1)
    other.close()
    store = await opening
    await store.close()
    assert (Code.STORE_BUSY, "wal") == (raised.value.code, store.journal_mode)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this platform stops no processes")
async def test_a_stopped_process_whose_wish_waits_holds_nobody_up(
    acting: ModuleType, store: Store, writer: Writer, actor: Callable[..., Any]
) -> None:
    """No lock is held while a person thinks, not even by a process that stands still."""
    other = actor("propose")
    word, proposal_id, token = (await asyncio.to_thread(other.line)).split()
    other.process.send_signal(signal.SIGSTOP)
    for number in range(20):
        await acting.add(writer, f"n{number}")
    pending = await store.reading.run(reads.proposal, proposal_id)
    assert "proposed" == word
    assert pending is not None
    assert (token, "pending") == (pending.waiter, pending.status)
    assert store.presence.alive(token)


@pytest.mark.parametrize("round_number", range(3))
async def test_a_killed_writer_loses_nothing_that_it_acknowledged(
    acting: ModuleType, tmp_path: Path, actor: Callable[..., Any], round_number: int
) -> None:
    """Ten kills in mid-write: what was acknowledged is there, the rest is whole or absent, all verifies."""
    seed = int.from_bytes(os.urandom(4), "big")
    chance = random.Random(seed)
    await (await acting.open_at(tmp_path)).close()
    acknowledged: set[str] = set()
    for number in range(10):
        other = actor("write", "100000", f"kill {number}")
        lines = [await asyncio.to_thread(other.line) for _ in range(chance.randrange(2, 40))]
        await asyncio.sleep(chance.random() * 0.003)
        other.process.kill()
        lines += await asyncio.to_thread(other.rest)
        # A line that the kill has cut off acknowledges nothing.
        acknowledged |= {line.split()[1] for line in lines if line.startswith("added") and len(line) == 42}
    store = await acting.open_at(tmp_path)
    there = await ids_of(store)
    counts = await store.reading.run(reads.counts, 0)
    verified = await verify_store(store)
    assert "kept" == (await acting.add(Writer(store), "kept")).text
    await store.close()
    assert acknowledged <= there, f"seed {seed}"
    assert len(there) <= len(acknowledged) + 10, f"seed {seed}"
    assert counts["ledger_rows"] == counts["entries"] == len(there)
    assert ([], True) == (verified.problems, verified.ok), f"seed {seed}"


async def test_a_killed_process_leaves_its_store_to_the_others(
    acting: ModuleType, store: Store, writer: Writer, actor: Callable[..., Any]
) -> None:
    """A crash while others have the file open disturbs none of them."""
    other = actor("write", "100000", "theirs")
    for _ in range(20):
        await asyncio.to_thread(other.line)
    other.kill()
    before = len(await ids_of(store))
    await acting.add(writer, "ours")
    assert before + 1 == len(await ids_of(store))
    assert (await verify_store(store)).ok
