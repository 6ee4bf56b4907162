"""``session/taint``: a session has read what nobody vouches for. Any caller may say so: it only tightens."""

from keepgate.core.model.entry import text_problems
from keepgate.core.model.text import units
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.looking_back import (
    TAINT_SOURCE_UNITS_MAX,
    TAINT_SOURCES_MAX,
    SessionTaintParams,
    SessionTaintResult,
)
from keepgate.service.context import WriteCtx


async def taint(ctx: WriteCtx, params: SessionTaintParams) -> SessionTaintResult:
    """Note the sources in the ledger. Raises ``INVALID_INPUT`` for none, too many and too long ones."""
    author = ctx.writing_author(params.session)
    problems = [
        problem for index, source in enumerate(params.sources) for problem in _problems(source, index)
    ]
    if not 0 < len(params.sources) <= TAINT_SOURCES_MAX:
        problems.insert(0, Problem("$.sources", f"must name 1 to {TAINT_SOURCES_MAX} sources"))
    if problems:
        raise invalid_input(*problems)
    known = await ctx.gate.taint(author, params.sources, ctx.connection.asker)
    return SessionTaintResult(tainted=True, sources=list(known))


def _problems(source: str, index: int) -> list[Problem]:
    path = f"$.sources[{index}]"
    if units(source) > TAINT_SOURCE_UNITS_MAX:
        return [Problem(path, f"has {units(source)} units; at most {TAINT_SOURCE_UNITS_MAX} are allowed")]
    return text_problems(source, path)
