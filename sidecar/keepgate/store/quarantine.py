"""What is in quarantine: told from the ledger, whose row is the newest of its subject then."""

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.core.model.entry import Layer, layer_of
from keepgate.core.model.fact import Fact
from keepgate.core.model.text import units
from keepgate.core.writing.mutation import FactStep, Mutation
from keepgate.core.writing.states import Recorded, recorded
from keepgate.protocol.entries import Entry
from keepgate.store.rows import ENTRY_COLUMNS, FACT_COLUMNS, SEALED_COLUMNS, entry_of, fact_of, sealed_of

_HELD: Final = f"""
SELECT {SEALED_COLUMNS} FROM ledger AS l
WHERE action = 'quarantine' AND decision = 'allowed' AND NOT EXISTS (
  SELECT 1 FROM ledger AS newer
  WHERE newer.entry_id = l.entry_id AND newer.seq > l.seq AND newer.decision = 'allowed'
)
ORDER BY seq
"""  # noqa: S608 - constants of this package
_ENTRIES: Final = f"""
SELECT {ENTRY_COLUMNS} FROM entries AS e LEFT JOIN recall AS r ON r.entry = e.row
WHERE e.session_id = ? ORDER BY e.created_seq
"""  # noqa: S608
_FACTS: Final = (
    f"SELECT {FACT_COLUMNS} FROM facts AS f WHERE f.session_id = ? AND f.expired_at IS NULL ORDER BY f.id"  # noqa: S608
)

_REASONS: Final = """
SELECT id, json_extract(change, '$.reason') FROM proposals
WHERE id IN (SELECT value FROM json_each(?))
"""


@frozen(kw_only=True)
class Held:
    """One entry or fact in quarantine: its row, when that was written, and the wish it came with."""

    found: Recorded
    session_id: str
    ts: int
    proposal_id: str | None


def written_by(db: apsw.Connection, session_id: str) -> tuple[tuple[Entry, ...], tuple[Fact, ...]]:
    """The entries that a session wrote last, and the facts that it brought and that are not expired."""
    entries: Any = db.execute(_ENTRIES, (session_id,))
    facts: Any = db.execute(_FACTS, (session_id,))
    return tuple(map(entry_of, entries)), tuple(map(fact_of, facts))


def held(db: apsw.Connection) -> Iterator[Held]:
    """Everything in quarantine, whoever may see it, in the order in which it came there; of what was purged
    nothing.
    """
    for row in map(sealed_of, db.execute(_HELD)):
        step = recorded(row)
        match step:
            case Mutation(before=was) | FactStep(before=was) if was and was.session_id:
                yield Held(
                    found=Recorded(seq=row.seq, step=step),
                    session_id=was.session_id,
                    ts=row.ts,
                    proposal_id=row.proposal_id,
                )


def held_of(db: apsw.Connection, session_id: str) -> tuple[Recorded, ...]:
    """The steps that put into quarantine what is in it now of a session."""
    return tuple(item.found for item in held(db) if item.session_id == session_id)


def held_units(db: apsw.Connection, layer: Layer) -> int:
    """Units of a layer that are in quarantine: their room is kept, so that release finds it."""
    entries = (item.found.step.before for item in held(db) if isinstance(item.found.step, Mutation))
    return sum(units(entry.text) for entry in entries if entry is not None and layer_of(entry) == layer)


def reasons(db: apsw.Connection, proposals: Collection[str]) -> dict[str, str | None]:
    """The reasons that were given with wishes to quarantine, by the ids of these."""
    return dict(db.execute(_REASONS, (json.dumps(sorted(proposals)),)))
