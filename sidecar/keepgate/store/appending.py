"""Appending ledger and feed rows, inside a transaction that somebody else holds."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Final

import apsw
import attrs

from keepgate.core.model.stamp import Stamp
from keepgate.core.writing.ledger import GENESIS, Row, Sealed, seal
from keepgate.store.keyring import Key

_NAMES: Final = (*(item.name for item in attrs.fields(Sealed)), "key_id", "mac")

ADDED: Final = "memory/added"
UPDATED: Final = "memory/updated"
REMOVED: Final = "memory/removed"
PROPOSAL: Final = "proposals/didChange"
FACT: Final = "facts/didChange"
PAGE: Final = "pages/didChange"
RESTORED: Final = "restored"
"""The kinds of feed rows: the notifications that they become, and one for a store that was put back."""

HEAD: Final = "SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1"
_values: Final = attrgetter(*(item.name for item in attrs.fields(Sealed)))
_COLUMNS: Final = ", ".join(f'"{name}"' for name in _NAMES)
_APPEND: Final = f"INSERT INTO ledger ({_COLUMNS}) VALUES ({', '.join('?' * len(_NAMES))})"  # noqa: S608 - names of our own fields
_FEED: Final = """
INSERT INTO feed
  (ts, origin, kind, ledger_seq, entry_id, proposal_id, workspace_key, agent_key, track, scope,
   session_id, status)
VALUES
  (:ts, :origin, :kind, :ledger_seq, :entry_id, :proposal_id, :workspace_key, :agent_key, :track, :scope,
   :session_id, :status)
"""
_EMPTY: Final[Mapping[str, Any]] = dict.fromkeys(
    (
        "ledger_seq",
        "entry_id",
        "proposal_id",
        "workspace_key",
        "agent_key",
        "track",
        "scope",
        "session_id",
        "status",
    )
)


class Appender:
    """Writes ledger and feed rows in one transaction. ``origin`` names this open of the store."""

    def __init__(self, db: apsw.Connection, key: Key, stamp: Stamp, origin: str) -> None:
        self.stamp: Final = stamp
        self._db = db
        self._key = key
        self._origin = origin
        self._head: tuple[int, str] | None = None

    def append(self, row: Row) -> int:
        """Seal ``row`` over the newest one and store it; returns its seq."""
        seq, previous = self._head or self._db.execute(HEAD).fetchone() or (0, GENESIS)
        sealed = seal(row, seq=seq + 1, salt=self.stamp.new_salt(), previous=previous)
        self._db.execute(_APPEND, (*_values(sealed), self._key.id, self._key.mac(sealed.hash)))
        self._head = (sealed.seq, sealed.hash)
        return sealed.seq

    def feed(self, kind: str, **columns: Any) -> None:
        """Tell the other processes, and this one, what changed."""
        self._db.execute(
            _FEED, {**_EMPTY, "ts": self.stamp.now_ms, "origin": self._origin, "kind": kind, **columns}
        )
