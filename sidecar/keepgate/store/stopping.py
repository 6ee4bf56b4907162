"""How long work tells where it is, and is told to stop."""

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Told what is done and how much there is."""

Cancelled = Callable[[], bool]
"""Asked between steps whether to stop."""


class Stopped(Exception):
    """The work was given up between two steps because nobody waits for it any more."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""


def never() -> bool:
    """Do not stop."""
    return False
