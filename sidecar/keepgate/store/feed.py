"""The change feed: what any process committed, told in order to those who watch."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import apsw
import attrs
from attrs import frozen

from keepgate.protocol.errors import Fault
from keepgate.store.open import Store
from keepgate.store.watching import Watch, start_watch

BATCH: Final = 500

_log: Final = logging.getLogger(__name__)

PAUSE_S: Final = 0.01
POLL_S: Final = 1.0
RECHECKS_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""After the log was written: when to look for its commit, which a slow disk may hold back for seconds."""


@frozen(kw_only=True)
class FeedEvent:
    """One change.

    ``kind`` names the notification that it becomes, such as ``memory/added``, or is ``restored`` when the
    whole store was put back; ``origin`` names the open store that made it; ``status`` is a proposal's.
    """

    seq: int
    ts: int
    origin: str
    kind: str
    ledger_seq: int | None
    entry_id: str | None
    proposal_id: str | None
    workspace_key: str | None
    agent_key: str | None
    track: str | None
    scope: str | None
    session_id: str | None
    status: str | None


_SINCE: Final = (
    f"SELECT {', '.join(item.name for item in attrs.fields(FeedEvent))} "  # noqa: S608 - names of our own fields
    "FROM feed WHERE seq > ? ORDER BY seq LIMIT ?"
)
# Also right when everything was pruned: the sequence goes on.
_HEAD: Final = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'feed'), 0)"


def changes_since(db: apsw.Connection, seq: int, limit: int) -> list[FeedEvent]:
    """The next events after ``seq``, oldest first."""
    return [FeedEvent(**dict(zip(_NAMES, row, strict=True))) for row in db.execute(_SINCE, (seq, limit))]


def head(db: apsw.Connection) -> int:
    """The newest event's seq, 0 before the first."""
    seq: int = db.execute(_HEAD).get
    return seq


_NAMES: Final = tuple(item.name for item in attrs.fields(FeedEvent))


class FeedWatcher:
    """Hands every event after the one it starts at to ``on_events``, in order, each exactly once.

    Own commits wake it directly; other processes' through a watch on the folder of the store's log, or, where
    that cannot be had, by looking every second. ``on_events`` runs in the event loop.
    """

    def __init__(self, store: Store, on_events: Callable[[Sequence[FeedEvent]], None]) -> None:
        self._store: Final = store
        self._on_events = on_events
        self._woken = asyncio.Event()
        self._seq = 0
        self._task: asyncio.Task[None] | None = None
        self._watch: Watch | None = None
        self._rechecks: list[float] = []

    async def start(self, *, after: int) -> None:
        """Begin with the event that follows this seq, such as the :func:`head`. Raises the store's faults."""
        self._store.on_commit.append(self._woken.set)
        self._watch = await start_watch(self._store, self._noticed)
        self._seq = after
        self._woken.set()
        self._task = asyncio.create_task(self._deliver_for_ever())

    async def close(self) -> None:
        """Stop; may be called twice."""
        if self._woken.set in self._store.on_commit:
            self._store.on_commit.remove(self._woken.set)
        if self._watch is not None:
            watch, self._watch = self._watch, None
            watch.stop()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    def _noticed(self) -> None:
        self._rechecks = list(RECHECKS_S)
        self._woken.set()

    async def _deliver_for_ever(self) -> None:
        while True:
            await self._wait()
            self._woken.clear()
            try:
                await self._deliver()
            except (Fault, apsw.Error) as error:
                # A store that cannot be read now is read after the next commit.
                _log.debug("the feed was not read: %s", error)
            # A burst of commits is read in a few batches, not one by one.
            await asyncio.sleep(PAUSE_S)

    async def _wait(self) -> None:
        if self._watch is None:
            pause: float | None = POLL_S
        else:
            # The log is written a moment before its commit can be seen, and nothing tells of that moment.
            pause = self._rechecks.pop(0) if self._rechecks else None
        # Not wait_for: before Python 3.12 it swallows a cancelling that comes together with the wake-up.
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._woken.wait()

    async def _deliver(self) -> None:
        while events := await self._store.reading.run(changes_since, self._seq, BATCH, instant=True):
            self._seq = events[-1].seq
            try:
                self._on_events(events)
            except Exception:  # noqa: BLE001 - whatever it is
                # One listener's mistake must not leave the process deaf to all later commits.
                _log.exception("a listener failed on events %d to %d", events[0].seq, events[-1].seq)
