"""The rows of what guards a session and looks back on it."""

from typing import Final

from keepgate.protocol import looking_back as back
from keepgate.protocol.errors import Code
from keepgate.protocol.operation import READING_FAULTS, STORE_FAULTS, Access, Latency, Operation, Surface

_ASKED: Final = (Code.INVALID_INPUT, Code.WRITE_REQUIRES_AGENT, Code.WRITE_DENIED, *STORE_FAULTS)

LOOKING_BACK_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="session/taint",
        params=back.SessionTaintParams,
        result=back.SessionTaintResult,
        access=Access.WRITE,
        latency=Latency.INSTANT,
        summary="Say that this session has read untrusted material: from now on a person is asked each time.",
        faults=(Code.INVALID_INPUT, Code.WRITE_REQUIRES_AGENT, *STORE_FAULTS),
        session_required=True,
        surface=Surface.FULL,
        tool="taint",
    ),
    Operation(
        name="memory/asOf",
        params=back.AsOfParams,
        result=back.AsOfResult,
        access=Access.READ,
        latency=Latency.LONG,
        summary="Memories and facts as they were after a ledger row, or at a moment.",
        faults=READING_FAULTS,
        clauses=("DSH-6",),
        surface=Surface.FULL,
        tool="memory_as_of",
    ),
    Operation(
        name="memory/quarantine",
        params=back.QuarantineParams,
        result=back.QuarantineResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Put what a session wrote out of every read, until it is released. Always asked about.",
        faults=_ASKED,
        session_required=True,
    ),
    Operation(
        name="memory/release",
        params=back.ReleaseParams,
        result=back.QuarantineResult,
        access=Access.WRITE,
        latency=Latency.PERSON,
        summary="Bring back what is in quarantine of a session. Always asked about.",
        faults=_ASKED,
        session_required=True,
    ),
    Operation(
        name="memory/quarantined",
        params=back.QuarantinedParams,
        result=back.QuarantinedResult,
        access=Access.READ,
        latency=Latency.SCAN,
        summary="The sessions of which something is in quarantine.",
        faults=READING_FAULTS,
        surface=Surface.FULL,
    ),
    Operation(
        name="grants/list",
        params=back.GrantsListParams,
        result=back.GrantsListResult,
        access=Access.ADMIN,
        latency=Latency.INSTANT,
        summary="What was allowed for the rest of sessions, in every process.",
        faults=(Code.INVALID_INPUT,),
    ),
    Operation(
        name="grants/revoke",
        params=back.GrantsRevokeParams,
        result=back.GrantsRevokeResult,
        access=Access.ADMIN,
        latency=Latency.INSTANT,
        summary="End what was allowed for the rest of a session: its next write is asked about again.",
        faults=(Code.INVALID_INPUT, *STORE_FAULTS),
    ),
)
