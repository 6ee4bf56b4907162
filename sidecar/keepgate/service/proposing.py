"""The operations ``proposals/*``: the inbox of a connection's workspaces."""

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.change import homes_of
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.preview import current_question
from keepgate.protocol import proposals as p
from keepgate.protocol.entries import PAGE_LIMIT_MAX
from keepgate.protocol.errors import Fault, proposal_not_found
from keepgate.service.context import DecideCtx, ReadCtx, WriteCtx
from keepgate.service.drafts import proposed_change
from keepgate.service.reading import limit_of
from keepgate.store import reads


async def create(ctx: WriteCtx, params: p.ProposalsCreateParams) -> p.ProposalsCreateResult:
    """Store a wish for later; it is planned now, so that a wish that cannot come true is refused at once."""
    author = ctx.writing_author(params.session)
    change = proposed_change(params.change, author, ctx.connection.keys)
    stored = await ctx.gate.create(change, author, ctx.connection.asker)
    return p.ProposalsCreateResult(proposal=stored.shown())


async def list_proposals(ctx: ReadCtx, params: p.ProposalsListParams) -> p.ProposalsListResult:
    """Oldest first."""
    viewer = ctx.viewer(params.session)
    found = await ctx.store.reading.run(
        lambda db: reads.proposals(db, viewer, params.status, limit_of(params.limit, PAGE_LIMIT_MAX)),
        instant=True,
    )
    return p.ProposalsListResult(proposals=[stored.shown() for stored in found])


async def get(ctx: ReadCtx, params: p.ProposalsGetParams) -> p.ProposalsGetResult:
    """The proposal and, while it is pending, the question as it would be put now."""
    stored = await in_sight(ctx, ctx.viewer(params.session), params.id)
    if stored.status is not p.ProposalStatus.PENDING:
        return p.ProposalsGetResult(proposal=stored.shown(), ask=None)
    try:
        budgets = ctx.rules_for(homes_of(stored.change, stored.author)).settings.budgets
        ask = await current_question(ctx.store, stored, budgets, ctx.stamp())
    except Fault as fault:
        return p.ProposalsGetResult(
            proposal=stored.shown(), ask=None, problem=f"{fault.code}: {fault.message}"
        )
    return p.ProposalsGetResult(proposal=stored.shown(), ask=ask)


async def approve(ctx: DecideCtx, params: p.ProposalsApproveParams) -> p.ProposalsApproveResult:
    """Yes, to the content that the hash names."""
    await in_sight(ctx, ctx.viewer(None), params.id)
    stored, receipt = await ctx.gate.approve(params.id, params.hash, ctx.connection.asker)
    return p.ProposalsApproveResult(proposal=stored.shown(), seqs=list(receipt.seqs))


async def dismiss(ctx: DecideCtx, params: p.ProposalsDismissParams) -> p.ProposalsDismissResult:
    """No; the wish is closed and the ledger says so."""
    await in_sight(ctx, ctx.viewer(None), params.id)
    stored = await ctx.gate.dismiss(params.id, ctx.connection.asker, reason=params.reason)
    return p.ProposalsDismissResult(proposal=stored.shown())


async def in_sight(ctx: ReadCtx, viewer: Viewer, proposal_id: str) -> StoredProposal:
    """The proposal, if this viewer may see it. Raises ``PROPOSAL_NOT_FOUND``, also for those out of sight."""
    stored = await ctx.store.reading.run(lambda db: reads.proposal(db, proposal_id))
    if stored is None or not _seen(viewer, stored):
        raise proposal_not_found(proposal_id)
    return stored


def _seen(viewer: Viewer, stored: StoredProposal) -> bool:
    of_agent = viewer.agent_key is None or stored.author.agent_key in ("", viewer.agent_key)
    of_workspace = viewer.workspaces is None or stored.workspace_key in ("", *viewer.workspaces)
    return of_agent and of_workspace
