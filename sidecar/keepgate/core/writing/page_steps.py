"""The steps of a change of page files."""

from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import PageChange
from keepgate.core.writing.mutation import PageStep


def page_steps(change: PageChange, author: Author) -> tuple[PageStep, ...]:
    """What a change does to page files."""
    raise NotImplementedError


def page_undone(step: PageStep) -> PageStep:
    """The step that puts a page file back."""
    raise NotImplementedError
