"""remember."""

from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.service.context import WriteCtx


async def remember(ctx: WriteCtx, params: v.RememberParams) -> v.RememberResult:
    """VERBS-remember."""
    raise VerbFault(VerbCode.UNAVAILABLE, "remember is not there yet", "Upgrade keepgate.")


async def forget(ctx: WriteCtx, params: v.ForgetParams) -> v.ForgetResult:
    """VERBS-forget."""
    raise VerbFault(VerbCode.UNAVAILABLE, "forget is not there yet", "Upgrade keepgate.")
