"""From every released version to this one: whole, backed up, once, and never half."""

import asyncio
import gzip
import hashlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest
from filelock import FileLock

from keepgate.core.model.viewer import Viewer
from keepgate.protocol.errors import Code, Fault
from keepgate.store import migrate, reads
from keepgate.store.backup import backup, restore
from keepgate.store.connection import Patience, connect
from keepgate.store.copying import file_hash
from keepgate.store.memory import Writer
from keepgate.store.open import Store
from keepgate.store.verify import verify_store

FIXTURES = Path(__file__).parent / "fixtures"
ALL = Viewer(workspaces=None, agent_key=None)
STEPS = tuple(migrate.STEPS)
NOW = len(STEPS)
"""The version that there is; the tests make up the two after it."""
VERSIONS = sorted(int(path.name[1:].split(".")[0]) for path in FIXTURES.glob("v*.db.gz"))


def unpack(acting: ModuleType, folder: Path, version: int) -> tuple[Path, dict[str, Any]]:
    """Put a fixture in the place of a store; what has to be found in it."""
    path = Path(acting.store_path(folder))
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.decompress((FIXTURES / f"v{version}.db.gz").read_bytes()))
    return path, json.loads((FIXTURES / f"v{version}.json").read_text("utf-8"))


def kept_copies(path: Path) -> list[Path]:
    """The backups beside a store."""
    return sorted(path.parent.glob(f"{path.name}.before-v*"))


def test_every_version_has_its_fixture() -> None:
    """A new step needs the file that its users will have."""
    assert list(range(1, migrate.VERSION + 1)) == VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_released_version_opens_whole(acting: ModuleType, tmp_path: Path, version: int) -> None:
    """Entries, counters, proposals and ledger are there; the store verifies and can be written."""
    path, facts = unpack(acting, tmp_path, version)
    store = await acting.open_at(tmp_path)
    found = await store.reading.run(reads.snapshot_entries, ALL)
    recalled = await store.reading.run(reads.entry, facts["recalled"])
    verified = await verify_store(store)
    counts = await store.reading.run(reads.counts, 0)
    known = await store.reading.run(lambda db: db.execute("SELECT text FROM facts ORDER BY id").fetchall())
    await acting.add(Writer(store), "a new one")
    remembered = await acting.remember(Writer(store), "a new fact")
    await store.close()
    assert (migrate.VERSION, facts["id"], facts["counts"]) == (store.version, store.id, counts)
    assert facts["texts"] == [entry.text for entry in found]
    assert facts.get("facts", []) == [text for (text,) in known]
    assert len(known) + 1 == remembered.id
    assert recalled is not None
    assert 1 == recalled.recall_count
    assert ["foreign-key"] == [problem.kind for problem in verified.problems]
    assert (version < migrate.VERSION) == bool(kept_copies(path))


def _second(db: apsw.Connection) -> None:
    db.execute("CREATE TABLE second (x); INSERT INTO second SELECT count(*) FROM entries")


def _third(db: apsw.Connection) -> None:
    db.execute("CREATE TABLE third (x); INSERT INTO third SELECT x FROM second")


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """This keepgate has two more versions than there are."""
    monkeypatch.setattr(migrate, "STEPS", (*STEPS, _second, _third))


async def test_missing_steps_are_taken_and_a_whole_copy_is_kept(
    acting: ModuleType, tmp_path: Path, newer: None
) -> None:
    """The copy has every row of the file as it was, and can be opened by who made it."""
    path, facts = unpack(acting, tmp_path, NOW)
    before = apsw.Connection(str(path))
    content = file_hash(before)
    before.close()
    store = await acting.open_at(tmp_path)
    third = await store.reading.run(lambda db: db.execute("SELECT x FROM third").get)
    await store.close()
    (copy,) = kept_copies(path)
    old = apsw.Connection(str(copy))
    kept = (old.execute("PRAGMA user_version").get, file_hash(old))
    old.close()
    assert (NOW + 2, facts["counts"]["entries"]) == (store.version, third)
    assert (NOW, content) == kept
    assert f".before-v{NOW + 2}-" in copy.name


async def test_an_upgrade_that_was_interrupted_between_steps_goes_on(
    acting: ModuleType, tmp_path: Path, newer: None
) -> None:
    """The version says which steps are done; each is done once."""
    path, facts = unpack(acting, tmp_path, NOW)
    db = apsw.Connection(str(path))
    _second(db)
    db.execute(f"PRAGMA user_version = {NOW + 1}")
    db.close()
    store = await acting.open_at(tmp_path)
    rows = await store.reading.run(lambda db: db.execute("SELECT x FROM second").fetchall())
    await store.close()
    assert (NOW + 2, [(facts["counts"]["entries"],)]) == (store.version, rows)


