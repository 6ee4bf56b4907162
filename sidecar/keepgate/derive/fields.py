"""What the published types say about themselves: fields, notes, defaults, and which types they use."""

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import attrs
from attrs import frozen

from keepgate.protocol.entries import UNSET, Unset
from keepgate.protocol.naming import wire_name

NOTHING: Final = attrs.NOTHING
_CODE: Final = re.compile(r"``(.+?)``")
_ROLE: Final = re.compile(r":\w+:`~?(.+?)`")
_LEAD: Final = re.compile(r"(?:Params|Result) of [^:;.]*?`[^`]+`(?:, `[^`]+`| and `[^`]+`)*([:;,.]|(?= )) *")


@frozen(kw_only=True)
class Field:
    """One field of a published type. ``default`` is ``NOTHING`` where the field must be given."""

    name: str
    wire_name: str
    hint: Any
    note: str
    default: Any

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is NOTHING


def fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of an attrs type in their order, notes taken off the hints."""
    return tuple(_field(cls, item) for item in attrs.fields(cls))


def _field(cls: type, item: Any) -> Field:
    hint, note = item.type, ""
    if get_origin(hint) is Annotated:
        hint, note = get_args(hint)[:2]
    default = item.default
    if make := getattr(default, "factory", None):
        default = make()
    return Field(name=item.name, wire_name=wire_name(cls, item.name), hint=hint, note=note, default=default)


def union_of(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the hint alone; ``Unset``, which never travels, is left out."""
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(member for member in members if member is not Unset)


def is_nullable(hint: Any) -> bool:
    """Whether ``null`` may stand there."""
    return type(None) in union_of(hint)


def members_of(hint: Any) -> tuple[Any, ...]:
    """The members of a union but ``None``."""
    return tuple(member for member in union_of(hint) if member is not type(None))


def shows_default(field: Field) -> bool:
    """Whether the default says more than "absent": ``None`` and ``UNSET`` do not."""
    return not field.required and field.default is not None and field.default is not UNSET


def is_enum(hint: Any) -> bool:
    """Whether a hint is a closed set of words."""
    return isinstance(hint, type) and issubclass(hint, Enum)


def types_in(hint: Any) -> Iterator[type]:
    """The attrs and enum types that a hint names, not those behind their fields."""
    for member in members_of(hint):
        if is_enum(member) or attrs.has(member):
            yield member
        else:
            for inner in get_args(member):
                yield from types_in(inner)


def reachable(roots: Iterable[Any]) -> frozenset[type]:
    """Every attrs and enum type that the given hints need."""
    found: set[type] = set()
    waiting = [each for root in roots for each in types_in(root)]
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found.add(cls)
            if attrs.has(cls):
                waiting += [each for field in fields_of(cls) for each in types_in(field.hint)]
    return frozenset(found)


def doc_of(cls: type) -> str:
    """A type's docstring as one Markdown paragraph."""
    doc = " ".join((cls.__doc__ or "").split())
    return _CODE.sub(r"`\1`", _ROLE.sub(r"`\1`", doc))


def remark_of(cls: type) -> str:
    """What the docstring of a params or result type says beyond naming its method."""
    doc = doc_of(cls)
    lead = _LEAD.match(doc)
    if lead is None:
        return doc
    rest = doc[lead.end() :] if lead[1] else ""
    return rest[:1].upper() + rest[1:]
