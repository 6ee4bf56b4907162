"""Small edits of a page's text: a link, a line of the timeline, a note. Pure.

Everything else stays byte for byte as it was, line endings included: these are edits of a person's file.
"""

import re
from datetime import date
from typing import Final

TYPE_FORM: Final = r"[a-z][a-z0-9_]{0,59}"
"""What the type of a link may be: the name of a front-matter list."""

NOT_LINKS: Final = frozenset(
    {"title", "type", "aliases", "summary", "tags", "visibility", "date", "created", "updated"}
)
"""Names of the front matter that mean something else."""

TEXT_UNITS_MAX: Final = 4000
TIMELINE_HEADING: Final = "## Timeline"

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+\Z")
_LINE_ENDS: Final = re.compile(r"\r\n?")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_DATED: Final = re.compile(r"[-*+] +\**(\d{4}-\d{2}-\d{2})\b")
_ITEM: Final = re.compile(r"([ \t]*)- ?(.*)\Z")
_KEY: Final = re.compile(r"[^\s#:][^:]{0,100}:(?:\s|\Z)")
_BOM: Final = "\ufeff"


class UneditableError(ValueError):
    """The text has a form that this edit does not know; the message says which."""


def day_problem(day: str) -> str | None:
    """Why this is no ISO day; ``None`` when it is one."""
    try:
        if date.fromisoformat(day).isoformat() == day:
            return None
    except ValueError:
        pass
    return "must be an ISO day such as 2026-11-30"


def with_link(text: str, type_: str, to: str) -> str:
    """``text`` with ``[[to]]`` in the front-matter list named ``type_``; unchanged when it is there.

    Raises :class:`UneditableError` for front matter that is not closed, and for a value of that name that
    is no list of links.
    """
    lines = _lines(text)
    end = _line_end(text)
    link = f'"[[{to}]]"'
    closing = _front_matter_end(lines)
    if closing is None:
        bom = _BOM if text.startswith(_BOM) else ""
        return f"{bom}---{end}{type_}:{end}  - {link}{end}---{end}" + text.removeprefix(_BOM)
    at = _key_line(lines, closing, type_)
    if at is None:
        lines.insert(closing, f"{type_}:{end}  - {link}{end}")
        return "".join(lines)
    value = _without_comment(_bare(lines[at]).split(":", 1)[1])
    if value:
        return _with_inline_link(lines, at, value, to)
    return _with_listed_link(lines, at, closing, to, end)


def _with_inline_link(lines: list[str], at: int, value: str, to: str) -> str:
    """``works_at: [[a]]``, ``works_at: "[[a]]"`` and ``works_at: ["[[a]]", "[[b]]"]``, on one line."""
    if to in _targets(value):
        return "".join(lines)
    if re.sub(r"""\[\[[^\[\]]*\]\]|["'\[\], \t]""", "", value):
        raise UneditableError("its front matter holds something else than links under that name")
    # Links are written quoted: bare, YAML reads them as lists of lists.
    links = ", ".join(f'"[[{target}]]"' for target in [*_targets(value), to])
    key = lines[at].split(":", 1)[0]
    lines[at] = f"{key}: [{links}]" + _ending(lines[at])
    return "".join(lines)


def _with_listed_link(lines: list[str], at: int, closing: int, to: str, end: str) -> str:
    last, indent = at, "  "
    for index in range(at + 1, closing):
        bare = _bare(lines[index])
        item = _ITEM.match(bare)
        if item is not None:
            last, indent = index, item[1]
            if to in _targets(item[2]) or _unquoted(item[2]) == to:
                return "".join(lines)
        elif bare.strip() and not bare.lstrip().startswith("#"):
            if bare[0] in " \t":
                raise UneditableError("its front matter holds something else than a list under that name")
            break
    lines.insert(last + 1, f'{indent}- "[[{to}]]"{end}')
    return "".join(lines)


def _targets(value: str) -> list[str]:
    """The slugs inside ``[[…]]``; what stands behind a bar is a caption."""
    return [found.split("|")[0].strip() for found in re.findall(r"\[\[([^\[\]]+)\]\]", value)]


def _unquoted(value: str) -> str:
    return _without_comment(value).strip().strip("\"'")


def _without_comment(value: str) -> str:
    return re.sub(r"(?:^|[ \t])#.*\Z", "", value).strip()


