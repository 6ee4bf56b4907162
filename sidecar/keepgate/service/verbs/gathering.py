"""Retrieving what a synthesis is composed from."""

from keepgate.core.model.fact import Sight
from keepgate.core.model.times import Window
from keepgate.core.reading.synthesis import GatheredPage
from keepgate.service.context import ReadCtx
from keepgate.store.reads.gathering import gathered


async def gather(
    ctx: ReadCtx, question: str, sight: Sight, window: Window
) -> tuple[list[GatheredPage], list[str]]:
    """The matching parts of pages, and facts as texts, in the caller's sight."""
    now_ms, floor = ctx.stamp().now_ms, ctx.settings.facts.score_floor
    pages, facts = await ctx.store.reading.run(
        lambda db: gathered(db, sight, question, window, now_ms=now_ms, floor=floor)
    )
    found = [GatheredPage(slug=page.slug, title=page.title, text=page.chunk) for page in pages]
    return found, [fact.text for fact in facts]
