"""What a process hears of while it lives: every commit, whoever made it, and wishes that nobody waits for."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from attrs import define, field

from keepgate.gate.gate import Gate
from keepgate.pages.keeping import Pages
from keepgate.protocol.proposals import ProposalStatus
from keepgate.service import health
from keepgate.service.background import Background, errand
from keepgate.service.connection import Connection
from keepgate.service.events import PROPOSAL_KIND, RESTORED_KIND, Broadcast
from keepgate.service.routing import Routing
from keepgate.store import feed, reads
from keepgate.store.feed import FeedEvent, FeedWatcher
from keepgate.store.open import Store

SWEEP_SECONDS: Final = 3600.0
WARM_UP_LATER_S: Final = 0.5
"""How long after a start the first wish is prepared for; by then the first reads are answered."""


@define(kw_only=True, eq=False)
class Hearing:
    """Reads the store's feed for one process and passes on what it says; sweeps the inbox now and then."""

    store: Store
    gate: Gate
    pages: Pages
    broadcast: Broadcast
    connections: list[Connection]
    routing: Routing
    watcher: FeedWatcher | None = None
    _heard: int | None = None
    _starting: "asyncio.Task[None] | None" = None
    _background: Background = field(factory=Background)

    async def listen(self) -> None:
        """Have every commit from now on passed on, once :meth:`start` has begun to. Raises store faults."""
        self._heard = await self.store.reading.run(feed.head, instant=True)

    async def start(self) -> None:
        """Begin to pass on and to sweep. Raises the store's faults and may be called again then.

        A second success changes nothing; :meth:`stop_tasks` gives up a start under way.
        """
        if self._starting is None or (self._starting.done() and self.watcher is None):
            self._starting = self._background.begin(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        if self._heard is None:
            await self.listen()
        watcher = FeedWatcher(self.store, self._happened)
        try:
            await watcher.start(after=self._heard or 0)
        except BaseException:
            await watcher.close()
            raise
        self.watcher = watcher
        self.pages.start()
        await self.routing.start()
        self._background.begin(self._sweep_for_ever())
        self._background.begin(self._warm_up())

    async def stop_tasks(self) -> None:
        """End what runs in the background: sweeping, telling of what was heard, and bringing up questions."""
        await self.routing.stop()
        await self._background.stop()

    async def stop_watching(self) -> None:
        """Hear of nothing more."""
        if self.watcher is not None:
            await self.watcher.close()

    def windows_changed(self) -> None:
        """Folders or connections came or went."""
        self.routing.windows_changed()

    def _happened(self, events: Sequence[FeedEvent]) -> None:
        for event in events:
            if event.kind == RESTORED_KIND:
                self.pages.look_again()
                self._background.begin(errand(self._tell_restored))
            elif event.kind == PROPOSAL_KIND and event.proposal_id is not None:
                if event.status != ProposalStatus.PENDING:
                    self.gate.decisions.decided(event.proposal_id)
                if self.broadcast.has_to_look(event, own_origin=self.store.origin):
                    announce = partial(self._announce_elsewhere, event, event.proposal_id)
                    self._background.begin(errand(announce))
            self.broadcast.happened(event)

    async def _announce_elsewhere(self, event: FeedEvent, proposal_id: str) -> None:
        """Tell this process's connections of a question, or its end, in another process."""
        stored = await self.store.reading.run(reads.proposal, proposal_id)
        if stored is not None:
            self.broadcast.elsewhere(event, stored)
            if stored.status is ProposalStatus.PENDING and stored.waiter is not None:
                self.routing.heard(stored)

    async def _tell_restored(self) -> None:
        self.broadcast.restored(await health.glance(self.store, self.connections))

    async def _warm_up(self) -> None:
        await asyncio.sleep(WARM_UP_LATER_S)
        await errand(self.gate.warm_up)

    async def _sweep_for_ever(self) -> None:
        while True:
            # A busy or read-only store is swept next time.
            await errand(self.gate.sweep)
            await asyncio.sleep(SWEEP_SECONDS)
