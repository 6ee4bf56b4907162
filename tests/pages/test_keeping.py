"""The index follows the files for as long as a process lives: a real watcher, real moves, real processes."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepgate.pages import keeper as keeping
from keepgate.pages.keeper import election, is_elected
from keepgate.pages.roots import Root

KEY = "/work"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at roots, and for dead processes, more often than a product does."""
    monkeypatch.setattr(keeping, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr(keeping, "TAKE_OVER_S", 0.1)
    monkeypatch.setattr("keepgate.pages.keeping.BEGIN_S", 0.0)


def has(corner: Any, *slugs: str) -> Callable[[], Any]:
    async def holds() -> bool:
        return list(slugs) == await corner.slugs()

    return holds


async def test_changes_are_followed(corner: Any, until: Any) -> None:
    """Writing, saving by rename, moving folders and removing: each is in the index in a moment."""
    pages = corner.keep()
    pages.start()
    try:
        file = corner.write("a.md", "# One")
        await until(has(corner, "a"))

        temporary = corner.write(".a.md.tmp", "# Two")
        temporary.replace(file)
        await until(lambda: _title(corner, "a", "Two"))

        corner.write("deep/er/b.md")
        corner.write("deep/c.md")
        await until(has(corner, "a", "deep/c", "deep/er/b"))

        (corner.folder / "deep").rename(corner.folder / "moved")
        await until(has(corner, "a", "moved/c", "moved/er/b"))

        file.unlink()
        (corner.folder / "moved" / "c.md").rename(corner.folder / "d.md")
        await until(has(corner, "d", "moved/er/b"))
    finally:
        await pages.close()


async def _title(corner: Any, slug: str, title: str) -> bool:
    found = (await corner.pages()).get(slug)
    return found is not None and found.title == title


async def test_a_folder_moved_in_from_outside(corner: Any, until: Any, tmp_path: Path) -> None:
    """Its files make no event of their own, and are found all the same, as is what comes later."""
    corner.write("in/a.md", folder=tmp_path / "outside")
    corner.write("in/deep/b.md", folder=tmp_path / "outside")
    pages = corner.keep()
    pages.start()
    try:
        corner.write("first.md")
        await until(has(corner, "first"))
        (tmp_path / "outside" / "in").rename(corner.folder / "in")
        await until(has(corner, "first", "in/a", "in/deep/b"))
        corner.write("in/deep/c.md")
        await until(has(corner, "first", "in/a", "in/deep/b", "in/deep/c"))
    finally:
        await pages.close()


async def test_a_burst_is_followed_to_its_end(corner: Any, until: Any) -> None:
    """More changes at once than are looked at one by one end in the same index."""
    pages = corner.keep()
    pages.start()
    try:
        corner.write("first.md")
        await until(has(corner, "first"))
        for at in range(600):
            corner.write(f"n{at:03}.md", f"{at}")
        for at in range(0, 600, 2):
            (corner.folder / f"n{at:03}.md").unlink()
        await until(has(corner, "first", *(f"n{at:03}" for at in range(1, 600, 2))))
    finally:
        await pages.close()


async def test_a_root_that_goes_and_comes_back_is_watched_again(corner: Any, until: Any) -> None:
    """Neither its end nor another folder in its place leaves the process deaf."""
    pages = corner.keep()
    corner.write("a.md")
    pages.start()
    try:
        await until(has(corner, "a"))
        (corner.folder / "a.md").unlink()
        corner.folder.rmdir()
        await until(has(corner))
        corner.write("b.md")
        await until(has(corner, "b"))
        other = corner.folder.with_name("other")
        corner.write("c.md", folder=other)
        corner.folder.rename(corner.folder.with_name("old"))
        other.rename(corner.folder)
        await until(has(corner, "c"))
        corner.write("d.md")
        await until(has(corner, "c", "d"))
    finally:
        await pages.close()


async def test_a_root_that_is_not_there_yet(corner: Any, until: Any, tmp_path: Path) -> None:
    """A workspace without a folder of pages gets one, and it is followed."""
    later = Root(KEY, str(tmp_path / "work" / ".keepgate" / "pages"))
    pages = corner.keep(later)
    pages.start()
    try:
        corner.write("a.md", folder=Path(later.folder))
        await until(has(corner, "a"))
        corner.write("b.md", folder=Path(later.folder))
        await until(has(corner, "a", "b"))
    finally:
        await pages.close()


async def test_lost_events_are_made_up_for(corner: Any, until: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system tells nothing, looking again finds it."""
    monkeypatch.setattr("keepgate.pages.watch.Watcher.watch", lambda *_: None)
    monkeypatch.setattr(keeping, "UNWATCHED_S", 0.1)
    monkeypatch.setattr(keeping, "RESCAN_SHARE", 0)
    pages = corner.keep()
    pages.start()
    try:
        corner.write("a.md")
        await until(has(corner, "a"))
        corner.write("b.md")
        await until(has(corner, "a", "b"))
    finally:
        await pages.close()


async def test_roots_come_and_go_at_run_time(corner: Any, until: Any, tmp_path: Path) -> None:
    """A folder that is opened is indexed; one that is no root any more is forgotten; many are no trouble."""
    many = [Root(KEY, str(tmp_path / "work" / f"r{at:02}")) for at in range(12)]
    for at, root in enumerate(many):
        corner.write(f"p{at:02}.md", folder=Path(root.folder))
    roots = [corner.root]
    pages = corner.keep(roots=lambda: list(roots))
    pages.start()
    try:
        corner.write("a.md")
        await until(has(corner, "a"))
        roots.extend(many)
        pages.homes_changed()
        await until(has(corner, "a", *(f"p{at:02}" for at in range(12))))
        del roots[1:7]
        pages.homes_changed()
        await until(has(corner, "a", *(f"p{at:02}" for at in range(6, 12))))
    finally:
        await pages.close()


async def test_an_editor_may_tell_of_changes(
    corner: Any, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system is silent, what an editor saw is enough."""
    monkeypatch.setattr("keepgate.pages.watch.Watcher.watch", lambda *_: None)
    monkeypatch.setattr(keeping, "UNWATCHED_S", 3600.0)
    pages = corner.keep()
    corner.write("a.md")
    pages.start()
    try:
        await until(has(corner, "a"))
        file = corner.write("b.md")
        pages.files_changed([str(file), "/elsewhere/x.md", str(corner.folder / ".git" / "y.md"), "", "\0"])
        await until(has(corner, "a", "b"))
    finally:
        await pages.close()


async def test_an_index_that_was_put_back_is_brought_up(
    corner: Any, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restore everything is looked at, whatever the files did meanwhile."""
    monkeypatch.setattr("keepgate.pages.watch.Watcher.watch", lambda *_: None)
    monkeypatch.setattr(keeping, "UNWATCHED_S", 3600.0)
    corner.write("a.md")
    pages = corner.keep()
    pages.start()
    try:
        await until(has(corner, "a"))
        corner.write("b.md")
        pages.look_again()
        await until(has(corner, "a", "b"))
    finally:
        await pages.close()


async def test_one_process_indexes_and_another_takes_over(corner: Any, another: Any, until: Any) -> None:
    """Both read the same; when the elected one ends, the other follows the files."""
    first, second = corner.keep(), another.keep()
    first.start()
    corner.write("a.md")
    await until(has(corner, "a"))
    second.start()
    try:
        lock = election(str(corner.state / "locks"), corner.root)
        assert not is_elected(lock)
        await first.close()
        corner.write("b.md")
        await until(has(another, "a", "b"))
    finally:
        await first.close()
        await second.close()


_HOLDER = """
import sys, time
from keepgate.pages.keeper import election, is_elected
from keepgate.pages.roots import Root
lock = election(sys.argv[1], Root(sys.argv[2], sys.argv[3]))
assert is_elected(lock)
print("elected", flush=True)
time.sleep(600)
"""


async def test_a_killed_process_is_replaced(corner: Any, until: Any) -> None:
    """The system drops the lock of a process that is gone, however it went."""
    holder = subprocess.Popen(  # noqa: ASYNC220 - it is killed like any process
        [sys.executable, "-c", _HOLDER, str(corner.state / "locks"), KEY, corner.root.folder],
        stdout=subprocess.PIPE,
    )
    pages = corner.keep()
    try:
        assert holder.stdout is not None
        assert b"elected" == holder.stdout.readline().strip()
        corner.write("a.md")
        await pages.refresh()
        pages.start()
        assert [] == await corner.slugs()
        holder.kill()
        await until(has(corner, "a"))
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
        await pages.close()


async def test_a_command_brings_the_index_up_once(corner: Any, another: Any) -> None:
    """Where no process keeps the index, a command looks itself, and starts no watch for it."""
    pages = corner.keep()
    corner.write("a.md")
    await pages.refresh()

    assert ["a"] == await another.slugs()
    assert not _watching_threads()
    await pages.close()
    await pages.close()


def _watching_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if type(each).__module__.startswith("watchdog")]


async def test_a_written_file_is_found_at_once(corner: Any) -> None:
    """Whoever wrote it through the gate finds it, whichever process keeps the index."""
    pages = corner.keep()
    corner.write("a/b.md")

    await pages.written(KEY, corner.root.folder, ["a/b.md"])

    assert ["a/b"] == await corner.slugs()
    await pages.close()


async def test_closing_ends_every_thread(corner: Any, until: Any) -> None:
    """Also in the middle of much work."""
    for at in range(400):
        corner.write(f"n{at:03}.md", "text " * 50)
    pages = corner.keep()
    pages.start()

    async def begun() -> bool:
        return bool(await corner.slugs())

    await until(begun)
    await pages.close()

    assert not _watching_threads()
    assert not any(thread.name == "keepgate-pages" for thread in threading.enumerate())


async def test_a_change_is_told_to_every_process(corner: Any, until: Any) -> None:
    """The feed says of which home pages changed, and says nothing when nothing did."""
    from keepgate.store.feed import changes_since

    async def told() -> list[str | None]:
        events = await corner.store.reading.run(changes_since, 0, 100)
        return [event.workspace_key for event in events if event.kind == "pages/didChange"]

    corner.write("a.md")
    await corner.indexing.bring_up(corner.root)
    assert [KEY] == await told()
    await corner.indexing.bring_up(corner.root)
    assert [KEY] == await told()


async def test_reindexing_counts_and_may_be_given_up(corner: Any) -> None:
    """Progress comes to its end, and a caller that leaves ends the work between files."""
    for at in range(100):
        corner.write(f"n{at:03}.md")
    pages = corner.keep()
    reports: list[tuple[int, int]] = []

    outcome = await pages.reindex(pages.homes(), lambda done, total: reports.append((done, total)))

    assert (100, 0) == (outcome.changed, outcome.removed)
    assert (100, 100) == reports[-1]
    assert reports == sorted(reports)
    task = asyncio.create_task(pages.reindex(pages.homes(), lambda *_: task.cancel()))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 100 == len(await corner.slugs())
    await pages.close()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
async def test_a_link_in_the_place_of_a_file_is_no_page(corner: Any, until: Any, tmp_path: Path) -> None:
    """A page that becomes a link to somewhere else is a page no more."""
    secret = corner.write("secret.md", "# Secret", folder=tmp_path / "outside")
    file = corner.write("a.md", "# Mine")
    pages = corner.keep()
    pages.start()
    try:
        await until(has(corner, "a"))
        link = corner.folder / ".link"
        link.symlink_to(secret)
        link.replace(file)
        await until(has(corner))
    finally:
        await pages.close()
