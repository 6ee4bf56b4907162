"""The fences in the schema: what raw SQL cannot do to a store. Each trigger is provoked once."""

import json
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.core.writing.ledger import GENESIS, canonical
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store

ENTRY = (
    "id, track, scope, workspace_key, agent_key, text, source, tags, version, created_at, updated_at, "
    "session_id, units, folded, folded_crc, created_seq, ledger_seq"
)


def refused(db: apsw.Connection, statement: str, values: Any = ()) -> str:
    """Run a statement that must fail in a guard; the guard's words."""
    with pytest.raises(apsw.ConstraintError) as raised:
        db.execute(statement, values)
    return str(raised.value)


@pytest.fixture
async def kept(acting: ModuleType, writer: Writer) -> Any:
    """One stored entry."""
    return await acting.add(writer, "kept", tags=("one",))


async def test_an_entry_without_a_ledger_row_is_refused(raw: apsw.Connection) -> None:
    """Nothing enters the table on its own."""
    values = (
        "'x', 'user', 'workspace', '/work', '', 'sneaked', 'test', '[]', 1, 0, 0, NULL, 7, 'sneaked', 0, 1, 1"
    )
    assert "approved ledger row" in refused(raw, f"INSERT INTO entries ({ENTRY}) VALUES ({values})")


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "another"},
        {"text": "another text"},
        {"tags": '["two"]'},
        {"version": 2},
        {"workspace_key": "/elsewhere"},
        {"agent_key": "another"},
        {"source": "another"},
        {"track": "agent"},
    ],
)
async def test_a_ledger_row_covers_what_was_approved_and_nothing_else(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, kept: Any, changed: dict[str, Any]
) -> None:
    """An approved row cannot be used for an entry that says something else."""
    row = dict(
        zip(ENTRY.split(", "), raw.execute(f"SELECT {ENTRY} FROM entries").fetchone() or (), strict=True)
    )
    # Taking the entry away as a mistaken tool would, so that only the insert guard stands in the way.
    raw.execute("DROP TRIGGER entries_delete_needs_approval; DELETE FROM entries")
    marks = ", ".join(f":{name}" for name in row)
    assert "approved ledger row" in refused(
        raw, f"INSERT INTO entries ({ENTRY}) VALUES ({marks})", {**row, **changed}
    )


async def test_an_older_approval_does_not_bring_an_old_state_back(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, kept: Any
) -> None:
    """Only the newest approved row of an entry counts, for inserts as for updates."""
    old = raw.execute(f"SELECT {ENTRY} FROM entries").fetchone()
    await acting.replace(writer, "kept", "kept and changed")
    assert "approved ledger row" in refused(
        raw, "UPDATE entries SET text = 'kept', folded = 'kept', units = 4, version = 1, ledger_seq = 1"
    )
    await acting.remove(writer, "changed")
    marks = ", ".join("?" * len(old or ()))
    assert "approved ledger row" in refused(raw, f"INSERT INTO entries ({ENTRY}) VALUES ({marks})", old)


@pytest.mark.parametrize(
    "change",
    [
        "text = 'changed'",
        "version = 2",
        "tags = '[]'",
        "track = 'agent'",
        "workspace_key = '/elsewhere'",
        "created_at = 0",
        "created_seq = 0",
        "id = 'another'",
        "row = 77",
        "ledger_seq = 99",
    ],
)
async def test_an_entry_changes_only_with_a_newer_approved_row(
    raw: apsw.Connection, kept: Any, change: str
) -> None:
    """Any update of a row is refused while its ledger row is not newer."""
    assert "keepgate" in refused(raw, f"UPDATE entries SET {change}")


async def test_an_entry_goes_only_with_an_approved_row(raw: apsw.Connection, kept: Any) -> None:
    """A bare DELETE is refused."""
    assert "approved ledger row" in refused(raw, "DELETE FROM entries")


async def test_an_approved_change_is_no_approved_removal(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, kept: Any
) -> None:
    """The newer row must say that the entry goes; a denied removal does not help either."""
    raw.execute("DROP TRIGGER entries_update_needs_approval")
    await acting.replace(writer, "kept", "kept two")
    raw.execute("UPDATE entries SET ledger_seq = 1")
    assert "approved ledger row" in refused(raw, "DELETE FROM entries")


