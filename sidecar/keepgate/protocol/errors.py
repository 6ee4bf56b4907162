"""Faults: every way an operation can fail, with one table that all fronts read.

A fault's ``code`` is the stable contract (DSH-7); numbers, exit codes and advice hang off it.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from typing import Any, Final

from attrs import frozen


class Code(StrEnum):
    """The closed set of fault codes."""

    INVALID_INPUT = "INVALID_INPUT"
    WRITE_REQUIRES_AGENT = "WRITE_REQUIRES_AGENT"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    ENTRY_NOT_FOUND = "ENTRY_NOT_FOUND"
    AMBIGUOUS_MATCH = "AMBIGUOUS_MATCH"
    WRITE_DENIED = "WRITE_DENIED"
    PROPOSAL_NOT_FOUND = "PROPOSAL_NOT_FOUND"
    STORE_CORRUPT = "STORE_CORRUPT"
    STORE_UNSUPPORTED_VERSION = "STORE_UNSUPPORTED_VERSION"
    ADAPTER_NOT_FOUND = "ADAPTER_NOT_FOUND"
    ADAPTER_PAYLOAD = "ADAPTER_PAYLOAD"
    STORE_BUSY = "STORE_BUSY"
    STORE_FULL = "STORE_FULL"
    STORE_READ_ONLY = "STORE_READ_ONLY"
    PAGE_NOT_FOUND = "PAGE_NOT_FOUND"


class RpcNumber(IntEnum):
    """JSON-RPC and LSP error numbers that are not contract faults."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800


class ExitCode(IntEnum):
    """What the command line exits with."""

    OK = 0
    FAILED = 1
    USAGE = 2
    DENIED = 3
    NOT_FOUND = 4
    CONFLICT = 5
    OVER_BUDGET = 6
    STORE = 7


@frozen(kw_only=True)
class FaultKind:
    """One row of the fault table."""

    number: int
    exit_code: ExitCode
    summary: str
    details: tuple[str, ...]
    suggestion: str
    retryable: bool = False


FAULTS: Mapping[Code, FaultKind] = {
    Code.INVALID_INPUT: FaultKind(
        number=-32050,
        exit_code=ExitCode.USAGE,
        summary="A value is outside what the contract allows.",
        details=("problems",),
        suggestion="Correct the fields listed under problems and send the request again.",
    ),
    Code.WRITE_REQUIRES_AGENT: FaultKind(
        number=-32051,
        exit_code=ExitCode.USAGE,
        summary="A write named no session.",
        details=(),
        suggestion="Send session: {id, agentPreset?, cwd?}, or open a default session first.",
    ),
    Code.BUDGET_EXCEEDED: FaultKind(
        number=-32052,
        exit_code=ExitCode.OVER_BUDGET,
        summary="The write would take its layer over its budget.",
        details=("track", "scope", "used", "limit", "needed"),
        suggestion="Consolidate or remove entries of that layer, then try again.",
    ),
    Code.ENTRY_NOT_FOUND: FaultKind(
        number=-32053,
        exit_code=ExitCode.NOT_FOUND,
        summary="No visible entry matches.",
        details=("track", "scope", "match"),
        suggestion="Query the layer first and use a substring of an entry that is there.",
    ),
    Code.AMBIGUOUS_MATCH: FaultKind(
        number=-32054,
        exit_code=ExitCode.CONFLICT,
        summary="More than one visible entry matches.",
        details=("track", "scope", "match", "candidates", "sample"),
        suggestion="Use a longer substring that only one of the candidates contains, or its id.",
    ),
    Code.WRITE_DENIED: FaultKind(
        number=-32055,
        exit_code=ExitCode.DENIED,
        summary="The write was not allowed; nothing was stored.",
        details=("outcome", "proposalId"),
        suggestion="Do not retry unless the person asks for it.",
    ),
    Code.PROPOSAL_NOT_FOUND: FaultKind(
        number=-32056,
        exit_code=ExitCode.NOT_FOUND,
        summary="There is no pending proposal with that id.",
        details=("id",),
        suggestion="List the pending proposals; this one may have been decided already.",
    ),
    Code.STORE_CORRUPT: FaultKind(
        number=-32057,
        exit_code=ExitCode.STORE,
        summary="The store cannot be read as a keepgate store; it was left untouched.",
        details=("path",),
        suggestion="Run `keepgate doctor`; restore a backup with `keepgate restore PATH`.",
    ),
    Code.STORE_UNSUPPORTED_VERSION: FaultKind(
        number=-32058,
        exit_code=ExitCode.STORE,
        summary="The store was written by a newer keepgate; it was left untouched.",
        details=("path", "found", "supported"),
        suggestion="Upgrade keepgate, or point it at another store.",
    ),
    Code.ADAPTER_NOT_FOUND: FaultKind(
        number=-32059,
        exit_code=ExitCode.NOT_FOUND,
        summary="No adapter has that id.",
        details=("adapterId",),
        suggestion="List the adapters and use one of their ids.",
    ),
    Code.ADAPTER_PAYLOAD: FaultKind(
        number=-32060,
        exit_code=ExitCode.FAILED,
        summary="The adapter cannot convert this payload.",
        details=("adapterId",),
        suggestion="Correct the payload at the place named in the message.",
    ),
    Code.STORE_BUSY: FaultKind(
        number=-32061,
        exit_code=ExitCode.STORE,
        summary="Another process held the store's write lock for too long; nothing was stored.",
        details=("waitedMs",),
        suggestion="Try again; if it persists, find the process that holds the store open.",
        retryable=True,
    ),
    Code.STORE_FULL: FaultKind(
        number=-32062,
        exit_code=ExitCode.STORE,
        summary="The disk is full; nothing was stored.",
        details=("path",),
        suggestion="Free disk space and try again.",
    ),
    Code.STORE_READ_ONLY: FaultKind(
        number=-32063,
        exit_code=ExitCode.STORE,
        summary="The store cannot be written; reads still work.",
        details=("path",),
        suggestion="Give this user write permission on the store and its folder.",
    ),
    Code.PAGE_NOT_FOUND: FaultKind(
        number=-32065,
        exit_code=ExitCode.NOT_FOUND,
        summary="No visible page has that slug.",
        details=("slug",),
        suggestion="List or search the pages and use a slug that is there.",
    ),
}


