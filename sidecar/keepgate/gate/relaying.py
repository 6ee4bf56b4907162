"""Putting the question of another process to the person who is at this one."""

from contextlib import suppress

from keepgate.core.writing.approval import Unreachable
from keepgate.core.writing.ask import Ask
from keepgate.gate.approvers import Approver, Asker
from keepgate.gate.asking import DecidedElsewhere, decider, wait_for
from keepgate.gate.gate import REASKS_MAX, Gate
from keepgate.gate.question import question
from keepgate.gate.receipt import Drifted, Receipt
from keepgate.gate.routes import is_waiting
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, Outcome
from keepgate.store.reach import Reach


async def relay(gate: Gate, reach: Reach, proposal_id: str, asker: Asker, approver: Approver) -> bool:
    """Put a pending proposal to the person at a connection, and do what the answer says.

    Whoever waits for it hears of the decision through the store. True once the proposal is decided, here or
    elsewhere; false when the person cannot be reached here, which leaves it as it is. Raises the plan's
    faults for a wish that cannot be shown any more, which leaves it, too. Has no deadline of its own.
    """
    by = decider(asker, via="approval")
    with gate.decisions.watching(proposal_id) as elsewhere:
        stored = await gate.stored(proposal_id)
        if not is_waiting(stored):
            return True
        ask: Ask = await gate.ask_now(stored)
        for _ in range(1 + REASKS_MAX):
            shown = question(ask, proposal_id, stored.expires_at, stored.asked_by)
            try:
                answering = _answer(shown, reach, asker, approver)
                verdict = await wait_for(answering, shown, by, elsewhere, None)
            except DecidedElsewhere:
                return True
            if isinstance(verdict, Unreachable):
                return False
            settled = await gate.conclude(stored, ask, verdict)
            if isinstance(settled, Receipt):
                # What becomes of page files is told to whoever waits.
                with suppress(Fault):
                    await gate.made(settled)
            if not isinstance(settled, Drifted):
                return True
            ask = settled.ask
        await gate.close(stored, by, Outcome.CANCELLED)
        return True


async def _answer(
    shown: ApprovalRequestParams, reach: Reach, asker: Asker, approver: Approver
) -> ApprovalAnswer:
    async with asker.prompts.turn(shown, reach, gather=True) as whole:
        return await approver.ask(whole)
