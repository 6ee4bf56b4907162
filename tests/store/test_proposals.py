"""Proposals: stored whole, changed only as a wish may change, decided once."""

from types import ModuleType
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.core.model.entry import Layer
from keepgate.core.model.viewer import Author, Viewer
from keepgate.core.writing.change import (
    Add,
    ById,
    ByMatch,
    Change,
    Consolidate,
    Draft,
    Remove,
    Replace,
    Seed,
    Undo,
)
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store import reads, writing
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.rows import change_of, written_change


async def propose(acting: ModuleType, writer: Writer, text: str, *args: Any, **more: Any) -> StoredProposal:
    """Store a wish."""

    def work(txn: Transaction) -> StoredProposal:
        stored: StoredProposal = acting.wish(txn, text, *args, **more)
        txn.propose(stored)
        return stored

    return await writer.run(work)


LAYERS = st.builds(Layer, st.sampled_from(Track), st.sampled_from(Scope), st.text(max_size=5))
TAGS = st.lists(st.text(max_size=5), max_size=3).map(tuple)
DRAFTS = st.builds(
    Draft,
    layer=LAYERS,
    agent_key=st.text(max_size=3),
    text=st.text(max_size=9),
    tags=TAGS,
    source=st.just("s"),
)
TARGETS = st.builds(ByMatch, st.text(max_size=5)) | st.builds(
    ById, st.text(max_size=5), st.none() | st.integers(1, 9)
)
CHANGES = st.one_of(
    st.builds(Add, draft=DRAFTS),
    st.builds(
        Replace,
        layer=LAYERS,
        target=TARGETS,
        text=st.text(max_size=9),
        tags=st.none() | TAGS,
        source=st.just("s"),
    ),
    st.builds(Remove, layer=LAYERS, target=TARGETS),
    st.builds(
        Consolidate,
        layer=LAYERS,
        targets=st.lists(TARGETS, max_size=3).map(tuple),
        text=st.text(max_size=9),
        tags=TAGS,
        source=st.just("s"),
        agent_key=st.none() | st.text(max_size=3),
    ),
    st.builds(Seed, drafts=st.lists(DRAFTS, max_size=3).map(tuple)),
    st.builds(Undo, seq=st.integers(1, 2**40), source=st.just("s")),
)


@given(CHANGES)
@settings(deadline=None)
def test_every_change_is_written_down_whole(change: Change) -> None:
    """What is read back equals what was wished, for every kind of change and target."""
    assert change == change_of(written_change(change))


