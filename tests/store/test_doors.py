"""What each connection may write, found out by trying."""

from types import ModuleType

import apsw
import pytest

from keepgate.core.writing.ledger import Decision, Row
from keepgate.store.appending import Appender
from keepgate.store.lane import Lane
from keepgate.store.memory import Writer
from keepgate.store.open import Store

CANONICAL = ("entries", "ledger", "proposals", "meta")
DERIVED = ("usage", "recall", "derived", "feed")


@pytest.fixture
async def filled(acting: ModuleType, store: Store, writer: Writer) -> Store:
    """A store with a row in every table."""
    entry = await acting.add(writer, "something")
    await writer.run(lambda txn: txn.propose(acting.wish(txn, "wished")))
    await store.evidence.note_recall(
        viewer_workspace="/work",
        agent_key="",
        session_id="s",
        track=None,
        scope=None,
        text=None,
        entry_ids=[entry.id],
        stamp=acting.stamp(),
    )
    return store


@pytest.fixture
async def evidence(filled: Store) -> Lane:
    """The lane of the evidence door."""
    return filled._evidence_lane


def changes(table: str) -> list[str]:
    """Three ways to change a table."""
    first = {"usage": "used", "recall": "count"}.get(table, "rowid" if table == "feed" else None)
    column = first or {"entries": "text", "ledger": "payload", "proposals": "text", "search": "text"}.get(
        table, "value"
    )
    return [
        f"INSERT INTO {table} SELECT * FROM {table}",
        f"UPDATE {table} SET {column} = {column}",
        f"DELETE FROM {table}",
    ]


async def denied(lane: Lane, statement: str) -> None:
    """The authorizer refuses a statement before it runs."""
    with pytest.raises(apsw.AuthError):
        await lane.run(lambda db: db.execute(statement).fetchall())


@pytest.mark.parametrize("table", CANONICAL)
async def test_the_derived_door_writes_no_canonical_table(filled: Store, table: str) -> None:
    """Not by insert, update or delete."""
    for statement in changes(table):
        await denied(filled.derived, statement)


@pytest.mark.parametrize("table", DERIVED)
async def test_the_derived_door_writes_derived_tables(filled: Store, table: str) -> None:
    """What can be rebuilt may be written."""
    for statement in changes(table)[1:]:
        await filled.derived.write(lambda db, statement=statement: db.execute(statement).fetchall())
    assert 0 == await filled.derived.run(lambda db: db.execute(f"SELECT count(*) FROM {table}").get)


async def test_the_derived_door_writes_the_search_index(filled: Store) -> None:
    """The index is a table of many; all of them open to this door."""

    def work(db: apsw.Connection) -> int:
        db.execute("INSERT INTO search (search) VALUES ('delete-all')")
        db.execute("INSERT INTO search (rowid, text) VALUES (1, 'found')")
        count: int = db.execute("SELECT count(*) FROM search WHERE search MATCH 'found'").get
        return count

    assert 1 == await filled.derived.write(work)


@pytest.mark.parametrize("table", [*CANONICAL, *DERIVED, "search"])
async def test_the_evidence_door_changes_nothing_but_recall_counts(evidence: Lane, table: str) -> None:
    """It updates counts, deletes nothing, and inserts only what evidence needs."""
    for statement in changes(table):
        allowed = {
            ("ledger", "INSERT"),
            ("feed", "INSERT"),
            ("recall", "INSERT"),
            ("recall", "UPDATE"),
        }
        if (table, statement.split()[0]) not in allowed:
            await denied(evidence, statement)


@pytest.mark.parametrize(
    ("action", "decision"),
    [
        ("add", Decision.ALLOWED),
        ("recalled", Decision.ALLOWED),
        ("add", Decision.EVIDENCE),
        ("restored", Decision.NOTE),
        ("add-denied", Decision.DENIED),
    ],
)
async def test_the_evidence_door_adds_evidence_rows_only(
    acting: ModuleType, filled: Store, evidence: Lane, action: str, decision: Decision
) -> None:
    """A well-sealed row of any other kind is refused."""
    row = Row(ts=0, action=action, decision=decision, outcome="ok")

    def work(db: apsw.Connection) -> int:
        return Appender(db, filled.key(), acting.stamp(), filled.origin).append(row)

    with pytest.raises(apsw.ConstraintError, match="adds evidence only"):
        await evidence.write(work)


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA user_version = 9",
        "PRAGMA writable_schema = ON",
        "CREATE TABLE other (x)",
        "DROP TABLE entries",
        "DROP TRIGGER entries_insert_needs_approval",
        "ALTER TABLE entries ADD COLUMN x",
        "ATTACH ':memory:' AS other",
        "CREATE TEMP TABLE other (x)",
        "REINDEX",
        "ANALYZE",
    ],
)
async def test_no_side_door_changes_the_schema(filled: Store, evidence: Lane, statement: str) -> None:
    """Neither the file's shape nor its settings."""
    await denied(filled.derived, statement)
    await denied(evidence, statement)


async def test_the_evidence_door_keeps_its_own_guard(evidence: Lane) -> None:
    """The trigger that bars other rows cannot be dropped through it."""
    await denied(evidence, "DROP TRIGGER evidence_only")


@pytest.mark.parametrize("table", [*CANONICAL, *DERIVED, "search"])
async def test_readers_write_nothing(filled: Store, table: str) -> None:
    """Neither in the lane nor inline."""
    for statement in changes(table):
        for instant in (False, True):
            with pytest.raises(apsw.AuthError):
                await filled.reading.run(lambda db, s=statement: db.execute(s).fetchall(), instant=instant)


async def test_the_doors_do_not_bar_reading(filled: Store, evidence: Lane) -> None:
    """Every door can read every table."""
    for table in (*CANONICAL, *DERIVED):
        for lane in (filled.derived, evidence, filled.canonical):
            assert 1 <= await lane.run(lambda db, t=table: db.execute(f"SELECT count(*) FROM {t}").get)
