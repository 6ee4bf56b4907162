"""Facts in the store: what a change of them reads and writes, inside a transaction that somebody else holds.

Whether a fact is active, and so shown to anybody, is decided here (:data:`ACTIVE`) and in
:meth:`keepgate.core.model.fact.Fact.is_active`, and nowhere else.
"""

from typing import Any, Final
from zlib import crc32

import apsw

from keepgate.core.model.fact import Fact, Sight, near_words
from keepgate.store.derived import FACTS, index, unindex
from keepgate.store.rows import FACT_COLUMNS, Row, fact_of, json_array

ACTIVE: Final = "f.expired_at IS NULL AND (f.valid_until IS NULL OR f.valid_until > :now_ms)"
"""Of ``facts AS f``: neither forgotten nor superseded nor past its ttl."""

RUN_OUT_AT_ONCE: Final = 200
"""Facts that are noted as run out in one transaction, so that the write lock is never held for long."""

_BY_ID: Final = f"SELECT {FACT_COLUMNS} FROM facts AS f WHERE f.id = ?"  # noqa: S608 - constants of this package
_TWINS: Final = f"""
SELECT {FACT_COLUMNS} FROM facts AS f INDEXED BY facts_twin
WHERE f.home = :home AND f.twin_crc = :crc AND {ACTIVE}
ORDER BY f.id
"""  # noqa: S608
_COUNT: Final = f"""
SELECT count(*) FROM facts AS f WHERE f.home IN (SELECT value FROM json_each(:homes))
  AND (:world_only = 0 OR f.visibility = 'world') AND {ACTIVE}
"""  # noqa: S608
_NEXT_ID: Final = """
SELECT max(
  coalesce((SELECT max(id) FROM facts), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = :floor), 0)
) + 1
"""
_FLOOR: Final = "fact_floor"
_RAISE_FLOOR: Final = (
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
_ABOUT: Final = f"""
SELECT {FACT_COLUMNS} FROM facts AS f INDEXED BY facts_entity
WHERE f.home = :home AND f.entity = :entity AND {ACTIVE} ORDER BY f.id DESC LIMIT :limit
"""  # noqa: S608
_ABOUT_NOTHING: Final = f"""
SELECT {FACT_COLUMNS} FROM facts AS f INDEXED BY facts_home
WHERE f.home = :home AND f.entity IS NULL AND {ACTIVE} ORDER BY f.id DESC LIMIT :limit
"""  # noqa: S608
_INSERT: Final = """
INSERT INTO facts (id, home, entity, text, kind, visibility, provenance, created_at, valid_until, expired_at,
  superseded_by, reason, session_id, version, twin_crc, ledger_seq)
VALUES (:id, :home, :entity, :text, :kind, :visibility, :provenance, :created_at, :valid_until, :expired_at,
  :superseded_by, :reason, :session_id, :version, :twin_crc, :ledger_seq)
"""
_CHANGE: Final = """
UPDATE facts SET expired_at = :expired_at, superseded_by = :superseded_by, reason = :reason,
  version = :version, ledger_seq = :ledger_seq
WHERE id = :id AND version = :version_before
RETURNING id
"""

# A fact can be saved with a ttl that has run out already: what came after the last look is looked at, too.
_RUN_OUT: Final = f"""
SELECT {FACT_COLUMNS} FROM facts AS f
WHERE f.id IN (
    SELECT id FROM facts INDEXED BY facts_ttl
    WHERE expired_at IS NULL AND valid_until > :seen_ms AND valid_until <= :now_ms
    UNION
    SELECT id FROM facts WHERE id > :seen_id AND expired_at IS NULL AND valid_until <= :now_ms
  ) AND NOT EXISTS (SELECT 1 FROM ledger AS l
    WHERE l.entry_id = CAST(f.id AS TEXT) AND l.action = 'expire' AND l.decision = 'note')
ORDER BY f.id LIMIT :limit
"""  # noqa: S608
_SEEN: Final = "SELECT value FROM derived WHERE key = ?"
_NOTE_SEEN: Final = (
    "INSERT INTO derived (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
_SEEN_MS: Final = "facts_expired_ms"
_SEEN_ID: Final = "facts_expired_id"
_LOOK_AGAIN: Final = "DELETE FROM derived WHERE key IN ('facts_expired_ms', 'facts_expired_id')"


def fact(db: apsw.Connection, fact_id: int) -> Fact | None:
    """The fact with that id, whoever may see it, also one that has expired."""
    row: Row | None = db.execute(_BY_ID, (fact_id,)).fetchone()
    return fact_of(row) if row else None


def fact_count(db: apsw.Connection, sight: Sight, now_ms: int) -> int:
    """How many active facts are in sight."""
    values = {"now_ms": now_ms, "world_only": sight.world_only, "homes": json_array(sight.homes)}
    count: int = db.execute(_COUNT, values).get
    return count


def fact_twins(db: apsw.Connection, home: str, text: str, now_ms: int) -> tuple[Fact, ...]:
    """The active facts of a home with the same letters and digits, oldest first, whoever may see them."""
    words = near_words(text)
    rows = db.execute(_TWINS, {"home": home, "crc": crc32(words.encode()), "now_ms": now_ms})
    return tuple(found for found in map(fact_of, rows) if near_words(found.text) == words)


def facts_about(
    db: apsw.Connection, home: str, entity: str | None, now_ms: int, limit: int
) -> tuple[Fact, ...]:
    """The newest active facts of a home about that entity, or about none, whoever may see them."""
    values = {"home": home, "entity": entity, "now_ms": now_ms, "limit": limit}
    rows = db.execute(_ABOUT_NOTHING if entity is None else _ABOUT, values)
    return tuple(map(fact_of, rows))


def next_fact_id(db: apsw.Connection) -> int:
    """The id of the next new fact: facts are never deleted, so none was ever used twice."""
    following: int = db.execute(_NEXT_ID, {"floor": _FLOOR}).get
    return following


def skip_fact_ids(db: apsw.Connection, through: int) -> None:
    """Have no fact get an id up to ``through``: others had them, in a store that this one takes the place of.

    An id that was given stays given in what agents and people have noted of it.
    """
    if through >= next_fact_id(db):
        db.execute(_RAISE_FLOOR, (_FLOOR, str(through)))


def insert_fact(db: apsw.Connection, new: Fact, ledger_seq: int) -> None:
    """Store a new fact under its ledger row; its index row with it."""
    db.execute(_INSERT, _columns(new, ledger_seq))
    index(db, new.id, _searched(new), FACTS)


def change_fact(db: apsw.Connection, before: Fact, after: Fact, ledger_seq: int) -> None:
    """Expire a fact or bring it back; only what is not expired can be searched.

    Raises ``LookupError`` for a plan that was made on another state of the store.
    """
    values = {
        "id": after.id,
        "expired_at": after.expired_at,
        "superseded_by": after.superseded_by,
        "reason": after.reason,
        "version": after.version,
        "version_before": before.version,
        "ledger_seq": ledger_seq,
    }
    if db.execute(_CHANGE, values).fetchone() is None:
        reason = f"fact {before.id} is not at version {before.version}: the plan is of another transaction"
        raise LookupError(reason)
    unindex(db, after.id, FACTS)
    if after.expired_at is None:
        index(db, after.id, _searched(after), FACTS)
        # Its ttl may have run out while it was forgotten.
        db.execute(_LOOK_AGAIN)


def run_out(db: apsw.Connection, now_ms: int, limit: int = RUN_OUT_AT_ONCE) -> list[Fact]:
    """Facts whose ttl has run out since somebody last looked, and of which the ledger does not tell yet.

    They can be searched no longer. Call it once a transaction and note every one of them; where there are as
    many as the ``limit`` there may be more.
    """
    seen = {"seen_ms": _seen(db, _SEEN_MS), "seen_id": _seen(db, _SEEN_ID)}
    found = [fact_of(row) for row in db.execute(_RUN_OUT, {"now_ms": now_ms, "limit": limit, **seen})]
    for expired in found:
        unindex(db, expired.id, FACTS)
    if len(found) == limit:
        # Those that are left are found by the same look.
        return found
    newest = next_fact_id(db) - 1
    if found or newest != seen["seen_id"]:
        db.execute(_NOTE_SEEN, (_SEEN_MS, str(now_ms)))
        db.execute(_NOTE_SEEN, (_SEEN_ID, str(newest)))
    return found


def _seen(db: apsw.Connection, key: str) -> int:
    row: Row | None = db.execute(_SEEN, (key,)).fetchone()
    return int(row[0]) if row else 0


def twin_crc(text: str) -> int:
    """What facts that nearly say the same are found by."""
    return crc32(near_words(text).encode())


def _searched(fact: Fact) -> str:
    # Who it is about is part of what it says; FACTS of store/derived.py puts the same together.
    return f"{fact.text} {fact.entity or ''}"


def _columns(new: Fact, ledger_seq: int) -> dict[str, Any]:
    return {
        "id": new.id,
        "home": new.home,
        "entity": new.entity,
        "text": new.text,
        "kind": str(new.kind),
        "visibility": str(new.visibility),
        "provenance": new.provenance,
        "created_at": new.created_at,
        "valid_until": new.valid_until,
        "expired_at": new.expired_at,
        "superseded_by": new.superseded_by,
        "reason": new.reason,
        "session_id": new.session_id,
        "version": new.version,
        "twin_crc": twin_crc(new.text),
        "ledger_seq": ledger_seq,
    }
