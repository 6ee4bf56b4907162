"""Params of the verbs: lenient where MEMORY_VERBS is, and every complaint is ``invalid_params``.

An optional parameter that is null or empty is absent. Unknown ones are accepted and reported with the name
that may have been meant. A required one keeps its null, which then is of the wrong type.
"""

from difflib import get_close_matches
from functools import cache
from typing import Any, Final, TypeVar

import attrs

from keepgate.protocol.errors import Fault
from keepgate.protocol.verb_errors import VerbFault, invalid_params
from keepgate.protocol.wire import structure

T = TypeVar("T")

WARNINGS_MAX: Final = 20
NAME_LENGTH_MAX: Final = 100
"""How many unknown parameters are named, and how much of each name."""

ALWAYS_ALLOWED: Final = frozenset({"_meta", "dry_run", "session"})
_ADVICE: Final = "See the tool's input schema for the parameters, their types and their allowed values."


def read_verb_params(raw: Any, cls: type[T]) -> tuple[T, list[dict[str, Any]]]:
    """Typed params, and a warning ``{code, param, suggestion?}`` for each unknown one, at most twenty.

    Where there are more, one ``{code, count}`` tells how many.

    Raises ``invalid_params``.
    """
    if raw is None:
        raw = {}
    if type(raw) is not dict:
        raise invalid_params("the parameters must be an object", _ADVICE)
    optional = _fields(cls)  # type: ignore[arg-type]  # a class can be hashed
    given = {
        name: value
        for name, value in raw.items()
        if name in optional and not (optional[name] and value in (None, ""))
    }
    try:
        params = structure(given, cls)
    except Fault as fault:
        raise _complaint(fault) from None
    unknown = [name for name in raw if name not in optional and name not in ALWAYS_ALLOWED]
    return params, _warnings(unknown, optional)


@cache
def _fields(cls: Any) -> dict[str, bool]:
    """The parameters, and of each whether null means that it is absent."""
    # An explicit null session asks for the management view.
    return {item.name: item.default is None for item in attrs.fields(cls)}


def _complaint(fault: Fault) -> VerbFault:
    problems = fault.details["problems"]
    words = [f"{item['path'].removeprefix('$.')} {item['problem']}" for item in problems]
    # Ids read as numbers tempt to be sent as such.
    numbers = [item for item in problems if item["problem"].startswith("expected a string, got")]
    name = numbers[0]["path"].removeprefix("$.") if numbers else ""
    return invalid_params("; ".join(words), f"Send {name} as a string. {_ADVICE}" if name else _ADVICE)


def _warnings(names: list[str], known: Any) -> list[dict[str, Any]]:
    """One for each of the first, and one that counts the rest: an answer does not grow with what is wrong."""
    told: list[dict[str, Any]] = [_warning(name, known) for name in names[:WARNINGS_MAX]]
    rest = len(names) - len(told)
    return [*told, {"code": "more_unknown_params", "count": rest}] if rest else told


def _warning(name: str, known: Any) -> dict[str, Any]:
    short = name if len(name) <= NAME_LENGTH_MAX else f"{name[:NAME_LENGTH_MAX]}…"
    near = get_close_matches(short, known, n=1)
    hint = {"suggestion": f"Did you mean {near[0]}?"} if near else {}
    return {"code": "unknown_param", "param": short, **hint}
