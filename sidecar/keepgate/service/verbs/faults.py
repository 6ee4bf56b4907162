"""Faults of the gate and the store as the errors of MEMORY_VERBS: the one place (VERBS-errors)."""

from typing import Final

from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import Outcome
from keepgate.protocol.verb_errors import VerbCode, VerbFault

_UNAVAILABLE: Final = frozenset({
    Code.STORE_BUSY, Code.STORE_FULL, Code.STORE_READ_ONLY,
    Code.STORE_CORRUPT, Code.STORE_UNSUPPORTED_VERSION,
})  # fmt: skip
_DECIDE: Final = "A person decides it: `keepgate proposals approve {id}`. Do not send it again."


def as_verb_fault(fault: Fault) -> VerbFault:
    """The verb error that a fault is told as; ``detail`` names the code, the outcome and the proposal."""
    if isinstance(fault, VerbFault):
        return fault
    return VerbFault(_code_of(fault), fault.message, _suggestion(fault), _detail(fault), cause=fault)


def _code_of(fault: Fault) -> VerbCode:
    match fault.code:
        case Code.WRITE_DENIED:
            nobody = fault.details.get("outcome") == Outcome.UNAVAILABLE
            return VerbCode.UNAVAILABLE if nobody else VerbCode.SCOPE_DENIED
        case Code.INVALID_INPUT:
            return VerbCode.INVALID_PARAMS
        case Code.ENTRY_NOT_FOUND | Code.PAGE_NOT_FOUND:
            return VerbCode.NOT_FOUND
        case _:
            return VerbCode.UNAVAILABLE if fault.code in _UNAVAILABLE else VerbCode.INTERNAL


def _suggestion(fault: Fault) -> str:
    waiting = fault.details.get("proposalId")
    if waiting is not None and fault.details.get("outcome") == Outcome.UNAVAILABLE:
        return _DECIDE.format(id=waiting)
    return fault.suggestion


def _detail(fault: Fault) -> str:
    named = {name: fault.details.get(name) for name in ("outcome", "reason", "proposalId")}
    return "; ".join([str(fault.code), *(f"{name} {value}" for name, value in named.items() if value)])
