"""``grants/*``: what people allowed for the rest of sessions, to list and to end; giving is theirs alone."""

from keepgate.core.model.entry import Layer
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.looking_back import (
    GrantInfo,
    GrantsListParams,
    GrantsListResult,
    GrantsRevokeParams,
    GrantsRevokeResult,
)
from keepgate.service.context import AdminCtx
from keepgate.store.grants import Given


async def list_grants(ctx: AdminCtx, params: GrantsListParams) -> GrantsListResult:
    """What holds now in the connection's workspaces, whichever process it was given in."""
    given = await ctx.gate.grants.living(ctx.connection.keys)
    return GrantsListResult(grants=[_info(item) for item in given])


async def revoke(ctx: AdminCtx, params: GrantsRevokeParams) -> GrantsRevokeResult:
    """End one; the session's next write is asked about. It can only tighten, so nobody is asked."""
    connection = ctx.connection
    revoked = await ctx.gate.grants.revoke(params.id, connection.keys, connection.asker)
    return GrantsRevokeResult(revoked=revoked)


def _info(given: Given) -> GrantInfo:
    leave = given.leave
    layer = leave.track and Layer(Track(leave.track), Scope.WORKSPACE, leave.workspace_key).name
    return GrantInfo(
        id=given.id,
        session_id=leave.session_id,
        agent_key=leave.agent_key,
        kind=leave.kind,
        layer=layer,
        workspace_key=leave.workspace_key,
        kept_for=leave.kept_for,
        granted_at=given.granted_at,
        by=given.by,
    )
