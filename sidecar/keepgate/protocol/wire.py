"""Typed values to and from JSON, strict about types, in the names of their dialect.

No coercion: ``5`` is not a string and ``"no"`` is not a boolean. Unknown fields are refused or ignored
as the caller says. Every complaint carries a JSON path in wire names.
"""

import json
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import attrs
from cattrs import (
    BaseValidationError,
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationError,
)
from cattrs.cols import list_structure_factory
from cattrs.gen import (
    make_dict_structure_fn,
    make_dict_unstructure_fn,
    make_mapping_structure_fn,
    override,
)

from keepgate.protocol.entries import UNSET, Unset
from keepgate.protocol.errors import Fault, Problem, invalid_input
from keepgate.protocol.naming import wire_name

T = TypeVar("T")

INTEGER_MAX: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Readers of one message per line may end a line at any of these.
_RAW_LINE_ENDS: Final = {ord(end): f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}
_JSON_NAMES: Final[dict[Any, str]] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


class WrongType(TypeError):
    """A JSON value of another type than the field has."""

    def __init__(self, expected: str, value: object) -> None:
        super().__init__(f"expected {expected}, got {_JSON_NAMES.get(type(value), 'something else')}")


class WrongValue(ValueError):
    """The right JSON type with a value outside the contract."""


def structure(raw: Any, cls: type[T], *, forbid_unknown: bool = False, root: str = "$") -> T:
    """Build ``cls`` from decoded JSON.

    Raises ``INVALID_INPUT``: numbered -32602 when a type, a missing or an unknown field is wrong, -32050
    when every type is right and a value is not. Paths in the problems begin with ``root``.
    """
    try:
        return (_STRICT if forbid_unknown else _LENIENT).structure(raw, cls)
    except (BaseValidationError, WrongType, WrongValue) as error:
        raise _fault(error, root) from None


def unstructure(value: Any) -> Any:
    """JSON-ready form in wire names; ``None`` becomes ``null``, an ``UNSET`` field is left out."""
    return _LENIENT.unstructure(value)


def encode(message: Any) -> bytes:
    """UTF-8 JSON without raw line ends of any kind. Lone surrogates, which UTF-8 cannot carry, are escaped.

    Raises ``ValueError`` for NaN and infinities: the other side would refuse the whole message.
    """
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Looking for three characters is quick, writing a long text anew is not.
    if not text.isascii() and any(chr(end) in text for end in _RAW_LINE_ENDS):
        text = text.translate(_RAW_LINE_ENDS)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(message, allow_nan=False, separators=(",", ":")).encode()


