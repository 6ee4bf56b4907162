"""Where a replay of the ledger and the store differ: entries, facts, totals, proposals."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final
from zlib import crc32

import apsw

from keepgate.core.model.fact import Fact
from keepgate.core.model.text import ascii_fold, units
from keepgate.core.writing.ledger import Sealed
from keepgate.core.writing.mutation import FactStep, Mutation
from keepgate.core.writing.replay import Replay
from keepgate.core.writing.states import Sort, fact_state_of, recorded, sort_of, state_of
from keepgate.protocol.entries import Entry, VerifyProblem
from keepgate.store.facts import twin_crc
from keepgate.store.rows import ENTRY_COLUMNS, FACT_COLUMNS, SEALED_COLUMNS, Row, entry_of, fact_of, sealed_of

_STEPS: Final = f"""
SELECT {SEALED_COLUMNS} FROM ledger WHERE entry_id IS NOT NULL AND decision = 'allowed' ORDER BY entry_id, seq
"""  # noqa: S608 - a constant of this package
_ENTRY: Final = f"""
SELECT {ENTRY_COLUMNS}, e.units, e.folded, e.folded_crc, e.created_seq, e.ledger_seq
FROM entries AS e LEFT JOIN recall AS r ON r.entry = e.row WHERE e.id = ?
"""  # noqa: S608
_FACT: Final = f"SELECT {FACT_COLUMNS}, f.twin_crc, f.ledger_seq FROM facts AS f WHERE f.id = ?"  # noqa: S608
_STRAYS: Final = """
SELECT 'entry', e.id FROM entries AS e WHERE NOT EXISTS
  (SELECT 1 FROM ledger AS l WHERE l.entry_id = e.id AND l.decision = 'allowed')
UNION ALL
SELECT 'fact', CAST(f.id AS TEXT) FROM facts AS f WHERE NOT EXISTS
  (SELECT 1 FROM ledger AS l WHERE l.entry_id = CAST(f.id AS TEXT) AND l.decision = 'allowed')
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

_State = dict[str, Any]


def divergences(db: apsw.Connection, one: Callable[[], None]) -> Iterator[VerifyProblem]:
    """Entries and facts that are not as their rows left them; ``one`` is called for every row.

    Page files lie outside the store and are left out.
    """
    rows = (sealed_of(columns) for columns in db.execute(_STEPS))
    for subject, of_subject in groupby(rows, key=lambda row: str(row.entry_id)):
        yield from _of_subject(db, subject, of_subject, one)
    for sort, subject in db.execute(_STRAYS):
        message = f"{sort} {subject} has no approved ledger row"
        yield VerifyProblem(kind="divergence", seq=None, message=message)


def _of_subject(
    db: apsw.Connection, subject: str, rows: Iterable[Sealed], one: Callable[[], None]
) -> Iterator[VerifyProblem]:
    replay, first, last, sort = Replay(), 0, 0, Sort.ENTRY
    for row in rows:
        one()
        sort = sort_of(row)
        if problem := _broken_step(replay, row):
            yield problem
        replay.apply(row)
        first, last = first or row.seq, row.seq
    if sort in (Sort.PAGE, Sort.ROOT) or subject in replay.purged:
        return
    reason = (
        _differing_fact(db, subject, replay.facts.get(subject), last)
        if sort is Sort.FACT
        else _differing_entry(db, subject, replay.entries.get(subject), (first, last))
    )
    if reason:
        yield VerifyProblem(kind="divergence", seq=last, message=f"{sort.value} {subject} {reason}")


def _broken_step(replay: Replay, row: Sealed) -> VerifyProblem | None:
    """A row whose ``before`` is not the state that the rows before it left."""
    step, subject = recorded(row), str(row.entry_id)
    if subject in replay.purged:
        return None
    match step:
        case Mutation(before=before):
            known = replay.entries.get(subject)
            broken = (before and state_of(before)) != (known and state_of(known))
        case FactStep(before=fact):
            broken = fact != replay.facts.get(subject)
        case _:
            return None
    if not broken:
        return None
    message = f"the change of {sort_of(row).value} {subject} does not start from the state before it"
    return VerifyProblem(kind="divergence", seq=row.seq, message=message)


def _differing_entry(
    db: apsw.Connection, entry_id: str, expected: Entry | None, seqs: tuple[int, int]
) -> str | None:
    row: Row | None = db.execute(_ENTRY, (entry_id,)).fetchone()
    if row is None or expected is None:
        return _one_sided(row, expected)
    found = entry_of(row[:-5])
    folded = ascii_fold(found.text)
    right = (units(found.text), folded, crc32(folded.encode()), *seqs)
    derived = zip(("units", "folded", "foldedCrc", "createdSeq", "ledgerSeq"), right, row[-5:], strict=True)
    return _differences(state_of(expected), state_of(found), derived)


def _differing_fact(db: apsw.Connection, fact_id: str, expected: Fact | None, last: int) -> str | None:
    row: Row | None = db.execute(_FACT, (int(fact_id),)).fetchone()
    if row is None or expected is None:
        return _one_sided(row, expected)
    found = fact_of(row[:-2])
    derived = (("twinCrc", twin_crc(found.text), row[-2]), ("ledgerSeq", last, row[-1]))
    return _differences(fact_state_of(expected), fact_state_of(found), derived)


def _one_sided(row: Row | None, expected: Entry | Fact | None) -> str | None:
    if row is None and expected is None:
        return None
    return "is missing from the store" if row is None else "was removed and is still in the store"


def _differences(
    expected: _State, found: _State, derived: Iterable[tuple[str, object, object]]
) -> str | None:
    names = [name for name in expected if expected[name] != found[name]]
    names += [name for name, right, there in derived if right != there]
    return f"differs from its ledger in {', '.join(names)}" if names else None


def bookkeeping(db: apsw.Connection) -> Iterator[VerifyProblem]:
    """Running totals that are off, and approvals without a proof on the other side."""
    for track, scope, key, used, _ in db.execute(_RECOUNT):
        message = f"the running total of {track}/{scope} {key} is off by {used} units"
        yield VerifyProblem(kind="totals", seq=None, message=message)
    for (proposal_id,) in db.execute(_UNPROVEN):
        message = f"proposal {proposal_id} is approved, but no ledger row has its hash"
        yield VerifyProblem(kind="divergence", seq=None, message=message)
    for (seq,) in db.execute(_UNASKED):
        message = "a person allowed this change, but no approved proposal belongs to it"
        yield VerifyProblem(kind="divergence", seq=seq, message=message)
