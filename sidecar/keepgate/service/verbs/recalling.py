"""recall: facts, and with a query the pages that match it."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from keepgate.core.model.fact import Fact, Sight
from keepgate.core.model.times import iso, iso_or_none
from keepgate.core.reading.matching import Query, holds, query_of
from keepgate.core.reading.rank import create_safety
from keepgate.core.reading.tokens import declared, estimate, pack
from keepgate.protocol import verbs as v
from keepgate.protocol.entries import UNSET
from keepgate.service.context import ReadCtx
from keepgate.service.verbs.asking import moment_of, session_of
from keepgate.service.verbs.sight import reading_sight
from keepgate.store import retrievals
from keepgate.store.connection import Connection
from keepgate.store.reads.facts import FactFilter, newest_facts
from keepgate.store.reads.resolve import resolve
from keepgate.store.reads.search import PageHit, search_facts, search_pages

BY_KEYWORDS: Final = "keyword_only_no_embedding_provider"

EXPIRED_LOOKED_AT: Final = 500
"""What has expired is in no index: among so many of the newest facts it is looked for by its words."""


@frozen(kw_only=True)
class _Wish:
    """What a request asks for. ``text`` is its query, which may hold no word that says anything."""

    sight: Sight
    text: str | None
    query: Query | None
    entity: str | None
    since_ms: int | None
    session_id: str | None
    with_expired: bool
    limit: int
    floor: float
    now_ms: int


@frozen(kw_only=True)
class _Found:
    facts: Sequence[Fact]
    pages: Sequence[PageHit]


async def recall(ctx: ReadCtx, params: v.RecallParams) -> v.RecallResult:
    """VERBS-recall. Facts and pages have a limit each; a budget is spent on facts first."""
    wish = _wish(ctx, params)
    found = await ctx.store.reading.run(_look, wish, instant=wish.text is None)
    budget = declared(params.budget_tokens)
    packed = pack(
        budget,
        [estimate(fact.text) for fact in found.facts],
        [estimate(hit.title) + estimate(hit.chunk) for hit in found.pages],
    )
    facts, pages = found.facts[: packed.kept[0]], found.pages[: packed.kept[1]]
    await _note(ctx, params, wish, pages)
    return v.RecallResult(
        facts=[_shown(fact) for fact in facts],
        total=len(facts),
        results=UNSET if wish.text is None else [_result(hit) for hit in pages],
        search_degraded=UNSET if wish.text is None else BY_KEYWORDS,
        budget_tokens=UNSET if budget is None else budget,
        budget_used=UNSET if budget is None else packed.used,
        dropped_count=UNSET if budget is None else packed.dropped,
    )


def limit_of(limit: float | None) -> int:
    """A positive whole number, a hundred at most; anything else is the default."""
    if limit is None or limit < 1 or not limit.is_integer():
        return v.VERB_LIMIT_DEFAULT
    return min(int(limit), v.VERB_LIMIT_MAX)


def _wish(ctx: ReadCtx, params: v.RecallParams) -> _Wish:
    now_ms = ctx.stamp().now_ms
    text = (params.query or "").strip() or None
    return _Wish(
        sight=reading_sight(ctx, params.session),
        text=text,
        query=None if text is None else query_of(text),
        entity=(params.entity or "").strip() or None,
        since_ms=moment_of(params.since, now_ms),
        session_id=session_of(params.session_id),
        with_expired=bool(params.include_expired) and not ctx.connection.remote,
        limit=limit_of(params.limit),
        floor=ctx.settings.facts.score_floor,
        now_ms=now_ms,
    )


def _look(db: Connection, wish: _Wish) -> _Found:
    pages: Sequence[PageHit] = ()
    if wish.text is not None:
        pages = search_pages(db, wish.sight, wish.text, wish.query, limit=wish.limit, floor=wish.floor)
    return _Found(facts=_facts(db, wish), pages=pages)


def _facts(db: Connection, wish: _Wish) -> list[Fact]:
    """Without a query the newest; with one what matches, and of an entity then the rest of its facts."""
    wanted = FactFilter(
        now_ms=wish.now_ms,
        entities=None if wish.entity is None else _entities(db, wish.sight, wish.entity),
        since_ms=wish.since_ms,
        session_id=wish.session_id,
        with_expired=wish.with_expired,
    )
    if wish.text is None:
        return newest_facts(db, wish.sight, wanted, wish.limit)
    matching: list[Fact] = []
    if wish.query is not None:
        matching = search_facts(db, wish.sight, wish.query, wanted, limit=wish.limit, floor=wish.floor)
    shown = {fact.id for fact in matching}
    others = [fact for fact in _others(db, wish, wanted) if fact.id not in shown]
    return [*matching, *others][: wish.limit]


def _others(db: Connection, wish: _Wish, wanted: FactFilter) -> list[Fact]:
    """What comes behind the facts that the index found: the rest of an entity, and what is in no index."""
    if wish.entity is not None:
        return newest_facts(db, wish.sight, wanted, wish.limit)
    if not wish.with_expired or wish.query is None:
        return []
    newest = newest_facts(db, wish.sight, wanted, EXPIRED_LOOKED_AT)
    return [fact for fact in newest if not fact.is_active(wish.now_ms) and holds(wish.query, fact.text)]


def _entities(db: Connection, sight: Sight, name: str) -> tuple[str, ...]:
    # What names nothing, such as a wildcard, has no facts: it is taken as it stands, and is no error.
    return resolve(db, sight, name).slugs


async def _note(ctx: ReadCtx, params: v.RecallParams, wish: _Wish, pages: Sequence[PageHit]) -> None:
    """What a recall leaves behind: when its pages were handed out, and that a session was answered."""
    handed_out = [(hit.home, hit.slug) for hit in pages]
    if handed_out and not ctx.store.read_only:
        due = await ctx.store.reading.run(retrievals.due, handed_out, wish.now_ms, instant=True)
        retrievals.note(ctx.store.derived, due, wish.now_ms)
    author = ctx.author(params.session)
    if author is not None:
        await ctx.store.evidence.note_recall(
            viewer_workspace=author.workspace_key,
            agent_key=author.agent_key,
            session_id=author.session_id,
            track=None,
            scope=None,
            text=wish.text,
            entry_ids=(),
            stamp=ctx.stamp(),
            wait_ms=0,
        )


def _result(hit: PageHit) -> v.RecallResultItem:
    return v.RecallResultItem(
        slug=hit.slug,
        title=hit.title,
        chunk=hit.chunk,
        evidence=hit.evidence,
        create_safety=create_safety(hit.evidence),
        provenance=hit.slug,
        source_id=hit.home,
    )


def _shown(fact: Fact) -> v.RecallFact:
    saved = iso(fact.created_at)
    return v.RecallFact(
        id=fact.id,
        fact_id=fact.fact_id,
        fact=fact.text,
        kind=fact.kind,
        entity_slug=fact.entity,
        visibility=fact.visibility,
        valid_from=saved,
        valid_until=iso_or_none(fact.valid_until),
        expired_at=iso_or_none(fact.expired_at),
        superseded_by=fact.superseded_by,
        source=fact.provenance,
        provenance=fact.provenance,
        source_session=fact.session_id,
        source_id=fact.home,
        created_at=saved,
    )
