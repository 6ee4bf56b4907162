"""Reads of proposals, and the store's counts."""

import json
from typing import Final

import apsw

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store.rows import PROPOSAL_COLUMNS, one, proposal_of

_BY_ID: Final = f"SELECT {PROPOSAL_COLUMNS} FROM proposals WHERE id = ?"  # noqa: S608 - a constant of this package
# A proposal belongs to its author's workspace, its home; one without a home is in everybody's view.
_HOMES: Final = "(SELECT value FROM json_each(:homes))"
_AGENT: Final = "(:agent IS NULL OR agent_key = '' OR agent_key = :agent)"
_NEWEST: Final = f"""
SELECT {PROPOSAL_COLUMNS} FROM proposals
WHERE (:homes IS NULL OR home IN {_HOMES}) AND (:status IS NULL OR status = :status) AND {_AGENT}
ORDER BY row DESC LIMIT :limit
"""  # noqa: S608
_PENDING: Final = (
    f"SELECT count(*) FROM proposals WHERE status = 'pending' AND (:homes IS NULL OR home IN {_HOMES})"  # noqa: S608
)
_COUNTS: Final = """
SELECT (SELECT coalesce(sum(entries), 0) FROM usage), (SELECT coalesce(max(seq), 0) FROM ledger),
  (SELECT count(*) FROM proposals WHERE status = 'pending')
"""


def proposals(
    db: apsw.Connection, viewer: Viewer, status: ProposalStatus | None, limit: int
) -> list[StoredProposal]:
    """The newest ``limit`` proposals in view, oldest first."""
    values = {"homes": _homes(viewer.workspaces), "status": status, "agent": viewer.agent_key, "limit": limit}
    return [proposal_of(row) for row in reversed(db.execute(_NEWEST, values).fetchall())]


def proposal(db: apsw.Connection, proposal_id: str) -> StoredProposal | None:
    """The proposal with that id, whoever may see it."""
    row = db.execute(_BY_ID, (proposal_id,)).fetchone()
    return proposal_of(row) if row else None


def pending_count(db: apsw.Connection, workspaces: frozenset[str] | None) -> int:
    """How many proposals wait in these workspaces and outside all of them; ``None``: in every workspace."""
    count: int = db.execute(_PENDING, {"homes": _homes(workspaces)}).get
    return count


def counts(db: apsw.Connection) -> dict[str, int]:
    """``entries``, ``ledger_rows`` and ``pending_proposals`` of the whole store."""
    entries, rows, pending = one(db.execute(_COUNTS))
    return {"entries": entries, "ledger_rows": rows, "pending_proposals": pending}


def _homes(workspaces: frozenset[str] | None) -> str | None:
    return None if workspaces is None else json.dumps(sorted(workspaces | {""}))
