"""The part of JSON Schema that the response registry uses; further fields are always allowed.

``type`` (one or several), ``required``, ``properties``, ``items``, ``enum``, ``const``, ``anyOf``,
``minLength``, ``minimum``, ``pattern`` and ``$ref`` into the same document. Other keywords say nothing here.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

_TYPES: Final = {"object": Mapping, "array": list, "string": str, "boolean": bool, "null": type(None)}


def has_type(value: Any, name: str) -> bool:
    """Whether a value is of a JSON Schema type; ``1.0`` is an integer, ``true`` is no number."""
    if name == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if name == "integer":
        return has_type(value, "number") and float(value).is_integer()
    kind = _TYPES.get(name)
    return kind is not None and isinstance(value, kind)


def problems(value: Any, schema: Schema, document: Schema | None = None, at: str = "$") -> Iterator[str]:
    """What is wrong with a value, each with its path; nothing when it fits."""
    document = schema if document is None else document
    if reference := schema.get("$ref"):
        yield from problems(value, _resolved(str(reference), document), document, at)
        return
    if options := schema.get("anyOf"):
        found = [list(problems(value, option, document, at)) for option in options]
        if all(found):
            yield min(found, key=len)[0]
        return
    if (wrong := _of_itself(value, schema)) is not None:
        yield f"{at} {wrong}"
    elif isinstance(value, Mapping):
        yield from _of_object(value, schema, document, at)
    elif isinstance(value, list) and (items := schema.get("items")):
        for index, item in enumerate(value):
            yield from problems(item, items, document, f"{at}[{index}]")


def _of_itself(value: Any, schema: Schema) -> str | None:
    return _of_type(value, schema) or _of_form(value, schema)


def _of_type(value: Any, schema: Schema) -> str | None:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(has_type(value, kind) for kind in kinds):
        return f"is {_named(value)}, not {' or '.join(kinds)}"
    if "const" in schema and (value != schema["const"] or isinstance(value, bool)):
        return f"is {_named(value)}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"is {_named(value)}, not one of {', '.join(map(str, schema['enum']))}"
    return None


def _of_form(value: Any, schema: Schema) -> str | None:
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            return "is too short"
        if "pattern" in schema and re.search(schema["pattern"], value) is None:
            return f"is {_named(value)}, which has not the form {schema['pattern']}"
    if has_type(value, "number") and value < schema.get("minimum", value):
        return f"is {_named(value)}, less than {schema['minimum']}"
    return None


def _of_object(value: Mapping[str, Any], schema: Schema, document: Schema, at: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}.{name} is missing"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            yield from problems(value[name], inner, document, f"{at}.{name}")


def _resolved(reference: str, document: Schema) -> Schema:
    found: Any = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found  # type: ignore[no-any-return]  # a reference names a schema of the same document


def _named(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
