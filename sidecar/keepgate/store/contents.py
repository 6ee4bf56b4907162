"""What a store holds that matters: the hash over all that is canonical, and how much of it there is."""

import hashlib
from typing import Final

import apsw

from keepgate.store.rows import one

_COUNTS: Final = "SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM ledger)"
_CONTENT: Final = (
    """
    SELECT id, track, scope, workspace_key, agent_key, text, source, tags, version, created_at, updated_at,
      session_id, units, folded, folded_crc, created_seq, ledger_seq
    FROM entries ORDER BY id
    """,
    """
    SELECT id, status, change, workspace_key, homes, agent_key, session_id, kind, track, scope, source, text,
      hash, asked_by, waiter, created_at, expires_at, decided_at, outcome, decided_by
    FROM proposals ORDER BY id
    """,
    """
    SELECT id, home, entity, text, kind, visibility, provenance, created_at, valid_until, expired_at,
      superseded_by, reason, session_id, version, twin_crc, ledger_seq
    FROM facts ORDER BY id
    """,
    """
    SELECT id, home, root, slug, path, digest_before, digest_after, content, state, ledger_seq
    FROM page_writes ORDER BY id
    """,
    """
    SELECT id, session_id, agent_key, kind, track, workspace_key, kept_for, holder, granted_at, "by",
      ledger_seq
    FROM grants ORDER BY id
    """,
    """
    SELECT seq, ts, action, decision, outcome, track, scope, workspace_key, homes, agent_key, entry_id,
      source, session_id, proposal_id, shown_hash, "by", payload, salt, digest, previous, hash, key_id, mac
    FROM ledger WHERE NOT (action = 'restored' AND decision = 'note') ORDER BY seq
    """,
)


def content_hash(db: apsw.Connection) -> str:
    """SHA-256 over all that is canonical, without what notes a restore; for one read transaction."""
    digest = hashlib.sha256()
    for statement in _CONTENT:
        for row in db.execute(statement):
            digest.update(repr(row).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def counts_of(db: apsw.Connection) -> tuple[int, int]:
    """How many entries and ledger rows there are."""
    entries, rows = one(db.execute(_COUNTS))
    return entries, rows
