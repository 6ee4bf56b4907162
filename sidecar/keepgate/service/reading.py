"""The reads of the provider. None of them changes what a memory says; sight is applied in the store's SQL."""

from collections.abc import Sequence

from keepgate.core.model.entry import clean_tags
from keepgate.core.model.fact import Fact
from keepgate.core.model.text import units
from keepgate.core.reading.render import render_snapshot
from keepgate.core.writing.change import new_texts
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol import entries as e
from keepgate.protocol.entries import AUDIT_LIMIT_DEFAULT, PAGE_LIMIT_MAX, Scope, Track, Unset, Usage
from keepgate.protocol.errors import Problem, entry_not_found, invalid_input
from keepgate.service.context import ReadCtx
from keepgate.store import reads

LIST_LIMIT_DEFAULT = 100


def limit_of(limit: int | None, default: int, *others: Problem) -> int:
    """A page size: the default when absent, 1,000 at most.

    Raises ``INVALID_INPUT`` below 1 and for ``others``, what else is wrong with the request, all together.
    """
    too_small = [Problem("$.limit", "must be at least 1")] if limit is not None and limit < 1 else []
    if problems := [*others, *too_small]:
        raise invalid_input(*problems)
    return min(default if limit is None else limit, PAGE_LIMIT_MAX)


async def query(ctx: ReadCtx, params: e.QueryParams) -> e.QueryResult:
    """DSH-4. The order is decided before the hits are counted; only a session's query counts."""
    author = ctx.author(params.session)
    viewer = ctx.viewer(author, all_workspaces=params.all_workspaces)
    tags, problems = clean_tags(params.tags or ())
    if params.offset is not None and params.offset < 0:
        problems.append(Problem("$.offset", "must not be negative"))
    limit = limit_of(params.limit, ctx.settings.query_limit, *problems)
    entries, total = await ctx.store.reading.run(
        lambda db: reads.query(
            db,
            viewer,
            track=params.track,
            scope=params.scope,
            text=params.text or "",
            tags=tags,
            limit=limit,
            offset=params.offset or 0,
        )
    )
    if author is not None:
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
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)
    entry = await ctx.store.reading.run(lambda db: reads.visible_entry(db, viewer, params.id), instant=True)
    if entry is None:
        raise entry_not_found(track="", scope="", match=params.id)
    return e.GetResult(entry=entry)


async def list_entries(ctx: ReadCtx, params: e.ListParams) -> e.ListResult:
    """Entries in creation order."""
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)
    after = params.after
    foreign = after is not None and not (after.isascii() and after.isdigit() and len(after) < 19)
    problems = [Problem("$.after", "must be the next of an earlier page")] if foreign else []
    limit = limit_of(params.limit, LIST_LIMIT_DEFAULT, *problems)
    entries, following = await ctx.store.reading.run(
        lambda db: reads.list_page(
            db,
            viewer,
            track=params.track,
            scope=params.scope,
            limit=limit,
            after=int(after) if after else None,
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
    rows = await ctx.store.reading.run(reads.usage, workspace_key, instant=True)
    return _limited(ctx, workspace_key, rows)


def _limited(ctx: ReadCtx, workspace_key: str, rows: Sequence[tuple[Track, Scope, int]]) -> list[Usage]:
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
        reads.frozen_snapshot, author.workspace_key, author.agent_key, author.session_id, instant=True
    )
    if frozen is None:
        now_ms, shows_pending = ctx.stamp().now_ms, ctx.settings.proposals.in_snapshot
        entries, used, waiting = await ctx.store.reading.run(
            lambda db: (
                reads.snapshot_entries(db, author.viewer),
                reads.usage(db, author.workspace_key),
                reads.pending_proposals(db, author.viewer, PAGE_LIMIT_MAX, now_ms) if shows_pending else [],
            )
        )
        usage = _limited(ctx, author.workspace_key, used)
        frozen = await ctx.store.evidence.freeze_snapshot(
            workspace_key=author.workspace_key,
            agent_key=author.agent_key,
            session_id=author.session_id,
            text=render_snapshot(entries, usage, _new_texts(ctx, waiting)),
            entries=len(entries),
            stamp=ctx.stamp(),
        )
    text, count, frozen_at = frozen
    return e.SnapshotResult(text=text, entries=count, frozen_at=frozen_at)


def _new_texts(ctx: ReadCtx, waiting: Sequence[StoredProposal]) -> list[str]:
    """What waits to be stored, with the kind of its change; a wish to remove has nothing to show here."""
    limit = ctx.settings.proposals.max_text_units
    texts = ((stored.kind, text) for stored in waiting for text in new_texts(stored.change))
    return [f"{kind}: {text}" for kind, text in texts if units(text) <= limit]


async def audit(ctx: ReadCtx, params: e.AuditParams) -> e.AuditResult:
    """Ledger rows in sight, newest first (DSH-6)."""
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)
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


def fact_state(fact: Fact, now_ms: int) -> e.FactState:
    """A fact as results about changes show it."""
    return e.FactState(id=fact.fact_id, text=fact.text, active=fact.is_active(now_ms))
