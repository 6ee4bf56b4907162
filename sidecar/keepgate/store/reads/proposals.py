"""Reads of proposals, and the store's counts. A pending one whose time is up reads as expired."""

import json
from heapq import nlargest
from typing import Any, Final

import apsw

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.proposals import Proposal, ProposalStatus
from keepgate.store.reads.openness import PROPOSAL_IS_OPEN
from keepgate.store.rows import (
    ALL_HOMES_IN_VIEW,
    LISTED_COLUMNS,
    PROPOSAL_COLUMNS,
    Row,
    listed_of,
    one,
    proposal_of,
    readable_proposals,
)

_OF_AGENT: Final = "(:agent IS NULL OR agent_key = '' OR agent_key = :agent)"
_IN_VIEW: Final = (
    "(:workspaces IS NULL OR workspace_key = '' "
    "OR workspace_key IN (SELECT value FROM json_each(:workspaces)))"
)
_BY_ID: Final = f"SELECT {PROPOSAL_COLUMNS} FROM proposals WHERE id = ?"  # noqa: S608
_WAITED_FOR: Final = f"""
SELECT {PROPOSAL_COLUMNS} FROM proposals INDEXED BY proposals_waiter
WHERE status = 'pending' AND waiter IS NOT NULL ORDER BY row
"""  # noqa: S608
_VISIBLE: Final = f"""
SELECT {LISTED_COLUMNS} FROM proposals WHERE id = :id AND {_OF_AGENT} AND {_IN_VIEW} AND {ALL_HOMES_IN_VIEW}
  AND {PROPOSAL_IS_OPEN}
"""  # noqa: S608
_BEGINNING: Final = f"""
SELECT id FROM proposals WHERE id >= :id AND id < :id || char(0x10ffff)
  AND {_OF_AGENT} AND {_IN_VIEW} AND {ALL_HOMES_IN_VIEW}
  AND {PROPOSAL_IS_OPEN}
ORDER BY id
"""  # noqa: S608
_LISTED_AT: Final = f"""
SELECT {LISTED_COLUMNS} FROM proposals WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row
"""  # noqa: S608
_WHOLE_AT: Final = f"""
SELECT {PROPOSAL_COLUMNS} FROM proposals WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row
"""  # noqa: S608
# One without a workspace is in everybody's view. Rows of one workspace and status come sorted from the index,
# so that reading stops at the limit.
_NEWEST: Final = f"""
SELECT row FROM proposals INDEXED BY proposals_workspace
WHERE workspace_key = :workspace_key AND status = :status AND (:due IS NULL OR (expires_at <= :now_ms) = :due)
  AND {_OF_AGENT} AND {ALL_HOMES_IN_VIEW} AND {PROPOSAL_IS_OPEN}
ORDER BY row DESC LIMIT :limit
"""  # noqa: S608
_NEWEST_ANYWHERE: Final = f"""
SELECT row FROM proposals
WHERE (:status IS NULL OR status = :status) AND (:due IS NULL OR (expires_at <= :now_ms) = :due)
  AND {_OF_AGENT}
ORDER BY row DESC LIMIT :limit
"""  # noqa: S608
_PENDING: Final = f"""
SELECT count(*) FROM proposals INDEXED BY proposals_workspace
WHERE status = 'pending' AND expires_at > :now_ms AND {ALL_HOMES_IN_VIEW} AND {PROPOSAL_IS_OPEN}
  AND workspace_key IN (SELECT value FROM json_each(:workspaces) UNION ALL SELECT '')
"""  # noqa: S608
_PENDING_ANYWHERE: Final = """
SELECT count(*) FROM proposals INDEXED BY proposals_due WHERE status = 'pending' AND expires_at > ?
"""
_COUNTS: Final = """
SELECT (SELECT coalesce(sum(entries), 0) FROM usage), (SELECT coalesce(max(seq), 0) FROM ledger)
"""
# Where rows of a status are found: by the status that is stored, and by whether their time is up.
_FOUND_AS: Final[dict[ProposalStatus, tuple[tuple[ProposalStatus, bool | None], ...]]] = {
    **{status: ((status, None),) for status in ProposalStatus},
    ProposalStatus.PENDING: ((ProposalStatus.PENDING, False),),
    ProposalStatus.EXPIRED: ((ProposalStatus.EXPIRED, None), (ProposalStatus.PENDING, True)),
}
_ANY_STATUS: Final = tuple((status, None) for status in ProposalStatus)


