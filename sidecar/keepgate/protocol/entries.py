"""Entries of dsh-memory-protocol v1: the value, its layers, and the params and results of ``memory/*``.

All lengths are UTF-16 code units, all times are epoch milliseconds. On the wire names are camelCase.
"""

from enum import Enum, StrEnum
from typing import Annotated, Any, Final

from attrs import field, frozen


class Unset(Enum):
    """Tells an absent field from an explicit ``null``."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET

TAGS_MAX: Final = 16
TAG_UNITS_MAX: Final = 32
MATCHES_MAX: Final = 20
QUERY_LIMIT_DEFAULT: Final = 20
PAGE_LIMIT_MAX: Final = 1000
IMPORT_ENTRIES_MAX: Final = 1000
AUDIT_LIMIT_DEFAULT: Final = 100
DEFAULT_SOURCE: Final = "keepgate"


class Track(StrEnum):
    """Whom a memory is about (DSH-2)."""

    USER = "user"
    AGENT = "agent"


class Scope(StrEnum):
    """Where a memory holds (DSH-2)."""

    USER_GLOBAL = "user-global"
    WORKSPACE = "workspace"


LAYERS: Final = tuple((track, scope) for track in Track for scope in Scope)
"""The four layers in the order of every budget report."""


@frozen(kw_only=True)
class Entry:
    """One memory, with all fourteen fields of the contract (DSH-2)."""

    id: Annotated[str, "UUID v4, stable over the entry's life."]
    track: Annotated[Track, "`user` for the person, `agent` for environment facts, conventions and lessons."]
    scope: Annotated[Scope, "`user-global` holds everywhere, `workspace` in one workspace."]
    workspace_key: Annotated[str, "Canonical path of the workspace; empty for `user-global`."]
    agent_key: Annotated[str, "The agent preset it is private to; empty for the shared layer."]
    text: Annotated[str, "The memory. Never empty, never trimmed, without U+0000 and lone surrogates."]
    source: Annotated[str, "Label of where it came from: `[a-z0-9][a-z0-9._-]{0,63}`."]
    tags: Annotated[tuple[str, ...], "At most 16 tags of at most 32 units, trimmed, unique, in given order."]
    version: Annotated[int, "1 for a new entry, one more with each replacement."]
    created_at: Annotated[int, "Epoch milliseconds."]
    updated_at: Annotated[int, "Epoch milliseconds, never before `createdAt`."]
    last_recalled: Annotated[int | None, "When a session's query last returned it; epoch milliseconds."] = (
        None
    )
    recall_count: Annotated[int, "How many session queries returned it."] = 0
    session_id: Annotated[str | None, "The session that wrote it last."] = None


@frozen(kw_only=True)
class Usage:
    """How full a layer is, in UTF-16 units (DSH-5)."""

    track: Track
    scope: Scope
    used: Annotated[int, "Units in use: the texts of the layer; a workspace layer counts one workspace."]
    limit: Annotated[int, "The budget."]


@frozen(kw_only=True)
class SessionRef:
    """Who is asking."""

    id: Annotated[str, "Session id, chosen by the caller; 1 to 256 characters."]
    agent_preset: Annotated[
        str | None, "Agent preset; its private entries become visible. Absent: as the session was opened."
    ] = None
    cwd: Annotated[str | None, "Working directory; decides the workspace. Absent: the first folder."] = None


SessionParam = Annotated[
    SessionRef | Unset | None,
    "Who is asking. Absent: the connection's default session. `null`: the management view.",
]


@frozen(kw_only=True)
class AddParams:
    """Params of ``memory/add``."""

    track: Track
    scope: Scope
    text: Annotated[str, "The new memory."]
    tags: Annotated[list[str] | None, "Short labels."] = None
    source: Annotated[str | None, "Label of the origin; default `keepgate`."] = None
    agent_key: Annotated[str | None, '`""` for the shared layer; absent means the session\'s preset.'] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class AddResult:
    """Result of ``memory/add``."""

    entry: Entry
    usage: Usage


@frozen(kw_only=True)
class ReplaceParams:
    """Params of ``memory/replace``: exactly one of ``match`` and ``id``."""

    track: Track
    scope: Scope
    text: Annotated[str, "The new text."]
    match: Annotated[
        str | None, "Substring that exactly one visible entry of the layer contains; ASCII case folds."
    ] = None
    id: Annotated[str | None, "The entry's id, instead of `match`."] = None
    version: Annotated[int | None, "With `id`: refuse unless the entry has this version."] = None
    tags: Annotated[list[str] | None, "New tags; `[]` clears, absent keeps."] = None
    source: Annotated[str | None, "Label named in the question; the entry keeps its own."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ReplaceResult:
    """Result of ``memory/replace``."""

    previous: Entry
    entry: Entry
    usage: Usage


@frozen(kw_only=True)
class RemoveParams:
    """Params of ``memory/remove``: exactly one of ``match`` and ``id``."""

    track: Track
    scope: Scope
    match: Annotated[str | None, "Substring that exactly one visible entry of the layer contains."] = None
    id: Annotated[str | None, "The entry's id, instead of `match`."] = None
    version: Annotated[int | None, "With `id`: refuse unless the entry has this version."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class RemoveResult:
    """Result of ``memory/remove``."""

    entry: Entry
    usage: Usage


@frozen(kw_only=True)
class IdTarget:
    """An entry named by id."""

    id: str
    version: Annotated[int | None, "Refuse unless the entry has this version."] = None


@frozen(kw_only=True)
class ConsolidateParams:
    """Params of ``memory/consolidate``: exactly one of ``matches`` and ``ids``."""

    track: Track
    scope: Scope
    text: Annotated[str, "The text that takes the targets' place."]
    matches: Annotated[list[str] | None, "1 to 20 substrings, each matching exactly one visible entry."] = (
        None
    )
    ids: Annotated[list[IdTarget] | None, "1 to 20 entries by id, instead of `matches`."] = None
    tags: Annotated[list[str] | None, "Tags of the new entry."] = None
    source: Annotated[str | None, "Label of the origin; default `keepgate`."] = None
    agent_key: Annotated[
        str | None, '`""` shared. Absent: shared when all targets are, else the session\'s preset.'
    ] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ConsolidateResult:
    """Result of ``memory/consolidate``."""

    removed: list[Entry]
    entry: Entry
    usage: Usage


@frozen(kw_only=True)
class DraftParams:
    """An entry to be, in ``memory/seed`` and in a proposal's change."""

    track: Track
    scope: Scope
    text: str
    tags: list[str] | None = None
    source: str | None = None
    agent_key: Annotated[str | None, '`""` for the shared layer; absent means the session\'s preset.'] = None
    workspace_key: Annotated[str | None, "Key of an open workspace; absent means the session's."] = None


