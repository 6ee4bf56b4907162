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

FACT_ID_DIGITS_MAX: Final = 18
_FACT_MARK: Final = "//"
"""Between a slug and a fact's id. No slug holds it: slugs are paths, and no part of a path is empty."""

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
    """What one answer carries. ``has_more``: something was left, ``next_page`` and ``next_fact`` first."""

    block: Block
    pages: Sequence[ChangedPage]
    facts: Sequence[Fact]
    threads: Sequence[Thread]
    next_page: ChangedPage | None
    next_fact: Fact | None
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
    next_page, next_fact = by_age[block.kept[_PAGES] :][:1], by_id[block.kept[_FACTS] :][:1]
    return Delivery(
        block=block,
        pages=first_pages[: block.kept[_PAGES]],
        facts=first_facts[: block.kept[_FACTS]],
        threads=threads[: block.kept[_THREADS]],
        next_page=next(iter(next_page), None),
        next_fact=next(iter(next_fact), None),
        has_more=bool(next_page or next_fact or block.dropped),
    )


def moved(positions: Mapping[str, Position], delivery: Delivery) -> dict[str, Position]:
    """The positions of the homes after a delivery; those of homes that had nothing in it stay."""
    ends = dict(positions)
    for page in delivery.pages:
        ends[page.home] = evolve(ends[page.home], page_since=page.changed_at, page_slug=page.slug)
    for fact in delivery.facts:
        ends[fact.home] = evolve(ends[fact.home], fact_id=fact.id)
    return ends


def earlier(one: Position, other: Position) -> Position:
    """Of pages and of facts the earlier position of the two."""
    since, slug = min((one.page_since, one.page_slug), (other.page_since, other.page_slug))
    return Position(page_since=since, page_slug=slug, fact_id=min(one.fact_id, other.fact_id))


def latest_page(positions: Mapping[str, Position]) -> tuple[int, str]:
    """The latest page position as a moment and a slug; without a slug it lies after all of that moment."""
    since, slug = max((position.page_since, position.page_slug) for position in positions.values())
    return (since, slug) if slug or since == 0 else (since - 1, "")


def resume_page(positions: Mapping[str, Position], delivery: Delivery) -> tuple[int, str]:
    """One page position for all homes from which nothing that is left is lost, as :func:`latest_page`."""
    if delivery.pages:
        return delivery.pages[-1].changed_at, delivery.pages[-1].slug
    if delivery.next_page is not None:
        return delivery.next_page.changed_at - 1, ""
    return latest_page(positions)


def resume_fact(positions: Mapping[str, Position], delivery: Delivery) -> int:
    """One fact position for all homes from which nothing that is left is lost."""
    if delivery.facts:
        return delivery.facts[-1].id
    if delivery.next_fact is not None:
        return delivery.next_fact.id - 1
    return max(position.fact_id for position in positions.values())


def with_fact(slug: str, fact_id: int) -> str:
    """A slug that carries the fact position too, for who goes on with the contract's two fields alone."""
    return f"{slug}{_FACT_MARK}{fact_id}"


def without_fact(slug: str) -> tuple[str, int | None]:
    """The slug and the fact position in what :func:`with_fact` made; ``None`` where there is no fact."""
    plain, mark, fact_id = slug.rpartition(_FACT_MARK)
    is_id = fact_id.isascii() and fact_id.isdigit() and len(fact_id) <= FACT_ID_DIGITS_MAX
    return (plain, int(fact_id)) if mark and is_id else (slug, None)
