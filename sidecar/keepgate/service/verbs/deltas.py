"""delta."""

from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.service.context import ReadCtx


async def delta(ctx: ReadCtx, params: v.DeltaParams) -> v.DeltaResult:
    """VERBS-delta."""
    raise VerbFault(VerbCode.UNAVAILABLE, "delta is not there yet", "Upgrade keepgate.")
