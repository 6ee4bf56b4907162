"""Disks that are full, and places that cannot be written."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.store import faults, reads
from keepgate.store.backup import backup
from keepgate.store.memory import Writer
from keepgate.store.verify import verify_store


class FullDisk(apsw.VFS):
    """A file system, made the default, whose disk can be filled: writes then fail as the system's would."""

    def __init__(self) -> None:
        self.error: type[apsw.Error] | None = None
        self.base = apsw.vfs_names()[0]
        super().__init__("full-disk", self.base, makedefault=True)

    def xOpen(self, name: Any, flags: Any) -> "FullDiskFile":  # noqa: N802 - SQLite's name
        """Open a file whose writes are watched."""
        return FullDiskFile(self, name, flags)


class FullDiskFile(apsw.VFSFile):
    """A file on it."""

    def __init__(self, disk: FullDisk, name: Any, flags: Any) -> None:
        self._disk = disk
        super().__init__(disk.base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        """Write, or fail."""
        if self._disk.error is not None:
            raise self._disk.error("injected")
        super().xWrite(data, offset)


@pytest.fixture
def disk() -> Iterator[FullDisk]:
    """A disk that can be filled, under every connection of the test."""
    made = FullDisk()
    yield made
    made.unregister()


@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
async def test_a_write_on_a_full_disk_is_refused_whole(
    acting: ModuleType, tmp_path: Path, disk: FullDisk, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    """``STORE_FULL``; nothing of it is stored, reads answer, and the next write after cleaning up works."""
    store = await acting.open_at(tmp_path)
    writer = Writer(store)
    await acting.add(writer, "before")
    if error is apsw.IOError:
        # Some systems report a full disk as a failed write; the free space tells.
        monkeypatch.setattr(faults, "ROOM_BYTES", 2**62)
    disk.error = error
    with pytest.raises(Fault) as raised:
        await acting.add(writer, "too much")
    noted = await store.evidence.note_recall(
        viewer_workspace="/work", agent_key="", session_id="s", track=None, scope=None, text=None,
        entry_ids=[], stamp=acting.stamp(),
    )  # fmt: skip
    found = await store.reading.run(lambda db: reads.query(db, acting.ME.viewer, limit=5))
    disk.error = None
    await acting.add(writer, "after")
    verified = await verify_store(store)
    await store.close()
    assert (Code.STORE_FULL, {"path": store.path}) == (raised.value.code, raised.value.details)
    assert (None, 1) == (noted, found[1])
    assert (2, True) == (verified.rows, verified.ok)


async def test_another_failure_of_the_disk_is_not_called_full(
    acting: ModuleType, tmp_path: Path, disk: FullDisk
) -> None:
    """It stays what it is, for the log; nothing is stored."""
    store = await acting.open_at(tmp_path)
    disk.error = apsw.IOError
    with pytest.raises(apsw.IOError):
        await acting.add(Writer(store), "lost in the cable")
    disk.error = None
    assert 0 == (await store.reading.run(reads.counts, 0))["entries"]
    await store.close()


def test_a_disk_that_cannot_be_asked_for_room_is_not_called_full() -> None:
    """The error stays what it is."""
    assert faults.fault_of(apsw.IOError("no"), "/no/such/folder/memory.db") is None


def system(*command: str) -> None:
    """Run a command of the system."""
    subprocess.run(command, check=True)


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[None]:
    """A small disk of its own at ``folder``."""
    folder.mkdir()
    system("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield
    finally:
        system("umount", str(folder))


def _may_mount() -> bool:
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False, capture_output=True
    )
    return tried.returncode == 0


mounts = pytest.mark.skipif(
    not _may_mount(), reason="a small disk needs the right to mount; see FullDisk above"
)


@mounts
async def test_a_real_disk_fills_up_and_is_cleaned_up(acting: ModuleType, tmp_path: Path) -> None:
    """Writes go on until they cannot; every acknowledged one is there, and the store verifies."""
    with mounted(tmp_path / "small", "2m"):
        store = await acting.open_at(tmp_path / "small")
        writer = Writer(store)
        added = 0

        async def fill() -> None:
            nonlocal added
            while True:
                await acting.add(writer, f"{added} " * 500)
                added += 1

        with pytest.raises(Fault) as raised:
            await fill()
        with pytest.raises(Fault) as copied:
            await backup(store, str(tmp_path / "small" / "copy.db"))
        before = await store.reading.run(reads.counts, 0)
        system("mount", "-o", "remount,size=16m", str(tmp_path / "small"))
        await acting.add(writer, "room again")
        verified = await verify_store(store)
        await store.close()
    assert (Code.STORE_FULL, added) == (raised.value.code, before["entries"])
    assert Code.STORE_FULL == copied.value.code
    assert ([], True) == (verified.problems, verified.ok)


@mounts
async def test_a_disk_without_room_for_a_store_says_so(acting: ModuleType, tmp_path: Path) -> None:
    """``STORE_FULL`` at opening; with room, the same path opens."""
    with mounted(tmp_path / "small", "2m"):
        filler = tmp_path / "small" / "filler"
        (tmp_path / "small" / "data").mkdir(mode=0o700)
        filler.write_bytes(b"x" * (2 * 1024 * 1024 - 4096 * 4))
        with pytest.raises(Fault) as raised:
            await acting.open_at(tmp_path / "small")
        filler.unlink()
        store = await acting.open_at(tmp_path / "small")
        await store.close()
    assert Code.STORE_FULL == raised.value.code


@mounts
@pytest.mark.parametrize("closed", [True, False], ids=["at rest", "with a log beside it"])
async def test_a_store_on_a_read_only_disk_is_read(acting: ModuleType, tmp_path: Path, closed: bool) -> None:
    """Also with the log that a crash left; writes are ``STORE_READ_ONLY``, evidence is given up."""
    with mounted(tmp_path / "small", "8m"):
        store = await acting.open_at(tmp_path / "small")
        await acting.add(Writer(store), "there")
        copy = tmp_path / "small" / "copy"
        if closed:
            await store.close()
            copy = tmp_path / "small"
        else:
            system("cp", "-r", str(tmp_path / "small"), str(tmp_path / "copy"))
            await store.close()
            system("mv", str(tmp_path / "copy"), str(copy))
        system("mount", "-o", "remount,ro", str(tmp_path / "small"))
        reader = await acting.open_at(copy)
        found = [
            await reader.reading.run(lambda db: reads.query(db, acting.ME.viewer, limit=5), instant=instant)
            for instant in (True, False)
        ]
        noted = await reader.evidence.note_recall(
            viewer_workspace="/work", agent_key="", session_id="s", track=None, scope=None, text=None,
            entry_ids=[], stamp=acting.stamp(),
        )  # fmt: skip
        verified = await verify_store(reader)
        with pytest.raises(Fault) as raised:
            await acting.add(Writer(reader), "more")
        alive = reader.presence.alive(reader.presence.token)
        await reader.close()
    assert reader.read_only
    assert [1, 1] == [total for _, total in found]
    assert (None, True, False) == (noted, verified.ok, alive)
    assert Code.STORE_READ_ONLY == raised.value.code


@mounts
async def test_a_log_that_cannot_be_read_is_not_passed_over(acting: ModuleType, tmp_path: Path) -> None:
    """Without its shared memory SQLite cannot read it here; what it holds must not seem to be gone."""
    with mounted(tmp_path / "small", "8m"):
        store = await acting.open_at(tmp_path / "small")
        await acting.add(Writer(store), "only in the log")
        system("cp", "-r", str(tmp_path / "small"), str(tmp_path / "copy"))
        await store.close()
        system("mv", str(tmp_path / "copy"), str(tmp_path / "small" / "copy"))
        Path(acting.store_path(tmp_path / "small" / "copy") + "-shm").unlink()
        system("mount", "-o", "remount,ro", str(tmp_path / "small"))
        with pytest.raises(Fault) as raised:
            await acting.open_at(tmp_path / "small" / "copy")
    assert Code.STORE_READ_ONLY == raised.value.code
    assert "its log" in raised.value.message


@mounts
async def test_no_store_can_be_made_on_a_read_only_disk(acting: ModuleType, tmp_path: Path) -> None:
    """``STORE_READ_ONLY``, with the reason in words."""
    with mounted(tmp_path / "small", "1m"):
        system("mount", "-o", "remount,ro", str(tmp_path / "small"))
        with pytest.raises(Fault) as raised:
            await acting.open_at(tmp_path / "small")
    assert Code.STORE_READ_ONLY == raised.value.code
    assert "Read-only file system" in raised.value.message


async def test_a_state_folder_that_takes_no_key_takes_no_writes(acting: ModuleType, tmp_path: Path) -> None:
    """The store opens and reads; a write is ``STORE_READ_ONLY`` and names the key."""
    (tmp_path / "state").write_text("not a folder")
    store = await acting.open_at(tmp_path)
    with pytest.raises(Fault) as raised:
        await acting.add(Writer(store), "unsealed")
    counts = await store.reading.run(reads.counts, 0)
    await store.close()
    assert (Code.STORE_READ_ONLY, 0) == (raised.value.code, counts["ledger_rows"])
    assert raised.value.details["path"].endswith("ledger.key")
