"""``claude-code-memory-md``: Markdown prose as people keep it in ``MEMORY.md`` and ``CLAUDE.md``.

One entry for each paragraph, bullet, numbered list, quotation or table; how the lines are grouped is told
in :mod:`keepgate.adapters.blocks`. Headings become tags: all from the second level down to the innermost,
or the first level where there is none below it. A heading ``track/scope`` states the layer instead.

An export writes one bullet for each entry, its further lines indented, and adapting it gives the same texts
to the character. Tags, sources, keys and times are dropped, because the format has no place for them.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from keepgate.adapters.blocks import Heading, blocks
from keepgate.adapters.contract import Adapted, AdaptedEntry, PureAdapter
from keepgate.adapters.lines import Note
from keepgate.adapters.markdown import (
    BLANKS,
    Section,
    document,
    escape_edges,
    escape_references,
    reference,
    section_titled,
    title_of,
)
from keepgate.adapters.text import numbered_lines
from keepgate.protocol.entries import Entry
from keepgate.protocol.portability import ImportNote

ID: Final = "claude-code-memory-md"
_COMMENT_START: Final = re.compile(r"^([ \t]*)<(?=!--)")


def adapt(payload: Any) -> Adapted:
    """Entries from the text; raises ``ADAPTER_PAYLOAD`` for what is no text and for an endless comment."""
    section = Section()
    titles: dict[int, str] = {}
    entries: list[AdaptedEntry] = []
    notes: list[ImportNote] = []
    for block in blocks(ID, numbered_lines(ID, payload)):
        match block:
            case Heading():
                titles = {level: title for level, title in titles.items() if level < block.level}
                titles[block.level] = title_of(block.text)
                section, found = section_titled(_path(titles), block.line)
                notes += found
            case Note():
                notes.append(ImportNote(path=f"line {block.line}", problem=block.text))
            case str():
                entries.append(section.entry(block))
    return Adapted(tuple(entries), tuple(notes))


def _path(titles: dict[int, str]) -> list[str]:
    return [titles[level] for level in sorted(titles) if level > 1] or list(titles.values())


def export(entries: Sequence[Entry]) -> Any:
    """``{plugin, text}``; every text survives to the character, tags are dropped."""
    return document(ID, entries, bullet)


def bullet(text: str) -> str:
    """``text`` as the content of a bullet, further lines indented below the first."""
    guarded = escape_references(text).replace("\r", reference("\r"))
    core = guarded.strip("\n")
    before = len(guarded) - len(guarded.lstrip("\n"))
    after = len(guarded) - len(core) - before
    first, *rest = (reference("\n") * before + core + reference("\n") * after).split("\n")
    if not first.strip("-" + BLANKS):
        # Together with the bullet's own mark, dashes alone would be a rule.
        first = first.replace("-", reference("-"))
    return "\n".join([escape_edges(first), *(_continuation(line) for line in rest)])


def _continuation(line: str) -> str:
    guarded = _COMMENT_START.sub(lambda found: found[1] + reference("<"), line)
    if guarded.endswith((" ", "\t")):
        guarded = guarded[:-1] + reference(guarded[-1])
    return "  " + guarded if guarded else ""


ADAPTER: Final = PureAdapter(
    id=ID,
    name="Claude Code memory Markdown",
    description="Prose as in MEMORY.md and CLAUDE.md: paragraphs, bullets, lists and tables become memories.",
    version="1",
    import_formats=("text/markdown",),
    export_format="text/markdown",
    adapt=adapt,
    export=export,
)
