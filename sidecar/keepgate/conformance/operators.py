"""The operators of conditions: each returns what is wrong with a value, or ``None``.

Their words are the case language's; docs/guides/conformance.md tells what each means.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from keepgate.conformance.paths import ABSENT
from keepgate.conformance.shapes import has_type, problems
from keepgate.conformance.values import parse_instant, tokens


class BadCondition(Exception):
    """A case has a condition that cannot be read."""


class Judging(Protocol):
    """What operators need of the judge that calls them."""

    @property
    def schemas(self) -> Mapping[str, Any]:
        """Schemas by their names."""

    def wrong(self, value: Any, condition: Any) -> str | None:
        """What is wrong with a value."""

    def below(self, item: Any, conditions: Mapping[str, Any]) -> str | None:
        """What is wrong at the paths below an item."""


Operator = Callable[[Any, Any, Judging], str | None]


def equals(value: Any, expected: Any, _judge: Judging) -> str | None:
    """Equality of JSON values; a boolean equals no number."""
    same = value == expected and isinstance(value, bool) == isinstance(expected, bool)
    return None if same else f"is {shown(value)}, not {shown(expected)}"


def _not(value: Any, unwanted: Any, _judge: Judging) -> str | None:
    unwanted = unwanted if isinstance(unwanted, list) else [unwanted]
    return f"is {shown(value)}" if value in unwanted else None


def _in(value: Any, allowed: Any, _judge: Judging) -> str | None:
    return None if value in allowed else f"is {shown(value)}, not one of {shown(allowed)}"


def _type(value: Any, kind: Any, _judge: Judging) -> str | None:
    kinds = kind if isinstance(kind, list) else [kind]
    return None if any(has_type(value, one) for one in kinds) else f"is {shown(value)}, not {kind}"


def _matches(value: Any, pattern: Any, _judge: Judging) -> str | None:
    fits = isinstance(value, str) and re.search(pattern, value) is not None
    return None if fits else f"is {shown(value)}, which has not the form {pattern}"


def _has(value: Any, part: Any) -> bool:
    if isinstance(value, str):
        return isinstance(part, str) and part in value
    return isinstance(value, list | Mapping) and part in value


def _contains(value: Any, parts: Any, _judge: Judging) -> str | None:
    wanted = parts if isinstance(parts, list) else [parts]
    missing = [part for part in wanted if not _has(value, part)]
    return f"lacks {shown(missing[0])}: it is {shown(value)}" if missing else None


def _lacks(value: Any, parts: Any, _judge: Judging) -> str | None:
    unwanted = parts if isinstance(parts, list) else [parts]
    found = [part for part in unwanted if _has(value, part)]
    return f"holds {shown(found[0])}" if found else None


def _length(value: Any, length: Any, _judge: Judging) -> str | None:
    size = len(value) if isinstance(value, list | str | Mapping) else -1
    return None if size == length else f"has {size} items, not {length}: {shown(value)}"


def _longest(value: Any, most: Any, _judge: Judging) -> str | None:
    fits = isinstance(value, list | str | Mapping) and len(value) <= most
    return None if fits else f"is longer than {most}: {shown(value)}"


def _shortest(value: Any, least: Any, _judge: Judging) -> str | None:
    fits = isinstance(value, list | str | Mapping) and len(value) >= least
    return None if fits else f"is shorter than {least}: {shown(value)}"


def _compare(holds: Callable[[Any, Any], bool], words: str) -> Operator:
    def check(value: Any, bound: Any, _judge: Judging) -> str | None:
        fits = has_type(value, "number") and has_type(bound, "number") and holds(value, bound)
        return None if fits else f"is {shown(value)}, not {words} {shown(bound)}"

    return check


def _absent(value: Any, wanted: Any, _judge: Judging) -> str | None:
    return None if (value is ABSENT) == bool(wanted) else f"is {shown(value)}"


def _each(value: Any, judge: Judging, condition: Mapping[str, Any]) -> list[str | None]:
    """What is wrong with each item: ``condition`` maps paths below the item, or judges the item itself."""
    if not isinstance(value, list):
        return ["is no list"]
    if any(key.startswith("$") for key in condition):
        return [judge.below(item, condition) for item in value]
    return [judge.wrong(item, condition) for item in value]


def _every(value: Any, condition: Any, judge: Judging) -> str | None:
    return next((f"has an item where {text}" for text in _each(value, judge, condition) if text), None)


def _some(value: Any, condition: Any, judge: Judging) -> str | None:
    found = _each(value, judge, condition)
    return None if None in found else f"has no such item: {shown(value)}"


def _none(value: Any, condition: Any, judge: Judging) -> str | None:
    found = _each(value, judge, condition)
    return f"has such an item: {shown(value[found.index(None)])}" if None in found else None


def _order(value: Any, direction: Any, _judge: Judging) -> str | None:
    ordered = sorted(value, reverse=direction == "down")
    return None if value == ordered else f"is not in order ({direction}): {shown(value)}"


def _unique(value: Any, _wanted: Any, _judge: Judging) -> str | None:
    twice = [item for index, item in enumerate(value) if item in value[:index]]
    return f"has {shown(twice[0])} twice" if twice else None


def _same_items(value: Any, expected: Any, _judge: Judging) -> str | None:
    same = isinstance(value, list) and sorted(map(repr, value)) == sorted(map(repr, expected))
    return None if same else f"holds {shown(value)}, not {shown(expected)}"


def _instant(value: Any, _wanted: Any, _judge: Judging) -> str | None:
    return None if parse_instant(value) else f"is {shown(value)}, not an ISO 8601 instant"


def _within(value: Any, seconds: Any, _judge: Judging) -> str | None:
    moment = parse_instant(value)
    if moment is None:
        return f"is {shown(value)}, not an ISO 8601 instant"
    away = (moment - datetime.now(UTC)).total_seconds()
    low, high = seconds
    return None if low <= away <= high else f"is {away:.0f} s from now, not within {low} to {high}"


def _moments(holds: Callable[[Any, Any], bool], words: str) -> Operator:
    def check(value: Any, other: Any, _judge: Judging) -> str | None:
        ours, theirs = parse_instant(value), parse_instant(other)
        fits = ours is not None and theirs is not None and holds(ours, theirs)
        return None if fits else f"is {shown(value)}, not {words} {shown(other)}"

    return check


def _tokens_most(value: Any, most: Any, _judge: Judging) -> str | None:
    estimate = tokens(value) if isinstance(value, str) else -1
    return None if 0 <= estimate <= most else f"is estimated at {estimate} tokens, over {most}"


def _schema(value: Any, name: Any, judge: Judging) -> str | None:
    schema = judge.schemas.get(name) if isinstance(name, str) else name
    if schema is None:
        raise BadCondition(f"there is no schema {name}")
    return next((f"does not fit {name}: {text}" for text in problems(value, schema)), None)


def shown(value: Any) -> str:
    """A value as a message shows it."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


OPERATORS: Final[Mapping[str, Operator]] = {
    "equals": equals,
    "not": _not,
    "in": _in,
    "type": _type,
    "matches": _matches,
    "contains": _contains,
    "lacks": _lacks,
    "length": _length,
    "longest": _longest,
    "shortest": _shortest,
    "min": _compare(lambda value, bound: value >= bound, "at least"),
    "max": _compare(lambda value, bound: value <= bound, "at most"),
    "absent": _absent,
    "every": _every,
    "some": _some,
    "none": _none,
    "order": _order,
    "unique": _unique,
    "same_items": _same_items,
    "instant": _instant,
    "within_s": _within,
    "not_before": _moments(lambda ours, theirs: ours >= theirs, "at or after"),
    "not_after": _moments(lambda ours, theirs: ours <= theirs, "at or before"),
    "tokens_most": _tokens_most,
    "schema": _schema,
}
OF_NOTHING: Final = frozenset({"absent", "not", "lacks"})
