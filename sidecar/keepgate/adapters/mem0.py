"""``mem0``: a list of facts, each with its ``memory`` and some ``metadata``.

Accepts an array or ``{"facts": [...]}``. ``metadata.category`` and then ``metadata.tags`` become tags;
``track``, ``scope``, ``source``, ``workspace_key`` and ``agent_key`` are taken where they are stated, which
an export does. A foreign value under one of these names is reported and passed over, since the metadata
is the other side's own. Ids and times are not taken: an imported memory is new.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, TypeVar

from keepgate.adapters.contract import Adapted, AdaptedEntry, PureAdapter
from keepgate.adapters.text import tags_from
from keepgate.core.model.entry import text_problems
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.errors import adapter_payload
from keepgate.protocol.portability import ImportNote

Word = TypeVar("Word", bound=StrEnum)

ID: Final = "mem0"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def adapt(payload: Any) -> Adapted:
    """Entries from the facts; raises ``ADAPTER_PAYLOAD`` that names the item which is none."""
    entries: list[AdaptedEntry] = []
    notes: list[ImportNote] = []
    for path, fact in _facts(payload):
        entry, found = _entry(path, fact)
        entries.append(entry)
        notes += found
    return Adapted(tuple(entries), tuple(notes))


def _facts(payload: Any) -> Iterator[tuple[str, Any]]:
    root = "$.facts" if isinstance(payload, dict) and "facts" in payload else "$"
    facts = payload["facts"] if root != "$" else payload
    if not isinstance(facts, list):
        hint = ""
        if isinstance(payload, dict) and isinstance(payload.get("results"), list):
            hint = "; give the array under `results` itself"
        raise adapter_payload(ID, f"{root}: expected an array of facts, or an object with `facts`{hint}")
    for index, fact in enumerate(facts):
        yield f"{root}[{index}]", fact


def _entry(path: str, fact: Any) -> tuple[AdaptedEntry, list[ImportNote]]:
    if not isinstance(fact, dict):
        raise adapter_payload(ID, f"{path}: expected an object with a `memory`")
    text = fact.get("memory")
    if not isinstance(text, str):
        raise adapter_payload(ID, f"{path}.memory: expected text")
    if problems := text_problems(text, f"{path}.memory"):
        raise adapter_payload(ID, f"{problems[0].path}: {problems[0].problem}")
    metadata = fact.get("metadata")
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        raise adapter_payload(ID, f"{path}.metadata: expected an object")
    notes: list[ImportNote] = []
    place = f"{path}.metadata"
    tags, left_out = tags_from([*_labels(metadata, "category"), *_labels(metadata, "tags")], place)
    entry = AdaptedEntry(
        track=_word(metadata, "track", Track.USER, place, notes),
        scope=_word(metadata, "scope", Scope.USER_GLOBAL, place, notes),
        text=text,
        tags=tags,
        source=_stated(metadata, "source", place, notes) or None,
        workspace_key=_stated(metadata, "workspace_key", place, notes),
        agent_key=_stated(metadata, "agent_key", place, notes),
    )
    return entry, [*notes, *left_out]


def _labels(metadata: dict[str, Any], name: str) -> list[Any]:
    value = metadata.get(name)
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _word(metadata: dict[str, Any], name: str, default: Word, path: str, notes: list[ImportNote]) -> Word:
    value = _stated(metadata, name, path, notes)
    if value is None:
        return default
    try:
        return type(default)(value)
    except ValueError:
        notes.append(ImportNote(path=f"{path}.{name}", problem=f"not a {name} of ours; {default} is used"))
        return default


def _stated(metadata: dict[str, Any], name: str, path: str, notes: list[ImportNote]) -> str | None:
    value = metadata.get(name)
    if value is None or isinstance(value, str):
        return value
    notes.append(ImportNote(path=f"{path}.{name}", problem="not text; it was passed over"))
    return None


def export(entries: Sequence[Entry]) -> Any:
    """``{plugin, facts}``: layer, source, keys and tags go into a fact's metadata, times are ISO 8601."""
    return {"plugin": ID, "facts": [_fact(entry) for entry in entries]}


def _fact(entry: Entry) -> dict[str, Any]:
    return {
        "memory": entry.text,
        "created_at": _instant(entry.created_at),
        "updated_at": _instant(entry.updated_at),
        "metadata": {
            "track": str(entry.track),
            "scope": str(entry.scope),
            "source": entry.source,
            "workspace_key": entry.workspace_key,
            "agent_key": entry.agent_key,
            "tags": list(entry.tags),
        },
    }


def _instant(epoch_ms: int) -> str:
    at = _EPOCH + timedelta(milliseconds=epoch_ms)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


ADAPTER: Final = PureAdapter(
    id=ID,
    name="mem0 facts",
    description="An array of facts, or an object with `facts`; layer, source, keys and tags are kept.",
    version="1",
    import_formats=("application/json",),
    export_format="application/json",
    adapt=adapt,
    export=export,
)
