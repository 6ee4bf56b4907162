"""Conditions on one value: a literal, or an object of operators that must all hold.

An operator's argument may be an expression over the same answer, such as ``{"$count": "$.facts"}``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import frozen

from keepgate.conformance.operators import OF_NOTHING, OPERATORS, BadCondition, equals
from keepgate.conformance.paths import ABSENT, select
from keepgate.conformance.values import tokens

Roots = Mapping[str, Any]


@frozen
class Judge:
    """Judges values of one answer: ``roots`` for expressions, ``schemas`` by their names."""

    roots: Roots
    schemas: Mapping[str, Any]

    def wrong(self, value: Any, condition: Any) -> str | None:
        """What is wrong with a value, or ``None``."""
        if not isinstance(condition, Mapping):
            return equals(value, condition, self)
        if condition.get("optional") and value is ABSENT:
            return None
        for name, argument in condition.items():
            if name == "optional":
                continue
            operator = OPERATORS.get(name)
            if operator is None:
                raise BadCondition(f"there is no operator {name}")
            if value is ABSENT and name not in OF_NOTHING:
                return "is missing"
            if (message := operator(value, self.worth(argument), self)) is not None:
                return message
        return None

    def below(self, item: Any, conditions: Mapping[str, Any]) -> str | None:
        """What is wrong at the paths below an item of a list, or ``None``."""
        roots = {**self.roots, "$": item}
        inner = Judge(roots, self.schemas)
        for path, condition in conditions.items():
            if (message := inner.wrong(select(path, roots), condition)) is not None:
                return f"{path} {message}"
        return None

    def worth(self, argument: Any) -> Any:
        """An argument with its expressions worked out."""
        if not isinstance(argument, Mapping) or len(argument) != 1:
            return argument
        ((name, inner),) = argument.items()
        work = EXPRESSIONS.get(name)
        return argument if work is None else work(self, inner)


def _path(judge: Judge, path: str) -> Any:
    return select(path, judge.roots)


def _tokens(judge: Judge, path: str) -> int:
    found = select(path, judge.roots)
    texts = found if isinstance(found, list) else [found]
    return sum(tokens(text) for text in texts if isinstance(text, str))


def _count(judge: Judge, path: str) -> int:
    found = select(path, judge.roots)
    return len(found) if isinstance(found, list) else 0


def _first(judge: Judge, arguments: Any) -> Any:
    """The first ``count`` items of what stands at a path: for prefixes."""
    path, count = arguments
    return select(path, judge.roots)[: judge.worth(count)]


EXPRESSIONS: Final[Mapping[str, Callable[[Judge, Any], Any]]] = {
    "$path": _path,
    "$tokens": _tokens,
    "$count": _count,
    "$first": _first,
    "$plus": lambda judge, items: sum(judge.worth(item) for item in items),
    "$minus": lambda judge, items: judge.worth(items[0]) - judge.worth(items[1]),
}