def with_timeline(text: str, day: str, note: str) -> str:
    """``text`` with ``- day: note`` in its timeline, which is made at the end where there is none.

    The line goes behind those of the same day and before the first later one, where the list ascends; where
    it descends, before those of the same day. An equal line that is there leaves the text unchanged.
    """
    end = _line_end(text)
    line = f"- {day}: {' '.join(note.split())}"
    lines = _lines(text)
    section = _timeline(lines)
    if section is None:
        gap = "" if not lines or _ends_blank(lines) else end if _ending(lines[-1]) else end * 2
        return f"{text}{gap}{TIMELINE_HEADING}{end}{end}{line}{end}"
    start, stop = section
    dated = [
        (index, found[1]) for index in range(start, stop) if (found := _DATED.match(_bare(lines[index])))
    ]
    if any(_bare(lines[index]) == line for index, _ in dated):
        return text
    at = _place(dated, day, lines, start, stop)
    if at and _ending(lines[at - 1]) == "":
        lines[at - 1] += end
    if not dated and at == start:
        line = end + line
    lines.insert(at, line + end)
    return "".join(lines)


def _place(dated: list[tuple[int, str]], day: str, lines: list[str], start: int, stop: int) -> int:
    if not dated:
        return start
    descends = len(dated) > 1 and dated[0][1] > dated[-1][1]
    for index, other in dated:
        if (other <= day) if descends else (other > day):
            return index
    # Behind the last dated line and what belongs to it.
    at = dated[-1][0] + 1
    while at < stop and _bare(lines[at]).strip() and lines[at][0] in " \t":
        at += 1
    return at


def _timeline(lines: list[str]) -> tuple[int, int] | None:
    """Where the lines below the heading begin and end; ``None`` without one. Code is skipped."""
    start, level, fence = None, 0, None
    for index in range((_front_matter_end(lines) or -1) + 1, len(lines)):
        bare = _bare(lines[index])
        if found := _FENCE.match(bare):
            mark = found[1]
            if fence is None:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence) and not bare.strip().strip(mark[0]):
                fence = None
            continue
        heading = None if fence else _HEADING.match(bare)
        if heading is None:
            continue
        if start is not None and len(heading[1]) <= level:
            return start, index
        if start is None and (heading[2] or "").strip().casefold() == "timeline":
            start, level = index + 1, len(heading[1])
    return None if start is None else (start, len(lines))


def with_note(text: str | None, day: str, clock: str, note: str, *, title: str) -> str:
    """An inbox page with a dated note at its end; ``None`` begins the page, with this title.

    ``clock`` is ``HH:MM``. The note is kept as it came, in a list item of its own.
    """
    if text is None:
        text = f"---\ntitle: {title}\ntype: inbox\n---\n"
    end = _line_end(text)
    # A lone carriage return, too, begins a line for who reads the page.
    body = _LINE_ENDS.sub("\n", note).strip("\n").split("\n")
    item = [f"- {day} {clock} {body[0]}", *(f"  {line}" if line.strip() else "" for line in body[1:])]
    lines = _lines(text)
    gap = "" if not lines or _ending(lines[-1]) else end
    closing = _front_matter_end(lines)
    if closing is not None and closing == len(lines) - 1:
        gap += end
    return text + gap + end.join(item) + end


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _bare(line: str) -> str:
    return line.rstrip("\n").removesuffix("\r")


def _ending(line: str) -> str:
    return line[len(_bare(line)) :]


def _line_end(text: str) -> str:
    """The line ending of a text: that of its first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _ends_blank(lines: list[str]) -> bool:
    return not _bare(lines[-1]).strip() and _ending(lines[-1]) != ""


def _front_matter_end(lines: list[str]) -> int | None:
    """The line that closes the front matter; ``None`` where there is none.

    Raises :class:`UneditableError` when it is opened and never closed; three dashes above prose open nothing.
    """
    if not lines or _bare(lines[0]).removeprefix(_BOM).rstrip() != "---":
        return None
    for index in range(1, len(lines)):
        if _bare(lines[index]).rstrip() in ("---", "..."):
            return index
    if len(lines) > 1 and not _KEY.match(_bare(lines[1])):
        return None
    raise UneditableError("its front matter is never closed")


def _key_line(lines: list[str], closing: int, key: str) -> int | None:
    found = [
        index
        for index in range(1, closing)
        if re.match(
            rf"""(?:{re.escape(key)}|"{re.escape(key)}"|'{re.escape(key)}')[ \t]*:(?:[ \t]|\Z)""",
            _bare(lines[index]),
        )
    ]
    return found[0] if found else None
