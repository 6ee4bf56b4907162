"""Pages: what a Markdown file says once it is read (VERBS-pages)."""

from attrs import field, frozen

from keepgate.protocol.verbs import Visibility

LINKS_TO = "links_to"
"""The type of a link in a page's text; those of its front matter are named by their key."""


@frozen
class Link:
    """A link to a slug, which need not be a page's. ``context`` is the line around it."""

    target: str
    type: str = LINKS_TO
    context: str | None = None


@frozen
class Dated:
    """A line of the timeline; ``date`` is an ISO day."""

    date: str
    text: str


@frozen
class Chunk:
    """A part of a page's text, of bounded size, and the heading that it stands under."""

    heading: str
    text: str


@frozen
class PageFlaw:
    """What is wrong with a file; ``line`` counts from 1, ``None`` where it is the file as a whole."""

    line: int | None
    problem: str


@frozen(kw_only=True)
class Page:
    """What a file says. ``flaws`` are what could not be read of it; the rest counts."""

    slug: str
    title: str
    type: str
    summary: str
    visibility: Visibility
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    timeline: tuple[Dated, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    flaws: tuple[PageFlaw, ...] = ()


@frozen(kw_only=True)
class PageFile:
    """A page's file: ``root`` is an absolute folder, ``path`` is below it, with slashes.

    ``mtime_ns`` is 0 for a file that changed a moment ago: it may do so once more with the same time.
    ``digest`` is the SHA-256 of its bytes in hex.
    """

    home: str
    root: str
    path: str
    size: int
    mtime_ns: int
    digest: str


@frozen(kw_only=True)
class IndexedPage:
    """A page ready for the index: ``title_terms`` and ``chunk_terms`` are analysed text."""

    file: PageFile
    page: Page
    title_terms: str
    chunk_terms: tuple[str, ...] = field()
