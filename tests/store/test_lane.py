"""One thread, one connection, one job at a time."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.store.connection import Patience, connect
from keepgate.store.lane import Lane


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A database with one table."""
    found = str(tmp_path / "lane.db")
    db = apsw.Connection(found)
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    db.execute("CREATE TABLE things (name TEXT)")
    db.close()
    return found


@pytest.fixture
async def lane(path: str) -> AsyncIterator[Lane]:
    """A lane on it."""
    made = Lane("testing", path, lambda patience: connect(path, patience))
    yield made
    await made.close()


def put(name: str) -> Callable[[apsw.Connection], None]:
    """Work that stores a name."""
    return lambda db: db.execute("INSERT INTO things VALUES (?)", (name,)).close()


def names(db: apsw.Connection) -> list[Any]:
    """What is stored."""
    return [name for (name,) in db.execute("SELECT name FROM things ORDER BY rowid")]


async def test_jobs_run_in_order_in_one_other_thread(lane: Lane) -> None:
    """First come, first served, never in the event loop's thread."""
    seen: list[tuple[int, int]] = []
    await asyncio.gather(
        *(lane.run(lambda _, n=n: seen.append((n, threading.get_ident()))) for n in range(20))
    )
    assert list(range(20)) == [number for number, _ in seen]
    assert 1 == len({ident for _, ident in seen} - {threading.get_ident()})


