"""``hermes-memory-md``: a strict list of bullets under ``## `` headings.

Every line is blank, ``## heading``, or ``- text`` / ``* text`` at the first column; anything else is refused
with its number. A heading ``track/scope`` states the layer, any other becomes the only tag of its entries.

An export flattens: each line break in a text becomes one blank, because the format has one line for each
entry. Tags, sources, keys and times are dropped, because it has no place for them.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from keepgate.adapters.contract import Adapted, AdaptedEntry, PureAdapter
from keepgate.adapters.markdown import (
    BLANKS,
    Section,
    document,
    escape_edges,
    escape_references,
    section_titled,
    title_of,
    unescape,
)
from keepgate.adapters.text import numbered_lines
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import adapter_payload
from keepgate.protocol.portability import ImportNote

ID: Final = "hermes-memory-md"
_LINE_BREAK: Final = re.compile("\r\n|\n|\r")


def adapt(payload: Any) -> Adapted:
    """Entries from the text; raises ``ADAPTER_PAYLOAD`` with the number of the first line that is none."""
    section = Section()
    entries: list[AdaptedEntry] = []
    notes: list[ImportNote] = []
    for number, line in numbered_lines(ID, payload):
        if line.startswith("## "):
            section, found = section_titled((title_of(line),), number)
            notes += found
        elif line.startswith(("- ", "* ")):
            text = unescape(line[2:].strip(BLANKS))
            if not text:
                raise adapter_payload(ID, "a bullet without text", line=number)
            entries.append(section.entry(text))
        elif line.strip():
            raise adapter_payload(ID, "expected a blank line, `## `, `- ` or `* `", line=number)
    return Adapted(tuple(entries), tuple(notes))


def flatten(text: str) -> str:
    """``text`` as an export keeps it: on one line."""
    return _LINE_BREAK.sub(" ", text)


def export(entries: Sequence[Entry]) -> Any:
    """``{plugin, text}``; texts are flattened, tags dropped."""
    return document(ID, entries, lambda text: escape_edges(escape_references(flatten(text))))


ADAPTER: Final = PureAdapter(
    id=ID,
    name="Hermes memory Markdown",
    description="One bullet for each memory under `##` headings; any other line is refused.",
    version="1",
    import_formats=("text/markdown",),
    export_format="text/markdown",
    adapt=adapt,
    export=export,
)
