"""The operations ``proposals/*``: the inbox of a connection's workspaces."""

from collections.abc import Awaitable
from typing import Final

from keepgate.core.model.viewer import Viewer
from keepgate.gate.preview import current_question
from keepgate.protocol import proposals as p
from keepgate.protocol.entries import PAGE_LIMIT_MAX
from keepgate.protocol.errors import Fault, Problem, invalid_input, proposal_not_found
from keepgate.service.context import AdminCtx, DecideCtx, ReadCtx, WriteCtx
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
    """Yes, to the content that each hash names."""
    if params.ids is not None:
        _require_alone(params.id, params.hash)
        return p.ProposalsApproveResult(
            results=[await _one(each.id, _approved(ctx, each)) for each in _chosen(params.ids)]
        )
    if params.id is None or params.hash is None:
        raise invalid_input(Problem("$", "needs id and hash, or ids"), shape=True)
    done = await _approved(ctx, p.Choice(id=params.id, hash=params.hash))
    return p.ProposalsApproveResult(proposal=done.proposal, seqs=done.seqs)


async def dismiss(ctx: DecideCtx, params: p.ProposalsDismissParams) -> p.ProposalsDismissResult:
    """No; each wish is closed and the ledger says so."""
    if params.ids is not None:
        _require_alone(params.id)
        results = [
            await _one(each.id, _dismissed(ctx, each.id, params.reason)) for each in _chosen(params.ids)
        ]
        return p.ProposalsDismissResult(results=results)
    if params.id is None:
        raise invalid_input(Problem("$", "needs id, or ids"), shape=True)
    return p.ProposalsDismissResult(proposal=(await _dismissed(ctx, params.id, params.reason)).proposal)


async def shown(ctx: AdminCtx, params: p.ApprovalShownParams) -> p.ApprovalShownResult:
    """The client shows a question, so that no other window need be offered it."""
    return p.ApprovalShownResult(open=ctx.connection.asker.prompts.acknowledge(params.id, ctx.store.reach))


async def _approved(ctx: DecideCtx, choice: p.Choice) -> p.Decided:
    await _in_sight(ctx, ctx.viewer(None), choice.id)
    stored, receipt = await ctx.gate.approve(choice.id, choice.hash, ctx.connection.asker)
    return p.Decided(id=choice.id, proposal=stored.shown(), seqs=list(receipt.seqs))


async def _dismissed(ctx: DecideCtx, proposal_id: str, reason: str | None) -> p.Decided:
    await _in_sight(ctx, ctx.viewer(None), proposal_id)
    stored = await ctx.gate.dismiss(proposal_id, ctx.connection.asker, reason=reason)
    return p.Decided(id=proposal_id, proposal=stored.shown())


async def _one(proposal_id: str, deciding: Awaitable[p.Decided]) -> p.Decided:
    """One decision of several: what is wrong with it is no obstacle to the next."""
    try:
        return await deciding
    except Fault as fault:
        return p.Decided(id=proposal_id, error={"code": str(fault.code), "message": fault.message})


def _chosen(choices: list[p.Choice]) -> list[p.Choice]:
    if len(choices) > BATCH_MAX:
        raise invalid_input(Problem("$.ids", f"may have at most {BATCH_MAX} proposals"))
    if len({each.id for each in choices}) < len(choices):
        raise invalid_input(Problem("$.ids", "must name each proposal once"))
    return choices


def _require_alone(*others: str | None) -> None:
    if any(other is not None for other in others):
        raise invalid_input(Problem("$", "takes ids alone, or one id"), shape=True)


BATCH_MAX: Final = 200
"""As many as may wait in a workspace by default."""


async def _in_sight(ctx: ReadCtx, viewer: Viewer, proposal_id: str) -> p.Proposal:
    """The proposal, if this viewer may see it. Raises ``PROPOSAL_NOT_FOUND``, also for those out of sight."""
    now_ms = ctx.stamp().now_ms
    shown = await ctx.store.reading.run(reads.visible_proposal, viewer, proposal_id, now_ms)
    if shown is None:
        raise proposal_not_found(proposal_id)
    return shown
