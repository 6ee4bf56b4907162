"""Questions of other processes, brought to the person who is at one of this process's windows."""

import asyncio
from functools import partial
from typing import Final

from attrs import define, field

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.gate import Gate
from keepgate.gate.relaying import relay
from keepgate.gate.routes import LOOK_S, Turns, is_for_all, is_waiting
from keepgate.protocol.errors import Fault
from keepgate.service.background import Background, errand
from keepgate.service.connection import Connection
from keepgate.store import reads
from keepgate.store.open import Store

OPEN_LOOK_S: Final = 1.0
"""How often an open question is looked at: whether anybody still waits for its answer."""


@define(kw_only=True, eq=False)
class Routing:
    """Shows each waiting question of another process when it is this process's turn.

    Only a question for which a caller waits is brought up; what merely lies in the inbox disturbs nobody.
    """

    store: Store
    gate: Gate
    connections: list[Connection]
    _background: Background = field(factory=Background)
    _following: dict[str, "asyncio.Task[None]"] = field(factory=dict)
    _begun: bool = False

    async def start(self) -> None:
        """Show questions from now on, and take up what waits already. Raises the store's faults."""
        self._begun = True
        self._enter()
        await self._look()

    def windows_changed(self) -> None:
        """Folders or connections came or went."""
        # Also before the start: a wish that comes meanwhile waits for this process, which takes it up then.
        self._enter()
        if self._begun:
            self._background.begin(self._look_again())

    def heard(self, stored: StoredProposal) -> None:
        """A proposal of another process waits."""
        if not self._begun or stored.id in self._following or self._window(stored) is None:
            return
        following = self._background.begin(self._see_to(stored.id))
        self._following[stored.id] = following
        following.add_done_callback(lambda _: self._following.pop(stored.id, None))

    async def stop(self) -> None:
        """Be reachable no longer; open questions stay pending."""
        self._begun = False
        self.store.reach.enter(None)
        await self._background.stop()

    def _enter(self) -> None:
        windows = self._windows()
        self.store.reach.enter({key for each in windows for key in each.keys} if windows else None)

    async def _look(self) -> None:
        """Take up what waits already."""
        if self._windows():
            for stored in await self.store.reading.run(reads.waited_for):
                self.heard(stored)

    async def _look_again(self) -> None:
        await errand(self._look)

    async def _see_to(self, proposal_id: str) -> None:
        await errand(partial(self._follow, proposal_id))

    async def _follow(self, proposal_id: str) -> None:
        turns: Turns | None = None
        while True:
            stored = await self.store.reading.run(reads.proposal, proposal_id)
            if stored is None or not self._is_waited_for(stored):
                return
            window = self._window(stored)
            if window is None:
                return
            turns = turns or Turns(
                self.store.reach, proposal_id, stored.homes, stored.waiter, for_all=is_for_all(stored)
            )
            if turns.is_mine():
                await self._show(proposal_id, window)
                return
            await asyncio.sleep(LOOK_S)

    async def _show(self, proposal_id: str, window: Connection) -> None:
        approver = window.asker.approver
        assert approver is not None, "a window can ask"
        reach = self.store.reach
        asking = asyncio.ensure_future(relay(self.gate, reach, proposal_id, window.asker, approver))
        try:
            while not asking.done():
                await asyncio.wait({asking}, timeout=OPEN_LOOK_S)
                if not asking.done() and await self._gives_way(proposal_id, window):
                    return
            if asking.result():
                reach.let_go(proposal_id)
            else:
                reach.decline(proposal_id)
        except Fault:
            # What cannot be shown here can be shown nowhere; it stays in the inbox, with the reason.
            reach.decline(proposal_id)
        finally:
            if not asking.done():
                reach.let_go(proposal_id)
                asking.cancel()
                await asyncio.wait({asking})

    async def _gives_way(self, proposal_id: str, window: Connection) -> bool:
        """Whether the window closes, or a question that nobody awaits stands before others."""
        if window.asker.closing:
            return True
        if not window.asker.prompts.is_crowded(proposal_id):
            return False
        stored = await self.store.reading.run(reads.proposal, proposal_id)
        return stored is None or not self._is_waited_for(stored)

    def _is_waited_for(self, stored: StoredProposal) -> bool:
        waiter = stored.waiter
        if waiter is None or waiter == self.store.presence.token or not is_waiting(stored):
            return False
        return self.store.presence.alive(waiter)

    def _windows(self) -> list[Connection]:
        return [each for each in self.connections if each.reachable and not each.asker.closing]

    def _window(self, stored: StoredProposal) -> Connection | None:
        """The window where a person can be shown a wish: of its workspaces; of what is user-global, any."""
        windows = self._windows()[::-1]
        for each in windows:
            if Viewer(workspaces=each.keys, agent_key=None).sees_keys(stored.homes, ""):
                return each
        return windows[0] if windows and is_for_all(stored) else None
