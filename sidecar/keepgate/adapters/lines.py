"""Markdown lines before they are grouped: margins, fences, and what is left out."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from keepgate.adapters.markdown import BLANKS
from keepgate.protocol.errors import adapter_payload

Line: TypeAlias = tuple[int, str]
"""A 1-based number and the line without its end."""

TAB_COLUMNS: Final = 4
BULLET: Final = re.compile(r"( {0,3})[-*+](?=[ \t]|$)[ \t]*")
FENCE: Final = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_KEY: Final = re.compile(r"[A-Za-z_][\w.-]*[ \t]*:([ \t]|$)")
_COMMENT: Final = "<!--"
_COMMENT_END: Final = "-->"


@frozen
class Note:
    """Something that was left out."""

    line: int
    text: str


def without_front_matter(lines: Sequence[Line], notes: list[Note]) -> Sequence[Line]:
    """The lines after front matter, which is ``---``, keys, and ``---`` at the very beginning."""
    if len(lines) < 3 or lines[0][1].rstrip() != "---" or not _KEY.match(lines[1][1]):
        return lines
    end = next((number for number, line in lines[1:] if line.rstrip() == "---"), None)
    if end is None:
        return lines
    notes.append(Note(1, "front matter was left out"))
    return lines[end:]


def without_comments(adapter_id: str, lines: Sequence[Line], notes: list[Note]) -> Iterator[Line]:
    """The lines outside comments. A comment at the first column leaves a blank line, which ends a block."""
    fence: str | None = None
    began: int | None = None
    for number, line in lines:
        at = _blanks_before(line)
        touched = began is not None
        while began is not None or (fence is None and line.startswith(_COMMENT, at)):
            if began is None:
                began, touched, at = number, True, at + len(_COMMENT)
                notes.append(Note(number, "a comment was left out"))
            end = line.find(_COMMENT_END, at)
            if end < 0:
                at = len(line)
                break
            began, at = None, _past_blanks(line, end + len(_COMMENT_END))
        if touched and line.startswith(_COMMENT):
            yield number, ""
        outside = line[at:]
        if outside.strip() or not touched:
            fence = fence_after(fence, outside)
            yield number, line[: _blanks_before(line)] + outside
    if began is not None:
        raise adapter_payload(adapter_id, "a comment begins here and never ends", line=began)


def fence_after(fence: str | None, line: str) -> str | None:
    """The fence that is open after ``line``, given the one that was open before it."""
    if fence is None:
        found = FENCE.match(BULLET.sub("", line, count=1))
        return found[1] if found else None
    bare = line.strip(BLANKS)
    return None if len(bare) >= len(fence) and not bare.strip(fence[0]) else fence


def columns_of(text: str) -> int:
    """How many columns ``text`` fills from the margin; a tab reaches the next multiple of four."""
    columns = 0
    for char in text:
        columns += _width(char, columns)
    return columns


def indent_of(line: str) -> int:
    """How many columns of blanks a line begins with."""
    return columns_of(line[: _blanks_before(line)])


def dedented(line: str, columns: int) -> str:
    """``line`` without its first blanks, as many as fill ``columns``; a tab that reaches further goes too."""
    filled = 0
    for index, char in enumerate(line):
        if filled >= columns or char not in BLANKS:
            return line[index:]
        filled += _width(char, filled)
    return ""


def _width(char: str, column: int) -> int:
    return TAB_COLUMNS - column % TAB_COLUMNS if char == "\t" else 1


def _blanks_before(line: str) -> int:
    return len(line) - len(line.lstrip(BLANKS))


def _past_blanks(line: str, at: int) -> int:
    while line[at : at + 1] and line[at] in BLANKS:
        at += 1
    return at
