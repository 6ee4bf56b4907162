"""The anchor: follows the ledger's head, forward only, and stays when the ledger does not hold it."""

import asyncio
import os
import stat
from pathlib import Path
from types import ModuleType

import apsw
import pytest
from filelock import FileLock

from keepgate.core.writing.ledger import Decision, Row
from keepgate.store.anchor import Anchor, advance_anchor, anchor_path, read_anchor
from keepgate.store.appending import Appender
from keepgate.store.connection import Patience, connect
from keepgate.store.memory import Writer
from keepgate.store.open import Store


def head(db: apsw.Connection) -> Anchor:
    """The ledger's newest row as an anchor."""
    seq, row_hash, key_id = (
        db.execute("SELECT seq, hash, key_id FROM ledger ORDER BY seq DESC").fetchone() or ()
    )
    return Anchor(seq=seq, hash=row_hash, key_id=key_id)


async def test_an_empty_ledger_has_no_anchor(store: Store, raw: apsw.Connection) -> None:
    """There is nothing to hold."""
    assert advance_anchor(raw, store.anchors) is None
    assert read_anchor(store.anchors, store.id) is None


async def test_the_anchor_follows_a_commit_within_a_second(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """By itself, without another commit; in one write for many commits."""
    for number in range(3):
        await acting.add(writer, f"n{number}")

    async def anchored() -> Anchor:
        while (found := read_anchor(store.anchors, store.id)) is None:  # noqa: ASYNC110 - a file sets no event
            await asyncio.sleep(0.01)
        return found

    assert head(raw) == await asyncio.wait_for(anchored(), 5)
    if os.name == "posix":
        assert 0o600 == stat.S_IMODE(anchor_path(store.anchors, store.id).stat().st_mode)


async def test_the_anchor_is_at_the_head_when_the_store_is_closed(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """Also when the last commit was a moment ago."""
    await acting.add(writer, "just now")
    await store.close()
    assert head(raw) == read_anchor(store.anchors, store.id)


async def test_the_anchor_never_moves_back(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """A process that read the head earlier does not undo what a later one wrote."""
    await acting.add(writer, "one")
    ahead = Anchor(seq=9, hash="9" * 64, key_id="k")
    path = anchor_path(store.anchors, store.id)
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"seq": 9, "hash": "%s", "key_id": "k"}' % ("9" * 64))
    assert ahead == advance_anchor(raw, store.anchors)
    assert ahead == read_anchor(store.anchors, store.id)


async def test_the_anchor_stays_where_the_ledger_was_rewritten(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """A longer ledger without the anchored row does not move it: it is the evidence."""
    await acting.add(writer, "one")
    anchor = advance_anchor(raw, store.anchors)
    raw.execute("DROP TRIGGER ledger_only_purges; UPDATE ledger SET hash = 'rewritten'")
    await acting.add(writer, "two")
    assert anchor == advance_anchor(raw, store.anchors)
    assert head(raw) == advance_anchor(raw, store.anchors, renew=True)


async def test_an_unreadable_anchor_counts_as_none(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """It is written anew."""
    await acting.add(writer, "one")
    path = anchor_path(store.anchors, store.id)
    path.parent.mkdir(exist_ok=True)
    for content in ("", "{", "[]", '{"seq": 1}', '{"other": 1}'):
        path.write_text(content)
        assert read_anchor(store.anchors, store.id) is None
        assert head(raw) == advance_anchor(raw, store.anchors)


async def test_a_state_folder_that_takes_no_files_is_no_obstacle(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection, tmp_path: Path
) -> None:
    """The store is used without an anchor then."""
    await acting.add(writer, "one")
    (tmp_path / "file").touch()
    assert advance_anchor(raw, str(tmp_path / "file" / "anchors")) is None


async def test_housekeeping_that_fails_is_tried_after_the_next_commit(
    acting: ModuleType, store: Store, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is owed to nobody and disturbs nobody."""
    tries: list[int] = []
    done = asyncio.Event()

    def keep_house(db: apsw.Connection, anchors: str) -> None:
        tries.append(1)
        store.loop.call_soon_threadsafe(done.set)
        if len(tries) == 1:
            raise apsw.IOError("a moment")

    monkeypatch.setattr("keepgate.store.open.ANCHOR_DELAY_S", 0.0)
    monkeypatch.setattr("keepgate.store.open.advance_anchor", keep_house)
    for number in range(2):
        await acting.add(writer, f"n{number}")
        await asyncio.wait_for(done.wait(), 10)
        done.clear()
        await store.derived.run(lambda _: None)
    assert 2 == len(tries)


async def test_a_row_that_is_not_on_the_disk_is_not_anchored(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Evidence of another process that comes in while the log is synced waits for the next time."""
    await acting.add(writer, "one")
    synced = head(raw)
    other = connect(store.path, Patience())
    appender = Appender(other, store.key(), acting.stamp(), "elsewhere")
    evidence = Row(ts=1, action="recalled", decision=Decision.EVIDENCE, outcome="ok")
    log, real = Path(f"{store.path}-wal").stat(), os.fsync

    def sync(handle: int) -> None:
        real(handle)
        if os.path.samestat(os.fstat(handle), log):
            appender.append(evidence)

    monkeypatch.setattr(os, "fsync", sync)
    anchor = advance_anchor(raw, store.anchors)
    newest = head(raw)
    other.close()

    assert synced == anchor
    assert synced.seq + 1 == newest.seq


async def test_an_anchor_that_another_process_holds_waits_for_the_next_time(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is told at once; the anchor is owed and follows later."""
    monkeypatch.setattr("keepgate.store.anchor.LOCK_WAIT_S", 0.01)
    await acting.add(writer, "one")
    path = anchor_path(store.anchors, store.id)
    path.parent.mkdir(exist_ok=True)
    with FileLock(f"{path}.lock"):
        held = advance_anchor(raw, store.anchors)

    assert held is None
    assert head(raw) == advance_anchor(raw, store.anchors)
