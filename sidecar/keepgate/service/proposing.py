"""The operations ``proposals/*``: the inbox of a connection's workspaces."""

from typing import Final

from keepgate.core.model.viewer import Viewer
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
    viewer = ctx.viewer(ctx.author(params.session))
    limit, now_ms = limit_of(params.limit, PAGE_LIMIT_MAX), ctx.stamp().now_ms
    found = await ctx.store.reading.run(
        lambda db: reads.proposals(db, viewer, params.status, limit, now_ms), instant=True
    )
    return p.ProposalsListResult(proposals=found)


async def get(ctx: ReadCtx, params: p.ProposalsGetParams) -> p.ProposalsGetResult:
    """The proposal and, while it is pending, the question as it would be put now."""
    shown = await _in_sight(ctx, ctx.viewer(ctx.author(params.session)), params.id)
    if shown.status is not p.ProposalStatus.PENDING:
        return p.ProposalsGetResult(proposal=shown, ask=None)
    stored = await ctx.store.reading.run(reads.proposal, params.id)
    if stored is None:
        return p.ProposalsGetResult(proposal=shown, ask=None, problem=_UNKNOWN)
    try:
        budgets = ctx.rules_for(stored.homes).settings.budgets
        ask = await current_question(ctx.store, ctx.page_files, stored, budgets, ctx.stamp())
    except Fault as fault:
        return p.ProposalsGetResult(proposal=shown, ask=None, problem=f"{fault.code}: {fault.message}")
    return p.ProposalsGetResult(proposal=shown, ask=ask)


_UNKNOWN: Final = "it was stored by another version of keepgate, which can decide it"


async def approve(ctx: DecideCtx, params: p.ProposalsApproveParams) -> p.ProposalsApproveResult:
    """Yes, to the content that the hash names."""
    await _in_sight(ctx, ctx.viewer(None), params.id)
    stored, receipt = await ctx.gate.approve(params.id, params.hash, ctx.connection.asker)
    return p.ProposalsApproveResult(proposal=stored.shown(), seqs=list(receipt.seqs))


async def dismiss(ctx: DecideCtx, params: p.ProposalsDismissParams) -> p.ProposalsDismissResult:
    """No; the wish is closed and the ledger says so."""
    await _in_sight(ctx, ctx.viewer(None), params.id)
    stored = await ctx.gate.dismiss(params.id, ctx.connection.asker, reason=params.reason)
    return p.ProposalsDismissResult(proposal=stored.shown())


async def _in_sight(ctx: ReadCtx, viewer: Viewer, proposal_id: str) -> p.Proposal:
    """The proposal, if this viewer may see it. Raises ``PROPOSAL_NOT_FOUND``, also for those out of sight."""
    now_ms = ctx.stamp().now_ms
    shown = await ctx.store.reading.run(reads.visible_proposal, viewer, proposal_id, now_ms)
    if shown is None:
        raise proposal_not_found(proposal_id)
    return shown
