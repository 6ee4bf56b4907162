"""The rows of ``pages/*``."""

from typing import Any, Final

from keepgate.protocol import pages as p
from keepgate.protocol.errors import Code
from keepgate.protocol.operation import READING_FAULTS, STORE_FAULTS, Access, Latency, Operation, Surface

_WRITING: Final = (Code.INVALID_INPUT, Code.WRITE_REQUIRES_AGENT, Code.WRITE_DENIED, *STORE_FAULTS)


def _read(name: str, params: type, result: type, summary: str, tool: str, **more: Any) -> Operation:
    usual: dict[str, Any] = {"latency": Latency.INSTANT, "surface": Surface.STARTER, "faults": READING_FAULTS}
    return Operation(
        name=f"pages/{name}",
        params=params,
        result=result,
        access=Access.READ,
        summary=summary,
        tool=tool,
        **{**usual, **more},
    )


def _write(name: str, params: type, summary: str, tool: str, **more: Any) -> Operation:
    usual: dict[str, Any] = {"surface": Surface.STARTER, "faults": _WRITING}
    return Operation(
        name=f"pages/{name}",
        params=params,
        result=p.PageWriteResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        session_required=True,
        summary=summary,
        tool=tool,
        **{**usual, **more},
    )


_FOUND: Final = (*READING_FAULTS, Code.PAGE_NOT_FOUND)
_CHANGED: Final = (*_WRITING, Code.PAGE_NOT_FOUND)

PAGE_OPERATIONS: Final = (
    _read("get", p.PageGetParams, p.PageResult, "One page, whole.", "get_page", faults=_FOUND),
    _read("list", p.PagesListParams, p.PagesListResult, "Pages in slug order.", "list_pages"),
    _read(
        "search",
        p.PagesSearchParams,
        p.PagesSearchResult,
        "Pages that match words, best first.",
        "search",
        latency=Latency.SCAN,
    ),
    _read("backlinks", p.BacklinksParams, p.BacklinksResult, "Links that lead to a page.", "get_backlinks"),
    _read("resolve", p.ResolveParams, p.ResolveResult, "The slugs that names stand for.", "resolve_slugs"),
    _write(
        "put",
        p.PagePutParams,
        "Write a page's file; the person sees the difference.",
        "put_page",
        faults=_CHANGED,
    ),
    _write(
        "remove",
        p.PageRemoveParams,
        "Delete a page's file.",
        "remove_page",
        faults=_CHANGED,
        surface=Surface.FULL,
    ),
    _write("link", p.PageLinkParams, "Add a typed link to a page.", "add_link", faults=_CHANGED),
    _write(
        "timeline",
        p.PageTimelineParams,
        "Add a dated line to a page's timeline.",
        "add_timeline_entry",
        faults=_CHANGED,
    ),
    _write(
        "capture",
        p.CaptureParams,
        "Put a dated note into the inbox page of the month.",
        "capture",
        faults=_CHANGED,
    ),
    Operation(
        name="pages/trust",
        params=p.PagesTrustParams,
        result=p.PagesTrustResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Have a person trust the pages of a folder, so that session starts carry them.",
        faults=_WRITING,
        session_required=True,
    ),
    Operation(
        name="pages/reindex",
        params=p.ReindexParams,
        result=p.ReindexResult,
        access=Access.READ,
        latency=Latency.LONG,
        summary="Read every page file anew and bring the index up to date.",
        faults=(*READING_FAULTS, *STORE_FAULTS),
        surface=Surface.FULL,
    ),
)
