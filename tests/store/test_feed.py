"""The change feed: every commit of every process, in order, once."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.protocol.proposals import ProposalStatus
from keepgate.store import derived, feed, watching
from keepgate.store.feed import FeedEvent, FeedWatcher, changes_since, head
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store


class Ear:
    """Hears events and lets a test wait for so many of them."""

    def __init__(self) -> None:
        self.events: list[FeedEvent] = []
        self._more = asyncio.Event()

    def __call__(self, events: Sequence[FeedEvent]) -> None:
        self.events.extend(events)
        self._more.set()

    async def heard(self, count: int) -> list[FeedEvent]:
        """The first ``count`` events."""

        async def enough() -> None:
            while len(self.events) < count:
                self._more.clear()
                await self._more.wait()

        await asyncio.wait_for(enough(), 20)
        return self.events[:count]


@pytest.fixture
async def ear(store: Store) -> AsyncIterator[Ear]:
    """An ear at a started watcher."""
    ear = Ear()
    watcher = FeedWatcher(store, ear)
    await watcher.start(after=await store.reading.run(head))
    yield ear
    await watcher.close()


async def test_every_kind_of_change_is_told(
    acting: ModuleType, store: Store, writer: Writer, ear: Ear
) -> None:
    """Entries, proposals, recalls and snapshots, each with what its notification says (section 6)."""
    entry = await acting.add(writer, "one")
    await acting.replace(writer, "one", "one more")
    await acting.remove(writer, "one more")

    def wish(txn: Transaction) -> str:
        stored = acting.wish(txn, "wished")
        txn.propose(stored)
        return str(stored.id)

    proposal_id = await writer.run(wish)
    await writer.run(
        lambda txn: txn.close(proposal_id, status=ProposalStatus.DISMISSED, outcome="rejected", by=None)
    )
    await store.evidence.note_recall(
        viewer_workspace="/work", agent_key="", session_id="s-2", track=None, scope=None, text=None,
        entry_ids=[], stamp=acting.stamp(),
    )  # fmt: skip
    await store.evidence.freeze_snapshot(
        workspace_key="/work", agent_key="", session_id="s-2", text="", entries=0, stamp=acting.stamp()
    )
    events = await ear.heard(7)
    assert [
        ("memory/added", 1, entry.id, None, "session-1", None),
        ("memory/updated", 2, entry.id, None, "session-1", None),
        ("memory/removed", 3, entry.id, None, "session-1", None),
        ("proposals/didChange", None, None, proposal_id, "session-1", "pending"),
        ("proposals/didChange", None, None, proposal_id, "session-1", "dismissed"),
        ("memory/recalled", 4, None, None, "s-2", None),
        ("memory/snapshot", 5, None, None, "s-2", None),
    ] == [(e.kind, e.ledger_seq, e.entry_id, e.proposal_id, e.session_id, e.status) for e in events]
    assert {store.origin} == {event.origin for event in events}
    assert {"/work"} == {event.workspace_key for event in events}
    assert [1, 2, 3, 4, 5, 6, 7] == [event.seq for event in events]
    assert ("user", "workspace") == (events[0].track, events[0].scope)


async def test_only_what_happens_after_the_start_is_told(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """A watcher begins at the feed's head."""
    await acting.add(writer, "before")
    ear = Ear()
    watcher = FeedWatcher(store, ear)
    await watcher.start(after=await store.reading.run(head))
    await acting.add(writer, "after")
    (event,) = await ear.heard(1)
    await watcher.close()
    await watcher.close()
    assert 2 == event.seq


