"""``schemas/memory-verbs-v1.schema.json``: MEMORY_VERBS v1 for any implementation of it.

The shapes are taken from the published types. What is keepgate's alone among the params is left out, and
only what the contract's response registry requires is required: further fields are always allowed. The same
registry judges live answers in a certification, so the document and the judge cannot differ.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from keepgate.derive.fields import fields_of
from keepgate.derive.json_schema import DEFS, Schema, definition, definitions, document, property_of
from keepgate.derive.tools import definition_of
from keepgate.protocol import verbs as v
from keepgate.protocol.operation import Surface
from keepgate.protocol.surfaces import offered
from keepgate.protocol.verb_errors import VerbCode
from keepgate.protocol.verb_ops import VERB_OPERATIONS

VERBS_SCHEMA_PATH: Final = "schemas/memory-verbs-v1.schema.json"
VERSIONING_POLICY: Final = (
    "Every field name and its meaning are frozen. New optional params, new optional response fields and new "
    "verbs may be added; clients ignore fields that they do not know. protocol_version rides every answer "
    "and every error, and grows only with a breaking change, in a new document."
)
_OURS: Final = frozenset({"session", "supersedes", "dry_run", "include_expired", "deadline_ms", "since_fact"})
"""Params that this server takes beyond the contract."""

REQUIRED: Final[Mapping[type, Collection[str]]] = {
    v.RecallResult: ("facts", "total", "protocol_version"),
    v.RecallFact: ("id", "fact_id", "fact", "kind", "provenance"),
    v.RecallResultItem: ("slug", "title", "evidence", "create_safety", "provenance"),
    v.RememberResult: ("id", "status", "status_text", "entity_slug", "valid_until", "protocol_version"),
    v.EntityResult: ("found", "latency_ms", "protocol_version"),
    v.Card: ("entity", "aka", "summary", "last_touched", "open_threads", "edges", "backlink_count",
             "active_fact_count"),
    v.EntityName: ("slug", "title"),
    v.LastTouched: (),
    v.Suggestion: ("slug", "title", "create_safety"),
    v.Thread: ("kind", "text", "date"),
    v.Edge: ("type", "slug"),
    v.SynthesizeResult: ("answer", "sources", "cost", "protocol_version"),
    v.Cost: ("model", "input_tokens", "output_tokens", "usd_estimate"),
    v.ForgetResult: ("id", "expired", "reason", "protocol_version"),
    v.ContextPackResult: ("entities", "cards", "open_threads", "facts", "text", "protocol_version"),
    v.PackCard: ("slug", "title", "summary", "open_threads"),
    v.PackFact: ("fact", "kind"),
    v.DeltaResult: ("since", "pages", "facts", "threads", "text", "has_more", "next_cursor",
                    "protocol_version"),
    v.DeltaPage: ("slug", "title", "updated_at"),
    v.NextCursor: ("since", "slug"),
}  # fmt: skip
"""The fields that any implementation must send; the others may be absent."""


def verbs_schema() -> Schema:
    """The whole document."""
    return document(
        "memory-verbs-v1",
        "MEMORY_VERBS v1",
        "Params and responses of the seven verbs, and the error envelope. Unknown fields are allowed.",
        {
            "x-verbs": {
                name: {"params": {"$ref": f"{DEFS}{row.params.__name__}"}, "response": _response(row.result)}
                for name, row in _rows().items()
            },
            "$defs": {
                **_params(),
                **response_definitions([row.result for row in VERB_OPERATIONS]),
                "Error": error_schema(),
            },
        },
    )


def response_schemas() -> dict[str, Schema]:
    """The response registry: a whole schema for each verb, and ``error``."""
    answers = {
        name: {**_response(row.result), "$defs": response_definitions([row.result])}
        for name, row in _rows().items()
    }
    return {**answers, "error": error_schema()}


def protocol_document() -> Schema:
    """What ``keepgate protocol --json`` prints: the verbs as this server offers them."""
    tools = {name: definition_of(tool) for name, tool in offered(Surface.VERBS).items()}
    responses = response_schemas()
    return {
        "protocol": "MEMORY_VERBS",
        "protocol_version": v.VERBS_VERSION,
        "versioning_policy": VERSIONING_POLICY,
        "verbs": {
            name: {
                "description": tools[name]["description"],
                "input_schema": tools[name]["inputSchema"],
                "annotations": tools[name]["annotations"],
                "response_schema": responses[name],
            }
            for name, row in _rows().items()
        },
        "error_schema": error_schema(),
    }


def signatures() -> list[str]:
    """One line for each verb: its name, its params (optional ones with ``?``), what it is for."""
    lines = []
    for name, row in _rows().items():
        params = [
            field.name + ("" if field.required else "?")
            for field in fields_of(row.params)
            if field.name not in _OURS
        ]
        lines.append(f"{name}({', '.join(params)}) - {row.summary}")
    return lines


def error_schema() -> Schema:
    """The error envelope; the registry asks for its code and its message."""
    return {
        "description": "Every verb error. Branch on `error`; `suggestion` says how to go on.",
        "type": "object",
        "properties": {
            "error": {"type": "string", "enum": [str(code) for code in VerbCode]},
            "message": {"type": "string", "minLength": 1},
            "suggestion": {"type": "string", "minLength": 1},
            "detail": {"type": "string"},
            "protocol_version": {"const": v.VERBS_VERSION},
        },
        "required": ["error", "message"],
    }


def response_definitions(results: Collection[type]) -> dict[str, Schema]:
    """Every type of these responses, with what the contract requires of it."""
    found = definitions(results, closed=())
    for cls, names in REQUIRED.items():
        if cls.__name__ not in found:
            continue
        schema = found[cls.__name__]
        schema.pop("required", None)
        if unknown := set(names) - schema["properties"].keys():
            raise ValueError(f"{cls.__name__} has no {sorted(unknown)}")
        if names:
            schema["required"] = list(names)
        if "protocol_version" in schema["properties"]:
            schema["properties"]["protocol_version"] = {"const": v.VERBS_VERSION}
    return found


def _rows() -> dict[str, Any]:
    return {str(row.tool): row for row in VERB_OPERATIONS}


def _response(result: type) -> Schema:
    return {"$ref": f"{DEFS}{result.__name__}"}


def _params() -> dict[str, Schema]:
    """The params of the contract, and the enums in them."""
    shown: dict[str, Schema] = {}
    for row in VERB_OPERATIONS:
        fields = [field for field in fields_of(row.params) if field.name not in _OURS]
        shown[row.params.__name__] = {
            "description": row.summary,
            "type": "object",
            "properties": {field.wire_name: property_of(row.params, field) for field in fields},
            "required": [field.wire_name for field in fields if field.required],
        }
    return {**shown, **{cls.__name__: definition(cls, closed=False) for cls in (v.FactKind, v.Visibility)}}