def proposals(
    db: apsw.Connection, viewer: Viewer, status: ProposalStatus | None, limit: int, now_ms: int
) -> list[Proposal]:
    """The newest ``limit`` proposals in view, oldest first, also those that a newer version stored."""
    rows = _newest(db, viewer, status, limit, now_ms)
    return [listed_of(row, now_ms) for row in db.execute(_LISTED_AT, (json.dumps(rows),))]


def pending_proposals(db: apsw.Connection, viewer: Viewer, limit: int, now_ms: int) -> list[StoredProposal]:
    """The newest ``limit`` pending proposals in view, oldest first, with their changes; unknown ones not."""
    rows = _newest(db, viewer, ProposalStatus.PENDING, limit, now_ms)
    return readable_proposals(db.execute(_WHOLE_AT, (json.dumps(rows),)))


def visible_proposal(db: apsw.Connection, viewer: Viewer, proposal_id: str, now_ms: int) -> Proposal | None:
    """The proposal with that id, if it is in view."""
    row = db.execute(_VISIBLE, {"id": proposal_id, **_sight(viewer)}).fetchone()
    return listed_of(row, now_ms) if row else None


def proposal_ids(db: apsw.Connection, viewer: Viewer, beginning: str) -> list[str]:
    """The ids of the proposals in view that begin so, in order."""
    return [found for (found,) in db.execute(_BEGINNING, {"id": beginning, **_sight(viewer)})]


def proposal(db: apsw.Connection, proposal_id: str) -> StoredProposal | None:
    """The proposal with that id, whoever may see it; ``None`` also for a change of an unknown kind."""
    row = db.execute(_BY_ID, (proposal_id,)).fetchone()
    return proposal_of(row) if row else None


def waited_for(db: apsw.Connection) -> list[StoredProposal]:
    """Pending proposals that name a waiter, oldest first; those of an unknown kind are left out."""
    return readable_proposals(db.execute(_WAITED_FOR).fetchall())


def pending_count(
    db: apsw.Connection, workspaces: frozenset[str] | None, now_ms: int, *, world_only: bool = False
) -> int:
    """How many proposals wait in these workspaces and outside all of them; ``None``: in every workspace.

    ``world_only`` leaves out those that remote callers may not see.
    """
    if workspaces is None:
        anywhere: int = db.execute(_PENDING_ANYWHERE, (now_ms,)).get
        return anywhere
    values = {"workspaces": json.dumps(sorted(workspaces)), "now_ms": now_ms, "world_only": world_only}
    count: int = db.execute(_PENDING, values).get
    return count


def counts(db: apsw.Connection, now_ms: int) -> dict[str, int]:
    """``entries``, ``ledger_rows`` and ``pending_proposals`` of the whole store."""
    entries, rows = one(db.execute(_COUNTS))
    return {"entries": entries, "ledger_rows": rows, "pending_proposals": pending_count(db, None, now_ms)}


def _newest(
    db: apsw.Connection, viewer: Viewer, status: ProposalStatus | None, limit: int, now_ms: int
) -> list[int]:
    values = {**_sight(viewer), "limit": limit, "now_ms": now_ms}
    found: list[Row] = []
    if viewer.workspaces is None:
        for stored, due in ((None, None),) if status is None else _FOUND_AS[status]:
            found += db.execute(_NEWEST_ANYWHERE, {**values, "status": stored, "due": due}).fetchall()
    else:
        for stored, due in _ANY_STATUS if status is None else _FOUND_AS[status]:
            for key in viewer.workspaces | {""}:
                here = {**values, "workspace_key": key, "status": stored, "due": due}
                found += db.execute(_NEWEST, here).fetchall()
    return nlargest(limit, (row for (row,) in found))


def _sight(viewer: Viewer) -> dict[str, Any]:
    keys = None if viewer.workspaces is None else json.dumps(sorted(viewer.workspaces))
    return {"agent": viewer.agent_key, "workspaces": keys, "world_only": viewer.world_only}
