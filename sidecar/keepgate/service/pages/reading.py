"""Reads of pages. The index finds them; what stands in a page is read from its file."""

import json

from keepgate.core.model.fact import Sight
from keepgate.core.model.page import Link
from keepgate.core.model.page_path import composed
from keepgate.core.reading.matching import query_of
from keepgate.pages import files
from keepgate.pages.folders import UnusableError
from keepgate.pages.parse import visibility_in
from keepgate.protocol import pages as p
from keepgate.protocol.entries import PAGE_LIMIT_MAX
from keepgate.protocol.errors import Problem, invalid_input, page_not_found
from keepgate.protocol.verbs import Visibility
from keepgate.service.context import ReadCtx
from keepgate.service.reading import limit_of
from keepgate.service.threads import in_thread
from keepgate.service.verbs.sight import reading_sight
from keepgate.store.connection import Connection
from keepgate.store.reads import pages as reads
from keepgate.store.reads.pages import FoundPage
from keepgate.store.reads.resolve import resolve as resolve_name
from keepgate.store.reads.search import PageHit, search_pages

SEARCH_LIMIT_DEFAULT = 20
SEARCH_LIMIT_MAX = 100
NAMES_MAX = 100
REPLY_UNITS = 400_000
"""Characters of slugs, titles and tags in one answer."""


async def get(ctx: ReadCtx, params: p.PageGetParams) -> p.PageResult:
    """One page in sight, with its file's text as it is now. Raises ``PAGE_NOT_FOUND``."""
    sight = reading_sight(ctx, params.session)
    slug = composed(params.slug)
    found = await ctx.store.reading.run(reads.whole_page, sight, slug)
    if found is None:
        raise page_not_found(params.slug)
    page = found.page
    data = await in_thread(_read, page.root, page.path)
    if data is None:
        raise page_not_found(params.slug)
    # The file may have become private since it was indexed.
    if sight.world_only and visibility_in(data) is Visibility.PRIVATE:
        raise page_not_found(params.slug)
    return p.PageResult(
        page=_ref(page),
        path=f"{page.root}/{page.path}",
        content=data.decode("utf-8-sig", errors="replace"),
        aliases=list(found.aliases),
        summary=page.summary,
        links=[_link(page.slug, link) for link in found.links],
        timeline=[p.TimelineEntry(date=line.date, text=line.text) for line in found.timeline],
    )


async def list_pages(ctx: ReadCtx, params: p.PagesListParams) -> p.PagesListResult:
    """Pages in the order of slugs; the same slug of a workspace comes behind the user's own."""
    after, problems = _after(params.after)
    limit = limit_of(params.limit, p.PAGES_LIMIT_DEFAULT, *problems)
    found = await ctx.store.reading.run(
        reads.pages_after,
        reading_sight(ctx, params.session),
        prefix=composed(params.prefix or ""),
        of_type=params.type,
        after=after,
        limit=limit + 1,
    )
    page = _that_fit(found[:limit])
    more = json.dumps([page[-1].slug, page[-1].home], ensure_ascii=False) if len(found) > len(page) else None
    return p.PagesListResult(pages=[_ref(each) for each in page], next=more)


async def search(ctx: ReadCtx, params: p.PagesSearchParams) -> p.PagesSearchResult:
    """Pages whose names or words are asked for, best first. A query without words finds nothing."""
    limit = min(limit_of(params.limit, SEARCH_LIMIT_DEFAULT), SEARCH_LIMIT_MAX)
    sight = reading_sight(ctx, params.session)
    query, floor = query_of(params.query), ctx.settings.facts.score_floor

    def look(db: Connection) -> list[tuple[PageHit, FoundPage | None]]:
        hits = search_pages(db, sight, params.query, query, limit=limit, floor=floor)
        pages = reads.pages_named(db, sight, [(hit.home, hit.slug) for hit in hits])
        return list(zip(hits, pages, strict=True))

    found = await ctx.store.reading.run(look)
    hits = [
        p.PageHit(page=_ref(page), chunk=hit.chunk, score=hit.score)
        for hit, page in found
        if page is not None
    ]
    return p.PagesSearchResult(hits=hits)


async def backlinks(ctx: ReadCtx, params: p.BacklinksParams) -> p.BacklinksResult:
    """Links that lead to a slug from pages in sight, up to 1,000; there need be no such page yet."""
    sight = reading_sight(ctx, params.session)
    slug = composed(params.slug)
    links, total = await ctx.store.reading.run(reads.backlinks, sight, slug, PAGE_LIMIT_MAX)
    return p.BacklinksResult(links=[_link(source, link) for source, link in links], total=total)


async def resolve(ctx: ReadCtx, params: p.ResolveParams) -> p.ResolveResult:
    """The slugs that names stand for, by the one resolver of reading and writing."""
    if len(params.names) > NAMES_MAX:
        raise invalid_input(Problem("$.names", f"may hold {NAMES_MAX} names"))
    sight = reading_sight(ctx, params.session)
    return await ctx.store.reading.run(
        lambda db: p.ResolveResult(resolved=_resolved(db, sight, params.names))
    )


def _resolved(db: Connection, sight: Sight, names: list[str]) -> list[p.Resolved]:
    found = ((name, resolve_name(db, sight, name)) for name in names)
    return [
        p.Resolved(
            name=name,
            slug=resolution.hit.slug if resolution.hit else None,
            others=[other.slug for other in resolution.others],
        )
        for name, resolution in found
    ]


def _that_fit(pages: list[FoundPage]) -> list[FoundPage]:
    """The first pages, at least one, whose lines keep an answer small: a page may have many long tags."""
    size = 0
    for at, page in enumerate(pages):
        size += sum(map(len, (page.slug, page.title, page.home, *page.tags)))
        if size > REPLY_UNITS and at:
            return pages[:at]
    return pages


def _read(root: str, path: str) -> bytes | None:
    try:
        content = files.read(root, path)
    except (UnusableError, OSError):
        return None
    return None if content is None else content.data


def _after(cursor: str | None) -> tuple[tuple[str, str], list[Problem]]:
    if cursor is None:
        return ("", ""), []
    try:
        slug, home = json.loads(cursor)
        if type(slug) is str and type(home) is str:
            return (slug, home), []
    except (ValueError, TypeError, RecursionError):
        pass
    return ("", ""), [Problem("$.after", "must be the next of an earlier page")]


def _ref(page: FoundPage) -> p.PageRef:
    return p.PageRef(
        slug=page.slug,
        title=page.title,
        type=page.type,
        home=page.home,
        visibility=page.visibility,
        tags=list(page.tags),
        changed_at=page.changed_at,
    )


def _link(source: str, link: Link) -> p.PageLink:
    return p.PageLink(from_=source, to=link.target, type=link.type, context=link.context)
