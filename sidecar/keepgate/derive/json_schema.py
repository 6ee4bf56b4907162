"""Published types as JSON Schema 2020-12: one definition for each type, fields under their wire names.

A field is required when it has no default. Whole numbers written as ``1.0`` are integers to JSON Schema,
not to the sidecar.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, TypeAlias, get_args, get_origin

import attrs

from keepgate.derive.fields import (
    Field,
    doc_of,
    fields_of,
    is_enum,
    is_nullable,
    members_of,
    reachable,
    shows_default,
)
from keepgate.derive.limits import LIMITS
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.wire import unstructure

Schema: TypeAlias = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
DEFS: Final = "#/$defs/"
_SCALARS: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}


def definitions(roots: Iterable[Any], *, closed: Collection[type], refs: str = DEFS) -> dict[str, Schema]:
    """Schemas by name of every type that ``roots`` need; those in ``closed`` refuse unknown fields.

    ``refs`` is where the definitions will stand. Raises ``ValueError`` when two types share a name.
    """
    found: dict[str, Schema] = {}
    for cls in sorted(reachable(roots), key=lambda each: each.__name__):
        if cls.__name__ in found:
            raise ValueError(f"two published types are named {cls.__name__}")
        found[cls.__name__] = definition(cls, closed=cls in closed, refs=refs)
    return found


def definition(cls: type, *, closed: bool, refs: str = DEFS) -> Schema:
    """The schema of one type; other types are referred to."""
    if is_enum(cls):
        words = [item.value for item in cls]  # type: ignore[attr-defined]  # is_enum says that it can
        return {"description": doc_of(cls), "type": "string", "enum": words}
    fields = fields_of(cls)
    schema: Schema = {"description": doc_of(cls), "type": "object"}
    schema["properties"] = {field.wire_name: property_of(cls, field, refs=refs) for field in fields}
    if required := [field.wire_name for field in fields if field.required]:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def property_of(cls: type, field: Field, *, refs: str = DEFS) -> Schema:
    """The schema of one field with its note, limits and default."""
    schema: Schema = {"description": field.note} if field.note else {}
    schema |= schema_of(field.hint, refs=refs)
    schema |= LIMITS.get((cls, field.name), {})
    if shows_default(field):
        schema["default"] = unstructure(field.default)
    return schema


def schema_of(hint: Any, *, refs: str = DEFS) -> Schema:
    """The schema of a type hint."""
    options = [_one(member, refs) for member in members_of(hint)]
    if not is_nullable(hint) and len(options) == 1:
        return options[0]
    if {} in options:
        return {}
    if all(isinstance(option.get("type"), str) for option in options) and _mergeable(options):
        types = [option["type"] for option in options] + (["null"] if is_nullable(hint) else [])
        return {**options[0], "type": types}
    return {"anyOf": [*options, *([{"type": "null"}] if is_nullable(hint) else [])]}


def _mergeable(options: list[Schema]) -> bool:
    return len(options) == 1 or all(len(option) == 1 for option in options)


def _one(hint: Any, refs: str) -> Schema:
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if origin in (list, tuple):
        return {"type": "array", "items": schema_of(args[0], refs=refs)}
    if origin is dict:
        values = schema_of(args[1], refs=refs)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if is_enum(hint) or attrs.has(hint):
        return {"$ref": refs + hint.__name__}
    raise TypeError(f"{hint} has no JSON Schema")


def closed_types(
    is_closed: Callable[[Any], bool] = lambda row: row.refuses_unknown_fields,
) -> frozenset[type]:
    """The types whose unknown fields are refused wherever they are sent.

    A type that an open request can carry as well stays open, though a write refuses its unknown fields too.
    """
    closed = reachable(row.params for row in OPERATIONS if is_closed(row))
    open_ = reachable(row.params for row in OPERATIONS if not is_closed(row))
    return closed - open_


def document(name: str, title: str, description: str, body: Schema) -> Schema:
    """A schema document with an id that names it without promising an address."""
    return {
        "$schema": DIALECT,
        "$id": f"urn:keepgate:schema:{name}",
        "title": title,
        "description": description,
        **body,
    }
