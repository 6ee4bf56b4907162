"""entity."""

from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.service.context import ReadCtx


async def entity(ctx: ReadCtx, params: v.EntityParams) -> v.EntityResult:
    """VERBS-entity."""
    raise VerbFault(VerbCode.UNAVAILABLE, "entity is not there yet", "Upgrade keepgate.")
