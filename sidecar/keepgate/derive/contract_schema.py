"""``schemas/dsh-memory-protocol-v1.schema.json``: the contract's own shapes, for any implementation of it.

They are taken from the published types. What is keepgate's alone (sessions in the params, targets by id) is
left out, and what the contract requires of a stored value is required here even where our type has a
default. A document that is validated against the schema itself, without a fragment, is an export.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from keepgate.derive.fields import fields_of
from keepgate.derive.json_schema import DEFS, Schema, definition, document, property_of
from keepgate.derive.limits import NOT_NEGATIVE
from keepgate.protocol import entries as e
from keepgate.protocol import portability as port
from keepgate.protocol.errors import FAULTS, Code

CONTRACT_PATH: Final = "schemas/dsh-memory-protocol-v1.schema.json"
# The one detail that a fault may lack: a write that was refused by policy has no proposal.
_OPTIONAL_DETAILS: Final = {(Code.WRITE_DENIED, "proposalId")}
_CONTRACTED: Final = {code: kind for code, kind in FAULTS.items() if code is not Code.PAGE_NOT_FOUND}
_DETAILS: Final[Mapping[str, Schema]] = {
    "problems": {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "problem": {"type": "string"}},
            "required": ["path", "problem"],
        },
    },
    "used": {"type": "integer", **NOT_NEGATIVE},
    "limit": {"type": "integer", **NOT_NEGATIVE},
    "needed": {"type": "integer", **NOT_NEGATIVE},
    "candidates": {"type": "integer", "minimum": 2},
    "sample": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "outcome": {"enum": ["rejected", "cancelled", "unavailable"]},
    "waitedMs": {"type": "integer", **NOT_NEGATIVE},
    "found": {"type": ["integer", "string"]},
    "supported": {"type": "integer"},
}


def contract_schema() -> Schema:
    """The whole document."""
    return document(
        "dsh-memory-protocol-v1",
        "dsh-memory-protocol v1",
        "Shapes of the contract. Lengths there are UTF-16 units; JSON Schema counts characters.",
        {"$ref": f"{DEFS}Envelope", "$defs": {**_stored(), **_inputs(), **_around()}},
    )


def _stored() -> dict[str, Schema]:
    """What is stored, reported and exported."""
    return {
        "Track": definition(e.Track, closed=True),
        "Scope": definition(e.Scope, closed=True),
        "Entry": _entry(),
        "Usage": definition(e.Usage, closed=True),
        "Envelope": definition(port.Envelope, closed=True),
        "AuditRow": definition(e.AuditRow, closed=False),
    }


def _inputs() -> dict[str, Schema]:
    """What the five writes take."""
    target = {"id", "version", "session"}
    return {
        "AddInput": _part(e.DraftParams, "An entry to be, in `add`, in `seed` and from an adapter (DSH-3)."),
        "ReplaceInput": _part(
            e.ReplaceParams,
            "Input of `replace`: rewrite the one visible entry that contains `match` (DSH-3).",
            without=target,
            required={"match"},
        ),
        "RemoveInput": _part(
            e.RemoveParams,
            "Input of `remove`: delete the one visible entry that contains `match` (DSH-3).",
            without=target,
            required={"match"},
        ),
        "ConsolidateInput": _part(
            e.ConsolidateParams,
            "Input of `consolidate`: put one entry in the place of several, in one transaction (DSH-3).",
            without={"ids", "session"},
            required={"matches"},
        ),
        "SeedInput": {
            **property_of(e.SeedParams, _named(e.SeedParams, "entries")),
            "description": "Input of `seed`: all of it or nothing (DSH-3).",
            "items": {"$ref": f"{DEFS}AddInput"},
        },
    }


def _around() -> dict[str, Schema]:
    """Queries, adapters and errors."""
    return {
        "QueryFilter": _part(
            e.QueryParams,
            "Filter of `query`; every part narrows (DSH-4).",
            without={"offset", "all_workspaces", "session"},
        ),
        "QueryOptions": _query_options(),
        "QueryResult": definition(e.QueryResult, closed=True),
        "Adapter": definition(port.AdapterInfo, closed=True),
        "Adapted": {
            "description": "What an adapter's `adapt` returns (DSH-9).",
            "type": "object",
            "properties": {"entries": {"type": "array", "items": {"$ref": f"{DEFS}AddInput"}}},
            "required": ["entries"],
        },
        "Error": _error(),
    }


def _entry() -> Schema:
    """All fourteen fields are always there, and only a workspace's entry names a workspace (DSH-2)."""
    schema = definition(e.Entry, closed=True)
    schema["required"] = list(schema["properties"])
    schema["if"] = {"properties": {"scope": {"const": str(e.Scope.USER_GLOBAL)}}, "required": ["scope"]}
    schema["then"] = {"properties": {"workspaceKey": {"const": ""}}}
    return schema


def _part(cls: type, doc: str, *, without: Collection[str] = (), required: Collection[str] = ()) -> Schema:
    """A params type as the contract has it: without our own fields, and with what it requires."""
    fields = [field for field in fields_of(cls) if field.name not in without]
    properties = {field.wire_name: property_of(cls, field) for field in fields}
    for name in required:
        properties[name]["type"] = properties[name]["type"][0]
    return {
        "description": doc,
        "type": "object",
        "properties": properties,
        "required": [field.wire_name for field in fields if field.required or field.name in required],
        "additionalProperties": False,
    }


def _query_options() -> Schema:
    return {
        "description": "Options of `query`: `sessionId` records the recall, `agentKey` narrows (DSH-4).",
        "type": "object",
        "properties": {
            "sessionId": {"type": ["string", "null"]},
            "agentKey": {"type": ["string", "null"]},
        },
        "additionalProperties": False,
    }


def _named(cls: type, name: str) -> Any:
    return next(field for field in fields_of(cls) if field.name == name)


def _error() -> Schema:
    """``code`` decides which details there are (DSH-7)."""
    return {
        "description": "A fault. Callers branch on `code`; `message` is English and for people (DSH-7).",
        "type": "object",
        "properties": {
            "code": {"type": "string", "enum": [str(code) for code in _CONTRACTED]},
            "message": {"type": "string", "minLength": 1},
            "details": {"type": "object"},
        },
        "required": ["code", "message", "details"],
        "allOf": [
            {
                "if": {"properties": {"code": {"const": str(code)}}, "required": ["code"]},
                "then": {"properties": {"details": details_of(code)}},
            }
            for code, kind in _CONTRACTED.items()
            if kind.details
        ],
    }


def details_of(code: Code) -> Schema:
    """The schema of a fault's details; more of them may follow."""
    names = FAULTS[code].details
    return {
        "type": "object",
        "properties": {name: dict(_DETAILS.get(name, {"type": "string"})) for name in names},
        "required": [name for name in names if (code, name) not in _OPTIONAL_DETAILS],
    }
