"""Opening a store: one file, its lanes, and what lives beside it."""

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import apsw
from attrs import define, field

from keepgate.core.model.stamp import Stamp
from keepgate.core.reading.analyse import VERSION as ANALYSIS_VERSION
from keepgate.protocol.errors import Fault
from keepgate.store import derived
from keepgate.store.anchor import advance_anchor, anchors_folder
from keepgate.store.clean import note_clean, presence_folder
from keepgate.store.cursors import Cursors
from keepgate.store.doors import derived_door, evidence_door, reading_door
from keepgate.store.evidence import Evidence
from keepgate.store.filesystem import file_system_of
from keepgate.store.keyring import Key, load_key
from keepgate.store.lane import Connect, Lane
from keepgate.store.opening import Opening
from keepgate.store.presence import Presence
from keepgate.store.reach import Reach
from keepgate.store.reads import Reads

_log: Final = logging.getLogger(__name__)

ANCHOR_DELAY_S: Final = 0.5
"""The anchor follows a commit within a second."""

FORGET_PAUSE_S: Final = 0.02
"""Between two steps of forgetting, so that writes and reads of this lane come in between."""

FORGET_LAST_S: Final = 0.3
"""How long closing may take to forget what was removed: a process has to be gone soon after its end."""

PRUNE_EVERY_MS: Final = 3600 * 1000


