"""The two side doors: connections whose authorizer refuses what is not theirs (docs/architecture.md).

The canonical writer may write everything. The derived door writes derived tables only; the evidence door
adds ``recalled`` and ``snapshot`` rows to the ledger, recall counts and feed rows, and nothing else.
"""

from collections.abc import Callable, Collection
from typing import Final

import apsw

_READING: Final = frozenset({
    apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE,
    apsw.SQLITE_TRANSACTION, apsw.SQLITE_SAVEPOINT,
})  # fmt: skip
# The search index asks the first, to see whether another connection has written.
_ASKING: Final = frozenset({(apsw.SQLITE_PRAGMA, "data_version"), (apsw.SQLITE_PRAGMA, "quick_check")})
_SEARCH: Final = tuple(
    name + part
    for name in ("search", "fact_search", "page_search")
    for part in ("", "_data", "_idx", "_content", "_docsize", "_config")
)
_PAGES: Final = (
    "pages", "page_aliases", "page_links", "page_timeline", "page_chunks", "page_retrievals", "page_problems",
    "page_roots",
)  # fmt: skip
_DERIVED: Final = frozenset({
    "usage", "recall", "derived", "feed", "cursors", "sqlite_sequence", *_PAGES, *_SEARCH,
})  # fmt: skip
_EVIDENCE: Final = frozenset({
    (apsw.SQLITE_INSERT, "ledger"),
    (apsw.SQLITE_INSERT, "recall"),
    (apsw.SQLITE_UPDATE, "recall"),
    (apsw.SQLITE_INSERT, "feed"),
    (apsw.SQLITE_INSERT, "sqlite_sequence"),
    (apsw.SQLITE_UPDATE, "sqlite_sequence"),
})  # fmt: skip
_WRITES: Final = (apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE)

_EVIDENCE_ONLY: Final = """
CREATE TEMP TRIGGER evidence_only BEFORE INSERT ON main.ledger
WHEN NEW.decision IS NOT 'evidence' OR NEW.action NOT IN ('recalled', 'snapshot')
BEGIN
  SELECT RAISE(ABORT, 'keepgate: this door adds evidence only');
END
"""


def derived_door(db: apsw.Connection) -> apsw.Connection:
    """Bar every write to a canonical table."""
    return _barred(db, {(action, table) for action in _WRITES for table in _DERIVED})


def evidence_door(db: apsw.Connection) -> apsw.Connection:
    """Bar every write but new evidence rows, recall counts and feed rows."""
    db.execute(_EVIDENCE_ONLY)
    return _barred(db, _EVIDENCE)


def reading_door(db: apsw.Connection) -> apsw.Connection:
    """Bar every write."""
    db.execute("PRAGMA query_only = ON")
    return _barred(db, ())


def _barred(db: apsw.Connection, writes: Collection[tuple[int, str]]) -> apsw.Connection:
    db.authorizer = _authorizer(frozenset(writes))
    return db


def _authorizer(writes: frozenset[tuple[int, str]]) -> Callable[..., int]:
    def allowed(action: int, first: str | None, *_: str | None) -> int:
        if action in _READING or (action, first) in writes or (action, first) in _ASKING:
            return apsw.SQLITE_OK
        return apsw.SQLITE_DENY

    return allowed
