"""What the person is told who is asked about a purge: counts, copies and pages, and never the text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from keepgate.core.writing.page_diff import unified_diff
from keepgate.protocol.proposals import AskPage, Caution

ACTION: Final = "purge"
COPIES_SHOWN: Final = 20


@frozen(kw_only=True)
class Told:
    """``counts`` are rows by table, ``copies`` paths of backups, ``pages`` as the question shows them."""

    counts: Mapping[str, int]
    copies: Sequence[str]
    pages: list[AskPage]

    def text(self) -> str:
        """The whole of it, with what would change in each page."""
        changes = (unified_diff(page.path, page.before or "", page.content or "") for page in self.pages)
        first = f"purge a text from every table, index, log and backup: {self._rows()}"
        return "\n\n".join([first, *changes])

    def warnings(self) -> list[Caution]:
        """What it does that nothing takes back, one by one."""
        return [Caution(kind=ACTION, message=message) for message in self._messages()]

    def _rows(self) -> str:
        return ", ".join(f"{number} of {table}" for table, number in self.counts.items()) or "no row"

    def _messages(self) -> Iterator[str]:
        yield f"a text would be taken out for good: {self._rows()}; this cannot be undone"
        more = len(self.copies) - COPIES_SHOWN
        copies = [*self.copies[:COPIES_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        yield from (f"also from the copy {copy}" for copy in copies)
        if self.pages:
            yield f"page files would be rewritten: {len(self.pages)}, as shown"
