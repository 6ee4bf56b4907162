"""Restoring where the store is missing or damaged: nothing is lost, whatever the folder does meanwhile."""

import os
from pathlib import Path
from types import ModuleType

import apsw
import pytest
from attrs import evolve

from keepgate.core.model.stamp import Stamp
from keepgate.protocol.errors import Code, Fault
from keepgate.store.backup import BackupResult, RestoreResult, backup
from keepgate.store.copying import written_time
from keepgate.store.memory import Writer
from keepgate.store.open import Store
from keepgate.store.rescue import restore_at
from keepgate.store.verify import verify_store

DAMAGED = b"no store at all " * 1000
NOW_MS = 1_800_000_000_000
ASIDE = f".damaged-{written_time(NOW_MS)}"


@pytest.fixture
async def made(acting: ModuleType, store: Store, writer: Writer, tmp_path: Path) -> BackupResult:
    """A backup of a store with one entry; one more was added since, and the store is closed."""
    await acting.add(writer, "in the backup")
    copy = await backup(store, str(tmp_path / "copy.db"))
    await acting.add(writer, "since the backup")
    return copy


async def rescue(acting: ModuleType, store: Store, source: str, tmp_path: Path) -> RestoreResult:
    """Restore at a moment that is known before."""

    def now() -> Stamp:
        stamp: Stamp = acting.stamp()
        return evolve(stamp, now_ms=NOW_MS)

    return await restore_at(store.path, source, state_folder=str(tmp_path / "state"), stamp_maker=now)


async def texts(acting: ModuleType, tmp_path: Path) -> list[str]:
    """What the store holds, which has to be whole."""
    again = await acting.open_at(tmp_path)
    found = await again.reading.run(lambda db: db.execute("SELECT text FROM entries").fetchall())
    verified = await verify_store(again)
    await again.close()
    assert verified.ok
    return [text for (text,) in found]


async def test_the_log_of_a_store_that_is_gone_is_not_met_by_its_backup(
    acting: ModuleType, store: Store, made: BackupResult, tmp_path: Path
) -> None:
    """It would be played into the restored file; it is kept under another name."""
    log = Path(f"{store.path}-wal")
    left = log.read_bytes()
    await store.close()
    Path(store.path).unlink()
    log.write_bytes(left)

    result = await rescue(acting, store, made.path, tmp_path)

    assert ["in the backup"] == await texts(acting, tmp_path)
    assert (None, made.content_hash) == (result.kept, result.content_hash)
    assert left == Path(f"{store.path}{ASIDE}-wal").read_bytes()


async def test_where_no_file_has_two_names_the_damaged_one_is_copied(
    acting: ModuleType, store: Store, made: BackupResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems know no hard links."""

    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    await store.close()
    Path(store.path).write_bytes(DAMAGED)
    monkeypatch.setattr(os, "link", no_links)

    result = await rescue(acting, store, made.path, tmp_path)

    assert f"{store.path}{ASIDE}" == result.kept
    assert DAMAGED == Path(result.kept).read_bytes()
    assert ["in the backup"] == await texts(acting, tmp_path)


async def test_what_was_set_aside_before_is_not_overwritten(
    acting: ModuleType, store: Store, made: BackupResult, tmp_path: Path
) -> None:
    """Its name is taken, so nothing is restored at this moment, and everything stays as it is."""
    await store.close()
    Path(store.path).write_bytes(DAMAGED)
    Path(f"{store.path}{ASIDE}").write_bytes(b"earlier")

    with pytest.raises(Fault) as raised:
        await rescue(acting, store, made.path, tmp_path)

    assert Code.STORE_READ_ONLY == raised.value.code
    assert DAMAGED == Path(store.path).read_bytes()
    assert b"earlier" == Path(f"{store.path}{ASIDE}").read_bytes()
    assert [] == list(Path(store.path).parent.glob("*.part"))


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_swap_that_fails_half_way_is_taken_back(
    acting: ModuleType, store: Store, made: BackupResult, tmp_path: Path, is_there: bool
) -> None:
    """The log has its name again, and the other file has one name; a missing one is missing still."""
    await store.close()
    path = Path(store.path)
    path.unlink()
    other = apsw.Connection(store.path)
    other.execute("PRAGMA journal_mode = WAL; CREATE TABLE of_another_application (x)").fetchall()
    if not is_there:
        path.unlink()
    before = {found.name: found.read_bytes() for found in path.parent.iterdir()}
    Path(f"{path}{ASIDE}-shm").mkdir()

    with pytest.raises(Fault) as raised:
        await rescue(acting, store, made.path, tmp_path)
    Path(f"{path}{ASIDE}-shm").rmdir()
    after = {found.name: found.read_bytes() for found in path.parent.iterdir()}
    other.close()

    assert Code.STORE_READ_ONLY == raised.value.code
    assert (
        {"memory.db-wal", "memory.db-shm", *(["memory.db"] if is_there else [])} == set(before) == set(after)
    )
    assert before["memory.db-wal"] == after["memory.db-wal"]
    assert before.get("memory.db") == after.get("memory.db")
