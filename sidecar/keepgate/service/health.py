"""``memory/status`` and ``memory/verify``: whether the store is well, and whether the ledger proves it."""

from typing import Final

from keepgate import __version__
from keepgate.core.model.viewer import Author
from keepgate.protocol import entries as e
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.lifecycle import KeepgateStatus
from keepgate.protocol.naming import camel
from keepgate.service.connection import Connection
from keepgate.service.context import ReadCtx
from keepgate.service.pages.indexing import problems_in_sight
from keepgate.service.verbs.sight import reading_sight
from keepgate.store import reads
from keepgate.store.facts import fact_count
from keepgate.store.open import Store
from keepgate.store.reads.pages import page_counts
from keepgate.store.verify import verify_store

PAGE_PROBLEMS_SHOWN: Final = 20


async def status(ctx: ReadCtx, params: e.StatusParams) -> e.StatusResult:
    """Health means that a write transaction round-trips, not that the process is alive."""
    store = ctx.store
    now_ms = ctx.stamp().now_ms
    counts = await _counts(ctx, now_ms)
    pending = await store.reading.run(
        reads.pending_count, ctx.connection.keys, now_ms, world_only=ctx.connection.remote
    )
    took_ms, problems = await _round_trip(store)
    flawed = await _page_problems(ctx)
    return e.StatusResult(
        health="warning" if flawed and not problems else _health(problems),
        message=_message(problems, flawed, pending),
        version=__version__,
        store_path=store.path,
        store_id=store.id,
        store_version=store.version,
        file_system=store.file_system,
        journal_mode=store.journal_mode,
        counts={camel(name): count for name, count in counts.items()},
        pending_proposals=pending,
        write_round_trip_ms=took_ms,
        workspaces=[
            {"uri": item.uri, "key": item.key, "rule": item.rule} for item in ctx.connection.workspaces
        ],
        problems=[*problems, *flawed],
    )


async def _page_problems(ctx: ReadCtx) -> list[str]:
    """What is wrong with page files, the first of it; their paths are not for remote callers."""
    if ctx.connection.remote:
        return []
    found = await problems_in_sight(ctx.store, ctx.connection.keys)
    lines = [f"{each.path}{f':{each.line}' if each.line else ''}: {each.problem}" for each in found]
    left = len(lines) - PAGE_PROBLEMS_SHOWN
    more = [f"{left} more problems of page files: keepgate reindex"] if left > 0 else []
    return lines[:PAGE_PROBLEMS_SHOWN] + more


async def _counts(ctx: ReadCtx, now_ms: int) -> dict[str, int]:
    """Of the whole store for the local management view, of what is in sight for everybody else."""
    author = ctx.author(e.UNSET)
    sight = reading_sight(ctx, e.UNSET)
    pages = await ctx.store.reading.run(page_counts, sight)
    active = await ctx.store.reading.run(fact_count, sight, now_ms)
    return {**await _memory_counts(ctx, author, now_ms), "facts": active, "pages": pages.pages}


async def _memory_counts(ctx: ReadCtx, author: Author | None, now_ms: int) -> dict[str, int]:
    if author is None and not ctx.connection.remote:
        return await ctx.store.reading.run(reads.counts, now_ms)
    viewer = ctx.viewer(author)
    return await ctx.store.reading.run(
        lambda db: {
            "entries": reads.query(db, viewer, limit=1)[1],
            "pending_proposals": reads.pending_count(
                db, viewer.workspaces, now_ms, world_only=viewer.world_only
            ),
        }
    )


async def glance(store: Store, connections: list[Connection]) -> KeepgateStatus:
    """The short form for ``keepgate/status``: no write transaction, so it can be sent often."""
    keys = frozenset[str]().union(*(connection.keys for connection in connections))
    pending = await store.reading.run(reads.pending_count, keys, store.stamp_maker().now_ms)
    problems = ["the store cannot be written"] if store.read_only else []
    return KeepgateStatus(
        health=_health(problems),
        quiescent=True,
        message=problems[0] if problems else _waiting(pending),
        pending_approvals=pending,
    )


def _health(problems: list[str]) -> str:
    return "error" if problems else "ok"


def _message(problems: list[str], flawed: list[str], pending: int) -> str:
    if problems:
        return problems[0]
    return "files of pages have problems" if flawed else _waiting(pending)


def _waiting(pending: int) -> str:
    return "ok" if not pending else f"{pending} waiting for approval"


async def _round_trip(store: Store) -> tuple[float | None, list[str]]:
    try:
        return await store.round_trip_ms(), []
    except Fault as fault:
        if fault.code is Code.STORE_CORRUPT:
            raise
        return None, [f"{fault.code}: {fault.message}"]


async def verify(ctx: ReadCtx, params: e.VerifyParams) -> e.VerifyResult:
    """The chain holds and a replay of the ledger equals the store (DSH-6)."""
    ctx.progress.begin("Verifying the ledger")
    try:
        return await verify_store(ctx.store, progress=ctx.progress.report)
    finally:
        ctx.progress.end()
