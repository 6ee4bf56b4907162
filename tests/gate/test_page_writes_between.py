"""Between the yes to a page and its writing: what others do to file, folder and store meanwhile."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.store.connection import Connection, Patience, connect

WAIT_S = 90.0


@pytest.fixture
def page(house: Any) -> Path:
    """The file of a page, in a folder that is there."""
    file: Path = house.folder / "project" / ".keepgate" / "pages" / "a.md"
    file.parent.mkdir(parents=True)
    file.write_text("old\n", encoding="utf-8")
    return file


@pytest.fixture
def raw(house: Any) -> Iterator[Connection]:
    """A connection to the store that goes through no door."""
    db = connect(house.sidecar.store.path, Patience())
    yield db
    db.close()


@contextmanager
def no_end(raw: Connection, state: str) -> Iterator[None]:
    """The store takes no note that a page write has come to this end."""
    raw.execute(
        "CREATE TRIGGER no_end BEFORE UPDATE OF state ON page_writes "
        f"WHEN NEW.state = '{state}' BEGIN SELECT RAISE(ABORT, 'injected'); END"
    )
    yield
    raw.execute("DROP TRIGGER no_end")


def state(raw: Connection) -> list[str]:
    """The state of every page write, oldest first."""
    return [found for (found,) in raw.execute("SELECT state FROM page_writes ORDER BY id")]


async def written_meanwhile(house: Any, connection: Any, page: Path, raw: Connection) -> Any:
    """Have somebody else write the file after the yes, while another process holds its folder; the answer."""
    with house.sidecar.gate._pages.files.alone(os.path.realpath(page.parent)):
        call = asyncio.create_task(house.call(connection, "pages/put", slug="a", content="new\n"))
        async with asyncio.timeout(WAIT_S):
            while not state(raw):  # noqa: ASYNC110 - another connection's commit sets no event
                await asyncio.sleep(0.005)
        page.write_text("theirs\n", encoding="utf-8")
    with pytest.raises((Fault, apsw.ConstraintError)) as raised:
        await call
    return raised.value


async def test_a_file_that_somebody_changed_after_the_yes_is_theirs(
    house: Any, person: Any, page: Path, raw: Connection
) -> None:
    """The answer is no success: it says why, and the ledger does."""
    person.script = ["allowed-once"]
    connection = house.connect(person)

    fault = await written_meanwhile(house, connection, page, raw)

    assert (Code.WRITE_DENIED, "changed") == (fault.code, fault.details["reason"])
    assert ("theirs\n", ["abandoned"]) == (page.read_text("utf-8"), state(raw))
    (row,) = await house.rows(connection, "page-abandoned")
    assert "changed" == row["outcome"]


async def test_a_write_that_is_given_up_is_told_of_or_still_to_be_made(
    house: Any, person: Any, page: Path, raw: Connection
) -> None:
    """Where its end cannot be noted, it has none yet; the next sweep comes to it."""
    person.script = ["allowed-once"]
    connection = house.connect(person)

    with no_end(raw, "abandoned"):
        said = await written_meanwhile(house, connection, page, raw)
        before = state(raw)
    await house.sidecar.gate.sweep()

    assert "injected" in str(said)
    assert (["pending"], ["abandoned"]) == (before, state(raw))
    assert "theirs\n" == page.read_text("utf-8")
    assert 1 == len(await house.rows(connection, "page-abandoned"))


async def test_a_page_that_is_written_but_not_noted_is_noted_by_the_next(
    house: Any, person: Any, page: Path, raw: Connection
) -> None:
    """The file is as it was approved, and is written once."""
    person.script = ["allowed-once"]
    connection = house.connect(person)

    with no_end(raw, "applied"), pytest.raises(Fault) as raised:
        await house.call(connection, "pages/put", slug="a", content="new\n")
    before, kept = state(raw), page.stat()
    await house.sidecar.gate.sweep()

    assert (Code.STORE_BUSY, ["pending"], ["applied"]) == (raised.value.code, before, state(raw))
    assert ("new\n", kept.st_ino) == (page.read_text("utf-8"), page.stat().st_ino)
    assert (await house.call(connection, "memory/verify"))["ok"]
