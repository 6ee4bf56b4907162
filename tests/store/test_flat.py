"""No operation slows down with the size of the store: counted in SQLite's own steps, not in time."""

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.core.model.entry import Layer
from keepgate.core.model.viewer import Author, Viewer
from keepgate.core.writing.change import Add, ByMatch, Forget, Remember, Remove, Replace
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store import evidence, facts, feed, reads
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store

PER_WORKSPACE = 20
SMALL, LARGE = 5, 150
ME = Viewer(workspaces=frozenset({"/w/1"}), agent_key="")
HERE = Layer(Track.USER, Scope.WORKSPACE, "/w/1")
AUTHOR = Author(session_id="s-1", agent_key="", workspace_key="/w/1")


async def fill(acting: ModuleType, store: Store, workspaces: int) -> None:
    """Workspaces of one realistic size, each with decided and pending proposals, recalls and denials."""
    writer = Writer(store)
    for number in range(workspaces):
        author = Author(session_id=f"s-{number}", agent_key="", workspace_key=f"/w/{number}")
        layer = Layer(Track.USER, Scope.WORKSPACE, f"/w/{number}")
        texts = [f"common text {item} in workspace {number}" for item in range(PER_WORKSPACE)]
        made = await acting.seed(writer, [acting.draft(text, layer) for text in texts], author)

        def ask(txn: Transaction, author: Author = author, layer: Layer = layer) -> None:
            for decided in (True, True, False):
                stored = acting.wish(txn, "wished", author, layer=layer)
                txn.propose(stored)
                if decided:
                    status = ProposalStatus.DISMISSED
                    txn.close(stored.id, status=status, outcome="rejected", by=None)

        await writer.run(ask)
        for item, ttl in enumerate((None, None, 1)):
            text = f"fact {item} of workspace {number}"
            await acting.remember(writer, text, author, home=f"/w/{number}", entity="a", valid_until=ttl)
        await writer.run(lambda txn: txn.note_expired())
        await store.evidence.note_recall(
            viewer_workspace=f"/w/{number}", agent_key="", session_id=f"s-{number}", track=None, scope=None,
            text=None, entry_ids=[made.entries[0].id], stamp=acting.stamp(), wait_ms=5000,
        )  # fmt: skip


def operations(acting: ModuleType, entry_id: str, seq: int) -> dict[str, Callable[[apsw.Connection], Any]]:
    """Reads, each as a handler makes it."""
    return {
        "query, one hit": lambda db: reads.query(db, ME, text="text 7 in", limit=20),
        "query, many hits": lambda db: reads.query(db, ME, text="common", limit=20),
        "query, no hit": lambda db: reads.query(db, ME, text="nothing like it", limit=20),
        "query with tags": lambda db: reads.query(db, ME, tags=("x",), limit=20),
        "entry": lambda db: reads.visible_entry(db, ME, entry_id),
        "short id": lambda db: reads.entry_ids(db, ME, entry_id[:8]),
        "short id of a proposal": lambda db: reads.proposal_ids(db, ME, entry_id[:8]),
        "list": lambda db: reads.list_page(db, ME, limit=10),
        "list of all": lambda db: reads.list_page(db, Viewer(workspaces=None, agent_key=None), limit=10),
        "budgets": lambda db: reads.usage(db, "/w/1"),
        "snapshot": lambda db: reads.snapshot_entries(db, ME),
        "frozen": lambda db: reads.frozen_snapshot(db, "/w/1", "", "s-1"),
        "audit": lambda db: reads.audit(db, ME, limit=20),
        "audit of all": lambda db: reads.audit(db, Viewer(workspaces=None, agent_key=None), limit=20),
        "audit of an entry": lambda db: reads.audit(db, ME, limit=20, entry_id=entry_id),
        "audit of a session": lambda db: reads.audit(db, ME, limit=20, session_id="s-1"),
        "audit of an action": lambda db: reads.audit(db, ME, limit=20, action="seed"),
        "history": lambda db: reads.history(db, reads.Subject(id=entry_id)),
        "why": lambda db: reads.why(db, reads.Subject(id=entry_id)),
        "ever seen": lambda db: reads.ever_seen(db, ME, "unknown"),
        "proposals": lambda db: reads.proposals(db, ME, ProposalStatus.PENDING, 20, 0),
        "proposals of any state": lambda db: reads.proposals(db, ME, None, 20, 0),
        "pending": lambda db: reads.pending_count(db, frozenset({"/w/1"}), 0),
        "facts that say the same": lambda db: facts.fact_twins(db, "/w/1", "fact 1 of workspace 1", 2),
        "next fact": facts.next_fact_id,
        "history of a fact": lambda db: reads.history(db, reads.Subject(id="4")),
        "feed": lambda db: feed.changes_since(db, feed.head(db) - 3, 10),
    }


