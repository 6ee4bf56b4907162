"""Entry and proposal rows, inside a transaction that the canonical writer holds."""

from collections.abc import Mapping
from typing import Any, Final
from zlib import crc32

import apsw

from keepgate.core.model.entry import Layer
from keepgate.core.model.text import ascii_fold, units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Change
from keepgate.core.writing.ledger import canonical
from keepgate.core.writing.match import SAMPLE_MAX, Hits
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import proposal_not_found
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store.derived import index, unindex
from keepgate.store.reads.entries import entries_at
from keepgate.store.rows import (
    PROPOSAL_COLUMNS,
    Row,
    one,
    proposal_of,
    proposal_values,
    readable_proposals,
    written_change,
)

_FIND: Final = """
SELECT e.row FROM entries AS e INDEXED BY entries_layer
WHERE e.scope = :scope AND e.workspace_key = :workspace_key AND e.track = :track
  AND e.agent_key IN ('', :agent_key) AND instr(e.folded, :needle) > 0
ORDER BY e.created_seq
"""
_TWIN: Final = """
SELECT e.row FROM entries AS e INDEXED BY entries_twin
WHERE e.scope = :scope AND e.workspace_key = :workspace_key AND e.track = :track AND e.folded_crc = :crc
  AND e.agent_key IN ('', :agent_key) AND e.folded = :folded
ORDER BY e.created_seq LIMIT 1
"""

_NEIGHBOURS: Final = """
SELECT row FROM entries INDEXED BY entries_layer
WHERE scope = :scope AND workspace_key = :workspace_key AND track = :track AND agent_key IN ('', :agent_key)
ORDER BY created_seq DESC LIMIT :limit
"""
_FIRST_SEQ: Final = "SELECT min(seq) FROM ledger WHERE entry_id = ? AND decision = 'allowed'"
_INSERT: Final = """
INSERT INTO entries (id, track, scope, workspace_key, agent_key, text, source, tags, version, created_at,
  updated_at, session_id, units, folded, folded_crc, created_seq, ledger_seq)
VALUES (:id, :track, :scope, :workspace_key, :agent_key, :text, :source, :tags, :version, :created_at,
  :updated_at, :session_id, :units, :folded, :folded_crc, :created_seq, :ledger_seq)
RETURNING row
"""
_REWRITE: Final = """
UPDATE entries SET agent_key = :agent_key, text = :text, source = :source, tags = :tags, version = :version,
  updated_at = :updated_at, session_id = :session_id, units = :units, folded = :folded,
  folded_crc = :folded_crc, ledger_seq = :ledger_seq
WHERE id = :id AND version = :version_before
RETURNING row
"""
_DELETE: Final = "DELETE FROM entries WHERE id = ? AND version = ? RETURNING row"

_PROPOSE: Final = """
INSERT INTO proposals (id, status, change, workspace_key, homes, agent_key, session_id, kind, track, scope,
  source, text, hash, asked_by, waiter, created_at, expires_at)
VALUES (:id, :status, :change, :workspace_key, :homes, :agent_key, :session_id, :kind, :track, :scope,
  :source, :text, :hash, :asked_by, :waiter, :created_at, :expires_at)
"""
_PENDING: Final = f"WHERE id = :id AND status = 'pending' RETURNING {PROPOSAL_COLUMNS}"
_REASK: Final = f"UPDATE proposals SET hash = :hash, text = :text {_PENDING}"  # noqa: S608
_ATTACH: Final = f"""
UPDATE proposals SET waiter = :waiter, session_id = :session_id, asked_by = :asked_by {_PENDING}
"""  # noqa: S608
_RELEASE: Final = f"UPDATE proposals SET waiter = NULL {_PENDING}"  # noqa: S608
_CLOSE: Final = f"""
UPDATE proposals SET status = :status, outcome = :outcome, decided_at = :decided_at, decided_by = :decided_by,
  waiter = NULL
{_PENDING}
"""  # noqa: S608
_ALIKE: Final = f"""
SELECT {PROPOSAL_COLUMNS} FROM proposals INDEXED BY proposals_alike
WHERE workspace_key = ? AND agent_key = ? AND hash = ? AND change = ? AND status = 'pending'
ORDER BY waiter IS NOT NULL, row LIMIT 1
"""  # noqa: S608
_PENDING_COUNTS: Final = """
SELECT (SELECT count(*) FROM proposals WHERE session_id = ? AND status = 'pending'),
  (SELECT count(*) FROM proposals WHERE workspace_key = ? AND status = 'pending')
"""
_DUE: Final = f"""
SELECT {PROPOSAL_COLUMNS} FROM proposals INDEXED BY proposals_due
WHERE status = 'pending' AND expires_at <= ? ORDER BY row
"""  # noqa: S608


def find(db: apsw.Connection, layer: Layer, agent_key: str, match: str) -> Hits:
    """The layer's entries that contain ``match``, shared or that agent's: how many, and the first ten."""
    values = {**_layer(layer), "agent_key": agent_key, "needle": ascii_fold(match)}
    rows: list[Row] = db.execute(_FIND, values).fetchall()
    return Hits(len(rows), tuple(entries_at(db, [row for (row,) in rows[:SAMPLE_MAX]])))


def twin(db: apsw.Connection, layer: Layer, agent_key: str, text: str) -> Entry | None:
    """The oldest entry of the layer with the same text but for ASCII case, shared or that agent's."""
    folded = ascii_fold(text)
    values = {**_layer(layer), "agent_key": agent_key, "folded": folded, "crc": crc32(folded.encode())}
    row = db.execute(_TWIN, values).fetchone()
    return entries_at(db, row)[0] if row else None


