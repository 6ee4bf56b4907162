"""Pages: params and results of ``pages/*``. On the wire names are camelCase and times epoch milliseconds."""

from typing import Annotated, Final

from attrs import field, frozen

from keepgate.protocol.entries import UNSET, SessionParam
from keepgate.protocol.verbs import Visibility

PAGES_LIMIT_DEFAULT: Final = 100
PAGE_BYTES_MAX: Final = 1024 * 1024
"""A larger file is a problem, not a page; a larger write is refused."""


@frozen(kw_only=True)
class PageRef:
    """A page in lists."""

    slug: Annotated[str, "Its path below the root without the ending, such as `people/alice`."]
    title: str
    type: str
    home: Annotated[str, "The workspace key, or empty for user-global."]
    visibility: Visibility
    tags: list[str]
    changed_at: Annotated[int, "When the index first saw its present content."]


@frozen(kw_only=True)
class PageLink:
    """A link between two pages."""

    from_: Annotated[str, "Slug of the page that holds the link."]
    to: Annotated[str, "Slug that it names; there may be no such page yet."]
    type: Annotated[str, "`links_to`, or the name of the front-matter list."]
    context: Annotated[str | None, "The line around it."] = None


@frozen(kw_only=True)
class TimelineEntry:
    """A dated line of a page's timeline."""

    date: Annotated[str, "ISO day."]
    text: str


@frozen(kw_only=True)
class PageGetParams:
    """Params of ``pages/get``."""

    slug: str
    session: SessionParam = UNSET


@frozen(kw_only=True)
class BacklinksParams:
    """Params of ``pages/backlinks``."""

    slug: str
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageResult:
    """Result of ``pages/get``."""

    page: PageRef
    path: Annotated[str, "Absolute path of the file."]
    content: Annotated[str, "The file's text."]
    aliases: list[str]
    summary: str
    links: list[PageLink]
    timeline: list[TimelineEntry]


@frozen(kw_only=True)
class PagesListParams:
    """Params of ``pages/list``."""

    prefix: Annotated[str | None, "Slugs that begin so."] = None
    type: Annotated[str | None, "Pages of this type."] = None
    limit: Annotated[int | None, "100 by default, 1,000 at most."] = None
    after: Annotated[str | None, "The `next` of the page before."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PagesListResult:
    """Result of ``pages/list``, in slug order."""

    pages: list[PageRef]
    next: str | None


@frozen(kw_only=True)
class PagesSearchParams:
    """Params of ``pages/search``."""

    query: str
    limit: Annotated[int | None, "20 by default, 100 at most."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageHit:
    """A page that a search found."""

    page: PageRef
    chunk: Annotated[str, "The part that matched best."]
    score: Annotated[float, "1 for the best hit."]


@frozen(kw_only=True)
class PagesSearchResult:
    """Result of ``pages/search``, best first."""

    hits: list[PageHit]


@frozen(kw_only=True)
class BacklinksResult:
    """Result of ``pages/backlinks``."""

    links: list[PageLink]
    total: int


@frozen(kw_only=True)
class PagePutParams:
    """Params of ``pages/put``: the whole file, asked for as a difference."""

    slug: str
    content: Annotated[str, "Markdown with optional front matter."]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageRemoveParams:
    """Params of ``pages/remove``."""

    slug: str
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageLinkParams:
    """Params of ``pages/link``: add a typed link to a page's front matter."""

    from_: str
    to: str
    type: Annotated[str, "The name of the front-matter list."] = "related"
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageTimelineParams:
    """Params of ``pages/timeline``: add a dated line to a page's timeline."""

    slug: str
    date: Annotated[str, "ISO day."]
    text: str
    session: SessionParam = UNSET


@frozen(kw_only=True)
class CaptureParams:
    """Params of ``pages/capture``: a dated note into the inbox page of the day's month."""

    text: str
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageWriteResult:
    """Result of every page write."""

    slug: str
    path: Annotated[str, "Absolute path of the file."]
    status: Annotated[str, "`created`, `updated`, `unchanged` or `removed`."]
    seq: Annotated[int | None, "The ledger row; null when nothing changed."] = None


@frozen(kw_only=True)
class PagesTrustParams:
    """Params of ``pages/trust``: have hooks and snapshots carry the pages of a folder."""

    root: Annotated[
        str | None, "Absolute path of one of the workspace's page folders; default: the first."
    ] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PagesTrustResult:
    """Result of ``pages/trust``."""

    root: Annotated[str, "The folder, with links resolved."]
    seq: Annotated[int | None, "The ledger row; null where the folder is trusted already."] = None


@frozen(kw_only=True)
class ResolveParams:
    """Params of ``pages/resolve``."""

    names: list[str]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class Resolved:
    """What a name stands for."""

    name: str
    slug: Annotated[str | None, "Null when no page answers to it."]
    others: list[str] = field(factory=list)


@frozen(kw_only=True)
class ResolveResult:
    """Result of ``pages/resolve``."""

    resolved: list[Resolved]


@frozen(kw_only=True)
class ReindexParams:
    """Params of ``pages/reindex``."""

    session: SessionParam = UNSET


@frozen(kw_only=True)
class PageProblem:
    """A file that is no page, or not all of one."""

    path: Annotated[str, "Absolute path."]
    line: int | None
    problem: str


@frozen(kw_only=True)
class ReindexResult:
    """Result of ``pages/reindex``."""

    pages: Annotated[int, "Pages in sight."]
    changed: Annotated[int | None, "Null for remote callers: private pages count, too."]
    removed: Annotated[int | None, "Null for remote callers, as well."]
    problems: Annotated[list[PageProblem], "Empty for remote callers."]
