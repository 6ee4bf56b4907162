"""The errors of MEMORY_VERBS v1: coarse codes for branching, and always a suggestion (VERBS-errors)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from keepgate.protocol.errors import Code, ExitCode, Fault
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


EXIT_CODES: Final[Mapping[VerbCode, ExitCode]] = {
    VerbCode.INVALID_PARAMS: ExitCode.USAGE,
    VerbCode.PROVENANCE_REQUIRED: ExitCode.USAGE,
    VerbCode.NOT_FOUND: ExitCode.NOT_FOUND,
    VerbCode.SCOPE_DENIED: ExitCode.DENIED,
    VerbCode.UNAVAILABLE: ExitCode.FAILED,
    VerbCode.BUDGET_UNSATISFIABLE: ExitCode.OVER_BUDGET,
    VerbCode.INTERNAL: ExitCode.FAILED,
}


class VerbFault(Fault):
    """A verb failed in a way that the contract names. Nothing was stored.

    ``cause`` is the fault of the gate or the store behind it, whose exit code it keeps.
    """

    def __init__(
        self,
        code: VerbCode,
        message: str,
        suggestion: str,
        detail: str | None = None,
        *,
        cause: Fault | None = None,
    ) -> None:
        # Any code will do for the parent: all that hangs off it is set anew.
        super().__init__(
            Code.INVALID_INPUT,
            message,
            {} if detail is None else {"detail": detail},
            suggestion=suggestion,
            number=VERB_ERROR_NUMBER,
        )
        self.code = code
        self.detail = detail
        self.exit_code = EXIT_CODES[code] if cause is None else cause.exit_code

    def envelope(self) -> dict[str, Any]:
        """The error as a verb answers with it."""
        detail = {} if self.detail is None else {"detail": self.detail}
        return {
            "error": str(self.code),
            "message": self.message,
            "suggestion": self.suggestion,
            **detail,
            "protocol_version": VERBS_VERSION,
        }

    def data(self) -> dict[str, Any]:
        """The ``data`` member of the JSON-RPC error: the envelope, and its code under the usual name."""
        return {**self.envelope(), "code": str(self.code)}


def invalid_params(message: str, suggestion: str, detail: str | None = None) -> VerbFault:
    """A parameter is missing, of the wrong type, or outside what the verb takes."""
    return VerbFault(VerbCode.INVALID_PARAMS, message, suggestion, detail)
