"""``schemas/mcp-tools.json``: the MCP tools with their input schemas, and the tools of each surface.

Input schemas stand alone, without references: not every client follows them. An optional field is left out
by a caller, never null. What the front says itself (the session) is no field of a tool.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from keepgate.derive.fields import Field, fields_of
from keepgate.derive.json_schema import DEFS, Schema, definitions, property_of
from keepgate.protocol.operation import Operation
from keepgate.protocol.surfaces import LOCAL_FIELDS, LOCAL_FIELDS_OF, SURFACES, TOOLS, Tool, offered

TOOLS_PATH: Final = "schemas/mcp-tools.json"
ACTION: Final = "action"

_CLAUSE: Final = re.compile(r" \([A-Z]+-[\w, -]+\)")
"""A cited clause of a contract: for readers of the source."""
_NOTES: Final[Mapping[str, str]] = {
    "text": "add, replace, consolidate: the new text, whole. query: a substring to find."
}
"""Notes of fields that mean one thing to one action of the tool ``memory``, another to another."""

_OWNER: Final = "Which tools each surface of `keepgate mcp` offers, and how they are called."


def tools_document() -> Schema:
    """The file: tool names by surface, and every tool's definition."""
    return {
        "description": _OWNER,
        "surfaces": {str(surface): list(offered(surface)) for surface in SURFACES},
        "tools": [definition_of(tool) for tool in TOOLS],
    }


def definition_of(tool: Tool) -> Schema:
    """A tool as ``tools/list`` shows it: no output schema, results are one text block."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool),
        "annotations": {"title": tool.title, **_hints(tool)},
    }


def _hints(tool: Tool) -> dict[str, bool]:
    if tool.reads_only:
        return {"readOnlyHint": True, "openWorldHint": False}
    names = {row.name for row in tool.rows.values()}
    hints = {"readOnlyHint": False, "openWorldHint": False}
    if names & {"verbs/remember"}:
        return {**hints, "destructiveHint": False, "idempotentHint": True}
    if names & {"verbs/forget"}:
        return {**hints, "destructiveHint": True, "idempotentHint": True}
    removing = {"memory/remove", "memory/replace", "memory/consolidate", "memory/undo", "pages/remove"}
    return {**hints, "destructiveHint": bool(names & (removing | {"pages/put"}))}


def input_schema(tool: Tool) -> Schema:
    """The schema of a tool's arguments."""
    if tool.own_params is not None:
        return _object(dict(_properties(tool.own_params, frozenset())), [])
    if "" in tool.rows:
        row = tool.rows[""]
        fields = remote_fields(row)
        required = [field.wire_name for field in fields if field.required]
        closed = {"additionalProperties": False} if row.refuses_unknown_fields else {}
        return {**_object(dict(_properties(row.params, _hidden(row))), required), **closed}
    return _by_action(tool)


def _by_action(tool: Tool) -> Schema:
    """One flat object for several operations: the action says which fields count."""
    properties: dict[str, Schema] = {}
    for row in tool.rows.values():
        for name, schema in _properties(row.params, _hidden(row)):
            noted = {"description": _NOTES[name]} if name in _NOTES else {}
            properties.setdefault(name, {**schema, **noted})
    needed = "; ".join(f"{action}: {_needed(row)}" for action, row in tool.rows.items())
    action: Schema = {
        "description": f"What to do. Required besides it, for {needed}.",
        "type": "string",
        "enum": list(tool.rows),
    }
    return _object({ACTION: action, **properties}, [ACTION])


def _needed(row: Operation) -> str:
    names = [field.wire_name for field in remote_fields(row) if field.required]
    return ", ".join(names) or "nothing"


def _object(properties: dict[str, Schema], required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def remote_fields(row: Operation) -> tuple[Field, ...]:
    """The fields of an operation that a remote caller fills in."""
    return tuple(field for field in fields_of(row.params) if field.name not in _hidden(row))


def _hidden(row: Operation) -> frozenset[str]:
    return LOCAL_FIELDS | LOCAL_FIELDS_OF.get(row.name, frozenset())


def _properties(cls: type, hidden: frozenset[str]) -> Iterator[tuple[str, Schema]]:
    known = definitions([cls], closed=())
    for field in fields_of(cls):
        if field.name not in hidden:
            schema = _inlined(property_of(cls, field), known)
            yield field.wire_name, schema if field.required else _without_null(schema)


def _inlined(value: Any, known: Mapping[str, Schema]) -> Any:
    """A schema with what it refers to in its place; patterns are left out, which some clients refuse."""
    if isinstance(value, list):
        return [_inlined(item, known) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(reference := value.get("$ref"), str):
        meant = known[reference.removeprefix(DEFS)]
        value = {**meant, **{name: each for name, each in value.items() if name != "$ref"}}
    whole = {name: _inlined(each, known) for name, each in value.items() if not _is_pattern(name, each)}
    if isinstance(note := whole.get("description"), str):
        whole["description"] = _CLAUSE.sub("", note)
    if isinstance(properties := whole.get("properties"), dict):
        required = whole.get("required", [])
        whole["properties"] = {
            name: each if name in required else _without_null(each) for name, each in properties.items()
        }
    return whole


def _is_pattern(name: str, value: Any) -> bool:
    # A field may be named so; its value is a schema then.
    return name == "pattern" and isinstance(value, str)


def _without_null(schema: Schema) -> Schema:
    """The schema of an optional field, where absent says what null would."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        left = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": left[0] if len(left) == 1 else left}
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    if len(options) == 1:
        rest = {name: value for name, value in schema.items() if name != "anyOf"}
        return {**options[0], **rest}
    return {**schema, **({"anyOf": options} if options else {})}
