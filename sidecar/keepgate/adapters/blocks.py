"""Markdown lines grouped into what belongs together, for files that people write by hand.

* A bullet is one block with everything that belongs to it: wrapped lines, nested bullets, indented
  paragraphs and code. Lines keep their breaks and lose the bullet's own indentation.
* The wrapped lines of a paragraph are joined by one blank. Numbered lists, quotations, tables, code and
  lines that end in a hard break (two blanks) keep their line breaks.
* A fenced block belongs to the block before it in its section, also across a blank line; where there is
  none it stands alone.
* Rules are skipped; comments that begin a line and front matter are skipped with a note.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from attrs import define, field, frozen

from keepgate.adapters.lines import (
    BULLET,
    FENCE,
    TAB_COLUMNS,
    Line,
    Note,
    columns_of,
    dedented,
    fence_after,
    indent_of,
    without_comments,
    without_front_matter,
)
from keepgate.adapters.markdown import BLANKS, unescape

_HEADING: Final = re.compile(r" {0,3}(#{1,6})([ \t]|$)")
_UNDERLINE: Final = re.compile(r" {0,3}={3,}[ \t]*$")
_RULE: Final = re.compile(r" {0,3}([-*_])([ \t]*\1){2,}[ \t]*$")
_NUMBERED: Final = re.compile(r" {0,3}\d{1,9}[.)](?=[ \t])")
_TABLE_RULE_MARKS: Final = "|:-" + BLANKS
_CODE_COLUMNS: Final = 4
_NUMBERED_INNER: Final = 2


@frozen
class Heading:
    """A heading with its 1-based line."""

    level: int
    text: str
    line: int


Block: TypeAlias = Heading | Note | str


def blocks(adapter_id: str, lines: Sequence[Line]) -> Iterator[Block]:
    """Headings, notes and the texts of blocks, in the file's order.

    Raises ``ADAPTER_PAYLOAD`` for a comment that never ends: the rest of the file would vanish in it.
    """
    notes: list[Note] = []
    told = 0
    kept = list(without_comments(adapter_id, without_front_matter(lines, notes), notes))
    reader = _Reader()
    for index, (number, line) in enumerate(kept):
        while told < len(notes) and notes[told].line <= number:
            yield notes[told]
            told += 1
        following = kept[index + 1][1] if index + 1 < len(kept) else ""
        yield from reader.read(number, line, following)
    yield from reader.close()
    yield from notes[told:]


@define(kw_only=True)
class _Open:
    """A block being read. Lines indented by ``inner`` columns belong to it; a paragraph has no ``inner``."""

    parts: list[str] = field(factory=list)
    inner: int | None = None
    dedent: int = 0
    bullet: bool = False
    ended: bool = False
    blanks: int = 0
    keeps_break: bool = False

    def add(self, line: str, *, verbatim: bool) -> None:
        """Append a line: prose to prose joined by a blank, everything else by a line break."""
        keeps_break = verbatim or self.keeps_break
        if self.parts:
            self.parts.append("\n" * (self.blanks + 1) if keeps_break else " ")
        self.parts.append(line.rstrip(BLANKS) if keeps_break else line.strip(BLANKS))
        self.blanks, self.ended = 0, False
        self.keeps_break = verbatim or line.endswith("  ")

    def text(self) -> str:
        """The block's text. References are read in bullets alone, for an export writes nothing else."""
        text = "".join(self.parts).strip(BLANKS + "\n")
        return unescape(text) if self.bullet else text


class _Reader:
    """Takes lines one by one and hands out blocks as they are complete."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._fence: str | None = None
        self._fence_indent = 0
        self._in_table = False

    def read(self, number: int, line: str, following: str) -> Iterator[Block]:
        """What ``line`` completes; ``following`` is the next line, which may make this one a table's."""
        block = self._open
        inside = block is not None and block.inner is not None and indent_of(line) >= block.inner
        if self._fence is not None:
            self._fenced(dedented(line, self._fence_indent))
            self._fence = fence_after(self._fence, line)
        elif not line.strip(BLANKS if inside else None):
            self._in_table = False
            if block is not None:
                block.ended, block.blanks = True, block.blanks + 1
        elif block is not None and inside:
            block.add(dedented(line, block.dedent), verbatim=True)
        elif found := FENCE.match(line.lstrip(BLANKS)):
            self._fence, self._fence_indent = found[1], indent_of(line)
            if block is not None:
                block.blanks = 0
            self._fenced(line.lstrip(BLANKS))
        else:
            yield from self._start(number, line, following)

    def close(self) -> Iterator[str]:
        """The text of the open block, if there is one."""
        block, self._open, self._in_table = self._open, None, False
        if block is not None and (text := block.text()):
            yield text

    def _fenced(self, line: str) -> None:
        self._open = self._open or _Open()
        self._open.add(line, verbatim=True)

    def _start(self, number: int, line: str, following: str) -> Iterator[Block]:
        block = self._open
        if found := _HEADING.match(line):
            yield from self.close()
            yield Heading(len(found[1]), line, number)
        elif _RULE.match(line):
            yield from self.close()
        elif found := BULLET.match(line):
            yield from self.close()
            self._open = _bullet(line[found.end() :], len(found[1]), columns_of(found[0]))
        elif block is not None and _UNDERLINE.match(line) and _is_title(block):
            self._open = None
            yield Heading(1, block.text(), number - 1)
        else:
            yield from self._prose(line, following)

    def _prose(self, line: str, following: str) -> Iterator[str]:
        numbered = _NUMBERED.match(line) is not None
        table = self._in_table or line.lstrip(BLANKS).startswith("|")
        table = table or ("|" in line and _is_table_rule(following))
        apart = numbered or table or line.lstrip(BLANKS).startswith(">")
        block = self._open
        if block is not None and _ends(block, numbered=numbered, apart=apart):
            yield from self.close()
            block = None
        block = self._open = block or _Open()
        line = line.lstrip(BLANKS) if block.bullet else line
        block.add(line, verbatim=apart or block.inner is not None or indent_of(line) >= _CODE_COLUMNS)
        self._in_table = table
        if numbered:
            block.inner = _NUMBERED_INNER


def _is_table_rule(line: str) -> bool:
    return "|" in line and "-" in line and not line.strip(_TABLE_RULE_MARKS)


def _bullet(content: str, indent: int, columns: int) -> _Open:
    inner = indent + 2
    # Far-off content is code behind the mark, not a deeper margin.
    dedent = columns if content.strip(BLANKS) and columns <= indent + TAB_COLUMNS + 1 else inner
    block = _Open(inner=inner, dedent=dedent, bullet=True)
    if content.strip(BLANKS):
        block.add(content, verbatim=True)
    return block


def _is_title(block: _Open) -> bool:
    return block.inner is None and not block.ended and not block.keeps_break and len(block.parts) == 1


def _ends(block: _Open, *, numbered: bool, apart: bool) -> bool:
    """Whether a line at the margin begins another block: after a blank line, or of another kind."""
    if block.bullet:
        return block.ended or apart
    is_list = block.inner is not None
    return block.ended and not (is_list and numbered)
