"""Reads of the ledger: the audit, what was ever in sight, frozen snapshots."""

import heapq
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import apsw

from keepgate.core.model.fact import FACT_ID, Fact
from keepgate.core.model.viewer import Viewer
from keepgate.protocol.entries import AuditRow, Scope
from keepgate.store.facts import fact
from keepgate.store.reads.entries import entry
from keepgate.store.reads.openness import ROW_IS_OPEN
from keepgate.store.rows import ALL_HOMES_IN_VIEW, Row

_AUDIT: Final = """
SELECT seq, ts, action, track, scope, entry_id, payload, outcome, source, session_id, proposal_id, "by"
FROM json_each(?) AS asked CROSS JOIN ledger ON seq = asked.value
ORDER BY seq DESC
"""
_FILTER: Final = f"""
seq < :before
  AND (:action IS NULL OR action = :action)
  AND (:entry_id IS NULL OR entry_id = :entry_id)
  AND (:session_id IS NULL OR session_id = :session_id)
  AND (:agent IS NULL OR agent_key IS NULL OR agent_key = '' OR agent_key = :agent)
  AND {ALL_HOMES_IN_VIEW}
  AND {ROW_IS_OPEN}
ORDER BY seq DESC
"""
_IN_VIEW: Final = (
    "(:workspaces IS NULL OR workspace_key IS NULL OR workspace_key = '' "
    "OR workspace_key IN (SELECT value FROM json_each(:workspaces)))"
)
# One statement for each index that can narrow the search; rows come newest first from all of them.
_OF_ENTRY: Final = (
    f"SELECT seq FROM ledger INDEXED BY ledger_entry WHERE entry_id = :entry_id AND {_IN_VIEW} AND {_FILTER}"  # noqa: S608 - constants of this file
)
_OF_SESSION: Final = f"SELECT seq FROM ledger INDEXED BY ledger_session WHERE session_id = :session_id AND {_IN_VIEW} AND {_FILTER}"  # noqa: E501, S608
_OF_WORKSPACE: Final = (
    f"SELECT seq FROM ledger INDEXED BY ledger_workspace WHERE workspace_key IS :workspace_key AND {_FILTER}"  # noqa: S608
)
_OF_ALL: Final = f"SELECT seq FROM ledger WHERE {_FILTER}"  # noqa: S608

# Entries belong to a track; of pages and folders the ledger's rows alone say who may hear of them.
_LAST_KEYS: Final = """
SELECT scope, workspace_key, agent_key FROM ledger
WHERE entry_id = ? AND decision = 'allowed' AND track IS NOT NULL
ORDER BY seq DESC LIMIT 1
"""
_FROZEN: Final = """
SELECT payload, ts FROM ledger
WHERE workspace_key = ? AND agent_key = ? AND session_id = ? AND action = 'snapshot' AND payload IS NOT NULL
  AND entry_id IS NULL
ORDER BY seq DESC LIMIT 1
"""
_NO_LIMIT: Final = (1 << 63) - 1


def audit(
    db: apsw.Connection,
    viewer: Viewer,
    *,
    limit: int,
    before: int | None = None,
    action: str | None = None,
    entry_id: str | None = None,
    session_id: str | None = None,
) -> list[AuditRow]:
    """Ledger rows in view, newest first (DSH-6).

    In view are the viewer's workspaces and what belongs to none; of agent-private rows the viewer's own; of
    rows that speak of several workspaces those of which the viewer sees them all. Remote callers see no row
    that may tell of a private fact or page.
    """
    values = {
        "before": _NO_LIMIT if before is None else before,
        "action": action,
        "entry_id": entry_id,
        "session_id": session_id,
        "agent": viewer.agent_key,
        "world_only": viewer.world_only,
        "workspaces": None if viewer.workspaces is None else json.dumps(sorted(viewer.workspaces)),
    }
    seqs = list(islice(_newest(db, viewer, values), limit))
    return [_audit_row(row) for row in db.execute(_AUDIT, (json.dumps(seqs),))]


def _newest(db: apsw.Connection, viewer: Viewer, values: dict[str, Any]) -> Iterator[int]:
    if values["entry_id"] is not None:
        cursors = [db.execute(_OF_ENTRY, values)]
    elif values["session_id"] is not None:
        cursors = [db.execute(_OF_SESSION, values)]
    elif viewer.workspaces is None:
        cursors = [db.execute(_OF_ALL, values)]
    else:
        keys = (None, *sorted(viewer.workspaces | {""}))
        cursors = [db.execute(_OF_WORKSPACE, {**values, "workspace_key": key}) for key in keys]
    for (seq,) in heapq.merge(*cursors, reverse=True):
        yield seq


def _audit_row(row: Row) -> AuditRow:
    payload = None if row[6] is None else json.loads(row[6])
    return AuditRow(
        seq=row[0],
        ts=row[1],
        action=row[2],
        track=row[3],
        scope=row[4],
        entry_id=row[5],
        text=_text_of(payload or {}),
        outcome=row[7],
        source=row[8],
        session_id=row[9],
        proposal_id=row[10],
        by=None if row[11] is None else json.loads(row[11]),
        purged=payload is None,
    )


def _text_of(payload: dict[str, Any]) -> str | None:
    # A change's row holds whole states; its text is the new one, or the one that went.
    state = payload.get("after") or payload.get("before") or payload
    text: str | None = state.get("text", state.get("content"))
    return text


def visible_fact(db: apsw.Connection, viewer: Viewer, fact_id: str) -> Fact | None:
    """The fact in view with that id, expired or not."""
    if not FACT_ID.fullmatch(fact_id):
        return None
    found = fact(db, int(fact_id))
    return found if found is not None and viewer.sees_fact(found) else None


def ever_seen(db: apsw.Connection, viewer: Viewer, entry_id: str) -> bool:
    """Whether an entry is in view, or was when it was removed; or a fact is, expired or not."""
    if FACT_ID.fullmatch(entry_id):
        return visible_fact(db, viewer, entry_id) is not None
    found = entry(db, entry_id)
    if found is not None:
        return viewer.sees(found)
    row = db.execute(_LAST_KEYS, (entry_id,)).fetchone()
    if row is None:
        return False
    scope, workspace_key, agent_key = row
    return viewer.sees_keys(() if scope == Scope.USER_GLOBAL else (workspace_key,), agent_key)


def frozen_snapshot(
    db: apsw.Connection, workspace_key: str, agent_key: str, session_id: str
) -> tuple[str, int, int] | None:
    """The text a session was given, how many entries it shows and when it was frozen; none before that."""
    row = db.execute(_FROZEN, (workspace_key, agent_key, session_id)).fetchone()
    if row is None:
        return None
    payload = json.loads(row[0])
    return payload["text"], payload["entries"], row[1]
