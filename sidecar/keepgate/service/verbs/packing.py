"""context_pack."""

from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.service.context import ReadCtx


async def context_pack(ctx: ReadCtx, params: v.ContextPackParams) -> v.ContextPackResult:
    """VERBS-context_pack."""
    raise VerbFault(VerbCode.UNAVAILABLE, "context_pack is not there yet", "Upgrade keepgate.")
