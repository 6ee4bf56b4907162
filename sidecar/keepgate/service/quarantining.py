"""``memory/quarantine``, ``memory/release`` and ``memory/quarantined``."""

from typing import assert_never

from keepgate.core.model.entry import session_problems, text_problems
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.change import Quarantine, Release
from keepgate.core.writing.mutation import FactStep, Mutation, PageStep
from keepgate.core.writing.page_steps import is_open
from keepgate.gate.receipt import Receipt
from keepgate.protocol import looking_back as back
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.service.context import ReadCtx, WriteCtx
from keepgate.service.reading import fact_state
from keepgate.store.connection import Connection
from keepgate.store.quarantine import Held, held, reasons


async def quarantine(ctx: WriteCtx, params: back.QuarantineParams) -> back.QuarantineResult:
    """Everything in sight that the session wrote last goes out of every read, after a yes."""
    problems = session_problems(params.session_id, "$.sessionId")
    if params.reason is not None:
        problems += text_problems(params.reason, "$.reason")
        if units(params.reason) > back.QUARANTINE_REASON_UNITS_MAX:
            problems.append(
                Problem("$.reason", f"must have at most {back.QUARANTINE_REASON_UNITS_MAX} units")
            )
    if problems:
        raise invalid_input(*problems)
    change = Quarantine(session_id=params.session_id, reason=params.reason, world_only=ctx.connection.remote)
    author = ctx.writing_author(params.session)
    return _told(ctx, await ctx.gate.submit(change, author, ctx.connection.asker))


async def release(ctx: WriteCtx, params: back.ReleaseParams) -> back.QuarantineResult:
    """What is in quarantine of the session comes back as it was, after a yes."""
    if problems := session_problems(params.session_id, "$.sessionId"):
        raise invalid_input(*problems)
    change = Release(session_id=params.session_id, world_only=ctx.connection.remote)
    author = ctx.writing_author(params.session)
    return _told(ctx, await ctx.gate.submit(change, author, ctx.connection.asker))


def _told(ctx: WriteCtx, receipt: Receipt) -> back.QuarantineResult:
    now_ms = ctx.stamp().now_ms
    return back.QuarantineResult(
        entries=[step.entry for step in receipt.steps],
        facts=[fact_state(step.after, now_ms) for step in receipt.facts],
        pages=[step.slug for step in receipt.pages],
    )


async def quarantined(ctx: ReadCtx, params: back.QuarantinedParams) -> back.QuarantinedResult:
    """The sessions of which something in sight is in quarantine."""
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)

    def look(db: Connection) -> tuple[list[Held], dict[str, str | None]]:
        found = [item for item in held(db) if _sees(viewer, item)]
        return found, reasons(db, {item.proposal_id for item in found if item.proposal_id})

    found, why = await ctx.store.reading.run(look)
    sessions: dict[str, list[Held]] = {}
    for item in found:
        sessions.setdefault(item.session_id, []).append(item)
    return back.QuarantinedResult(
        sessions=[
            back.QuarantinedSession(
                session_id=session_id,
                seq=items[0].found.seq,
                ts=items[0].ts,
                reason=why.get(items[0].proposal_id or ""),
                entries=sum(isinstance(item.found.step, Mutation) for item in items),
                facts=sum(isinstance(item.found.step, FactStep) for item in items),
                pages=sum(isinstance(item.found.step, PageStep) for item in items),
            )
            for session_id, items in sessions.items()
        ]
    )


def _sees(viewer: Viewer, item: Held) -> bool:
    match item.found.step:
        case Mutation(entry=entry):
            return viewer.sees(entry)
        case FactStep(after=fact):
            return viewer.sees_fact(fact)
        case PageStep(home=home) as step:
            return viewer.sees_keys((home,) if home else (), "") and (not viewer.world_only or is_open(step))
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(item.found.step)