async def test_results_and_exceptions_come_back(lane: Lane) -> None:
    """Whatever the work returns or raises, its caller gets it, and the lane goes on."""
    assert 3 == await lane.run(lambda _: 3)
    with pytest.raises(ZeroDivisionError):
        await lane.run(lambda _: 1 // 0)
    assert [] == await lane.run(names)


async def test_a_transaction_is_all_or_nothing(lane: Lane) -> None:
    """What a failing job wrote is gone, and the next one is not in its transaction."""

    def fail(db: apsw.Connection) -> None:
        put("half")(db)
        raise KeyError("no")

    with pytest.raises(KeyError):
        await lane.write(fail)
    await lane.write(put("whole"))
    assert ["whole"] == await lane.run(names)


async def test_a_job_that_has_not_begun_is_dropped_with_its_caller(lane: Lane) -> None:
    """Cancelling the one who waits takes the wish away."""
    begun, gate = threading.Event(), threading.Event()
    first = asyncio.create_task(lane.run(lambda _: (begun.set(), gate.wait(60))))
    second = asyncio.create_task(lane.write(put("dropped")))
    await asyncio.to_thread(begun.wait, 60)
    assert 1 == lane.waiting
    second.cancel()
    await asyncio.wait([second])
    gate.set()
    await first
    assert [] == await lane.run(names)


async def test_a_job_that_has_begun_ends_without_its_caller(lane: Lane) -> None:
    """Cancelling is too late then, and harms nothing."""
    begun, gate = threading.Event(), threading.Event()

    def work(db: apsw.Connection) -> None:
        put("done")(db)
        begun.set()
        gate.wait(60)

    task = asyncio.create_task(lane.write(work))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ["done"] == await lane.run(names)


async def test_a_failure_without_its_caller_is_nobodys(lane: Lane) -> None:
    """An exception of a job whose caller has gone is dropped, and the lane goes on."""
    begun, gate = threading.Event(), threading.Event()

    def work(_: apsw.Connection) -> None:
        begun.set()
        gate.wait(60)
        raise KeyError("unheard")

    task = asyncio.create_task(lane.run(work))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    gate.set()
    await asyncio.wait([task])
    assert [] == await lane.run(names)


async def test_a_connection_that_cannot_be_opened_fails_the_job_and_is_tried_again(path: str) -> None:
    """Each job may find a better world."""
    tries: list[int] = []

    def sometimes(patience: Patience) -> apsw.Connection:
        tries.append(1)
        if len(tries) == 1:
            raise apsw.CantOpenError("not yet")
        return connect(path, patience)

    lane = Lane("testing", path, sometimes)
    with pytest.raises(Fault) as raised:
        await lane.run(names)
    assert Code.STORE_READ_ONLY == raised.value.code
    assert [] == await lane.run(names)
    await lane.close()


async def test_waiting_for_a_lock_ends_in_a_fault_that_says_how_long(lane: Lane, path: str) -> None:
    """``STORE_BUSY`` after the lane's patience, never ``STORE_CORRUPT``."""
    other = connect(path, Patience())
    other.execute("BEGIN IMMEDIATE")
    lane._patience.limit_ms = 80
    with pytest.raises(Fault) as raised:
        await lane.write(put("never"))
    other.execute("ROLLBACK")
    other.close()
    assert Code.STORE_BUSY == raised.value.code
    assert 80 <= raised.value.details["waitedMs"] < 3000
    await lane.write(put("later"))
    assert ["later"] == await lane.run(names)


async def test_a_lock_that_is_let_go_is_had(lane: Lane, path: str) -> None:
    """A writer that waits gets its turn without a fault."""
    other = connect(path, Patience())
    other.execute("BEGIN IMMEDIATE")
    task = asyncio.create_task(lane.write(put("patient")))
    await asyncio.sleep(0.05)
    assert not task.done()
    other.execute("ROLLBACK")
    other.close()
    await task
    assert ["patient"] == await lane.run(names)


async def test_closing_cuts_a_wait_short(lane: Lane, path: str) -> None:
    """A store that closes waits for nobody's lock."""
    other = connect(path, Patience())
    other.execute("BEGIN IMMEDIATE")
    task = asyncio.create_task(lane.write(put("never")))
    await asyncio.sleep(0.02)
    begun = time.monotonic()
    await lane.close()
    took = time.monotonic() - begun
    other.close()
    with pytest.raises(Fault) as raised:
        await task
    assert Code.STORE_BUSY == raised.value.code
    assert took < 4


async def test_lanes_of_one_store_queue_up_for_writing(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share a lock; who waits too long in that queue is told so as well."""
    writing = threading.Lock()
    first = Lane("first", path, lambda patience: connect(path, patience), writing=writing)
    second = Lane("second", path, lambda patience: connect(path, patience), writing=writing)
    begun, gate = threading.Event(), threading.Event()

    def hold(db: apsw.Connection) -> None:
        put("first")(db)
        begun.set()
        gate.wait(60)

    monkeypatch.setattr("keepgate.store.lane.WAIT_MS", 50)
    holding = asyncio.create_task(first.write(hold))
    await asyncio.to_thread(begun.wait, 10)
    with pytest.raises(Fault) as raised:
        await second.write(put("too early"))
    waiting = asyncio.create_task(second.write(put("second")))
    gate.set()
    await asyncio.wait([holding, waiting])
    found = await first.run(names)
    await first.close()
    await second.close()
    assert Code.STORE_BUSY == raised.value.code
    assert raised.value.details["waitedMs"] >= 50
    assert ["first", "second"] == found


async def test_a_closed_lane_takes_no_jobs(lane: Lane) -> None:
    """Asking it is a programming error."""
    await lane.run(names)
    await lane.close()
    await lane.close()
    with pytest.raises(RuntimeError, match="closed"):
        await lane.run(names)


async def test_jobs_that_wait_are_done_before_the_end(lane: Lane) -> None:
    """Closing finishes what was promised."""
    tasks = [asyncio.create_task(lane.write(put(str(number)))) for number in range(10)]
    await asyncio.sleep(0)
    await lane.close()
    assert [None] * 10 == await asyncio.gather(*tasks)


def test_an_answer_to_a_loop_that_is_gone_is_dropped(path: str) -> None:
    """A process that ends its loop early leaves no broken thread behind."""
    begun, gate, ended = threading.Event(), threading.Event(), threading.Event()
    lane = Lane("testing", path, lambda patience: connect(path, patience))

    def work(_: apsw.Connection) -> None:
        begun.set()
        gate.wait(60)

    async def leave() -> None:
        lane.submit(work)
        lane.submit(lambda _: ended.set())
        await asyncio.to_thread(begun.wait, 10)

    asyncio.run(leave())
    gate.set()
    assert ended.wait(10)
    asyncio.run(lane.close())


async def test_programming_errors_stay_what_they_are(lane: Lane) -> None:
    """A misspelt statement is no store fault."""
    with pytest.raises(apsw.SQLError):
        await lane.run(lambda db: db.execute("SELEKT"))


def test_patience_can_be_given_up_at_any_time() -> None:
    """A wait can be given up before it has begun."""
    patience = Patience(10_000)
    assert patience(0)
    patience.give_up()
    assert not patience(1)


async def test_a_wait_for_the_writing_lock_counts_for_its_own_transaction_only(path: str) -> None:
    """Whatever the lane does later has its whole patience again."""
    writing = threading.Lock()
    lane = Lane("testing", path, lambda patience: connect(path, patience), writing=writing)
    lane._patience.limit_ms = 30
    writing.acquire()
    task = asyncio.create_task(lane.write(put("patient")))
    await asyncio.sleep(2)
    writing.release()
    await task
    other = connect(path, Patience())
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Fault) as raised:
        await lane.run(lambda db: db.execute("BEGIN IMMEDIATE"))
    other.execute("ROLLBACK")
    other.close()
    await lane.close()
    assert raised.value.details["waitedMs"] < 2000
