"""Markdown for the reference pages: tables, anchors, and types in words."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args, get_origin

import attrs

from keepgate.derive.fields import (
    Field,
    doc_of,
    fields_of,
    is_enum,
    is_nullable,
    members_of,
    shows_default,
    types_in,
)
from keepgate.protocol.wire import unstructure

WRITTEN_BY: Final = (
    "<!-- Written by `python -m keepgate.derive` from sidecar/keepgate/protocol; do not edit. -->\n"
)
_WORDS: Final = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any JSON"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def anchor(heading: str) -> str:
    """The fragment by which a page's heading is linked to."""
    kept = "".join(char for char in heading.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


def link(name: str, page: str = "") -> str:
    """A link to the heading that consists of ``name`` as code."""
    return f"[`{name}`]({page}#{anchor(name)})"


def type_words(hint: Any, types_page: str = "") -> str:
    """A type hint in words, with links to the types it names."""
    words = [_one(member, types_page) for member in members_of(hint)]
    return " or ".join([*words, *(["null"] if is_nullable(hint) else [])])


def _one(hint: Any, types_page: str) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    if get_origin(hint) in (list, tuple):
        return f"array of {type_words(get_args(hint)[0], types_page)}"
    if get_origin(hint) is dict:
        values = get_args(hint)[1]
        return "object" if values is Any else f"object of {type_words(values, types_page)}"
    if is_enum(hint) or attrs.has(hint):
        return link(hint.__name__, types_page)
    raise TypeError(f"{hint} has no words")


def fields_table(cls: type, types_page: str = "", *, given: bool = True) -> str:
    """The fields of a type, or a sentence when it has none.

    With ``given`` a column says which must be given; what the sidecar sends always has every field.
    """
    rows = [
        [
            f"`{field.wire_name}`",
            type_words(field.hint, types_page),
            *([_need(field)] if given else []),
            _note(field),
        ]
        for field in fields_of(cls)
    ]
    return table(["field", "type", *([""] if given else []), "meaning"], rows) if rows else "None.\n"


def _note(field: Field) -> str:
    """The field's own note, else what its type is for."""
    named = [doc_of(each) for each in types_in(field.hint)]
    return field.note or " ".join(named)


def _need(field: Field) -> str:
    if field.required:
        return "required"
    return f"default `{as_json(unstructure(field.default))}`" if shows_default(field) else ""


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON as pages and files show it."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
