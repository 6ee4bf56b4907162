"""Reads of proposals, and the store's counts."""

import json
from heapq import nlargest
from typing import Final

import apsw

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store.rows import PROPOSAL_COLUMNS, Row, one, proposal_of

_BY_ID: Final = f"SELECT {PROPOSAL_COLUMNS} FROM proposals WHERE id = ?"  # noqa: S608 - a constant of this package
_AT_ROWS: Final = f"""
SELECT {PROPOSAL_COLUMNS} FROM proposals WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row
"""  # noqa: S608
# A proposal belongs to its author's workspace, its home; one without a home is in everybody's view. Rows of
# one home and status come sorted from the index, so that reading stops at the limit.
_NEWEST: Final = """
SELECT row FROM proposals INDEXED BY proposals_home
WHERE home = :home AND status = :status AND (:agent IS NULL OR agent_key = '' OR agent_key = :agent)
ORDER BY row DESC LIMIT :limit
"""
_NEWEST_ANYWHERE: Final = """
SELECT row FROM proposals
WHERE (:status IS NULL OR status = :status) AND (:agent IS NULL OR agent_key = '' OR agent_key = :agent)
ORDER BY row DESC LIMIT :limit
"""
_PENDING: Final = """
SELECT count(*) FROM proposals INDEXED BY proposals_home
WHERE status = 'pending' AND home IN (SELECT value FROM json_each(?))
"""
_PENDING_ANYWHERE: Final = "SELECT count(*) FROM proposals INDEXED BY proposals_due WHERE status = 'pending'"
_COUNTS: Final = """
SELECT (SELECT coalesce(sum(entries), 0) FROM usage), (SELECT coalesce(max(seq), 0) FROM ledger),
  (SELECT count(*) FROM proposals WHERE status = 'pending')
"""


def proposals(
    db: apsw.Connection, viewer: Viewer, status: ProposalStatus | None, limit: int
) -> list[StoredProposal]:
    """The newest ``limit`` proposals in view, oldest first."""
    values = {"agent": viewer.agent_key, "limit": limit, "status": status}
    found: list[Row] = []
    if viewer.workspaces is None:
        found = db.execute(_NEWEST_ANYWHERE, values).fetchall()
    else:
        for home in viewer.workspaces | {""}:
            for kind in ProposalStatus if status is None else (status,):
                found += db.execute(_NEWEST, {**values, "home": home, "status": kind}).fetchall()
    newest = nlargest(limit, (row for (row,) in found))
    return [proposal_of(row) for row in db.execute(_AT_ROWS, (json.dumps(newest),))]


def proposal(db: apsw.Connection, proposal_id: str) -> StoredProposal | None:
    """The proposal with that id, whoever may see it."""
    row = db.execute(_BY_ID, (proposal_id,)).fetchone()
    return proposal_of(row) if row else None


def pending_count(db: apsw.Connection, workspaces: frozenset[str] | None) -> int:
    """How many proposals wait in these workspaces and outside all of them; ``None``: in every workspace."""
    if workspaces is None:
        anywhere: int = db.execute(_PENDING_ANYWHERE).get
        return anywhere
    count: int = db.execute(_PENDING, (json.dumps(sorted(workspaces | {""})),)).get
    return count


def counts(db: apsw.Connection) -> dict[str, int]:
    """``entries``, ``ledger_rows`` and ``pending_proposals`` of the whole store."""
    entries, rows, pending = one(db.execute(_COUNTS))
    return {"entries": entries, "ledger_rows": rows, "pending_proposals": pending}
