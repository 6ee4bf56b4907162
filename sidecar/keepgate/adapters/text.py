"""What the formats share: text payloads, layers named ``track/scope``, labels that may become tags."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from keepgate.core.model.entry import clean_tags, text_problems
from keepgate.protocol.entries import LAYERS, TAGS_MAX, Entry, Scope, Track
from keepgate.protocol.errors import adapter_payload
from keepgate.protocol.portability import ImportNote

BYTE_ORDER_MARK: Final = "\ufeff"
_LINE_END: Final = re.compile("\r\n|\n")
_LAYER_NAMES: Final = {f"{track}/{scope}": (track, scope) for track, scope in LAYERS}


def numbered_lines(adapter_id: str, payload: Any) -> list[tuple[int, str]]:
    """The lines of a text payload with their 1-based numbers; LF and CRLF end a line.

    The payload is a string or an object with a string ``text``; a byte-order mark is dropped. Raises
    ``ADAPTER_PAYLOAD`` for anything else, and for characters that no entry can hold.
    """
    text = payload.get("text") if isinstance(payload, dict) else payload
    if not isinstance(text, str):
        raise adapter_payload(adapter_id, "expected text, or an object whose `text` is a string")
    lines = list(enumerate(_LINE_END.split(text.removeprefix(BYTE_ORDER_MARK)), start=1))
    for number, line in lines:
        if line and (problems := text_problems(line)):
            raise adapter_payload(adapter_id, problems[0].problem, line=number)
    return lines


def layer_named(name: str) -> tuple[Track, Scope] | None:
    """The layer that ``track/scope`` names, when it names one."""
    return _LAYER_NAMES.get(name.strip())


def by_layer(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Entries under the names of their layers, sorted by name, each group in the order given."""
    for name in sorted(_LAYER_NAMES):
        layer = _LAYER_NAMES[name]
        if group := [entry for entry in entries if (entry.track, entry.scope) == layer]:
            yield name, group


def tags_from(
    labels: Iterable[Any], path: str, *, prefix: str = "tag: "
) -> tuple[tuple[str, ...], tuple[ImportNote, ...]]:
    """Foreign labels as tags; each that cannot be one becomes a note that begins with ``prefix``.

    Repeats are dropped, and the first sixteen are kept.
    """
    tags: dict[str, None] = {}
    notes: list[ImportNote] = []
    for label in labels:
        cleaned, problem = _tag(label)
        if problem is None and cleaned not in tags and len(tags) == TAGS_MAX:
            problem = f"at most {TAGS_MAX} tags are kept"
        if problem is None:
            tags[cleaned] = None
        else:
            notes.append(ImportNote(path=path, problem=f"{prefix}{cleaned} ({problem})"))
    return tuple(tags), tuple(notes)


def _tag(label: Any) -> tuple[str, str | None]:
    if not isinstance(label, str):
        return type(label).__name__, "not text"
    (tag,), problems = clean_tags((label,))
    return tag, problems[0].problem if problems else None
