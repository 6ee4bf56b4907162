"""Evidence that reads owe: that something was recalled, and what a session was given (DSH-6)."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import apsw

from keepgate.core.model.stamp import Stamp
from keepgate.core.writing.ledger import Decision, Row, canonical
from keepgate.protocol.entries import DEFAULT_SOURCE, Scope, Track
from keepgate.protocol.errors import Fault
from keepgate.store import reads
from keepgate.store.appending import Appender
from keepgate.store.keyring import Key
from keepgate.store.lane import Lane

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

QUEUE_MAX: Final = 256
"""So many evidence rows wait for a busy store; more are given up rather than kept in memory."""

PACK: Final = "pack"
"""What the row of a context pack is about; the row of a frozen snapshot is about nothing in particular."""
SHOWN_MAX: Final = 1_000
"""Packs that are known to be noted already; of others the ledger is asked."""

_SHOWN: Final = """
SELECT 1 FROM ledger INDEXED BY ledger_snapshot
WHERE workspace_key = ? AND agent_key = ? AND session_id = ? AND action = 'snapshot' AND entry_id = 'pack'
  AND payload = ?
LIMIT 1
"""
_COUNT_RECALL: Final = """
INSERT INTO recall (entry, count, last_ms)
SELECT e.row, 1, :now_ms FROM json_each(:ids) AS asked JOIN entries AS e ON e.id = asked.value WHERE true
ON CONFLICT (entry) DO UPDATE SET count = count + 1, last_ms = max(last_ms, excluded.last_ms)
"""


class Evidence:
    """The append-only door. What it writes never fails and never holds up the read that owes it."""

    def __init__(self, lane: Lane, key: Callable[[], Key], origin: str, announce: Callable[[], None]) -> None:
        self._lane: Final = lane
        self._key = key
        self._origin = origin
        self._announce = announce
        self._shown: dict[tuple[str, str, str, bytes], None] = {}

    async def note_recall(  # noqa: PLR0913 - the fields of one ledger row, all by name
        self,
        *,
        viewer_workspace: str,
        agent_key: str,
        session_id: str,
        track: Track | None,
        scope: Scope | None,
        text: str | None,
        entry_ids: Sequence[str],
        stamp: Stamp,
        wait_ms: int = 200,
    ) -> int | None:
        """Note that a session's query returned these entries; the ledger row's seq once it is stored.

        ``None`` when the store is read-only or still busy after ``wait_ms``; a busy store gets the row later.
        """
        row = Row(
            ts=stamp.now_ms,
            action="recalled",
            decision=Decision.EVIDENCE,
            outcome="ok",
            track=track,
            scope=scope,
            workspace_key=viewer_workspace,
            agent_key=agent_key,
            source=DEFAULT_SOURCE,
            session_id=session_id,
            payload={"text": text},
        )

        def work(db: apsw.Connection) -> int:
            seq = self._append(db, row, stamp)
            db.execute(_COUNT_RECALL, {"ids": json.dumps(list(entry_ids)), "now_ms": stamp.now_ms})
            return seq

        return await self._owed(work, wait_ms)

    async def freeze_snapshot(
        self,
        *,
        workspace_key: str,
        agent_key: str,
        session_id: str,
        text: str,
        entries: int,
        stamp: Stamp,
        wait_ms: int = 200,
    ) -> tuple[str, int, int]:
        """Freeze what a session is given; returns what is frozen: perhaps what another process had first."""
        row = Row(
            ts=stamp.now_ms,
            action="snapshot",
            decision=Decision.EVIDENCE,
            outcome="ok",
            workspace_key=workspace_key,
            agent_key=agent_key,
            source=DEFAULT_SOURCE,
            session_id=session_id,
            payload={"text": text, "entries": entries},
        )

        def work(db: apsw.Connection) -> tuple[str, int, int]:
            frozen = reads.frozen_snapshot(db, workspace_key, agent_key, session_id)
            if frozen is None:
                self._append(db, row, stamp)
            return frozen or (text, entries, stamp.now_ms)

        return await self._owed(work, wait_ms) or (text, entries, stamp.now_ms)

    async def note_shown(
        self,
        *,
        workspace_key: str,
        homes: frozenset[str],
        agent_key: str,
        session_id: str,
        text: str,
        items: int,
        stamp: Stamp,
        wait_ms: int = 200,
    ) -> None:
        """Note that a model was shown this pack: once for each text that a session was shown."""
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
        shown = (workspace_key, agent_key, session_id, digest)
        if shown in self._shown:
            return
        row = Row(
            ts=stamp.now_ms,
            action="snapshot",
            decision=Decision.EVIDENCE,
            outcome="ok",
            workspace_key=workspace_key,
            homes=homes if len(homes) > 1 else frozenset(),
            agent_key=agent_key,
            entry_id=PACK,
            source=DEFAULT_SOURCE,
            session_id=session_id,
            payload={"text": text, "entries": items},
        )
        payload = canonical(row.payload)

        def work(db: apsw.Connection) -> bool:
            if db.execute(_SHOWN, (workspace_key, agent_key, session_id, payload)).fetchone() is None:
                self._append(db, row, stamp)
            return True

        if await self._owed(work, wait_ms):
            self._shown[shown] = None
            if len(self._shown) > SHOWN_MAX:
                del self._shown[next(iter(self._shown))]

    def _append(self, db: apsw.Connection, row: Row, stamp: Stamp) -> int:
        appender = Appender(db, self._key(), stamp, self._origin)
        seq = appender.append(row)
        appender.feed(
            f"memory/{row.action}",
            ledger_seq=seq,
            workspace_key=row.workspace_key,
            agent_key=row.agent_key,
            track=row.track,
            scope=row.scope,
            session_id=row.session_id,
        )
        return seq

    async def _owed(self, work: Callable[[apsw.Connection], T], wait_ms: int) -> T | None:
        if self._lane.waiting >= QUEUE_MAX:
            _log.debug("an evidence row was given up: %d are waiting", QUEUE_MAX)
            return None

        def job(db: apsw.Connection) -> T:
            result = self._lane.transact(db, work)
            self._announce()
            return result

        future = self._lane.submit(job)
        future.add_done_callback(_note_failure)
        await asyncio.wait([future], timeout=wait_ms / 1000)
        return future.result() if future.done() and future.exception() is None else None


def _note_failure(future: "asyncio.Future[T]") -> None:
    error = None if future.cancelled() else future.exception()
    if isinstance(error, Fault):
        _log.debug("an evidence row was not stored: %s", error.code)
    elif error is not None:
        _log.error("an evidence row was not stored", exc_info=error)