def neighbours(db: apsw.Connection, layer: Layer, agent_key: str, limit: int) -> tuple[Entry, ...]:
    """The newest entries of the layer, shared or that agent's."""
    values = {**_layer(layer), "agent_key": agent_key, "limit": limit}
    rows: list[Row] = db.execute(_NEIGHBOURS, values).fetchall()
    return tuple(entries_at(db, [row for (row,) in rows]))


def insert_entry(db: apsw.Connection, entry: Entry, ledger_seq: int) -> None:
    """Store a new entry, or one that comes back, under its ledger row; its index row with it."""
    # An entry that comes back, by an undo, keeps its place in creation order.
    first: int = ledger_seq if entry.version == 1 else db.execute(_FIRST_SEQ, (entry.id,)).get
    row = one(db.execute(_INSERT, {**_columns(entry, ledger_seq), "created_seq": first}))
    index(db, row[0], entry.text)


def rewrite_entry(db: apsw.Connection, before: Entry, after: Entry, ledger_seq: int) -> None:
    """Give an entry its next state."""
    values = {**_columns(after, ledger_seq), "version_before": before.version}
    row = _the_one(db.execute(_REWRITE, values), before)
    unindex(db, row)
    index(db, row, after.text)


def delete_entry(db: apsw.Connection, before: Entry) -> None:
    """Take an entry away; its recall counts and index row go with it."""
    row = _the_one(db.execute(_DELETE, (before.id, before.version)), before)
    unindex(db, row)


def insert_proposal(db: apsw.Connection, stored: StoredProposal) -> None:
    """Store a pending proposal."""
    db.execute(_PROPOSE, proposal_values(stored))


def reask_proposal(db: apsw.Connection, proposal_id: str, *, hash: str, text: str) -> StoredProposal:  # noqa: A002 - the wire's word
    """Put a pending proposal's question anew. Raises ``PROPOSAL_NOT_FOUND`` when it is not pending."""
    return _changed(db, _REASK, {"id": proposal_id, "hash": hash, "text": text})


def attach_to_proposal(
    db: apsw.Connection, proposal_id: str, *, waiter: str, session_id: str, asked_by: Mapping[str, Any]
) -> StoredProposal:
    """Put a new caller in the place of the one who asked first. Raises ``PROPOSAL_NOT_FOUND``."""
    values = {"waiter": waiter, "session_id": session_id, "asked_by": canonical(dict(asked_by))}
    return _changed(db, _ATTACH, {"id": proposal_id, **values})


def release_proposal(db: apsw.Connection, proposal_id: str) -> StoredProposal:
    """Note that no caller waits for a pending proposal any more. Raises ``PROPOSAL_NOT_FOUND``."""
    return _changed(db, _RELEASE, {"id": proposal_id})


def close_proposal(
    db: apsw.Connection,
    proposal_id: str,
    *,
    status: ProposalStatus,
    outcome: str | None,
    decided_at: int,
    by: Mapping[str, Any] | None,
) -> StoredProposal:
    """Give a pending proposal its final state. Raises ``PROPOSAL_NOT_FOUND`` when it has one already."""
    values = {
        "id": proposal_id,
        "status": str(status),
        "outcome": outcome,
        "decided_at": decided_at,
        "decided_by": None if by is None else canonical(dict(by)),
    }
    return _changed(db, _CLOSE, values)


def pending_like(db: apsw.Connection, change: Change, author: Author, hash: str) -> StoredProposal | None:  # noqa: A002
    """A pending proposal for that change and content, of the author's workspace and agent.

    The change counts beside the content: of two that do the same today, such as naming a target by its id
    and by its text, each may do something else tomorrow. One without a waiter comes first.
    """
    keys = (author.workspace_key, author.agent_key, hash, written_change(change))
    row = db.execute(_ALIKE, keys).fetchone()
    return proposal_of(row) if row else None


def pending_counts(db: apsw.Connection, session_id: str, workspace_key: str) -> tuple[int, int]:
    """Pending proposals of the session, and of the workspace."""
    of_session, of_workspace = one(db.execute(_PENDING_COUNTS, (session_id, workspace_key)))
    return of_session, of_workspace


def due(db: apsw.Connection, now_ms: int) -> list[StoredProposal]:
    """Pending proposals whose time is up, oldest first; those of an unknown kind are left to who knows it."""
    return readable_proposals(db.execute(_DUE, (now_ms,)).fetchall())


def _changed(db: apsw.Connection, statement: str, values: dict[str, Any]) -> StoredProposal:
    row = db.execute(statement, values).fetchone()
    stored = proposal_of(row) if row else None
    if stored is None:
        raise proposal_not_found(values["id"])
    return stored


def _the_one(cursor: apsw.Cursor, before: Entry) -> int:
    row = cursor.fetchone()
    if row is None:
        raise LookupError(
            f"entry {before.id} is not at version {before.version}: the plan is of another transaction"
        )
    found: int = row[0]
    return found


def _layer(layer: Layer) -> dict[str, Any]:
    return {"scope": layer.scope, "workspace_key": layer.workspace_key, "track": layer.track}


def _columns(entry: Entry, ledger_seq: int) -> dict[str, Any]:
    folded = ascii_fold(entry.text)
    return {
        "id": entry.id,
        "track": entry.track,
        "scope": entry.scope,
        "workspace_key": entry.workspace_key,
        "agent_key": entry.agent_key,
        "text": entry.text,
        "source": entry.source,
        "tags": canonical(list(entry.tags)),
        "version": entry.version,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "session_id": entry.session_id,
        "units": units(entry.text),
        "folded": folded,
        "folded_crc": crc32(folded.encode()),
        "ledger_seq": ledger_seq,
    }
