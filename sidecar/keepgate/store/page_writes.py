"""Approved page writes on their way to their files, inside a transaction that somebody else holds."""

import json
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.model.digest import digest_of
from keepgate.core.model.slug import slug_key
from keepgate.core.writing.mutation import PageStep
from keepgate.core.writing.page_steps import TRUST
from keepgate.core.writing.states import PAGE_SUBJECT, ROOT_SUBJECT
from keepgate.protocol.verbs import Visibility
from keepgate.store.rows import Row

PENDING: Final = "pending"
APPLIED: Final = "applied"
ABANDONED: Final = "abandoned"
"""The states of a page write."""

ABANDONED_ACTION: Final = "page-abandoned"
"""The ledger's word for a page write that was approved and not made."""

_COLUMNS: Final = "id, home, root, slug, path, digest_before, digest_after, content, state, ledger_seq"
_INSERT: Final = """
INSERT INTO page_writes (home, root, slug, path, digest_before, digest_after, content, state, ledger_seq)
VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?)
"""
_PENDING_BELOW: Final = f"SELECT {_COLUMNS} FROM page_writes WHERE state = 'pending' AND root = ? ORDER BY id"  # noqa: S608 - a constant of this module
_PENDING_FOR: Final = (
    f"SELECT {_COLUMNS} FROM page_writes "  # noqa: S608
    "WHERE state = 'pending' AND root = ? AND path = ? ORDER BY id DESC LIMIT 1"
)
_PENDING_ROOTS: Final = "SELECT DISTINCT root FROM page_writes WHERE state = 'pending' ORDER BY root"
_BY_SEQ: Final = f"SELECT {_COLUMNS} FROM page_writes WHERE ledger_seq = ?"  # noqa: S608
_END: Final = (
    "UPDATE page_writes SET state = ?, content = NULL WHERE id = ? AND state = 'pending' RETURNING id"
)
_WHY: Final = """
SELECT payload FROM ledger WHERE entry_id = ? AND action = ? AND seq > ?
  AND json_extract(payload, '$.write') = ? ORDER BY seq LIMIT 1
"""
_PATH: Final = "SELECT path FROM pages WHERE home = ? AND slug = ? AND root = ?"
_ALIKE: Final = (
    "SELECT slug, visibility FROM pages INDEXED BY pages_slug_key "
    "WHERE home = ? AND slug_key = ? AND slug <> ? ORDER BY slug LIMIT 1"
)
_TRUST: Final = """
SELECT action FROM ledger WHERE entry_id = ? AND workspace_key = ? AND decision = 'allowed'
ORDER BY seq DESC LIMIT 1
"""
_FOREIGN: Final = """
SELECT EXISTS (
  SELECT 1 FROM pages AS p WHERE p.home = ? AND p.root = ? AND NOT EXISTS (
    SELECT 1 FROM page_writes AS w INDEXED BY page_writes_file
    WHERE w.root = p.root AND w.path = p.path AND w.digest_after = p.digest AND w.state <> 'abandoned'
  )
)
"""


@frozen(kw_only=True)
class PageWrite:
    """One approved write. ``content`` is its text while it is pending, ``None`` for a removal."""

    id: int
    home: str
    root: str
    slug: str
    path: str
    digest_before: str | None
    digest_after: str | None
    content: str | None
    state: str
    ledger_seq: int


def insert(db: apsw.Connection, step: PageStep, ledger_seq: int) -> None:
    """Store that an approved step is to be made, with the approval that its ledger row is."""
    before = None if step.before is None else digest_of(step.before)
    after = None if step.content is None else digest_of(step.content)
    db.execute(_INSERT, (step.home, step.root, step.slug, step.path, before, after, step.content, ledger_seq))


def pending_below(db: apsw.Connection, root: str) -> list[PageWrite]:
    """The writes on their way below a root, in the order in which they were approved."""
    return [_write_of(row) for row in db.execute(_PENDING_BELOW, (root,))]


def pending_for(db: apsw.Connection, root: str, path: str) -> PageWrite | None:
    """The newest write on its way to a file."""
    row = db.execute(_PENDING_FOR, (root, path)).fetchone()
    return _write_of(row) if row else None


def pending_roots(db: apsw.Connection) -> list[str]:
    """The roots below which a write is on its way."""
    return [root for (root,) in db.execute(_PENDING_ROOTS)]


def by_seq(db: apsw.Connection, ledger_seq: int) -> PageWrite | None:
    """The write of a ledger row."""
    row = db.execute(_BY_SEQ, (ledger_seq,)).fetchone()
    return _write_of(row) if row else None


def end(db: apsw.Connection, write_id: int, state: str) -> bool:
    """Give a pending write its final state; ``False`` when it has one already."""
    return db.execute(_END, (state, write_id)).fetchone() is not None


def why_abandoned(db: apsw.Connection, write: PageWrite) -> str:
    """The reason in the ledger for an abandoned write."""
    subject = f"{PAGE_SUBJECT}{write.slug}"
    row = db.execute(_WHY, (subject, ABANDONED_ACTION, write.ledger_seq, write.ledger_seq)).fetchone()
    return str(json.loads(row[0])["reason"]) if row else "changed"


def trusts_root(db: apsw.Connection, home: str, root: str) -> bool:
    """Whether the newest that a person said of a folder is that they trust it."""
    row = db.execute(_TRUST, (f"{ROOT_SUBJECT}{root}", home)).fetchone()
    return row is not None and row[0] == TRUST


def path_in(db: apsw.Connection, home: str, root: str, slug: str) -> str | None:
    """The path of an indexed page below a root: its file's name may be spelled in another Unicode form."""
    path: str | None = db.execute(_PATH, (home, slug, root)).get
    return path


def page_alike(db: apsw.Connection, home: str, slug: str) -> tuple[str, Visibility] | None:
    """The indexed page whose slug is this one but for capitals, with its visibility: both cannot be pages."""
    row = db.execute(_ALIKE, (home, slug_key(slug), slug)).fetchone()
    return (row[0], Visibility(row[1])) if row else None


def is_trusted(db: apsw.Connection, home: str, root: str) -> bool:
    """Whether hooks and snapshots may carry a root's pages.

    The user's own root always; another once a person said so, or while every indexed file of it is, digest
    for digest, one that a person approved.
    """
    if home == "":
        return True
    if trusts_root(db, home, root):
        return True
    (has_foreign,) = db.execute(_FOREIGN, (home, root)).fetchone() or (1,)
    return not has_foreign


def _write_of(row: Row) -> PageWrite:
    return PageWrite(**dict(zip(_NAMES, row, strict=True)))


_NAMES: Final = tuple(_COLUMNS.split(", "))
