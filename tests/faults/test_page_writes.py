"""Processes that are killed between a yes and its file, and disks that do not take it."""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.sidecar import Sidecar

WORKER = Path(__file__).with_name("page_worker.py")
PAGES = ".keepgate/pages"
WAIT_S = 60.0

Act = tuple[str, dict[str, Any]]
PUT: Act = ("pages/put", {"slug": "a", "content": "new\n"})
TO_PURGE = "marker-7719 word\n"
REMOVE: Act = ("pages/remove", {"slug": "a"})


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace's folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def page(work: Path) -> Path:
    """The file of page ``a``, with the text ``old``."""
    path = work / PAGES / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("old\n")
    return path


@pytest.fixture
def start(tmp_path: Path, work: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start workers; none outlives the test."""
    made: list[subprocess.Popen[str]] = []

    def begin(stop: str, *acts: Act) -> subprocess.Popen[str]:
        calls = [json.dumps(act) for act in acts]
        process = subprocess.Popen(
            [sys.executable, str(WORKER), str(tmp_path / "home"), str(work), stop, *calls],
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        made.append(process)
        return process

    yield begin
    for process in made:
        process.kill()
        process.wait(WAIT_S)
        assert process.stdout is not None
        process.stdout.close()


def said(process: "subprocess.Popen[str]") -> Any:
    """The next thing that a worker says."""
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def kill(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait(WAIT_S)


def look(tmp_path: Path, work: Path, then: Callable[[Sidecar, Connection], Awaitable[Any]]) -> Any:
    """Open the store as another process would, and do something with it."""

    async def through() -> Any:
        settings = Settings(write_policy=WritePolicy.AUTO)
        sidecar = await compose(settings, find_places({"KEEPGATE_HOME": str(tmp_path / "home")}))
        try:
            connection = sidecar.connect(
                peer=NoPeer(),
                channel="test",
                client=ClientInfo(name="look"),
                folders=[str(work)],
                approver=None,
                session=SessionRef(id="look"),
            )
            result = await then(sidecar, connection)
            verified = await sidecar.call(connection, "memory/verify", {})
            assert [] == verified["problems"]
            return result
        finally:
            await sidecar.close()

    return asyncio.run(through())


async def serve(sidecar: Sidecar, connection: Connection) -> list[tuple[str, str | None]]:
    """Open it for serving, and see what became of the writes: their states and the ledger's notes."""
    await sidecar.start()
    deadline = time.monotonic() + WAIT_S
    while "pending" in await states(sidecar):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    rows = await sidecar.call(connection, "memory/audit", {"session": None})
    return [
        (row["action"], row["outcome"]) for row in reversed(rows["rows"]) if "allowed" not in row["outcome"]
    ]


async def states(sidecar: Sidecar) -> list[str]:
    rows = await sidecar.store.reading.run(
        lambda db: db.execute("SELECT state FROM page_writes ORDER BY id").fetchall()
    )
    return [state for (state,) in rows]


async def pending(sidecar: Sidecar, _: Connection) -> list[str]:
    return await states(sidecar)


@pytest.mark.parametrize("stop", ["before", "after"])
@pytest.mark.parametrize(("act", "left"), [(PUT, "new\n"), (REMOVE, None)])
def test_a_kill_between_the_yes_and_its_end_is_made_up_for(
    start, tmp_path, work, page, stop, act, left
) -> None:
    """The file is old or new, never in between; who serves the store next brings the write to its end."""
    worker = start(stop, act)
    assert "stopped" == said(worker)
    kill(worker)
    found = page.read_text() if page.exists() else None
    assert ("old\n" if stop == "before" else left) == found
    assert ["pending"] == look(tmp_path, work, pending)

    assert [] == look(tmp_path, work, serve)
    assert left == (page.read_text() if page.exists() else None)
    assert ["applied"] == look(tmp_path, work, pending)
    assert [] == [item for item in page.parent.iterdir() if item != page]


def test_a_new_page_of_a_killed_process_is_made(start, tmp_path, work) -> None:
    """With its folders."""
    worker = start("before", ("pages/put", {"slug": "sub/b", "content": "new\n"}))
    assert "stopped" == said(worker)
    kill(worker)
    assert not (work / PAGES).exists()

    look(tmp_path, work, serve)
    assert "new\n" == (work / PAGES / "sub" / "b.md").read_text()


@pytest.mark.parametrize(("act", "theirs"), [(PUT, "mine\n"), (PUT, None), (REMOVE, "mine\n")])
def test_a_file_that_somebody_changed_meanwhile_is_theirs(start, tmp_path, work, page, act, theirs) -> None:
    """The approved write is given up, and a note in the ledger says so."""
    worker = start("before", act)
    assert "stopped" == said(worker)
    kill(worker)
    page.unlink()
    if theirs is not None:
        page.write_text(theirs)

    assert [("page-abandoned", "changed")] == look(tmp_path, work, serve)
    assert theirs == (page.read_text() if page.exists() else None)
    assert ["abandoned"] == look(tmp_path, work, pending)


def test_a_workspace_that_was_deleted_does_not_come_back(start, tmp_path, work, page) -> None:
    """Not for the sake of a page."""
    worker = start("before", ("pages/put", {"slug": "b", "content": "new\n"}))
    assert "stopped" == said(worker)
    kill(worker)
    moved = work.rename(tmp_path / "elsewhere")

    assert [("page-abandoned", "not-writable")] == look(tmp_path, moved, serve_all)
    assert not work.exists()


async def serve_all(sidecar: Sidecar, connection: Connection) -> list[tuple[str, str]]:
    await serve(sidecar, connection)
    rows = await sidecar.call(connection, "memory/audit", {"session": None, "allWorkspaces": True})
    return [(row["action"], row["outcome"]) for row in rows["rows"] if row["action"] == "page-abandoned"]


def test_the_next_writer_goes_on_from_what_was_approved(start, tmp_path, work, page) -> None:
    """It is asked against the text that is on its way, and both writes are made, in order."""
    worker = start("before", PUT)
    assert "stopped" == said(worker)
    kill(worker)
    other = start("never", ("pages/put", {"slug": "a", "content": "newer\n"}))
    answer = said(other)
    assert 0 == other.wait(WAIT_S)

    assert "updated" == answer["status"]
    assert "newer\n" == page.read_text()
    assert ["applied", "applied"] == look(tmp_path, work, pending)


def test_a_writer_that_is_stopped_holds_up_its_folder_alone(start, tmp_path, work, page) -> None:
    """Others are told that their approved write waits; it is made once the folder is free."""
    worker = start("before", PUT)
    assert "stopped" == said(worker)
    other = start("never", ("pages/capture", {"text": "note"}), ("memory/budgets", {}))
    answer = said(other)
    assert Code.STORE_BUSY == answer["fault"]
    assert len(said(other)["budgets"]) == 4
    kill(worker)

    assert [] == look(tmp_path, work, serve)
    assert "new\n" == page.read_text()
    assert ["applied", "applied"] == look(tmp_path, work, pending)


def test_kills_at_any_moment_leave_whole_files(start, tmp_path, work) -> None:
    """What was answered is there; every file holds one of the texts that were approved for it."""
    chance = random.Random(7)
    texts = ["".join(f"line {line} of {number}\n" for line in range(2000)) for number in range(12)]
    acts = [("pages/put", {"slug": f"p{number % 3}", "content": text}) for number, text in enumerate(texts)]
    for _ in range(4):
        worker = start("never", *acts)
        answered = [said(worker)["slug"] for _ in range(chance.randrange(1, 8))]
        kill(worker)
        look(tmp_path, work, serve)
        for slug in set(answered):
            assert (work / PAGES / f"{slug}.md").read_text() in texts
        assert all(item.read_text() in texts for item in (work / PAGES).glob("*.md"))
        assert all(item.suffix == ".md" for item in (work / PAGES).iterdir())


@pytest.fixture
def small_disk(work: Path) -> Iterator[Path]:
    """A disk of its own for the workspace's pages."""
    folder = work / ".keepgate" / "pages"
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


async def _refused(sidecar: Sidecar, connection: Connection, act: Act) -> Fault:
    with pytest.raises(Fault) as raised:
        await sidecar.call(connection, *act)
    return raised.value


def test_a_full_disk_leaves_the_old_page(tmp_path, work, small_disk) -> None:
    """The answer says that the disk is full; the ledger says that the approved write was not made."""
    (small_disk / "a.md").write_text("old\n")

    async def write(sidecar: Sidecar, connection: Connection) -> None:
        fault = await _refused(sidecar, connection, ("pages/put", {"slug": "a", "content": "x" * 900_000}))
        assert Code.STORE_FULL == fault.code
        assert "a.md" in fault.details["path"]
        assert [("page-abandoned", "no-room")] == await serve(sidecar, connection)
        assert "updated" == (await sidecar.call(connection, *PUT))["status"]

    look(tmp_path, work, write)
    assert "new\n" == (small_disk / "a.md").read_text()
    assert [small_disk / "a.md"] == list(small_disk.iterdir())


def test_a_read_only_folder_leaves_the_old_page(tmp_path, work, small_disk) -> None:
    """The same for a disk that takes no writes."""
    (small_disk / "a.md").write_text("old\n")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)

    async def write(sidecar: Sidecar, connection: Connection) -> None:
        fault = await _refused(sidecar, connection, PUT)
        assert Code.STORE_READ_ONLY == fault.code
        assert [("page-abandoned", "not-writable")] == await serve(sidecar, connection)

    look(tmp_path, work, write)
    assert "old\n" == (small_disk / "a.md").read_text()


