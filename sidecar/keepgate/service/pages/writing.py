"""Writes of page files."""

from keepgate.protocol import pages as p
from keepgate.protocol.errors import page_not_found
from keepgate.service.context import WriteCtx


async def put(ctx: WriteCtx, params: p.PagePutParams) -> p.PageWriteResult:
    """Write a page's file."""
    raise page_not_found(params.slug)


async def remove(ctx: WriteCtx, params: p.PageRemoveParams) -> p.PageWriteResult:
    """Delete a page's file."""
    raise page_not_found(params.slug)


async def link(ctx: WriteCtx, params: p.PageLinkParams) -> p.PageWriteResult:
    """Add a typed link."""
    raise page_not_found(params.from_)


async def timeline(ctx: WriteCtx, params: p.PageTimelineParams) -> p.PageWriteResult:
    """Add a dated line."""
    raise page_not_found(params.slug)


async def capture(ctx: WriteCtx, params: p.CaptureParams) -> p.PageWriteResult:
    """Put a note into the inbox."""
    raise page_not_found("inbox")


async def trust(ctx: WriteCtx, params: p.PagesTrustParams) -> p.PagesTrustResult:
    """Have a person trust a folder of pages that came with a repository, once."""
    raise page_not_found(params.root or "")