@frozen
class Problem:
    """One complaint about one value; ``path`` is a JSON path such as ``$.tags[2]``."""

    path: str
    problem: str


PROBLEMS_MAX: Final = 20
"""How many problems of one request are listed."""


class Fault(Exception):
    """An operation failed in a way the contract names. Nothing was stored unless details say so.

    ``exit_code`` is what the command line exits with.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        details: Mapping[str, Any] | None = None,
        *,
        suggestion: str | None = None,
        number: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code: StrEnum = code
        self.message = message
        self.details: dict[str, Any] = dict(details or {})
        self.exit_code = FAULTS[code].exit_code
        self.suggestion = suggestion or FAULTS[code].suggestion
        self.number = number if number is not None else FAULTS[code].number

    def data(self) -> dict[str, Any]:
        """The ``data`` member of the JSON-RPC error."""
        data: dict[str, Any] = {
            "code": str(self.code),
            "details": self.details,
            "suggestion": self.suggestion,
        }
        if "problems" in self.details:
            data["problems"] = self.details["problems"]
        return data


def invalid_input(*problems: Problem, shape: bool = False) -> Fault:
    """Values outside the contract; ``shape`` marks wrong types and unknown or missing fields (-32602).

    Of very many problems the first are listed, and how many more there are: an array of a million wrong items
    must not become an answer larger than the request.
    """
    listed = [{"path": item.path, "problem": item.problem} for item in problems[:PROBLEMS_MAX]]
    if len(problems) > PROBLEMS_MAX:
        listed.append({"path": "$", "problem": f"and {len(problems) - PROBLEMS_MAX} more problems"})
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return Fault(
        Code.INVALID_INPUT,
        f"{first.path}: {first.problem}{more}",
        {"problems": listed},
        number=RpcNumber.INVALID_PARAMS if shape else None,
    )


@frozen
class SecretHit:
    """Where a secret stands: a JSON path, the kind of secret, and the UTF-16 units before it in that text."""

    path: str
    kind: str
    offset: int

    def described(self) -> dict[str, Any]:
        """The hit as details, rows and questions tell it; the secret is not part of it."""
        problem = f"holds what looks like a secret ({self.kind}) at offset {self.offset}"
        return {"path": self.path, "problem": problem, "kind": self.kind, "offset": self.offset}


def secret_found(hits: Sequence[SecretHit]) -> Fault:
    """A text that would bring a secret into the store (docs/protocol.md, "Secrets")."""
    listed = [hit.described() for hit in hits]
    more = f" (and {len(hits) - 1} more)" if len(hits) > 1 else ""
    return Fault(
        Code.INVALID_INPUT,
        f"{listed[0]['path']}: {listed[0]['problem']}{more}",
        {"problems": listed, "reason": "secret"},
        suggestion="Leave the secret out and name where it is kept. Only a person at a terminal can insist.",
    )


def write_requires_agent() -> Fault:
    """A write without a session."""
    return Fault(Code.WRITE_REQUIRES_AGENT, "a write needs the session that asks for it")


def budget_exceeded(*, track: str, scope: str, used: int, limit: int, needed: int) -> Fault:
    """``needed`` is the layer's total after the write, in UTF-16 units (DSH-5)."""
    return Fault(
        Code.BUDGET_EXCEEDED,
        f"{track}/{scope} has {used} of {limit} units in use and this write needs {needed}",
        {"track": track, "scope": scope, "used": used, "limit": limit, "needed": needed},
    )


