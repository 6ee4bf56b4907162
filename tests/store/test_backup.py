"""Backup and restore: a lossless pair, safe to interrupt, seen by every process that has the store open."""

import asyncio
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.core.model.viewer import Viewer
from keepgate.protocol.errors import Code, Fault
from keepgate.store import backup as copies
from keepgate.store import copying, migrate, reads
from keepgate.store.anchor import advance_anchor, read_anchor
from keepgate.store.backup import backup, restore
from keepgate.store.connection import Patience, connect
from keepgate.store.contents import content_hash
from keepgate.store.feed import FeedEvent, FeedWatcher, head
from keepgate.store.keyring import load_key
from keepgate.store.lane import Lane
from keepgate.store.memory import Writer
from keepgate.store.open import Store, open_store
from keepgate.store.rescue import restore_at
from keepgate.store.stopping import Stopped
from keepgate.store.verify import verify_store

ALL = Viewer(workspaces=None, agent_key=None)


async def hash_of(store: Store) -> str:
    """The content hash of an open store."""
    return await store.reading.run(content_hash)


async def texts(store: Store) -> list[str]:
    """Every entry."""
    return [entry.text for entry in await store.reading.run(reads.snapshot_entries, ALL)]


def beside(store: Store) -> set[str]:
    """The files of the store's folder, its log left out."""
    return {
        path.name for path in Path(store.path).parent.iterdir() if not path.name.endswith(("-wal", "-shm"))
    }


@pytest.fixture
async def lived(acting: ModuleType, store: Store, writer: Writer) -> Store:
    """A store with entries, a proposal and some history."""
    await acting.seed(writer, [acting.draft(f"entry {number} 记忆", tags=("t",)) for number in range(50)])
    await acting.replace(writer, "entry 7 ", "entry seven")
    await acting.remove(writer, "entry 8 ")
    await writer.run(lambda txn: txn.propose(acting.wish(txn, "wished")))
    return store


async def test_a_backup_is_one_whole_file(lived: Store, tmp_path: Path) -> None:
    """Same content hash, for this user alone, nothing beside it."""
    target = tmp_path / "backups" / "copy.db"
    target.parent.mkdir()
    told: list[tuple[int, int]] = []
    made = await backup(lived, str(target), progress=lambda *step: told.append(step))
    await asyncio.sleep(0)
    assert (str(target), 49, 53, await hash_of(lived)) == (
        made.path,
        made.entries,
        made.ledger_rows,
        made.content_hash,
    )
    assert target.stat().st_size == made.size_bytes
    assert ["copy.db"] == [path.name for path in target.parent.iterdir()]
    assert told[-1][0] == told[-1][1] > 0
    if os.name == "posix":
        assert 0o600 == stat.S_IMODE(target.stat().st_mode)


async def test_a_backup_takes_nobodys_place(lived: Store, tmp_path: Path) -> None:
    """What is at the path stays there; so does the store itself."""
    (tmp_path / "taken").write_text("mine")
    for path in (str(tmp_path / "taken"), lived.path):
        with pytest.raises(Fault) as raised:
            await backup(lived, path)
        assert Code.INVALID_INPUT == raised.value.code
    assert "mine" == (tmp_path / "taken").read_text()


async def test_a_place_that_takes_no_backup_is_a_fault(lived: Store, tmp_path: Path) -> None:
    """No raw system error."""
    with pytest.raises(Fault) as raised:
        await backup(lived, str(tmp_path / "no such folder" / "copy.db"))
    assert Code.STORE_READ_ONLY == raised.value.code


async def test_a_backup_whose_caller_has_gone_leaves_nothing(
    lived: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a half file nor a running job."""
    monkeypatch.setattr(copying, "STEP_PAGES", 1)
    first_step = asyncio.Event()
    (tmp_path / "backups").mkdir()
    task = asyncio.create_task(
        backup(lived, str(tmp_path / "backups" / "copy.db"), progress=lambda *_: first_step.set())
    )
    await asyncio.wait_for(first_step.wait(), 10)
    task.cancel()
    with pytest.raises((asyncio.CancelledError, Stopped)):
        await task
    assert set() == {path.name for path in (tmp_path / "backups").iterdir()} - {"copy.db"}


def test_a_copy_can_be_stopped_between_steps(tmp_path: Path) -> None:
    """Then there is no file at all."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE t (x)")
    with pytest.raises(Stopped):
        copying.copy_to_file(db, str(tmp_path / "copy.db"), cancelled=lambda: True)
    assert [] == list(tmp_path.iterdir())


