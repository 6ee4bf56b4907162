"""The reads of the provider. None of them changes what a memory says; sight is applied in the store's SQL."""

from keepgate.core.model.entry import clean_tags
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Viewer
from keepgate.core.reading.render import render_snapshot
from keepgate.core.writing.change import new_texts
from keepgate.protocol import entries as e
from keepgate.protocol.entries import AUDIT_LIMIT_DEFAULT, PAGE_LIMIT_MAX, Unset, Usage
from keepgate.protocol.errors import Problem, entry_not_found, invalid_input
from keepgate.service.context import ReadCtx
from keepgate.store import reads

LIST_LIMIT_DEFAULT = 100


def limit_of(limit: int | None, default: int) -> int:
    """A page size: the default when absent, 1,000 at most. Raises ``INVALID_INPUT`` below 1."""
    if limit is None:
        return min(default, PAGE_LIMIT_MAX)
    if limit < 1:
        raise invalid_input(Problem("$.limit", "must be at least 1"))
    return min(limit, PAGE_LIMIT_MAX)


async def query(ctx: ReadCtx, params: e.QueryParams) -> e.QueryResult:
    """DSH-4. The order is decided before the hits are counted; only a session's query counts."""
    viewer = ctx.viewer(params.session, all_workspaces=params.all_workspaces)
    tags, problems = clean_tags(params.tags or ())
    if params.offset is not None and params.offset < 0:
        problems.append(Problem("$.offset", "must not be negative"))
    if problems:
        raise invalid_input(*problems)
    entries, total = await ctx.store.reading.run(
        lambda db: reads.query(
            db,
            viewer,
            track=params.track,
            scope=params.scope,
            text=params.text or "",
            tags=tags,
            limit=limit_of(params.limit, ctx.settings.query_limit),
            offset=params.offset or 0,
        )
    )
    if author := ctx.author(params.session):
        await ctx.store.evidence.note_recall(
            viewer_workspace=author.workspace_key,
            agent_key=author.agent_key,
            session_id=author.session_id,
            track=params.track,
            scope=params.scope,
            text=params.text,
            entry_ids=[entry.id for entry in entries],
            stamp=ctx.stamp(),
        )
    shown = (params.offset or 0) + len(entries)
    return e.QueryResult(entries=entries, total=total, truncated=shown < total)


async def get(ctx: ReadCtx, params: e.GetParams) -> e.GetResult:
    """One entry in sight. Raises ``ENTRY_NOT_FOUND``, also for entries out of sight."""
    viewer = ctx.viewer(params.session, all_workspaces=params.all_workspaces)
    entry = await ctx.store.reading.run(lambda db: reads.visible_entry(db, viewer, params.id), instant=True)
    if entry is None:
        raise entry_not_found(track="", scope="", match=params.id)
    return e.GetResult(entry=entry)


async def list_entries(ctx: ReadCtx, params: e.ListParams) -> e.ListResult:
    """Entries in creation order."""
    viewer = ctx.viewer(params.session, all_workspaces=params.all_workspaces)
    if params.after is not None and not (
        params.after.isascii() and params.after.isdigit() and len(params.after) < 19
    ):
        raise invalid_input(Problem("$.after", "must be the next of an earlier page"))
    entries, following = await ctx.store.reading.run(
        lambda db: reads.list_page(
            db,
            viewer,
            track=params.track,
            scope=params.scope,
            limit=limit_of(params.limit, LIST_LIMIT_DEFAULT),
            after=int(params.after) if params.after else None,
        ),
        instant=True,
    )
    return e.ListResult(entries=entries, next=None if following is None else str(following))


async def budgets(ctx: ReadCtx, params: e.BudgetsParams) -> e.BudgetsResult:
    """Four rows in the fixed order; without a session the first folder's (DSH-5)."""
    author = ctx.author(params.session)
    first = ctx.connection.workspaces[0].key if ctx.connection.workspaces else ""
    return e.BudgetsResult(budgets=await usage_rows(ctx, author.workspace_key if author else first))


