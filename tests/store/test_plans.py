"""No read of a verb looks at every row of a table, however large the store is."""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import apsw
import pytest

from keepgate.core.model.fact import sight_of
from keepgate.core.model.page import PageFile
from keepgate.core.reading.matching import query_of
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.store import cursors, retrievals
from keepgate.store.connection import Patience, connect
from keepgate.store.open import Store
from keepgate.store.pages import put_pages
from keepgate.store.reads import deltas, packs
from keepgate.store.reads.entities import entity_card, has_facts
from keepgate.store.reads.facts import FactFilter, newest_facts
from keepgate.store.reads.resolve import resolve
from keepgate.store.reads.search import search_facts, search_pages

WORK = "/work"
NOW = 1_796_040_000_000
SIGHT = sight_of([WORK], world_only=True)
EXPECTED = re.compile(r"SCAN (CONSTANT ROW|\(subquery-\d+\))")
"""What is small by its making: a row of constants, rows within a limit."""

SEARCHES = {"s", "page_search", "fact_search"}

PAGES = {
    "people/alice.md": "---\naliases: [Al]\nknows: [[people/bob]]\n---\n# Alice\n\nRuns payments.\n\n"
    "## Timeline\n- 2026-11-01: joined",
    "people/bob.md": "# Bob\n\nSee [[people/alice]].",
}

READS: list[Callable[[apsw.Connection], Any]] = [
    lambda db: resolve(db, SIGHT, "a/alice"),
    lambda db: entity_card(db, SIGHT, "al", NOW),
    lambda db: has_facts(db, SIGHT, "alice", NOW),
    lambda db: newest_facts(db, SIGHT, FactFilter(now_ms=NOW), 50),
    lambda db: newest_facts(db, SIGHT, FactFilter(now_ms=NOW, with_expired=True), 50),
    lambda db: newest_facts(db, SIGHT, FactFilter(now_ms=NOW, since_ms=NOW - 1), 50),
    lambda db: newest_facts(db, SIGHT, FactFilter(now_ms=NOW, session_id="s"), 50),
    lambda db: newest_facts(db, SIGHT, FactFilter(now_ms=NOW, entities=("a", "b"), since_ms=1), 50),
    lambda db: search_pages(db, SIGHT, "al", query_of("runs payments"), limit=50, floor=0.5),
    lambda db: search_pages(db, SIGHT, "alice", query_of("alice"), limit=50, floor=0.5),
    lambda db: search_facts(db, SIGHT, _query("old tea"), FactFilter(now_ms=NOW), limit=50, floor=0.5),
    lambda db: search_facts(
        db, SIGHT, _query("tea"), FactFilter(now_ms=NOW, entities=("a",), session_id="s"), limit=50, floor=0.5
    ),
    lambda db: retrievals.due(db, [(WORK, "people/alice")], NOW),
    lambda db: packs.standing(db, SIGHT, ["alice", "bob"], now_ms=NOW),
    lambda db: packs.facts_around(db, SIGHT, [("people/alice",)], now_ms=NOW),
    lambda db: deltas.changed_pages(db, SIGHT, deltas.present(db, SIGHT.homes)),
    lambda db: deltas.new_facts(db, SIGHT, deltas.present(db, SIGHT.homes), NOW),
    lambda db: deltas.since(db, SIGHT.homes, NOW, slug=None, fact_id=None),
    lambda db: cursors.stored(db, cursors.SessionKey("local", "s"), SIGHT.homes, NOW),
]


def _query(text: str) -> Any:
    query = query_of(text)
    assert query is not None
    return query


@pytest.fixture
def db(store: Store) -> Iterator[apsw.Connection]:
    """A connection to a store with two pages."""
    opened = connect(store.path, Patience())
    ready = []
    for path, text in PAGES.items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        file = PageFile(home=WORK, root="/r", path=path, size=len(text), mtime_ns=1, digest=digest)
        ready.append(indexed(file, parse(path, text.encode())))
    with opened:
        put_pages(opened, ready, now_ms=NOW)
    yield opened
    opened.close()


def statements_of(db: apsw.Connection, read: Callable[[apsw.Connection], Any]) -> dict[str, Any]:
    """The statements that a read runs, each with its values."""
    run: dict[str, Any] = {}

    def note(cursor: apsw.Cursor, statement: str, values: Any) -> bool:
        run[statement] = values
        return True

    db.exec_trace = note
    try:
        read(db)
    finally:
        db.exec_trace = None
    return run


def plan_of(db: apsw.Connection, statement: str, values: Any) -> list[str]:
    """The steps of a statement, as SQLite tells them."""
    return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


def is_scan(step: str) -> bool:
    """Whether a step goes through all of a table, or through all of a search index."""
    if not step.startswith("SCAN") or EXPECTED.fullmatch(step):
        return False
    virtual = re.fullmatch(r"SCAN (\w+) VIRTUAL TABLE INDEX \d+:(.*)", step)
    if virtual is None:
        return True
    # A search index that is asked has an M in its plan; other virtual tables are lists of values.
    return virtual[1] in SEARCHES and "M" not in virtual[2]


@pytest.mark.parametrize("read", READS)
def test_no_read_scans_a_table(db: apsw.Connection, read: Callable[[apsw.Connection], Any]) -> None:
    """Every statement finds its rows by an index."""
    statements = statements_of(db, read)

    assert statements
    scans = {
        statement: steps
        for statement, values in statements.items()
        if any(map(is_scan, steps := plan_of(db, statement, values)))
    }
    assert {} == scans


def test_a_scan_would_be_seen(db: apsw.Connection) -> None:
    """Of a table, of an index, and of a search index without a question."""
    for statement in (
        "SELECT * FROM pages WHERE title = 'x'",
        "SELECT count(*) FROM pages",
        "SELECT rowid FROM page_search",
        "SELECT * FROM facts WHERE text LIKE 'x%'",
    ):
        assert any(map(is_scan, plan_of(db, statement, ())))


def test_hits_come_from_the_index_in_order(db: apsw.Connection) -> None:
    """They are not sorted once more after they were joined: the first is had without the last."""
    for read in (READS[8], READS[10]):
        for statement, values in statements_of(db, read).items():
            if "ORDER BY s.rank" in statement:
                assert not [step for step in plan_of(db, statement, values) if "B-TREE" in step]


def test_statements_are_prepared_once(db: apsw.Connection) -> None:
    """Bound values change no plan; otherwise most statements would be made anew at every run."""
    assert db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1)


def test_the_index_counts_its_documents(db: apsw.Connection) -> None:
    """The number that says what is common is that of the documents, also after some have gone."""
    from keepgate.store.reads import search

    for number in range(300):
        db.execute("INSERT INTO fact_search (rowid, text) VALUES (?, 'tea')", (number + 1,))
    db.execute("DELETE FROM fact_search WHERE rowid > 200")

    assert 200 == search._documents(db, search._TOTALS_OF_FACTS)
    assert 2 <= search._documents(db, search._TOTALS_OF_PAGES)