async def test_a_batch_larger_than_one_reading_is_told_whole(
    acting: ModuleType, writer: Writer, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order, each once."""
    monkeypatch.setattr(feed, "BATCH", 10)
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(35)])
    assert list(range(1, 36)) == [event.seq for event in await ear.heard(35)]


async def test_a_listener_that_fails_hears_what_comes_next(
    acting: ModuleType, store: Store, writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    """Its mistake is logged; the process does not go deaf."""
    ear = Ear()

    def fails_once(events: Sequence[FeedEvent]) -> None:
        ear(events)
        if len(ear.events) == 1:
            raise KeyError("its own")

    watcher = FeedWatcher(store, fails_once)
    await watcher.start(after=await store.reading.run(head))
    await acting.add(writer, "one")
    await ear.heard(1)
    await acting.add(writer, "two")
    events = await ear.heard(2)
    await watcher.close()
    assert [1, 2] == [event.seq for event in events]
    assert ["a listener failed on events 1 to 1"] == [record.message for record in caplog.records]


async def test_a_store_that_cannot_be_read_for_a_moment_is_read_later(
    acting: ModuleType, store: Store, writer: Writer, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost by it."""
    tries: list[int] = []

    def sometimes(db: apsw.Connection, seq: int, limit: int) -> list[FeedEvent]:
        tries.append(seq)
        if len(tries) == 1:
            raise apsw.IOError("a moment")
        if len(tries) == 2:
            raise apsw.CorruptError("another moment")
        return changes_since(db, seq, limit)

    monkeypatch.setattr(feed, "changes_since", sometimes)
    await acting.add(writer, "one")
    await acting.add(writer, "two")
    assert [1, 2] == [event.seq for event in await ear.heard(2)]


async def test_another_processes_commits_are_told(
    acting: ModuleType, store: Store, ear: Ear, actor: Callable[..., Any]
) -> None:
    """In their order, among our own, each exactly once."""
    other = actor("write", "20", "theirs")
    assert "ready" == await asyncio.to_thread(other.line)
    writer = Writer(store)
    for number in range(20):
        await acting.add(writer, f"ours {number}")
    said = await asyncio.to_thread(other.rest)
    events = await ear.heard(40)
    assert list(range(1, 41)) == [event.seq for event in events]
    ours = [event.entry_id for event in events if event.origin == store.origin]
    theirs = [event.entry_id for event in events if event.origin != store.origin]
    assert (20, [line.split()[1] for line in said]) == (len(ours), theirs)


async def test_our_commits_reach_another_process(
    acting: ModuleType, writer: Writer, actor: Callable[..., Any]
) -> None:
    """It hears the same events in the same order."""
    other = actor("watch", "5")
    assert "watching" == await asyncio.to_thread(other.line)
    entries = [await acting.add(writer, f"n{number}") for number in range(5)]
    said = await asyncio.to_thread(other.rest)
    assert [f"{number + 1} memory/added {entry.id}" for number, entry in enumerate(entries)] == said


async def test_without_a_watch_the_feed_is_looked_at_every_second(
    acting: ModuleType,
    store: Store,
    actor: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A system without free watches costs latency, not events."""

    def none_left(*_: Any) -> watching.Watch:
        raise OSError(28, "no space left for watches")

    monkeypatch.setattr(watching, "_observe", none_left)
    ear = Ear()
    watcher = FeedWatcher(store, ear)
    with caplog.at_level(logging.INFO, logger="keepgate"):
        await watcher.start(after=await store.reading.run(head))
    other = actor("write", "2", "theirs")
    events = await ear.heard(2)
    await asyncio.to_thread(other.rest)
    await watcher.close()
    assert [1, 2] == [event.seq for event in events]
    assert "looked for every second" in caplog.text


async def test_a_store_without_a_log_is_looked_at_every_second(store: Store) -> None:
    """Network file systems tell nobody."""
    store.journal_mode = "delete"
    assert await watching.start_watch(store, lambda: None) is None


async def test_a_commit_that_shows_after_its_notice_is_told(
    acting: ModuleType, store: Store, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is written before its commit can be read, on a slow disk long before: it is looked at again."""
    notice: list[Callable[[], None]] = []

    class Observer:
        def stop(self) -> None:
            """Nothing runs."""

        join = stop

    async def only_this_once(_: Store, noticed: Callable[[], None]) -> watching.Watch:
        notice.append(noticed)
        return watching.Watch(noticed, Observer())

    monkeypatch.setattr(feed, "start_watch", only_this_once)
    ear = Ear()
    watcher = FeedWatcher(store, ear)
    await watcher.start(after=await store.reading.run(head))
    store.on_commit.clear()
    notice[0]()
    await asyncio.sleep(0.1)
    await acting.add(writer, "shows late")
    assert ["memory/added"] == [event.kind for event in await ear.heard(1)]
    await watcher.close()


async def test_an_idle_watcher_does_not_run(
    acting: ModuleType, store: Store, writer: Writer, ear: Ear
) -> None:
    """Once all is told and looked at again, it waits without a timer."""
    watcher = FeedWatcher(store, lambda _: None)
    await watcher.start(after=await store.reading.run(head))
    # Its first look, for what was committed before it listened.
    await asyncio.sleep(0)
    while watcher._woken.is_set() or _timers(store):  # noqa: ASYNC110 - the end of a nap sets no event
        await asyncio.sleep(0)
    watcher._rechecks = []
    waiting = asyncio.create_task(watcher._wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert [] == _timers(store)
    waiting.cancel()
    await watcher.close()


def _timers(store: Store) -> list[asyncio.TimerHandle]:
    scheduled: list[asyncio.TimerHandle] = getattr(store.loop, "_scheduled", [])
    return [handle for handle in scheduled if not handle.cancelled()]


async def test_a_watch_says_nothing_after_its_loop_is_gone(store: Store) -> None:
    """A late notice of the system is dropped."""
    heard: list[int] = []
    watch = await watching.start_watch(store, lambda: heard.append(1))
    assert watch is not None
    closed = asyncio.new_event_loop()
    closed.close()
    store.loop, running = closed, store.loop
    watch.tell()
    store.loop = running
    watch.stop()
    assert [] == heard


async def test_the_head_survives_pruning(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Old events go after seven days; the sequence goes on."""
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(450)])
    later = acting.stamp().now_ms + derived.FEED_KEPT_MS + 1000
    await store.derived.run(lambda db: derived.prune_feed(store.derived, db, later))
    assert 450 == await store.reading.run(head)
    assert [] == await store.reading.run(changes_since, 0, 10)
    await acting.add(writer, "one more")
    assert [451] == [event.seq for event in await store.reading.run(changes_since, 0, 10)]


async def test_fresh_events_stay(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Pruning takes what is old and leaves the rest."""
    await acting.add(writer, "old")
    await asyncio.sleep(0.01)
    border = acting.stamp().now_ms
    await asyncio.sleep(0.01)
    await acting.add(writer, "new")
    await store.derived.run(lambda db: derived.prune_feed(store.derived, db, border + derived.FEED_KEPT_MS))
    assert [2] == [event.seq for event in await store.reading.run(changes_since, 0, 10)]


async def test_a_watcher_that_is_closed_as_a_commit_comes_ends(store: Store, ear: Ear) -> None:
    """A wake-up in the very tick of the cancelling must not swallow it: closing would wait for ever."""
    watcher = FeedWatcher(store, ear)
    await watcher.start(after=await store.reading.run(head))
    watcher._rechecks = [30.0]
    await asyncio.sleep(0.05)  # The log was written, and the commit is looked for.
    watcher._noticed()

    closing = asyncio.create_task(watcher.close())
    ended, _ = await asyncio.wait({closing}, timeout=90)

    assert {closing} == ended


async def test_a_watcher_can_begin_after_a_known_event(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """What was committed between that event and the start is told at once, without another commit."""
    for number in range(3):
        await acting.add(writer, f"n{number}")
    ear = Ear()
    watcher = FeedWatcher(store, ear)
    await watcher.start(after=1)
    events = await ear.heard(2)
    await watcher.close()
    assert [2, 3] == [event.seq for event in events]