def writes(acting: ModuleType, seq: int) -> dict[str, Callable[[Transaction], Any]]:
    """What a gate does in a transaction."""

    def change(change: Any) -> Callable[[Transaction], Any]:
        return lambda txn: acting.commit(txn, change, AUTHOR)

    def propose(txn: Transaction) -> None:
        stored = acting.wish(txn, "another wish", AUTHOR, layer=HERE)
        txn.propose(stored)
        txn.pending_like(stored.change, AUTHOR, stored.hash)
        txn.pending_counts("s-1", "/w/1")
        txn.close(stored.id, status=ProposalStatus.DISMISSED, outcome="rejected", by=None)

    return {
        "add": change(Add(draft=acting.draft("a new entry", HERE))),
        "replace": change(
            Replace(layer=HERE, target=ByMatch("text 7 in"), text="text 7 in new", tags=None, source="s")
        ),
        "remove": change(Remove(layer=HERE, target=ByMatch("a new entry"))),
        "remember": change(
            Remember(draft=acting.fact_draft("a new fact", home="/w/1"), supersedes=4, world_only=False)
        ),
        "forget": change(Forget(id=5, reason=None, world_only=False)),
        "note what ran out": lambda txn: txn.note_expired(),
        "propose and close": propose,
        "change of": lambda txn: txn.change_of(seq),
        "due": lambda txn: txn.due(),
        "waited for": lambda txn: txn.waited_for(),
    }


async def measured(acting: ModuleType, folder: Any, workspaces: int) -> dict[str, int]:
    """SQLite's steps of each operation on a store of this size."""
    store = await acting.open_at(folder)
    await fill(acting, store, workspaces)
    row = await store.reading.run(
        lambda db: db.execute("SELECT entry_id, seq FROM ledger WHERE seq = 30").fetchone()
    )
    steps: list[int] = []

    def count(event: dict[str, Any]) -> None:
        # The search index keeps itself in segments, merged now and then.
        if "'main'." not in event["sql"]:
            steps.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    def counted(db: apsw.Connection, work: Callable[[], Any]) -> int:
        db.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)
        steps.clear()
        work()
        db.trace_v2(0)
        return sum(steps)

    found = {}
    for name, read in operations(acting, *row).items():
        found[name] = await store.reading.run(lambda db, r=read: counted(db, lambda: r(db)))
    for name, write in writes(acting, row[1]).items():
        found[name] = await Writer(store).run(lambda txn, w=write: counted(txn._db, lambda: w(txn)))
    recall = {"ids": f'["{row[0]}"]', "now_ms": 1}
    found["recall"] = await store._evidence_lane.write(
        lambda db: counted(db, lambda: db.execute(evidence._COUNT_RECALL, recall).fetchall())
    )
    await store.close()
    return found


def test_operations_take_as_many_steps_in_a_large_store(
    acting: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Thirty times the entries, spread over workspaces: no operation takes twice the steps."""
    small = asyncio.run(measured(acting, tmp_path_factory.mktemp("small"), SMALL))
    large = asyncio.run(measured(acting, tmp_path_factory.mktemp("large"), LARGE))
    grown = {name: (small[name], large[name]) for name in small if large[name] > 1.5 * small[name] + 20}
    assert {} == grown
    assert all(small.values())
