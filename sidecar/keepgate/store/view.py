"""A consistent look at the store: what a plan reads, inside whatever transaction the connection holds."""

import json
from typing import Final

from keepgate.core.model.entry import Layer
from keepgate.core.writing.ledger import Decision, Recorded, Sealed, recorded
from keepgate.core.writing.match import Hits
from keepgate.core.writing.mutation import Mutation
from keepgate.protocol.entries import Entry
from keepgate.store import reads, writing
from keepgate.store.connection import Connection
from keepgate.store.rows import SEALED_COLUMNS, sealed_of

_ROW: Final = f"SELECT {SEALED_COLUMNS} FROM ledger WHERE seq = ?"  # noqa: S608 - a constant of this package
_ROWS: Final = f"SELECT {SEALED_COLUMNS} FROM ledger WHERE seq BETWEEN ? AND ? ORDER BY seq"  # noqa: S608
_NEWEST: Final = "SELECT max(seq) FROM ledger WHERE entry_id = ? AND decision = 'allowed'"
_OF_PROPOSAL: Final = (
    f"SELECT {SEALED_COLUMNS} FROM ledger "  # noqa: S608
    "WHERE proposal_id = ? AND decision = 'allowed' ORDER BY seq"
)


class View:
    """Implements the core's ``StoreView`` on a connection; good for as long as its transaction lasts."""

    def __init__(self, db: Connection) -> None:
        self._db: Final = db

    def used(self, layer: Layer) -> int:
        """Units in use in a layer."""
        return reads.used(self._db, layer)

    def find(self, layer: Layer, agent_key: str, match: str) -> Hits:
        """The layer's entries that contain ``match`` and that the agent sees."""
        return writing.find(self._db, layer, agent_key, match)

    def entry(self, entry_id: str) -> Entry | None:
        """The entry with that id, whoever may see it."""
        return reads.entry(self._db, entry_id)

    def twin(self, layer: Layer, agent_key: str, text: str) -> Entry | None:
        """An entry of the layer with the same text but for ASCII case."""
        return writing.twin(self._db, layer, agent_key, text)

    def change_of(self, seq: int) -> tuple[Recorded, ...]:
        """The entry steps of the allowed change that a ledger row belongs to.

        Empty when there is no such row, when it is no change, and when a part of the change was purged.
        """
        row = self._db.execute(_ROW, (seq,)).fetchone()
        if row is None:
            return ()
        sealed = sealed_of(row)
        if sealed.decision != Decision.ALLOWED or sealed.payload is None:
            return ()
        place, length = json.loads(sealed.payload)["of"]
        first = seq - place
        rows = [sealed_of(found) for found in self._db.execute(_ROWS, (first, first + length - 1))]
        return _steps(rows)

    def newest_change(self, entry_id: str) -> int | None:
        """The newest allowed row of an entry, also of one that is gone; ``None`` before the first."""
        newest: int | None = self._db.execute(_NEWEST, (entry_id,)).get
        return newest

    def change_by(self, proposal_id: str) -> tuple[tuple[Mutation, ...], tuple[int, ...]]:
        """The entry steps that a proposal's approval made, and the seqs of all its rows."""
        rows = [sealed_of(found) for found in self._db.execute(_OF_PROPOSAL, (proposal_id,))]
        return tuple(item.step for item in _steps(rows)), tuple(row.seq for row in rows)


def _steps(rows: list[Sealed]) -> tuple[Recorded, ...]:
    if any(row.payload is None for row in rows):
        return ()
    steps = ((row.seq, recorded(row)) for row in rows)
    return tuple(Recorded(seq=seq, step=step) for seq, step in steps if step is not None)
