"""recall."""

from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.service.context import ReadCtx


async def recall(ctx: ReadCtx, params: v.RecallParams) -> v.RecallResult:
    """VERBS-recall."""
    raise VerbFault(VerbCode.UNAVAILABLE, "recall is not there yet", "Upgrade keepgate.")
