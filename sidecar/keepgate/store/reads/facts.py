"""Facts in sight, newest first (VERBS-recall). Homes, visibility, ttl and expiry are in the SQL."""

import json
from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.core.model.fact import Fact, Sight
from keepgate.store.facts import ACTIVE
from keepgate.store.rows import FACT_COLUMNS, fact_of, json_array

SEEN: Final = f"""
(:world_only = 0 OR f.visibility = 'world')
  AND (({ACTIVE}) OR (:with_expired = 1 AND NOT EXISTS (
    SELECT 1 FROM ledger AS held WHERE held.seq = f.ledger_seq AND held.action = 'quarantine'
  )))
  AND (:since_ms IS NULL OR f.created_at >= :since_ms)
  AND (:session_id IS NULL OR f.session_id = :session_id)
"""  # noqa: S608 - constants of this package
"""Of ``facts AS f``, beside its home: what a filter lets through for a reader."""

_FROM: Final = f"SELECT {FACT_COLUMNS} FROM facts AS f INDEXED BY"  # noqa: S608 - constants of this package
_OF_ENTITY: Final = f"""
{_FROM} facts_entity WHERE f.home = :home AND f.entity = :entity AND {SEEN} ORDER BY f.id DESC LIMIT :limit
"""
_OF_SESSION: Final = f"""
{_FROM} facts_session WHERE f.home = :home AND f.session_id = :session_id AND {SEEN}
ORDER BY f.id DESC LIMIT :limit
"""
_SINCE: Final = f"""
{_FROM} facts_since WHERE f.home = :home AND f.created_at >= :since_ms AND {SEEN}
ORDER BY f.created_at DESC, f.id DESC LIMIT :limit
"""
_OF_HOME: Final = f"{_FROM} facts_home WHERE f.home = :home AND {SEEN} ORDER BY f.id DESC LIMIT :limit"


@frozen(kw_only=True)
class FactFilter:
    """Which facts are asked for; what is ``None`` narrows nothing, and all of it holds together.

    ``entities`` are slugs of one entity; ``session_id`` is the session that saved the fact. Times are epoch
    milliseconds.
    """

    now_ms: int
    entities: tuple[str, ...] | None = None
    since_ms: int | None = None
    session_id: str | None = None
    with_expired: bool = False


def filter_values(sight: Sight, wanted: FactFilter) -> dict[str, Any]:
    """The values that :data:`SEEN` names, and ``homes`` and ``entities`` as JSON."""
    return {
        "homes": json_array(sight.homes),
        "world_only": sight.world_only,
        "with_expired": wanted.with_expired,
        "now_ms": wanted.now_ms,
        "since_ms": wanted.since_ms,
        "session_id": wanted.session_id,
        "entities": None if wanted.entities is None else json.dumps(wanted.entities),
    }


def newest_facts(db: apsw.Connection, sight: Sight, wanted: FactFilter, limit: int) -> list[Fact]:
    """The newest facts in sight that the filter lets through, at most ``limit``."""
    values = {**filter_values(sight, wanted), "limit": limit}
    found: list[Fact] = []
    for home in sight.homes:
        for entity in (None,) if wanted.entities is None else wanted.entities:
            keyed = {**values, "home": home, "entity": entity}
            found += map(fact_of, db.execute(_statement(wanted), keyed))
    return sorted(found, key=lambda fact: (fact.created_at, fact.id), reverse=True)[:limit]


def _statement(wanted: FactFilter) -> str:
    if wanted.entities is not None:
        return _OF_ENTITY
    if wanted.session_id is not None:
        return _OF_SESSION
    return _OF_HOME if wanted.since_ms is None else _SINCE