def test_a_copy_that_differs_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read back before it gets its name."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE t (x)")
    real = copying.file_hash
    monkeypatch.setattr(copying, "file_hash", lambda db: real(db) + str(id(db)))
    with pytest.raises(Fault) as raised:
        copying.copy_to_file(db, str(tmp_path / "copy.db"))
    assert Code.STORE_CORRUPT == raised.value.code
    assert [] == list(tmp_path.iterdir())


async def test_writers_go_on_during_a_backup(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backup is of one moment and does not begin again with each commit."""
    monkeypatch.setattr(copying, "STEP_PAGES", 1)
    before = await hash_of(lived)
    begun = asyncio.Event()
    task = asyncio.create_task(backup(lived, str(tmp_path / "copy.db"), progress=lambda *_: begun.set()))
    await begun.wait()
    while not task.done():
        await acting.add(writer, "meanwhile")
    assert before == (await task).content_hash
    assert before != await hash_of(lived)


async def test_a_round_trip_gives_the_same_content(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """Lossless: entries, proposals and ledger; the store verifies, and goes on."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    before = await texts(lived)
    await acting.add(writer, "after the backup")
    await acting.remove(writer, "entry seven")
    result = await restore(lived, str(tmp_path / "copy.db"))
    assert made.content_hash == result.content_hash == await hash_of(lived)
    assert before == await texts(lived)
    assert (49, 54) == (result.entries, result.ledger_rows)
    verified = await verify_store(lived)
    assert ([], True) == (verified.problems, verified.ok)
    await acting.add(writer, "life goes on")
    assert "life goes on" == (await texts(lived))[-1]


async def test_ids_of_facts_that_a_restore_took_away_are_not_given_again(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """An agent may have noted one; it must never name another fact, not after a second restore either."""
    await backup(lived, str(tmp_path / "copy.db"))
    taken = [(await acting.remember(writer, f"fact {number}")).id for number in range(3)]
    for _ in range(2):
        await restore(lived, str(tmp_path / "copy.db"))
        taken.append((await acting.remember(writer, "fact")).id)

    assert sorted(set(taken)) == taken
    assert (await verify_store(lived)).ok


async def test_a_backup_that_knows_of_more_facts_goes_on_from_its_own(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """No gap is left where its ids are beyond all that the store can have given."""
    early = await acting.open_at(tmp_path / "early")
    await backup(lived, str(tmp_path / "copy.db"))
    for _ in range(2):
        await restore(lived, str(tmp_path / "copy.db"))
    last = (await acting.remember(writer, "the last one")).id
    made = await backup(lived, str(tmp_path / "later.db"))

    await restore(early, made.path)
    following = (await acting.remember(Writer(early), "one more")).id
    await early.close()

    assert last + 1 == following


async def test_a_damaged_stores_ids_of_facts_are_skipped(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """How far they went cannot be read any more, so a wide gap is left."""
    await backup(lived, str(tmp_path / "copy.db"))
    taken = (await acting.remember(writer, "lost")).id
    await lived.close()
    Path(lived.path).write_bytes(b"no store")

    await restore_at(
        lived.path, str(tmp_path / "copy.db"), state_folder=lived.state_folder, stamp_maker=acting.stamp
    )
    again = await acting.open_at(tmp_path)
    new = (await acting.remember(Writer(again), "found")).id
    await again.close()

    assert taken < new


async def test_a_restored_store_keeps_its_log(acting: ModuleType, lived: Store, tmp_path: Path) -> None:
    """The copy had a rollback journal; the store goes on with its log, and its pages are sound."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await restore(lived, made.path)
    db = apsw.Connection(lived.path)
    found = (db.execute("PRAGMA journal_mode").get, db.execute("PRAGMA integrity_check").get)
    db.close()
    await lived.close()
    again = await acting.open_at(tmp_path)
    await again.close()
    assert ("wal", "ok", "wal") == (*found, again.journal_mode)


async def test_a_restore_keeps_what_was_there(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """Beside the store, as a whole backup that can be restored in turn."""
    await backup(lived, str(tmp_path / "copy.db"))
    await acting.add(writer, "nearly lost")
    result = await restore(lived, str(tmp_path / "copy.db"))
    assert {"memory.db", Path(result.kept).name} == beside(lived)
    await restore(lived, result.kept)
    assert "nearly lost" == (await texts(lived))[-1]


async def test_a_restore_is_noted_and_anchored(lived: Store, tmp_path: Path) -> None:
    """One ``restored`` row; the anchor is at it, although the ledger was longer before."""
    await backup(lived, str(tmp_path / "copy.db"))
    for number in range(5):
        await lived.evidence.note_recall(
            viewer_workspace="/work", agent_key="", session_id=str(number), track=None, scope=None, text=None,
            entry_ids=[], stamp=lived.stamp_maker(),
        )  # fmt: skip
    await lived.derived.run(lambda db: advance_anchor(db, lived.anchors))
    await restore(lived, str(tmp_path / "copy.db"))
    row = (await lived.reading.run(lambda db: reads.audit(db, ALL, limit=1)))[0]
    anchor = read_anchor(lived.anchors, lived.id)
    assert ("restored", "ok", 54) == (row.action, row.outcome, row.seq)
    assert str(tmp_path / "copy.db") in (row.text or "")
    assert anchor is not None
    assert 54 == anchor.seq


async def test_a_restore_shows_in_other_processes(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path, actor: Callable[..., Any]
) -> None:
    """Those that have the store open read the restored one, and their writes join it."""
    await backup(lived, str(tmp_path / "copy.db"))
    await acting.add(writer, "zz after the backup")
    other = actor("search", "2")
    assert "opened" == await asyncio.to_thread(other.line)
    other.tell()
    assert (await asyncio.to_thread(other.line)).endswith("zz after the backup")
    await restore(lived, str(tmp_path / "copy.db"))
    other.tell()
    assert not (await asyncio.to_thread(other.line)).endswith("zz after the backup")
    third = actor("write", "3", "third")
    said = await asyncio.to_thread(third.rest)
    assert 4 == len(said)
    assert (await verify_store(lived)).ok
    assert (52, 0) == ((await lived.reading.run(reads.counts, 0))["entries"], other.process.wait(20))


async def test_watchers_hear_of_a_restore_and_of_what_follows(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """The feed goes on after everything that anybody has seen."""
    heard: list[FeedEvent] = []
    enough = asyncio.Event()

    def listen(events: Any) -> None:
        heard.extend(events)
        if len(heard) >= 3:
            enough.set()

    await backup(lived, str(tmp_path / "copy.db"))
    watcher = FeedWatcher(lived, listen)
    await watcher.start(after=await lived.reading.run(head))
    await acting.add(writer, "after the backup")
    await restore(lived, str(tmp_path / "copy.db"))
    await acting.add(writer, "later")
    await asyncio.wait_for(enough.wait(), 10)
    await watcher.close()
    assert ["memory/added", "restored", "memory/added"] == [event.kind for event in heard]
    assert sorted({event.seq for event in heard}) == [event.seq for event in heard]


async def test_a_restored_store_keeps_its_own_id(acting: ModuleType, lived: Store, tmp_path: Path) -> None:
    """A backup of another store can be put in; the file at the path stays the same store."""
    other = await acting.open_at(tmp_path / "other")
    await acting.add(Writer(other), "from elsewhere")
    made = await backup(other, str(tmp_path / "other.db"))
    await other.close()
    await restore(lived, str(tmp_path / "other.db"))
    again = await acting.open_at(tmp_path)
    ids = (again.id, made.content_hash)
    found = await texts(again)
    await again.close()
    assert (lived.id, await hash_of(lived)) == ids
    assert ["from elsewhere"] == found


async def test_rows_of_another_installation_are_vouched_for_by_the_restore(
    acting: ModuleType, lived: Store, tmp_path: Path
) -> None:
    """Whoever restores here does so knowingly; the note is sealed with this installation's key."""
    elsewhere = await acting.open_at(tmp_path / "other machine")
    await acting.add(Writer(elsewhere), "sealed there")
    await backup(elsewhere, str(tmp_path / "other.db"))
    await elsewhere.close()
    assert load_key(str(tmp_path / "other machine" / "state")).id != lived.key().id
    await restore(lived, str(tmp_path / "other.db"))
    result = await verify_store(lived)
    assert ([], True) == (result.problems, result.ok)


@pytest.mark.parametrize("what", ["missing", "the store itself", "a folder"])
async def test_a_source_that_is_none_is_invalid(lived: Store, tmp_path: Path, what: str) -> None:
    """Nothing is touched."""
    path = {"missing": str(tmp_path / "no"), "the store itself": lived.path, "a folder": str(tmp_path)}[what]
    before = await hash_of(lived)
    with pytest.raises(Fault) as raised:
        await restore(lived, path)
    assert (Code.INVALID_INPUT, before) == (raised.value.code, await hash_of(lived))


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all " * 300)


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20_000])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _altered(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP TRIGGER ledger_only_purges; UPDATE ledger SET source = 'x' WHERE seq = 3")
    db.close()


def _diverging(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP TRIGGER entries_update_needs_approval; UPDATE entries SET source = 'x' WHERE row = 3")
    db.close()


def _newer(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute(f"PRAGMA user_version = {migrate.VERSION + 1}")
    db.close()


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (_garbage, Code.STORE_CORRUPT),
        (_truncated, Code.STORE_CORRUPT),
        (_empty, Code.STORE_CORRUPT),
        (_altered, Code.STORE_CORRUPT),
        (_diverging, Code.STORE_CORRUPT),
        (_newer, Code.STORE_UNSUPPORTED_VERSION),
    ],
)
async def test_a_source_that_is_not_whole_changes_nothing(
    lived: Store, tmp_path: Path, spoil: Callable[[Path], None], code: Code
) -> None:
    """It is checked before anything changes, and the fault names it, not the store."""
    source = tmp_path / "copy.db"
    await backup(lived, str(source))
    spoil(source)
    before = await hash_of(lived)
    with pytest.raises(Fault) as raised:
        await restore(lived, str(source))
    assert (code, str(source)) == (raised.value.code, raised.value.details["path"])
    assert before == await hash_of(lived)
    assert {"memory.db"} == beside(lived)


async def test_a_purged_backup_can_be_restored(lived: Store, raw: apsw.Connection, tmp_path: Path) -> None:
    """A purge is no damage."""
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE seq = 1")
    await backup(lived, str(tmp_path / "copy.db"))
    await restore(lived, str(tmp_path / "copy.db"))
    assert (await verify_store(lived)).ok


async def test_a_restore_that_is_stopped_changes_nothing(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two steps of the copy into the store; the store is whole and writable."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await acting.add(writer, "after the backup")
    before = await hash_of(lived)
    monkeypatch.setattr(copying, "STEP_PAGES", 1)
    stop = threading.Event()

    def work(live: apsw.Connection) -> None:
        draft = str(tmp_path / "draft.db")
        copies._restore(lived, live, made.path, draft, lambda *_: stop.set(), stop.is_set)

    lane = Lane("stopping", lived.path, lambda patience: connect(lived.path, patience))
    with pytest.raises(Stopped):
        await lane.run(work)
    await lane.close()
    assert before == await hash_of(lived)
    await acting.add(writer, "life goes on")
    assert (await verify_store(lived)).ok


async def test_a_restore_that_is_killed_before_it_is_anchored_is_whole(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Content and note come in one transaction; the old anchor is not taken for a cut, and moves on."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    for number in range(5):
        await acting.add(writer, f"after the backup {number}")
    await lived.derived.run(lambda db: advance_anchor(db, lived.anchors))
    old = read_anchor(lived.anchors, lived.id)

    def killed(*_: Any, **__: Any) -> None:
        raise KeyError("killed")

    monkeypatch.setattr(copies, "advance_anchor", killed)
    with pytest.raises(KeyError):
        await restore(lived, made.path)
    stays = read_anchor(lived.anchors, lived.id)
    verified = await verify_store(lived)
    row = (await lived.reading.run(lambda db: reads.audit(db, ALL, limit=1)))[0]
    moved = await lived.derived.run(lambda db: advance_anchor(db, lived.anchors))
    assert ([], "restored", made.content_hash) == (verified.problems, row.action, await hash_of(lived))
    assert old == stays
    assert moved is not None
    assert row.seq == moved.seq


async def test_a_ledger_that_was_cut_without_a_restore_is_still_a_cut(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """The note of an earlier restore names another anchor."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await acting.add(writer, "after the backup")
    await restore(lived, made.path)
    early = await backup(lived, str(tmp_path / "early.db"))
    await acting.add(writer, "later")
    await lived.close()
    Path(lived.path).write_bytes(Path(early.path).read_bytes())
    again = await acting.open_at(tmp_path)
    verified = await verify_store(again)
    await again.close()
    assert ["cut"] == [problem.kind for problem in verified.problems]


async def test_damage_that_shows_only_when_the_store_is_read_is_no_obstacle(
    acting: ModuleType, lived: Store, tmp_path: Path
) -> None:
    """A store that still opens but cannot be copied is kept as it is, and replaced."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await lived.close()
    path = Path(lived.path)
    kept = path.stat()
    content = bytearray(path.read_bytes())
    db = apsw.Connection(lived.path)
    root = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").get
    db.close()
    content[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    result = await restore_at(
        lived.path, made.path, state_folder=str(tmp_path / "state"), stamp_maker=acting.stamp
    )
    assert result.kept is not None
    assert (content, made.content_hash) == (Path(result.kept).read_bytes(), result.content_hash)


async def test_a_store_that_others_keep_locked_is_not_restored(
    lived: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``STORE_BUSY``, and nothing has changed."""
    await backup(lived, str(tmp_path / "copy.db"))
    before = await hash_of(lived)
    monkeypatch.setattr("keepgate.store.connection.Patience.__init__.__defaults__", (50,))
    other = connect(lived.path, Patience())
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Fault) as raised:
        await restore(lived, str(tmp_path / "copy.db"))
    other.close()
    assert (Code.STORE_BUSY, before) == (raised.value.code, await hash_of(lived))


async def test_a_read_only_store_is_not_restored(acting: ModuleType, lived: Store, tmp_path: Path) -> None:
    """``STORE_READ_ONLY``."""
    await backup(lived, str(tmp_path / "copy.db"))
    await lived.close()
    reader = await acting.open_at(tmp_path, read_only=True)
    with pytest.raises(Fault) as raised:
        await restore(reader, str(tmp_path / "copy.db"))
    await reader.close()
    assert Code.STORE_READ_ONLY == raised.value.code


async def test_a_damaged_store_is_replaced_and_kept(
    acting: ModuleType, lived: Store, writer: Writer, tmp_path: Path
) -> None:
    """The one way out of ``STORE_CORRUPT``: the user's own restore, which keeps the damaged file (DSH-7)."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await lived.close()
    _garbage(Path(lived.path))
    damaged = Path(lived.path).read_bytes()
    result = await restore_at(
        lived.path, made.path, state_folder=str(tmp_path / "state"), stamp_maker=acting.stamp
    )
    again = await acting.open_at(tmp_path)
    found = await hash_of(again)
    verified = await verify_store(again)
    await again.close()
    assert made.content_hash == result.content_hash == found
    assert ([], True) == (verified.problems, verified.ok)
    assert damaged == Path(result.kept).read_bytes()
    assert {"memory.db", Path(result.kept).name} == beside(lived)


async def test_a_damaged_store_stays_when_the_backup_is_damaged_too(
    acting: ModuleType, lived: Store, tmp_path: Path
) -> None:
    """The backup is looked at first, and must be another file."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await lived.close()
    _garbage(Path(lived.path))
    _truncated(Path(made.path))
    before = Path(lived.path).read_bytes()
    for source, code in ((made.path, Code.STORE_CORRUPT), (lived.path, Code.INVALID_INPUT)):
        with pytest.raises(Fault) as raised:
            await restore_at(
                lived.path, source, state_folder=str(tmp_path / "state"), stamp_maker=acting.stamp
            )
        assert code == raised.value.code
    assert before == Path(lived.path).read_bytes()
    assert {"memory.db"} == beside(lived)


async def test_a_whole_store_is_restored_in_its_place(
    acting: ModuleType, lived: Store, tmp_path: Path
) -> None:
    """As by :func:`restore`, with the copy of what was there before."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    result = await restore_at(
        lived.path, made.path, state_folder=str(tmp_path / "state"), stamp_maker=acting.stamp
    )
    assert ".before-restore-" in result.kept
    assert made.content_hash == await hash_of(lived)


async def test_a_newer_store_is_not_set_aside(acting: ModuleType, lived: Store, tmp_path: Path) -> None:
    """Only damage is; everything else is for the user to decide."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    await lived.close()
    _newer(Path(lived.path))
    with pytest.raises(Fault) as raised:
        await restore_at(
            lived.path, made.path, state_folder=str(tmp_path / "state"), stamp_maker=acting.stamp
        )
    assert Code.STORE_UNSUPPORTED_VERSION == raised.value.code


async def test_a_place_that_takes_no_copy_is_a_fault(
    acting: ModuleType, lived: Store, tmp_path: Path
) -> None:
    """A store whose name leaves no room for a longer one: nothing is touched, and no raw system error."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    path = str(tmp_path / ("m" * 240))
    state = str(tmp_path / "state")
    store = await open_store(path, state_folder=state, stamp_maker=acting.stamp)
    with pytest.raises(Fault) as raised:
        await restore(store, made.path)
    await store.close()
    Path(path).write_bytes(b"damaged " * 1000)
    with pytest.raises(Fault) as rescued:
        await restore_at(path, made.path, state_folder=state, stamp_maker=acting.stamp)
    assert [Code.STORE_READ_ONLY] * 2 == [raised.value.code, rescued.value.code]
    assert b"damaged " * 1000 == Path(path).read_bytes()