def entry_not_found(*, track: str, scope: str, match: str, reason: str | None = None) -> Fault:
    """No visible entry; ``match`` is the substring or the id that was asked for."""
    details: dict[str, Any] = {"track": track, "scope": scope, "match": match}
    if reason is not None:
        details["reason"] = reason
    where = f" in {track}/{scope}" if track else ""
    return Fault(
        Code.ENTRY_NOT_FOUND, f"no visible entry{where} matches{f' ({reason})' if reason else ''}", details
    )


def fact_not_found(fact_id: str) -> Fault:
    """No fact in sight has that id: it was never given out, or it is for others."""
    details = {"track": "", "scope": "", "match": fact_id}
    return Fault(Code.ENTRY_NOT_FOUND, "no fact in sight has this id", details, suggestion=_RECALL_ADVICE)


_RECALL_ADVICE = "Take `fact_id` from an answer of recall or remember; a page's slug is no fact's id."


def ambiguous_match(*, track: str, scope: str, match: str, candidates: int, sample: Sequence[str]) -> Fault:
    """``candidates`` counts all visible hits; ``sample`` holds excerpts of at most ten of them."""
    return Fault(
        Code.AMBIGUOUS_MATCH,
        f"{candidates} visible entries in {track}/{scope} match; exactly one must",
        {"track": track, "scope": scope, "match": match, "candidates": candidates, "sample": list(sample)},
    )


def write_denied(
    outcome: str, proposal_id: str | None, *, reason: str | None = None, suggestion: str | None = None
) -> Fault:
    """``outcome`` is ``rejected``, ``cancelled`` or ``unavailable``."""
    details: dict[str, Any] = {"outcome": outcome}
    if proposal_id is not None:
        details["proposalId"] = proposal_id
    if reason is not None:
        details["reason"] = reason
    message = f"the write was not allowed: {outcome}{f' ({reason})' if reason else ''}; nothing was stored"
    return Fault(Code.WRITE_DENIED, message, details, suggestion=suggestion)


def proposal_not_found(proposal_id: str) -> Fault:
    """Unknown, out of this connection's sight, or already decided."""
    return Fault(Code.PROPOSAL_NOT_FOUND, "there is no pending proposal with that id", {"id": proposal_id})


def page_not_found(slug: str) -> Fault:
    """No page in view has that slug."""
    return Fault(Code.PAGE_NOT_FOUND, "no visible page has that slug", {"slug": slug})


def adapter_not_found(adapter_id: str) -> Fault:
    """No adapter is registered under that id."""
    return Fault(Code.ADAPTER_NOT_FOUND, "no adapter has that id", {"adapterId": adapter_id})


def adapter_payload(adapter_id: str, reason: str, *, line: int | None = None) -> Fault:
    """The payload cannot be converted; ``line`` is 1-based where the payload is text."""
    details: dict[str, Any] = {"adapterId": adapter_id}
    if line is not None:
        details["line"] = line
    place = f"line {line}: " if line is not None else ""
    return Fault(Code.ADAPTER_PAYLOAD, f"{adapter_id}: {place}{reason}", details)
