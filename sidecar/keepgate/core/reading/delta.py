"""What changed after a position: pages and facts, each with a position of its own (VERBS-delta).

A position lies after the last item that was delivered, so that an undelivered tail comes with the next wake.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from keepgate.core.model.fact import Fact
from keepgate.core.reading.block import Block, Item, pack_block
from keepgate.core.reading.rendering import fact_line, page_line, thread_line
from keepgate.protocol.verbs import Thread

DELTA_LIMIT: Final = 50
"""Pages, and facts, of one answer at most."""

_PAGES, _FACTS, _THREADS = range(3)


@frozen(kw_only=True)
class Position:
    """How far a home was delivered: pages up to (``page_since``, ``page_slug``), facts up to ``fact_id``.

    With an empty slug the pages of the very millisecond ``page_since`` are still to come.
    """

    page_since: int
    page_slug: str
    fact_id: int


@frozen(kw_only=True)
class ChangedPage:
    """A page that changed; ``changed_at`` in epoch milliseconds orders the pages, with the slug."""

    home: str
    slug: str
    title: str
    changed_at: int


@frozen(kw_only=True)
class Delivery:
    """What one answer carries. ``has_more``: something was left for the next."""

    block: Block
    pages: Sequence[ChangedPage]
    facts: Sequence[Fact]
    threads: Sequence[Thread]
    has_more: bool


def after(since_ms: int, fact_id: int) -> Position:
    """The position after everything of that millisecond."""
    return Position(page_since=since_ms + 1, page_slug="", fact_id=fact_id)


def deliver(
    pages: Iterable[ChangedPage],
    facts: Iterable[Fact],
    threads: Sequence[Thread],
    *,
    since: str,
    budget: int | None,
) -> Delivery:
    """Pack pages, oldest first, then facts, oldest first, then threads; ``since`` is shown in the headings.

    At most :data:`DELTA_LIMIT` of each come; the caller passes one more than that where there are more.
    """
    by_age = sorted(pages, key=lambda page: (page.changed_at, page.slug, page.home))
    by_id = sorted(facts, key=lambda fact: fact.id)
    first_pages, first_facts = by_age[:DELTA_LIMIT], by_id[:DELTA_LIMIT]
    headings = (f"Pages changed since {since}", f"New facts since {since}", f"Thread updates since {since}")
    arms: tuple[list[Item], ...] = (
        [[(_PAGES, page_line(page.title, page.slug))] for page in first_pages],
        [[(_FACTS, fact_line(fact.text, fact.entity, fact.fact_id))] for fact in first_facts],
        [[(_THREADS, thread_line(thread))] for thread in threads],
    )
    block = pack_block(headings, arms, budget)
    overflow = len(by_age) > DELTA_LIMIT or len(by_id) > DELTA_LIMIT
    return Delivery(
        block=block,
        pages=first_pages[: block.kept[_PAGES]],
        facts=first_facts[: block.kept[_FACTS]],
        threads=threads[: block.kept[_THREADS]],
        has_more=overflow or block.dropped > 0,
    )


def moved(positions: Mapping[str, Position], delivery: Delivery) -> dict[str, Position]:
    """The positions of the homes after a delivery; those of homes that had nothing in it stay."""
    ends = dict(positions)
    for page in delivery.pages:
        ends[page.home] = evolve(ends[page.home], page_since=page.changed_at, page_slug=page.slug)
    for fact in delivery.facts:
        ends[fact.home] = evolve(ends[fact.home], fact_id=fact.id)
    return ends
