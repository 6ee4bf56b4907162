"""The body of a page: its headings, prose, timeline and chunks. Pure; never raises.

markdown-it finds the blocks, so that fences, comments, tables and lists are what Markdown says they are;
what stands inside of a line is read here.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any, Final

from attrs import frozen

from keepgate.core.model.page import LINKS_TO, Chunk, Dated, Link, PageFlaw
from keepgate.pages.links import plain, targets_in

CHUNK_UNITS: Final = 1_500
CHUNKS_MAX: Final = 2_000
LINKS_MAX: Final = 1_000
DATES_MAX: Final = 2_000
CONTEXT_UNITS: Final = 200
LINE_UNITS: Final = 20_000
LINES_MAX: Final = 20_000
"""What follows in a longer page is searched and nothing more: its blocks would take seconds to find."""
SUMMARY_UNITS: Final = 160
TIMELINE: Final = "timeline"

_DATED: Final = re.compile(
    r"[\s>|*+\-]*(?:\d{1,9}[.)]\s+)?[*_`\[(]{0,4}(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?[*_`\])]{0,4}(?!\d)"
    r"\s*(?:[:|,]|[-–—]+)?[*_`]{0,4}\s*(.*)"
)
_ENDS: Final = re.compile(r"[。！？]|[.!?…]+[\"'”’)\]]*(?=\s)")
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|Mr|Mrs|Ms|Dr|Prof|St|vs|approx|cf|No|e\.g|i\.e|z\.B|ca)\.$"
)


@frozen
class Heading:
    """A heading and the index of its first line; ``body`` is the index of the line after it."""

    level: int
    text: str
    line: int
    body: int


@frozen(kw_only=True)
class Body:
    """The lines of a page with what they are; ``prose`` are the lines of plain text that may sum it up."""

    lines: list[str]
    first: int
    headings: list[Heading]
    code: set[int]
    prose: list[str]


def read_body(lines: list[str], first: int) -> Body:
    """The blocks of ``lines`` from the index ``first`` on."""
    source = [line[:LINE_UNITS] for line in lines[first : first + LINES_MAX]]
    tokens = _blocks().parse("\n".join(source))
    headings: list[Heading] = []
    code: set[int] = set()
    for at, token in enumerate(tokens):
        if token.map is None:
            continue
        begin, end = token.map[0] + first, token.map[1] + first
        if token.type == "heading_open" and token.level == 0:
            text = plain(tokens[at + 1].content)[:300]
            headings.append(Heading(int(token.tag[1:]), text, begin, end))
        elif token.type in ("fence", "code_block", "html_block"):
            code.update(range(begin, end))
    return Body(lines=lines, first=first, headings=headings, code=code, prose=_prose(tokens, headings, first))


@cache
def _blocks() -> Any:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only who indexes pays for it

    blocks = MarkdownIt("commonmark").enable("table")
    blocks.core.ruler.enableOnly(["normalize", "block"])
    return blocks


def _prose(tokens: list[Any], headings: list[Heading], first: int) -> list[str]:
    """The paragraphs of a page, those inside of lists and quotes last; the timeline is none of them."""
    dated = [range(at.line, until) for at, until in _sections(headings, None) if _is_timeline(at)]
    outer: list[str] = []
    inner: list[str] = []
    for at, token in enumerate(tokens):
        if token.type != "paragraph_open" or any(token.map[0] + first in lines for lines in dated):
            continue
        content = tokens[at + 1].content
        if not content.lstrip().startswith("|"):
            (inner if token.level else outer).append(content)
    return outer + inner


def _sections(headings: list[Heading], end: int | None) -> Iterator[tuple[Heading, int]]:
    """Each heading with the index of the line where its part, smaller headings included, ends."""
    for at, heading in enumerate(headings):
        following = (later.line for later in headings[at + 1 :] if later.level <= heading.level)
        yield heading, next(following, end if end is not None else 1 << 30)


def _is_timeline(heading: Heading) -> bool:
    return heading.text.strip(" :").lower() == TIMELINE


def summary_of(body: Body) -> str:
    """The first sentence of the first line of prose, at most 160 characters; empty where there is none."""
    for text in body.prose:
        line = next((words for raw in text.split("\n")[:50] if (words := plain(raw[:2_000]))), "")
        if any(char.isalnum() for char in line):
            return shortened(_first_sentence(line))
    return ""


def _first_sentence(line: str) -> str:
    for end in _ENDS.finditer(line):
        sentence = line[: end.end()]
        if not _ABBREVIATED.search(sentence[-12:]):
            return sentence
    return line


def shortened(text: str, units: int = SUMMARY_UNITS) -> str:
    """Text in one line, cut with an ellipsis where it is longer than ``units`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= units else line[: units - 1].rstrip() + "…"


def links_in(body: Body, slug: str) -> Iterator[Link]:
    """The links of the text with the line around them, each target once."""
    seen: set[str] = set()
    for at in range(body.first, min(body.first + LINES_MAX, len(body.lines))):
        if at in body.code:
            continue
        line = body.lines[at][:LINE_UNITS]
        for target in targets_in(line, slug):
            if target not in seen and len(seen) < LINKS_MAX:
                seen.add(target)
                yield Link(target, LINKS_TO, shortened(plain(line), CONTEXT_UNITS))


def timeline_of(body: Body, flaws: list[PageFlaw]) -> list[Dated]:
    """The dated lines under the headings ``Timeline``; a day that is no day is a flaw."""
    found: list[Dated] = []
    lines = (
        at
        for heading, end in _sections(body.headings, len(body.lines))
        if _is_timeline(heading)
        for at in range(heading.body, min(end, len(body.lines)))
        if at not in body.code
    )
    for at in lines:
        match = _DATED.match(body.lines[at][:LINE_UNITS])
        if match is None:
            _go_on(found, body.lines[at])
        elif (day := _day(match)) is None:
            flaws.append(PageFlaw(at + 1, f"{match[1]}-{match[2]}-{match[3]} is no day"))
        elif len(found) < DATES_MAX:
            found.append(Dated(day, plain(match[4].strip(" |"))[:CHUNK_UNITS]))
    return found


def _go_on(found: list[Dated], line: str) -> None:
    """An indented line goes on with the entry before it."""
    text = plain(line.strip()[:CHUNK_UNITS])
    if found and line[:1] in (" ", "\t") and text:
        last = found.pop()
        found.append(Dated(last.date, f"{last.text} {text}".strip()[:CHUNK_UNITS]))


def _day(match: re.Match[str]) -> str | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return None


def chunks_of(body: Body) -> Iterator[Chunk]:
    """The text by headings, in parts of bounded size; a page without text has one empty chunk."""
    bounds = [body.first, *(heading.line for heading in body.headings), len(body.lines)]
    names = ["", *(heading.text for heading in body.headings)]
    count = 0
    for name, begin, end in zip(names, bounds, bounds[1:], strict=False):
        for text in _parts(body.lines[begin:end]):
            if count < CHUNKS_MAX:
                yield Chunk(name, text)
            count += 1
    if not count:
        yield Chunk("", "")


def _parts(lines: list[str]) -> Iterator[str]:
    part: list[str] = []
    size = 0
    for line in lines:
        for begin in range(0, len(line) or 1, CHUNK_UNITS):
            piece = line[begin : begin + CHUNK_UNITS]
            if part and size + len(piece) > CHUNK_UNITS:
                yield from _kept(part)
                part, size = [], 0
            part.append(piece)
            size += len(piece) + 1
    yield from _kept(part)


def _kept(part: list[str]) -> Iterator[str]:
    if text := "\n".join(part).strip():
        yield text
