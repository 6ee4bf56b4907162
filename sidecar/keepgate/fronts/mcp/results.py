"""What a tool call answers: exactly one text block with a JSON object, whatever happened."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from keepgate.protocol.errors import Fault
from keepgate.protocol.surfaces import Tool, nearest
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.protocol.verbs import VERBS_VERSION
from keepgate.protocol.wire import encode
from keepgate.service.verbs.faults import as_verb_fault

Json = dict[str, Any]

INTERNAL: Final = "INTERNAL"
_INCIDENT_ADVICE: Final = (
    "Try again; if it persists, look for the incident in the log and run keepgate doctor."
)


def succeeded(document: Mapping[str, Any], warnings: list[dict[str, str]] | None = None) -> Json:
    """The result of a call; warnings stand in ``_meta``, never in a second block."""
    kept = dict(document)
    found = [*(warnings or []), *kept.pop("_meta", {}).get("warnings", [])]
    return {"content": [_text(kept)], **({"_meta": {"warnings": found}} if found else {})}


def failed(envelope: Mapping[str, Any]) -> Json:
    """An error: for the model to read, never an error of JSON-RPC."""
    return {"content": [_text(envelope)], "isError": True}


def unknown_tool(name: str, offered: Iterable[str]) -> Json:
    """The same answer for a hidden tool and for one that does not exist."""
    near = nearest(name, offered)
    return {
        "error": "unknown_tool",
        "message": f"Unknown tool: {name}",
        **({"suggestion": f"Did you mean {near}?"} if near else {}),
        "protocol_version": VERBS_VERSION,
    }


def envelope_of(fault: Fault, tool: Tool) -> Json:
    """A fault in the words of the tool's contract."""
    if tool.is_verb:
        fault = as_verb_fault(fault)
    if isinstance(fault, VerbFault):
        return fault.envelope()
    return {
        "error": str(fault.code),
        "message": fault.message,
        "suggestion": fault.suggestion,
        "details": fault.details,
    }


def incident_envelope(number: str, tool: Tool) -> Json:
    """An unforeseen failure: its id in the log and nothing else."""
    message = f"something unforeseen failed: incident {number}"
    if tool.is_verb:
        return VerbFault(VerbCode.INTERNAL, message, _INCIDENT_ADVICE).envelope()
    return {
        "error": INTERNAL,
        "message": message,
        "suggestion": _INCIDENT_ADVICE,
        "details": {"incident": number},
    }


def _text(document: Mapping[str, Any]) -> Json:
    return {"type": "text", "text": encode(document).decode()}
