"""Who is asking (docs/protocol.md), and the operations ``session/*``."""

from typing import TYPE_CHECKING

from attrs import evolve

from keepgate.core.model.entry import session_problems
from keepgate.core.model.viewer import Author
from keepgate.protocol.entries import SessionParam, SessionRef, Unset
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.lifecycle import (
    SessionActiveParams,
    SessionActiveResult,
    SessionCloseParams,
    SessionCloseResult,
    SessionOpenParams,
    SessionOpenResult,
)
from keepgate.service.connection import Connection, Workspace
from keepgate.service.workspaces import workspace_for

if TYPE_CHECKING:
    from keepgate.service.context import AdminCtx

AGENT_KEY_MAX = 256


def resolve(connection: Connection, session: SessionParam) -> Author | None:
    """The author a request speaks for: its own session, else the connection's default one, else nobody.

    Raises ``INVALID_INPUT`` for a bad id or preset and for a ``cwd`` outside every open folder.
    """
    ref = connection.default_session if isinstance(session, Unset) else session
    if ref is None:
        return None
    merged = _merged(connection, ref)
    workspace = _workspace(connection, merged)
    return Author(
        session_id=merged.id,
        agent_key=(merged.agent_preset or "").strip(),
        workspace_key=workspace.key if workspace else "",
    )


def _merged(connection: Connection, ref: SessionRef) -> SessionRef:
    opened = connection.sessions.get(ref.id)
    if opened is not None:
        ref = evolve(
            ref,
            agent_preset=opened.agent_preset if ref.agent_preset is None else ref.agent_preset,
            cwd=opened.cwd if ref.cwd is None else ref.cwd,
        )
    problems = session_problems(ref.id)
    preset = ref.agent_preset or ""
    if len(preset) > AGENT_KEY_MAX or "\x00" in preset:
        problems.append(
            Problem("$.session.agentPreset", f"must have at most {AGENT_KEY_MAX} characters, no U+0000")
        )
    if problems:
        raise invalid_input(*problems)
    return ref


def _workspace(connection: Connection, ref: SessionRef) -> Workspace | None:
    workspace = workspace_for(ref.cwd, connection.workspaces, identity=connection.identity)
    if workspace is not None and not connection.workspaces:
        connection.session_keys[ref.id] = workspace.key
    return workspace


async def open_session(ctx: "AdminCtx", params: SessionOpenParams) -> SessionOpenResult:
    """Register a session; the answer echoes the workspace it got and the rule that found it."""
    connection = ctx.connection
    ref = _merged(connection, params.ref())
    workspace = _workspace(connection, ref)
    connection.sessions[ref.id] = ref
    if params.default:
        connection.default_session = ref
    return SessionOpenResult(
        workspace_key=workspace.key if workspace else "",
        rule=_rule(ref, workspace),
        agent_key=(ref.agent_preset or "").strip(),
    )


def _rule(ref: SessionRef, workspace: Workspace | None) -> str:
    if workspace is None:
        return "none"
    if ref.cwd is None or workspace.rule != "folder":
        return workspace.rule
    return "folder-containing-cwd"


async def close_session(ctx: "AdminCtx", params: SessionCloseParams) -> SessionCloseResult:
    """Forget a session and what a person allowed for its rest; what it wrote stays."""
    connection = ctx.connection
    known = connection.sessions.pop(params.id, None)
    connection.session_keys.pop(params.id, None)
    if connection.default_session is not None and connection.default_session.id == params.id:
        connection.default_session = None
    await ctx.gate.grants.forget_session(params.id)
    return SessionCloseResult(closed=known is not None)


async def active(ctx: "AdminCtx", _: SessionActiveParams) -> SessionActiveResult:
    """Prefer this process for the questions of others, until another one says the same."""
    if ctx.connection.reachable:
        ctx.store.reach.active()
    return SessionActiveResult(reachable=ctx.connection.reachable)
