"""synthesize."""

from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.service.context import ReadCtx


async def synthesize(ctx: ReadCtx, params: v.SynthesizeParams) -> v.SynthesizeResult:
    """VERBS-synthesize."""
    raise VerbFault(VerbCode.UNAVAILABLE, "synthesize is not there yet", "Upgrade keepgate.")