async def test_a_step_that_fails_leaves_the_version_before_it(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a step is no step: the next opening does it whole."""

    def fails(db: apsw.Connection) -> None:
        _third(db)
        raise KeyError("no")

    path, _ = unpack(acting, tmp_path, NOW)
    monkeypatch.setattr(migrate, "STEPS", (*STEPS, _second, fails))
    with pytest.raises(KeyError):
        await acting.open_at(tmp_path)
    db = apsw.Connection(str(path))
    left = (
        db.execute("PRAGMA user_version").get,
        [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE name IN ('second', 'third')")],
    )
    db.close()
    monkeypatch.setattr(migrate, "STEPS", (*STEPS, _second, _third))
    store = await acting.open_at(tmp_path)
    await store.close()
    assert (NOW + 1, ["second"]) == left
    assert NOW + 2 == store.version


async def test_a_creation_that_fails_leaves_an_empty_file(
    acting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next opening makes the store whole."""

    def fails(_: apsw.Connection) -> None:
        raise KeyError("no")

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "STEPS", (*STEPS, fails))
        with pytest.raises(KeyError):
            await acting.open_at(tmp_path)
    store = await acting.open_at(tmp_path)
    await store.close()
    assert migrate.VERSION == store.version


async def test_openings_at_once_upgrade_once(acting: ModuleType, tmp_path: Path, newer: None) -> None:
    """One of them does it, with one copy; the others wait and find it done."""
    path, _ = unpack(acting, tmp_path, NOW)
    stores: list[Store] = await asyncio.gather(*(acting.open_at(tmp_path) for _ in range(4)))
    rows = await stores[0].reading.run(lambda db: db.execute("SELECT count(*) FROM second").get)
    for store in stores:
        await store.close()
    assert ([NOW + 2] * 4, 1, 1) == ([store.version for store in stores], rows, len(kept_copies(path)))


async def test_an_upgrade_that_another_process_never_finishes_is_busy(
    acting: ModuleType, tmp_path: Path, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait is bounded; the store stays as it is, and a later opening brings it up to date."""
    monkeypatch.setattr(migrate, "WAIT_MS", 20)
    path, _ = unpack(acting, tmp_path, NOW)
    name = hashlib.sha256(str(path).encode()).hexdigest()[:16]
    locks = tmp_path / "state" / "locks"
    locks.mkdir(parents=True)
    with FileLock(locks / f"upgrade-{name}.lock"), pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    store = await acting.open_at(tmp_path)
    await store.close()
    assert (Code.STORE_BUSY, NOW + 2) == (raised.value.code, store.version)


async def test_a_step_that_another_process_has_just_taken_is_not_taken_again(
    acting: ModuleType, tmp_path: Path, newer: None
) -> None:
    """The version is read again behind the lock of the step."""
    path, _ = unpack(acting, tmp_path, NOW)
    db = apsw.Connection(str(path))
    _second(db)
    db.execute(f"PRAGMA user_version = {NOW + 1}")
    migrate._take_step(db, NOW + 1, _second)
    version = db.execute("PRAGMA user_version").get
    db.close()
    assert NOW + 1 == version


async def test_an_upgrade_that_another_process_has_just_made_is_not_made_again(
    acting: ModuleType, tmp_path: Path, newer: None
) -> None:
    """Whoever waited for it looks at the version again, and keeps no second copy."""
    path, _ = unpack(acting, tmp_path, NOW)
    db = connect(str(path), Patience())
    migrate.step_up(db, str(path))
    migrate._upgrade(db, str(path), acting.stamp(), str(tmp_path / "locks"))
    version = db.execute("PRAGMA user_version").get
    db.close()
    assert (NOW + 2, []) == (version, kept_copies(path))


async def test_an_older_store_that_cannot_be_written_is_not_upgraded(
    acting: ModuleType, tmp_path: Path, newer: None
) -> None:
    """``STORE_READ_ONLY`` says which version it has."""
    unpack(acting, tmp_path, NOW)
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path, read_only=True)
    assert Code.STORE_READ_ONLY == raised.value.code
    assert f"version {NOW}" in raised.value.message


async def test_no_upgrade_without_a_copy(
    acting: ModuleType, tmp_path: Path, newer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the copy cannot be kept, the store stays as it is."""

    def no_room(*_: Any, **__: Any) -> str:
        raise OSError(28, "No space left on device")

    path, _ = unpack(acting, tmp_path, NOW)
    before = path.read_bytes()
    monkeypatch.setattr(migrate, "copy_to_file", no_room)
    with pytest.raises(Fault) as raised:
        await acting.open_at(tmp_path)
    assert Code.STORE_FULL == raised.value.code
    db = apsw.Connection(str(path))
    version = db.execute("PRAGMA user_version").get
    db.close()
    assert NOW == version
    assert len(before) == path.stat().st_size


async def test_an_older_backup_is_brought_up_to_date_by_restoring_it(
    acting: ModuleType, tmp_path: Path, newer: None
) -> None:
    """Without a word to the backup itself."""
    store = await acting.open_at(tmp_path)
    source, facts = unpack(acting, tmp_path / "old", NOW)
    before = source.read_bytes()
    await restore(store, str(source))
    third = await store.reading.run(lambda db: db.execute("SELECT x FROM third").get)
    await backup(store, str(tmp_path / "copy.db"))
    await store.close()
    assert facts["counts"]["entries"] == third
    assert before == source.read_bytes()
    assert [] == kept_copies(source)
