"""Typed calls, one for each operation. Written by ``python -m keepgate.derive``; edit the table instead."""

# Parameters keep their wire names, and there are as many as the operation has.
# ruff: noqa: A002, PLR0913

from abc import ABC, abstractmethod
from typing import Any, TypeVar

from keepgate.protocol.entries import (
    UNSET,
    AddParams,
    AddResult,
    AuditParams,
    AuditResult,
    BudgetsParams,
    BudgetsResult,
    ConsolidateParams,
    ConsolidateResult,
    DraftParams,
    GetParams,
    GetResult,
    HistoryParams,
    HistoryResult,
    IdTarget,
    ListParams,
    ListResult,
    PurgeParams,
    PurgeResult,
    QueryParams,
    QueryResult,
    RemoveParams,
    RemoveResult,
    ReplaceParams,
    ReplaceResult,
    Scope,
    SeedParams,
    SeedResult,
    SessionRef,
    SnapshotParams,
    SnapshotResult,
    StatusParams,
    StatusResult,
    Track,
    UndoParams,
    UndoResult,
    Unset,
    VerifyParams,
    VerifyResult,
    WhyParams,
    WhyResult,
)
from keepgate.protocol.lifecycle import (
    SessionActiveParams,
    SessionActiveResult,
    SessionCloseParams,
    SessionCloseResult,
    SessionOpenParams,
    SessionOpenResult,
)
from keepgate.protocol.looking_back import (
    AsOfParams,
    AsOfResult,
    GrantsListParams,
    GrantsListResult,
    GrantsRevokeParams,
    GrantsRevokeResult,
    QuarantinedParams,
    QuarantinedResult,
    QuarantineParams,
    QuarantineResult,
    ReleaseParams,
    SessionTaintParams,
    SessionTaintResult,
)
from keepgate.protocol.pages import (
    BacklinksParams,
    BacklinksResult,
    CaptureParams,
    PageGetParams,
    PageLinkParams,
    PagePutParams,
    PageRemoveParams,
    PageResult,
    PagesListParams,
    PagesListResult,
    PagesSearchParams,
    PagesSearchResult,
    PagesTrustParams,
    PagesTrustResult,
    PageTimelineParams,
    PageWriteResult,
    ReindexParams,
    ReindexResult,
    ResolveParams,
    ResolveResult,
)
from keepgate.protocol.portability import (
    AdaptersListParams,
    AdaptersListResult,
    AdaptersRegisterParams,
    AdaptersRegisterResult,
    AdaptersUnregisterParams,
    AdaptersUnregisterResult,
    ExportParams,
    ImportParams,
    ImportResult,
)
from keepgate.protocol.proposals import (
    ApprovalShownParams,
    ApprovalShownResult,
    Choice,
    ProposalsApproveParams,
    ProposalsApproveResult,
    ProposalsCreateParams,
    ProposalsCreateResult,
    ProposalsDismissParams,
    ProposalsDismissResult,
    ProposalsGetParams,
    ProposalsGetResult,
    ProposalsListParams,
    ProposalsListResult,
    ProposalStatus,
)
from keepgate.protocol.verbs import (
    ContextPackParams,
    ContextPackResult,
    DeltaParams,
    DeltaResult,
    DryRun,
    EntityParams,
    EntityResult,
    FactKind,
    ForgetParams,
    ForgetResult,
    RecallParams,
    RecallResult,
    RememberParams,
    RememberResult,
    SynthesizeParams,
    SynthesizeResult,
    Visibility,
)

T = TypeVar("T")
# For answers whose type depends on what was asked for.
_ANY: type[Any] = Any


