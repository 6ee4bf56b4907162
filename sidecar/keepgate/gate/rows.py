"""The ledger rows of wishes that changed nothing, or have not yet."""

from typing import Final

from attrs import evolve

from keepgate.core.model.stamp import Stamp
from keepgate.core.reading.asked import FACTS, PAGES
from keepgate.core.writing.approval import Allowed, Decider
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import Outcome
from keepgate.protocol.wire import unstructure

NEEDLESS: Final = "nothing to do"
"""The outcome of a wish that somebody else fulfilled while it waited."""


def waiting_row(stored: StoredProposal, stamp: Stamp) -> Row:
    """The row of a wish that was stored without asking."""
    return _row(stored, "proposal", Decision.NOTE, "pending", stamp)


def denied_row(
    stored: StoredProposal, by: Decider, outcome: Outcome, stamp: Stamp, *, known: bool = True
) -> Row:
    """The row of a write that was not allowed, with its full payload (DSH-6).

    ``known`` is false for a wish that was never stored as a proposal.
    """
    row = _row(stored, f"{stored.kind}-denied", Decision.DENIED, by.label(outcome), stamp)
    return evolve(row, by=by.by(), proposal_id=stored.id if known else None)


def refused_row(stored: StoredProposal, allowed: Allowed, fault: Fault, stamp: Stamp) -> Row:
    """The row of a write that was allowed and could no longer be made, with the fault that says why."""
    outcome = f"{fault.code} ({allowed.by.label(Outcome.ALLOWED_ONCE)})"
    row = _row(stored, f"{stored.kind}-refused", Decision.REFUSED, outcome, stamp)
    fault_payload = {"code": str(fault.code), "message": fault.message, "details": fault.details}
    return evolve(
        row, by=allowed.by.by(), shown_hash=allowed.hash, payload={**row.payload, "fault": fault_payload}
    )


def needless_row(stored: StoredProposal, allowed: Allowed, stamp: Stamp) -> Row:
    """The row of a write that was allowed when there was nothing left to do."""
    outcome = f"{NEEDLESS} ({allowed.by.label(Outcome.ALLOWED_ONCE)})"
    row = _row(stored, f"{stored.kind}-refused", Decision.REFUSED, outcome, stamp)
    return evolve(row, by=allowed.by.by(), shown_hash=allowed.hash)


def _row(stored: StoredProposal, action: str, decision: Decision, outcome: str, stamp: Stamp) -> Row:
    return Row(
        ts=stamp.now_ms,
        action=action,
        decision=decision,
        outcome=outcome,
        # The words that stand for a track of facts and pages are none.
        track=None if stored.track in (FACTS, PAGES) else stored.track,
        scope=stored.scope,
        workspace_key=stored.author.workspace_key,
        homes=stored.homes,
        agent_key=stored.author.agent_key,
        source=stored.source,
        session_id=stored.author.session_id,
        proposal_id=stored.id,
        shown_hash=stored.hash,
        payload={"text": stored.text, "change": unstructure(stored.change)},
    )
