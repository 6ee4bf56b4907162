"""Verification: every kind of tampering is found and told apart, and a good store passes."""

import asyncio
import json
import secrets
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest
from attrs import evolve

from keepgate.core.writing.change import ByMatch, Consolidate, Undo
from keepgate.core.writing.ledger import GENESIS, chain_hash, payload_digest
from keepgate.protocol.entries import VerifyResult
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store import verify as verifying
from keepgate.store.anchor import advance_anchor, anchor_path
from keepgate.store.keyring import Key
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.rows import SEALED_COLUMNS, sealed_of
from keepgate.store.stopping import Stopped, never, silent
from keepgate.store.verify import verify, verify_store


def kinds(result: VerifyResult) -> list[tuple[str, int | None]]:
    """What was found where."""
    return [(problem.kind, problem.seq) for problem in result.problems]


@pytest.fixture
async def lived(acting: ModuleType, store: Store, writer: Writer) -> Store:
    """A store with every kind of row, anchored at its head."""
    entry = await acting.add(writer, "one")
    await acting.add(writer, "two")
    await acting.replace(writer, "one", "one again")
    await acting.seed(writer, [acting.draft("three"), acting.draft("four", acting.EVERYWHERE)])
    change = Consolidate(
        layer=acting.HERE, targets=(ByMatch("two"), ByMatch("three")), text="both", tags=(), source="test",
        agent_key=None,
    )  # fmt: skip
    await writer.run(lambda txn: acting.commit(txn, change))
    await acting.remove(writer, "one again")
    await writer.run(lambda txn: acting.commit(txn, Undo(seq=10, source="test")))
    await store.evidence.note_recall(
        viewer_workspace="/work", agent_key="", session_id="s", track=None, scope=None, text=None,
        entry_ids=[entry.id], stamp=acting.stamp(),
    )  # fmt: skip

    def approve(txn: Transaction) -> None:
        stored = acting.wish(txn, "asked for")
        txn.propose(stored)
        acting.commit(txn, stored.change, stored.author, proposal_id=stored.id, via="approval")
        txn.close(stored.id, status=ProposalStatus.APPROVED, outcome="allowed-once", by=None)

    await writer.run(approve)
    await store.derived.run(lambda db: advance_anchor(db, store.anchors))
    return store


