"""Verifying a store: the ledger's chain and seals, its anchor, and that a replay of it equals the store."""

import json
from collections.abc import Iterator
from typing import Final

import apsw
from attrs import evolve

from keepgate.core.writing.ledger import GENESIS, Decision, Sealed, chain_breaks
from keepgate.protocol.entries import VerifyProblem, VerifyResult
from keepgate.store.anchor import REPLACED, Anchor, read_anchor
from keepgate.store.copying import reading
from keepgate.store.divergence import bookkeeping, divergences
from keepgate.store.keyring import Key, peek_key
from keepgate.store.longwork import run_long
from keepgate.store.open import Store
from keepgate.store.page_proofs import page_write_problems
from keepgate.store.rows import SEALED_COLUMNS, sealed_of
from keepgate.store.stopping import Cancelled, Progress, Stopped, silent

PROBLEMS_MAX: Final = 1000
"""A store in ruins is not described any further."""

_EVERY: Final = 500
_WIDTH: Final = SEALED_COLUMNS.count(",") + 1

_LENGTH: Final = "SELECT count(*) FROM ledger"
_LEDGER: Final = f"SELECT {SEALED_COLUMNS}, key_id, mac FROM ledger ORDER BY seq"  # noqa: S608 - a constant of this package


async def verify_store(store: Store, *, progress: Progress = silent) -> VerifyResult:
    """Verify an open store as it is now, while others go on writing. Raises the store's faults."""

    def work(db: apsw.Connection, tell: Progress, cancelled: Cancelled) -> VerifyResult:
        # Others go on writing: the anchor must be older than what is verified, the key than any row in it.
        anchor = read_anchor(store.anchors, store.id)
        with reading(db):
            key = peek_key(store.state_folder)
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
    problems = [*ledger.problems(), *divergences(db, steps.one), *bookkeeping(db), *page_write_problems(db)]
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