async def test_a_conflict_replacing_insert_does_not_slip_past(raw: apsw.Connection, kept: Any) -> None:
    """``INSERT OR REPLACE`` deletes without a DELETE statement; the guards see it nevertheless."""
    row = dict(
        zip(ENTRY.split(", "), raw.execute(f"SELECT {ENTRY} FROM entries").fetchone() or (), strict=True)
    )
    raw.execute("DROP TRIGGER entries_insert_needs_approval")
    marks = ", ".join(f":{name}" for name in row)
    said = refused(
        raw, f"INSERT OR REPLACE INTO entries ({ENTRY}) VALUES ({marks})", {**row, "text": "replaced"}
    )
    assert "goes only with" in said


async def test_a_ledger_row_is_the_state_of_one_entry(raw: apsw.Connection, kept: Any) -> None:
    """No two entries rest on one approval."""
    raw.execute("DROP TRIGGER entries_insert_needs_approval")
    row = dict(
        zip(ENTRY.split(", "), raw.execute(f"SELECT {ENTRY} FROM entries").fetchone() or (), strict=True)
    )
    marks = ", ".join(f":{name}" for name in row)
    said = refused(
        raw, f"INSERT INTO entries ({ENTRY}) VALUES ({marks})", {**row, "id": "twin", "created_seq": 2}
    )
    assert "entries.ledger_seq" in said


LEDGER = "seq, ts, action, decision, outcome, payload, salt, digest, previous, hash, key_id, mac"


@pytest.mark.parametrize(
    ("seq", "follows", "payload"),
    [(3, True, "{}"), (1, True, "{}"), (2, False, "{}"), (2, True, None)],
    ids=["a gap", "a taken place", "another predecessor", "nothing sealed"],
)
async def test_a_ledger_row_follows_the_newest_one(
    raw: apsw.Connection, kept: Any, seq: int, follows: bool, payload: str | None
) -> None:
    """No gaps, no forks, no row that begins purged."""
    head = raw.execute("SELECT hash FROM ledger").get if follows else GENESIS
    salt = None if payload is None else "00"
    values = (seq, 0, "note", "note", "ok", payload, salt, "d", head, "h", "k", "m")
    marks = ", ".join("?" * len(values))
    assert "follow the newest" in refused(raw, f"INSERT INTO ledger ({LEDGER}) VALUES ({marks})", values)
    assert "follow the newest" in refused(
        raw, f"INSERT OR REPLACE INTO ledger ({LEDGER}) VALUES ({marks})", values
    )


async def test_the_first_ledger_row_follows_nothing(raw: apsw.Connection) -> None:
    """An empty ledger takes row 1 over the genesis hash and no other."""
    values = (1, 0, "note", "note", "ok", "{}", "00", "d", "f" * 64, "h", "k", "m")
    statement = f"INSERT INTO ledger ({LEDGER}) VALUES ({', '.join('?' * len(values))})"
    assert "follow the newest" in refused(raw, statement, values)
    raw.execute(statement, (*values[:8], GENESIS, *values[9:]))
    assert 1 == raw.execute("SELECT count(*) FROM ledger").get


async def test_ledger_rows_stay(raw: apsw.Connection, kept: Any) -> None:
    """There is no way to delete one."""
    assert "never deleted" in refused(raw, "DELETE FROM ledger")


async def test_a_ledger_row_can_lose_its_payload_and_nothing_else(raw: apsw.Connection, kept: Any) -> None:
    """Every column is fixed, also while the payload goes; the payload goes only with its salt."""
    columns = [row[1] for row in raw.execute("PRAGMA table_info(ledger)")]
    for column in columns:
        said = refused(raw, f'UPDATE ledger SET payload = NULL, salt = NULL, "{column}" = 99')
        assert "lose its payload" in said, column
    assert "lose its payload" in refused(raw, "UPDATE ledger SET payload = '{}'")
    assert "CHECK" in refused(
        raw,
        "UPDATE ledger SET payload = NULL, salt = NULL WHERE 0; "
        "INSERT INTO ledger SELECT 2, ts, action, decision, outcome, track, scope, "
        "workspace_key, homes, agent_key, entry_id, source, session_id, proposal_id, shown_hash, "
        "\"by\", payload, NULL, digest, hash, 'h', key_id, mac FROM ledger",
    )
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL")
    assert (None, None) == raw.execute("SELECT payload, salt FROM ledger").fetchone()


