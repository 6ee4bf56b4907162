"""The terms under which a page is found: names with every part of it, and the words of the part."""

from collections.abc import Iterable

from keepgate.core.reading.analyse import analysed


def title_terms(title: str, aliases: Iterable[str], tags: Iterable[str]) -> str:
    """What stands with every part of a page, and weighs more than its text."""
    return analysed(" ".join((title, *aliases, *tags)))


def chunk_terms(heading: str, text: str) -> str:
    """What stands in one part of a page."""
    return analysed(f"{heading} {text}")
