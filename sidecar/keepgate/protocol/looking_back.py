"""Params and results of what guards a session and looks back on it."""

from typing import Annotated, Any, Final

from attrs import frozen

from keepgate.protocol.entries import UNSET, Entry, FactState, SessionParam
from keepgate.protocol.verbs import FactKind, Visibility

TAINT_SOURCES_MAX: Final = 20
TAINT_SOURCE_UNITS_MAX: Final = 256
QUARANTINE_STEPS_MAX: Final = 1000
"""So many entries, facts and pages go, or come back, with one question."""
QUARANTINE_REASON_UNITS_MAX: Final = 500


@frozen(kw_only=True)
class SessionTaintParams:
    """Params of ``session/taint``."""

    sources: Annotated[
        list[str],
        "What untrusted material the session has read, in a few words each: 1 to 20, at most 256 units each.",
    ]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class SessionTaintResult:
    """Result of ``session/taint``."""

    tainted: Annotated[bool, "Always true: there is no way back for a session."]
    sources: Annotated[list[str], "Everything that is known of this session, in the order it was told."]


@frozen(kw_only=True)
class AsOfParams:
    """Params of ``memory/asOf``: exactly one of ``seq`` and ``at``."""

    seq: Annotated[int | None, "The store as it was after this ledger row."] = None
    at: Annotated[int | None, "The store as it was at this moment, in epoch milliseconds."] = None
    limit: Annotated[int | None, "Entries and facts in a page; default 100, never above 1,000."] = None
    after: Annotated[str | None, "`next` of the page before."] = None
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class FactThen:
    """A fact as it was."""

    id: str
    workspace_key: Annotated[str, "Its home: the workspace key, or empty for user-global."]
    entity: str | None
    text: str
    kind: FactKind
    visibility: Visibility
    provenance: str
    created_at: int
    valid_until: int | None
    session_id: str | None


@frozen(kw_only=True)
class AsOfResult:
    """Result of ``memory/asOf``, in the order in which things came."""

    seq: Annotated[int, "The last ledger row that counts; 0 before the first."]
    ts: Annotated[int | None, "When it was written; null before the first."]
    entries: Annotated[list[Entry], "As they were; recall counts, which no ledger keeps, are 0."]
    facts: Annotated[list[FactThen], "Those that could be recalled then."]
    unknown: Annotated[list[str], "Ids of entries and facts whose text of that time was purged."]
    next: Annotated[str | None, "Give it as `after` for the next page; null at the end."]


@frozen(kw_only=True)
class GrantsListParams:
    """Params of ``grants/list``."""


@frozen(kw_only=True)
class GrantInfo:
    """What a person allowed for the rest of a session."""

    id: str
    session_id: str
    agent_key: Annotated[str, "The session's agent preset."]
    kind: Annotated[str, "`add` or `remember`."]
    layer: Annotated[str | None, "Adding to this `track/scope`; null for facts."]
    workspace_key: str
    kept_for: Annotated[
        str, "Of entries the preset that they are private to, empty for all; of facts their visibility."
    ]
    granted_at: int
    by: Annotated[dict[str, Any], "Who allowed it: client, version, connection, channel."]


@frozen(kw_only=True)
class GrantsListResult:
    """Result of ``grants/list``, oldest first."""

    grants: list[GrantInfo]


@frozen(kw_only=True)
class GrantsRevokeParams:
    """Params of ``grants/revoke``."""

    id: str


@frozen(kw_only=True)
class GrantsRevokeResult:
    """Result of ``grants/revoke``."""

    revoked: Annotated[bool, "False when there is no such leave in these workspaces, or no more."]


@frozen(kw_only=True)
class QuarantineParams:
    """Params of ``memory/quarantine``."""

    session_id: Annotated[str, "The session whose memories, facts and pages go out of every read."]
    reason: Annotated[str | None, "Why; kept in the ledger."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ReleaseParams:
    """Params of ``memory/release``."""

    session_id: Annotated[str, "The session whose memories, facts and pages come back."]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class QuarantineResult:
    """Result of ``memory/quarantine`` and ``memory/release``."""

    entries: Annotated[list[Entry], "Memories that went, or came back."]
    facts: Annotated[list[FactState], "Facts that went, or came back."]
    pages: Annotated[list[str], "Slugs of pages that went, or came back; their files stay."]


@frozen(kw_only=True)
class QuarantinedParams:
    """Params of ``memory/quarantined``."""

    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class QuarantinedSession:
    """A session of which something is in quarantine."""

    session_id: str
    seq: Annotated[int, "The first ledger row of what is in quarantine still."]
    ts: int
    reason: str | None
    entries: Annotated[int, "How many memories are in quarantine."]
    facts: Annotated[int, "How many facts."]
    pages: Annotated[int, "How many pages."]


@frozen(kw_only=True)
class QuarantinedResult:
    """Result of ``memory/quarantined``, in the order in which they went."""

    sessions: list[QuarantinedSession]
