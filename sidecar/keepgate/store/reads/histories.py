"""What became of one entry, fact or page, change by change, and who stood behind each change."""

import json
from collections.abc import Iterator
from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import FACT_ID
from keepgate.core.model.page_path import composed
from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.mutation import QUARANTINE, RELEASE
from keepgate.core.writing.states import PAGE_SUBJECT
from keepgate.protocol.entries import UNSET, Unset, Version, WhyLink
from keepgate.store.reads.audit import ever_seen
from keepgate.store.reads.openness import ROW_IS_OPEN
from keepgate.store.rows import Row

_STEPS: Final = f"""
SELECT l.seq, l.ts, l.action, l.outcome, l.session_id, l.agent_key, l.payload, l.proposal_id, l.shown_hash,
  l."by", p.created_at, p.decided_at, p.asked_by, p.agent_key
FROM (
  SELECT * FROM ledger
  WHERE entry_id = :id AND decision = 'allowed' AND (:home IS NULL OR workspace_key = :home)
    AND {ROW_IS_OPEN}
) AS l LEFT JOIN proposals AS p ON p.id = l.proposal_id
ORDER BY l.seq
"""  # noqa: S608 - constants of this package
_HOMES: Final = f"""
SELECT DISTINCT workspace_key FROM ledger
WHERE entry_id = :id AND decision = 'allowed' AND {ROW_IS_OPEN}
"""  # noqa: S608
_WRITTEN: Final = """
SELECT root, path, digest_after FROM page_writes WHERE home = ? AND slug = ? AND state <> 'abandoned'
ORDER BY id DESC LIMIT 1
"""


@frozen(kw_only=True)
class Subject:
    """What a history is of. Of pages ``home`` is the one of several with that slug; remote callers see the
    rows alone in which nothing is private.
    """

    id: str
    home: str | None = None
    world_only: bool = False

    @property
    def slug(self) -> str | None:
        """The slug of a page; ``None`` for entries and facts."""
        return self.id.removeprefix(PAGE_SUBJECT) if self.id.startswith(PAGE_SUBJECT) else None


@frozen
class WrittenPage:
    """A page's file as the last write through the gate left it; ``digest`` of ``None``: removed."""

    root: str
    path: str
    digest: str | None


def subject_seen(db: apsw.Connection, viewer: Viewer, given: str) -> Subject | None:
    """What an id names of all that is or was in view: an entry, a fact, or a page as ``page:`` and its slug.

    A workspace's page comes before the user's own of that slug.
    """
    if not given.startswith(PAGE_SUBJECT):
        return Subject(id=given) if ever_seen(db, viewer, given) else None
    subject = PAGE_SUBJECT + composed(given.removeprefix(PAGE_SUBJECT))
    rows = db.execute(_HOMES, {"id": subject, "world_only": viewer.world_only})
    homes = [home for (home,) in rows if viewer.sees_keys((home,) if home else (), "")]
    if not homes:
        return None
    home = min(homes, key=lambda key: (key == "", key))
    return Subject(id=subject, home=home, world_only=viewer.world_only)


def written_page(db: apsw.Connection, home: str, slug: str) -> WrittenPage | None:
    """Where a page's file is and what it held after the last write through the gate."""
    row: Row | None = db.execute(_WRITTEN, (home, slug)).fetchone()
    return WrittenPage(*row) if row else None


def history(db: apsw.Connection, subject: Subject) -> list[Version]:
    """Every state an entry, a fact or a page had, and its removals, oldest first.

    A removal shows the state that went; facts and pages have no tags.
    """
    return [
        Version(
            version=version,
            text=state.get("text", state.get("content")) if state else None,
            tags=state.get("tags") if state else None,
            ts=row[1],
            action=row[2],
            seq=row[0],
            outcome=row[3],
            session_id=row[4],
            reason=_reason(state),
        )
        for row, version, state in _steps(db, subject)
    ]


def why(db: apsw.Connection, subject: Subject) -> list[WhyLink]:
    """Each change with the person, session and client behind it, oldest first."""
    return [
        WhyLink(
            seq=row[0],
            ts=row[1],
            action=row[2],
            version=version,
            outcome=row[3],
            proposal_id=row[7],
            hash=row[8],
            asked_at=row[10],
            decided_at=row[11],
            session_id=row[4],
            agent_key=row[5] if row[13] is None else row[13],
            **_parties(_json(row[12]), _json(row[9])),
            reason=_reason(state),
        )
        for row, version, state in _steps(db, subject)
    ]


def _reason(state: dict[str, Any] | None) -> str | Unset:
    """Why a fact was forgotten, where that was said; nothing else has a reason."""
    return (state or {}).get("reason") or UNSET


def _parties(asked_by: dict[str, Any] | None, by: dict[str, Any] | None) -> dict[str, Any]:
    """Who asked and who decided. Where nobody had to be asked no proposal tells of it, but the row does."""
    policy = by is not None and by.get("via") == "policy"
    client = {name: value for name, value in (by or {}).items() if name != "via"} or None
    return {"asked_by": asked_by or client, "decided_by": {"via": "policy"} if policy else by}


def _steps(db: apsw.Connection, subject: Subject) -> Iterator[tuple[Row, int, dict[str, Any] | None]]:
    version = 0
    values = {"id": subject.id, "home": subject.home, "world_only": subject.world_only}
    for row in db.execute(_STEPS, values):
        payload = None if row[6] is None else json.loads(row[6])
        # A purged row no longer says its version, but each state is one more than the one before.
        version += 0 if _is_gone(row[2], subject) else 1
        yield row, version, payload and (payload["after"] or payload["before"])


def _is_gone(action: str, subject: Subject) -> bool:
    """Whether a row brought no new state. A page's file stays as it is, in quarantine and back."""
    if action.endswith("remove"):
        return True
    if subject.slug is not None:
        return action in (QUARANTINE, RELEASE)
    return action == QUARANTINE and not FACT_ID.fullmatch(subject.id)


def _json(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)
