"""``memory/asOf``: the store as it was, from the ledger."""

from keepgate.core.model.fact import Fact
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.looking_back import AsOfParams, AsOfResult, FactThen
from keepgate.service.context import ReadCtx
from keepgate.service.reading import LIST_LIMIT_DEFAULT, limit_of
from keepgate.store.connection import Connection
from keepgate.store.reads.as_of import Then, as_of, row_at, row_before

MOMENT_MAX = (1 << 63) - 1


async def memory_as_of(ctx: ReadCtx, params: AsOfParams) -> AsOfResult:
    """Entries and facts in sight as they were. Raises ``INVALID_INPUT`` for a row that there is not."""
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)
    limit = limit_of(params.limit, LIST_LIMIT_DEFAULT, *_problems(params))
    after = int(params.after or 0)

    def look(db: Connection) -> tuple[tuple[int, int] | None, Then]:
        row = _row(db, params)
        if row is None:
            return None, Then()
        seq, ts = row
        moment = ts if params.at is None else params.at
        return row, as_of(db, viewer, seq=seq, ts=moment, limit=limit, after=after)

    row, then = await ctx.store.reading.run(look)
    if row is None and params.seq:
        raise invalid_input(Problem("$.seq", "names no ledger row"))
    return AsOfResult(
        seq=row[0] if row else 0,
        ts=row[1] if row else None,
        entries=then.entries,
        facts=[_fact(fact) for fact in then.facts],
        unknown=then.unknown,
        next=None if then.next is None else str(then.next),
    )


def _row(db: Connection, params: AsOfParams) -> tuple[int, int] | None:
    if params.seq is not None:
        return row_at(db, params.seq)
    return row_before(db, params.at or 0)


def _problems(params: AsOfParams) -> list[Problem]:
    problems = []
    if (params.seq is None) == (params.at is None):
        problems.append(Problem("$", "needs exactly one of seq and at"))
    for name, value in (("seq", params.seq), ("at", params.at)):
        if value is not None and not 0 <= value <= MOMENT_MAX:
            problems.append(Problem(f"$.{name}", "is out of range"))
    after = params.after
    if after is not None and not (after.isascii() and after.isdigit() and len(after) < 19):
        problems.append(Problem("$.after", "must be the next of an earlier page"))
    return problems


def _fact(fact: Fact) -> FactThen:
    return FactThen(
        id=fact.fact_id,
        workspace_key=fact.home,
        entity=fact.entity,
        text=fact.text,
        kind=fact.kind,
        visibility=fact.visibility,
        provenance=fact.provenance,
        created_at=fact.created_at,
        valid_until=fact.valid_until,
        session_id=fact.session_id,
    )
