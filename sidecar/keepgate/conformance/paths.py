"""Paths into answers: ``$.facts[0].fact``, ``$.facts[*].fact``, ``@.blocks``, ``#saved``, ``?[0].text``."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

_STEP: Final = re.compile(r"\.([^.\[]+)|\[(-?\d+|\*)\]")
_ROOT: Final = re.compile(r"[$@?]|#[^.\[]+")


class _Absent:
    """Nothing stands there."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()


class BadPath(Exception):
    """A case has a path that is none."""


def select(path: str, roots: Mapping[str, Any]) -> Any:
    """What stands at a path, or ``ABSENT``. A path with ``[*]`` gives the list of what is there."""
    root = _ROOT.match(path)
    if root is None:
        raise BadPath(f"{path} does not begin with $, @, ? or #name")
    found: list[Any] = [roots[root[0]]] if root[0] in roots else []
    many, rest = False, path[root.end() :]
    while rest:
        step = _STEP.match(rest)
        if step is None:
            raise BadPath(f"{path} cannot be read from {rest!r} on")
        many = many or step[2] == "*"
        found = [inner for value in found for inner in _below(value, step[1], step[2])]
        rest = rest[step.end() :]
    if many:
        return found
    return found[0] if found else ABSENT


def _below(value: Any, name: str | None, index: str | None) -> Iterable[Any]:
    if name is not None:
        return [value[name]] if isinstance(value, Mapping) and name in value else []
    if not isinstance(value, list):
        return []
    if index == "*":
        return value
    place = int(index or 0)
    return [value[place]] if -len(value) <= place < len(value) else []
