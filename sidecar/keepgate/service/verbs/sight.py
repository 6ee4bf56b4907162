"""Whose facts and pages a verb is about, and what its caller may see of them."""

from attrs import evolve

from keepgate.core.model.fact import Sight, sight_of
from keepgate.core.model.viewer import Author
from keepgate.protocol.entries import SessionParam
from keepgate.protocol.verb_errors import invalid_params
from keepgate.service.context import ReadCtx
from keepgate.store.facts import fact

_NO_HOME = "Open a workspace folder, give `session.cwd`, or set `facts.home` to `user`."


def reading_sight(ctx: ReadCtx, session: SessionParam, *, world_only: bool | None = None) -> Sight:
    """What a read sees: its session's workspace, or all of the connection's, and always user-global.

    Remote callers see no private facts and pages, whatever ``world_only`` says; local ones do unless it is
    true (VERBS-trust).
    """
    author = ctx.author(session)
    keys = author.viewer.workspaces if author is not None else ctx.connection.keys
    return sight_of(keys or (), world_only=ctx.connection.remote or bool(world_only))


def writing_author(ctx: ReadCtx, session: SessionParam) -> Author:
    """Who writes: the session, or the connection itself where the request names none."""
    author = ctx.author(session)
    if author is not None:
        return author
    first = ctx.connection.workspaces[0].key if ctx.connection.workspaces else ""
    return Author(
        session_id=f"connection-{ctx.connection.asker.connection_id}", agent_key="", workspace_key=first
    )


async def author_for(ctx: ReadCtx, session: SessionParam, fact_id: int | None) -> Author:
    """Who changes a fact: the writing author, in the workspace of the fact.

    Who reads the facts of several workspaces, as a remote caller and a request without a session do, forgets
    and supersedes what it has read in any of them. A local session keeps to its own. Without a fact, or one
    that is elsewhere, it is the writing author as it is.
    """
    author = writing_author(ctx, session)
    if fact_id is None or not (ctx.connection.remote or ctx.author(session) is None):
        return author
    found = await ctx.store.reading.run(fact, fact_id, instant=True)
    if found is None or found.home not in ctx.connection.keys:
        return author
    return evolve(author, workspace_key=found.home)


def home_of(ctx: ReadCtx, author: Author) -> str:
    """Where the facts of an author go: its workspace, or user-global where the settings say so.

    Raises ``invalid_params`` without a workspace: what is meant for one project must not reach all.
    """
    if ctx.settings.facts.home == "user":
        return ""
    if not author.workspace_key:
        raise invalid_params("there is no workspace to keep this in", _NO_HOME)
    return author.workspace_key
