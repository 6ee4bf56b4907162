"""What reads owe: recall counts, `recalled` and `snapshot` rows; a read never fails or waits for them."""

import asyncio
import json
import logging
import threading
import time
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.core.writing.states import recorded
from keepgate.protocol.entries import Scope, Track
from keepgate.store import evidence, reads
from keepgate.store.connection import Patience, connect
from keepgate.store.memory import Writer
from keepgate.store.open import Store
from keepgate.store.rows import SEALED_COLUMNS, sealed_of


async def recall(acting: ModuleType, store: Store, *ids: str, **more: Any) -> int | None:
    """Note that these entries were returned."""
    values = {
        "viewer_workspace": "/work",
        "agent_key": "coder",
        "session_id": "s-1",
        "track": Track.USER,
        "scope": Scope.WORKSPACE,
        "text": "needle",
        "stamp": acting.stamp(),
        **more,
    }
    return await store.evidence.note_recall(entry_ids=list(ids), **values)


async def freeze(acting: ModuleType, store: Store, text: str, **more: Any) -> tuple[str, int, int]:
    """Freeze a session's snapshot."""
    values = {
        "workspace_key": "/work",
        "agent_key": "",
        "session_id": "s-1",
        "entries": 3,
        "stamp": acting.stamp(),
        **more,
    }
    return await store.evidence.freeze_snapshot(text=text, **values)


async def test_a_recall_is_a_row_and_a_count(
    acting: ModuleType, store: Store, writer: Writer, raw: Any
) -> None:
    """One ``recalled`` row with the needle; one more recall for each entry that still is there."""
    entry = await acting.add(writer, "found")
    await acting.add(writer, "not found")
    stamp = acting.stamp()
    assert 3 == await recall(acting, store, entry.id, "gone meanwhile", stamp=stamp)
    assert 4 == await recall(acting, store, entry.id, stamp=stamp)
    row = sealed_of(raw.execute(f"SELECT {SEALED_COLUMNS} FROM ledger WHERE seq = 3").fetchone())
    assert ("recalled", "evidence", "ok", "keepgate", "user", "workspace", "/work", "coder", "s-1") == (
        row.action, row.decision, row.outcome, row.source, row.track, row.scope, row.workspace_key,
        row.agent_key, row.session_id,
    )  # fmt: skip
    assert {"text": "needle"} == json.loads(row.payload or "")
    assert recorded(row) is None
    after = await store.reading.run(reads.entry, entry.id)
    assert after is not None
    assert (2, stamp.now_ms) == (after.recall_count, after.last_recalled)
    assert [(1,)] == raw.execute("SELECT count(*) FROM recall").fetchall()


async def test_a_recall_of_everything_has_no_needle(acting: ModuleType, store: Store, raw: Any) -> None:
    """A query without text is evidence as well."""
    await recall(acting, store, text=None, track=None, scope=None)
    assert {"text": None} == json.loads(raw.execute("SELECT payload FROM ledger").get)


async def test_a_snapshot_is_frozen_once(acting: ModuleType, store: Store) -> None:
    """Per workspace, agent and session; what was frozen first is what everybody is given."""
    assert await store.reading.run(reads.frozen_snapshot, "/work", "", "s-1") is None
    first = await freeze(acting, store, "first text")
    assert ("first text", 3) == first[:2]
    assert first == await freeze(acting, store, "second text", entries=9)
    assert first == await store.reading.run(reads.frozen_snapshot, "/work", "", "s-1")
    for other in ({"workspace_key": "/other"}, {"agent_key": "coder"}, {"session_id": "s-2"}):
        assert "other text" == (await freeze(acting, store, "other text", **other))[0]
    assert 4 == (await store.reading.run(reads.counts, 0))["ledger_rows"]


