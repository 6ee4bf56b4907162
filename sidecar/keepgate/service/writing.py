"""The writes of the provider: params to change, change through the gate, receipt to result."""

from keepgate.core.model.entry import session_problems
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Undo, UndoSession
from keepgate.core.writing.mutation import Mutation
from keepgate.core.writing.undoing_session import session_undo
from keepgate.gate.receipt import Receipt
from keepgate.protocol import entries as e
from keepgate.protocol.entries import DEFAULT_SOURCE, Entry, Usage
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.service.context import WriteCtx
from keepgate.service.drafts import WriteParams, change_for, label_is_ours
from keepgate.service.reading import fact_state
from keepgate.store.view import View


async def _submit(ctx: WriteCtx, params: WriteParams) -> Receipt:
    author = ctx.writing_author(params.session)
    change = change_for(params, author, ctx.connection.keys)
    return await ctx.gate.submit(change, author, ctx.connection.asker, label_is_ours=label_is_ours(params))


async def add(ctx: WriteCtx, params: e.AddParams) -> e.AddResult:
    """DSH-3-add."""
    receipt = await _submit(ctx, params)
    return e.AddResult(entry=receipt.steps[0].entry, usage=receipt.usage[0])


async def replace(ctx: WriteCtx, params: e.ReplaceParams) -> e.ReplaceResult:
    """DSH-3-replace."""
    receipt = await _submit(ctx, params)
    step = receipt.steps[0]
    return e.ReplaceResult(previous=_before(step), entry=step.entry, usage=receipt.usage[0])


async def remove(ctx: WriteCtx, params: e.RemoveParams) -> e.RemoveResult:
    """DSH-3-remove."""
    receipt = await _submit(ctx, params)
    return e.RemoveResult(entry=receipt.steps[0].entry, usage=receipt.usage[0])


async def consolidate(ctx: WriteCtx, params: e.ConsolidateParams) -> e.ConsolidateResult:
    """DSH-3-consolidate."""
    receipt = await _submit(ctx, params)
    *removals, insertion = receipt.steps
    return e.ConsolidateResult(
        removed=[_before(step) for step in removals], entry=insertion.entry, usage=receipt.usage[0]
    )


async def seed(ctx: WriteCtx, params: e.SeedParams) -> e.SeedResult:
    """DSH-3-seed."""
    receipt = await _submit(ctx, params)
    return e.SeedResult(added=len(receipt.steps), entries=[step.entry for step in receipt.steps])


async def undo(ctx: WriteCtx, params: e.UndoParams) -> e.UndoResult:
    """The inverse of a change, or of all that a session changed, as a new change with its own question."""
    author = ctx.writing_author(params.session)
    change = _undoing(params, world_only=ctx.connection.remote)
    receipt = await ctx.gate.submit(change, author, ctx.connection.asker)
    return e.UndoResult(
        removed=[step.entry for step in receipt.steps if step.after is None],
        restored=[step.after for step in receipt.steps if step.after is not None],
        usage=list[Usage](receipt.usage),
        facts=[fact_state(step.after, ctx.stamp().now_ms) for step in receipt.facts],
        pages=[step.slug for step in receipt.pages if step.path],
        left=[] if isinstance(change, Undo) else await _left(ctx, change, author),
    )


def _undoing(params: e.UndoParams, *, world_only: bool) -> Undo | UndoSession:
    match params.seq, params.session_id:
        case int() as seq, None:
            return Undo(seq=seq, source=DEFAULT_SOURCE, world_only=world_only)
        case None, str() as session_id:
            if problems := session_problems(session_id, "$.sessionId"):
                raise invalid_input(*problems)
            return UndoSession(session_id=session_id, source=DEFAULT_SOURCE, world_only=world_only)
        case _:
            raise invalid_input(Problem("$", "needs exactly one of seq and sessionId"))


async def _left(ctx: WriteCtx, change: UndoSession, author: Author) -> list[e.UndoLeft]:
    """What the session wrote and what is still so, once its undo is made."""
    stamp = ctx.stamp()
    found = await ctx.store.reading.run(
        lambda db: session_undo(change, author, View(db, ctx.page_files), stamp, limit=0).left
    )
    return [e.UndoLeft(subject=item.subject, seq=item.seq, reason=item.reason) for item in found]


def _before(step: Mutation) -> Entry:
    assert step.before is not None, "a rewriting and a removal have a before"
    return step.before