async def test_a_proposal_is_read_as_it_was_stored(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Inside the transaction and outside it."""
    stored = await propose(acting, writer, "wished", waiter="token")
    assert stored == await writer.run(lambda txn: txn.proposal(stored.id))
    assert stored == await store.reading.run(reads.proposal, stored.id)
    assert await store.reading.run(reads.proposal, "unknown") is None


async def test_a_question_is_put_anew(acting: ModuleType, writer: Writer) -> None:
    """Hash and text change, the wish does not."""
    stored = await propose(acting, writer, "wished")
    again = await writer.run(lambda txn: txn.reask(stored.id, hash="h2", text="t2"))
    assert ("h2", "t2", stored.change) == (again.hash, again.text, again.change)


async def test_a_waiter_comes_and_goes(acting: ModuleType, writer: Writer) -> None:
    """Only a wish that somebody waits for is listed as such; it stays the newest caller's."""
    stored = await propose(acting, writer, "wished")
    idle = await writer.run(lambda txn: txn.waited_for())
    attached = await writer.run(
        lambda txn: txn.attach(stored.id, waiter="token", session_id="session-9", asked_by={"client": "b"})
    )
    waiting = await writer.run(lambda txn: txn.waited_for())
    released = await writer.run(lambda txn: txn.release(stored.id))
    assert (None, "token", None) == (stored.waiter, attached.waiter, released.waiter)
    assert ("session-9", {"client": "b"}) == (released.author.session_id, released.asked_by)
    assert ([], [attached]) == (idle, waiting)


async def test_a_decision_closes_a_proposal(acting: ModuleType, store: Store, writer: Writer) -> None:
    """With outcome, time and decider; nobody waits any more."""
    stored = await propose(acting, writer, "wished", waiter="token")
    by = {"client": "c", "channel": "lsp"}
    closed = await writer.run(
        lambda txn: txn.close(stored.id, status=ProposalStatus.DISMISSED, outcome="rejected", by=by)
    )
    assert closed.decided_at is not None
    assert closed.created_at <= closed.decided_at
    assert (ProposalStatus.DISMISSED, "rejected", by, None) == (
        closed.status,
        closed.outcome,
        closed.decided_by,
        closed.waiter,
    )
    assert closed == await store.reading.run(reads.proposal, stored.id)


@pytest.mark.parametrize(
    "late",
    [
        lambda txn, found: txn.close(found, status=ProposalStatus.APPROVED, outcome="allowed-once", by=None),
        lambda txn, found: txn.reask(found, hash="h", text="t"),
        lambda txn, found: txn.attach(found, waiter="token", session_id="s", asked_by={}),
        lambda txn, found: txn.release(found),
    ],
    ids=["close", "reask", "attach", "release"],
)
async def test_a_decided_or_unknown_proposal_takes_nothing_more(
    acting: ModuleType, writer: Writer, late: Any
) -> None:
    """``PROPOSAL_NOT_FOUND`` for the second of two decisions, whatever it is."""
    stored = await propose(acting, writer, "wished")
    await writer.run(lambda txn: txn.close(stored.id, status=ProposalStatus.EXPIRED, outcome=None, by=None))
    for proposal_id in (stored.id, "unknown"):
        with pytest.raises(Fault) as raised:
            await writer.run(lambda txn, p=proposal_id: late(txn, p))
        assert (Code.PROPOSAL_NOT_FOUND, {"id": proposal_id}) == (raised.value.code, raised.value.details)


async def test_a_like_wish_is_found_while_it_waits(acting: ModuleType, writer: Writer) -> None:
    """Same change, workspace, agent and content; one that nobody waits for is preferred."""
    taken = await propose(acting, writer, "wished", waiter="token")
    free = await propose(acting, writer, "wished")

    other = Add(draft=acting.draft("wished", tags=("t",)))

    def look(
        txn: Transaction, change: Change = free.change, hash_: str = free.hash, **keys: str
    ) -> str | None:
        found = txn.pending_like(change, evolve(acting.ME, **keys), hash_)
        return found and found.id

    assert free.id == await writer.run(look)
    await writer.run(lambda txn: txn.close(free.id, status=ProposalStatus.DISMISSED, outcome=None, by=None))
    assert taken.id == await writer.run(look)
    for keys in ({"workspace_key": "/other"}, {"agent_key": "coder"}, {"hash_": "other"}, {"change": other}):
        assert await writer.run(lambda txn, k=keys: look(txn, **k)) is None


async def test_what_waits_is_counted_per_session_and_workspace(acting: ModuleType, writer: Writer) -> None:
    """Decided ones do not count."""
    other = Author(session_id="session-2", agent_key="", workspace_key="/work")
    await propose(acting, writer, "one")
    await propose(acting, writer, "two", other)
    closed = await propose(acting, writer, "three")
    await writer.run(lambda txn: txn.close(closed.id, status=ProposalStatus.DISMISSED, outcome=None, by=None))
    assert (1, 2) == await writer.run(lambda txn: txn.pending_counts("session-1", "/work"))
    assert (0, 0) == await writer.run(lambda txn: txn.pending_counts("session-3", "/other"))


async def test_what_is_due_has_waited_too_long(acting: ModuleType, writer: Writer) -> None:
    """At its moment, not before it."""
    stored = await propose(acting, writer, "wished", expires_at=1000)
    await propose(acting, writer, "later", expires_at=2**53)
    assert [] == await writer.run(lambda txn: writing.due(txn._db, 999))
    assert [stored] == await writer.run(lambda txn: writing.due(txn._db, 1000))
    assert [stored] == await writer.run(lambda txn: txn.due())


async def test_a_list_shows_the_newest_in_view_oldest_first(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """A proposal belongs to its author's workspace and agent; one without a workspace is everybody's."""
    nowhere = Author(session_id="s", agent_key="", workspace_key="")
    coder = Author(session_id="s", agent_key="coder", workspace_key="/work")
    other = Author(session_id="s", agent_key="", workspace_key="/other")
    await propose(acting, writer, "one")
    await propose(acting, writer, "two", nowhere, layer=acting.EVERYWHERE)
    closed = await propose(acting, writer, "three", coder)
    await propose(acting, writer, "four", other)
    await writer.run(lambda txn: txn.close(closed.id, status=ProposalStatus.DISMISSED, outcome=None, by=None))

    async def listed(
        keys: set[str] | None,
        agent: str | None,
        status: ProposalStatus | None = None,
        limit: int = 9,
        now_ms: int = 0,
    ) -> list[str]:
        viewer = Viewer(workspaces=None if keys is None else frozenset(keys), agent_key=agent)
        return [item.text for item in await store.reading.run(reads.proposals, viewer, status, limit, now_ms)]

    assert ["one", "two", "three", "four"] == await listed(None, None)
    assert ["one", "two", "three"] == await listed({"/work"}, None)
    assert ["one", "two"] == await listed({"/work"}, "")
    assert ["two", "three"] == await listed({"/work"}, "coder", limit=2)
    assert ["one", "two"] == await listed({"/work"}, None, ProposalStatus.PENDING)
    assert ["two"] == await listed(set(), None)
    assert 3 == await store.reading.run(reads.pending_count, None, 0)
    assert 2 == await store.reading.run(reads.pending_count, frozenset({"/work"}), 0)
