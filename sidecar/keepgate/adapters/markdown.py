"""What the two Markdown formats share: sections, the escapes of an export, and the exported document.

Both write ``## track/scope`` and one bullet for each entry. What a reader of Markdown would trim from a
bullet, or take for something else, is written as a character reference (``&#32;`` for a blank at an edge),
and a text that already holds such a reference gets one more ``amp;``. So what was exported is what an
import reads, and a file written by hand may have trailing blanks without harm.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from attrs import frozen

from keepgate.adapters.contract import AdaptedEntry
from keepgate.adapters.text import by_layer, layer_named, tags_from
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.portability import ImportNote

BLANKS: Final = " \t"
_REFERENCE: Final = re.compile("&((?:amp;)*)#(9|10|13|32|45|60);")
_EDGE: Final = re.compile(r"^[ \t]|[ \t]$")


@frozen(kw_only=True)
class Section:
    """Where the entries below a heading belong."""

    track: Track = Track.USER
    scope: Scope = Scope.USER_GLOBAL
    tags: tuple[str, ...] = ()

    def entry(self, text: str) -> AdaptedEntry:
        """An entry of this section; the format has no place for its source and keys."""
        return AdaptedEntry(track=self.track, scope=self.scope, text=text, tags=self.tags)


def title_of(heading: str) -> str:
    """A heading's text without its marks; ``heading`` begins with at least one ``#``."""
    title = heading.strip(BLANKS).lstrip("#").strip(BLANKS)
    bare = title.rstrip("#")
    return title if bare and bare[-1] not in BLANKS else bare.rstrip(BLANKS)


def section_titled(titles: Sequence[str], line: int) -> tuple[Section, tuple[ImportNote, ...]]:
    """The section under these headings, outermost first; ``line`` is where the innermost stands.

    A title ``track/scope`` states the layer. Any other becomes a tag when it can be one; else the innermost
    is reported with the prefix ``section: `` (an outer one was reported at its own line).
    """
    layer = next((found for title in titles if (found := layer_named(title))), None)
    tags, _ = tags_from(_labels(titles), f"line {line}")
    _, notes = tags_from(_labels(titles[-1:]), f"line {line}", prefix="section: ")
    track, scope = layer or (Track.USER, Scope.USER_GLOBAL)
    return Section(track=track, scope=scope, tags=tags), notes


def _labels(titles: Sequence[str]) -> list[str]:
    return [title for title in titles if title and not layer_named(title)]


def document(adapter_id: str, entries: Sequence[Entry], bullet: Callable[[str], str]) -> dict[str, Any]:
    """The export payload ``{plugin, text}``: a heading for each layer, a bullet for each entry.

    The text is empty when there are no entries. Tags, sources, keys and times have no place in it.
    """
    groups = (
        f"## {name}\n\n" + "".join(f"- {bullet(entry.text)}\n" for entry in group)
        for name, group in by_layer(entries)
    )
    return {"plugin": adapter_id, "text": "\n".join(groups)}


def reference(char: str) -> str:
    """A character as a reference that :func:`unescape` reads."""
    return f"&#{ord(char)};"


def escape_references(text: str) -> str:
    """``text`` with its own references guarded, so that only those of the export are read back."""
    return _REFERENCE.sub(lambda found: "&amp;" + found[0][1:], text)


def escape_edges(line: str) -> str:
    """``line`` with a blank at either end written as a reference."""
    return _EDGE.sub(lambda found: reference(found[0]), line)


def unescape(text: str) -> str:
    """The text that was exported."""
    return _REFERENCE.sub(
        lambda found: f"&{found[1][4:]}#{found[2]};" if found[1] else chr(int(found[2])), text
    )
