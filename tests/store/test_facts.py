"""Facts in the store: what the schema lets in, what searching finds, and that the ledger proves them."""

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest
from attrs import evolve

from keepgate.core.model.fact import Fact
from keepgate.core.reading import analyse
from keepgate.core.writing.change import Undo
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.states import fact_state_of
from keepgate.protocol.verbs import FactKind, Visibility
from keepgate.store import derived, facts
from keepgate.store.backup import backup, restore
from keepgate.store.contents import content_hash
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.rescue import restore_at
from keepgate.store.verify import verify_store

COLUMNS = (
    "id, home, entity, text, kind, visibility, provenance, created_at, valid_until, expired_at, "
    "superseded_by, reason, session_id, version, twin_crc, ledger_seq"
)
FAR_MS = 2**45


def refused(db: apsw.Connection, statement: str, values: Any = ()) -> str:
    """Run a statement that must fail in a guard; the guard's words."""
    with pytest.raises(apsw.ConstraintError) as raised:
        db.execute(statement, values)
    return str(raised.value)


def found(db: apsw.Connection, term: str) -> list[int]:
    """Facts of the index that hold a term."""
    statement = "SELECT rowid FROM fact_search WHERE fact_search MATCH ? ORDER BY rowid"
    return [row for (row,) in db.execute(statement, (f'"{term}"',))]


def divergences(verified: Any) -> list[str]:
    """What is wrong, but for seals of other installations."""
    return [problem.message for problem in verified.problems if problem.kind != "foreign-key"]


@pytest.fixture
async def lived(acting: ModuleType, store: Store, writer: Writer) -> Store:
    """A store with facts of every state: active, superseded, forgotten, brought back, past its ttl."""
    await acting.remember(writer, "ships on Fridays", entity="companies/acme", kind=FactKind.COMMITMENT)
    await acting.remember(writer, "ships on Mondays", entity="companies/acme", supersedes=1)
    await acting.remember(writer, "likes 深色 mode", home="", visibility=Visibility.PRIVATE)
    await acting.forget(writer, 3, "no longer")
    forgotten = await writer.run(lambda txn: txn._db.execute("SELECT max(seq) FROM ledger").get)
    await writer.run(lambda txn: acting.commit(txn, Undo(seq=forgotten, source="test")))
    await acting.remember(writer, "ran out", valid_until=1)
    await acting.remember(writer, "goes", valid_until=FAR_MS)
    await acting.forget(writer, 5)
    await writer.run(lambda txn: txn.note_expired())
    return store


# What the schema lets in.


async def test_a_fact_without_a_ledger_row_is_refused(raw: apsw.Connection) -> None:
    """Nothing enters the table on its own."""
    values = "1, '/work', NULL, 'sneaked', 'fact', 'world', 'x', 0, NULL, NULL, NULL, NULL, NULL, 1, 0, 1"
    assert "approved ledger row" in refused(raw, f"INSERT INTO facts ({COLUMNS}) VALUES ({values})")


@pytest.mark.parametrize(
    "changed",
    [
        {"id": 2},
        {"home": "/elsewhere"},
        {"entity": "people/else"},
        {"entity": None},
        {"text": "another"},
        {"kind": "belief"},
        {"visibility": "world"},
        {"provenance": "another"},
        {"valid_until": None},
        {"expired_at": 1},
        {"superseded_by": 1},
        {"reason": "none"},
        {"version": 2},
    ],
)
async def test_a_row_covers_what_was_approved_and_nothing_else(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, changed: dict[str, Any]
) -> None:
    """An approved row cannot be used for a fact that says something else."""
    await acting.remember(
        writer, "kept", entity="people/me", visibility=Visibility.PRIVATE, valid_until=FAR_MS
    )
    row = dict(
        zip(COLUMNS.split(", "), raw.execute(f"SELECT {COLUMNS} FROM facts").fetchone() or (), strict=True)
    )
    # Taking the fact away as a mistaken tool would, so that only the insert guard stands in the way.
    raw.execute("DROP TRIGGER facts_stay; DELETE FROM facts")
    marks = ", ".join(f":{name}" for name in row)
    statement = f"INSERT INTO facts ({COLUMNS}) VALUES ({marks})"
    assert "approved ledger row" in refused(raw, statement, {**row, **changed})
    raw.execute(statement, row)


@pytest.mark.parametrize(
    "change",
    [
        "id = 9",
        "home = ''",
        "entity = 'people/else'",
        "text = 'another'",
        "kind = 'belief'",
        "visibility = 'private'",
        "provenance = 'another'",
        "created_at = 1",
        "valid_until = 1",
        "session_id = 'another'",
        "twin_crc = 1",
        "version = 2",
        "expired_at = 1",
        "superseded_by = 1",
        "reason = 'sneaked'",
        "expired_at = NULL, ledger_seq = 1",
    ],
)
async def test_a_fact_changes_only_with_a_newer_approved_row(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, change: str
) -> None:
    """And of it only what expires it or brings it back."""
    await acting.remember(writer, "kept")
    assert "approved ledger row" in refused(raw, f"UPDATE facts SET {change}")


