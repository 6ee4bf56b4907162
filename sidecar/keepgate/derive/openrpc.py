"""``schemas/openrpc.json``: the operations as an OpenRPC 1.3 document.

OpenRPC describes what a client may call; what the sidecar sends on its own is under ``x-serverMessages``.
"""

from collections.abc import Sequence
from typing import Any, Final

from keepgate.derive.examples import example_params, full
from keepgate.derive.fields import doc_of, fields_of, remark_of
from keepgate.derive.json_schema import Schema, closed_types, definitions, property_of, schema_of
from keepgate.derive.protocol_schema import protocol_types, result_schema
from keepgate.protocol.errors import FAULTS, Code
from keepgate.protocol.lifecycle import CONTRACTS, PROTOCOL_VERSION
from keepgate.protocol.operation import Operation
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES, ServerMessage
from keepgate.protocol.verb_errors import VERB_ERROR_NUMBER, VerbCode

OPENRPC_PATH: Final = "schemas/openrpc.json"
_VERSION: Final = "1.3.2"
_REFS: Final = "#/components/schemas/"


def openrpc_document() -> Schema:
    """The whole document."""
    return {
        "openrpc": _VERSION,
        "info": {
            "title": "keepgate",
            "description": "A memory sidecar over stdio: it remembers only what a person said yes to.",
            "version": str(PROTOCOL_VERSION),
            "license": {"name": "Apache-2.0"},
            "x-contracts": dict(CONTRACTS),
        },
        "methods": [_method(row) for row in OPERATIONS],
        "components": {"schemas": definitions(protocol_types(), closed=closed_types(), refs=_REFS)},
        "x-serverMessages": [_message(row) for row in SERVER_MESSAGES],
    }


def _method(row: Operation) -> Schema:
    remark = remark_of(row.params)
    return {
        "name": row.name,
        "summary": row.summary,
        **({"description": remark} if remark else {}),
        "paramStructure": "by-name",
        "params": _params(row.params),
        "result": _result(row),
        "errors": [
            *(_error(code) for code in dict.fromkeys(row.faults)),
            *([_verb_error(row.verb_errors)] if row.verb_errors else []),
        ],
        "examples": [_example(row)],
        "x-access": str(row.access),
        "x-latency": str(row.latency),
        "x-clauses": list(row.clauses),
        "x-sessionRequired": row.session_required,
        "x-refusesUnknownFields": row.refuses_unknown_fields,
        "x-command": row.command,
    }


def _params(cls: type) -> list[Schema]:
    # Required ones first, as the specification asks.
    fields = sorted(fields_of(cls), key=lambda field: not field.required)
    return [
        {
            "name": field.wire_name,
            **({"description": field.note} if field.note else {}),
            "required": field.required,
            "schema": property_of(cls, field, refs=_REFS),
        }
        for field in fields
    ]


def _result(row: Operation) -> Schema:
    return {
        "name": row.result.__name__,
        "description": doc_of(row.result),
        "schema": result_schema(row, _REFS),
    }


def _error(code: Code) -> Schema:
    kind = FAULTS[code]
    data = {"code": str(code), "details": list(kind.details), "suggestion": kind.suggestion}
    return {"code": kind.number, "message": kind.summary, "data": data}


def _verb_error(codes: Sequence[VerbCode]) -> Schema:
    members = ["code", "error", "message", "suggestion", "detail", "protocol_version"]
    data = {"members": members, "codes": [str(code) for code in codes]}
    return {"code": VERB_ERROR_NUMBER, "message": "The envelope of a verb's error.", "data": data}


def _example(row: Operation) -> Schema:
    params: dict[str, Any] = example_params(row)
    return {
        "name": row.name,
        "params": [{"name": name, "value": value} for name, value in params.items()],
        "result": {"name": row.result.__name__, "value": full(row.result)},
    }


def _message(row: ServerMessage) -> Schema:
    message: Schema = {
        "name": row.name,
        "summary": row.summary,
        "kind": "notification" if row.result is None else "request",
        "params": _params(row.params),
    }
    if row.result is not None:
        message["result"] = {"name": row.result.__name__, "schema": schema_of(row.result, refs=_REFS)}
    return message
