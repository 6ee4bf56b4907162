"""The operation table: one frozen row per operation, from which every front and document is derived.

A row holds no callbacks: ``service.dispatch.HANDLERS`` maps names to functions, and start-up asserts that
both sets are equal. To add an operation: its types, a row here, a handler and its line in ``HANDLERS``.
"""

from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen

from keepgate.protocol import entries as e
from keepgate.protocol import language_model as lm
from keepgate.protocol import lifecycle as life
from keepgate.protocol import portability as port
from keepgate.protocol import proposals as prop
from keepgate.protocol.errors import Code
from keepgate.protocol.looking_back_ops import LOOKING_BACK_OPERATIONS
from keepgate.protocol.operation import (
    GATED_FAULTS,
    READING_FAULTS,
    STORE_FAULTS,
    TARGETED_FAULTS,
    Access,
    Latency,
    Operation,
    Surface,
)
from keepgate.protocol.page_ops import PAGE_OPERATIONS
from keepgate.protocol.verb_ops import VERB_OPERATIONS

OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="memory/add",
        params=e.AddParams,
        result=e.AddResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Add one memory.",
        faults=GATED_FAULTS,
        clauses=("DSH-3-add", "DSH-5"),
        session_required=True,
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/replace",
        params=e.ReplaceParams,
        result=e.ReplaceResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Rewrite the one memory that matches; its id stays, its version goes up.",
        faults=TARGETED_FAULTS,
        clauses=("DSH-3-replace", "DSH-3-conditional"),
        session_required=True,
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/remove",
        params=e.RemoveParams,
        result=e.RemoveResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Remove the one memory that matches.",
        faults=TARGETED_FAULTS,
        clauses=("DSH-3-remove", "DSH-3-conditional"),
        session_required=True,
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/consolidate",
        params=e.ConsolidateParams,
        result=e.ConsolidateResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Put one memory in the place of several, in one question and one transaction.",
        faults=TARGETED_FAULTS,
        clauses=("DSH-3-consolidate", "DSH-3-conditional"),
        session_required=True,
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/seed",
        params=e.SeedParams,
        result=e.SeedResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Add many memories with one question: all of them or none.",
        faults=GATED_FAULTS,
        clauses=("DSH-3-seed",),
        session_required=True,
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/query",
        params=e.QueryParams,
        result=e.QueryResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="Find memories by substring, most recalled first.",
        faults=READING_FAULTS,
        clauses=("DSH-4",),
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/get",
        params=e.GetParams,
        result=e.GetResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="One memory by id.",
        faults=(*READING_FAULTS, Code.ENTRY_NOT_FOUND),
        clauses=("DSH-2",),
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/history",
        params=e.HistoryParams,
        result=e.HistoryResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="Every state a memory had, from the ledger.",
        faults=(*READING_FAULTS, Code.ENTRY_NOT_FOUND),
        clauses=("DSH-6",),
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/list",
        params=e.ListParams,
        result=e.ListResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="Memories in creation order, page by page.",
        faults=READING_FAULTS,
        clauses=("DSH-4",),
        surface=Surface.STARTER,
        tool="memory",
    ),
    Operation(
        name="memory/budgets",
        params=e.BudgetsParams,
        result=e.BudgetsResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="How full each layer is.",
        faults=READING_FAULTS,
        clauses=("DSH-4", "DSH-5"),
        surface=Surface.STARTER,
        tool="memory_budgets",
    ),
    Operation(
        name="memory/snapshot",
        params=e.SnapshotParams,
        result=e.SnapshotResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="The block of memories a session is given, frozen at its first request.",
        faults=READING_FAULTS,
        clauses=("DSH-6",),
        surface=Surface.STARTER,
        tool="memory_snapshot",
    ),
    Operation(
        name="memory/audit",
        params=e.AuditParams,
        result=e.AuditResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="The ledger, newest first.",
        faults=READING_FAULTS,
        clauses=("DSH-6",),
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/verify",
        params=e.VerifyParams,
        result=e.VerifyResult,
        access=Access.READ,
        latency=Latency.LONG,
        summary="Check the ledger's chain and that its replay equals the store.",
        faults=READING_FAULTS,
        clauses=("DSH-6",),
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/undo",
        params=e.UndoParams,
        result=e.UndoResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Take a change back, as a new change that is asked about like any other.",
        faults=(*GATED_FAULTS, Code.ENTRY_NOT_FOUND),
        clauses=("DSH-6",),
        session_required=True,
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/why",
        params=e.WhyParams,
        result=e.WhyResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="Who wanted a memory, who allowed it, and what they saw.",
        faults=(*READING_FAULTS, Code.ENTRY_NOT_FOUND),
        clauses=("DSH-6",),
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/export",
        params=port.ExportParams,
        result=port.Envelope,
        other_results=(port.ExportParts, Any),
        access=Access.READ,
        latency=Latency.LONG,
        summary="Every memory in view as a portable envelope or in an adapter's format.",
        faults=(*READING_FAULTS, Code.ADAPTER_NOT_FOUND, Code.ADAPTER_PAYLOAD),
        clauses=("DSH-8",),
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/import",
        params=port.ImportParams,
        result=port.ImportResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Bring memories in with one question; a dry run only reports.",
        faults=(*GATED_FAULTS, Code.ADAPTER_NOT_FOUND, Code.ADAPTER_PAYLOAD),
        clauses=("DSH-8", "DSH-9"),
        session_required=True,
        surface=Surface.FULL,
    ),
    Operation(
        name="memory/status",
        params=e.StatusParams,
        result=e.StatusResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="Health: a write transaction round-trips, counts, paths and versions.",
        faults=(),
        surface=Surface.FULL,
    ),
    Operation(
        name="proposals/create",
        params=prop.ProposalsCreateParams,
        result=prop.ProposalsCreateResult,
        access=Access.WRITE,
        latency=Latency.SCAN,
        summary="Store a wish without asking anybody now.",
        faults=TARGETED_FAULTS,
        session_required=True,
        surface=Surface.FULL,
    ),
    Operation(
        name="proposals/list",
        params=prop.ProposalsListParams,
        result=prop.ProposalsListResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="The proposals of the connection's workspaces, oldest first.",
        faults=READING_FAULTS,
        surface=Surface.FULL,
    ),
    Operation(
        name="proposals/get",
        params=prop.ProposalsGetParams,
        result=prop.ProposalsGetResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="One proposal with the full question.",
        faults=(*READING_FAULTS, Code.PROPOSAL_NOT_FOUND),
        surface=Surface.FULL,
    ),
    Operation(
        name="proposals/approve",
        params=prop.ProposalsApproveParams,
        result=prop.ProposalsApproveResult,
        access=Access.DECIDE,
        latency=Latency.SCAN,
        summary="Allow a pending proposal, as the question with this hash showed it.",
        faults=(*TARGETED_FAULTS, Code.PROPOSAL_NOT_FOUND),
    ),
    Operation(
        name="proposals/dismiss",
        params=prop.ProposalsDismissParams,
        result=prop.ProposalsDismissResult,
        access=Access.DECIDE,
        latency=Latency.SCAN,
        summary="Close a pending proposal without storing it.",
        faults=(Code.INVALID_INPUT, Code.WRITE_DENIED, Code.PROPOSAL_NOT_FOUND, *STORE_FAULTS),
    ),
    Operation(
        name="adapters/list",
        params=port.AdaptersListParams,
        result=port.AdaptersListResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="The adapters that import and export accept.",
        clauses=("DSH-9",),
        surface=Surface.FULL,
    ),
    Operation(
        name="adapters/register",
        params=port.AdaptersRegisterParams,
        result=port.AdaptersRegisterResult,
        access=Access.ADMIN,
        latency=Latency.INSTANT,
        summary="Offer an adapter that this client will run.",
        faults=(Code.INVALID_INPUT,),
        clauses=("DSH-9",),
    ),
    Operation(
        name="adapters/unregister",
        params=port.AdaptersUnregisterParams,
        result=port.AdaptersUnregisterResult,
        access=Access.ADMIN,
        latency=Latency.INSTANT,
        summary="Withdraw an adapter of this client.",
        faults=(Code.INVALID_INPUT, Code.ADAPTER_NOT_FOUND),
        clauses=("DSH-9",),
    ),
    Operation(
        name="session/open",
        params=life.SessionOpenParams,
        result=life.SessionOpenResult,
        access=Access.ADMIN,
        latency=Latency.INSTANT,
        summary="Register a session; optionally as the connection's default.",
        faults=(Code.INVALID_INPUT,),
    ),
    Operation(
        name="session/close",
        params=life.SessionCloseParams,
        result=life.SessionCloseResult,
        access=Access.ADMIN,
        latency=Latency.INSTANT,
        summary="Forget a session; what it wrote stays.",
        faults=(Code.INVALID_INPUT,),
    ),
    *LOOKING_BACK_OPERATIONS,
    *VERB_OPERATIONS,
    *PAGE_OPERATIONS,
)

