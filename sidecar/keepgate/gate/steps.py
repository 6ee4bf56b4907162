"""The steps of a write that run inside one store transaction each. No waiting happens here."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve

from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import POLICY, SECRETS_CONFIRMED, Allowed, Decider, approve
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import Change
from keepgate.core.writing.plan import plan
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.policies import Rules, may_be_ours, policy_for
from keepgate.gate.receipt import Drifted, Late, Receipt, Refused, Settled
from keepgate.gate.rows import NEEDLESS, denied_row, needless_row, refused_row
from keepgate.protocol.errors import Fault, write_denied
from keepgate.protocol.proposals import Outcome, ProposalStatus
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.store.memory import Transaction


def work_out(txn: Transaction, change: Change, author: Author, settings: Settings) -> Ask:
    """Plan a change against the store as it is and put it as a question. Raises what ``plan`` raises."""
    return ask_for(plan(change, author, txn, settings.budgets, txn.stamp), txn, txn.stamp)


def expire(txn: Transaction) -> list[StoredProposal]:
    """Close the pending proposals whose time is up, so that they fill no queue; returns them."""
    due = txn.due()
    for stored in due:
        deny(txn, stored, EXPIRY, Outcome.CANCELLED, ProposalStatus.EXPIRED)
    return due


EXPIRY: Final = Decider(via="expiry", policy=WritePolicy.ASK)
"""Nobody decided for so long that time did."""


def settle(txn: Transaction, proposal_id: str, allowed: Allowed, rules: Rules) -> Settled:
    """Second step, after a yes: look again, and commit only what was shown.

    A change that has drifted is put back as a new question; one that can no longer be made is closed with a
    ``-refused`` row, and its fault is the answer.
    """
    stored = pending(txn, proposal_id)
    if isinstance(stored, Late):
        return stored
    try:
        ask = work_out(txn, stored.change, stored.author, rules.settings)
    except Fault as fault:
        _close(txn, stored, ProposalStatus.REFUSED, f"refused ({fault.code})", allowed.by)
        txn.append(refused_row(stored, allowed, fault, txn.stamp))
        return Refused(fault, Outcome.CANCELLED, allowed.by)
    if ask.plan.is_needless:
        return _overtaken(txn, stored, ask, allowed)
    if policy_for(ask.plan, rules, label_is_ours=may_be_ours(stored.change)) is WritePolicy.OFF:
        by = Decider(via=POLICY, policy=WritePolicy.OFF, **client_of(stored.asked_by))
        return deny(txn, stored, by)
    if ask.hash != stored.hash:
        # The wish says what was shown last, also where the person looked it up again before saying yes.
        txn.reask(proposal_id, hash=ask.hash, text=ask.text)
    if ask.hash != allowed.hash:
        return Drifted(ask)
    allowed = evolve(allowed, by=evolve(allowed.by, secrets=client_of(stored.asked_by)["secrets"]))
    receipt = commit(txn, ask, allowed, proposal_id)
    _close(txn, stored, ProposalStatus.APPROVED, Outcome.ALLOWED_ONCE, allowed.by)
    return receipt


def _overtaken(txn: Transaction, stored: StoredProposal, ask: Ask, allowed: Allowed) -> Receipt:
    """Close a wish that has nothing left to do: meanwhile somebody else did the same."""
    _close(txn, stored, ProposalStatus.REFUSED, NEEDLESS, allowed.by)
    txn.append(needless_row(stored, allowed, txn.stamp))
    return Receipt(existing=ask.plan.existing)


def pending(txn: Transaction, proposal_id: str) -> StoredProposal | Late:
    """The proposal while it can still be decided."""
    stored = txn.proposal(proposal_id)
    if stored is None or stored.status is not ProposalStatus.PENDING:
        return Late(stored)
    return stored if stored.expires_at > txn.stamp.now_ms else Late(stored)


def deny(
    txn: Transaction,
    stored: StoredProposal,
    by: Decider,
    outcome: Outcome = Outcome.REJECTED,
    status: ProposalStatus = ProposalStatus.DISMISSED,
    *,
    reason: str | None = None,
) -> Refused:
    """Close a pending proposal with its ``-denied`` row."""
    _close(txn, stored, status, outcome, by)
    row = denied_row(stored, by, outcome, txn.stamp)
    txn.append(evolve(row, payload={**row.payload, "reason": reason}) if reason else row)
    return Refused(write_denied(outcome, stored.id), outcome, by)


def leave_pending(txn: Transaction, stored: StoredProposal, by: Decider) -> Refused:
    """Nobody decided: the wish stays in the inbox, the ledger says so, and so does the caller's fault."""
    txn.release(stored.id)
    txn.append(denied_row(stored, by, Outcome.UNAVAILABLE, txn.stamp))
    fault = write_denied(Outcome.UNAVAILABLE, stored.id, suggestion=_INBOX_ADVICE.format(id=stored.id))
    return Refused(fault, Outcome.UNAVAILABLE, None)


_INBOX_ADVICE: Final = "The wish waits for a person: `keepgate proposals approve {id}`. Do not send it again."


def commit(txn: Transaction, ask: Ask, allowed: Allowed, proposal_id: str) -> Receipt:
    """Store what an ask says; the receipt of it."""
    seqs = txn.commit(approve(ask, allowed), proposal_id=proposal_id)
    return Receipt(
        steps=ask.plan.mutations,
        facts=ask.plan.facts,
        pages=ask.plan.pages,
        usage=tuple(use.usage for use in ask.plan.uses),
        seqs=seqs,
    )


def _close(
    txn: Transaction, stored: StoredProposal, status: ProposalStatus, outcome: str, by: Decider
) -> None:
    txn.close(stored.id, status=status, outcome=str(outcome), by=by.decided_by())


def client_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """What a decider names of the client that asked."""
    named = {name: described.get(name) for name in ("client", "version", "connection", "channel")}
    return {**named, "secrets": tuple(described.get(SECRETS_CONFIRMED, ()))}