@pytest.fixture
def open_wide(lived: Store, raw: apsw.Connection) -> apsw.Connection:
    """A connection to a store whose guards an attacker has taken away."""
    names = [name for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
    for name in names:
        raw.execute(f"DROP TRIGGER {name}")
    return raw


async def test_a_good_store_passes(lived: Store, raw: apsw.Connection) -> None:
    """Rows and head are reported; progress ends at the end."""
    told: list[tuple[int, int]] = []
    result = await verify_store(lived, progress=lambda done, total: told.append((done, total)))
    await asyncio.sleep(0)
    head = raw.execute("SELECT hash FROM ledger ORDER BY seq DESC LIMIT 1").get
    assert VerifyResult(ok=True, rows=13, head=str(head), problems=[]) == result
    assert (26, 26) == told[-1]


async def test_an_empty_store_passes(store: Store) -> None:
    """Its head is the genesis."""
    assert VerifyResult(ok=True, rows=0, head=GENESIS, problems=[]) == await verify_store(store)


@pytest.mark.parametrize(
    "column",
    ["ts", "action", "decision", "outcome", "track", "workspace_key", "source", "session_id", "proposal_id",
     "shown_hash", "digest"],
)  # fmt: skip
async def test_an_edited_column_is_found(lived: Store, open_wide: apsw.Connection, column: str) -> None:
    """In the row where it was edited."""
    value = {"ts": 5, "decision": "note"}.get(column, "changed")
    open_wide.execute(f"UPDATE ledger SET {column} = ? WHERE seq = 12", (value,))
    result = await verify_store(lived)
    assert not result.ok
    assert ("edit", 12) in kinds(result)


async def test_an_edited_payload_is_found(lived: Store, open_wide: apsw.Connection) -> None:
    """Its digest no longer fits; a payload without its salt is no purge."""
    open_wide.execute("UPDATE ledger SET payload = replace(payload, 'null', 'true') WHERE seq = 12")
    assert [("edit", 12)] == kinds(await verify_store(lived))


async def test_a_missing_row_is_a_gap(lived: Store, open_wide: apsw.Connection) -> None:
    """In the middle of the ledger."""
    open_wide.execute("PRAGMA foreign_keys = OFF; DELETE FROM ledger WHERE seq = 12")
    assert [("gap", 13)] == kinds(await verify_store(lived))


async def test_moved_rows_are_a_reorder(lived: Store, open_wide: apsw.Connection) -> None:
    """Two rows that changed places, each whole in itself, no longer follow one another."""
    rewrite(open_wide, lived.key(), lambda rows: [*rows[:11], rows[12], rows[11]], keep_previous=True)
    found = {kind for kind, _ in kinds(await verify_store(lived))}
    assert "reorder" in found


async def test_a_cut_tail_is_found_by_the_anchor(lived: Store, open_wide: apsw.Connection) -> None:
    """The chain itself holds."""
    open_wide.execute("DELETE FROM entries WHERE text = 'asked for'; DELETE FROM ledger WHERE seq = 13")
    open_wide.execute("UPDATE usage SET used = (SELECT sum(units) FROM entries WHERE scope = usage.scope)")
    open_wide.execute("UPDATE usage SET entries = (SELECT count(*) FROM entries WHERE scope = usage.scope)")
    open_wide.execute("UPDATE proposals SET status = 'pending'")
    result = await verify_store(lived)
    assert ([("cut", 13)], False) == (kinds(result), result.ok)


async def test_a_ledger_rewritten_without_the_key_is_found(lived: Store, open_wide: apsw.Connection) -> None:
    """By its seals, and by the anchor."""
    rewrite(open_wide, Key(id="other", secret=secrets.token_bytes(32)), lambda rows: edited(rows, 12))
    assert [("cut", 13), ("foreign-key", 1)] == kinds(await verify_store(lived))


async def test_a_ledger_rewritten_with_the_key_is_found_by_the_anchor(
    lived: Store, open_wide: apsw.Connection
) -> None:
    """The chain and the seals hold; the newest row that was ever seen is gone."""
    rewrite(open_wide, lived.key(), lambda rows: edited(rows, 12))
    assert [("cut", 13)] == kinds(await verify_store(lived))


async def test_a_forged_seal_is_found(lived: Store, open_wide: apsw.Connection) -> None:
    """A row that names our key and was not sealed with it."""
    open_wide.execute("UPDATE ledger SET mac = ? WHERE seq = 4", ("0" * 64,))
    assert [("foreign-key", 4)] == kinds(await verify_store(lived))


async def test_without_any_key_every_row_is_foreign(lived: Store, tmp_path: Path) -> None:
    """A store that came from another machine is one finding, not one for each row; looking makes no key."""
    (tmp_path / "state" / "ledger.key").unlink()
    result = await verify_store(lived)
    assert [("foreign-key", 1)] == kinds(result)
    assert "rows up to 13" in result.problems[0].message
    assert not (tmp_path / "state" / "ledger.key").exists()


async def test_purged_rows_are_told_and_no_fault(lived: Store, raw: apsw.Connection) -> None:
    """The chain holds without payloads; the rebuild skips what it cannot know."""
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE seq IN (1, 2, 13)")
    result = await verify_store(lived)
    assert ([("purged", 1), ("purged", 2), ("purged", 13)], True) == (kinds(result), result.ok)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE entries SET text = 'changed' WHERE text = 'both'", "text, units, folded, foldedCrc"),
        ("UPDATE entries SET tags = '[\"x\"]' WHERE text = 'both'", "tags"),
        ("UPDATE entries SET version = 9 WHERE text = 'both'", "version"),
        ("UPDATE entries SET agent_key = 'x' WHERE text = 'both'", "agentKey"),
        ("UPDATE entries SET session_id = NULL WHERE text = 'both'", "sessionId"),
        ("UPDATE entries SET updated_at = updated_at + 1 WHERE text = 'both'", "updatedAt"),
        ("UPDATE entries SET folded = 'x' WHERE text = 'both'", "folded"),
        ("UPDATE entries SET folded_crc = 1 WHERE text = 'both'", "foldedCrc"),
        ("UPDATE entries SET created_seq = 12 WHERE text = 'both'", "createdSeq"),
        ("UPDATE entries SET ledger_seq = 12 WHERE text = 'both'", "ledgerSeq"),
        ("DELETE FROM entries WHERE text = 'both'", "is missing from the store"),
    ],
)
async def test_an_entry_that_differs_from_its_ledger_is_found(
    lived: Store, open_wide: apsw.Connection, change: str, said: str
) -> None:
    """Field by field, derived columns too (DSH-6)."""
    open_wide.execute(change)
    found = [problem for problem in (await verify_store(lived)).problems if problem.kind == "divergence"]
    assert 1 == len(found)
    assert said in found[0].message
    assert 9 == found[0].seq


async def test_an_entry_without_a_ledger_is_found(lived: Store, open_wide: apsw.Connection) -> None:
    """So is one that the ledger says was removed."""
    open_wide.execute("UPDATE entries SET id = 'stray' WHERE text = 'both'")
    messages = [problem.message for problem in (await verify_store(lived)).problems]
    assert any("stray has no approved ledger row" in message for message in messages)
    removed = open_wide.execute("SELECT entry_id FROM ledger WHERE seq = 7").get
    open_wide.execute("UPDATE entries SET id = ? WHERE id = 'stray'", (removed,))
    messages = [problem.message for problem in (await verify_store(lived)).problems]
    assert any("was removed and is still in the store" in message for message in messages)


