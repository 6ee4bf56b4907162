"""From files that may have changed to what the index has to do: read, compare, parse, analyse."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Final

from attrs import define, field

from keepgate.core.model.page import IndexedPage, Page, PageFile, PageFlaw
from keepgate.core.reading.page_terms import chunk_terms, title_terms
from keepgate.pages import files
from keepgate.pages.folders import UnusableError
from keepgate.pages.parse import parse
from keepgate.pages.roots import Root
from keepgate.pages.scan import Seen
from keepgate.store import known_pages
from keepgate.store.connection import Connection

RACY_NS: Final = 50_000_000
RACY_SECONDS_NS: Final = 2_000_000_000
"""On file systems that know whole or even seconds only, a file may change twice in the same one."""

_log: Final = logging.getLogger(__name__)


@define
class Ready:
    """Work for one transaction: pages to write, files that are as they were, files that are no pages."""

    pages: list[IndexedPage] = field(factory=list)
    same: list[PageFile] = field(factory=list)
    gone: list[str] = field(factory=list)
    refused: list[tuple[str, PageFlaw]] = field(factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to do."""
        return not (self.pages or self.same or self.gone or self.refused)

    def after(self, through: int) -> "Ready":
        """What is left when so many of the pages are written, and all else is done."""
        return Ready(pages=self.pages[through:])


def make_ready(
    db: Connection, root: Root, seen: Iterable[Seen], *, every: bool, is_stopped: Callable[[], bool]
) -> Ready:
    """Read the files; ``every`` parses those with known digests, too. Stops early when told to."""
    ready = Ready()
    for file in seen:
        if is_stopped():
            break
        try:
            _add(ready, db, root, file, every)
        except UnusableError as error:
            ready.refused.append((file.path, PageFlaw(None, str(error))))
        except OSError as error:
            ready.refused.append((file.path, PageFlaw(None, f"cannot be read: {error.strerror}")))
        except Exception as error:  # noqa: BLE001 - one file must not keep the others out of the index
            _log.error("a page could not be indexed: %s", type(error).__name__)
            _log.debug("what went wrong", exc_info=error)
            ready.refused.append((file.path, PageFlaw(None, "cannot be indexed")))
        # Requests wait for nothing longer than one file.
        time.sleep(0)
    return ready


def _add(ready: Ready, db: Connection, root: Root, seen: Seen, every: bool) -> None:
    content = files.read(root.folder, seen.path)
    if content is None:
        ready.gone.append(seen.path)
        return
    file = PageFile(
        home=root.home,
        root=root.folder,
        path=seen.path,
        size=seen.size,
        mtime_ns=0 if _is_racy(seen.mtime_ns) else seen.mtime_ns,
        digest=content.digest,
    )
    if not every and known_pages.digest_at(db, root.home, root.folder, seen.path) == content.digest:
        ready.same.append(file)
    else:
        ready.pages.append(indexed(file, parse(seen.path, content.data)))


def indexed(file: PageFile, page: Page) -> IndexedPage:
    """A page with its terms for the search: names weigh more than text, and stand with every part of it."""
    return IndexedPage(
        file=file,
        page=page,
        title_terms=title_terms(page.title, page.aliases, page.tags),
        chunk_terms=tuple(chunk_terms(chunk.heading, chunk.text) for chunk in page.chunks),
    )


def _is_racy(mtime_ns: int) -> bool:
    """Whether the file may change once more without its time telling."""
    age_ns = time.time_ns() - mtime_ns
    return age_ns < (RACY_SECONDS_NS if mtime_ns % 1_000_000_000 == 0 else RACY_NS)
