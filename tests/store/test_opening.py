"""Opening a file: new, whole, foreign, damaged, newer, and one that cannot be written."""

import asyncio
import gc
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.store import migrate, reads
from keepgate.store.memory import Writer
from keepgate.store.open import Store, open_store
from keepgate.store.verify import check_pages, verify_store

posix = pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX notion")


async def test_a_new_store_is_empty_and_of_the_newest_version(store: Store) -> None:
    """Version, id and journal are known from the start."""
    assert migrate.VERSION == store.version
    assert 36 == len(store.id)
    assert "wal" == store.journal_mode
    assert {"entries": 0, "ledger_rows": 0, "pending_proposals": 0} == await store.reading.run(
        reads.counts, 0
    )


@posix
async def test_only_the_user_can_read_the_store(acting: ModuleType, tmp_path: Path) -> None:
    """Folder 0700; file, log, shared memory and key 0600, whatever the umask says."""
    before = os.umask(0)
    try:
        store = await acting.open_at(tmp_path)
        await acting.add(Writer(store), "private")
    finally:
        os.umask(before)
    path = Path(store.path)
    modes = {
        item.name: stat.S_IMODE(item.stat().st_mode)
        for item in (path.parent, path, Path(f"{path}-wal"), Path(f"{path}-shm"), tmp_path / "state")
    }
    key_mode = stat.S_IMODE((tmp_path / "state" / "ledger.key").stat().st_mode)
    await store.close()
    assert {
        "data": 0o700,
        "memory.db": 0o600,
        "memory.db-wal": 0o600,
        "memory.db-shm": 0o600,
        "state": 0o700,
    } == modes
    assert 0o600 == key_mode


@posix
async def test_only_the_user_can_read_what_lies_beside_it(acting: ModuleType, tmp_path: Path) -> None:
    """Whatever is made in the state folder while a store is opened, written, closed and opened again."""
    before = os.umask(0)
    try:
        for text in ("one", "two"):
            store = await acting.open_at(tmp_path)
            await acting.add(Writer(store), text)
            await store.close()
    finally:
        os.umask(before)

    made = [item for folder in ("state", "data") for item in (tmp_path / folder).rglob("*")]
    assert {"anchors", "clean", "presence"} <= {item.name for item in made}
    assert [] == [str(item) for item in made if stat.S_IMODE(item.stat().st_mode) & 0o077]


@posix
async def test_a_file_that_others_could_read_is_closed_to_them(acting: ModuleType, tmp_path: Path) -> None:
    """Opening tightens the mode of a store that its own user left open."""
    await (await acting.open_at(tmp_path)).close()
    path = Path(acting.store_path(tmp_path))
    path.chmod(0o644)
    await (await acting.open_at(tmp_path)).close()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


async def test_an_opened_store_keeps_its_identity(acting: ModuleType, tmp_path: Path) -> None:
    """The id is the file's, the origin the opening's."""
    first = await acting.open_at(tmp_path)
    await first.close()
    second = await acting.open_at(tmp_path)
    await second.close()
    assert first.id == second.id
    assert first.origin != second.origin


async def test_a_file_of_no_bytes_opens_as_new(acting: ModuleType, tmp_path: Path) -> None:
    """Some tool touched the path; nothing is lost by using it."""
    path = Path(acting.store_path(tmp_path))
    path.parent.mkdir()
    path.touch()
    store = await acting.open_at(tmp_path)
    await store.close()
    assert migrate.VERSION == store.version


def _whole(path: Path) -> bytes:
    return path.read_bytes()


def _spoil_with_garbage(path: Path) -> None:
    path.write_bytes(b"This is no database. " * 500)


