"""The operation ``memory/purge``."""

from keepgate.gate.purging_pages import PageRoot
from keepgate.protocol import entries as e
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.service.context import WriteCtx
from keepgate.service.pages.places import roots_of


async def purge(ctx: WriteCtx, params: e.PurgeParams) -> e.PurgeResult:
    """Local callers only: what it asks about is the whole store's, whatever the workspace."""
    author = ctx.writing_author(params.session)
    if ctx.connection.remote:
        raise invalid_input(Problem("$", "purging is for local callers"))
    homes = dict.fromkeys((author.workspace_key, "")) if params.pages else ()
    roots = [
        PageRoot(home=root.home, folder=root.folder) for home in homes for root in await roots_of(ctx, home)
    ]
    rules = ctx.rules_for(ctx.connection.keys)
    done = await ctx.gate.purging.run(params.text, author, ctx.connection.asker, rules, roots)
    return e.PurgeResult(
        removed=dict(done.removed),
        files_searched=done.files_searched,
        clean=done.clean,
        held=list(done.held),
        backups=list(done.backups),
        rewritten=list(done.rewritten),
    )
