"""Rows and values: how entries, ledger rows and proposals are written down."""

import json
from functools import cache
from typing import Any, Final

import apsw
import attrs
from cattrs import Converter
from cattrs.strategies import configure_tagged_union

from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Change, Target
from keepgate.core.writing.ledger import Sealed, canonical
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.proposals import ChangeKind, ProposalStatus

Row = tuple[Any, ...]

ENTRY_COLUMNS: Final = (
    "e.id, e.track, e.scope, e.workspace_key, e.agent_key, e.text, e.source, e.tags, e.version, "
    "e.created_at, e.updated_at, r.last_ms, coalesce(r.count, 0), e.session_id"
)
"""Of ``entries AS e LEFT JOIN recall AS r ON r.entry = e.row``."""

SEALED_COLUMNS: Final = ", ".join(f'"{item.name}"' for item in attrs.fields(Sealed))
"""Of ``ledger``."""

PROPOSAL_COLUMNS: Final = (
    "id, status, change, author, kind, track, scope, workspace_key, source, text, hash, asked_by, waiter, "
    "created_at, expires_at, decided_at, outcome, decided_by"
)
"""Of ``proposals``."""


def one(cursor: apsw.Cursor) -> Row:
    """The row of a statement that always has one."""
    row: Row | None = cursor.fetchone()
    assert row is not None, "the statement returns a row"
    return row


def entry_of(row: Row) -> Entry:
    """The entry in :data:`ENTRY_COLUMNS`."""
    return Entry(
        id=row[0],
        track=Track(row[1]),
        scope=Scope(row[2]),
        workspace_key=row[3],
        agent_key=row[4],
        text=row[5],
        source=row[6],
        tags=tuple(json.loads(row[7])),
        version=row[8],
        created_at=row[9],
        updated_at=row[10],
        last_recalled=row[11],
        recall_count=row[12],
        session_id=row[13],
    )


def sealed_of(row: Row) -> Sealed:
    """The ledger row in :data:`SEALED_COLUMNS`."""
    return Sealed(**dict(zip(_SEALED_NAMES, row, strict=True)))


def proposal_of(row: Row) -> StoredProposal:
    """The proposal in :data:`PROPOSAL_COLUMNS`."""
    return StoredProposal(
        id=row[0],
        status=ProposalStatus(row[1]),
        change=change_of(row[2]),
        author=_converter().structure(json.loads(row[3]), Author),
        kind=ChangeKind(row[4]),
        track=row[5],
        scope=row[6],
        workspace_key=row[7],
        source=row[8],
        text=row[9],
        hash=row[10],
        asked_by=json.loads(row[11]),
        waiter=row[12],
        created_at=row[13],
        expires_at=row[14],
        decided_at=row[15],
        outcome=row[16],
        decided_by=None if row[17] is None else json.loads(row[17]),
    )


def proposal_values(stored: StoredProposal) -> dict[str, Any]:
    """A proposal's columns, the author's keys among them."""
    return {
        "id": stored.id,
        "status": str(stored.status),
        "change": written_change(stored.change),
        "author": canonical(_converter().unstructure(stored.author)),
        "home": stored.author.workspace_key,
        "agent_key": stored.author.agent_key,
        "session_id": stored.author.session_id,
        "kind": str(stored.kind),
        "track": stored.track,
        "scope": stored.scope,
        "workspace_key": stored.workspace_key,
        "source": stored.source,
        "text": stored.text,
        "hash": stored.hash,
        "asked_by": canonical(dict(stored.asked_by)),
        "waiter": stored.waiter,
        "created_at": stored.created_at,
        "expires_at": stored.expires_at,
    }


def written_change(change: Change) -> str:
    """A change as JSON; ``type`` names the member of each union."""
    return canonical(_converter().unstructure(change, Change))


def change_of(written: str) -> Change:
    """The change that :func:`written_change` wrote down."""
    change: Change = _converter().structure(json.loads(written), Change)  # type: ignore[arg-type]  # a union is no type to mypy
    return change


@cache
def _converter() -> Converter:
    # Made on first use: it takes longer than opening a store.
    converter = Converter(unstruct_collection_overrides={tuple: list})
    for union in (Target, Change):
        # Class names are what is stored: a renamed class needs a migration.
        configure_tagged_union(union, converter, tag_name="type")
    return converter


_SEALED_NAMES: Final = tuple(item.name for item in attrs.fields(Sealed))
