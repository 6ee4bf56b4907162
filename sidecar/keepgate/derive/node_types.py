"""``client/node/src/generated/types.ts`` and ``codes.ts``: everything that travels, as TypeScript.

What a caller may leave out is optional and takes ``undefined``; what the sidecar sends is always there,
except fields whose absence means something.
"""

import textwrap
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
    reachable,
    shows_default,
)
from keepgate.derive.markdown import as_json
from keepgate.protocol.entries import UNSET
from keepgate.protocol.errors import FAULTS, RpcNumber
from keepgate.protocol.lifecycle import FRAME_BYTES_MAX, PROTOCOL_VERSION, KeepgateCapabilities
from keepgate.protocol.operation import Operation
from keepgate.protocol.ops import ServerMessage
from keepgate.protocol.settings import Settings
from keepgate.protocol.verb_errors import VERB_ERROR_NUMBER, VerbCode
from keepgate.protocol.wire import unstructure

TYPES_PATH: Final = "client/node/src/generated/types.ts"
CODES_PATH: Final = "client/node/src/generated/codes.ts"
WRITTEN_BY: Final = "// Written by `python -m keepgate.derive`; edit the table instead.\n"
LINE_MAX: Final = 110
_SCALARS: Final = {str: "string", int: "number", float: "number", bool: "boolean", Any: "unknown"}


def types_module(operations: Sequence[Operation], messages: Sequence[ServerMessage]) -> str:
    """The text of ``types.ts``: a type for each published one, the error codes, and who takes what."""
    sent = [row.params for row in operations] + [row.result for row in messages if row.result is not None]
    told = [hint for row in operations for hint in (row.result, *row.other_results)]
    told += [row.params for row in messages]
    by_us = reachable([*sent, Settings])
    by_name = sorted(by_us | reachable([*told, KeepgateCapabilities]), key=lambda cls: cls.__name__)
    parts = [WRITTEN_BY, *(_declaration(cls, optional=cls in by_us) for cls in by_name)]
    return "\n".join([*parts, *_codes(), *_maps(operations, messages)])


def codes_module() -> str:
    """The text of ``codes.ts``: the numbers behind the codes, and the limits of the wire."""
    return "\n".join(
        [
            WRITTEN_BY,
            'import type { FaultCode, RpcErrorCode, VerbErrorCode } from "./types.js";\n',
            _numbers("FAULT_NUMBERS", "FaultCode", {str(code): row.number for code, row in FAULTS.items()}),
            _numbers("RPC_NUMBERS", "RpcErrorCode", {row.name: int(row) for row in RpcNumber}),
            _numbers("VERB_NUMBERS", "VerbErrorCode", dict.fromkeys(map(str, VerbCode), VERB_ERROR_NUMBER)),
            f"export const FRAME_BYTES_MAX = {FRAME_BYTES_MAX};\n",
            f"export const PROTOCOL_VERSION = {PROTOCOL_VERSION};\n",
        ]
    )


def type_text(hint: Any) -> str:
    """A type hint as a TypeScript type."""
    words = list(dict.fromkeys(_one(member) for member in members_of(hint)))
    if "unknown" in words:
        return "unknown"
    return " | ".join([*words, *(["null"] if is_nullable(hint) else [])])