@frozen(kw_only=True)
class SeedParams:
    """Params of ``memory/seed``: all of it or nothing."""

    entries: Annotated[list[DraftParams], "1 to 1,000 drafts."]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class SeedResult:
    """Result of ``memory/seed`` and ``memory/import``; entries in the order given."""

    added: int
    entries: list[Entry]


@frozen(kw_only=True)
class QueryParams:
    """Params of ``memory/query``."""

    track: Track | None = None
    scope: Scope | None = None
    text: Annotated[str | None, "Substring; ASCII case folds, nothing else does. Empty means all."] = None
    tags: Annotated[list[str] | None, "Only entries that have every one of these tags."] = None
    limit: Annotated[
        int | None, "At most this many entries; default from the settings, never above 1,000."
    ] = None
    offset: Annotated[int | None, "Skip this many."] = None
    all_workspaces: Annotated[bool, "Management view over every workspace; not with a session."] = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class QueryResult:
    """Result of ``memory/query``, most recalled first, then most recently updated (DSH-4)."""

    entries: list[Entry]
    total: Annotated[int, "All hits, also those not returned."]
    truncated: Annotated[bool, "Whether more hits follow those returned."]


@frozen(kw_only=True)
class GetParams:
    """Params of ``memory/get``."""

    id: str
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class GetResult:
    """Result of ``memory/get``."""

    entry: Entry


