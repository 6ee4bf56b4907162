"""entity: the card of a person, company or project, or the nearest misses."""

import time
from typing import Final

from keepgate.core.model.fact import Sight
from keepgate.core.reading.matching import query_of
from keepgate.core.reading.rank import create_safety
from keepgate.protocol import verbs as v
from keepgate.protocol.entries import UNSET, Unset
from keepgate.protocol.verb_errors import invalid_params
from keepgate.service.context import ReadCtx
from keepgate.service.verbs.sight import reading_sight
from keepgate.store.connection import Connection
from keepgate.store.reads.entities import entity_card, has_facts
from keepgate.store.reads.resolve import Resolution
from keepgate.store.reads.search import search_pages

SUGGESTIONS_MAX: Final = 3

_NO_NAME: Final = "Give an alias, a title, a slug or the end of one, such as people/alice."


async def entity(ctx: ReadCtx, params: v.EntityParams) -> v.EntityResult:
    """VERBS-entity. Never an error for a name that nothing bears; ``latency_ms`` is this function's own."""
    begun = time.perf_counter()
    if not params.name.strip():
        raise invalid_params("name is blank", _NO_NAME)
    sight, now_ms = reading_sight(ctx, params.session), ctx.stamp().now_ms
    found, card = await ctx.store.reading.run(entity_card, sight, params.name, now_ms, instant=True)
    suggestions: list[v.Suggestion] | Unset
    if card is not None:
        suggestions = _others(found) or UNSET
    else:
        suggestions = await ctx.store.reading.run(
            near_misses, sight, params.name, found.slug, ctx.settings.facts.score_floor, now_ms
        )
    return v.EntityResult(
        found=card is not None,
        latency_ms=round((time.perf_counter() - begun) * 1000),
        card=UNSET if card is None else card,
        suggestions=suggestions,
    )


def near_misses(
    db: Connection, sight: Sight, name: str, slug: str, floor: float, now_ms: int
) -> list[v.Suggestion]:
    """What a name without a page may mean: its slug where facts stand under it, then pages by words."""
    filed = slug and has_facts(db, sight, slug, now_ms)
    own = [v.Suggestion(slug=slug, title=slug, create_safety=v.CreateSafety.UNKNOWN)] if filed else []
    hits = search_pages(db, sight, name, query_of(name), limit=SUGGESTIONS_MAX - len(own), floor=floor)
    pages = [
        v.Suggestion(slug=hit.slug, title=hit.title, create_safety=create_safety(hit.evidence))
        for hit in hits
    ]
    return [*own, *pages]


def _others(found: Resolution) -> list[v.Suggestion]:
    return [
        v.Suggestion(slug=page.slug, title=page.title, create_safety=v.CreateSafety.EXISTS)
        for page in found.others
    ]
