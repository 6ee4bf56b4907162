"""The index of page files, written through the derived door: no approval is needed, for it can be made anew.

Every function runs inside a transaction that its caller holds, and works on one root.
"""

import json
import time
from collections.abc import Iterable, Sequence
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.model.page import IndexedPage, PageFile, PageFlaw
from keepgate.core.model.slug import alias_key, slug_key, tail
from keepgate.store.quarantine import holds_page

CHANGED: Final = "pages/didChange"
"""The kind of feed row that tells of a changed index, and the notification that it becomes."""

_PAGE_COLUMNS: Final = (
    "home, root, path, slug, title, title_key, tail, slug_key, type, summary, tags, visibility, size, "
    "mtime_ns, digest, changed_at"
)
_AT_PATH: Final = "SELECT row, slug, digest, changed_at FROM pages WHERE home = ? AND root = ? AND path = ?"
_BY_SLUG: Final = "SELECT row FROM pages WHERE home = ? AND slug = ?"
_LIKE_SLUG: Final = (
    "SELECT root, path FROM pages INDEXED BY pages_slug_key "
    "WHERE home = ? AND slug_key = ? AND NOT (root = ? AND path = ?)"
)
_ADD: Final = f"INSERT INTO pages ({_PAGE_COLUMNS}) VALUES ({', '.join('?' * 16)})"  # noqa: S608 - our own columns
_REWRITE: Final = f"UPDATE pages SET ({_PAGE_COLUMNS}) = ({', '.join('?' * 16)}) WHERE row = ?"  # noqa: S608 - our own columns
_RESTAT: Final = "UPDATE pages SET size = ?, mtime_ns = ? WHERE row = ?"
# Over all homes: a delta that looks into several has one position among their pages.
_NEWEST: Final = """
SELECT max(
  coalesce((SELECT max(newest) FROM page_roots), 0),
  coalesce((SELECT max(changed_at) FROM pages WHERE home = :home), 0)
)
"""
_SEE_ROOT: Final = """
INSERT INTO page_roots (home, root, newest) VALUES (?, ?, ?)
ON CONFLICT (home, root) DO UPDATE SET newest = max(newest, excluded.newest)
"""
_COMPLETE: Final = """
INSERT INTO page_roots (home, root, indexed_at) VALUES (?, ?, ?)
ON CONFLICT (home, root) DO UPDATE SET indexed_at = excluded.indexed_at
"""
_CLEAR: Final = (
    "DELETE FROM page_search WHERE rowid IN (SELECT row FROM page_chunks WHERE page = ?)",
    "DELETE FROM page_chunks WHERE page = ?",
    "DELETE FROM page_aliases WHERE page = ?",
    "DELETE FROM page_links WHERE page = ?",
    "DELETE FROM page_timeline WHERE page = ?",
)
_ALIAS: Final = "INSERT OR IGNORE INTO page_aliases (home, key, page, alias) VALUES (?, ?, ?, ?)"
_LINK: Final = """
INSERT INTO page_links (page, place, home, visibility, target, type, context) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_DATED: Final = "INSERT INTO page_timeline (page, place, date, text) VALUES (?, ?, ?, ?)"
_CHUNK: Final = "INSERT INTO page_chunks (page, place, heading, text) VALUES (?, ?, ?, ?)"
_SEARCHED: Final = "INSERT INTO page_search (rowid, title, text) VALUES (?, ?, ?)"
_REMOVE: Final = "DELETE FROM pages WHERE row = ?"
_FORGET_FLAWS: Final = "DELETE FROM page_problems WHERE home = ? AND root = ? AND path = ?"
_FLAWS_OF: Final = (
    "SELECT line, problem FROM page_problems WHERE home = ? AND root = ? AND path = ? ORDER BY rowid"
)
_FLAW: Final = "INSERT INTO page_problems (home, root, path, line, problem) VALUES (?, ?, ?, ?, ?)"
_TELL: Final = "INSERT INTO feed (ts, origin, kind, workspace_key) VALUES (?, ?, ?, ?)"
_ROWS_OF_ROOT: Final = "SELECT row FROM pages WHERE home = ? AND root = ? LIMIT ?"


@frozen(kw_only=True)
class Written:
    """What a batch came to: how many of its pages are through, and how many of them are new or changed."""

    through: int
    changed: int


NOTHING: Final = Written(through=0, changed=0)


def put_pages(
    db: apsw.Connection, pages: Sequence[IndexedPage], *, now_ms: int, budget_s: float = 0.02
) -> Written:
    """Bring pages of one home into the index, in order, until ``budget_s`` seconds are used up.

    At least one is through, so that its caller gets on. A page whose digest is known keeps its
    ``changed_at``. One whose slug another file has first is no page but a problem; one in quarantine is out
    of the index until it is released.
    """
    until = time.monotonic() + budget_s
    home = pages[0].file.home
    newest: int = db.execute(_NEWEST, {"home": home}).get
    through = changed = 0
    for page in pages:
        if through and time.monotonic() > until:
            break
        moment = max(now_ms, newest + 1)
        if _put(db, page, moment):
            newest = moment
            changed += 1
        through += 1
    db.execute(_SEE_ROOT, (home, pages[0].file.root, newest))
    return Written(through=through, changed=changed)


def _put(db: apsw.Connection, new: IndexedPage, moment: int) -> bool:
    """Whether something changed that readers see; a new or changed page is stamped with ``moment``."""
    file, page = new.file, new.page
    there: tuple[int, str, str, int] | None
    there = db.execute(_AT_PATH, (file.home, file.root, file.path)).fetchone()
    if holds_page(db, file.home, page.slug):
        if there is not None:
            _drop(db, there[0])
        db.execute(_FORGET_FLAWS, (file.home, file.root, file.path))
        return there is not None
    if (other := _same_slug(db, new)) is not None:
        if there is not None:
            _drop(db, there[0])
        flaw = PageFlaw(None, f"has the same slug as {other}, which counts")
        is_news = note_flaws(db, file.home, file.root, file.path, (*page.flaws, flaw))
        return is_news or there is not None
    if there is not None and there[1:3] == (page.slug, file.digest):
        # Written anew all the same: another version may have read it.
        _fill(db, new, there[0], there[3])
        return False
    _fill(db, new, there[0] if there is not None else None, moment)
    return True


def _same_slug(db: apsw.Connection, new: IndexedPage) -> str | None:
    """The file that has this slug already, told apart by nothing but capitals or the form of its letters."""
    file = new.file
    values = (file.home, slug_key(new.page.slug), file.root, file.path)
    for root, path in db.execute(_LIKE_SLUG, values):
        return path if root == file.root else f"{root}/{path}"
    return None


def _fill(db: apsw.Connection, new: IndexedPage, row: int | None, changed_at: int) -> None:
    file, page = new.file, new.page
    values = (
        *(file.home, file.root, file.path, page.slug, page.title, alias_key(page.title), tail(page.slug)),
        slug_key(page.slug),
        *(page.type, page.summary, json.dumps(page.tags, ensure_ascii=False), page.visibility),
        *(file.size, file.mtime_ns, file.digest, changed_at),
    )
    if row is None:
        db.execute(_ADD, values)
        row = db.last_insert_rowid()
    else:
        for statement in _CLEAR:
            db.execute(statement, (row,))
        db.execute(_REWRITE, (*values, row))
    keys = ((file.home, alias_key(alias), row, alias) for alias in page.aliases)
    db.executemany(_ALIAS, [values for values in keys if values[1]])
    db.executemany(
        _LINK,
        [
            (row, at, file.home, page.visibility, link.target, link.type, link.context)
            for at, link in enumerate(page.links)
        ],
    )
    db.executemany(_DATED, [(row, at, line.date, line.text) for at, line in enumerate(page.timeline)])
    for at, (chunk, terms) in enumerate(zip(page.chunks, new.chunk_terms, strict=True)):
        db.execute(_CHUNK, (row, at, chunk.heading, chunk.text))
        db.execute(_SEARCHED, (db.last_insert_rowid(), new.title_terms, terms))
    note_flaws(db, file.home, file.root, file.path, page.flaws)


def restat(db: apsw.Connection, files: Iterable[PageFile]) -> None:
    """Note size and time of files whose bytes are as they were."""
    for file in files:
        row = db.execute(_AT_PATH, (file.home, file.root, file.path)).fetchone()
        if row is not None:
            db.execute(_RESTAT, (file.size, file.mtime_ns, row[0]))


def remove_pages(db: apsw.Connection, home: str, root: str, paths: Iterable[str]) -> int:
    """Take files that are gone out of the index, problems included; returns how many were pages."""
    count = 0
    for path in paths:
        count += drop_page(db, home, root, path)
        db.execute(_FORGET_FLAWS, (home, root, path))
    return count


def drop_page(db: apsw.Connection, home: str, root: str, path: str) -> bool:
    """Take a file out of the index that is no page any more; whether it was one."""
    row = db.execute(_AT_PATH, (home, root, path)).fetchone()
    if row is not None:
        _drop(db, row[0])
    return row is not None


def drop_slug(db: apsw.Connection, home: str, slug: str) -> None:
    """Take a page out of the index by its name, whichever file it is."""
    row: int | None = db.execute(_BY_SLUG, (home, slug)).get
    if row is not None:
        _drop(db, row)


def _drop(db: apsw.Connection, row: int) -> None:
    for statement in (*_CLEAR, _REMOVE):
        db.execute(statement, (row,))


def note_flaws(db: apsw.Connection, home: str, root: str, path: str, flaws: Iterable[PageFlaw]) -> bool:
    """Replace what is wrong with a file, and say whether that is news; the path ``""`` is the root itself."""
    new = [(flaw.line, flaw.problem) for flaw in flaws]
    if new == db.execute(_FLAWS_OF, (home, root, path)).fetchall():
        return False
    db.execute(_FORGET_FLAWS, (home, root, path))
    db.executemany(_FLAW, [(home, root, path, *flaw) for flaw in new])
    return True


def complete_root(db: apsw.Connection, home: str, root: str, *, now_ms: int) -> None:
    """Note that every file of a root has been looked at."""
    db.execute(_COMPLETE, (home, root, now_ms))


def tell_changed(db: apsw.Connection, home: str, *, origin: str, now_ms: int) -> None:
    """Have every process know that pages, or problems, of a home changed."""
    db.execute(_TELL, (now_ms, origin, CHANGED, home))


def drop_root(db: apsw.Connection, home: str, root: str, *, limit: int = 100) -> bool:
    """Take pages of a root that is no root any more out of the index; whether there is nothing left of it."""
    rows = [row for (row,) in db.execute(_ROWS_OF_ROOT, (home, root, limit))]
    for row in rows:
        _drop(db, row)
    if len(rows) == limit:
        return False
    db.execute("DELETE FROM page_problems WHERE home = ? AND root = ?", (home, root))
    db.execute("DELETE FROM page_roots WHERE home = ? AND root = ?", (home, root))
    return True
