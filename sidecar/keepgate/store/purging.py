"""Purging a text from a store file: out of every table, index, log and free page, and the proof of it.

Invariant: only ``gate`` imports this module (``purging`` contract). The guards that keep facts, proposals and
entries from changing are put aside inside the one transaction that purges, and stand again when it ends.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import apsw
from attrs import evolve

from keepgate.core.writing.ledger import Decision, Row
from keepgate.store.appending import Appender
from keepgate.store.backups import known_backups
from keepgate.store.connection import Patience, connect
from keepgate.store.derived import rebuild_indexes
from keepgate.store.facts import twin_crc
from keepgate.store.keyring import Key
from keepgate.store.open import Store

PURGED: Final = "[purged]"
"""What stands where a purged text stood and something must stand."""

_GUARDED: Final = ("entries", "facts", "proposals", "page_writes")
_GUARDS: Final = (
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE '%RAISE(%'"
)
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table'"

# What of each table may hold a text. A row that does is deleted, loses the columns, or is told of alone.
_ENTRIES: Final = ("text", "tags", "source")
_FACTS: Final = ("text", "provenance", "entity", "reason")
_PROPOSALS: Final = ("text", "change", "source", "asked_by", "decided_by")
_OF_PAGES: Final = {
    "pages": ("title", "summary", "tags", "slug"),
    "page_aliases": ("alias", "key"),
    "page_links": ("context", "target"),
    "page_timeline": ("text",),
    "page_chunks": ("heading", "text"),
}
_MARKDOWN: Final = (".md", ".markdown")
_PARTS: Final = ("page_aliases", "page_links", "page_timeline", "page_chunks")


def count(db: apsw.Connection, forms: Iterable[str]) -> dict[str, int]:
    """How many rows of each table hold the text; only tables with any."""
    tables = {name for (name,) in db.execute(_TABLES)}
    wanted = {
        "entries": _ENTRIES,
        "facts": _FACTS,
        "proposals": _PROPOSALS,
        "ledger": ("payload",),
        "page_writes": ("content",),
        **_OF_PAGES,
    }
    found = {
        table: db.execute(f"SELECT count(*) FROM {table} WHERE {_holds(columns, forms)}", _values(forms)).get  # noqa: S608
        for table, columns in wanted.items()
        if table in tables
    }
    return {table: number for table, number in found.items() if number}


def purge(db: apsw.Connection, appender: Appender, forms: tuple[str, ...], row: Row) -> dict[str, int]:
    """Take the text out of one store file and note it in the ledger, in one transaction of ``db``.

    Returns the rows of each table that held it. The file's free pages are a matter of :func:`scrub`.
    """
    db.execute("PRAGMA secure_delete = ON").fetchall()
    with db:
        removed = count(db, forms)
        guards = list(_put_aside(db))
        tables = {name for (name,) in db.execute(_TABLES)}
        _purge_entries(db, forms)
        if "facts" in tables:
            _purge_facts(db, forms, appender.stamp.now_ms)
            _purge_pages(db, forms)
        _purge_proposals(db, forms, appender.stamp.now_ms)
        for guard in guards:
            db.execute(guard)
        _run(db, "UPDATE ledger SET payload = NULL, salt = NULL WHERE {holds}", ("payload",), forms)
        if "facts" in tables:
            rebuild_indexes(db)
        appender.append(_noted(row, removed))
    return removed


def _noted(row: Row, removed: dict[str, int]) -> Row:
    told = ", ".join(f"{table} {number}" for table, number in removed.items()) or "nothing"
    return evolve(row, decision=Decision.NOTE, payload={"text": f"purged: {told}", "removed": removed})


def scrub(db: apsw.Connection) -> bool:
    """Write the file anew without free pages and empty its log; whether no other process kept it from it."""
    db.execute("VACUUM").fetchall()
    result = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not result or result[0][0] == 0


def page_files(db: apsw.Connection, more: Iterable[str] = ()) -> list[str]:
    """Every Markdown file below the folders of pages that the store knows, and below ``more``."""
    roots = dict.fromkeys(more)
    if "page_roots" in {name for (name,) in db.execute(_TABLES)}:
        known = db.execute("SELECT root FROM page_roots UNION SELECT root FROM page_writes")
        roots.update(dict.fromkeys(str(root) for (root,) in known))
    below = (path for root in roots for path in sorted(Path(root).rglob("*")))
    return [str(path) for path in below if path.suffix.lower() in _MARKDOWN and path.is_file()]


def backups_of(store: Store) -> list[str]:
    """The copies of the store that are known of: beside it, and those that were noted."""
    return known_backups(store.state_folder, store.path)


def purge_backup(path: str, key: Key, stamp: Any, origin: str, forms: tuple[str, ...], row: Row) -> bool:
    """Purge a copy as the store itself; whether it could be done. One that holds nothing is left as it is."""
    try:
        db = connect(path, Patience(), synchronous="FULL")
    except (apsw.Error, OSError):
        return False
    try:
        if count(db, forms):
            purge(db, Appender(db, key, stamp, origin), forms, row)
            scrub(db)
    except apsw.Error:
        return False
    else:
        return True
    finally:
        db.close()


def _put_aside(db: apsw.Connection) -> Iterator[str]:
    for table in _GUARDED:
        for name, sql in db.execute(_GUARDS, (table,)).fetchall():
            db.execute(f"DROP TRIGGER {name}")
            yield str(sql)


def _purge_entries(db: apsw.Connection, forms: tuple[str, ...]) -> None:
    for (row,) in _run(db, "SELECT row FROM entries WHERE {holds}", _ENTRIES, forms):
        db.execute("DELETE FROM search WHERE rowid = ?", (row,))
        db.execute("DELETE FROM entries WHERE row = ?", (row,))


def _purge_facts(db: apsw.Connection, forms: tuple[str, ...], now_ms: int) -> None:
    # The row stays: others may refer to it, and its id must never be another fact's.
    for (fact_id,) in _run(db, "SELECT id FROM facts WHERE {holds}", _FACTS, forms):
        db.execute(
            "UPDATE facts SET text = :purged, provenance = :purged, entity = NULL, reason = :purged,"
            " expired_at = coalesce(expired_at, :now), twin_crc = :crc WHERE id = :id",
            {"purged": PURGED, "now": now_ms, "crc": twin_crc(PURGED), "id": fact_id},
        )


def _purge_proposals(db: apsw.Connection, forms: tuple[str, ...], now_ms: int) -> None:
    values = {"purged": PURGED, "now": now_ms}
    statement = (
        "UPDATE proposals SET text = :purged, change = '{{}}', source = NULL, asked_by = '{{}}',"
        " decided_by = NULL, decided_at = coalesce(decided_at, :now),"
        " outcome = CASE status WHEN 'pending' THEN 'purged' ELSE outcome END,"
        " status = CASE status WHEN 'pending' THEN 'refused' ELSE status END WHERE {holds}"
    )
    _run(db, statement, _PROPOSALS, forms, values)


def _purge_pages(db: apsw.Connection, forms: tuple[str, ...]) -> None:
    """Of the index, every page that holds it: whoever looks next reads its file anew."""
    _run(
        db,
        "UPDATE page_writes SET content = NULL,"
        " state = CASE state WHEN 'pending' THEN 'abandoned' ELSE state END WHERE {holds}",
        ("content",),
        forms,
    )
    pages = {row for (row,) in _run(db, "SELECT row FROM pages WHERE {holds}", _OF_PAGES["pages"], forms)}
    for table in _PARTS:
        found = _run(db, f"SELECT page FROM {table} WHERE {{holds}}", _OF_PAGES[table], forms)  # noqa: S608
        pages |= {page for (page,) in found}
    for page in pages:
        for table in _PARTS:
            db.execute(f"DELETE FROM {table} WHERE page = ?", (page,))  # noqa: S608
        db.execute("DELETE FROM pages WHERE row = ?", (page,))


def _run(
    db: apsw.Connection,
    statement: str,
    columns: Iterable[str],
    forms: Iterable[str],
    values: dict[str, Any] | None = None,
) -> list[tuple[Any, ...]]:
    chosen = statement.format(holds=_holds(columns, forms))
    return db.execute(chosen, {**_values(forms), **(values or {})}).fetchall()


def _holds(columns: Iterable[str], forms: Iterable[str]) -> str:
    places = range(len(tuple(forms)))
    return " OR ".join(f"instr({column}, :form{place}) > 0" for column in columns for place in places)


def _values(forms: Iterable[str]) -> dict[str, str]:
    return {f"form{place}": form for place, form in enumerate(forms)}
