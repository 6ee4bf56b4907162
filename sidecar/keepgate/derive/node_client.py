"""``client/node/src/generated/calls.ts``: one typed method for each operation, over any ``request``.

``types.ts`` and ``codes.ts`` beside it are made by :mod:`keepgate.derive.node_types`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from keepgate.derive.fields import fields_of
from keepgate.derive.markdown import as_json
from keepgate.derive.node_types import (
    CODES_PATH,
    LINE_MAX,
    TYPES_PATH,
    WRITTEN_BY,
    codes_module,
    comment,
    result_text,
    types_module,
)
from keepgate.protocol.operation import Operation
from keepgate.protocol.ops import ServerMessage
from keepgate.protocol.verbs import DryRun

NODE_CALLS_PATH: Final = "client/node/src/generated/calls.ts"
# Their words stand alone; those of every other family come after the family's name.
_BARE_FAMILIES: Final = ("memory", "verbs")
# What a class of JavaScript or the client built on this one has under these names already.
_TAKEN: Final = frozenset(
    {"constructor", "call", "request", "notify", "on", "close", "then", "toString", "valueOf"}
)
_HEAD: Final = """\
import type * as wire from "./types.js";

/** What may accompany a call. */
export interface CallOptions {
  /** Gives the call up: the sidecar is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Whatever sends a request and brings its result. */
export interface Requester {
  request(method: string, params: unknown, options?: CallOptions): Promise<unknown>;
}

/** Every operation as a method. */
export class Calls {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** Any operation by its method. */
  call<M extends keyof wire.Operations>(
    method: M,
    params: wire.Operations[M]["params"],
    options?: CallOptions,
  ): Promise<wire.Operations[M]["result"]> {
    return this.#requester.request(method, params, options);
  }
"""


def node_files(operations: Sequence[Operation], messages: Sequence[ServerMessage]) -> Mapping[str, str]:
    """The generated files of the client for Node, by path."""
    return {
        TYPES_PATH: types_module(operations, messages),
        CODES_PATH: codes_module(),
        NODE_CALLS_PATH: node_calls_module(operations),
    }


def node_method_name(operation: str) -> str:
    """The name of an operation's method: ``memory/add`` is ``add``, ``proposals/list`` is ``proposalsList``.

    Raises ``ValueError`` for a name that the class cannot have.
    """
    family, last = operation.rsplit("/", 1)
    word = _camel(last)
    name = word if family in _BARE_FAMILIES else family + word[:1].upper() + word[1:]
    if name in _TAKEN:
        raise ValueError(f"{operation} needs another name than {name}")
    return name


def node_calls_module(operations: Iterable[Operation]) -> str:
    """The text of ``calls.ts``. Raises ``ValueError`` when two operations would share a name."""
    named: dict[str, Operation] = {}
    for row in operations:
        other = named.setdefault(node_method_name(row.name), row)
        if other is not row:
            raise ValueError(f"{other.name} and {row.name} would share a name")
    methods = "".join(f"\n{_method(name, row)}" for name, row in named.items())
    return f"{WRITTEN_BY}\n{_HEAD}{methods}}}\n"


def _camel(word: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), word)


def _method(name: str, row: Operation) -> str:
    params = f"wire.{row.params.__name__}"
    default = "" if any(field.required for field in fields_of(row.params)) else " = {}"
    result = " | ".join(
        word if word == "unknown" else f"wire.{word}" for word in result_text(row).split(" | ")
    )
    doc = comment(*_paragraphs(row), margin="  ")
    body = f"    return this.call({as_json(row.name)}, params, options);\n"
    last = _signature(name, params + default, result, " {")
    return f"{doc}{_overloads(name, row, params)}{last}{body}  }}\n"


def _signature(name: str, params: str, result: str, end: str) -> str:
    line = f"  {name}(params: {params}, options?: CallOptions): Promise<{result}>{end}\n"
    if len(line) <= LINE_MAX:
        return line
    return f"  {name}(\n    params: {params},\n    options?: CallOptions,\n  ): Promise<{result}>{end}\n"


def _overloads(name: str, row: Operation, params: str) -> str:
    """Signatures by ``dry_run``, for what answers something else to it."""
    if row.other_results != (DryRun,):
        return ""
    ways = (
        ("{ readonly dry_run: true }", f"wire.{DryRun.__name__}"),
        ("{ readonly dry_run?: false | null | undefined }", f"wire.{row.result.__name__}"),
    )
    return "".join(_signature(name, f"{params} & {given}", result, ";") for given, result in ways)


def _paragraphs(row: Operation) -> Iterable[str]:
    yield row.summary
    if row.other_results == (DryRun,):
        yield "With `dry_run` it resolves to what would be done."
    elif row.other_results:
        yield "What it resolves to depends on the parameters."
    if raised := dict.fromkeys((*row.faults, *row.verb_errors)):
        yield f"Rejects with a `KeepgateError` of code {', '.join(f'`{code}`' for code in raised)}."
