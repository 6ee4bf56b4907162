"""What runs beside requests: it outlives failures, and its end is certain."""

import asyncio
import gc
from typing import Any

import apsw
import pytest

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.protocol.settings import Settings
from keepgate.service.background import Background, errand

UW = {"track": "user", "scope": "workspace"}


@pytest.fixture
def break_sweeps(house: Any) -> Any:
    """Makes closing an expired proposal fail in a way that no fault tells of, and mends it again."""

    def breaking(mended: bool) -> None:
        db = apsw.Connection(house.sidecar.store.path)
        if mended:
            db.execute("DROP TRIGGER broken")
        else:
            db.execute(
                "CREATE TRIGGER broken BEFORE INSERT ON ledger WHEN NEW.action LIKE '%-denied' "
                "BEGIN SELECT RAISE(ABORT, 'broken'); END"
            )
        db.close()

    return breaking


async def test_a_sweep_that_fails_is_not_the_last(house: Any, break_sweeps: Any, caplog: Any) -> None:
    """Whatever it was, the next one is made, and closing closes the store."""
    client = house.client(person=None)
    await client.call("proposals/create", change={"action": "add", **UW, "text": "secret words"})
    break_sweeps(False)
    db = apsw.Connection(house.sidecar.store.path)
    db.execute("UPDATE proposals SET waiter = 'a process that is gone'")
    db.close()
    await house.sidecar.start()
    async with asyncio.timeout(20):
        while "failed" not in caplog.text:  # noqa: ASYNC110 - a log line sets no event
            await asyncio.sleep(0.01)

    beside = [task.get_coro().__qualname__ for task in asyncio.all_tasks()]

    break_sweeps(True)
    assert "Hearing._sweep_for_ever" in beside
    assert "secret" not in caplog.text


async def test_closing_goes_on_past_a_failure(tmp_path: Any) -> None:
    """The store is closed even when something before it fails to end."""
    sidecar = await compose(Settings(), find_places({"KEEPGATE_HOME": str(tmp_path)}))
    await sidecar.start()

    async def fails() -> None:
        raise RuntimeError("cannot end")

    watcher = sidecar._hearing.watcher
    watcher.close, watcher_close = fails, watcher.close
    with pytest.raises(RuntimeError, match="cannot end"):
        await sidecar.close()
    await watcher_close()

    with pytest.raises(RuntimeError, match="lane is closed"):
        await sidecar.store.canonical.run(lambda db: None)


async def test_starting_twice_starts_once(house: Any) -> None:
    """Clients are told of each commit once."""
    await house.sidecar.listen()
    client = house.client()
    await house.sidecar.start()
    await house.sidecar.start()
    await client.add("one")
    await client.add("two")

    await client.hears("memory/added", 2)

    assert [1, 2] == [event.seq for event in client.told("memory/added")]


async def test_an_errand_that_fails_says_no_memory_text(caplog: Any) -> None:
    """The log names the kind of failure; its words may quote a memory."""

    async def fails() -> None:
        raise LookupError("secret words")

    await errand(fails)

    assert (True, False) == ("LookupError" in caplog.text, "secret" in caplog.text)


@pytest.mark.filterwarnings("error")
async def test_an_errand_that_is_given_up_begins_nothing() -> None:
    """Given up before its first step it leaves no coroutine that nobody ran."""
    begun: list[bool] = []

    async def work() -> None:
        begun.append(True)

    background = Background()
    background.begin(errand(work))
    await background.stop()
    gc.collect()

    assert [] == begun
