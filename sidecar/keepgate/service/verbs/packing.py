"""context_pack: standing entities, their open threads and facts as one block for a model's context."""

import asyncio
import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from attrs import frozen

from keepgate.core.model.fact import Fact, Sight
from keepgate.core.model.times import iso
from keepgate.core.reading.pack import Pack, entity_names, pack_context, without_twins
from keepgate.core.reading.tokens import declared
from keepgate.protocol import verbs as v
from keepgate.protocol.entries import UNSET, SessionParam
from keepgate.protocol.verb_errors import invalid_params
from keepgate.service.context import ReadCtx
from keepgate.service.verbs.asking import moment_of, session_of, shown
from keepgate.service.verbs.sight import reading_sight, writing_author
from keepgate.store.connection import Connection
from keepgate.store.reads.packs import Standing, facts_around, standing

WRITE_OUT_S: Final = 0.01
"""What is kept of a deadline for packing and answering."""
LATE: Final = "deadline_exceeded: {} of {} entities were read"
NO_FACTS: Final = "deadline_exceeded: facts were not read"
BUSY: Final = "deadline_exceeded: the store is busy"


@frozen(kw_only=True)
class _Found:
    """What the store had within the time: a ``reason`` says that this is not all."""

    standing: Standing
    facts: Sequence[Fact]
    reason: str | None = None


_NOTHING: Final = _Found(standing=Standing(cards=(), slugs=(), looked_at=0), facts=(), reason=BUSY)


class Clock:
    """A deadline from now on, in milliseconds; ``None`` is no deadline."""

    def __init__(self, deadline_ms: float | None) -> None:
        self._end_s = math.inf if deadline_ms is None else time.monotonic() + deadline_ms / 1000

    @property
    def left_s(self) -> float:
        """Seconds that are left for reading; negative once it is late."""
        return self._end_s - time.monotonic() - WRITE_OUT_S

    def in_time(self) -> bool:
        """Whether there is time for another step."""
        return self.left_s > 0


@frozen(kw_only=True)
class _Search:
    """What to look for, and until when."""

    sight: Sight
    names: Sequence[str]
    now_ms: int
    clock: Clock
    trusted_only: bool


async def context_pack(ctx: ReadCtx, params: v.ContextPackParams) -> v.ContextPackResult:
    """VERBS-context_pack. Past its deadline a part comes back, with the reason."""
    clock = Clock(_deadline(params.deadline_ms))
    now_ms = ctx.stamp().now_ms
    since_ms, session_id = moment_of(params.since, now_ms), session_of(params.session_id)
    sight = reading_sight(ctx, params.session, world_only=not params.include_private)
    names, budget = entity_names(params.entities), declared(params.budget_tokens)
    find = _Search(
        sight=sight, names=names, now_ms=now_ms, clock=clock, trusted_only=bool(params.trusted_only)
    )
    found = await _found(ctx, find)
    pack = pack_context(
        found.standing.cards,
        without_twins(found.facts),
        since=None if since_ms is None else iso(since_ms),
        budget=budget,
    )
    if pack.block.text:
        ctx.after_reply(partial(_note, ctx, params.session, session_id, sight, pack))
    return _result(names, pack, budget, found.reason)


def _deadline(deadline_ms: float | None) -> float | None:
    if deadline_ms is not None and not (math.isfinite(deadline_ms) and deadline_ms > 0):
        raise invalid_params("deadline_ms is no time", "Give a positive number of milliseconds.")
    return deadline_ms


async def _found(ctx: ReadCtx, find: _Search) -> _Found:
    reading = ctx.store.reading.run(_read, find, instant=True)
    if find.clock.left_s == math.inf:
        return await reading
    try:
        async with asyncio.timeout(max(find.clock.left_s, 0)):
            return await reading
    except TimeoutError:
        # A journal that lets writers hold readers up; what was begun ends by itself.
        return _NOTHING


def _read(db: Connection, find: _Search) -> _Found:
    names, in_time = find.names, find.clock.in_time
    known = standing(
        db, find.sight, names, now_ms=find.now_ms, trusted_only=find.trusted_only, in_time=in_time
    )
    if known.looked_at < len(names):
        return _Found(standing=known, facts=(), reason=LATE.format(known.looked_at, len(names)))
    if not in_time():
        return _Found(standing=known, facts=(), reason=NO_FACTS)
    return _Found(standing=known, facts=facts_around(db, find.sight, known.slugs, now_ms=find.now_ms))


async def _note(
    ctx: ReadCtx, session: SessionParam, session_id: str | None, sight: Sight, pack: Pack
) -> None:
    """Have the ledger say what a model was shown (DSH-6)."""
    author = writing_author(ctx, session)
    await ctx.store.evidence.note_shown(
        workspace_key=author.workspace_key,
        homes=sight.homes - {""},
        agent_key=author.agent_key,
        session_id=session_id or author.session_id,
        text=pack.block.text,
        items=sum(pack.block.kept),
        stamp=ctx.stamp(),
    )


def _result(names: list[str], pack: Pack, budget: int | None, reason: str | None) -> v.ContextPackResult:
    return v.ContextPackResult(
        entities=names,
        cards=[_card(card) for card in pack.cards],
        open_threads=list(pack.threads),
        facts=shown(pack.facts),
        text=pack.block.text,
        degraded_reason=UNSET if reason is None else reason,
        budget_tokens=UNSET if budget is None else budget,
        budget_used=UNSET if budget is None else pack.block.used,
        dropped_count=UNSET if budget is None else pack.block.dropped,
    )


def _card(card: v.Card) -> v.PackCard:
    return v.PackCard(
        slug=card.entity.slug,
        title=card.entity.title,
        type=card.entity.type,
        summary=card.summary,
        open_threads=card.open_threads,
        edges=card.edges,
        backlink_count=card.backlink_count,
    )
