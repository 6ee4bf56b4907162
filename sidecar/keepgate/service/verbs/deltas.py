"""delta: what changed since a moment, or since a session's last wake."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from attrs import frozen

from keepgate.core.model.fact import Sight
from keepgate.core.model.times import iso
from keepgate.core.reading.delta import (
    FACT_ID_DIGITS_MAX,
    Delivery,
    Position,
    deliver,
    earlier,
    latest_page,
    moved,
    resume_fact,
    resume_page,
    with_fact,
    without_fact,
)
from keepgate.core.reading.pack import entity_names, later_than
from keepgate.core.reading.tokens import declared
from keepgate.protocol import verbs as v
from keepgate.protocol.entries import UNSET, Unset
from keepgate.protocol.errors import Fault
from keepgate.protocol.verb_errors import invalid_params
from keepgate.service.context import ReadCtx
from keepgate.service.verbs.asking import moment_of, session_of, shown
from keepgate.service.verbs.sight import reading_sight
from keepgate.store.connection import Connection
from keepgate.store.cursors import SessionKey, Stored, stored
from keepgate.store.reads import deltas
from keepgate.store.reads.packs import standing

LOCAL, REMOTE = "local", "remote"
"""Lanes: a remote client never reads or moves the cursor of a local one."""

RENEW_MS: Final = 3600 * 1000
"""A session that wakes and finds nothing has its cursor renewed after so long, so that it does not expire."""
_NEITHER: Final = "Give since (ISO 8601, or such as `8 hours ago`), or a session_id."
_TOGETHER: Final = "Give since, slug and fact of one next_cursor together."
NOT_STORED: Final = "the position of this session could not be stored"
TOO_SMALL: Final = "nothing fits the budget; what comes next needs a larger budget_tokens, or none"


@frozen(kw_only=True)
class _Wish:
    """What a request asks for; the moment, slug and fact are those that it names itself."""

    sight: Sight
    names: Sequence[str]
    budget: int | None
    since_ms: int | None
    slug: str | None
    fact_id: int | None
    key: SessionKey | None
    now_ms: int


@frozen(kw_only=True)
class _Seen:
    """What the store had, in one look: ``start`` is where the answer begins in each home."""

    stored: Stored
    missing: Mapping[str, Position]
    start: Mapping[str, Position]
    delivery: Delivery
    since_ms: int


async def delta(ctx: ReadCtx, params: v.DeltaParams) -> v.DeltaResult:
    """VERBS-delta. A session's cursor moves when the reply is written out, to what was delivered."""
    wish = _wish(ctx, params)
    if wish.key is None:
        return _result(wish, await ctx.store.reading.run(_look, wish, instant=True))
    cursors = ctx.store.cursors
    end_turn = await cursors.take_turn(wish.key)
    try:
        seen = await ctx.store.reading.run(_look, wish, instant=True)
        # Where a session begins is stored before it hears of it: an earlier place loses nothing.
        reason = await _begin(ctx, wish.key, seen, wish.now_ms) if seen.missing else None
        result = _result(wish, seen, reason)
        ctx.after_reply(partial(_settle, ctx, wish, seen, end_turn), lost=end_turn)
    except BaseException:
        end_turn()
        raise
    return result


def _wish(ctx: ReadCtx, params: v.DeltaParams) -> _Wish:
    now_ms = ctx.stamp().now_ms
    since_ms, session_id = moment_of(params.since, now_ms), session_of(params.session_id)
    if since_ms is None and session_id is None:
        raise invalid_params("there is neither since nor session_id", _NEITHER)
    if since_ms is None and (params.since_slug or params.since_fact):
        raise invalid_params("since_slug and since_fact belong to a since", _TOGETHER)
    slug, fact_id = without_fact(params.since_slug or "")
    named = _fact_id(params.since_fact)
    lane = REMOTE if ctx.connection.remote else LOCAL
    return _Wish(
        sight=reading_sight(ctx, params.session, world_only=not params.include_private),
        names=entity_names(params.entities or ""),
        budget=declared(params.budget_tokens),
        since_ms=since_ms,
        slug=slug or None,
        fact_id=fact_id if named is None else named,
        key=None if session_id is None else SessionKey(lane, session_id),
        now_ms=now_ms,
    )


def _fact_id(since_fact: str | None) -> int | None:
    if since_fact is None or not (text := since_fact.strip()):
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= FACT_ID_DIGITS_MAX):
        raise invalid_params("since_fact is no fact of a next_cursor", "Give the fact of the next_cursor.")
    return int(text)


