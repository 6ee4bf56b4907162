"""Parameters that context_pack and delta read alike."""

from collections.abc import Sequence

from keepgate.core.model.entry import session_problems
from keepgate.core.model.fact import Fact
from keepgate.core.model.times import BadMoment, iso, parse_since
from keepgate.protocol import verbs as v
from keepgate.protocol.verb_errors import invalid_params


def moment_of(since: str | None, now_ms: int) -> int | None:
    """The moment that ``since`` names, in epoch milliseconds; blank is absent. Raises ``invalid_params``."""
    if since is None or not since.strip():
        return None
    try:
        return parse_since(since, now_ms)
    except BadMoment as bad:
        raise invalid_params(str(bad), bad.suggestion) from None


def session_of(session_id: str | None) -> str | None:
    """The session that a cursor or a ledger row is about; blank is absent. Raises ``invalid_params``."""
    if session_id is None or not session_id.strip():
        return None
    problems = session_problems(session_id)
    if problems:
        raise invalid_params(f"session_id {problems[0].problem}", "Use the id of your session as it is.")
    return session_id


def shown(facts: Sequence[Fact]) -> list[v.PackFact]:
    """Facts as packs and deltas carry them."""
    return [
        v.PackFact(
            fact_id=fact.fact_id,
            fact=fact.text,
            kind=fact.kind,
            entity_slug=fact.entity,
            valid_from=iso(fact.created_at),
        )
        for fact in facts
    ]
