"""Progress of long work, on one line of a terminal's stderr and nowhere else."""

from typing import TextIO

from keepgate.core.model.text import one_line
from keepgate.service.connection import Progress, Silent


def progress_on(stream: TextIO) -> Progress:
    """Progress drawn on ``stream`` when it is a terminal, silence otherwise."""
    return _OneLine(stream) if stream.isatty() else Silent()


class _OneLine:
    """Redraws one line and erases it at the end, so that nothing of it stays."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._title = ""
        self._drawn = ""

    def begin(self, title: str) -> None:
        """Show the title."""
        self._title = one_line(title)
        self._draw(self._title)

    def report(self, done: int, total: int) -> None:
        """Show the share that is done, at most a hundred times."""
        self._draw(f"{self._title}: {100 * done // total} %" if total > 0 else f"{self._title}: {done}")

    def end(self) -> None:
        """Erase the line."""
        if self._drawn:
            self._draw("")

    def _draw(self, text: str) -> None:
        if text != self._drawn:
            # Blanks over the rest of the old line: a console need not know escape sequences.
            blanks = " " * max(len(self._drawn) - len(text), 0)
            self._stream.write(f"\r{text}{blanks}" if text else f"\r{blanks}\r")
            self._stream.flush()
            self._drawn = text
