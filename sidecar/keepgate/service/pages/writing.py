"""Writes of page files: params to change, change through the gate, receipt to result."""

import re
from datetime import UTC, datetime
from typing import Any, Final

from keepgate.core.model.entry import text_problems
from keepgate.core.model.page_path import composed, slug_problem
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.page_change import (
    AddDate,
    AddLink,
    AddNote,
    EditPage,
    PageEdit,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.page_edits import NOT_LINKS, TEXT_UNITS_MAX, TYPE_FORM, day_problem
from keepgate.gate.receipt import Receipt
from keepgate.protocol import pages as p
from keepgate.protocol.errors import Problem, invalid_input, page_not_found
from keepgate.protocol.pages import PAGE_BYTES_MAX
from keepgate.service.context import WriteCtx
from keepgate.service.pages.places import Found, find, roots_of

INBOX: Final = "inbox"


async def put(ctx: WriteCtx, params: p.PagePutParams) -> p.PageWriteResult:
    """Write a page's whole file."""
    author = ctx.writing_author(params.session)
    slug = composed(params.slug)
    _require(_slug(slug), *_content(params.content))
    found = await find(ctx, author, slug)
    change = PutPage(**_place(ctx, found), content=params.content)
    return _result(found, await ctx.gate.submit(change, author, ctx.connection.asker))


async def remove(ctx: WriteCtx, params: p.PageRemoveParams) -> p.PageWriteResult:
    """Delete a page's file."""
    author = ctx.writing_author(params.session)
    slug = composed(params.slug)
    _require(_slug(slug))
    found = _there(await find(ctx, author, slug))
    change = RemovePage(**_place(ctx, found))
    return _result(found, await ctx.gate.submit(change, author, ctx.connection.asker))


async def link(ctx: WriteCtx, params: p.PageLinkParams) -> p.PageWriteResult:
    """Add a typed link to a page's front matter; the page that it leads to need not exist."""
    author = ctx.writing_author(params.session)
    holder, to = composed(params.from_), composed(params.to)
    _require(_slug(holder, "$.from"), _slug(to, "$.to"), _link_type(params.type))
    found = _there(await find(ctx, author, holder))
    return await _edit(ctx, author, found, AddLink(relation=params.type, to=to))


async def timeline(ctx: WriteCtx, params: p.PageTimelineParams) -> p.PageWriteResult:
    """Add a dated line to a page's timeline."""
    author = ctx.writing_author(params.session)
    slug, day = composed(params.slug), day_problem(params.date)
    _require(_slug(slug), Problem("$.date", day) if day else None, *_text(params.text))
    found = _there(await find(ctx, author, slug))
    return await _edit(ctx, author, found, AddDate(date=params.date, text=params.text))


async def capture(ctx: WriteCtx, params: p.CaptureParams) -> p.PageWriteResult:
    """Put a dated note into the inbox page of the month (UTC), which is made where it is missing."""
    author = ctx.writing_author(params.session)
    _require(*_text(params.text))
    now = datetime.fromtimestamp(ctx.stamp().now_ms / 1000, UTC)
    month = now.strftime("%Y-%m")
    found = await find(ctx, author, f"{INBOX}/{month}")
    note = AddNote(
        day=now.strftime("%Y-%m-%d"), clock=now.strftime("%H:%M"), text=params.text, title=f"Inbox {month}"
    )
    return await _edit(ctx, author, found, note)


async def trust(ctx: WriteCtx, params: p.PagesTrustParams) -> p.PagesTrustResult:
    """Have a person trust a folder of pages that came with a repository, once."""
    author = ctx.writing_author(params.session)
    roots = await roots_of(ctx, author.workspace_key) if author.workspace_key else []
    chosen = [root for root in roots if params.root in (None, root.folder)]
    if not chosen:
        raise invalid_input(Problem("$.root", "must be a folder of pages of this workspace"))
    change = TrustRoot(home=chosen[0].home, root=chosen[0].folder)
    receipt = await ctx.gate.submit(change, author, ctx.connection.asker)
    return p.PagesTrustResult(root=chosen[0].folder, seq=_seq(receipt))


async def _edit(ctx: WriteCtx, author: Author, found: Found, edit: PageEdit) -> p.PageWriteResult:
    change = EditPage(**_place(ctx, found), edit=edit)
    return _result(found, await ctx.gate.submit(change, author, ctx.connection.asker))


def _place(ctx: WriteCtx, found: Found) -> dict[str, Any]:
    return {
        "home": found.root.home,
        "root": found.root.folder,
        "slug": found.slug,
        "path": found.path,
        "world_only": ctx.connection.remote,
    }


def _result(found: Found, receipt: Receipt) -> p.PageWriteResult:
    return p.PageWriteResult(
        slug=found.slug,
        path=f"{found.root.folder}/{found.path}",
        status=_status(receipt),
        seq=_seq(receipt),
    )


def _status(receipt: Receipt) -> str:
    if not receipt.pages:
        return "unchanged"
    step = receipt.pages[0]
    if step.content is None:
        return "removed"
    return "created" if step.before is None else "updated"


def _seq(receipt: Receipt) -> int | None:
    return receipt.seqs[0] if receipt.seqs else None


def _there(found: Found) -> Found:
    if not found.is_there:
        raise page_not_found(found.slug)
    return found


def _require(*problems: Problem | None) -> None:
    found = [problem for problem in problems if problem is not None]
    if found:
        raise invalid_input(*found)


def _slug(slug: str, where: str = "$.slug") -> Problem | None:
    problem = slug_problem(slug)
    return Problem(where, problem) if problem else None


def _link_type(name: str) -> Problem | None:
    if re.fullmatch(TYPE_FORM, name) and name not in NOT_LINKS:
        return None
    return Problem("$.type", "must be a name of small letters, digits and _, and no other field of a page")


def _content(content: str) -> list[Problem]:
    problems = text_problems(content, "$.content") if content else []
    if not problems and (size := len(content.encode())) > PAGE_BYTES_MAX:
        problems = [Problem("$.content", f"has {size} bytes; a page may have {PAGE_BYTES_MAX}")]
    return problems


def _text(text: str) -> list[Problem]:
    problems = text_problems(text, "$.text")
    if not problems and units(text) > TEXT_UNITS_MAX:
        problems = [Problem("$.text", f"has {units(text)} units; it may have {TEXT_UNITS_MAX}")]
    return problems
