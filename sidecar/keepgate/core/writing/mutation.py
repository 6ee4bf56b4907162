"""Steps of a change: what happens, or happened, to one entry, one fact or one page file."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from keepgate.core.model.fact import Fact
from keepgate.protocol.entries import Entry
from keepgate.protocol.verbs import Visibility

QUARANTINE: Final = "quarantine"
RELEASE: Final = "release"
"""Actions of steps that put something out of every read, and that bring it back; no undo takes them back."""

PURGE_PAGE: Final = "purge-page"
"""The action of a step that takes a purged text out of a page's file; of what was there a digest is kept."""


@frozen(kw_only=True)
class Mutation:
    """One entry's step: inserted (``before`` is ``None``), rewritten, or deleted (``after`` is ``None``).

    ``action`` is the ledger's word for it (DSH-6).
    """

    action: str
    before: Entry | None
    after: Entry | None

    @property
    def entry(self) -> Entry:
        """The entry as the step leaves it, or as it was when the step deletes it."""
        entry = self.after or self.before
        assert entry is not None, "a mutation has a before or an after"
        return entry


@frozen(kw_only=True)
class FactStep:
    """One fact's step: remembered (``before`` is ``None``), or expired, superseded or brought back."""

    action: str
    before: Fact | None
    after: Fact


@frozen(kw_only=True)
class PageStep:
    """One page file's step: written (``content`` is its whole text) or removed (``content`` is ``None``).

    ``root`` is an absolute folder, ``path`` the file's path below it with slashes. ``before`` is the text
    that is there now, ``None`` where there is no file. Each text has its visibility, which is ``None`` where
    there is no text, and in rows that do not tell.
    """

    action: str
    home: str
    root: str
    slug: str
    path: str
    before: str | None
    content: str | None
    before_visibility: Visibility | None = None
    visibility: Visibility | None = None


Step = Mutation | FactStep | PageStep


def of_entries(steps: Iterable[Step]) -> tuple[Mutation, ...]:
    """The steps of entries, in order."""
    return tuple(step for step in steps if isinstance(step, Mutation))


def of_facts(steps: Iterable[Step]) -> tuple[FactStep, ...]:
    """The steps of facts, in order."""
    return tuple(step for step in steps if isinstance(step, FactStep))


def of_pages(steps: Iterable[Step]) -> tuple[PageStep, ...]:
    """The steps of page files, in order."""
    return tuple(step for step in steps if isinstance(step, PageStep))