@frozen(kw_only=True)
class HistoryParams:
    """Params of ``memory/history``."""

    id: Annotated[str, "Of an entry or a fact; of a page `page:` and its slug."]
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class Version:
    """One state an entry, a fact or a page had, read from the ledger."""

    version: int
    text: Annotated[str | None, "Of a page its whole file. Null when the row was purged."]
    tags: Annotated[list[str] | None, "Null when the row was purged, and for facts and pages."]
    ts: Annotated[int, "When; epoch milliseconds."]
    action: str
    seq: int
    outcome: str
    session_id: str | None
    reason: Annotated[str | Unset, "Why a fact was forgotten, where that was said."] = UNSET
    cut: Annotated[
        bool | Unset, "True where an older text of a page is not whole, to keep the answer small."
    ] = UNSET


@frozen(kw_only=True)
class HistoryResult:
    """Result of ``memory/history``, oldest first."""

    versions: list[Version]


@frozen(kw_only=True)
class ListParams:
    """Params of ``memory/list``."""

    track: Track | None = None
    scope: Scope | None = None
    limit: Annotated[int | None, "Page size; default 100, never above 1,000."] = None
    after: Annotated[str | None, "`next` of the page before."] = None
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ListResult:
    """Result of ``memory/list``, in creation order."""

    entries: list[Entry]
    next: Annotated[str | None, "Give it as `after` for the next page; null at the end."]


@frozen(kw_only=True)
class BudgetsParams:
    """Params of ``memory/budgets``."""

    session: SessionParam = UNSET


@frozen(kw_only=True)
class BudgetsResult:
    """Result of ``memory/budgets``: four rows in the fixed order."""

    budgets: list[Usage]


@frozen(kw_only=True)
class SnapshotParams:
    """Params of ``memory/snapshot``."""

    session: SessionParam = UNSET


@frozen(kw_only=True)
class SnapshotResult:
    """Result of ``memory/snapshot``: the block a session is given, frozen at its first request."""

    text: Annotated[str, "Empty when nothing is visible."]
    entries: Annotated[int, "How many entries the text shows."]
    frozen_at: Annotated[int, "Epoch milliseconds."]


@frozen(kw_only=True)
class AuditParams:
    """Params of ``memory/audit``."""

    limit: Annotated[int | None, "Default 100, never above 1,000."] = None
    before: Annotated[int | None, "Only rows with a smaller seq."] = None
    action: str | None = None
    entry_id: str | None = None
    session_id: str | None = None
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class AuditRow:
    """One ledger row (DSH-6)."""

    seq: int
    ts: Annotated[int, "Epoch milliseconds."]
    action: str
    track: str | None
    scope: str | None
    entry_id: str | None
    text: Annotated[str | None, "The payload's text; null when there is none or it was purged."]
    outcome: str | None
    source: str | None
    session_id: str | None
    proposal_id: str | None = None
    by: Annotated[
        dict[str, Any] | None,
        "Who decided: client, version, connection, channel; with `via: policy`, who asked a policy.",
    ] = None
    purged: bool = False


@frozen(kw_only=True)
class AuditResult:
    """Result of ``memory/audit``, newest first."""

    rows: list[AuditRow]
    next: Annotated[int | None, "Give it as `before` for the next page; null at the end."]


@frozen(kw_only=True)
class VerifyParams:
    """Params of ``memory/verify``."""

    work_done_token: Annotated[str | int | None, "Where to report progress."] = None


@frozen(kw_only=True)
class VerifyProblem:
    """Something the ledger or the store should not show."""

    kind: Annotated[
        str, "`edit`, `gap`, `reorder`, `cut`, `foreign-key`, `divergence`, `totals` or `purged`."
    ]
    seq: int | None
    message: str


@frozen(kw_only=True)
class VerifyResult:
    """Result of ``memory/verify``."""

    ok: Annotated[bool, "True when the chain holds and a replay of the ledger equals the store."]
    rows: Annotated[int, "Ledger rows checked."]
    head: Annotated[str, "Hash of the newest row, hexadecimal."]
    problems: list[VerifyProblem]


@frozen(kw_only=True)
class PurgeParams:
    """Params of ``memory/purge``."""

    text: Annotated[str, "The text to take out, as it was stored; at least 6 units. It is noted nowhere."]
    pages: Annotated[
        bool, "Rewrite the page files of the session's workspace and of the user that hold it, too."
    ] = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PurgeResult:
    """Result of ``memory/purge``."""

    removed: Annotated[dict[str, int], "How many rows of each table held it."]
    files_searched: Annotated[int, "Files whose raw bytes were searched afterwards."]
    clean: Annotated[bool, "Whether none of them holds it, and every backup that is known of was purged."]
    held: Annotated[list[str], "Files that still hold it: page files, which are yours to edit, or others."]
    backups: Annotated[list[str], "The copies of the store that were looked at."]
    rewritten: Annotated[list[str], "Page files that held it and were rewritten."] = field(factory=list)