BY_NAME: Final[Mapping[str, Operation]] = {row.name: row for row in OPERATIONS}


@frozen(kw_only=True)
class ServerMessage:
    """A notification or request that the server sends."""

    name: str
    params: type
    summary: str
    result: type | None = None


SERVER_MESSAGES: Final = (
    ServerMessage(name="approval/asked", params=prop.ApprovalAsked, summary="A write waits for a person."),
    ServerMessage(
        name="approval/decided", params=prop.ApprovalDecided, summary="A question was answered or given up."
    ),
    ServerMessage(
        name="approval/request",
        params=prop.ApprovalRequestParams,
        result=prop.ApprovalAnswer,
        summary="The structured question, to clients that announced `approvalRequest`.",
    ),
    ServerMessage(
        name="adapters/adapt",
        params=port.AdaptersAdaptParams,
        result=port.AdaptersAdaptResult,
        summary="Convert a payload with an adapter that this client registered.",
    ),
    ServerMessage(
        name="adapters/export",
        params=port.AdaptersExportParams,
        result=port.AdaptersExportResult,
        summary="Convert entries with an adapter that this client registered.",
    ),
    ServerMessage(
        name="languageModel/complete",
        params=lm.LanguageModelRequest,
        result=lm.Completion,
        summary="Ask the client's language model, where it announced one.",
    ),
    ServerMessage(name="memory/added", params=life.MemoryEvent, summary="A memory was added."),
    ServerMessage(name="memory/updated", params=life.MemoryEvent, summary="A memory was rewritten."),
    ServerMessage(name="memory/removed", params=life.MemoryEvent, summary="A memory was removed."),
    ServerMessage(name="memory/recalled", params=life.MemoryEvent, summary="A session's query was answered."),
    ServerMessage(
        name="memory/snapshot", params=life.MemoryEvent, summary="A session's snapshot was frozen."
    ),
    ServerMessage(
        name="facts/didChange",
        params=life.FactsDidChange,
        summary="A fact was saved, expired or brought back.",
    ),
    ServerMessage(name="pages/didChange", params=life.PagesDidChange, summary="Pages were indexed anew."),
    ServerMessage(
        name="proposals/didChange", params=prop.ProposalsDidChange, summary="A proposal was made or decided."
    ),
    ServerMessage(
        name="keepgate/status", params=life.KeepgateStatus, summary="Health and waiting approvals changed."
    ),
)