def decode(body: bytes) -> Any:
    """Strict JSON: UTF-8 (a byte-order mark is tolerated), no NaN, no duplicate names.

    Raises ``ValueError`` for anything else, nesting too deep for the parser included.
    """
    try:
        return json.loads(
            body.decode("utf-8-sig"), parse_constant=_refuse_constant, object_pairs_hook=_unique_names
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object names the same member twice")
    return members


def _fault(error: BaseException, root: str) -> Fault:
    found = list(_problems(error, root))
    shape = any(is_shape for _, is_shape in found)
    return invalid_input(*(problem for problem, _ in found), shape=shape)


def _problems(error: BaseException, path: str) -> Iterator[tuple[Problem, bool]]:
    match error:
        case ClassValidationError():
            placed, unplaced = error.group_exceptions()
            for inner, note in placed:
                yield from _problems(inner, f"{path}.{wire_name(error.cl, note.name)}")
            for inner in unplaced:
                yield from _problems(inner, path)
        case IterableValidationError():
            for inner, place in error.group_exceptions()[0]:
                step = f"[{place.index}]" if isinstance(place.index, int) else f".{place.index}"
                yield from _problems(inner, path + step)
        case ForbiddenExtraKeysError():
            for name in sorted(error.extra_fields):
                yield Problem(f"{path}.{name}", "is not a field of this request"), True
        case KeyError():
            yield Problem(path, "is missing"), True
        case WrongValue():
            yield Problem(path, str(error)), False
        case _:
            yield Problem(path, str(error)), True


def _boolean(value: Any, _: Any) -> bool:
    if type(value) is not bool:
        raise WrongType("true or false", value)
    return value


def _integer(value: Any, _: Any) -> int:
    if type(value) is not int:
        raise WrongType("an integer", value)
    if abs(value) > INTEGER_MAX:
        raise WrongValue(f"must lie between -{INTEGER_MAX} and {INTEGER_MAX}")
    return value


def _string(value: Any, _: Any) -> str:
    if type(value) is not str:
        raise WrongType("a string", value)
    if not value.isascii() and _LONE_SURROGATE.search(value):
        raise WrongValue("contains a lone surrogate")
    return value


def _number(value: Any, _: Any) -> float:
    if type(value) not in (int, float):
        raise WrongType("a number", value)
    if not -INTEGER_MAX <= value <= INTEGER_MAX:
        raise WrongValue("is too large")
    return float(value)


def _enum(value: Any, enum: Any) -> Any:
    if type(value) is not str:
        raise WrongType("a string", value)
    try:
        return enum(value)
    except ValueError:
        raise WrongValue(f"must be one of {', '.join(item.value for item in enum)}") from None


def _is_union(cls: Any) -> bool:
    return get_origin(cls) in (Union, UnionType)


def _is_array(cls: Any) -> bool:
    return get_origin(cls) in (list, tuple)


def _is_object(cls: Any) -> bool:
    return get_origin(cls) is dict


def _wire_names(cls: Any) -> dict[str, Any]:
    # A null session asks for the management view, so a session that was not given must not become null.
    return {
        item.name: override(rename=wire_name(cls, item.name), omit_if_default=item.default is UNSET)
        for item in attrs.fields(cls)
    }


def _attrs_class(forbid_unknown: bool, cls: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    build = make_dict_structure_fn(
        cls, converter, _cattrs_forbid_extra_keys=forbid_unknown, **_wire_names(cls)
    )

    def hook(value: Any, target: Any) -> Any:
        if type(value) is not dict:
            raise WrongType("an object", value)
        return build(value, target)

    return hook


def _array(cls: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    items: Any = list[get_args(cls)[0]]  # type: ignore[misc]  # the item type is known at run time only
    build = list_structure_factory(items, converter)
    container = get_origin(cls)

    def hook(value: Any, _: Any) -> Any:
        if type(value) is not list:
            raise WrongType("an array", value)
        return container(build(value, list))

    return hook


def _json_object(cls: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    # Not the converter's own maker, which would register its unchecked hook for the type as well.
    build = make_mapping_structure_fn(cls, converter)

    def hook(value: Any, target: Any) -> Any:
        if type(value) is not dict:
            raise WrongType("an object", value)
        return build(value, target)

    return hook


def _union(cls: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    members = [item for item in get_args(cls) if item is not type(None) and item is not Unset]
    nullable = type(None) in get_args(cls)

    def hook(value: Any, _: Any) -> Any:
        if value is None and nullable:
            return None
        if len(members) == 1:
            return converter.structure(value, members[0])
        if type(value) in members:
            return converter.structure(value, type(value))
        raise WrongType(" or ".join(_JSON_NAMES[item] for item in members), value)

    return hook


def _converter(*, forbid_unknown: bool) -> Converter:
    converter = Converter(detailed_validation=True)
    converter.register_structure_hook(bool, _boolean)
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(str, _string)
    # By class and not by predicate: a StrEnum is a str, whose hook would let any word through otherwise.
    converter.register_structure_hook(StrEnum, _enum)
    converter.register_structure_hook(float, _number)
    for applies, factory in ((_is_union, _union), (_is_array, _array), (_is_object, _json_object)):
        converter.register_structure_hook_factory(applies, partial(_on, converter, factory))
    converter.register_structure_hook_factory(
        attrs.has, partial(_on, converter, partial(_attrs_class, forbid_unknown))
    )
    converter.register_unstructure_hook_factory(
        attrs.has, lambda cls: make_dict_unstructure_fn(cls, converter, **_wire_names(cls))
    )
    converter.register_unstructure_hook(StrEnum, lambda member: member.value)
    converter.register_unstructure_hook_func(
        _is_array, lambda value: [converter.unstructure(item) for item in value]
    )
    return converter


def _on(converter: Converter, factory: Callable[[Any, Converter], Any], cls: Any) -> Any:
    return factory(cls, converter)


_STRICT: Final = _converter(forbid_unknown=True)
_LENIENT: Final = _converter(forbid_unknown=False)
