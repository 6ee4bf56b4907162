"""``schemas/keepgate-protocol.schema.json`` and ``schemas/settings.schema.json``."""

from typing import Any, Final

from keepgate.derive.fields import reachable
from keepgate.derive.json_schema import (
    DEFS,
    Schema,
    closed_types,
    definition,
    definitions,
    document,
    schema_of,
)
from keepgate.protocol.lifecycle import KeepgateCapabilities
from keepgate.protocol.operation import Operation
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES, ServerMessage
from keepgate.protocol.settings import Settings

PROTOCOL_PATH: Final = "schemas/keepgate-protocol.schema.json"
SETTINGS_SCHEMA_PATH: Final = "schemas/settings.schema.json"


def protocol_types() -> list[Any]:
    """The params and results of every operation and server message, and the announced capabilities."""
    return [
        *(hint for row in OPERATIONS for hint in (row.params, row.result, *row.other_results)),
        *(hint for row in SERVER_MESSAGES for hint in (row.params, row.result) if hint is not None),
        KeepgateCapabilities,
    ]


def protocol_schema() -> Schema:
    """Definitions of everything that travels; ``x-methods`` says which of them a method takes and gives."""
    return document(
        "keepgate-protocol",
        "keepgate protocol 1",
        "Params and results of the sidecar's methods and of the messages that it sends.",
        {
            "x-methods": {row.name: _method(row) for row in OPERATIONS},
            "x-serverMessages": {row.name: _message(row) for row in SERVER_MESSAGES},
            "$defs": definitions(protocol_types(), closed=closed_types()),
        },
    )


def result_schema(row: Operation, refs: str = DEFS) -> Schema:
    """What an operation answers with."""
    options = [schema_of(hint, refs=refs) for hint in (row.result, *row.other_results)]
    return options[0] if len(options) == 1 else {"anyOf": [option or True for option in options]}


def _method(row: Operation) -> Schema:
    return {"params": schema_of(row.params), "result": result_schema(row)}


def _message(row: ServerMessage) -> Schema:
    answer = {} if row.result is None else {"result": schema_of(row.result)}
    return {"params": schema_of(row.params), **answer}


def settings_schema() -> Schema:
    """The settings as initialization options and in ``config.toml``; unknown keys are refused."""
    closed = reachable([Settings])
    inner = [each for each in closed if each is not Settings]
    return document(
        "keepgate-settings",
        "keepgate settings",
        "Initialization options, and the user's config.toml under the same names.",
        {
            **definition(Settings, closed=True),
            "$defs": definitions(inner, closed=closed),
        },
    )