async def usage_rows(ctx: ReadCtx, workspace_key: str) -> list[Usage]:
    """The four layers of a workspace with their true use."""
    rows = await ctx.store.reading.run(lambda db: reads.usage(db, workspace_key), instant=True)
    limit = ctx.rules_for([workspace_key] if workspace_key else []).settings.budgets.limit
    return [
        Usage(track=track, scope=scope, used=used, limit=limit(track, scope)) for track, scope, used in rows
    ]


async def snapshot(ctx: ReadCtx, params: e.SnapshotParams) -> e.SnapshotResult:
    """The session's block, frozen at its first request per workspace, agent and session id (DSH-6)."""
    author = ctx.author(params.session)
    if author is None:
        raise invalid_input(Problem("$.session", "is missing"), shape=isinstance(params.session, Unset))
    frozen = await ctx.store.reading.run(
        lambda db: reads.frozen_snapshot(db, author.workspace_key, author.agent_key, author.session_id),
        instant=True,
    )
    if frozen is None:
        entries = await ctx.store.reading.run(lambda db: reads.snapshot_entries(db, author.viewer))
        pending = await _waiting(ctx, author.viewer) if ctx.settings.proposals.in_snapshot else ()
        frozen = await ctx.store.evidence.freeze_snapshot(
            workspace_key=author.workspace_key,
            agent_key=author.agent_key,
            session_id=author.session_id,
            text=render_snapshot(entries, await usage_rows(ctx, author.workspace_key), pending),
            entries=len(entries),
            stamp=ctx.stamp(),
        )
    text, count, frozen_at = frozen
    return e.SnapshotResult(text=text, entries=count, frozen_at=frozen_at)


async def _waiting(ctx: ReadCtx, viewer: Viewer) -> list[str]:
    """What waits to be stored, with the kind of its change; a wish to remove has nothing to show here."""
    now_ms = ctx.stamp().now_ms
    pending = await ctx.store.reading.run(
        lambda db: reads.pending_proposals(db, viewer, PAGE_LIMIT_MAX, now_ms)
    )
    limit = ctx.settings.proposals.max_text_units
    texts = ((stored.kind, text) for stored in pending for text in new_texts(stored.change))
    return [f"{kind}: {text}" for kind, text in texts if units(text) <= limit]


async def audit(ctx: ReadCtx, params: e.AuditParams) -> e.AuditResult:
    """Ledger rows in sight, newest first (DSH-6)."""
    viewer = ctx.viewer(params.session, all_workspaces=params.all_workspaces)
    limit = limit_of(params.limit, AUDIT_LIMIT_DEFAULT)
    rows = await ctx.store.reading.run(
        lambda db: reads.audit(
            db,
            viewer,
            limit=limit + 1,
            before=params.before,
            action=params.action,
            entry_id=params.entry_id,
            session_id=params.session_id,
        )
    )
    page = rows[:limit]
    return e.AuditResult(rows=page, next=page[-1].seq if len(rows) > limit else None)


async def history(ctx: ReadCtx, params: e.HistoryParams) -> e.HistoryResult:
    """Every state an entry in sight had, oldest first; also after it was removed."""
    viewer = ctx.viewer(params.session, all_workspaces=params.all_workspaces)
    versions = await ctx.store.reading.run(
        lambda db: reads.history(db, params.id) if reads.ever_seen(db, viewer, params.id) else []
    )
    if not versions:
        raise entry_not_found(track="", scope="", match=params.id)
    return e.HistoryResult(versions=versions)


async def why(ctx: ReadCtx, params: e.WhyParams) -> e.WhyResult:
    """The chain from an entry to the approvals, sessions and clients behind it."""
    viewer = ctx.viewer(params.session, all_workspaces=params.all_workspaces)
    chain = await ctx.store.reading.run(
        lambda db: reads.why(db, params.id) if reads.ever_seen(db, viewer, params.id) else []
    )
    if not chain:
        raise entry_not_found(track="", scope="", match=params.id)
    entry = await ctx.store.reading.run(lambda db: reads.visible_entry(db, viewer, params.id))
    return e.WhyResult(entry=entry, chain=chain)
