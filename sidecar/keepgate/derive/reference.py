"""``docs/reference/operations.md``: every method with params, result, faults and an example."""

from collections.abc import Mapping
from typing import Any, Final

import attrs

from keepgate.derive.examples import example_params
from keepgate.derive.fields import doc_of, fields_of, is_enum, reachable, remark_of, types_in
from keepgate.derive.markdown import WRITTEN_BY, as_json, fields_table, link, table, type_words
from keepgate.derive.protocol_schema import protocol_types
from keepgate.protocol.lifecycle import KeepgateCapabilities
from keepgate.protocol.operation import Access, Latency, Operation
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES, ServerMessage

OPERATIONS_PATH: Final = "docs/reference/operations.md"
MESSAGES_PATH: Final = "docs/reference/messages.md"
_ERRORS: Final = "errors.md"
_TYPES: Final = "operations.md"
_OPERATIONS_INTRO: Final = (
    "Requests of keepgate protocol 1. Names are camelCase, times are epoch milliseconds, lengths UTF-16 "
    f"units. Every request may be answered with JSON-RPC's own errors as well, see [{_ERRORS}]({_ERRORS}); "
    "what the sidecar sends on its own is in [messages.md](messages.md).\n"
)
_MESSAGES_INTRO: Final = (
    "Notifications, and requests that a client answers when it announced that it can. Types are described in "
    f"[{_TYPES}]({_TYPES}#types).\n"
)
_ACCESS: Final[Mapping[Access, str]] = {
    Access.READ: "reads; unknown fields are ignored",
    Access.WRITE: "writes; a change of what is remembered asks a person unless a policy answers",
    Access.DECIDE: "decides a proposal; only for connections that announced an approver",
    Access.ADMIN: "changes this connection or what was allowed to a session, not what is remembered",
}
_LATENCY: Final[Mapping[Latency, str]] = {
    Latency.INSTANT: "answers at once",
    Latency.SCAN: "reads a layer or more",
    Latency.LONG: "reads everything; reports progress",
    Latency.PERSON: "may wait for a person",
}


def operations_page() -> str:
    """The page's text."""
    parts = [
        WRITTEN_BY,
        "# Operations\n",
        _OPERATIONS_INTRO,
        table(
            ["method", "access", "summary"],
            [[link(row.name), str(row.access), row.summary] for row in OPERATIONS],
        ),
        "Access:\n",
        "".join(f"- **{access}** {words}.\n" for access, words in _ACCESS.items()),
        *(_operation(row) for row in OPERATIONS),
        "# Types\n",
        *(_type(cls) for cls in named_types()),
    ]
    return "\n".join(parts)


def named_types() -> list[type]:
    """The types that fields and mixed results refer to, by name; the others stand with their methods."""
    hints = [field.hint for cls in reachable(protocol_types()) if attrs.has(cls) for field in fields_of(cls)]
    hints += [hint for row in OPERATIONS if row.other_results for hint in (row.result, *row.other_results)]
    named = {each for hint in [*hints, KeepgateCapabilities] for each in types_in(hint)}
    return sorted(named, key=lambda cls: cls.__name__)


def _operation(row: Operation) -> str:
    remark = remark_of(row.params)
    faults = ", ".join(link(str(code), _ERRORS) for code in dict.fromkeys([*row.faults, *row.verb_errors]))
    request = {"jsonrpc": "2.0", "id": 1, "method": row.name, "params": example_params(row)}
    result_remark = "" if row.other_results else remark_of(row.result)
    return "\n".join(
        [
            f"## `{row.name}`\n",
            f"{row.summary}{' ' + remark if remark else ''}\n",
            _facts(row),
            "Params:\n",
            fields_table(row.params),
            f"Result{': ' + result_remark if result_remark else ':'}\n",
            _result(row),
            f"Faults: {faults or 'none of its own'}.\n",
            f"```json\n{as_json(request, indent=2)}\n```\n",
        ]
    )


def _facts(row: Operation) -> str:
    facts = [f"Access: {row.access}", _LATENCY[row.latency]]
    if row.session_required:
        facts.append("needs a session")
    if row.refuses_unknown_fields:
        facts.append("refuses unknown fields")
    if row.command:
        facts.append(f"command `{row.command}`")
    if row.clauses:
        facts.append(f"contract {', '.join(row.clauses)}")
    return "; ".join(facts) + ".\n"


def _result(row: Operation) -> str:
    if not row.other_results:
        return fields_table(row.result, given=False)
    return " or ".join(type_words(hint) for hint in (row.result, *row.other_results)) + ".\n"


def _type(cls: Any) -> str:
    body = "".join(f"- `{item.value}`\n" for item in cls) if is_enum(cls) else fields_table(cls)
    return f"## `{cls.__name__}`\n\n{doc_of(cls)}\n\n{body}"


def messages_page() -> str:
    """``docs/reference/messages.md``: what the sidecar sends on its own."""
    parts = [
        WRITTEN_BY,
        "# Messages from the sidecar\n",
        _MESSAGES_INTRO,
        table(
            ["method", "kind", "summary"],
            [[link(row.name), _kind(row), row.summary] for row in SERVER_MESSAGES],
        ),
        *(_message(row) for row in SERVER_MESSAGES),
    ]
    return "\n".join(parts)


def _kind(row: ServerMessage) -> str:
    return "notification" if row.result is None else "request"


def _message(row: ServerMessage) -> str:
    remark = remark_of(row.params)
    parts = [
        f"## `{row.name}`\n",
        f"{row.summary}{' ' + remark if remark else ''} ({_kind(row)})\n",
        "Params:\n",
        fields_table(row.params, _TYPES, given=False),
    ]
    if row.result is not None:
        remark = remark_of(row.result)
        parts += [f"Result{': ' + remark if remark else ':'}\n", fields_table(row.result, _TYPES)]
    return "\n".join(parts)
