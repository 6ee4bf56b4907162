"""Proposals, approvals and their notifications."""

from enum import StrEnum
from typing import Annotated, Any

from attrs import field, frozen

from keepgate.protocol.entries import UNSET, Scope, SessionParam, Track, Unset, Usage
from keepgate.protocol.verbs import FactKind, Visibility


class Outcome(StrEnum):
    """The closed set of outcomes (DSH-3)."""

    ALLOWED_ONCE = "allowed-once"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    UNAVAILABLE = "unavailable"


class ProposalStatus(StrEnum):
    """Where a proposal stands; every state but ``pending`` is final."""

    PENDING = "pending"
    APPROVED = "approved"
    DISMISSED = "dismissed"
    REFUSED = "refused"
    EXPIRED = "expired"


class ChangeKind(StrEnum):
    """What a change does."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"
    CONSOLIDATE = "consolidate"
    SEED = "seed"
    UNDO = "undo"
    REMEMBER = "remember"
    SUPERSEDE = "supersede"
    FORGET = "forget"
    PAGE_PUT = "page-put"
    PAGE_REMOVE = "page-remove"
    TRUST = "trust"
    QUARANTINE = "quarantine"
    RELEASE = "release"


@frozen(kw_only=True)
class Caution:
    """Something the person should know before answering."""

    kind: Annotated[
        str,
        "`hidden-characters`, `duplicate`, `over-budget`, `already-undone`, `overtaken`, `quarantined` or "
        "`tainted`.",
    ]
    message: str


@frozen(kw_only=True)
class AskTarget:
    """An entry that the change rewrites or removes, as it is now."""

    id: str
    version: int
    track: Track
    scope: Scope
    workspace_key: str
    agent_key: str
    text: str
    match: Annotated[str | None, "The substring that named it."] = None
    tags: Annotated[list[str], "Its tags as they are now."] = field(factory=list)


@frozen(kw_only=True)
class AskEntry:
    """An entry that the change adds or leaves behind."""

    track: Track
    scope: Scope
    workspace_key: str
    agent_key: str
    text: str
    tags: list[str]
    source: str


@frozen(kw_only=True)
class AskFact:
    """A fact that the change adds, expires or brings back, as it would be left."""

    action: Annotated[str, "`remember`, `supersede`, `forget`, or one of them with `undo-` before it."]
    id: Annotated[str | None, "Its id; null for a new one."]
    version: Annotated[int | None, "Its version as it is now; null for a new one."]
    workspace_key: Annotated[str, "Its home: the workspace key, or empty for user-global."]
    entity: Annotated[str | None, "The slug of what it is about."]
    text: str
    kind: FactKind
    visibility: Visibility
    provenance: str
    valid_until: Annotated[int | None, "When it expires by its ttl; epoch milliseconds."]
    reason: Annotated[str | None, "Why it is forgotten."]


@frozen(kw_only=True)
class AskPage:
    """A page file that the change writes or removes, whole, or a folder of pages that it trusts."""

    action: Annotated[str, "`page-put`, `page-remove`, `trust`, or one of them with `undo-` before it."]
    workspace_key: Annotated[str, "Its home: the workspace key, or empty for user-global."]
    root: Annotated[str, "Absolute path of the folder of pages."]
    slug: Annotated[str, "Empty for a folder."]
    path: Annotated[str, "The file's path below the folder, with slashes; empty for a folder."]
    before: Annotated[str | None, "The file's text as it is now; null where there is no file."]
    content: Annotated[str | None, "The file's text as it would be; null where it goes."]


@frozen(kw_only=True)
class QueuedAsk:
    """A question of the same session that waits behind this one; it is put whole when its turn comes."""

    id: str
    action: str
    text: Annotated[str, "The beginning of its payload text."]
    hash: Annotated[str, "SHA-256 of its canonical payload, for a decision over several."]


@frozen(kw_only=True)
class ApprovalRequestParams:
    """Params of ``approval/request``, the structured question: exactly what the person must see."""

    id: Annotated[str, "The proposal."]
    action: str
    track: Annotated[str, "A track, `batch`, `facts` or `pages`."]
    scope: Annotated[str, "A scope, or `batch`."]
    workspace_key: str
    agent_key: str
    source: str | None
    session_id: str | None
    text: Annotated[str, "The full payload text of the contract (DSH-3)."]
    hash: Annotated[str, "SHA-256 of the canonical payload; echo it with the answer."]
    deadline: Annotated[int, "When the server stops waiting; epoch milliseconds."]
    warnings: list[Caution]
    from_: Annotated[str | None, "The text before, for a change of one entry."] = None
    to: Annotated[str | None, "The text after."] = None
    targets: list[AskTarget] = field(factory=list)
    entries: list[AskEntry] = field(factory=list)
    facts: Annotated[list[AskFact], "Facts that the change touches."] = field(factory=list)
    pages: Annotated[list[AskPage], "Page files that the change touches."] = field(factory=list)
    usage: Annotated[list[Usage], "The layers as they would be after the change."] = field(factory=list)
    count: Annotated[int | None, "How many entries a batch adds."] = None
    client: Annotated[dict[str, Any] | None, "The client that asks, when it is another process."] = None
    queue: Annotated[list[QueuedAsk], "Questions of the same session that wait behind it."] = field(
        factory=list
    )
    for_session: Annotated[bool, "Whether `allowed-session` would allow more than this change."] = False


@frozen(kw_only=True)
class ApprovalAnswer:
    """Result of ``approval/request``; anything but an allow with the right hash is a denial."""

    outcome: Annotated[str, "`allowed-once`, `allowed-session`, `rejected` or `cancelled`."]
    hash: str


@frozen(kw_only=True)
class ApprovalShownParams:
    """Params of ``approval/shown``, which a client that answers ``approval/request`` sends on showing it."""

    id: Annotated[str, "The proposal of the question."]


@frozen(kw_only=True)
class ApprovalShownResult:
    """Result of ``approval/shown``."""

    open: Annotated[bool, "False when this client has no such open question."]


@frozen(kw_only=True)
class ApprovalAsked:
    """Params of the notification ``approval/asked``."""

    id: str
    action: str
    track: str
    scope: str
    workspace_key: str
    agent_key: str
    source: str | None
    session_id: str | None
    text: str
    hash: str
    deadline: int
    warnings: list[Caution]
    count: int | None = None
    facts: Annotated[list[AskFact] | Unset, "Facts that the change touches, where it touches any."] = UNSET


@frozen(kw_only=True)
class ApprovalQueued:
    """Params of the notification ``approval/queued``, to clients of structured questions alone."""

    id: Annotated[str, "The open question."]
    waiting: Annotated[
        list[QueuedAsk], "All questions of its session that wait behind it now, in their order; none at last."
    ]


@frozen(kw_only=True)
class ApprovalDecided:
    """Params of the notification ``approval/decided``."""

    id: str
    outcome: Outcome
    by: Annotated[
        dict[str, Any] | None,
        "Who decided: client, version, connection, channel; `via: policy` for a policy; null for nobody.",
    ]


@frozen(kw_only=True)
class Proposal:
    """A proposal as lists show it."""

    id: str
    kind: Annotated[str, "The change's `action`; a newer version may have stored one that is unknown here."]
    status: ProposalStatus
    track: str
    scope: str
    workspace_key: str
    agent_key: str
    source: str | None
    session_id: str | None
    text: str
    hash: str
    created_at: int
    expires_at: int
    decided_at: int | None
    outcome: str | None = None


@frozen(kw_only=True)
class ProposalsCreateParams:
    """Params of ``proposals/create``: stored, nobody is asked."""

    change: Annotated[
        dict[str, Any],
        "`action` (add, replace, remove, consolidate, seed) and the params of that `memory/*` method.",
    ]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ProposalsCreateResult:
    """Result of ``proposals/create``."""

    proposal: Proposal


@frozen(kw_only=True)
class ProposalsListParams:
    """Params of ``proposals/list``."""

    status: Annotated[ProposalStatus | None, "Default: every status."] = None
    limit: int | None = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ProposalsListResult:
    """Result of ``proposals/list``, oldest first."""

    proposals: list[Proposal]


@frozen(kw_only=True)
class ProposalsGetParams:
    """Params of ``proposals/get``."""

    id: str
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ProposalsGetResult:
    """Result of ``proposals/get``; ``ask`` is the full question while the proposal is pending."""

    proposal: Proposal
    ask: ApprovalRequestParams | None
    problem: Annotated[str | None, "Why the change can no longer be made, when it cannot."] = None


@frozen(kw_only=True)
class Choice:
    """One proposal of a decision over several, and the hash of the question that the person saw."""

    id: str
    hash: str


@frozen(kw_only=True)
class Decided:
    """What became of one proposal of a decision over several: it was decided, or why it was not."""

    id: str
    proposal: Annotated[Proposal | None, "The proposal as it is now; null where it was not decided."] = None
    seqs: Annotated[list[int], "Ledger rows written."] = field(factory=list)
    error: Annotated[
        dict[str, Any] | None, "`code` and `message` of the fault, as a single decision would raise it."
    ] = None


@frozen(kw_only=True)
class ProposalsApproveParams:
    """Params of ``proposals/approve``; answered only to connections that announced an approver.

    Either ``id`` and ``hash``, or ``ids``.
    """

    id: str | None = None
    hash: Annotated[str | None, "The hash of the question that the person saw."] = None
    ids: Annotated[list[Choice] | None, "Several, each decided and committed on its own."] = None


@frozen(kw_only=True)
class ProposalsApproveResult:
    """Result of ``proposals/approve``."""

    proposal: Annotated[Proposal | None, "Null for several."] = None
    seqs: Annotated[list[int], "Ledger rows written."] = field(factory=list)
    results: Annotated[list[Decided], "One for each of several, in their order."] = field(factory=list)


@frozen(kw_only=True)
class ProposalsDismissParams:
    """Params of ``proposals/dismiss``; answered only to connections that announced an approver.

    Either ``id`` or ``ids``.
    """

    id: str | None = None
    ids: Annotated[list[Choice] | None, "Several, each closed on its own."] = None
    reason: str | None = None


@frozen(kw_only=True)
class ProposalsDismissResult:
    """Result of ``proposals/dismiss``."""

    proposal: Annotated[Proposal | None, "Null for several."] = None
    results: Annotated[list[Decided], "One for each of several, in their order."] = field(factory=list)


@frozen(kw_only=True)
class ProposalsDidChange:
    """Params of the notification ``proposals/didChange``."""

    id: str
    status: ProposalStatus