async def test_a_purged_snapshot_is_frozen_anew(
    acting: ModuleType, store: Store, raw: apsw.Connection
) -> None:
    """The newest whole row counts."""
    await freeze(acting, store, "with a secret")
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL")
    assert "without it" == (await freeze(acting, store, "without it"))[0]


async def test_a_busy_store_gets_its_evidence_later(acting: ModuleType, store: Store, writer: Writer) -> None:
    """The read goes on after a moment; the row follows when the lock is free."""
    entry = await acting.add(writer, "found")
    other = connect(store.path, Patience())
    other.execute("BEGIN IMMEDIATE")
    begun = time.monotonic()
    assert await recall(acting, store, entry.id, wait_ms=20) is None
    assert ("given", 1) == (await freeze(acting, store, "given", entries=1, wait_ms=20))[:2]
    assert time.monotonic() - begun < 4
    other.execute("ROLLBACK")
    other.close()
    assert 4 == await recall(acting, store, entry.id, wait_ms=10_000)
    after = await store.reading.run(reads.entry, entry.id)
    assert after is not None
    assert 2 == after.recall_count


async def test_a_store_that_stays_busy_loses_evidence_and_nothing_else(
    acting: ModuleType, store: Store, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given up with a word in the debug log, without any text of a memory."""
    monkeypatch.setattr(store._evidence_lane._patience, "limit_ms", 30)
    other = connect(store.path, Patience())
    other.execute("BEGIN IMMEDIATE")
    with caplog.at_level(logging.DEBUG, logger="keepgate"):
        assert await recall(acting, store, text="secret needle", wait_ms=5_000) is None
    other.close()
    assert ["an evidence row was not stored: STORE_BUSY"] == [record.message for record in caplog.records]
    assert 0 == (await store.reading.run(reads.counts, 0))["ledger_rows"]


async def test_evidence_does_not_pile_up(
    acting: ModuleType, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a bound, rows are given up instead of kept in memory."""
    monkeypatch.setattr(evidence, "QUEUE_MAX", 3)
    gate = threading.Event()
    store._evidence_lane.submit(lambda _: gate.wait(10))
    for _ in range(10):
        assert await recall(acting, store, wait_ms=0) is None
    gate.set()
    await store._evidence_lane.run(lambda _: None)
    assert 3 <= (await store.reading.run(reads.counts, 0))["ledger_rows"] <= 4


async def test_a_read_only_store_gives_no_evidence(acting: ModuleType, store: Store, tmp_path: Any) -> None:
    """Reads answer as ever (docs/architecture.md)."""
    await store.close()
    reader = await acting.open_at(tmp_path, read_only=True)
    assert await recall(acting, reader) is None
    assert ("given", 3) == (await freeze(acting, reader, "given"))[:2]
    await reader.close()


async def test_a_cancelled_read_leaves_its_evidence(acting: ModuleType, store: Store) -> None:
    """What was returned was returned."""
    gate = threading.Event()
    store._evidence_lane.submit(lambda _: gate.wait(10))
    task = asyncio.create_task(recall(acting, store, wait_ms=10_000))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    gate.set()
    await recall(acting, store, wait_ms=10_000)
    assert 2 == (await store.reading.run(reads.counts, 0))["ledger_rows"]


async def test_a_mistake_of_ours_is_logged_as_one(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """An evidence job that fails for another reason than the store is an error in the log, not silence."""

    def work(_: apsw.Connection) -> None:
        raise KeyError("ours")

    assert await store.evidence._owed(work, 5_000) is None
    assert [logging.ERROR] == [record.levelno for record in caplog.records]


async def test_a_dropped_job_is_no_failure(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """A future that was cancelled from outside is silent."""
    gate = threading.Event()
    store._evidence_lane.submit(lambda _: gate.wait(10))
    future = store._evidence_lane.submit(lambda _: None)
    future.add_done_callback(evidence._note_failure)
    future.cancel()
    await asyncio.sleep(0)
    gate.set()
    assert [] == caplog.records
