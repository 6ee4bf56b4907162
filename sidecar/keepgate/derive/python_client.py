"""``client/keepgate_client/calls.py``: one typed method for each operation, twice: async and blocking.

The text is laid out as ``ruff format`` would lay it out, so that formatting the tree never makes it stale.
"""

import builtins
import json
import keyword
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Final, get_args, get_origin

from keepgate.derive.fields import Field, fields_of
from keepgate.protocol.entries import UNSET, Unset
from keepgate.protocol.operation import Operation
from keepgate.protocol.verbs import DryRun

CALLS_PATH: Final = "client/keepgate_client/calls.py"
_LINE_MAX: Final = 110
# Where the method's last word would hide a builtin from the rest of the class.
_OTHER_NAMES: Final = {"list": "list_entries"}
_HEADER: Final = '''\
"""Typed calls, one for each operation. Written by ``python -m keepgate.derive``; edit the table instead."""

# Parameters keep their wire names, and there are as many as the operation has.
# ruff: noqa: A002, PLR0913

from abc import ABC, abstractmethod
from typing import Any, TypeVar
'''
_ANY: Final = """\
# For answers whose type depends on what was asked for.
_ANY: type[Any] = Any
"""
_CLASSES: Final = (
    ("Calls", "async def", "await ", "Every operation as an async method on top of :meth:`call`."),
    ("SyncCalls", "def", "", "Every operation as a blocking method on top of :meth:`call`."),
)


def method_name(operation: str) -> str:
    """The Python name of an operation: ``memory/add`` is ``add``, ``session/open`` is ``session_open``."""
    family, last = operation.rsplit("/", 1)
    snake = re.sub("(?<=[a-z0-9])([A-Z])", r"_\1", last).lower()
    name = snake if family == "memory" else f"{family}_{snake}"
    name = _OTHER_NAMES.get(name, name)
    if keyword.iskeyword(name):
        return name + "_"
    if hasattr(builtins, name):
        raise ValueError(f"{operation} needs a name that hides no builtin: add it to _OTHER_NAMES")
    return name


def calls_module(operations: Iterable[Operation]) -> str:
    """The module's text."""
    rows = tuple(operations)
    classes = "".join(f"\n\n{_class(rows, *each)}" for each in _CLASSES)
    return f'{_HEADER}\n{_imports(rows)}\nT = TypeVar("T")\n{_ANY}{classes}'


def _imports(rows: Sequence[Operation]) -> str:
    names: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        hints = [row.params, *(field.hint for field in fields_of(row.params))]
        if _has_dry_run(row):
            hints += [row.result, *row.other_results]
        elif not row.other_results:
            hints.append(row.result)
        for cls in (each for hint in hints for each in _named_types(hint)):
            names[cls.__module__].add(cls.__name__)
        if any(field.default is UNSET for field in fields_of(row.params)):
            names[Unset.__module__].add("UNSET")
    return "".join(_import(module, names[module]) for module in sorted(names))


def _import(module: str, names: Iterable[str]) -> str:
    # The import sorter puts constants before classes.
    ordered = sorted(names, key=lambda name: (not name.isupper(), name.lower()))
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")\n"


def _named_types(hint: Any) -> Iterable[type]:
    if get_args(hint):
        for inner in get_args(hint):
            yield from _named_types(inner)
    elif isinstance(hint, type) and hint.__module__ not in ("builtins", "typing"):
        yield hint


def annotation(hint: Any) -> str:
    """A type hint as source text."""
    args, origin = get_args(hint), get_origin(hint)
    if args and origin in (list, dict, tuple):
        return f"{origin.__name__}[{', '.join('...' if arg is ... else annotation(arg) for arg in args)}]"
    if args:
        return " | ".join(annotation(arg) for arg in args)
    if hint is type(None):
        return "None"
    return "Any" if hint is Any else str(hint.__name__)


def default_text(value: Any) -> str:
    """A default as source text."""
    if value is UNSET:
        return "UNSET"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _class(rows: Sequence[Operation], name: str, define: str, wait: str, doc: str) -> str:
    head = f'''\
class {name}(ABC):
    """{doc}"""

    @abstractmethod
    {define} call(self, name: str, params: Any, result: type[T]) -> T:
        """Send one request and return its typed result; faults are raised."""
'''
    return head + "".join(f"\n{_method(row, define, wait)}" for row in rows)


def _method(row: Operation, define: str, wait: str) -> str:
    fields = fields_of(row.params)
    name, returns = method_name(row.name), _returned(row)
    result = "_ANY" if returns == "Any" else annotation(row.result)
    signature = "".join(f"        {_parameter(field)},\n" for field in _required_first(fields))
    parameters = f"\n        self,\n        *,\n{signature}    " if fields else "self"
    given = "".join(f"                {field.name}={field.name},\n" for field in fields)
    params = f"{row.params.__name__}(" + (f"\n{given}            )" if fields else ")")
    arguments = "".join(f"            {each},\n" for each in (f'"{row.name}"', params, result))
    if _has_dry_run(row):
        inner = given.replace("                ", "            ")
        params = f"{row.params.__name__}(\n{inner}        )"
        return (
            f"    {define} {name}({parameters}) -> {returns}:\n"
            f"{_docstring(row)}        params = {params}\n"
            f"        if dry_run:\n"
            f'            return {wait}self.call("{row.name}", params, {DryRun.__name__})\n'
            f'        return {wait}self.call("{row.name}", params, {result})\n'
        )
    return (
        f"    {define} {name}({parameters}) -> {returns}:\n"
        f"{_docstring(row)}        return {wait}self.call(\n{arguments}        )\n"
    )


def _has_dry_run(row: Operation) -> bool:
    """Whether the row answers something else than its result for ``dry_run``, and for nothing else."""
    return row.other_results == (DryRun,)


def _returned(row: Operation) -> str:
    if _has_dry_run(row):
        return f"{annotation(row.result)} | {DryRun.__name__}"
    return "Any" if row.other_results else annotation(row.result)


def _required_first(fields: Sequence[Field]) -> list[Field]:
    return sorted(fields, key=lambda field: not field.required)


def _parameter(field: Field) -> str:
    default = "" if field.required else f" = {default_text(field.default)}"
    return f"{field.name}: {annotation(field.hint)}{default}"


def _docstring(row: Operation) -> str:
    quotes, margin = '"""', " " * 8
    more = []
    if _has_dry_run(row):
        more.append("With ``dry_run`` it returns what would be done.")
    elif row.other_results:
        more.append("Returns the JSON as it came: what it is depends on the parameters.")
    if raised := (*row.faults, *row.verb_errors):
        more.append(f"Raises {', '.join(f'``{code}``' for code in dict.fromkeys(raised))}.")
    if not more:
        return f"{margin}{quotes}{row.summary}{quotes}\n"
    rest = textwrap.fill(
        " ".join(more),
        _LINE_MAX,
        initial_indent=margin,
        subsequent_indent=margin,
        break_on_hyphens=False,
    )
    return f"{margin}{quotes}{row.summary}\n\n{rest}\n{margin}{quotes}\n"
