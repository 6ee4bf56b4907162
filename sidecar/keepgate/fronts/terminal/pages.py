"""Pages on a screen: lists, one page, what a search found, what a write did, what is wrong with files."""

from collections.abc import Iterable
from typing import Final

from keepgate.core.model.text import excerpt
from keepgate.fronts.terminal.screen import Column, Screen
from keepgate.protocol import pages as p

CHUNK_UNITS: Final = 200


def page_text(screen: Screen, result: p.PageResult) -> None:
    """The text of a page's file, as it stands there."""
    screen.text(result.content.removesuffix("\n"))


def pages_list(screen: Screen, result: p.PagesListResult) -> None:
    """Pages, one a row."""
    pages_table(screen, result.pages)
    if result.next:
        screen.line(f"More follow: keepgate pages list --after '{result.next}'")
    elif not result.pages:
        screen.line("There are no pages here.")


def pages_table(screen: Screen, pages: Iterable[p.PageRef]) -> None:
    """Pages, and whether they hold here or everywhere."""
    rows = [
        [page.slug, page.title, page.type, str(page.visibility), "here" if page.home else "everywhere"]
        for page in pages
    ]
    titles = ("slug", "title", "type", "visibility", "holds")
    screen.table([Column(title=title) for title in titles], rows)


def pages_found(screen: Screen, result: p.PagesSearchResult) -> None:
    """Hits, best first, with the part that matched."""
    rows = [[hit.page.slug, hit.page.title, excerpt(hit.chunk, CHUNK_UNITS)] for hit in result.hits]
    screen.table([Column(title="slug"), Column(title="title"), Column(title="text")], rows)
    if not rows:
        screen.line("Nothing found.")


def backlinks(screen: Screen, result: p.BacklinksResult) -> None:
    """Links that lead to a page."""
    rows = [[link.from_, link.type, link.context or ""] for link in result.links]
    screen.table([Column(title="from"), Column(title="type"), Column(title="line")], rows)
    if not rows:
        screen.line("Nothing links there.")
    elif len(rows) < result.total:
        screen.line(f"{len(rows)} of {result.total} shown.")


def page_written(screen: Screen, result: p.PageWriteResult) -> None:
    """What became of a page's file."""
    screen.line(f"{result.status.capitalize()} {result.slug}: {result.path}")


def root_trusted(screen: Screen, result: p.PagesTrustResult) -> None:
    """That a folder of pages is trusted."""
    already = " already" if result.seq is None else ""
    screen.line(f"The pages in {result.root} are trusted{already}.")


def reindexed(screen: Screen, result: p.ReindexResult) -> None:
    """What indexing came to, and every problem."""
    news = "" if result.changed is None else f"; {result.changed} new or changed, {result.removed} gone"
    screen.line(f"{result.pages} pages{news}.")
    for each in result.problems:
        line = f":{each.line}" if each.line else ""
        screen.line(f"! {each.path}{line}: {each.problem}")