class Calls(ABC):
    """Every operation as an async method on top of :meth:`call`."""

    @abstractmethod
    async def call(self, name: str, params: Any, result: type[T]) -> T:
        """Send one request and return its typed result; faults are raised."""

    async def add(
        self,
        *,
        track: Track,
        scope: Scope,
        text: str,
        tags: list[str] | None = None,
        source: str | None = None,
        agent_key: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> AddResult:
        """Add one memory.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return await self.call(
            "memory/add",
            AddParams(
                track=track,
                scope=scope,
                text=text,
                tags=tags,
                source=source,
                agent_key=agent_key,
                session=session,
            ),
            AddResult,
        )

    async def replace(
        self,
        *,
        track: Track,
        scope: Scope,
        text: str,
        match: str | None = None,
        id: str | None = None,
        version: int | None = None,
        tags: list[str] | None = None,
        source: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ReplaceResult:
        """Rewrite the one memory that matches; its id stays, its version goes up.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return await self.call(
            "memory/replace",
            ReplaceParams(
                track=track,
                scope=scope,
                text=text,
                match=match,
                id=id,
                version=version,
                tags=tags,
                source=source,
                session=session,
            ),
            ReplaceResult,
        )

    async def remove(
        self,
        *,
        track: Track,
        scope: Scope,
        match: str | None = None,
        id: str | None = None,
        version: int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> RemoveResult:
        """Remove the one memory that matches.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return await self.call(
            "memory/remove",
            RemoveParams(
                track=track,
                scope=scope,
                match=match,
                id=id,
                version=version,
                session=session,
            ),
            RemoveResult,
        )

    async def consolidate(
        self,
        *,
        track: Track,
        scope: Scope,
        text: str,
        matches: list[str] | None = None,
        ids: list[IdTarget] | None = None,
        tags: list[str] | None = None,
        source: str | None = None,
        agent_key: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ConsolidateResult:
        """Put one memory in the place of several, in one question and one transaction.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return await self.call(
            "memory/consolidate",
            ConsolidateParams(
                track=track,
                scope=scope,
                text=text,
                matches=matches,
                ids=ids,
                tags=tags,
                source=source,
                agent_key=agent_key,
                session=session,
            ),
            ConsolidateResult,
        )

    async def seed(
        self,
        *,
        entries: list[DraftParams],
        session: SessionRef | Unset | None = UNSET,
    ) -> SeedResult:
        """Add many memories with one question: all of them or none.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return await self.call(
            "memory/seed",
            SeedParams(
                entries=entries,
                session=session,
            ),
            SeedResult,
        )

    async def query(
        self,
        *,
        track: Track | None = None,
        scope: Scope | None = None,
        text: str | None = None,
        tags: list[str] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> QueryResult:
        """Find memories by substring, most recalled first.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/query",
            QueryParams(
                track=track,
                scope=scope,
                text=text,
                tags=tags,
                limit=limit,
                offset=offset,
                all_workspaces=all_workspaces,
                session=session,
            ),
            QueryResult,
        )

    async def get(
        self,
        *,
        id: str,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> GetResult:
        """One memory by id.

        Raises ``INVALID_INPUT``, ``ENTRY_NOT_FOUND``.
        """
        return await self.call(
            "memory/get",
            GetParams(
                id=id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            GetResult,
        )

    async def history(
        self,
        *,
        id: str,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> HistoryResult:
        """Every state a memory had, from the ledger.

        Raises ``INVALID_INPUT``, ``ENTRY_NOT_FOUND``.
        """
        return await self.call(
            "memory/history",
            HistoryParams(
                id=id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            HistoryResult,
        )

    async def list_entries(
        self,
        *,
        track: Track | None = None,
        scope: Scope | None = None,
        limit: int | None = None,
        after: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> ListResult:
        """Memories in creation order, page by page.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/list",
            ListParams(
                track=track,
                scope=scope,
                limit=limit,
                after=after,
                all_workspaces=all_workspaces,
                session=session,
            ),
            ListResult,
        )

    async def budgets(
        self,
        *,
        session: SessionRef | Unset | None = UNSET,
    ) -> BudgetsResult:
        """How full each layer is.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/budgets",
            BudgetsParams(
                session=session,
            ),
            BudgetsResult,
        )

    async def snapshot(
        self,
        *,
        session: SessionRef | Unset | None = UNSET,
    ) -> SnapshotResult:
        """The block of memories a session is given, frozen at its first request.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/snapshot",
            SnapshotParams(
                session=session,
            ),
            SnapshotResult,
        )

    async def audit(
        self,
        *,
        limit: int | None = None,
        before: int | None = None,
        action: str | None = None,
        entry_id: str | None = None,
        session_id: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> AuditResult:
        """The ledger, newest first.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/audit",
            AuditParams(
                limit=limit,
                before=before,
                action=action,
                entry_id=entry_id,
                session_id=session_id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            AuditResult,
        )

    async def verify(
        self,
        *,
        work_done_token: str | int | None = None,
    ) -> VerifyResult:
        """Check the ledger's chain and that its replay equals the store.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/verify",
            VerifyParams(
                work_done_token=work_done_token,
            ),
            VerifyResult,
        )

    async def undo(
        self,
        *,
        seq: int | None = None,
        session_id: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> UndoResult:
        """Take a change back, as a new change that is asked about like any other.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``.
        """
        return await self.call(
            "memory/undo",
            UndoParams(
                seq=seq,
                session_id=session_id,
                session=session,
            ),
            UndoResult,
        )

    async def purge(
        self,
        *,
        text: str,
        pages: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> PurgeResult:
        """Take a text out of every table, index, ledger payload and backup, and prove it.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return await self.call(
            "memory/purge",
            PurgeParams(
                text=text,
                pages=pages,
                session=session,
            ),
            PurgeResult,
        )

    async def why(
        self,
        *,
        id: str,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> WhyResult:
        """Who wanted a memory, who allowed it, and what they saw.

        Raises ``INVALID_INPUT``, ``ENTRY_NOT_FOUND``.
        """
        return await self.call(
            "memory/why",
            WhyParams(
                id=id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            WhyResult,
        )

    async def export(
        self,
        *,
        adapter: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> Any:
        """Every memory in view as a portable envelope or in an adapter's format.

        Returns the JSON as it came: what it is depends on the parameters. Raises ``INVALID_INPUT``,
        ``ADAPTER_NOT_FOUND``, ``ADAPTER_PAYLOAD``.
        """
        return await self.call(
            "memory/export",
            ExportParams(
                adapter=adapter,
                all_workspaces=all_workspaces,
                session=session,
            ),
            _ANY,
        )

    async def import_(
        self,
        *,
        payload: Any = None,
        path: str | None = None,
        adapter: str | None = None,
        dry_run: bool = False,
        work_done_token: str | int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ImportResult:
        """Bring memories in with one question; a dry run only reports.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ADAPTER_NOT_FOUND``, ``ADAPTER_PAYLOAD``.
        """
        return await self.call(
            "memory/import",
            ImportParams(
                payload=payload,
                path=path,
                adapter=adapter,
                dry_run=dry_run,
                work_done_token=work_done_token,
                session=session,
            ),
            ImportResult,
        )

    async def status(self) -> StatusResult:
        """Health: a write transaction round-trips, counts, paths and versions."""
        return await self.call(
            "memory/status",
            StatusParams(),
            StatusResult,
        )

    async def proposals_create(
        self,
        *,
        change: dict[str, Any],
        session: SessionRef | Unset | None = UNSET,
    ) -> ProposalsCreateResult:
        """Store a wish without asking anybody now.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return await self.call(
            "proposals/create",
            ProposalsCreateParams(
                change=change,
                session=session,
            ),
            ProposalsCreateResult,
        )

    async def proposals_list(
        self,
        *,
        status: ProposalStatus | None = None,
        limit: int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ProposalsListResult:
        """The proposals of the connection's workspaces, oldest first.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "proposals/list",
            ProposalsListParams(
                status=status,
                limit=limit,
                session=session,
            ),
            ProposalsListResult,
        )

    async def proposals_get(
        self,
        *,
        id: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> ProposalsGetResult:
        """One proposal with the full question.

        Raises ``INVALID_INPUT``, ``PROPOSAL_NOT_FOUND``.
        """
        return await self.call(
            "proposals/get",
            ProposalsGetParams(
                id=id,
                session=session,
            ),
            ProposalsGetResult,
        )

    async def proposals_approve(
        self,
        *,
        id: str | None = None,
        hash: str | None = None,
        ids: list[Choice] | None = None,
    ) -> ProposalsApproveResult:
        """Allow a pending proposal, as the question with this hash showed it.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``,
        ``PROPOSAL_NOT_FOUND``.
        """
        return await self.call(
            "proposals/approve",
            ProposalsApproveParams(
                id=id,
                hash=hash,
                ids=ids,
            ),
            ProposalsApproveResult,
        )

    async def proposals_dismiss(
        self,
        *,
        id: str | None = None,
        ids: list[Choice] | None = None,
        reason: str | None = None,
    ) -> ProposalsDismissResult:
        """Close a pending proposal without storing it.

        Raises ``INVALID_INPUT``, ``WRITE_DENIED``, ``PROPOSAL_NOT_FOUND``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return await self.call(
            "proposals/dismiss",
            ProposalsDismissParams(
                id=id,
                ids=ids,
                reason=reason,
            ),
            ProposalsDismissResult,
        )

    async def adapters_list(self) -> AdaptersListResult:
        """The adapters that import and export accept."""
        return await self.call(
            "adapters/list",
            AdaptersListParams(),
            AdaptersListResult,
        )

    async def adapters_register(
        self,
        *,
        id: str,
        name: str,
        description: str,
        version: str,
        import_formats: list[str],
        export_format: str,
    ) -> AdaptersRegisterResult:
        """Offer an adapter that this client will run.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "adapters/register",
            AdaptersRegisterParams(
                id=id,
                name=name,
                description=description,
                version=version,
                import_formats=import_formats,
                export_format=export_format,
            ),
            AdaptersRegisterResult,
        )

    async def adapters_unregister(
        self,
        *,
        id: str,
    ) -> AdaptersUnregisterResult:
        """Withdraw an adapter of this client.

        Raises ``INVALID_INPUT``, ``ADAPTER_NOT_FOUND``.
        """
        return await self.call(
            "adapters/unregister",
            AdaptersUnregisterParams(
                id=id,
            ),
            AdaptersUnregisterResult,
        )

    async def session_open(
        self,
        *,
        id: str,
        agent_preset: str = "",
        cwd: str | None = None,
        default: bool = False,
    ) -> SessionOpenResult:
        """Register a session; optionally as the connection's default.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "session/open",
            SessionOpenParams(
                id=id,
                agent_preset=agent_preset,
                cwd=cwd,
                default=default,
            ),
            SessionOpenResult,
        )

    async def session_close(
        self,
        *,
        id: str,
    ) -> SessionCloseResult:
        """Forget a session; what it wrote stays.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "session/close",
            SessionCloseParams(
                id=id,
            ),
            SessionCloseResult,
        )

    async def session_taint(
        self,
        *,
        sources: list[str],
        session: SessionRef | Unset | None = UNSET,
    ) -> SessionTaintResult:
        """Say that this session has read untrusted material: from now on a person is asked each time.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return await self.call(
            "session/taint",
            SessionTaintParams(
                sources=sources,
                session=session,
            ),
            SessionTaintResult,
        )

    async def as_of(
        self,
        *,
        seq: int | None = None,
        at: int | None = None,
        limit: int | None = None,
        after: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> AsOfResult:
        """Memories and facts as they were after a ledger row, or at a moment.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/asOf",
            AsOfParams(
                seq=seq,
                at=at,
                limit=limit,
                after=after,
                all_workspaces=all_workspaces,
                session=session,
            ),
            AsOfResult,
        )

    async def quarantine(
        self,
        *,
        session_id: str,
        reason: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> QuarantineResult:
        """Put what a session wrote out of every read, until it is released. Always asked about.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return await self.call(
            "memory/quarantine",
            QuarantineParams(
                session_id=session_id,
                reason=reason,
                session=session,
            ),
            QuarantineResult,
        )

    async def release(
        self,
        *,
        session_id: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> QuarantineResult:
        """Bring back what is in quarantine of a session. Always asked about.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return await self.call(
            "memory/release",
            ReleaseParams(
                session_id=session_id,
                session=session,
            ),
            QuarantineResult,
        )

    async def quarantined(
        self,
        *,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> QuarantinedResult:
        """The sessions of which something is in quarantine.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "memory/quarantined",
            QuarantinedParams(
                all_workspaces=all_workspaces,
                session=session,
            ),
            QuarantinedResult,
        )

    async def grants_list(self) -> GrantsListResult:
        """What was allowed for the rest of sessions, in every process.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "grants/list",
            GrantsListParams(),
            GrantsListResult,
        )

    async def grants_revoke(
        self,
        *,
        id: str,
    ) -> GrantsRevokeResult:
        """End what was allowed for the rest of a session: its next write is asked about again.

        Raises ``INVALID_INPUT``, ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return await self.call(
            "grants/revoke",
            GrantsRevokeParams(
                id=id,
            ),
            GrantsRevokeResult,
        )

    async def session_active(self) -> SessionActiveResult:
        """The person is at this client now: other processes' questions come here first.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "session/active",
            SessionActiveParams(),
            SessionActiveResult,
        )

    async def approval_shown(
        self,
        *,
        id: str,
    ) -> ApprovalShownResult:
        """A question is on the screen of this client.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "approval/shown",
            ApprovalShownParams(
                id=id,
            ),
            ApprovalShownResult,
        )

    async def verbs_recall(
        self,
        *,
        query: str | None = None,
        entity: str | None = None,
        budget_tokens: float | None = None,
        since: str | None = None,
        session_id: str | None = None,
        limit: float | None = None,
        include_expired: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> RecallResult:
        """Retrieve saved facts and, with a query, budget-packed snippets of pages.

        Raises ``invalid_params``, ``internal``.
        """
        return await self.call(
            "verbs/recall",
            RecallParams(
                query=query,
                entity=entity,
                budget_tokens=budget_tokens,
                since=since,
                session_id=session_id,
                limit=limit,
                include_expired=include_expired,
                session=session,
            ),
            RecallResult,
        )

    async def verbs_remember(
        self,
        *,
        fact: str,
        provenance: str,
        ttl: str | None = None,
        entity: str | None = None,
        kind: FactKind | None = None,
        visibility: Visibility | None = None,
        supersedes: str | None = None,
        dry_run: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> RememberResult | DryRun:
        """Save one fact with mandatory attribution.

        With ``dry_run`` it returns what would be done. Raises ``provenance_required``, ``invalid_params``,
        ``not_found``, ``scope_denied``, ``unavailable``, ``internal``.
        """
        params = RememberParams(
            fact=fact,
            provenance=provenance,
            ttl=ttl,
            entity=entity,
            kind=kind,
            visibility=visibility,
            supersedes=supersedes,
            dry_run=dry_run,
            session=session,
        )
        if dry_run:
            return await self.call("verbs/remember", params, DryRun)
        return await self.call("verbs/remember", params, RememberResult)

    async def verbs_entity(
        self,
        *,
        name: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> EntityResult:
        """The card of one known person, company or project; a miss is no error.

        Raises ``invalid_params``, ``internal``.
        """
        return await self.call(
            "verbs/entity",
            EntityParams(
                name=name,
                session=session,
            ),
            EntityResult,
        )

    async def verbs_synthesize(
        self,
        *,
        question: str,
        since: str | None = None,
        until: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> SynthesizeResult:
        """[EXPENSIVE / SLOW] Answer a question from several pages with a language model's help.

        Raises ``invalid_params``, ``unavailable``, ``internal``.
        """
        return await self.call(
            "verbs/synthesize",
            SynthesizeParams(
                question=question,
                since=since,
                until=until,
                session=session,
            ),
            SynthesizeResult,
        )

    async def verbs_forget(
        self,
        *,
        id: str,
        reason: str | None = None,
        dry_run: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ForgetResult | DryRun:
        """Expire a fact by its id; what is expired already is no error.

        With ``dry_run`` it returns what would be done. Raises ``invalid_params``, ``not_found``,
        ``scope_denied``, ``unavailable``, ``internal``.
        """
        params = ForgetParams(
            id=id,
            reason=reason,
            dry_run=dry_run,
            session=session,
        )
        if dry_run:
            return await self.call("verbs/forget", params, DryRun)
        return await self.call("verbs/forget", params, ForgetResult)

    async def verbs_context_pack(
        self,
        *,
        entities: str,
        budget_tokens: float | None = None,
        since: str | None = None,
        session_id: str | None = None,
        include_private: bool | None = None,
        deadline_ms: float | None = None,
        trusted_only: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ContextPackResult:
        """One budget-packed block for standing entities: cards, open threads, facts.

        Raises ``invalid_params``, ``internal``.
        """
        return await self.call(
            "verbs/context_pack",
            ContextPackParams(
                entities=entities,
                budget_tokens=budget_tokens,
                since=since,
                session_id=session_id,
                include_private=include_private,
                deadline_ms=deadline_ms,
                trusted_only=trusted_only,
                session=session,
            ),
            ContextPackResult,
        )

    async def verbs_delta(
        self,
        *,
        since: str | None = None,
        since_slug: str | None = None,
        since_fact: str | None = None,
        entities: str | None = None,
        budget_tokens: float | None = None,
        session_id: str | None = None,
        include_private: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> DeltaResult:
        """What changed since an instant, or since this session asked last.

        Raises ``invalid_params``, ``internal``.
        """
        return await self.call(
            "verbs/delta",
            DeltaParams(
                since=since,
                since_slug=since_slug,
                since_fact=since_fact,
                entities=entities,
                budget_tokens=budget_tokens,
                session_id=session_id,
                include_private=include_private,
                session=session,
            ),
            DeltaResult,
        )

    async def pages_get(
        self,
        *,
        slug: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageResult:
        """One page, whole.

        Raises ``INVALID_INPUT``, ``PAGE_NOT_FOUND``.
        """
        return await self.call(
            "pages/get",
            PageGetParams(
                slug=slug,
                session=session,
            ),
            PageResult,
        )

    async def pages_list(
        self,
        *,
        prefix: str | None = None,
        type: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> PagesListResult:
        """Pages in slug order.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "pages/list",
            PagesListParams(
                prefix=prefix,
                type=type,
                limit=limit,
                after=after,
                session=session,
            ),
            PagesListResult,
        )

    async def pages_search(
        self,
        *,
        query: str,
        limit: int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> PagesSearchResult:
        """Pages that match words, best first.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "pages/search",
            PagesSearchParams(
                query=query,
                limit=limit,
                session=session,
            ),
            PagesSearchResult,
        )

    async def pages_backlinks(
        self,
        *,
        slug: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> BacklinksResult:
        """Links that lead to a page.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "pages/backlinks",
            BacklinksParams(
                slug=slug,
                session=session,
            ),
            BacklinksResult,
        )

    async def pages_resolve(
        self,
        *,
        names: list[str],
        session: SessionRef | Unset | None = UNSET,
    ) -> ResolveResult:
        """The slugs that names stand for.

        Raises ``INVALID_INPUT``.
        """
        return await self.call(
            "pages/resolve",
            ResolveParams(
                names=names,
                session=session,
            ),
            ResolveResult,
        )

    async def pages_put(
        self,
        *,
        slug: str,
        content: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Write a page's file; the person sees the difference.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return await self.call(
            "pages/put",
            PagePutParams(
                slug=slug,
                content=content,
                session=session,
            ),
            PageWriteResult,
        )

    async def pages_remove(
        self,
        *,
        slug: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Delete a page's file.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return await self.call(
            "pages/remove",
            PageRemoveParams(
                slug=slug,
                session=session,
            ),
            PageWriteResult,
        )

    async def pages_link(
        self,
        *,
        from_: str,
        to: str,
        type: str = "related",
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Add a typed link to a page.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return await self.call(
            "pages/link",
            PageLinkParams(
                from_=from_,
                to=to,
                type=type,
                session=session,
            ),
            PageWriteResult,
        )

    async def pages_timeline(
        self,
        *,
        slug: str,
        date: str,
        text: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Add a dated line to a page's timeline.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return await self.call(
            "pages/timeline",
            PageTimelineParams(
                slug=slug,
                date=date,
                text=text,
                session=session,
            ),
            PageWriteResult,
        )

    async def pages_capture(
        self,
        *,
        text: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Put a dated note into the inbox page of the month.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return await self.call(
            "pages/capture",
            CaptureParams(
                text=text,
                session=session,
            ),
            PageWriteResult,
        )

    async def pages_trust(
        self,
        *,
        root: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> PagesTrustResult:
        """Have a person trust the pages of a folder, so that session starts carry them.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return await self.call(
            "pages/trust",
            PagesTrustParams(
                root=root,
                session=session,
            ),
            PagesTrustResult,
        )

    async def pages_reindex(
        self,
        *,
        session: SessionRef | Unset | None = UNSET,
    ) -> ReindexResult:
        """Read every page file anew and bring the index up to date.

        Raises ``INVALID_INPUT``, ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return await self.call(
            "pages/reindex",
            ReindexParams(
                session=session,
            ),
            ReindexResult,
        )


class SyncCalls(ABC):
    """Every operation as a blocking method on top of :meth:`call`."""

    @abstractmethod
    def call(self, name: str, params: Any, result: type[T]) -> T:
        """Send one request and return its typed result; faults are raised."""

    def add(
        self,
        *,
        track: Track,
        scope: Scope,
        text: str,
        tags: list[str] | None = None,
        source: str | None = None,
        agent_key: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> AddResult:
        """Add one memory.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return self.call(
            "memory/add",
            AddParams(
                track=track,
                scope=scope,
                text=text,
                tags=tags,
                source=source,
                agent_key=agent_key,
                session=session,
            ),
            AddResult,
        )

    def replace(
        self,
        *,
        track: Track,
        scope: Scope,
        text: str,
        match: str | None = None,
        id: str | None = None,
        version: int | None = None,
        tags: list[str] | None = None,
        source: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ReplaceResult:
        """Rewrite the one memory that matches; its id stays, its version goes up.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return self.call(
            "memory/replace",
            ReplaceParams(
                track=track,
                scope=scope,
                text=text,
                match=match,
                id=id,
                version=version,
                tags=tags,
                source=source,
                session=session,
            ),
            ReplaceResult,
        )

    def remove(
        self,
        *,
        track: Track,
        scope: Scope,
        match: str | None = None,
        id: str | None = None,
        version: int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> RemoveResult:
        """Remove the one memory that matches.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return self.call(
            "memory/remove",
            RemoveParams(
                track=track,
                scope=scope,
                match=match,
                id=id,
                version=version,
                session=session,
            ),
            RemoveResult,
        )

    def consolidate(
        self,
        *,
        track: Track,
        scope: Scope,
        text: str,
        matches: list[str] | None = None,
        ids: list[IdTarget] | None = None,
        tags: list[str] | None = None,
        source: str | None = None,
        agent_key: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ConsolidateResult:
        """Put one memory in the place of several, in one question and one transaction.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return self.call(
            "memory/consolidate",
            ConsolidateParams(
                track=track,
                scope=scope,
                text=text,
                matches=matches,
                ids=ids,
                tags=tags,
                source=source,
                agent_key=agent_key,
                session=session,
            ),
            ConsolidateResult,
        )

    def seed(
        self,
        *,
        entries: list[DraftParams],
        session: SessionRef | Unset | None = UNSET,
    ) -> SeedResult:
        """Add many memories with one question: all of them or none.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return self.call(
            "memory/seed",
            SeedParams(
                entries=entries,
                session=session,
            ),
            SeedResult,
        )

    def query(
        self,
        *,
        track: Track | None = None,
        scope: Scope | None = None,
        text: str | None = None,
        tags: list[str] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> QueryResult:
        """Find memories by substring, most recalled first.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/query",
            QueryParams(
                track=track,
                scope=scope,
                text=text,
                tags=tags,
                limit=limit,
                offset=offset,
                all_workspaces=all_workspaces,
                session=session,
            ),
            QueryResult,
        )

    def get(
        self,
        *,
        id: str,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> GetResult:
        """One memory by id.

        Raises ``INVALID_INPUT``, ``ENTRY_NOT_FOUND``.
        """
        return self.call(
            "memory/get",
            GetParams(
                id=id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            GetResult,
        )

    def history(
        self,
        *,
        id: str,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> HistoryResult:
        """Every state a memory had, from the ledger.

        Raises ``INVALID_INPUT``, ``ENTRY_NOT_FOUND``.
        """
        return self.call(
            "memory/history",
            HistoryParams(
                id=id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            HistoryResult,
        )

    def list_entries(
        self,
        *,
        track: Track | None = None,
        scope: Scope | None = None,
        limit: int | None = None,
        after: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> ListResult:
        """Memories in creation order, page by page.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/list",
            ListParams(
                track=track,
                scope=scope,
                limit=limit,
                after=after,
                all_workspaces=all_workspaces,
                session=session,
            ),
            ListResult,
        )

    def budgets(
        self,
        *,
        session: SessionRef | Unset | None = UNSET,
    ) -> BudgetsResult:
        """How full each layer is.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/budgets",
            BudgetsParams(
                session=session,
            ),
            BudgetsResult,
        )

    def snapshot(
        self,
        *,
        session: SessionRef | Unset | None = UNSET,
    ) -> SnapshotResult:
        """The block of memories a session is given, frozen at its first request.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/snapshot",
            SnapshotParams(
                session=session,
            ),
            SnapshotResult,
        )

    def audit(
        self,
        *,
        limit: int | None = None,
        before: int | None = None,
        action: str | None = None,
        entry_id: str | None = None,
        session_id: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> AuditResult:
        """The ledger, newest first.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/audit",
            AuditParams(
                limit=limit,
                before=before,
                action=action,
                entry_id=entry_id,
                session_id=session_id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            AuditResult,
        )

    def verify(
        self,
        *,
        work_done_token: str | int | None = None,
    ) -> VerifyResult:
        """Check the ledger's chain and that its replay equals the store.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/verify",
            VerifyParams(
                work_done_token=work_done_token,
            ),
            VerifyResult,
        )

    def undo(
        self,
        *,
        seq: int | None = None,
        session_id: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> UndoResult:
        """Take a change back, as a new change that is asked about like any other.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``.
        """
        return self.call(
            "memory/undo",
            UndoParams(
                seq=seq,
                session_id=session_id,
                session=session,
            ),
            UndoResult,
        )

    def purge(
        self,
        *,
        text: str,
        pages: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> PurgeResult:
        """Take a text out of every table, index, ledger payload and backup, and prove it.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return self.call(
            "memory/purge",
            PurgeParams(
                text=text,
                pages=pages,
                session=session,
            ),
            PurgeResult,
        )

    def why(
        self,
        *,
        id: str,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> WhyResult:
        """Who wanted a memory, who allowed it, and what they saw.

        Raises ``INVALID_INPUT``, ``ENTRY_NOT_FOUND``.
        """
        return self.call(
            "memory/why",
            WhyParams(
                id=id,
                all_workspaces=all_workspaces,
                session=session,
            ),
            WhyResult,
        )

    def export(
        self,
        *,
        adapter: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> Any:
        """Every memory in view as a portable envelope or in an adapter's format.

        Returns the JSON as it came: what it is depends on the parameters. Raises ``INVALID_INPUT``,
        ``ADAPTER_NOT_FOUND``, ``ADAPTER_PAYLOAD``.
        """
        return self.call(
            "memory/export",
            ExportParams(
                adapter=adapter,
                all_workspaces=all_workspaces,
                session=session,
            ),
            _ANY,
        )

    def import_(
        self,
        *,
        payload: Any = None,
        path: str | None = None,
        adapter: str | None = None,
        dry_run: bool = False,
        work_done_token: str | int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ImportResult:
        """Bring memories in with one question; a dry run only reports.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ADAPTER_NOT_FOUND``, ``ADAPTER_PAYLOAD``.
        """
        return self.call(
            "memory/import",
            ImportParams(
                payload=payload,
                path=path,
                adapter=adapter,
                dry_run=dry_run,
                work_done_token=work_done_token,
                session=session,
            ),
            ImportResult,
        )

    def status(self) -> StatusResult:
        """Health: a write transaction round-trips, counts, paths and versions."""
        return self.call(
            "memory/status",
            StatusParams(),
            StatusResult,
        )

    def proposals_create(
        self,
        *,
        change: dict[str, Any],
        session: SessionRef | Unset | None = UNSET,
    ) -> ProposalsCreateResult:
        """Store a wish without asking anybody now.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``.
        """
        return self.call(
            "proposals/create",
            ProposalsCreateParams(
                change=change,
                session=session,
            ),
            ProposalsCreateResult,
        )

    def proposals_list(
        self,
        *,
        status: ProposalStatus | None = None,
        limit: int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ProposalsListResult:
        """The proposals of the connection's workspaces, oldest first.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "proposals/list",
            ProposalsListParams(
                status=status,
                limit=limit,
                session=session,
            ),
            ProposalsListResult,
        )

    def proposals_get(
        self,
        *,
        id: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> ProposalsGetResult:
        """One proposal with the full question.

        Raises ``INVALID_INPUT``, ``PROPOSAL_NOT_FOUND``.
        """
        return self.call(
            "proposals/get",
            ProposalsGetParams(
                id=id,
                session=session,
            ),
            ProposalsGetResult,
        )

    def proposals_approve(
        self,
        *,
        id: str | None = None,
        hash: str | None = None,
        ids: list[Choice] | None = None,
    ) -> ProposalsApproveResult:
        """Allow a pending proposal, as the question with this hash showed it.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``BUDGET_EXCEEDED``, ``WRITE_DENIED``,
        ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``, ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``,
        ``PROPOSAL_NOT_FOUND``.
        """
        return self.call(
            "proposals/approve",
            ProposalsApproveParams(
                id=id,
                hash=hash,
                ids=ids,
            ),
            ProposalsApproveResult,
        )

    def proposals_dismiss(
        self,
        *,
        id: str | None = None,
        ids: list[Choice] | None = None,
        reason: str | None = None,
    ) -> ProposalsDismissResult:
        """Close a pending proposal without storing it.

        Raises ``INVALID_INPUT``, ``WRITE_DENIED``, ``PROPOSAL_NOT_FOUND``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return self.call(
            "proposals/dismiss",
            ProposalsDismissParams(
                id=id,
                ids=ids,
                reason=reason,
            ),
            ProposalsDismissResult,
        )

    def adapters_list(self) -> AdaptersListResult:
        """The adapters that import and export accept."""
        return self.call(
            "adapters/list",
            AdaptersListParams(),
            AdaptersListResult,
        )

    def adapters_register(
        self,
        *,
        id: str,
        name: str,
        description: str,
        version: str,
        import_formats: list[str],
        export_format: str,
    ) -> AdaptersRegisterResult:
        """Offer an adapter that this client will run.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "adapters/register",
            AdaptersRegisterParams(
                id=id,
                name=name,
                description=description,
                version=version,
                import_formats=import_formats,
                export_format=export_format,
            ),
            AdaptersRegisterResult,
        )

    def adapters_unregister(
        self,
        *,
        id: str,
    ) -> AdaptersUnregisterResult:
        """Withdraw an adapter of this client.

        Raises ``INVALID_INPUT``, ``ADAPTER_NOT_FOUND``.
        """
        return self.call(
            "adapters/unregister",
            AdaptersUnregisterParams(
                id=id,
            ),
            AdaptersUnregisterResult,
        )

    def session_open(
        self,
        *,
        id: str,
        agent_preset: str = "",
        cwd: str | None = None,
        default: bool = False,
    ) -> SessionOpenResult:
        """Register a session; optionally as the connection's default.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "session/open",
            SessionOpenParams(
                id=id,
                agent_preset=agent_preset,
                cwd=cwd,
                default=default,
            ),
            SessionOpenResult,
        )

    def session_close(
        self,
        *,
        id: str,
    ) -> SessionCloseResult:
        """Forget a session; what it wrote stays.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "session/close",
            SessionCloseParams(
                id=id,
            ),
            SessionCloseResult,
        )

    def session_taint(
        self,
        *,
        sources: list[str],
        session: SessionRef | Unset | None = UNSET,
    ) -> SessionTaintResult:
        """Say that this session has read untrusted material: from now on a person is asked each time.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return self.call(
            "session/taint",
            SessionTaintParams(
                sources=sources,
                session=session,
            ),
            SessionTaintResult,
        )

    def as_of(
        self,
        *,
        seq: int | None = None,
        at: int | None = None,
        limit: int | None = None,
        after: str | None = None,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> AsOfResult:
        """Memories and facts as they were after a ledger row, or at a moment.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/asOf",
            AsOfParams(
                seq=seq,
                at=at,
                limit=limit,
                after=after,
                all_workspaces=all_workspaces,
                session=session,
            ),
            AsOfResult,
        )

    def quarantine(
        self,
        *,
        session_id: str,
        reason: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> QuarantineResult:
        """Put what a session wrote out of every read, until it is released. Always asked about.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return self.call(
            "memory/quarantine",
            QuarantineParams(
                session_id=session_id,
                reason=reason,
                session=session,
            ),
            QuarantineResult,
        )

    def release(
        self,
        *,
        session_id: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> QuarantineResult:
        """Bring back what is in quarantine of a session. Always asked about.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return self.call(
            "memory/release",
            ReleaseParams(
                session_id=session_id,
                session=session,
            ),
            QuarantineResult,
        )

    def quarantined(
        self,
        *,
        all_workspaces: bool = False,
        session: SessionRef | Unset | None = UNSET,
    ) -> QuarantinedResult:
        """The sessions of which something is in quarantine.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "memory/quarantined",
            QuarantinedParams(
                all_workspaces=all_workspaces,
                session=session,
            ),
            QuarantinedResult,
        )

    def grants_list(self) -> GrantsListResult:
        """What was allowed for the rest of sessions, in every process.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "grants/list",
            GrantsListParams(),
            GrantsListResult,
        )

    def grants_revoke(
        self,
        *,
        id: str,
    ) -> GrantsRevokeResult:
        """End what was allowed for the rest of a session: its next write is asked about again.

        Raises ``INVALID_INPUT``, ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return self.call(
            "grants/revoke",
            GrantsRevokeParams(
                id=id,
            ),
            GrantsRevokeResult,
        )

    def session_active(self) -> SessionActiveResult:
        """The person is at this client now: other processes' questions come here first.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "session/active",
            SessionActiveParams(),
            SessionActiveResult,
        )

    def approval_shown(
        self,
        *,
        id: str,
    ) -> ApprovalShownResult:
        """A question is on the screen of this client.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "approval/shown",
            ApprovalShownParams(
                id=id,
            ),
            ApprovalShownResult,
        )

    def verbs_recall(
        self,
        *,
        query: str | None = None,
        entity: str | None = None,
        budget_tokens: float | None = None,
        since: str | None = None,
        session_id: str | None = None,
        limit: float | None = None,
        include_expired: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> RecallResult:
        """Retrieve saved facts and, with a query, budget-packed snippets of pages.

        Raises ``invalid_params``, ``internal``.
        """
        return self.call(
            "verbs/recall",
            RecallParams(
                query=query,
                entity=entity,
                budget_tokens=budget_tokens,
                since=since,
                session_id=session_id,
                limit=limit,
                include_expired=include_expired,
                session=session,
            ),
            RecallResult,
        )

    def verbs_remember(
        self,
        *,
        fact: str,
        provenance: str,
        ttl: str | None = None,
        entity: str | None = None,
        kind: FactKind | None = None,
        visibility: Visibility | None = None,
        supersedes: str | None = None,
        dry_run: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> RememberResult | DryRun:
        """Save one fact with mandatory attribution.

        With ``dry_run`` it returns what would be done. Raises ``provenance_required``, ``invalid_params``,
        ``not_found``, ``scope_denied``, ``unavailable``, ``internal``.
        """
        params = RememberParams(
            fact=fact,
            provenance=provenance,
            ttl=ttl,
            entity=entity,
            kind=kind,
            visibility=visibility,
            supersedes=supersedes,
            dry_run=dry_run,
            session=session,
        )
        if dry_run:
            return self.call("verbs/remember", params, DryRun)
        return self.call("verbs/remember", params, RememberResult)

    def verbs_entity(
        self,
        *,
        name: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> EntityResult:
        """The card of one known person, company or project; a miss is no error.

        Raises ``invalid_params``, ``internal``.
        """
        return self.call(
            "verbs/entity",
            EntityParams(
                name=name,
                session=session,
            ),
            EntityResult,
        )

    def verbs_synthesize(
        self,
        *,
        question: str,
        since: str | None = None,
        until: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> SynthesizeResult:
        """[EXPENSIVE / SLOW] Answer a question from several pages with a language model's help.

        Raises ``invalid_params``, ``unavailable``, ``internal``.
        """
        return self.call(
            "verbs/synthesize",
            SynthesizeParams(
                question=question,
                since=since,
                until=until,
                session=session,
            ),
            SynthesizeResult,
        )

    def verbs_forget(
        self,
        *,
        id: str,
        reason: str | None = None,
        dry_run: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ForgetResult | DryRun:
        """Expire a fact by its id; what is expired already is no error.

        With ``dry_run`` it returns what would be done. Raises ``invalid_params``, ``not_found``,
        ``scope_denied``, ``unavailable``, ``internal``.
        """
        params = ForgetParams(
            id=id,
            reason=reason,
            dry_run=dry_run,
            session=session,
        )
        if dry_run:
            return self.call("verbs/forget", params, DryRun)
        return self.call("verbs/forget", params, ForgetResult)

    def verbs_context_pack(
        self,
        *,
        entities: str,
        budget_tokens: float | None = None,
        since: str | None = None,
        session_id: str | None = None,
        include_private: bool | None = None,
        deadline_ms: float | None = None,
        trusted_only: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> ContextPackResult:
        """One budget-packed block for standing entities: cards, open threads, facts.

        Raises ``invalid_params``, ``internal``.
        """
        return self.call(
            "verbs/context_pack",
            ContextPackParams(
                entities=entities,
                budget_tokens=budget_tokens,
                since=since,
                session_id=session_id,
                include_private=include_private,
                deadline_ms=deadline_ms,
                trusted_only=trusted_only,
                session=session,
            ),
            ContextPackResult,
        )

    def verbs_delta(
        self,
        *,
        since: str | None = None,
        since_slug: str | None = None,
        since_fact: str | None = None,
        entities: str | None = None,
        budget_tokens: float | None = None,
        session_id: str | None = None,
        include_private: bool | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> DeltaResult:
        """What changed since an instant, or since this session asked last.

        Raises ``invalid_params``, ``internal``.
        """
        return self.call(
            "verbs/delta",
            DeltaParams(
                since=since,
                since_slug=since_slug,
                since_fact=since_fact,
                entities=entities,
                budget_tokens=budget_tokens,
                session_id=session_id,
                include_private=include_private,
                session=session,
            ),
            DeltaResult,
        )

    def pages_get(
        self,
        *,
        slug: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageResult:
        """One page, whole.

        Raises ``INVALID_INPUT``, ``PAGE_NOT_FOUND``.
        """
        return self.call(
            "pages/get",
            PageGetParams(
                slug=slug,
                session=session,
            ),
            PageResult,
        )

    def pages_list(
        self,
        *,
        prefix: str | None = None,
        type: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> PagesListResult:
        """Pages in slug order.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "pages/list",
            PagesListParams(
                prefix=prefix,
                type=type,
                limit=limit,
                after=after,
                session=session,
            ),
            PagesListResult,
        )

    def pages_search(
        self,
        *,
        query: str,
        limit: int | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> PagesSearchResult:
        """Pages that match words, best first.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "pages/search",
            PagesSearchParams(
                query=query,
                limit=limit,
                session=session,
            ),
            PagesSearchResult,
        )

    def pages_backlinks(
        self,
        *,
        slug: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> BacklinksResult:
        """Links that lead to a page.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "pages/backlinks",
            BacklinksParams(
                slug=slug,
                session=session,
            ),
            BacklinksResult,
        )

    def pages_resolve(
        self,
        *,
        names: list[str],
        session: SessionRef | Unset | None = UNSET,
    ) -> ResolveResult:
        """The slugs that names stand for.

        Raises ``INVALID_INPUT``.
        """
        return self.call(
            "pages/resolve",
            ResolveParams(
                names=names,
                session=session,
            ),
            ResolveResult,
        )

    def pages_put(
        self,
        *,
        slug: str,
        content: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Write a page's file; the person sees the difference.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return self.call(
            "pages/put",
            PagePutParams(
                slug=slug,
                content=content,
                session=session,
            ),
            PageWriteResult,
        )

    def pages_remove(
        self,
        *,
        slug: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Delete a page's file.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return self.call(
            "pages/remove",
            PageRemoveParams(
                slug=slug,
                session=session,
            ),
            PageWriteResult,
        )

    def pages_link(
        self,
        *,
        from_: str,
        to: str,
        type: str = "related",
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Add a typed link to a page.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return self.call(
            "pages/link",
            PageLinkParams(
                from_=from_,
                to=to,
                type=type,
                session=session,
            ),
            PageWriteResult,
        )

    def pages_timeline(
        self,
        *,
        slug: str,
        date: str,
        text: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Add a dated line to a page's timeline.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return self.call(
            "pages/timeline",
            PageTimelineParams(
                slug=slug,
                date=date,
                text=text,
                session=session,
            ),
            PageWriteResult,
        )

    def pages_capture(
        self,
        *,
        text: str,
        session: SessionRef | Unset | None = UNSET,
    ) -> PageWriteResult:
        """Put a dated note into the inbox page of the month.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``, ``PAGE_NOT_FOUND``.
        """
        return self.call(
            "pages/capture",
            CaptureParams(
                text=text,
                session=session,
            ),
            PageWriteResult,
        )

    def pages_trust(
        self,
        *,
        root: str | None = None,
        session: SessionRef | Unset | None = UNSET,
    ) -> PagesTrustResult:
        """Have a person trust the pages of a folder, so that session starts carry them.

        Raises ``INVALID_INPUT``, ``WRITE_REQUIRES_AGENT``, ``WRITE_DENIED``, ``STORE_BUSY``, ``STORE_FULL``,
        ``STORE_READ_ONLY``.
        """
        return self.call(
            "pages/trust",
            PagesTrustParams(
                root=root,
                session=session,
            ),
            PagesTrustResult,
        )

    def pages_reindex(
        self,
        *,
        session: SessionRef | Unset | None = UNSET,
    ) -> ReindexResult:
        """Read every page file anew and bring the index up to date.

        Raises ``INVALID_INPUT``, ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY``.
        """
        return self.call(
            "pages/reindex",
            ReindexParams(
                session=session,
            ),
            ReindexResult,
        )