@pytest.fixture
async def pending(acting: ModuleType, writer: Writer) -> str:
    """The id of a pending proposal."""

    def work(txn: Transaction) -> str:
        stored = acting.wish(txn, "wished")
        txn.propose(stored)
        return str(stored.id)

    return await writer.run(work)


async def test_a_proposal_begins_pending(raw: apsw.Connection, pending: str) -> None:
    """None enters the table decided."""
    names = [row[1] for row in raw.execute("PRAGMA table_info(proposals)") if row[1] not in ("row", "id")]
    for change in (
        {"status": "'approved'"},
        {"decided_at": "1"},
        {"outcome": "'ok'"},
        {"decided_by": "'{}'"},
    ):
        picked = ", ".join(change.get(name, name) for name in names)
        said = refused(
            raw, f"INSERT INTO proposals (id, {', '.join(names)}) SELECT 'new', {picked} FROM proposals"
        )
        assert "begins pending" in said, change


@pytest.mark.parametrize(
    "column",
    ["row", "id", "change", "workspace_key", "homes", "agent_key", "session_id", "kind", "track", "scope",
     "source", "asked_by", "created_at", "expires_at"],
)  # fmt: skip
async def test_a_proposal_keeps_what_was_wished(raw: apsw.Connection, pending: str, column: str) -> None:
    """Who wished what, and when, is fixed."""
    assert "what was wished" in refused(raw, f"UPDATE proposals SET {column} = 77")


@pytest.mark.parametrize("status", [status for status in ProposalStatus if status != "pending"])
async def test_a_decision_is_final(raw: apsw.Connection, pending: str, status: str) -> None:
    """A decided proposal takes no other state, not even its own again."""
    raw.execute("UPDATE proposals SET status = ?, decided_at = 1", (status,))
    for change in ("status = 'pending'", "status = status", "waiter = 'somebody'", "hash = 'other'"):
        assert "does not change" in refused(raw, f"UPDATE proposals SET {change}")


async def test_proposals_stay(raw: apsw.Connection, pending: str) -> None:
    """There is no way to delete one."""
    assert "never deleted" in refused(raw, "DELETE FROM proposals")


async def test_the_stores_identity_stays(raw: apsw.Connection) -> None:
    """There is no way to delete it."""
    assert "never deleted" in refused(raw, "DELETE FROM meta")


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("entries", "track = 'other'"),
        ("entries", "scope = 'user-global'"),
        ("entries", "text = ''"),
        ("entries", "version = 0"),
        ("entries", "updated_at = created_at - 1"),
        ("entries", "units = 0"),
        ("entries", "tags = NULL"),
        ("ledger", "decision = 'perhaps'"),
    ],
)
async def test_columns_hold_what_they_may(raw: apsw.Connection, kept: Any, table: str, change: str) -> None:
    """Vocabulary, emptiness and order of times are the table's own affair."""
    for name in ("entries_update_needs_approval", "ledger_only_purges"):
        raw.execute(f"DROP TRIGGER {name}")
    assert "constraint failed" in refused(raw, f"UPDATE {table} SET {change}")


async def test_totals_follow_every_change(
    acting: ModuleType, writer: Writer, store: Store, raw: apsw.Connection
) -> None:
    """Triggers keep units and counts, insert, rewrite and delete alike."""

    def totals() -> list[Any]:
        return raw.execute("SELECT track, scope, workspace_key, used, entries FROM usage").fetchall()

    await acting.add(writer, "four")
    await acting.add(writer, "\U0001f600")
    assert [("user", "workspace", "/work", 6, 2)] == totals()
    await acting.replace(writer, "four", "seven77")
    assert [("user", "workspace", "/work", 9, 2)] == totals()
    await acting.remove(writer, "seven")
    assert [("user", "workspace", "/work", 2, 1)] == totals()


async def test_guards_call_innocuous_functions_only(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """They hold with ``trusted_schema`` off, and the schema mentions no function of ours."""
    assert 0 == raw.execute("PRAGMA trusted_schema").get
    assert 1 == raw.execute("PRAGMA recursive_triggers").get
    assert 1 == raw.execute("PRAGMA foreign_keys").get
    await acting.add(writer, "passes all guards")
    stored = raw.execute("SELECT tags FROM entries").get
    assert canonical(json.loads(str(stored))) == stored


async def test_double_quotes_are_no_strings(raw: apsw.Connection) -> None:
    """A misspelt column is an error, not a constant."""
    with pytest.raises(apsw.SQLError):
        raw.execute('SELECT "no_such_column" FROM entries')
