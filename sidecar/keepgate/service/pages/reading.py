"""Reads of pages."""

from keepgate.protocol import pages as p
from keepgate.protocol.errors import page_not_found
from keepgate.service.context import ReadCtx


async def get(ctx: ReadCtx, params: p.PageGetParams) -> p.PageResult:
    """One page, whole."""
    raise page_not_found(params.slug)


async def list_pages(ctx: ReadCtx, params: p.PagesListParams) -> p.PagesListResult:
    """Pages in slug order."""
    return p.PagesListResult(pages=[], next=None)


async def search(ctx: ReadCtx, params: p.PagesSearchParams) -> p.PagesSearchResult:
    """Pages that match words."""
    return p.PagesSearchResult(hits=[])


async def backlinks(ctx: ReadCtx, params: p.BacklinksParams) -> p.BacklinksResult:
    """Links that lead to a page."""
    return p.BacklinksResult(links=[], total=0)


async def resolve(ctx: ReadCtx, params: p.ResolveParams) -> p.ResolveResult:
    """The slugs that names stand for."""
    return p.ResolveResult(resolved=[p.Resolved(name=name, slug=None) for name in params.names])
