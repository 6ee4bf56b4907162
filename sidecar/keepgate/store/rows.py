"""Rows and values: how entries, facts, ledger rows and proposals are written down."""

import json
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final

import apsw
import attrs
from cattrs import BaseValidationError, Converter
from cattrs.strategies import configure_tagged_union

from keepgate.core.model.fact import Fact
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Change, Target
from keepgate.core.writing.ledger import Sealed, canonical, written_homes
from keepgate.core.writing.page_change import (
    PageEdit,
)
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.proposals import ChangeKind, Proposal, ProposalStatus
from keepgate.protocol.verbs import FactKind, Visibility

Row = tuple[Any, ...]

ENTRY_COLUMNS: Final = (
    "e.id, e.track, e.scope, e.workspace_key, e.agent_key, e.text, e.source, e.tags, e.version, "
    "e.created_at, e.updated_at, r.last_ms, coalesce(r.count, 0), e.session_id"
)
"""Of ``entries AS e LEFT JOIN recall AS r ON r.entry = e.row``."""

FACT_COLUMNS: Final = (
    "f.id, f.home, f.entity, f.text, f.kind, f.visibility, f.provenance, f.created_at, f.valid_until, "
    "f.expired_at, f.superseded_by, f.reason, f.session_id, f.version"
)
"""Of ``facts AS f``."""

SEALED_COLUMNS: Final = ", ".join(f'"{item.name}"' for item in attrs.fields(Sealed))
"""Of ``ledger``."""

PROPOSAL_COLUMNS: Final = (
    "id, status, change, session_id, agent_key, workspace_key, kind, track, scope, source, text, hash, "
    "asked_by, waiter, created_at, expires_at, decided_at, outcome, decided_by"
)
"""Of ``proposals``."""

LISTED_COLUMNS: Final = ", ".join(item.name for item in attrs.fields(Proposal))
"""Of ``proposals``: what lists show."""

ALL_HOMES_IN_VIEW: Final = (
    "(homes IS NULL OR :workspaces IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(homes) AS home "
    "WHERE home.value NOT IN (SELECT seen.value FROM json_each(:workspaces) AS seen)))"
)
"""Of ``ledger`` and ``proposals``: what speaks of several workspaces is for those who see them all."""


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


@lru_cache(maxsize=64)
def json_array(names: frozenset[str]) -> str:
    """The names as statements take them, for ``json_each``; the same few are asked for again and again."""
    return json.dumps(sorted(names))


def fact_of(row: Row) -> Fact:
    """The fact in :data:`FACT_COLUMNS`."""
    return Fact(
        id=row[0],
        home=row[1],
        entity=row[2],
        text=row[3],
        kind=_KINDS[row[4]],
        visibility=_VISIBILITIES[row[5]],
        provenance=row[6],
        created_at=row[7],
        valid_until=row[8],
        expired_at=row[9],
        superseded_by=row[10],
        reason=row[11],
        session_id=row[12],
        version=row[13],
    )


def sealed_of(row: Row) -> Sealed:
    """The ledger row in :data:`SEALED_COLUMNS`."""
    return Sealed(**dict(zip(_SEALED_NAMES, row, strict=True)))


def proposal_of(row: Row) -> StoredProposal | None:
    """The proposal in :data:`PROPOSAL_COLUMNS`; ``None`` when its change is of a kind unknown here.

    A newer version may have stored it, which then is the one to decide it.
    """
    change = change_of(row[2])
    if change is None:
        return None
    return StoredProposal(
        id=row[0],
        status=ProposalStatus(row[1]),
        change=change,
        author=Author(session_id=row[3], agent_key=row[4], workspace_key=row[5]),
        kind=ChangeKind(row[6]),
        track=row[7],
        scope=row[8],
        source=row[9],
        text=row[10],
        hash=row[11],
        asked_by=json.loads(row[12]),
        waiter=row[13],
        created_at=row[14],
        expires_at=row[15],
        decided_at=row[16],
        outcome=row[17],
        decided_by=None if row[18] is None else json.loads(row[18]),
    )


def readable_proposals(rows: Iterable[Row]) -> list[StoredProposal]:
    """The proposals in :data:`PROPOSAL_COLUMNS` whose changes are known here."""
    return [stored for stored in map(proposal_of, rows) if stored is not None]


def listed_of(row: Row, now_ms: int) -> Proposal:
    """The proposal in :data:`LISTED_COLUMNS`; its change is not read, so it may be of any kind."""
    values = dict(zip(_LISTED_NAMES, row, strict=True))
    status = ProposalStatus(values["status"])
    if status is ProposalStatus.PENDING and values["expires_at"] <= now_ms:
        status = ProposalStatus.EXPIRED
    return Proposal(**{**values, "status": status})


def proposal_values(stored: StoredProposal) -> dict[str, Any]:
    """A proposal's columns, the author's keys among them."""
    return {
        "id": stored.id,
        "status": str(stored.status),
        "change": written_change(stored.change),
        "workspace_key": stored.author.workspace_key,
        "homes": written_homes(stored.homes),
        "agent_key": stored.author.agent_key,
        "session_id": stored.author.session_id,
        "kind": str(stored.kind),
        "track": stored.track,
        "scope": stored.scope,
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


def change_of(written: str) -> Change | None:
    """The change that :func:`written_change` wrote down; ``None`` when no class of this version takes it."""
    try:
        change: Change = _converter().structure(json.loads(written), Change)  # type: ignore[arg-type]  # a union is no type to mypy
    except (BaseValidationError, LookupError, TypeError, ValueError):
        return None
    return change


def prepare_changes() -> None:
    """Make now what the first change that is written or read would wait for."""
    _converter()


@cache
def _converter() -> Converter:
    # Not made with the module: it takes longer than opening a store.
    converter = Converter(unstruct_collection_overrides={tuple: list})
    for union in (Target, PageEdit, Change):
        # Class names are what is stored: a renamed class needs a migration.
        configure_tagged_union(union, converter, tag_name="type")
    return converter


# A look-up costs a tenth of a call of the class, and a read makes tens of facts.
_KINDS: Final = {item.value: item for item in FactKind}
_VISIBILITIES: Final = {item.value: item for item in Visibility}
_LISTED_NAMES: Final = tuple(item.name for item in attrs.fields(Proposal))
_SEALED_NAMES: Final = tuple(item.name for item in attrs.fields(Sealed))
