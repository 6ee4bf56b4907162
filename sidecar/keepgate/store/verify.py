"""Verifying a store: the ledger's chain and seals, its anchor, and that a replay of it equals the store."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final
from zlib import crc32

import apsw
from attrs import evolve

from keepgate.core.model.text import ascii_fold, units
from keepgate.core.writing.ledger import GENESIS, Decision, Replay, Sealed, chain_breaks, recorded, state_of
from keepgate.protocol.entries import Entry, VerifyProblem, VerifyResult
from keepgate.store.anchor import REPLACED, Anchor, read_anchor
from keepgate.store.copying import reading
from keepgate.store.keyring import Key, peek_key
from keepgate.store.longwork import run_long
from keepgate.store.open import Store
from keepgate.store.rows import ENTRY_COLUMNS, SEALED_COLUMNS, Row, entry_of, sealed_of
from keepgate.store.stopping import Cancelled, Progress, Stopped, silent

PROBLEMS_MAX: Final = 1000
"""A store in ruins is not described any further."""

_DERIVED: Final = ("units", "folded", "foldedCrc", "createdSeq", "ledgerSeq")
_EVERY: Final = 500
_WIDTH: Final = SEALED_COLUMNS.count(",") + 1

_LENGTH: Final = "SELECT count(*) FROM ledger"
_LEDGER: Final = f"SELECT {SEALED_COLUMNS}, key_id, mac FROM ledger ORDER BY seq"  # noqa: S608 - a constant of this package
_STEPS: Final = f"""
SELECT {SEALED_COLUMNS} FROM ledger WHERE entry_id IS NOT NULL AND decision = 'allowed' ORDER BY entry_id, seq
"""  # noqa: S608
_STORED: Final = f"""
SELECT {ENTRY_COLUMNS}, e.units, e.folded, e.folded_crc, e.created_seq, e.ledger_seq
FROM entries AS e LEFT JOIN recall AS r ON r.entry = e.row WHERE e.id = ?
"""  # noqa: S608
_STRAYS: Final = """
SELECT e.id FROM entries AS e WHERE NOT EXISTS
  (SELECT 1 FROM ledger AS l WHERE l.entry_id = e.id AND l.decision = 'allowed')
"""
_RECOUNT: Final = """
SELECT track, scope, workspace_key, sum(used), sum(counted) FROM (
  SELECT track, scope, workspace_key, units AS used, 1 AS counted FROM entries
  UNION ALL SELECT track, scope, workspace_key, -used, -entries FROM usage
) GROUP BY track, scope, workspace_key HAVING sum(used) <> 0 OR sum(counted) <> 0
"""
_UNPROVEN: Final = """
SELECT p.id FROM proposals AS p WHERE p.status = 'approved' AND NOT EXISTS
  (SELECT 1 FROM ledger AS l WHERE l.proposal_id = p.id AND l.decision = 'allowed' AND l.shown_hash = p.hash)
"""
# A policy or a grant decides at once and stores no proposal.
_UNASKED: Final = """
SELECT l.seq FROM ledger AS l
WHERE l.decision = 'allowed' AND (instr(l.outcome, '(via approval,') OR instr(l.outcome, '(via inbox,'))
  AND NOT EXISTS (SELECT 1 FROM proposals AS p WHERE p.id = l.proposal_id AND p.status = 'approved')
"""


async def verify_store(store: Store, *, progress: Progress = silent) -> VerifyResult:
    """Verify an open store as it is now, while others go on writing. Raises the store's faults."""
    key = peek_key(store.state_folder)

    def work(db: apsw.Connection, tell: Progress, cancelled: Cancelled) -> VerifyResult:
        with reading(db):
            anchor = read_anchor(store.anchors, store.id)
            return verify(db, key=key, anchor=anchor, progress=tell, cancelled=cancelled)

    return await run_long(store, work, connect=store.connect_reading, progress=progress)


async def check_pages(store: Store) -> str:
    """``ok``, or what is wrong with the file below its tables. Raises the store's faults."""

    def work(db: apsw.Connection, _tell: Progress, _cancelled: Cancelled) -> str:
        return str(db.execute("PRAGMA quick_check(1)").get)

    return await run_long(store, work, connect=store.connect_reading, progress=silent)


def verify(
    db: apsw.Connection, *, key: Key | None, anchor: Anchor | None, progress: Progress, cancelled: Cancelled
) -> VerifyResult:
    """Check all that can be checked, one row at a time, inside the caller's read transaction.

    Kinds: ``edit``, ``gap``, ``reorder`` (the chain), ``foreign-key`` (sealed by another key, or not by the
    one it names), ``cut`` (the anchored row is gone), ``divergence`` (replay and store differ), ``totals``,
    and ``purged``, which alone leaves ``ok`` true. Raises :class:`~keepgate.store.stopping.Stopped`.
    """
    length: int = db.execute(_LENGTH).get
    steps = _Steps(2 * length, progress, cancelled)
    ledger = _Ledger(db, key, anchor, steps)
    problems = [*ledger.problems(), *_divergences(db, steps), *_bookkeeping(db)]
    progress(2 * length, 2 * length)
    kept = problems[:PROBLEMS_MAX]
    return VerifyResult(
        ok=all(problem.kind == "purged" for problem in problems),
        rows=length,
        head=ledger.head,
        problems=kept,
    )


class _Steps:
    """Counts rows, tells how far it is, and stops where nobody waits."""

    def __init__(self, total: int, progress: Progress, cancelled: Cancelled) -> None:
        self._done = 0
        self._total = total
        self._progress = progress
        self._cancelled = cancelled

    def one(self) -> None:
        self._done += 1
        if self._done % _EVERY == 0:
            if self._cancelled():
                raise Stopped
            self._progress(self._done, self._total)