def _spoil_by_truncating(path: Path) -> None:
    path.write_bytes(_whole(path)[: path.stat().st_size // 2])


def _spoil_by_cutting_the_header(path: Path) -> None:
    path.write_bytes(_whole(path)[:60])


def _spoil_a_page(path: Path) -> None:
    content = bytearray(_whole(path))
    for page in range(2, len(content) // 4096, 2):
        content[page * 4096 : page * 4096 + 4096] = os.urandom(4096)
    path.write_bytes(content)


def _replace_by_foreign(path: Path) -> None:
    path.unlink()
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE entries (id); INSERT INTO entries VALUES (1)")
    db.close()


def _take_tables_away(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP TABLE feed")
    db.close()


def _version_of_zero(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("PRAGMA user_version = 0")
    db.close()


def _negative_version(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("PRAGMA user_version = -3")
    db.close()


def _break_a_check(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP TRIGGER entries_update_needs_approval; PRAGMA ignore_check_constraints = ON")
    db.execute("UPDATE entries SET version = 0 WHERE row = 7")
    db.close()


@pytest.mark.parametrize(
    "spoil",
    [
        _break_a_check,
        _spoil_with_garbage,
        _spoil_by_truncating,
        _spoil_by_cutting_the_header,
        _spoil_a_page,
        _replace_by_foreign,
        _take_tables_away,
        _version_of_zero,
        _negative_version,
    ],
)
async def test_what_is_no_whole_store_is_refused_and_left_alone(
    acting: ModuleType, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """``STORE_CORRUPT`` names the path; the file is not renamed, repaired or replaced (DSH-7)."""
    store = await acting.open_at(tmp_path)
    await acting.seed(Writer(store), [acting.draft(f"entry {number} " * 20) for number in range(200)])
    await store.close()
    path = Path(store.path)
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    assert Code.STORE_CORRUPT == raised.value.code
    assert {"path": str(path)} == raised.value.details
    assert before == path.read_bytes()
    # SQLite may leave the log it began; nothing was set aside or put in the file's place.
    assert {item.name for item in path.parent.iterdir()} <= {
        path.name,
        f"{path.name}-wal",
        f"{path.name}-shm",
    }


async def test_a_folder_in_the_files_place_is_refused(acting: ModuleType, tmp_path: Path) -> None:
    """It is no store, and it is left alone."""
    Path(acting.store_path(tmp_path)).mkdir(parents=True)
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    assert Code.STORE_CORRUPT == raised.value.code


async def test_a_newer_store_is_refused_and_left_alone(acting: ModuleType, tmp_path: Path) -> None:
    """``STORE_UNSUPPORTED_VERSION`` says what was found and what is supported."""
    store = await acting.open_at(tmp_path)
    await store.close()
    path = Path(store.path)
    db = apsw.Connection(store.path)
    db.execute(f"PRAGMA user_version = {migrate.VERSION + 1}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    assert Code.STORE_UNSUPPORTED_VERSION == raised.value.code
    found, supported = migrate.VERSION + 1, migrate.VERSION
    assert {"path": str(path), "found": found, "supported": supported} == raised.value.details
    assert before == path.read_bytes()


async def test_a_file_where_the_folder_should_be_is_no_place_for_a_store(tmp_path: Path) -> None:
    """The fault is of the closed set, not a raw system error."""
    (tmp_path / "file").write_text("here first")
    with pytest.raises(Fault) as raised:
        await open_store(
            str(tmp_path / "file" / "memory.db"),
            state_folder=str(tmp_path / "state"),
            stamp_maker=lambda: None,
        )
    assert Code.STORE_READ_ONLY == raised.value.code


async def test_reading_only_makes_no_store(acting: ModuleType, tmp_path: Path) -> None:
    """Nothing there stays nothing there."""
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path, read_only=True)
    assert Code.STORE_READ_ONLY == raised.value.code
    assert not Path(acting.store_path(tmp_path)).parent.exists()


async def test_an_empty_file_cannot_become_a_store_when_only_reading(
    acting: ModuleType, tmp_path: Path
) -> None:
    """A store is made by writing."""
    path = Path(acting.store_path(tmp_path))
    path.parent.mkdir()
    path.touch()
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path, read_only=True)
    assert Code.STORE_READ_ONLY == raised.value.code


async def test_a_store_opened_for_reading_only_reads(acting: ModuleType, tmp_path: Path) -> None:
    """Reads answer; a write is ``STORE_READ_ONLY`` and stores nothing."""
    store = await acting.open_at(tmp_path)
    await acting.add(Writer(store), "there")
    await store.close()
    reader = await acting.open_at(tmp_path, read_only=True)
    found = await reader.reading.run(lambda db: reads.query(db, acting.ME.viewer, text="there", limit=5))
    with pytest.raises(Fault) as raised:
        await acting.add(Writer(reader), "more")
    with pytest.raises(Fault) as tried:
        await reader.round_trip_ms()
    await reader.close()
    assert 1 == found[1]
    assert Code.STORE_READ_ONLY == raised.value.code
    assert Code.STORE_READ_ONLY == tried.value.code


async def test_a_rollback_journal_is_used_where_the_file_system_is_not_local(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No log on a network file system; a store that had one gives it up, and takes it up again at home."""
    from keepgate.store.filesystem import FileSystem

    home = await acting.open_at(tmp_path)
    await acting.add(Writer(home), "written at home")
    await home.close()
    away = FileSystem(local=False, type="nfs4", told_by="the test")
    with monkeypatch.context() as patch:
        patch.setattr("keepgate.store.open.file_system_of", lambda _: away)
        store = await acting.open_at(tmp_path)
    await acting.add(Writer(store), "written away")
    journals = [store.journal_mode]
    found = await store.reading.run(lambda db: reads.query(db, acting.ME.viewer, limit=5), instant=True)
    await store.close()
    again = await acting.open_at(tmp_path)
    journals.append(again.journal_mode)
    await again.close()
    assert ["delete", "wal"] == journals
    assert 2 == found[1]
    assert "network (nfs4, told by the test)" == store.file_system


async def test_opening_and_closing_leaves_nothing_behind(acting: ModuleType, tmp_path: Path) -> None:
    """Two hundred times: no thread, no file handle, no presence file, no log."""
    await _open_use_close(acting, tmp_path)
    gc.collect()
    threads, handles = threading.active_count(), _open_handles()
    for _ in range(200):
        await _open_use_close(acting, tmp_path)
    gc.collect()
    assert threads == threading.active_count()
    assert handles == _open_handles()
    assert [] == list((tmp_path / "state" / "presence").iterdir())
    assert ["memory.db"] == [item.name for item in (tmp_path / "data").iterdir()]


def _open_handles() -> int:
    """How many file handles this process has; always 0 where the system does not list them."""
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.exists() else 0


async def _open_use_close(acting: ModuleType, folder: Path) -> None:
    store = await acting.open_at(folder)
    await store.reading.run(reads.counts, 0)
    await store.reading.run(reads.counts, 0, instant=True)
    await store.round_trip_ms()
    await store.close()


async def test_closing_twice_is_closing_once(store: Store) -> None:
    """The second call has nothing to do."""
    await store.close()
    await store.close()
    assert not store.presence.alive(store.presence.token)


async def test_no_thread_of_an_open_store_keeps_the_process_alive(
    store: Store, writer: Writer, acting: Any
) -> None:
    """A process that forgets to close its store still ends."""
    await acting.add(writer, "something")
    await store.reading.run(reads.counts, 0)
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("keepgate")]
    assert ours
    assert all(thread.daemon for thread in ours)


async def test_eight_processes_make_one_store(actor: Callable[..., Any]) -> None:
    """Everybody who opens a fresh path at the same moment gets the same whole store (W10). Ten paths."""
    started = [actor("create") for _ in range(8)]
    for other in started:
        assert "ready" == await asyncio.to_thread(other.line)
    for number in range(10):
        for other in started:
            other.tell(f"fresh-{number}")
        said = {await asyncio.to_thread(other.line) for other in started}
        assert 1 == len(said), said
        assert said.pop().startswith("opened")
    for other in started:
        other.tell()
        assert [] == await asyncio.to_thread(other.rest)


async def test_a_store_whose_log_nobody_can_switch_stays_in_its_journal(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has it open with a rollback journal: still a good store, and not worth a wait."""
    from keepgate.store.filesystem import FileSystem

    away = FileSystem(local=False, type="nfs4", told_by="the test")
    with monkeypatch.context() as patch:
        patch.setattr("keepgate.store.open.file_system_of", lambda _: away)
        first = await acting.open_at(tmp_path)
    db = apsw.Connection(first.path)
    db.execute("BEGIN; SELECT count(*) FROM entries")
    second = await acting.open_at(tmp_path)
    journal = second.journal_mode
    db.close()
    await second.close()
    await first.close()
    assert "delete" == journal


async def test_a_large_file_is_not_checked_page_by_page_at_opening(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening stays quick; the damage is met where it is read, or by ``verify``."""
    store = await acting.open_at(tmp_path)
    await acting.add(Writer(store), "one")
    await store.close()
    db = apsw.Connection(store.path)
    db.execute("DROP TRIGGER entries_update_needs_approval; PRAGMA ignore_check_constraints = ON")
    db.execute("UPDATE entries SET version = 0")
    db.close()
    monkeypatch.setattr(migrate, "QUICK_CHECK_BYTES_MAX", 1)
    again = await acting.open_at(tmp_path)
    verified = await verify_store(again)
    await again.close()
    assert not verified.ok


async def test_a_log_where_none_may_be_is_given_up_when_others_close(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite says "busy" at once here, without asking to wait; opening waits all the same."""
    from keepgate.store.filesystem import FileSystem

    first = await acting.open_at(tmp_path)
    away = FileSystem(local=False, type="nfs4", told_by="the test")
    monkeypatch.setattr("keepgate.store.open.file_system_of", lambda _: away)
    opening = asyncio.create_task(acting.open_at(tmp_path))
    await asyncio.sleep(0.1)
    waiting = not opening.done()
    await first.close()
    store = await opening
    await store.close()
    assert (True, "delete") == (waiting, store.journal_mode)


def _damage_quietly(path: str) -> None:
    """Damage that only a look at every page finds; the file's time and size stay."""
    kept = Path(path).stat()
    db = apsw.Connection(path)
    db.execute("DROP TRIGGER entries_update_needs_approval; PRAGMA ignore_check_constraints = ON")
    db.execute("UPDATE entries SET version = 0")
    db.close()
    os.truncate(path, max(kept.st_size, Path(path).stat().st_size))
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))


async def test_a_store_that_was_closed_is_not_looked_through_again(
    acting: ModuleType, tmp_path: Path
) -> None:
    """Opening takes no longer in a large store: the pages of one that lies as it was left are vouched for."""
    store = await acting.open_at(tmp_path)
    await acting.add(Writer(store), "one")
    await store.close()
    _damage_quietly(store.path)
    again = await acting.open_at(tmp_path)
    pages = await check_pages(again)
    await again.close()
    assert "ok" != pages


async def test_a_store_whose_process_was_killed_is_looked_through(
    acting: ModuleType, tmp_path: Path, actor: Callable[..., Any]
) -> None:
    """Its log lies beside it and nobody is at work; while somebody is, the pages are theirs to know."""
    store = await acting.open_at(tmp_path)
    await acting.add(Writer(store), "one")
    await store.close()
    other = actor("keep-open")
    await asyncio.to_thread(other.line)
    _damage_quietly(store.path)
    beside = await acting.open_at(tmp_path)
    await beside.close()
    other.kill()
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    assert Code.STORE_CORRUPT == raised.value.code
