"""A consistent look at the store: what a plan reads, inside whatever transaction the connection holds."""

import json
from typing import Final

from keepgate.core.model.entry import Layer
from keepgate.core.model.fact import Fact
from keepgate.core.writing.ledger import Decision, Sealed
from keepgate.core.writing.match import Hits
from keepgate.core.writing.mutation import Step
from keepgate.core.writing.page_steps import PageFiles
from keepgate.core.writing.states import Recorded, recorded
from keepgate.protocol.entries import Entry
from keepgate.protocol.verbs import Visibility
from keepgate.store import facts, page_writes, quarantine, reads, writing
from keepgate.store.connection import Connection
from keepgate.store.rows import SEALED_COLUMNS, sealed_of

_ROW: Final = f"SELECT {SEALED_COLUMNS} FROM ledger WHERE seq = ?"  # noqa: S608 - a constant of this package
_ROWS: Final = f"SELECT {SEALED_COLUMNS} FROM ledger WHERE seq BETWEEN ? AND ? ORDER BY seq"  # noqa: S608
_NEWEST: Final = "SELECT max(seq) FROM ledger WHERE entry_id = ? AND decision = 'allowed'"
_OF_SESSION: Final = (
    f"SELECT {SEALED_COLUMNS} FROM ledger "  # noqa: S608
    "WHERE session_id = ? AND decision = 'allowed' AND entry_id IS NOT NULL ORDER BY seq"
)
_TAINT: Final = (
    "SELECT payload FROM ledger WHERE session_id = ? AND workspace_key = ? AND action = 'taint' ORDER BY seq"
)
_OF_PROPOSAL: Final = (
    f"SELECT {SEALED_COLUMNS} FROM ledger "  # noqa: S608
    "WHERE proposal_id = ? AND decision = 'allowed' ORDER BY seq"
)


class View:
    """Implements the core's ``StoreView`` on a connection; good for as long as its transaction lasts."""

    def __init__(self, db: Connection, files: PageFiles | None = None) -> None:
        self._db: Final = db
        self._files: Final = files

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

    def neighbours(self, layer: Layer, agent_key: str, limit: int) -> tuple[Entry, ...]:
        """The newest entries of the layer, visible to that agent."""
        return writing.neighbours(self._db, layer, agent_key, limit)

    def facts_about(self, home: str, entity: str | None, now_ms: int, limit: int) -> tuple[Fact, ...]:
        """The newest active facts of a home about that entity, or about none."""
        return facts.facts_about(self._db, home, entity, now_ms, limit)

    def fact(self, fact_id: int) -> Fact | None:
        """The fact with that id, whoever may see it."""
        return facts.fact(self._db, fact_id)

    def fact_twins(self, home: str, text: str, now_ms: int) -> tuple[Fact, ...]:
        """The active facts of a home with the same letters and digits."""
        return facts.fact_twins(self._db, home, text, now_ms)

    def next_fact_id(self) -> int:
        """The id of the next new fact."""
        return facts.next_fact_id(self._db)

    def page_text(self, root: str, path: str) -> str | None:
        """The text of a page file as it is, or as a write on its way to it will leave it."""
        on_its_way = page_writes.pending_for(self._db, root, path)
        if on_its_way is not None:
            return on_its_way.content
        if self._files is None:
            raise LookupError("this view was opened without page files")
        return self._files.page_text(root, path)

    def page_visibility(self, text: str) -> Visibility:
        """Who may read a page with this text."""
        if self._files is None:
            raise LookupError("this view was opened without page files")
        return self._files.page_visibility(text)

    def trusts_root(self, home: str, root: str) -> bool:
        """Whether a person has trusted the folder."""
        return page_writes.trusts_root(self._db, home, root)

    def taint(self, session_id: str, workspace_key: str) -> tuple[str, ...]:
        """What untrusted material a session of that workspace has read; a purged row counts, unnamed."""
        found: dict[str, None] = {}
        for (payload,) in self._db.execute(_TAINT, (session_id, workspace_key)):
            found.update(dict.fromkeys(["(purged)"] if payload is None else json.loads(payload)["sources"]))
        return tuple(found)

    def change_of(self, seq: int) -> tuple[Recorded, ...]:
        """The steps of the allowed change that a ledger row belongs to.

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

    def changes_by_session(self, session_id: str) -> tuple[tuple[Recorded, ...], ...]:
        """The allowed changes that carry a session's id, oldest first; of what was purged nothing."""
        changes: dict[int, list[Recorded]] = {}
        for row in map(sealed_of, self._db.execute(_OF_SESSION, (session_id,))):
            step = recorded(row)
            if step is not None and row.payload is not None:
                first = row.seq - json.loads(row.payload)["of"][0]
                changes.setdefault(first, []).append(Recorded(seq=row.seq, step=step))
        return tuple(map(tuple, changes.values()))

    def written_by(self, session_id: str) -> tuple[tuple[Entry, ...], tuple[Fact, ...]]:
        """The entries that a session wrote last, and the facts that it brought and that are not expired."""
        return quarantine.written_by(self._db, session_id)

    def pages_by(self, session_id: str) -> tuple[Recorded, ...]:
        """The writes of pages that were a session's and the last of their pages."""
        return quarantine.pages_by(self._db, session_id)

    def held_of(self, session_id: str) -> tuple[Recorded, ...]:
        """The steps that put into quarantine what is in it now of a session."""
        return quarantine.held_of(self._db, session_id)

    def newest_change(self, subject: str) -> int | None:
        """The newest allowed row of an entry or a fact, also of one that is gone; ``None`` without any."""
        newest: int | None = self._db.execute(_NEWEST, (subject,)).get
        return newest

    def change_by(self, proposal_id: str) -> tuple[tuple[Step, ...], tuple[int, ...]]:
        """The steps that a proposal's approval made, and the seqs of all its rows."""
        rows = [sealed_of(found) for found in self._db.execute(_OF_PROPOSAL, (proposal_id,))]
        return tuple(item.step for item in _steps(rows)), tuple(row.seq for row in rows)


def _steps(rows: list[Sealed]) -> tuple[Recorded, ...]:
    if any(row.payload is None for row in rows):
        return ()
    steps = ((row.seq, recorded(row)) for row in rows)
    return tuple(Recorded(seq=seq, step=step) for seq, step in steps if step is not None)