@define(eq=False, kw_only=True)
class Store:
    """An open store. :meth:`close` it; until then it holds threads, connections and a presence lock.

    ``origin`` names this open of it in the feed; ``on_commit`` holds what is called, in the event loop, after
    each of its commits.
    """

    path: str
    state_folder: str
    id: str
    version: int
    file_system: str
    journal_mode: str
    read_only: bool
    origin: str
    stamp_maker: Callable[[], Stamp]
    loop: asyncio.AbstractEventLoop
    canonical: Lane
    derived: Lane
    reading: Reads
    presence: Presence
    reach: Reach = field(init=False)
    connect_reading: Connect
    _evidence_lane: Lane
    evidence: Evidence = field(init=False)
    cursors: Cursors = field(init=False)
    on_commit: list[Callable[[], None]] = field(factory=list)
    _key: Key | None = None
    _anchoring: asyncio.TimerHandle | None = None
    _pruned_ms: int = 0
    _closed: bool = False

    def __attrs_post_init__(self) -> None:
        self.evidence = Evidence(self._evidence_lane, self.key, self.origin, self.announce)
        self.cursors = Cursors(self.derived)
        self.reach = Reach(self.id, self.state_folder, self.presence)

    @property
    def wal(self) -> bool:
        """Whether writers and readers never hold one another up."""
        return self.journal_mode == "wal"

    @property
    def anchors(self) -> str:
        """The folder of anchors."""
        return anchors_folder(self.state_folder)

    def key(self) -> Key:
        """The installation's sealing key, made on first use. Raises ``STORE_READ_ONLY``."""
        if self._key is None:
            self._key = load_key(self.state_folder)
        return self._key

    def announce(self) -> None:
        """Have :attr:`on_commit` called in the event loop. For lane threads, after a commit."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._committed)

    async def round_trip_ms(self) -> float:
        """How long a write transaction takes that stores nothing. Raises the faults that a write would."""
        begun = time.perf_counter()
        with suppress(_Undone):
            await self.derived.write(_try_to_write)
        return (time.perf_counter() - begun) * 1000

    async def close(self) -> None:
        """Stop the lanes, move the anchor to the head, let presence go. May be called twice."""
        if self._closed:
            return
        self._closed = True
        if self._anchoring is not None:
            self._anchoring.cancel()
        for lane in (self.canonical, self._evidence_lane, self.derived):
            lane.hurry()
        await self._evidence_lane.close()
        await self.canonical.close()
        if not self.read_only:
            with suppress(Fault, apsw.Error):
                await self.derived.run(self._leave_in_order)
        await self.derived.close()
        await self.reading.close()
        if not self.read_only:
            note_clean(self.state_folder, self.path)
        self.reach.enter(None)
        self.presence.release()

    def renew_index(self, analysis: str) -> None:
        """Have the search index made anew in the background where another version of ``analysis`` made it."""
        if analysis != str(ANALYSIS_VERSION) and not self.read_only:
            renewing = self.derived.submit(lambda db: derived.renew_index(self.derived, db))
            renewing.add_done_callback(_note_failure)

    def _committed(self) -> None:
        for tell in tuple(self.on_commit):
            tell()
        if self._anchoring is None and not self._closed:
            self._anchoring = self.loop.call_later(ANCHOR_DELAY_S, self._begin_housekeeping)

    def _begin_housekeeping(self) -> None:
        self._anchoring = None
        self.derived.submit(self._keep_house).add_done_callback(self._kept_house)

    def _kept_house(self, future: "asyncio.Future[bool]") -> None:
        _note_failure(future)
        failed = future.cancelled() or future.exception() is not None
        if not failed and future.result() and self._anchoring is None and not self._closed:
            self._anchoring = self.loop.call_later(FORGET_PAUSE_S, self._begin_housekeeping)

    def _leave_in_order(self, db: apsw.Connection) -> None:
        advance_anchor(db, self.anchors)
        derived.forget_for(self.derived, db, FORGET_LAST_S)

    def _keep_house(self, db: apsw.Connection) -> bool:
        """Whether there is more to do."""
        advance_anchor(db, self.anchors)
        now_ms = self.stamp_maker().now_ms
        if now_ms - self._pruned_ms > PRUNE_EVERY_MS:
            derived.prune_feed(self.derived, db, now_ms)
            self._pruned_ms = now_ms
        return derived.forget_step(self.derived, db)


async def open_store(
    path: str, *, state_folder: str, stamp_maker: Callable[[], Stamp], read_only: bool = False
) -> Store:
    """Open the store at an absolute path, made where there is none; ``state_folder`` holds key and anchors.

    Raises ``STORE_CORRUPT``, ``STORE_UNSUPPORTED_VERSION``, ``STORE_BUSY``, ``STORE_READ_ONLY`` and
    ``STORE_FULL``; a file that cannot be used is left as it is. One that cannot be written opens for reads.
    """
    opening = Opening(
        path=path,
        state_folder=state_folder,
        where=file_system_of(str(Path(path).parent)),
        read_only=read_only,
    )
    writing = threading.Lock()
    canonical = Lane("canonical", path, opening.reach, writing=writing)
    try:
        facts = await canonical.run(lambda db: opening.settle(db, stamp_maker()))
        presence = await canonical.run(lambda _: Presence(presence_folder(state_folder)))
    except BaseException:
        await canonical.close()
        raise
    access, wal = opening.reached, facts.journal_mode == "wal"
    read = opening.through(reading_door, wal=wal)
    store = Store(
        path=path,
        state_folder=state_folder,
        id=facts.store_id,
        version=facts.version,
        file_system=str(opening.where),
        journal_mode=facts.journal_mode,
        read_only=access.read_only,
        origin=secrets.token_hex(8),
        stamp_maker=stamp_maker,
        loop=asyncio.get_running_loop(),
        canonical=canonical,
        derived=Lane("derived", path, opening.through(derived_door, wal=wal), writing=writing),
        reading=Reads(path, read, inline=wal or access.immutable),
        presence=presence,
        connect_reading=read,
        evidence_lane=Lane("evidence", path, opening.through(evidence_door, wal=wal), writing=writing),
    )
    store.renew_index(facts.analysis)
    return store


class _Undone(Exception):
    """Ends a transaction that was only tried."""


def _try_to_write(db: apsw.Connection) -> None:
    db.execute(derived.TOUCH)
    raise _Undone


def _note_failure(future: "asyncio.Future[Any]") -> None:
    # Housekeeping is owed to nobody: it is tried again after the next commit.
    error = None if future.cancelled() else future.exception()
    if error is not None:
        _log.debug("housekeeping was put off: %s", error)
