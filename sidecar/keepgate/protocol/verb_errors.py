"""The errors of MEMORY_VERBS v1: coarse codes for branching, and always a suggestion (VERBS-errors)."""

from enum import StrEnum
from typing import Any, Final

from keepgate.protocol.verbs import VERBS_VERSION

VERB_ERROR_NUMBER: Final = -32064
"""The JSON-RPC number of every verb error."""


class VerbCode(StrEnum):
    """The closed set of error codes."""

    INVALID_PARAMS = "invalid_params"
    PROVENANCE_REQUIRED = "provenance_required"
    NOT_FOUND = "not_found"
    SCOPE_DENIED = "scope_denied"
    UNAVAILABLE = "unavailable"
    BUDGET_UNSATISFIABLE = "budget_unsatisfiable"
    INTERNAL = "internal"


class VerbFault(Exception):
    """A verb failed in a way that the contract names. Nothing was stored."""

    def __init__(self, code: VerbCode, message: str, suggestion: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.detail = detail

    def envelope(self) -> dict[str, Any]:
        """The error as it is sent."""
        detail = {} if self.detail is None else {"detail": self.detail}
        return {
            "error": str(self.code),
            "message": self.message,
            "suggestion": self.suggestion,
            **detail,
            "protocol_version": VERBS_VERSION,
        }


def invalid_params(message: str, suggestion: str, detail: str | None = None) -> VerbFault:
    """A parameter is missing, of the wrong type, or outside what the verb takes."""
    return VerbFault(VerbCode.INVALID_PARAMS, message, suggestion, detail)