def _look(db: Connection, wish: _Wish) -> _Seen:
    homes = wish.sight.homes
    there = deltas.present(db, homes)
    known = Stored(positions={}, used_ms=None)
    missing: dict[str, Position] = {}
    if wish.since_ms is not None:
        start = deltas.since(db, homes, wish.since_ms, slug=wish.slug, fact_id=wish.fact_id)
        since_ms = threads_ms = wish.since_ms
    else:
        assert wish.key is not None, "a request without a moment names a session"
        known = stored(db, wish.key, homes, wish.now_ms)
        missing = {home: there[home] for home in homes - known.positions.keys()}
        start = {**known.positions, **missing}
        threads_ms = known.used_ms or wish.now_ms
        since_ms = wish.now_ms if len(missing) == len(start) else latest_page(start)[0] or threads_ms
    # A moment to come, or a store that was put back, must not hide what comes till then.
    start = {home: earlier(position, there[home]) for home, position in start.items()}
    pages = deltas.changed_pages(db, wish.sight, start)
    facts = deltas.new_facts(db, wish.sight, start, wish.now_ms)
    cards = standing(db, wish.sight, wish.names, now_ms=wish.now_ms).cards
    threads = later_than((thread for card in cards for thread in card.open_threads), iso(threads_ms))
    return _Seen(
        stored=known,
        missing=missing,
        start=start,
        delivery=deliver(pages, facts, threads, since=iso(since_ms), budget=wish.budget),
        since_ms=since_ms,
    )


async def _begin(ctx: ReadCtx, key: SessionKey, seen: _Seen, now_ms: int) -> str | None:
    try:
        await ctx.store.cursors.move(key, {**seen.stored.positions, **seen.missing}, now_ms)
    except Fault:
        return NOT_STORED
    return None


async def _settle(ctx: ReadCtx, wish: _Wish, seen: _Seen, end_turn: Callable[[], None]) -> None:
    """Move the session's cursor past what was delivered, and let its next wake go on."""
    try:
        assert wish.key is not None, "only sessions have cursors"
        ends, used_ms = moved(seen.start, seen.delivery), seen.stored.used_ms
        is_stale = used_ms is None or wish.now_ms - used_ms > RENEW_MS
        if is_stale or wish.names or ends != seen.stored.positions:
            await ctx.store.cursors.move(wish.key, ends, wish.now_ms)
    finally:
        end_turn()


def _result(wish: _Wish, seen: _Seen, reason: str | None = None) -> v.DeltaResult:
    delivery = seen.delivery
    return v.DeltaResult(
        since=iso(seen.since_ms),
        pages=[
            v.DeltaPage(
                slug=page.slug, source_id=page.home, title=page.title, updated_at=iso(page.changed_at)
            )
            for page in delivery.pages
        ],
        facts=shown(delivery.facts),
        threads=list(delivery.threads),
        text=delivery.block.text,
        has_more=delivery.has_more,
        next_cursor=_next_cursor(wish, seen),
        degraded_reason=_degraded(wish, delivery, reason),
        budget_tokens=UNSET if wish.budget is None else wish.budget,
        budget_used=UNSET if wish.budget is None else delivery.block.used,
        dropped_count=UNSET if wish.budget is None else delivery.block.dropped,
    )


def _degraded(wish: _Wish, delivery: Delivery, reason: str | None) -> str | Unset:
    """Why this is less than it could be: a budget that nothing fits would stand still in silence."""
    is_empty = not (delivery.pages or delivery.facts or delivery.threads)
    if wish.budget is not None and is_empty and delivery.has_more:
        return TOO_SMALL
    return UNSET if reason is None else reason


def _next_cursor(wish: _Wish, seen: _Seen) -> v.NextCursor:
    """Where a request without a session goes on; it has one place for all homes.

    Its moment is that of the pages. Where facts are left, or may yet be saved before that moment (the stamps
    of many pages lie ahead of the clock), the moment alone would lose them: then the slug carries the fact,
    for clients that pass the contract's two fields on and no third one.
    """
    delivery = seen.delivery
    fact_id = resume_fact(seen.start, delivery)
    since_ms, slug = wish.since_ms, wish.slug or ""
    if delivery.pages or since_ms is None:
        since_ms, slug = resume_page(seen.start, delivery)
        since_ms = since_ms or seen.since_ms
    if delivery.next_fact is not None or since_ms >= wish.now_ms:
        slug = with_fact(slug, fact_id)
    return v.NextCursor(since=iso(since_ms), slug=slug, fact=str(fact_id))
