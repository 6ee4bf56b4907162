"""The store as it was: what the newest allowed row of each entry and fact said by then."""

import json
from collections.abc import Iterator
from typing import Final

import apsw
from attrs import field, frozen

from keepgate.core.model.fact import Fact
from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.ledger import Sealed
from keepgate.core.writing.mutation import FactStep, Mutation
from keepgate.core.writing.states import Sort, recorded, sort_of
from keepgate.protocol.entries import Entry
from keepgate.store.rows import SEALED_COLUMNS, sealed_of

_BY_THEN: Final = f"""
WITH told AS (
  SELECT min(seq) AS first, max(seq) AS last FROM ledger
  WHERE entry_id IS NOT NULL AND decision = 'allowed' AND seq <= :seq
    AND (:workspaces IS NULL OR workspace_key = ''
      OR workspace_key IN (SELECT value FROM json_each(:workspaces)))
  GROUP BY entry_id
)
SELECT first, {SEALED_COLUMNS} FROM told CROSS JOIN ledger ON seq = last
WHERE first > :after ORDER BY first
"""  # noqa: S608 - a constant of this package
_BEFORE: Final = "SELECT seq, ts FROM ledger WHERE ts <= ? ORDER BY seq DESC LIMIT 1"
_AT: Final = "SELECT seq, ts FROM ledger WHERE seq = ?"


@frozen(kw_only=True)
class Then:
    """A page of the store as it was, in the order in which things came; ``next`` is none at the end.

    ``unknown`` holds the ids of what cannot be told because its row was purged.
    """

    entries: list[Entry] = field(factory=list)
    facts: list[Fact] = field(factory=list)
    unknown: list[str] = field(factory=list)
    next: int | None = None


def row_at(db: apsw.Connection, seq: int) -> tuple[int, int] | None:
    """A ledger row's seq and time; ``None`` when there is no such row."""
    found: tuple[int, int] | None = db.execute(_AT, (seq,)).fetchone()
    return found


def row_before(db: apsw.Connection, moment_ms: int) -> tuple[int, int] | None:
    """The newest ledger row of that moment or before it; ``None`` when there is none."""
    found: tuple[int, int] | None = db.execute(_BEFORE, (moment_ms,)).fetchone()
    return found


def as_of(db: apsw.Connection, viewer: Viewer, *, seq: int, ts: int, limit: int, after: int) -> Then:
    """What the viewer would have seen after row ``seq``, which was written at ``ts``."""
    workspaces = None if viewer.workspaces is None else json.dumps(sorted(viewer.workspaces))
    told = db.execute(_BY_THEN, {"seq": seq, "after": after, "workspaces": workspaces})
    entries: list[Entry] = []
    facts: list[Fact] = []
    unknown: list[str] = []
    last: int | None = None
    for first, found in _seen(((row[0], sealed_of(row[1:])) for row in told), viewer, ts):
        if len(entries) + len(facts) + len(unknown) == limit:
            return Then(entries=entries, facts=facts, unknown=unknown, next=last)
        last = first
        match found:
            case Entry():
                entries.append(found)
            case Fact():
                facts.append(found)
            case _:
                unknown.append(found)
    return Then(entries=entries, facts=facts, unknown=unknown)


def _seen(
    rows: Iterator[tuple[int, Sealed]], viewer: Viewer, ts: int
) -> Iterator[tuple[int, Entry | Fact | str]]:
    """What there was and is in sight; of a purged row the subject's id."""
    for first, row in rows:
        match recorded(row):
            case Mutation(after=Entry() as entry) if viewer.sees(entry):
                yield first, entry
            case FactStep(after=fact) if viewer.sees_fact(fact) and fact.is_active(ts):
                yield first, fact
            case None if row.entry_id is not None and _may_know(row, viewer):
                yield first, row.entry_id


def _may_know(row: Sealed, viewer: Viewer) -> bool:
    """Whether a purged row is in sight; of a fact, which may have been private, not for remote callers."""
    sort = sort_of(row)
    if sort in (Sort.PAGE, Sort.ROOT) or (sort is Sort.FACT and viewer.world_only):
        return False
    return viewer.sees_keys((row.workspace_key,) if row.workspace_key else (), row.agent_key or "")
