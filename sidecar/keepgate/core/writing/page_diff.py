"""The difference of two texts, as the person sees the change of a page. Pure."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

CONTEXT_LINES: Final = 3
COMPARED_LINES_MAX: Final = 4000
"""Longer differences are shown as all that goes and all that comes: comparing them takes too long."""


def unified_diff(path: str, before: str, after: str) -> str:
    """A unified difference of two texts with three lines of context, lines cut at line feeds alone.

    Whatever differs shows: carriage returns stay in their lines, a missing last line break is named.
    """
    old, new = _lines(before), _lines(after)
    out = [f"--- {path}", f"+++ {path}"]
    for group in _groups(old, new):
        first, last = group[0], group[-1]
        out.append(f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@")
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                out += _marked(" ", old[old_from:old_to])
                continue
            out += _marked("-", old[old_from:old_to])
            out += _marked("+", new[new_from:new_to])
    return "\n".join(out)


_Opcode = tuple[str, int, int, int, int]


def _lines(text: str) -> list[str]:
    """Lines with their line feeds."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[list[_Opcode]]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if len(old) + len(new) - 2 * (head + tail) <= 2 * COMPARED_LINES_MAX:
        matcher = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
        middle = [
            (kind, a + head, b + head, c + head, d + head) for kind, a, b, c, d in matcher.get_opcodes()
        ]
    else:
        middle = [("replace", head, len(old) - tail, head, len(new) - tail)]
    opcodes: list[_Opcode] = [("equal", 0, head, 0, head)] if head else []
    opcodes += middle
    if tail:
        opcodes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    yield from _with_context(opcodes)


def _with_context(opcodes: list[_Opcode]) -> Iterator[list[_Opcode]]:
    """Changes with the lines around them; what lies farther apart than both their contexts is a new group."""
    group: list[_Opcode] = []
    for index, (kind, old_from, old_to, new_from, new_to) in enumerate(opcodes):
        if kind != "equal":
            group.append((kind, old_from, old_to, new_from, new_to))
            continue
        length = old_to - old_from
        is_first, is_last = index == 0, index == len(opcodes) - 1
        after = 0 if is_first else min(CONTEXT_LINES, length)
        before = 0 if is_last else min(CONTEXT_LINES, length)
        if not is_first and not is_last and after + before >= length:
            group.append((kind, old_from, old_to, new_from, new_to))
            continue
        if group:
            group.append((kind, old_from, old_from + after, new_from, new_from + after))
            yield group
        group = [] if is_last else [(kind, old_to - before, old_to, new_to - before, new_to)]
    if group:
        yield group


def _span(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield "\\ No newline at end of file"
