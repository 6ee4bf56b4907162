"""Whose turn it is to show a question: the window that is preferred, and the next one when it is silent."""

import asyncio
import time
from collections.abc import Collection
from typing import Final

from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.approvers import Asker, NobodyThere
from keepgate.gate.asking import Decisions
from keepgate.protocol.entries import Scope
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, ProposalStatus
from keepgate.store import reads
from keepgate.store.open import Store
from keepgate.store.reach import Reach

PATIENCE_S: Final = 1.75
"""For how long a process may leave its mark on a question alone before the next one is offered it as well."""
LOOK_S: Final = 0.1
"""How often those who wait for their turn look; nobody looks while no question waits."""


class Turns:
    """The order of the processes for one question, and who has been passed over so far.

    The process whose caller waits comes first when it shows the question itself, then the reachable ones:
    those with the wish's workspace open, and ``for_all`` (what is user-global) the others, too.
    """

    def __init__(
        self,
        reach: Reach,
        question: str,
        homes: Collection[str],
        waiter: str | None,
        *,
        for_all: bool = False,
    ) -> None:
        self._reach: Final = reach
        self._question: Final = question
        self._homes: Final = homes
        self._is_for_all: Final = for_all
        self._waiter: Final = waiter
        self._since: dict[str, float] = {}
        self._passed: set[str] = set()

    def is_mine(self) -> bool:
        """Whether this process is to show it now."""
        for token in self._order():
            if token == self._reach.token:
                return True
            if not self._is_passed(token):
                return False
        return False

    def nobody_else(self) -> bool:
        """Whether no other process shows it or is about to."""
        return all(token == self._reach.token or self._is_passed(token) for token in self._order())

    def _order(self) -> list[str]:
        reachable = self._reach.reachable(self._homes)
        if self._is_for_all and self._homes:
            reachable += [token for token in self._reach.reachable(()) if token not in reachable]
        waiter = self._waiter
        if waiter is None or self._reach.silent_s(self._question, waiter) is None:
            return [token for token in reachable if token != waiter] if waiter else reachable
        return [waiter, *(token for token in reachable if token != waiter)]

    def _is_passed(self, token: str) -> bool:
        if token in self._passed:
            return True
        silent_s = self._reach.silent_s(self._question, token)
        if silent_s is None:
            silent_s = time.monotonic() - self._since.setdefault(token, time.monotonic())
        if silent_s > PATIENCE_S:
            self._passed.add(token)
            return True
        return False


async def until_nobody_else(turns: Turns, store: Store, decisions: Decisions, proposal_id: str) -> None:
    """Wait until no other process shows a question or can.

    Meanwhile a decision is looked for, as commands do not hear of other processes' commits.
    """
    while not turns.nobody_else():
        await asyncio.sleep(LOOK_S)
        stored = await store.reading.run(reads.proposal, proposal_id)
        if not is_waiting(stored):
            decisions.decided(proposal_id)


def is_for_all(stored: StoredProposal) -> bool:
    """Whether a wish is about what every workspace shares, so that a window of none may show it."""
    return stored.scope == Scope.USER_GLOBAL


def is_waiting(stored: StoredProposal | None) -> bool:
    """Whether a proposal can still be decided."""
    return stored is not None and stored.status is ProposalStatus.PENDING


async def own_answer(
    shown: ApprovalRequestParams,
    proposal: StoredProposal,
    asker: Asker,
    store: Store,
    decisions: Decisions,
) -> ApprovalAnswer:
    """The answer of the client whose wish it is; where it cannot be asked, or not yet, others are waited for.

    Raises :class:`NobodyThere` when neither it nor any other window of the workspace reaches a person.
    """
    turns = Turns(store.reach, proposal.id, proposal.homes, None, for_all=is_for_all(proposal))
    if not asker.asks_first:
        await until_nobody_else(turns, store, decisions, proposal.id)
    if asker.approver is None:
        if asker.patient:
            await asyncio.Event().wait()
        raise NobodyThere("this client offers no way to ask")
    try:
        async with asker.prompts.turn(shown, store.reach) as whole:
            return await asker.approver.ask(whole)
    except NobodyThere:
        store.reach.decline(proposal.id)
        await until_nobody_else(turns, store, decisions, proposal.id)
        raise
