"""A block of sections, packed into a budget that counts everything in it (VERBS-budget)."""

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from keepgate.core.model.text import units
from keepgate.core.reading.rendering import MARKER
from keepgate.core.reading.tokens import estimate

UNITS_PER_TOKEN: Final = 4

Item = Sequence[tuple[int, str]]
"""What one item adds to a block: lines, each with the number of its section."""


@frozen(kw_only=True)
class Block:
    """A packed block: its ``text``, tokens ``used``, items ``kept`` of each arm, and those ``dropped``."""

    text: str
    used: int
    kept: tuple[int, ...]
    dropped: int


def pack_block(headings: Sequence[str], arms: Sequence[Sequence[Item]], budget: int | None) -> Block:
    """Pack arms of items one after the other; ``None`` keeps everything.

    Of each arm a greedy prefix: its first item with which the text would be estimated over the budget ends
    the arm. Marker, headings and blank lines count with the first item that needs them. An item without
    lines costs nothing. Sections come in the order of ``headings``, empty ones are left out.
    """
    sizes, taken = _Sizes(headings), list[tuple[int, str]]()
    room = None if budget is None else budget * UNITS_PER_TOKEN
    kept = []
    for arm in arms:
        count = 0
        for item in arm:
            if room is not None and sizes.with_lines(item) > room:
                break
            sizes.add(item)
            taken += item
            count += 1
        kept.append(count)
    text = _text(headings, taken)
    return Block(text=text, used=estimate(text), kept=tuple(kept), dropped=sum(map(len, arms)) - sum(kept))


class _Sizes:
    """How long the text is, in UTF-16 units, without writing it again for every item."""

    def __init__(self, headings: Sequence[str]) -> None:
        self._headings = [units(_heading(title)) for title in headings]
        self._open: set[int] = set()
        self._units = 0

    def with_lines(self, item: Item) -> int:
        """The length that the text would have with this item."""
        opened = {section for section, _ in item} - self._open
        first = units(MARKER) if item and not self._units else 0
        lines = sum(1 + units(line) for _, line in item)
        return self._units + first + sum(self._headings[section] for section in opened) + lines

    def add(self, item: Item) -> None:
        """Count an item in."""
        self._units = self.with_lines(item)
        self._open.update(section for section, _ in item)


def _text(headings: Sequence[str], lines: Iterable[tuple[int, str]]) -> str:
    sections: list[list[str]] = [[] for _ in headings]
    for section, line in lines:
        sections[section].append(line)
    filled = [
        _heading(title) + "".join(f"\n{line}" for line in found)
        for title, found in zip(headings, sections, strict=True)
        if found
    ]
    return MARKER + "".join(filled) if filled else ""


def _heading(title: str) -> str:
    return f"\n\n## {title}"
