"""``server-memory``: the knowledge graph file of the MCP project's memory server.

One JSON object a line: ``{"type": "entity", "name", "entityType", "observations"}`` or ``{"type":
"relation", "from", "to", "relationType"}``. The same objects as an array, a single one, and the server's
``{"entities": [...], "relations": [...]}`` answer are accepted as well. Each observation becomes ``name:
observation`` with the entity's type as its tag, each relation ``from relationType to``.

An export writes one entity for each layer, whose ``entityType`` is ``track/scope`` and whose observations
are the texts; adapting such an entity gives the same texts in that layer. Tags, sources, keys and times
are dropped, because the format has no place for them.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from attrs import frozen

from keepgate.adapters.contract import Adapted, AdaptedEntry, PureAdapter
from keepgate.adapters.text import by_layer, layer_named, numbered_lines, tags_from
from keepgate.core.model.entry import text_problems
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.errors import Fault, adapter_payload
from keepgate.protocol.portability import ImportNote
from keepgate.protocol.wire import decode

ID: Final = "server-memory"
Found: TypeAlias = AdaptedEntry | ImportNote


@frozen
class _Item:
    """One object of the graph and where it stands: a line of the file or a path in the payload."""

    value: Any
    place: str
    line: int | None = None

    def refuse(self, reason: str) -> Fault:
        """The fault that names this item."""
        where = "" if self.line is not None else f"{self.place}: "
        return adapter_payload(ID, where + reason, line=self.line)

    def text(self, member: str) -> str:
        """A member that must be text."""
        value = self.value.get(member)
        if not isinstance(value, str):
            raise self.refuse(f"`{member}` must be text")
        return value


def adapt(payload: Any) -> Adapted:
    """Entries from the graph; raises ``ADAPTER_PAYLOAD`` that names the line or item which is broken."""
    found = [each for item in _items(payload) for each in _converted(item)]
    return Adapted(
        tuple(each for each in found if isinstance(each, AdaptedEntry)),
        tuple(each for each in found if isinstance(each, ImportNote)),
    )


def _items(payload: Any) -> Iterator[_Item]:
    match payload:
        case {"type": "entity" | "relation"}:
            yield _Item(payload, "$")
        case list():
            yield from (_Item(value, f"$[{index}]") for index, value in enumerate(payload))
        case {"entities": _} | {"relations": _}:
            yield from _listed(payload, "entities", "entity")
            yield from _listed(payload, "relations", "relation")
        case _:
            yield from _lines(payload)


def _listed(graph: dict[str, Any], member: str, kind: str) -> Iterator[_Item]:
    values = graph.get(member, [])
    if not isinstance(values, list):
        raise adapter_payload(ID, f"$.{member}: expected an array")
    for index, value in enumerate(values):
        typed = {"type": kind, **value} if isinstance(value, dict) else value
        yield _Item(typed, f"$.{member}[{index}]")


def _lines(payload: Any) -> Iterator[_Item]:
    for number, line in numbered_lines(ID, payload):
        if not line.strip():
            continue
        try:
            value = decode(line.encode())
        except json.JSONDecodeError as error:
            reason = f"not JSON: {error.msg} at column {error.colno}"
            raise adapter_payload(ID, reason, line=number) from None
        except ValueError as error:
            raise adapter_payload(ID, f"not JSON: {error}", line=number) from None
        yield _Item(value, f"line {number}", number)


def _converted(item: _Item) -> Iterator[Found]:
    match item.value:
        case {"type": "entity"}:
            yield from _entity(item)
        case {"type": "relation"}:
            text = f"{item.text('from')} {item.text('relationType')} {item.text('to')}"
            yield _entry(item, text, (Track.USER, Scope.USER_GLOBAL), ())
        case _:
            raise item.refuse("expected an object of type `entity` or `relation`")


def _entity(item: _Item) -> Iterator[Found]:
    name, kind = item.text("name"), item.text("entityType")
    observations = item.value.get("observations")
    if not isinstance(observations, list):
        raise item.refuse("`observations` must be an array")
    layer = layer_named(kind)
    tags, notes = ((), ()) if layer or not kind else tags_from((kind,), item.place)
    yield from notes
    if not observations:
        yield ImportNote(path=item.place, problem=f"{name} has no observations; nothing was taken from it")
    for index, observation in enumerate(observations):
        if not isinstance(observation, str) or not observation:
            raise item.refuse(f"`observations[{index}]` must be text that is not empty")
        text = observation if layer else f"{name}: {observation}"
        yield _entry(item, text, layer or (Track.USER, Scope.USER_GLOBAL), tags)


def _entry(item: _Item, text: str, layer: tuple[Track, Scope], tags: tuple[str, ...]) -> AdaptedEntry:
    if problems := text_problems(text):
        raise item.refuse(problems[0].problem)
    return AdaptedEntry(track=layer[0], scope=layer[1], text=text, tags=tags)


def export(entries: Sequence[Entry]) -> Any:
    """``{plugin, text}``, the text being the file: one line for each layer that has entries."""
    lines = [
        json.dumps(
            {
                "type": "entity",
                "name": f"memories {name}",
                "entityType": name,
                "observations": [entry.text for entry in group],
            },
            ensure_ascii=False,
        )
        for name, group in by_layer(entries)
    ]
    return {"plugin": ID, "text": "".join(line + "\n" for line in lines)}


ADAPTER: Final = PureAdapter(
    id=ID,
    name="MCP memory server",
    description="The knowledge graph of the MCP memory server: observations and relations become memories.",
    version="1",
    import_formats=("application/jsonl", "application/json"),
    export_format="application/jsonl",
    adapt=adapt,
    export=export,
)