@pytest.mark.parametrize("change", ["expired_at = expired_at + 1", "reason = 'another'", "superseded_by = 1"])
async def test_a_newer_row_covers_what_it_says(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, change: str
) -> None:
    """Also when and why a fact expired."""
    await acting.remember(writer, "kept")
    raw.execute("DROP TRIGGER facts_update_needs_approval")
    await acting.forget(writer, 1, "why")
    # The row is put back a state, as if it had not followed its ledger, and the guard with it.
    raw.execute("UPDATE facts SET ledger_seq = 1, version = 1, expired_at = NULL, reason = NULL")
    source = (Path(facts.__file__).parent / "schema" / "0002.sql").read_text("utf-8")
    begin = source.index("CREATE TRIGGER facts_update_needs_approval")
    raw.execute(source[begin : source.index("END;", begin) + 4])
    after = raw.execute("SELECT ts FROM ledger WHERE seq = 2").get
    good = f"ledger_seq = 2, version = 2, expired_at = {after}, reason = 'why'"
    assert "approved ledger row" in refused(
        raw, f"UPDATE facts SET {good}, {change}".replace("expired_at + 1", f"{after} + 1")
    )
    raw.execute(f"UPDATE facts SET {good}")


async def test_facts_stay(acting: ModuleType, writer: Writer, raw: apsw.Connection) -> None:
    """They expire; nothing deletes them, and a replacing insert does not slip past."""
    await acting.remember(writer, "kept")
    assert "never deleted" in refused(raw, "DELETE FROM facts")
    refused(raw, f"REPLACE INTO facts ({COLUMNS}) SELECT {COLUMNS} FROM facts")


@pytest.mark.parametrize("door", ["derived", "reading"])
async def test_the_other_doors_are_closed(
    acting: ModuleType, store: Store, writer: Writer, door: str
) -> None:
    """Only the writer changes facts."""
    await acting.remember(writer, "kept")
    lane: Any = store.derived if door == "derived" else store.reading
    with pytest.raises(apsw.Error):
        await lane.run(lambda db: db.execute("UPDATE facts SET reason = 'x'").fetchall())


async def test_a_plan_of_another_state_is_not_committed(acting: ModuleType, writer: Writer) -> None:
    """A fact that has moved on is not overwritten."""
    fact = await acting.remember(writer, "kept")
    await acting.forget(writer, 1)
    left = evolve(fact, expired_at=1, version=2)
    with pytest.raises(LookupError):
        await writer.run(lambda txn: facts.change_fact(txn._db, fact, left, 2))


# What searching finds.


async def test_the_index_follows_the_facts(acting: ModuleType, lived: Store, raw: apsw.Connection) -> None:
    """What expired is found no more, what came back is."""
    assert [2] == found(raw, "ships")
    assert [3] == found(raw, "深色")
    assert [] == found(raw, "ran") + found(raw, "goes")