def test_two_processes_that_write_one_page_lose_nothing(start, tmp_path, work) -> None:
    """Every note that was answered is in the inbox, once, whoever wrote at the same time."""
    notes = [[f"note {number} of {name}" for number in range(15)] for name in ("one", "two")]
    workers = [start("never", *(("pages/capture", {"text": text}) for text in texts)) for texts in notes]
    slugs = {said(worker)["slug"] for worker in workers for _ in range(15)}
    assert [0, 0] == [worker.wait(WAIT_S) for worker in workers]

    lines = [line for slug in slugs for line in (work / PAGES / f"{slug}.md").read_text().splitlines()]
    written = [line.split(" ", 3)[3] for line in lines if line.startswith("- ")]
    assert sorted(notes[0] + notes[1]) == sorted(written)
    assert {"applied"} == set(look(tmp_path, work, pending))


@pytest.mark.parametrize(("stop", "left"), [("before", TO_PURGE), ("after", "(purged) word\n")])
def test_a_purge_that_is_killed_leaves_old_pages_and_is_made_up_for(
    start, tmp_path, work, page, stop, left
) -> None:
    """Whole files all the time; who serves the store next brings the rewriting to its end."""
    page.write_text(TO_PURGE)
    worker = start(stop, ("memory/purge", {"text": "marker-7719", "pages": True}))
    assert "stopped" == said(worker)
    kill(worker)
    assert left == page.read_text()

    assert [] == look(tmp_path, work, serve)
    assert "(purged) word\n" == page.read_text()
    assert ["applied"] == look(tmp_path, work, pending)

    again = start("never", ("memory/purge", {"text": "marker-7719", "pages": True}))
    assert said(again)["clean"]