def comment(*paragraphs: str, margin: str = "") -> str:
    """A doc comment of the paragraphs that say something, or nothing."""
    told = [text.replace("*/", "*\\/") for text in paragraphs if text]
    if not told:
        return ""
    if len(told) == 1 and len(margin) + len(told[0]) + 7 <= LINE_MAX:
        return f"{margin}/** {told[0]} */\n"
    lines = [line for text in told for line in ("", *_wrapped(text, LINE_MAX - len(margin) - 3))][1:]
    inner = "".join(f"{margin} * {line}".rstrip() + "\n" for line in lines)
    return f"{margin}/**\n{inner}{margin} */\n"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _one(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin in (list, tuple):
        item = type_text(args[0])
        return f"readonly ({item})[]" if " | " in item else f"readonly {item}[]"
    if origin is dict:
        return f"Readonly<Record<string, {type_text(args[1])}>>"
    if is_enum(hint) or attrs.has(hint):
        return str(hint.__name__)
    return _SCALARS[hint]


def _declaration(cls: Any, *, optional: bool) -> str:
    if is_enum(cls):
        return _words(cls.__name__, doc_of(cls), ((item.value, "") for item in cls))
    fields = fields_of(cls)
    if not fields:
        return f"{comment(doc_of(cls))}export type {cls.__name__} = Readonly<Record<string, never>>;\n"
    body = "".join(_property(field, optional=optional) for field in fields)
    return f"{comment(doc_of(cls))}export interface {cls.__name__} {{\n{body}}}\n"


def _words(name: str, doc: str, words: Iterable[tuple[str, str]]) -> str:
    """A union of words, each with what is to be said about it."""
    rows = "".join(f"{comment(note, margin='  ')}  | {as_json(str(word))}\n" for word, note in words)
    return f"{comment(doc)}export type {name} =\n{rows.rstrip()};\n"


def _property(field: Field, *, optional: bool) -> str:
    default = (
        f"Default: `{as_json(unstructure(field.default))}`." if optional and shows_default(field) else ""
    )
    note = comment(" ".join(part for part in (field.note, default) if part), margin="  ")
    hint = type_text(field.hint)
    if optional and not field.required:
        more = "" if hint == "unknown" else " | undefined"
        return f"{note}  readonly {field.wire_name}?: {hint}{more};\n"
    absent = "?" if field.default is UNSET else ""
    return f"{note}  readonly {field.wire_name}{absent}: {hint};\n"


def _codes() -> Iterable[str]:
    faults = ((code, row.summary + _details(row.details)) for code, row in FAULTS.items())
    yield _words("FaultCode", "The faults of the contract, and of the store.", faults)
    yield _words("VerbErrorCode", "The errors of `verbs/*`.", ((code, "") for code in VerbCode))
    names = "Errors of JSON-RPC and of the editor protocol, by name."
    yield _words("RpcErrorCode", names, ((row.name, "") for row in RpcNumber))


def _details(names: Sequence[str]) -> str:
    return f" Details: {', '.join(f'`{name}`' for name in names)}." if names else ""


def _maps(operations: Sequence[Operation], messages: Sequence[ServerMessage]) -> Iterable[str]:
    yield _map(
        "Operations",
        "Params and result of every operation, by method.",
        (
            (row.name, f"{{ params: {row.params.__name__}; result: {result_text(row)} }}")
            for row in operations
        ),
    )
    yield _map(
        "ServerRequests",
        "Params and result of every request that the sidecar sends, by method.",
        (
            (row.name, f"{{ params: {row.params.__name__}; result: {row.result.__name__} }}")
            for row in messages
            if row.result is not None
        ),
    )
    yield _map(
        "Notifications",
        "Params of every notification that the sidecar sends, by method.",
        ((row.name, row.params.__name__) for row in messages if row.result is None),
    )


def _map(name: str, doc: str, rows: Iterable[tuple[str, str]]) -> str:
    body = "".join(f"  {as_json(key)}: {value};\n" for key, value in rows)
    return f"{comment(doc)}export interface {name} {{\n{body}}}\n"


def result_text(row: Operation) -> str:
    """What an operation answers with; ``unknown`` where that is the caller's to read."""
    words = [type_text(hint) for hint in (row.result, *row.other_results)]
    return "unknown" if "unknown" in words else " | ".join(words)


def _numbers(name: str, key: str, numbers: dict[str, int]) -> str:
    rows = "".join(f"  {code}: {number},\n" for code, number in numbers.items())
    return f"export const {name}: Readonly<Record<{key}, number>> = {{\n{rows}}};\n"
