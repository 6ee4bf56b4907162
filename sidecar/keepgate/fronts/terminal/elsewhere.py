"""A question on the terminal that somebody else decides: it ends, and the person is told who it was."""

import asyncio
from contextlib import suppress
from typing import Final

from keepgate.core.writing.proposal import StoredProposal
from keepgate.fronts.terminal.cards import client_words
from keepgate.fronts.terminal.prompt import TerminalApprover
from keepgate.fronts.terminal.question import Line, painted
from keepgate.fronts.terminal.tty import Terminal
from keepgate.gate.approvers import NobodyThere
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, ProposalStatus
from keepgate.service.sidecar import Sidecar
from keepgate.store import reads
from keepgate.store.open import Store

LOOK_S: Final = 0.1
"""How often a wish is looked at while its question is open: a command is too brief to watch the store."""

_WORDS: Final = {ProposalStatus.APPROVED: "allowed", ProposalStatus.DISMISSED: "rejected"}


class WatchfulApprover:
    """Asks the person at ``terminal``, and has the question ended when another process decides the wish."""

    def __init__(self, sidecar: Sidecar, terminal: Terminal) -> None:
        self._sidecar = sidecar
        self._terminal = terminal
        self._person = TerminalApprover(terminal)
        self._asked: list[str] = []

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """See :meth:`TerminalApprover.ask`."""
        self._asked.append(question.id)
        watching = asyncio.create_task(self._watch(question.id))
        try:
            return await self._person.ask(question)
        finally:
            watching.cancel()

    async def tell_who_decided(self, connection_id: str) -> None:
        """Say who decided what was asked since the last time, unless it was this connection."""
        asked, self._asked = self._asked, []
        for proposal_id in dict.fromkeys(asked):
            await tell_who_decided(self._sidecar.store, self._terminal, proposal_id, connection_id)

    async def _watch(self, proposal_id: str) -> None:
        await settled(self._sidecar.store, proposal_id)
        self._sidecar.gate.decisions.decided(proposal_id)


async def settled(store: Store, proposal_id: str) -> None:
    """Wait until a wish no longer waits for a decision."""
    while True:
        await asyncio.sleep(LOOK_S)
        with suppress(Fault):
            # A store that cannot be read just now is looked at again.
            stored = await store.reading.run(reads.proposal, proposal_id)
            if stored is None or stored.status is not ProposalStatus.PENDING:
                return


async def tell_who_decided(store: Store, terminal: Terminal, proposal_id: str, connection_id: str) -> None:
    """Say at the terminal who decided a wish, unless it was this connection or it still waits."""
    with suppress(Fault, NobodyThere):
        stored = await store.reading.run(reads.proposal, proposal_id)
        if stored is not None and stored.decided_by and stored.decided_by.get("connection") != connection_id:
            terminal.write(painted([_who(stored)], colour=terminal.colour))


def _who(stored: StoredProposal) -> Line:
    word = _WORDS.get(stored.status, stored.status)
    return Line(f"Decided elsewhere: {word} by {client_words(stored.decided_by)}.")