async def test_totals_that_are_off_are_found(lived: Store, open_wide: apsw.Connection) -> None:
    """Units and counts, of layers with and without entries."""
    open_wide.execute("UPDATE usage SET used = used + 3 WHERE scope = 'workspace'")
    open_wide.execute("INSERT INTO usage VALUES ('agent', 'workspace', '/ghost', 5, 1)")
    result = await verify_store(lived)
    assert ([("totals", None)] * 2, False) == (kinds(result), result.ok)
    assert "user/workspace /work is off by -3 units" in result.problems[1].message


async def test_an_approval_without_its_row_is_found(lived: Store, open_wide: apsw.Connection) -> None:
    """And a change that a person is said to have allowed, without the proposal."""
    open_wide.execute("UPDATE proposals SET hash = 'other'")
    assert [("divergence", None)] == kinds(await verify_store(lived))
    open_wide.execute("DELETE FROM proposals")
    assert [("divergence", 13)] == kinds(await verify_store(lived))


async def test_a_step_that_starts_from_another_state_is_found(
    lived: Store, open_wide: apsw.Connection
) -> None:
    """A chain that was rewritten with care still has to tell one story."""

    def other_start(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        payload = json.loads(rows[2]["payload"])
        payload["before"]["text"] = "never was"
        rows[2]["payload"] = json.dumps(payload, sort_keys=True, separators=(",", ":"))
        return rows

    rewrite(open_wide, lived.key(), other_start)
    assert [("cut", 13), ("divergence", 3)] == kinds(await verify_store(lived))


async def test_ruins_are_not_described_in_full(
    lived: Store, open_wide: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first findings are enough; the verdict takes all of them in."""
    monkeypatch.setattr(verifying, "PROBLEMS_MAX", 2)
    open_wide.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE seq IN (1, 2)")
    open_wide.execute("UPDATE usage SET used = used + 3 WHERE scope = 'workspace'")
    result = await verify_store(lived)
    assert ([("purged", 1), ("purged", 2)], False) == (kinds(result), result.ok)


async def test_a_long_verification_tells_how_far_it_is_and_can_be_stopped(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Every five hundred rows."""
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(600)])
    told: list[tuple[int, int]] = []

    def work(db: apsw.Connection) -> VerifyResult:
        return verify(db, key=None, anchor=None, progress=lambda *step: told.append(step), cancelled=never)

    await store.reading.run(work)
    assert [(500, 1202), (1000, 1202), (1202, 1202)] == told
    with pytest.raises(Stopped):
        await store.reading.run(
            lambda db: verify(db, key=None, anchor=None, progress=silent, cancelled=lambda: True)
        )


async def test_a_verification_whose_caller_has_gone_stops(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Cancelling returns once the work has ended; the store is as usable as before."""
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(3000)])
    task = asyncio.create_task(verify_store(store))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 3001 == (await verify_store(store)).rows


async def test_writers_go_on_while_a_store_is_verified(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """The verification sees one state of it."""
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(1500)])
    task = asyncio.create_task(verify_store(store))
    while not task.done():
        await acting.add(writer, "meanwhile")
    assert (await task).ok
    assert (await verify_store(store)).ok


async def test_another_stores_anchor_does_not_matter(lived: Store) -> None:
    """Anchors are kept by store id."""
    path = anchor_path(lived.anchors, lived.id)
    path.rename(path.with_name("another.json"))
    assert (await verify_store(lived)).ok


def edited(rows: list[dict[str, Any]], seq: int) -> list[dict[str, Any]]:
    """The rows with one column changed."""
    rows[seq - 1]["source"] = "changed"
    return rows


def rewrite(
    db: apsw.Connection,
    key: Key,
    change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]],
    *,
    keep_previous: bool = False,
) -> None:
    """Rewrite the whole ledger as somebody would who knows how it is sealed."""
    names = [item.strip('"') for item in SEALED_COLUMNS.split(", ")]
    rows = [
        dict(zip(names, row, strict=True))
        for row in db.execute(f"SELECT {SEALED_COLUMNS} FROM ledger ORDER BY seq").fetchall()
    ]
    previous = GENESIS
    db.execute("PRAGMA foreign_keys = OFF; DELETE FROM ledger")
    for seq, row in enumerate(change(rows), 1):
        row["seq"] = seq
        row["previous"] = row["previous"] if keep_previous else previous
        if row["payload"] is not None:
            row["digest"] = payload_digest(row["salt"], row["payload"])
        row["hash"] = previous = chain_hash(row)
        marks = ", ".join("?" * (len(names) + 2))
        values = (*(row[name] for name in names), key.id, key.mac(row["hash"]))
        db.execute(f"INSERT INTO ledger VALUES ({marks})", values)
    assert sealed_of(tuple(rows[0].values())) == evolve(sealed_of(tuple(rows[0].values())))
