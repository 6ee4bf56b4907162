"""What people allowed for the rest of sessions: rows of ``grants``."""

import json
from collections.abc import Collection
from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.store.rows import Row

_COLUMNS: Final = (
    'id, session_id, agent_key, kind, track, workspace_key, kept_for, holder, granted_at, "by", ledger_seq'
)
_INSERT: Final = f"INSERT INTO grants ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - names of this file
_SAME: Final = """
SELECT 1 FROM grants
WHERE session_id = ? AND holder = ? AND agent_key = ? AND kind = ? AND track IS ? AND workspace_key = ?
  AND kept_for = ?
"""
_ALL: Final = f"SELECT {_COLUMNS} FROM grants ORDER BY ledger_seq"  # noqa: S608
_TAKE: Final = f"DELETE FROM grants WHERE id IN (SELECT value FROM json_each(?)) RETURNING {_COLUMNS}"  # noqa: S608
_OF_SESSION: Final = "SELECT id FROM grants WHERE session_id = ? AND holder = ?"


@frozen(kw_only=True)
class Leave:
    """Leave for one kind of change: adding to a ``track`` of a workspace, or remembering facts of it.

    ``kind`` is ``add`` or ``remember``; facts have no track. ``kept_for`` is the entries' agent key, or the
    facts' visibility. ``holder`` is the presence token of the process that the session speaks to.
    """

    session_id: str
    agent_key: str
    kind: str
    track: str | None
    workspace_key: str
    kept_for: str
    holder: str


@frozen(kw_only=True)
class Given:
    """A leave as it was given; ``by`` names the person's client, ``ledger_seq`` the change allowed then."""

    id: str
    leave: Leave
    granted_at: int
    by: dict[str, Any]
    ledger_seq: int


def give(db: apsw.Connection, given: Given) -> bool:
    """Store a leave; false where there is the same already."""
    if holds(db, given.leave):
        return False
    leave = given.leave
    db.execute(
        _INSERT,
        (
            given.id, leave.session_id, leave.agent_key, leave.kind, leave.track, leave.workspace_key,
            leave.kept_for, leave.holder, given.granted_at, json.dumps(given.by), given.ledger_seq,
        ),
    )  # fmt: skip
    return True


def holds(db: apsw.Connection, leave: Leave) -> bool:
    """Whether there is this leave."""
    values = (
        leave.session_id, leave.holder, leave.agent_key, leave.kind, leave.track, leave.workspace_key,
        leave.kept_for,
    )  # fmt: skip
    return db.execute(_SAME, values).fetchone() is not None


def all_given(db: apsw.Connection) -> list[Given]:
    """Every leave, oldest first, also those of processes that are gone."""
    return [_given_of(row) for row in db.execute(_ALL)]


def of_session(db: apsw.Connection, session_id: str, holder: str) -> list[str]:
    """The ids of what a session of that process was allowed."""
    return [row[0] for row in db.execute(_OF_SESSION, (session_id, holder))]


def take(db: apsw.Connection, ids: Collection[str]) -> list[Given]:
    """End leaves; those that there were, oldest first."""
    taken = [_given_of(row) for row in db.execute(_TAKE, (json.dumps(list(ids)),))]
    return sorted(taken, key=lambda given: given.ledger_seq)


def _given_of(row: Row) -> Given:
    return Given(
        id=row[0],
        leave=Leave(
            session_id=row[1], agent_key=row[2], kind=row[3], track=row[4], workspace_key=row[5],
            kept_for=row[6], holder=row[7],
        ),
        granted_at=row[8],
        by=json.loads(row[9]),
        ledger_seq=row[10],
    )  # fmt: skip
