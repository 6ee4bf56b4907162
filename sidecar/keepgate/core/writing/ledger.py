"""Ledger rows: what they hold and how they are sealed (DSH-6).

A row keeps ``digest = SHA-256(salt || payload)``; the chain covers every other column, the digest and the
previous row's hash, but never the payload itself. A purge can so drop payload and salt and the chain holds.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from attrs import field, frozen

GENESIS: Final = "0" * 64


class Decision(StrEnum):
    """What a row records."""

    ALLOWED = "allowed"
    DENIED = "denied"
    REFUSED = "refused"
    EVIDENCE = "evidence"
    NOTE = "note"


@frozen(kw_only=True)
class Row:
    """A row to append. ``payload`` is JSON: ``text``, and for changes ``before`` and ``after``.

    ``homes`` are all workspaces that the row speaks of, ``workspace_key`` among them where there is one.
    """

    ts: int
    action: str
    decision: Decision
    outcome: str
    track: str | None = None
    scope: str | None = None
    workspace_key: str | None = None
    homes: frozenset[str] = frozenset()
    agent_key: str | None = None
    entry_id: str | None = None
    source: str | None = None
    session_id: str | None = None
    proposal_id: str | None = None
    shown_hash: str | None = None
    by: Mapping[str, Any] | None = None
    payload: Mapping[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Sealed:
    """A row as it is stored; ``payload`` and ``salt`` are ``None`` once purged. Hashes are lower-case hex."""

    seq: int
    ts: int
    action: str
    decision: str
    outcome: str
    track: str | None
    scope: str | None
    workspace_key: str | None
    homes: str | None
    agent_key: str | None
    entry_id: str | None
    source: str | None
    session_id: str | None
    proposal_id: str | None
    shown_hash: str | None
    by: str | None
    payload: str | None
    salt: str | None
    digest: str
    previous: str
    hash: str


CHAINED: Final = (
    "seq", "ts", "action", "decision", "outcome", "track", "scope", "workspace_key", "homes",
    "agent_key", "entry_id", "source", "session_id", "proposal_id", "shown_hash", "by", "digest", "previous",
)  # fmt: skip
"""The columns that a row's hash covers, in order."""


def canonical(value: Any) -> str:
    """Canonical JSON: sorted names, no blanks, UTF-8 text unescaped."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def written_homes(homes: Collection[str]) -> str | None:
    """Workspaces as rows keep them: sorted, and only when they are several, for one is the row's own key."""
    return canonical(sorted(homes)) if len(homes) > 1 else None


def seal(row: Row, *, seq: int, salt: str, previous: str) -> Sealed:
    """Close a row over the one before it; ``previous`` is that row's hash or :data:`GENESIS`."""
    payload = canonical(row.payload)
    columns: dict[str, Any] = {
        "seq": seq,
        "ts": row.ts,
        "action": row.action,
        "decision": str(row.decision),
        "outcome": row.outcome,
        "track": row.track,
        "scope": row.scope,
        "workspace_key": row.workspace_key,
        "homes": written_homes(row.homes),
        "agent_key": row.agent_key,
        "entry_id": row.entry_id,
        "source": row.source,
        "session_id": row.session_id,
        "proposal_id": row.proposal_id,
        "shown_hash": row.shown_hash,
        "by": None if row.by is None else canonical(row.by),
        "digest": payload_digest(salt, payload),
        "previous": previous,
    }
    return Sealed(**columns, payload=payload, salt=salt, hash=chain_hash(columns))


def payload_digest(salt: str, payload: str) -> str:
    """``SHA-256(salt || payload)`` in hex; the salt is hex too."""
    return hashlib.sha256(bytes.fromhex(salt) + payload.encode()).hexdigest()


def chain_hash(columns: Mapping[str, Any]) -> str:
    """The hash of a row over its chained columns."""
    return hashlib.sha256(canonical([columns[name] for name in CHAINED]).encode()).hexdigest()


@frozen(kw_only=True)
class Break:
    """A place where the chain does not hold: ``edit``, ``gap``, ``reorder``."""

    kind: str
    seq: int
    message: str


def chain_breaks(rows: Iterable[Sealed], previous: str = GENESIS, after_seq: int = 0) -> Iterator[Break]:
    """Walk rows in seq order and yield what does not hold.

    A changed column or payload is an ``edit``; a missing row is a ``gap``; rows that are whole but follow
    the wrong predecessor, or come again, were moved: ``reorder``.
    """
    for row in rows:
        columns = {name: getattr(row, name) for name in CHAINED}
        if chain_hash(columns) != row.hash:
            yield Break(kind="edit", seq=row.seq, message="a column was changed after the row was sealed")
        elif row.payload is not None and not _is_sealed(row.salt or "", row.payload, row.digest):
            yield Break(kind="edit", seq=row.seq, message="the payload was changed after the row was sealed")
        elif row.seq <= after_seq:
            yield Break(kind="reorder", seq=row.seq, message=f"the row comes after row {after_seq}")
        elif row.seq != after_seq + 1:
            missing = f"rows {after_seq + 1} to {row.seq - 1} are missing"
            yield Break(kind="gap", seq=row.seq, message=missing)
        elif row.previous != previous:
            yield Break(kind="reorder", seq=row.seq, message="the row does not follow the one before it")
        previous, after_seq = row.hash, row.seq


def _is_sealed(salt: str, payload: str, digest: str) -> bool:
    try:
        # Hex can be spelled in several ways; only the one that was sealed is whole.
        return bytes.fromhex(salt).hex() == salt and payload_digest(salt, payload) == digest
    except ValueError:
        return False