async def test_another_analysis_indexes_active_facts_anew(
    acting: ModuleType, lived: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that have not expired."""
    monkeypatch.setattr(derived, "VERSION", analyse.VERSION + 1)
    monkeypatch.setattr(derived, "analysed", lambda text: f"new {text}")
    await lived.derived.run(lambda db: derived.renew_index(lived.derived, db))

    # One whose ttl ran out has no expiry in its row: reads leave it out, and the next change of it.
    assert [2, 3, 4] == await lived.reading.run(found, "new")


# What the ledger proves.


async def test_every_state_is_proven(lived: Store) -> None:
    """A replay of the ledger is the store."""
    assert [] == (await verify_store(lived)).problems


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE facts SET text = 'changed' WHERE id = 2", "fact 2 differs from its ledger in text, twinCrc"),
        ("UPDATE facts SET expired_at = NULL WHERE id = 1", "fact 1 differs from its ledger in expiredAt"),
        ("UPDATE facts SET reason = 'x' WHERE id = 2", "fact 2 differs from its ledger in reason"),
        ("UPDATE facts SET valid_until = 5 WHERE id = 4", "fact 4 differs from its ledger in validUntil"),
        (
            "UPDATE facts SET visibility = 'world' WHERE id = 3",
            "fact 3 differs from its ledger in visibility",
        ),
        ("UPDATE facts SET twin_crc = 5 WHERE id = 2", "fact 2 differs from its ledger in twinCrc"),
        ("UPDATE facts SET superseded_by = 3 WHERE id = 1", "fact 1 differs from its ledger in supersededBy"),
        ("DELETE FROM facts WHERE id = 4", "fact 4 is missing from the store"),
        ("UPDATE facts SET id = 70 WHERE id = 4", "fact 70 has no approved ledger row"),
    ],
)
async def test_a_fact_that_differs_from_its_ledger_is_found(
    lived: Store, raw: apsw.Connection, change: str, said: str
) -> None:
    """Field by field, derived columns too; strays and missing ones as well."""
    raw.execute(
        "PRAGMA foreign_keys = OFF; DROP TRIGGER facts_update_needs_approval; DROP TRIGGER facts_stay"
    )
    raw.execute(change)
    assert said in [problem.message for problem in (await verify_store(lived)).problems]


async def test_a_step_that_does_not_follow_is_found(
    acting: ModuleType, lived: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """A row whose before is not what the rows before it left."""
    await acting.remember(writer, "kept")

    def sneak(txn: Transaction) -> None:
        fact = txn.fact(6)
        assert fact is not None
        wrong = evolve(fact, text="another")
        change_row(txn, wrong, evolve(fact, expired_at=1, version=2))

    await writer.run(sneak)
    messages = [problem.message for problem in (await verify_store(lived)).problems]
    assert "the change of fact 6 does not start from the state before it" in messages


def change_row(txn: Transaction, before: Fact, after: Fact) -> None:
    """Append an allowed row as the writer does, but for any states."""
    row = Row(
        ts=1, action="forget", decision=Decision.ALLOWED, outcome="x", scope="workspace",
        workspace_key=after.home, agent_key="", entry_id=after.fact_id,
        payload={"before": fact_state_of(before), "after": fact_state_of(after), "of": [0, 1]},
    )  # fmt: skip
    txn._appender.append(row)


async def test_a_purged_fact_is_not_compared(lived: Store, raw: apsw.Connection) -> None:
    """Its last state can no longer be known; that alone is no breach."""
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE entry_id = '2'")
    verified = await verify_store(lived)
    assert verified.ok
    assert {"purged"} == {problem.kind for problem in verified.problems}


async def test_a_backup_holds_the_facts(lived: Store, tmp_path: Path, acting: ModuleType) -> None:
    """Restoring it gives the same content, also where the store's file is ruined."""
    made = await backup(lived, str(tmp_path / "copy.db"))
    before = await lived.reading.run(content_hash)
    assert before == made.content_hash
    await acting.remember(Writer(lived), "later")
    assert before != await lived.reading.run(content_hash)
    await restore(lived, str(tmp_path / "copy.db"))
    assert before == await lived.reading.run(content_hash)
    assert [] == divergences(await verify_store(lived))

    ruined = tmp_path / "ruined"
    path = Path(acting.store_path(ruined))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no store at all, but a file that somebody wrote over it" * 100)
    await restore_at(
        str(path), str(tmp_path / "copy.db"), state_folder=str(ruined / "state"), stamp_maker=acting.stamp
    )
    again = await acting.open_at(ruined)
    assert before == await again.reading.run(content_hash)
    assert [] == divergences(await verify_store(again))
    await again.close()


async def test_what_ran_out_is_noted_once_and_by_one(
    acting: ModuleType, lived: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """Also where the note of the last look is lost."""
    notes = "SELECT entry_id FROM ledger WHERE action = 'expire' ORDER BY seq"
    assert [("4",)] == raw.execute(notes).fetchall()
    raw.execute("DELETE FROM derived WHERE key LIKE 'facts_expired%'")
    await acting.remember(writer, "ran out, too", valid_until=2)
    await writer.run(lambda txn: txn.note_expired())
    await writer.run(lambda txn: txn.note_expired())
    assert [("4",), ("6",)] == raw.execute(notes).fetchall()


async def test_what_ran_out_while_it_was_forgotten_is_noted_when_it_comes_back(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """A look in between has not seen it."""
    now_ms = acting.stamp().now_ms
    await acting.remember(writer, "runs out soon", valid_until=now_ms + 600)
    await acting.forget(writer, 1)
    async with asyncio.timeout(20):
        while acting.stamp().now_ms <= now_ms + 600:  # noqa: ASYNC110 - the clock sets no event
            await asyncio.sleep(0.01)
    await acting.remember(writer, "another", valid_until=now_ms + 300)
    await writer.run(lambda txn: txn.note_expired())
    await writer.run(lambda txn: acting.commit(txn, Undo(seq=2, source="test")))
    await writer.run(lambda txn: txn.note_expired())

    notes = "SELECT entry_id FROM ledger WHERE action = 'expire' ORDER BY seq"
    assert [("2",), ("1",)] == raw.execute(notes).fetchall()
    assert [] == found(raw, "runs")


async def test_ids_are_never_used_twice(acting: ModuleType, lived: Store, writer: Writer) -> None:
    """They count up."""
    assert [6, 7] == [(await acting.remember(writer, f"number {number}")).id for number in range(2)]