class _Ledger:
    """One walk over the ledger: chain, seals, purges and the anchor at once."""

    def __init__(self, db: apsw.Connection, key: Key | None, anchor: Anchor | None, steps: _Steps) -> None:
        self.head = GENESIS
        self._db = db
        self._key = key
        self._anchor = anchor
        self._steps = steps
        self._anchored = anchor is None
        self._noted: list[VerifyProblem] = []
        self._foreign: list[VerifyProblem] = []

    def problems(self) -> Iterator[VerifyProblem]:
        for found in chain_breaks(self._rows()):
            yield VerifyProblem(kind=found.kind, seq=found.seq, message=found.message)
        if self._anchor is not None and not self._anchored:
            message = (
                "the newest row that was ever anchored is missing: the tail was cut, or all was rewritten"
            )
            yield VerifyProblem(kind="cut", seq=self._anchor.seq, message=message)
        yield from (*self._noted, *self._foreign)

    def _rows(self) -> Iterator[Sealed]:
        for columns in self._db.execute(_LEDGER):
            row = sealed_of(columns[:_WIDTH])
            self._steps.one()
            self._check_seal(row, *columns[_WIDTH:])
            if row.payload is None:
                message = "the payload was purged; the chain holds without it"
                self._noted.append(VerifyProblem(kind="purged", seq=row.seq, message=message))
            if self._anchor is not None and row.seq == self._anchor.seq:
                self._anchored = self._anchored or row.hash == self._anchor.hash
            self.head = row.hash
            yield row

    def _check_seal(self, row: Sealed, key_id: str, mac: str) -> None:
        if self._key is None or key_id != self._key.id:
            self._note_foreign(row.seq)
        elif self._key.mac(row.hash) != mac:
            message = "the seal is not this installation's, although it says so"
            self._noted.append(VerifyProblem(kind="foreign-key", seq=row.seq, message=message))
        elif row.action == "restored" and row.decision == Decision.NOTE:
            # Whoever holds this installation's key put these rows back knowingly.
            self._foreign.clear()
            self._note_restore(row)

    def _note_restore(self, row: Sealed) -> None:
        # The process may have been killed before it could anchor what it put back.
        replaced = json.loads(row.payload).get(REPLACED) if row.payload is not None else None
        if self._anchor is not None and replaced == self._anchor.hash:
            self._anchored = True

    def _note_foreign(self, seq: int) -> None:
        # A store from another machine is one finding, not one for each row.
        first = self._foreign[-1].seq if self._foreign else None
        message = f"rows up to {seq} were sealed by another installation's key"
        if first is None:
            self._foreign.append(VerifyProblem(kind="foreign-key", seq=seq, message=message))
        else:
            self._foreign[-1] = evolve(self._foreign[-1], message=message)


def _divergences(db: apsw.Connection, steps: _Steps) -> Iterator[VerifyProblem]:
    rows = (sealed_of(columns) for columns in db.execute(_STEPS))
    for entry_id, of_entry in groupby(rows, key=lambda row: row.entry_id):
        replay, first, last = Replay({}, set()), 0, 0
        for row in of_entry:
            steps.one()
            if problem := _broken_step(replay, row):
                yield problem
            replay.apply(row)
            first, last = first or row.seq, row.seq
        if entry_id not in replay.purged:
            stored = db.execute(_STORED, (entry_id,)).fetchone()
            expected = replay.entries.get(str(entry_id))
            if reason := _difference(expected, stored, first, last):
                message = f"entry {entry_id} {reason}"
                yield VerifyProblem(kind="divergence", seq=last, message=message)
    for (entry_id,) in db.execute(_STRAYS):
        message = f"entry {entry_id} has no approved ledger row"
        yield VerifyProblem(kind="divergence", seq=None, message=message)


def _broken_step(replay: Replay, row: Sealed) -> VerifyProblem | None:
    """A row whose ``before`` is not the state that the rows before it left."""
    step = recorded(row)
    if step is None or row.entry_id in replay.purged:
        return None
    known = replay.entries.get(str(row.entry_id))
    if _state(step.before) == _state(known):
        return None
    message = f"the change of entry {row.entry_id} does not start from the state before it"
    return VerifyProblem(kind="divergence", seq=row.seq, message=message)


def _difference(expected: Entry | None, stored: Row | None, first: int, last: int) -> str | None:
    if expected is None or stored is None:
        if expected is None and stored is None:
            return None
        return "is missing from the store" if stored is None else "was removed and is still in the store"
    found = entry_of(stored[:-5])
    was, says = state_of(expected), state_of(found)
    names = [name for name in was if was[name] != says[name]]
    folded = ascii_fold(found.text)
    derived = (units(found.text), folded, crc32(folded.encode()), first, last)
    names += [
        name for name, right, there in zip(_DERIVED, derived, stored[-5:], strict=True) if right != there
    ]
    return f"differs from its ledger in {', '.join(names)}" if names else None


def _bookkeeping(db: apsw.Connection) -> Iterator[VerifyProblem]:
    for track, scope, key, used, _ in db.execute(_RECOUNT):
        message = f"the running total of {track}/{scope} {key} is off by {used} units"
        yield VerifyProblem(kind="totals", seq=None, message=message)
    for (proposal_id,) in db.execute(_UNPROVEN):
        message = f"proposal {proposal_id} is approved, but no ledger row has its hash"
        yield VerifyProblem(kind="divergence", seq=None, message=message)
    for (seq,) in db.execute(_UNASKED):
        message = "a person allowed this change, but no approved proposal belongs to it"
        yield VerifyProblem(kind="divergence", seq=seq, message=message)


def _state(entry: Entry | None) -> dict[str, Any] | None:
    return None if entry is None else state_of(entry)
