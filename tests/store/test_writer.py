"""The canonical writer: one transaction per write, and what each kind of change leaves behind."""

import asyncio
import json
import threading
from types import ModuleType
from typing import Any

import apsw
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.core.model.entry import Layer
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Allowed, Decider, approve
from keepgate.core.writing.change import Add, ByMatch, Consolidate, Replace, Seed, Undo
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.states import recorded, state_of
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.settings import WritePolicy
from keepgate.store import reads
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.rows import SEALED_COLUMNS, sealed_of


def ledger(raw: apsw.Connection) -> list[Any]:
    """Every ledger row."""
    return [sealed_of(row) for row in raw.execute(f"SELECT {SEALED_COLUMNS} FROM ledger ORDER BY seq")]


def indexed(raw: apsw.Connection, term: str) -> list[str]:
    """Texts of the entries that the search index finds for a term."""
    rows = raw.execute(
        "SELECT e.text FROM search AS s JOIN entries AS e ON e.row = s.rowid WHERE search MATCH ? ORDER BY 1",
        (f'"{term}"',),
    )
    return [str(text) for (text,) in rows]


async def test_an_addition_is_an_entry_and_a_ledger_row(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """The row carries who, what and where, and enough to rebuild the entry (DSH-6)."""
    author = Author(session_id="s-9", agent_key="coder", workspace_key="/work")
    entry = await acting.add(writer, "Text\nof two lines", author=author, agent="coder", tags=("a", "b"))
    (row,) = ledger(raw)
    assert ("add", "allowed", "allowed-once (via policy, writePolicy auto)") == (
        row.action,
        row.decision,
        row.outcome,
    )
    assert ("user", "workspace", "/work", "coder", entry.id, "test", "s-9") == (
        row.track,
        row.scope,
        row.workspace_key,
        row.agent_key,
        row.entry_id,
        row.source,
        row.session_id,
    )
    assert {"before": None, "after": state_of(entry), "of": [0, 1]} == json.loads(row.payload)
    step = recorded(row)
    assert step is not None
    assert entry == step.after


async def test_a_change_keeps_id_and_layer_and_gets_the_next_version(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """Old and new state stand in the row; the index follows."""
    before = await acting.add(writer, "walnut tree")
    after = await acting.replace(writer, "walnut", "maple tree")
    assert (before.id, 2) == (after.id, after.version)
    payload = json.loads(ledger(raw)[-1].payload)
    assert {"before": state_of(before), "after": state_of(after), "of": [0, 1]} == payload
    assert [] == indexed(raw, "walnut")
    assert ["maple tree"] == indexed(raw, "maple")


async def test_a_removal_returns_the_entry_as_it_was(
    acting: ModuleType, writer: Writer, store: Store, raw: apsw.Connection
) -> None:
    """Entry, index row, recall counts and units go; the ledger keeps the text."""
    entry = await acting.add(writer, "short lived")
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
    removed = await acting.remove(writer, "short")
    assert (entry.id, 1) == (removed.id, removed.recall_count)
    assert [] == indexed(raw, "short")
    for table in ("entries", "recall"):
        assert 0 == raw.execute(f"SELECT count(*) FROM {table}").get
    assert "short lived" == json.loads(ledger(raw)[-1].payload)["before"]["text"]


async def test_consolidating_removes_each_target_and_adds_one(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """One row per target and one for the new entry, in order, in one transaction."""
    first = await acting.add(writer, "first half")
    second = await acting.add(writer, "second half")
    change = Consolidate(
        layer=acting.HERE,
        targets=(ByMatch("first"), ByMatch("second")),
        text="both",
        tags=(),
        source="test",
        agent_key=None,
    )
    made = await writer.run(lambda txn: acting.commit(txn, change))
    assert ["consolidate-remove", "consolidate-remove", "consolidate-add"] == [
        row.action for row in ledger(raw)[2:]
    ]
    assert (first.id, second.id, "both") == (made.entries[0].id, made.entries[1].id, made.entries[2].text)
    assert (3, 4, 5) == made.seqs
    assert ["both"] == [text for (text,) in raw.execute("SELECT text FROM entries")]


async def test_a_seed_has_a_summary_row_first(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """The summary names no entry and no layer; the entries follow in order."""
    made = await acting.seed(
        writer, [acting.draft("one"), acting.draft("two", acting.EVERYWHERE), acting.draft("three")]
    )
    rows = ledger(raw)
    assert ["seed", "add", "add", "add"] == [row.action for row in rows]
    assert (None, None, None, "/work", "") == (
        rows[0].track,
        rows[0].scope,
        rows[0].entry_id,
        rows[0].workspace_key,
        rows[0].agent_key,
    )
    assert (
        "user/workspace: one\nuser/user-global: two\nuser/workspace: three"
        == json.loads(rows[0].payload)["text"]
    )
    assert (1, 2, 3, 4) == made.seqs
    assert ["one", "two", "three"] == [entry.text for entry in made.entries]
    assert recorded(rows[0]) is None


async def test_an_empty_seed_is_its_summary_alone(acting: ModuleType, writer: Writer) -> None:
    """A change of nothing is still an allowed change."""
    made = await acting.seed(writer, [])
    assert acting.Made(entries=(), seqs=(1,)) == made


@pytest.mark.parametrize(
    ("drafts", "workspace_key", "homes", "agent_key"),
    [
        ([("a", "everywhere", "")], "", None, ""),
        ([("a", "everywhere", "coder")], "", None, "coder"),
        ([("a", "/other", "")], "/other", None, ""),
        ([("a", "/other", ""), ("b", "everywhere", "coder")], "/other", None, "coder"),
        ([("a", "/third", ""), ("b", "/other", "")], "/other", '["/other","/third"]', ""),
    ],
)
async def test_a_seeds_summary_is_in_view_only_where_all_its_texts_may_be(
    acting: ModuleType,
    writer: Writer,
    raw: apsw.Connection,
    drafts: list[tuple[str, str, str]],
    workspace_key: str,
    homes: str | None,
    agent_key: str,
) -> None:
    """It holds every text, so its keys are the narrowest of them."""
    author = Author(session_id="s", agent_key="coder", workspace_key="/work")
    await acting.seed(
        writer,
        [
            acting.draft(
                text,
                acting.EVERYWHERE if key == "everywhere" else Layer(Track.USER, Scope.WORKSPACE, key),
                agent=agent,
            )
            for text, key, agent in drafts
        ],
        author,
    )
    summary = ledger(raw)[0]
    assert (workspace_key, homes, agent_key) == (summary.workspace_key, summary.homes, summary.agent_key)


async def test_an_undo_brings_the_same_entry_back_in_its_old_place(
    acting: ModuleType, writer: Writer, store: Store, raw: apsw.Connection
) -> None:
    """Same id, next version, and its first place in creation order; the index has it again."""
    first = await acting.add(writer, "came first")
    await acting.add(writer, "came second")
    await acting.remove(writer, "first")
    made = await writer.run(lambda txn: acting.commit(txn, Undo(seq=3, source="test")))
    assert (first.id, 2, "came first") == (made.entries[0].id, made.entries[0].version, made.entries[0].text)
    listed, _ = await store.reading.run(lambda db: reads.list_page(db, acting.ME.viewer, limit=10))
    assert ["came first", "came second"] == [entry.text for entry in listed]
    assert ["came first"] == indexed(raw, "first")


async def test_an_undo_of_a_rewriting_keeps_the_recall_counts(
    acting: ModuleType, writer: Writer, store: Store
) -> None:
    """Counters are derived: they stay with an entry while it stays."""
    entry = await acting.add(writer, "old words")
    await acting.replace(writer, "old", "new words")
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
    made = await writer.run(lambda txn: acting.commit(txn, Undo(seq=2, source="test")))
    again = await store.reading.run(reads.entry, entry.id)
    assert 1 == made.entries[0].recall_count
    assert made.entries[0] == again


async def test_what_raises_leaves_nothing(acting: ModuleType, writer: Writer, raw: apsw.Connection) -> None:
    """Entry, ledger, totals, index and feed all go back together."""
    await acting.add(writer, "before")

    def work(txn: Transaction) -> None:
        acting.commit(txn, Add(draft=acting.draft("never")))
        raise KeyError("no")

    tables = ("entries", "ledger", "usage", "feed", "search_docsize", "proposals")
    counts = [raw.execute(f"SELECT count(*) FROM {table}").get for table in tables]
    with pytest.raises(KeyError):
        await writer.run(work)
    assert counts == [raw.execute(f"SELECT count(*) FROM {table}").get for table in tables]
    assert 6 == raw.execute("SELECT used FROM usage").get


async def test_a_plan_of_another_transaction_is_not_committed(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """What was planned on an older state raises, and nothing of it is stored."""
    await acting.add(writer, "target")
    change = Replace(layer=acting.HERE, target=ByMatch("target"), text="stale", tags=None, source="test")
    stale = await writer.run(lambda txn: acting.asked(txn, change))
    await acting.replace(writer, "target", "target moved")
    yes = Allowed(by=Decider(via="policy", policy=WritePolicy.AUTO), hash=stale.hash)
    with pytest.raises(LookupError, match="another transaction"):
        await writer.run(lambda txn: txn.commit(approve(stale, yes), proposal_id=None))
    assert 2 == len(ledger(raw))
    assert "target moved" == raw.execute("SELECT text FROM entries").get


async def test_rows_that_allow_a_change_come_from_commit_alone(writer: Writer) -> None:
    """Appending one by hand is a programming error."""
    row = Row(ts=0, action="add", decision=Decision.ALLOWED, outcome="allowed-once")
    with pytest.raises(ValueError, match="commit"):
        await writer.run(lambda txn: txn.append(row))


async def test_other_rows_are_sealed_over_the_ones_before(
    acting: ModuleType, writer: Writer, store: Store, raw: apsw.Connection
) -> None:
    """Seq by seq, hash by hash, with the installation's seal."""

    def work(txn: Transaction) -> list[int]:
        row = Row(
            ts=5, action="add-denied", decision=Decision.DENIED, outcome="rejected", payload={"text": "no"}
        )
        return [txn.append(row), txn.append(evolve(row, ts=6))]

    assert [1, 2] == await writer.run(work)
    await acting.add(writer, "then")
    rows = ledger(raw)
    assert [row.hash for row in rows[:-1]] == [row.previous for row in rows[1:]]
    for row, (key_id, mac) in zip(
        rows, raw.execute("SELECT key_id, mac FROM ledger ORDER BY seq"), strict=True
    ):
        assert (store.key().id, store.key().mac(row.hash)) == (key_id, mac)


async def test_every_commit_is_announced_in_the_event_loop(
    acting: ModuleType, writer: Writer, store: Store
) -> None:
    """Also one whose caller was cancelled after it had begun."""
    told: list[int] = []
    twice = asyncio.Event()

    def tell() -> None:
        told.append(threading.get_ident())
        if len(told) == 2:
            twice.set()

    store.on_commit.append(tell)
    await acting.add(writer, "one")
    begun, gate = threading.Event(), threading.Event()

    def work(txn: Transaction) -> None:
        begun.set()
        gate.wait(10)
        acting.commit(txn, Add(draft=acting.draft("two")))

    task = asyncio.create_task(writer.run(work))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    gate.set()
    await asyncio.wait([task])
    await asyncio.wait_for(twice.wait(), 10)
    assert [threading.get_ident()] * 2 == told
    assert 2 == (await store.reading.run(reads.counts, 0))["entries"]


async def test_a_failed_write_is_not_announced(writer: Writer, store: Store) -> None:
    """Nothing happened, so nothing is told."""
    told: list[int] = []
    store.on_commit.append(lambda: told.append(1))
    with pytest.raises(ZeroDivisionError):
        await writer.run(lambda _: 1 // 0)
    await store.reading.run(reads.counts, 0)
    assert [] == told


async def test_the_transaction_is_a_view_of_the_store(
    acting: ModuleType, writer: Writer, store: Store
) -> None:
    """What a plan asks is answered from inside the transaction, its own writes included."""
    private = Author(session_id="s", agent_key="coder", workspace_key="/work")
    for number in range(12):
        await acting.add(writer, f"Number {number}")
    secret = await acting.add(writer, "number of coder", author=private, agent="coder")

    def work(txn: Transaction) -> list[Any]:
        acting.commit(txn, Add(draft=acting.draft("NUMBER last")))
        hits, own = txn.find(acting.HERE, "", "nUmBeR"), txn.find(acting.HERE, "coder", "number")
        twin = txn.twin(acting.HERE, "", "nUMBER 3")
        return [
            hits.count,
            [entry.text for entry in hits.first],
            own.count,
            txn.twin(acting.HERE, "", "number of coder"),
            twin and twin.text,
            txn.twin(acting.HERE, "", "number"),
            txn.entry(secret.id),
            txn.entry("unknown"),
            txn.used(acting.HERE),
        ]

    used = sum(len(f"Number {number}") for number in range(12)) + len("number of coder") + len("NUMBER last")
    first = [f"Number {number}" for number in range(10)]
    assert [13, first, 14, None, "Number 3", None, secret, None, used] == await writer.run(work)


async def test_a_change_is_known_by_each_of_its_rows(acting: ModuleType, writer: Writer) -> None:
    """Undo may name any row of a change, the summary of a seed among them; other rows name none."""
    made = await acting.seed(writer, [acting.draft("one"), acting.draft("two")])
    await acting.add(writer, "alone")
    await writer.run(
        lambda txn: txn.append(Row(ts=0, action="add-denied", decision=Decision.DENIED, outcome="rejected"))
    )
    steps = await writer.run(
        lambda txn: [[found.step.entry.text for found in txn.change_of(seq)] for seq in range(7)]
    )
    assert (1, 2, 3) == made.seqs
    assert [[], ["one", "two"], ["one", "two"], ["one", "two"], ["alone"], [], []] == steps


async def test_a_change_of_which_a_part_was_purged_cannot_be_taken_back(
    acting: ModuleType, writer: Writer, raw: apsw.Connection
) -> None:
    """Half a change is no change."""
    await acting.seed(writer, [acting.draft("one"), acting.draft("two")])
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE seq = 2")
    assert [()] * 3 == await writer.run(lambda txn: [txn.change_of(seq) for seq in (1, 2, 3)])


async def test_the_rows_of_a_proposals_approval_are_found_by_it(acting: ModuleType, writer: Writer) -> None:
    """Steps and seqs of what was committed for it; none for one that was not."""
    drafts = (acting.draft("one"), acting.draft("two"))
    await writer.run(lambda txn: acting.commit(txn, Seed(drafts=drafts), proposal_id="p-1"))
    (steps, seqs), nothing = await writer.run(lambda txn: (txn.change_by("p-1"), txn.change_by("p-2")))
    assert (["one", "two"], (1, 2, 3)) == ([step.entry.text for step in steps], seqs)
    assert ((), ()) == nothing


TEXT = st.text(min_size=1, max_size=40).filter(lambda text: "\x00" not in text)


@given(text=TEXT, tags=st.lists(TEXT, max_size=3, unique=True))
@settings(max_examples=60, deadline=None)
def test_any_text_passes_the_guards_and_comes_back_whole(
    acting: ModuleType, tmp_path_factory: pytest.TempPathFactory, text: str, tags: list[str]
) -> None:
    """Bytes in, bytes out: quotes, controls, every plane of Unicode, in texts and tags."""

    async def run() -> None:
        store = await acting.open_at(tmp_path_factory.mktemp("any"))
        writer = Writer(store)
        entry = await acting.add(writer, text, tags=tuple(tags))
        assert entry == await store.reading.run(reads.entry, entry.id)
        await acting.replace(writer, text, text + "!")
        removed = await acting.remove(writer, text)
        assert text + "!" == removed.text
        await store.close()

    asyncio.run(run())