@frozen(kw_only=True)
class UndoParams:
    """Params of ``memory/undo``: exactly one of ``seq`` and ``session_id``."""

    seq: Annotated[
        int | None, "Ledger row of the change to take back; all rows of that change go together."
    ] = None
    session_id: Annotated[
        str | None, "Take back everything that this session wrote, as far as it can be, with one question."
    ] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class UndoLeft:
    """Something that a session wrote and that its undo left as it is."""

    subject: Annotated[str, "The entry's id, the fact's, or `page:` and the slug."]
    seq: Annotated[int, "The session's last ledger row about it."]
    reason: Annotated[str, "Why, in words."]


@frozen(kw_only=True)
class FactState:
    """What became of a fact."""

    id: str
    text: str
    active: Annotated[bool, "Whether it can be recalled: neither expired nor past its ttl."]


@frozen(kw_only=True)
class UndoResult:
    """Result of ``memory/undo``."""

    removed: Annotated[list[Entry], "Entries the undo took away."]
    restored: Annotated[list[Entry], "Entries it brought back or changed back; same id, next version."]
    usage: list[Usage]
    facts: Annotated[list[FactState], "Facts that it expired or brought back."] = field(factory=list)
    pages: Annotated[list[str], "Slugs of the pages whose files it put back or removed."] = field(
        factory=list
    )
    left: Annotated[
        list[UndoLeft], "Of a session's undo: what it left, because something changed it since."
    ] = field(factory=list)


@frozen(kw_only=True)
class WhyParams:
    """Params of ``memory/why``."""

    id: Annotated[str, "Of an entry or a fact; of a page `page:` and its slug."]
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageState:
    """A page's file, beside what the last write through the gate left."""

    slug: str
    workspace_key: Annotated[str, "Its home; empty for user-global."]
    path: Annotated[str, "The file."]
    on_disk: Annotated[
        str, "`as-written`, `changed` by something else since, `gone`, or `unreadable` as a page."
    ]
    quarantined: bool


@frozen(kw_only=True)
class WhyLink:
    """One change of the entry, and the person, session and client behind it."""

    seq: int
    ts: int
    action: str
    version: int
    outcome: str
    proposal_id: str | None
    hash: Annotated[str | None, "Hash of what the person saw."]
    asked_at: int | None
    decided_at: int | None
    session_id: str | None
    agent_key: str
    asked_by: Annotated[dict[str, Any] | None, "The client that asked for the write."]
    decided_by: Annotated[
        dict[str, Any] | None, "The client through which it was decided; `via: policy` alone for a policy."
    ]
    reason: Annotated[str | Unset, "Why a fact was forgotten, where that was said."] = UNSET


@frozen(kw_only=True)
class WhyResult:
    """Result of ``memory/why``, oldest first."""

    entry: Annotated[Entry | None, "Null when the entry was removed, and for facts and pages."]
    chain: list[WhyLink]
    fact: Annotated[FactState | None, "The fact as it is now; null for entries and pages."] = None
    page: Annotated[PageState | None, "The page's file as it is now; null for entries and facts."] = None


@frozen(kw_only=True)
class StatusParams:
    """Params of ``memory/status``."""


@frozen(kw_only=True)
class StatusResult:
    """Result of ``memory/status``."""

    health: Annotated[str, "`ok`, `warning` or `error`."]
    message: str
    version: Annotated[str, "keepgate's version."]
    store_path: str
    store_id: str
    store_version: int
    file_system: Annotated[str, "`local` or `network`, and how it was told."]
    journal_mode: str
    counts: Annotated[
        dict[str, int],
        "`entries`, `pendingProposals` and `ledgerRows` of the whole store; a remote client and one with a "
        "default session get what they see of the first two. `pages` in sight.",
    ]
    pending_proposals: int
    write_round_trip_ms: Annotated[float | None, "A write transaction, rolled back; null when it failed."]
    workspaces: list[dict[str, str]] = field(factory=list)
    problems: list[str] = field(factory=list)
