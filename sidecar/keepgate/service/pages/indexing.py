"""Keeping the index of pages up to date: reading it all anew, and what is wrong with files."""

from collections.abc import Collection

from keepgate.core.model.fact import sight_of
from keepgate.protocol import pages as p
from keepgate.service.context import ReadCtx
from keepgate.service.pages.homes import homes_in_sight
from keepgate.service.threads import in_thread
from keepgate.store.open import Store
from keepgate.store.reads import pages as reads
from keepgate.store.reads.pages import FileProblem


async def reindex(ctx: ReadCtx, params: p.ReindexParams) -> p.ReindexResult:
    """Read every page file of the session's workspace, or of all of the connection's, and the user's own.

    Pages whose text is as it was keep the time of their change. Cancelled, it stops between files.
    """
    author = ctx.author(params.session)
    keys = (author.viewer.workspaces if author is not None else None) or ctx.connection.keys
    sight = sight_of(keys, world_only=ctx.connection.remote)
    ctx.progress.begin("Indexing pages")
    try:
        homes = homes_in_sight(await in_thread(ctx.pages.homes), keys)
        outcome = await ctx.pages.reindex(homes, ctx.progress.report)
    finally:
        ctx.progress.end()
    counts = await ctx.store.reading.run(reads.page_counts, sight)
    problems = [] if ctx.connection.remote else await problems_in_sight(ctx.store, keys)
    return p.ReindexResult(
        pages=counts.pages,
        # Private pages are counted in these.
        changed=None if ctx.connection.remote else outcome.changed,
        removed=None if ctx.connection.remote else outcome.removed,
        problems=problems,
    )


async def problems_in_sight(store: Store, keys: Collection[str]) -> list[p.PageProblem]:
    """What is wrong with page files of these workspaces and of the user."""
    found = await store.reading.run(reads.page_problems, sight_of(keys, world_only=False))
    return [problem_of(each) for each in found]


def problem_of(found: FileProblem) -> p.PageProblem:
    """A problem as clients see it."""
    path = f"{found.root}/{found.path}" if found.path else found.root
    return p.PageProblem(path=path, line=found.line, problem=found.problem)
