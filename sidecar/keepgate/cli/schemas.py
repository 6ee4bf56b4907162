"""The schemas by the names that people give them."""

from typing import Any, Final

from keepgate.derive.contract_schema import contract_schema
from keepgate.derive.fields import reachable
from keepgate.derive.json_schema import DEFS, closed_types, definitions, document, schema_of
from keepgate.derive.openrpc import openrpc_document
from keepgate.derive.protocol_schema import protocol_schema, protocol_types, result_schema, settings_schema
from keepgate.derive.verbs_schema import verbs_schema
from keepgate.protocol.operation import Operation
from keepgate.protocol.ops import BY_NAME, OPERATIONS

DOCUMENTS: Final = {
    "dsh-memory-protocol-v1": contract_schema,
    "memory-verbs-v1": verbs_schema,
    "keepgate-protocol": protocol_schema,
    "keepgate-settings": settings_schema,
    "openrpc": openrpc_document,
}


def names() -> list[tuple[str, str]]:
    """Every name and what it names: documents first, then methods, then types."""
    types = sorted(definitions(protocol_types(), closed=()))
    return [
        *((name, "document") for name in DOCUMENTS),
        *((row.name, "method") for row in OPERATIONS),
        *((name, "type") for name in types),
    ]


def schema_named(name: str) -> dict[str, Any] | None:
    """The document, or a schema of one method or type with every definition it needs; ``None`` for others."""
    if name in DOCUMENTS:
        return DOCUMENTS[name]()
    if name in BY_NAME:
        return _method(BY_NAME[name])
    cls = next((one for one in reachable(protocol_types()) if one.__name__ == name), None)
    return None if cls is None else _type(cls)


def _method(row: Operation) -> dict[str, Any]:
    """One object with the members ``params`` and ``result``, as no method has both in one message."""
    shapes = {"params": schema_of(row.params), "result": result_schema(row)}
    needed = definitions([row.params, row.result, *row.other_results], closed=closed_types())
    body = {"type": "object", "properties": shapes, "required": ["params", "result"], "$defs": needed}
    return document(row.name, row.name, row.summary, body)


def _type(cls: type) -> dict[str, Any]:
    needed = definitions([cls], closed=closed_types())
    body = {"$ref": f"{DEFS}{cls.__name__}", "$defs": needed}
    return document(cls.__name__, cls.__name__, f"The published type {cls.__name__}.", body)
