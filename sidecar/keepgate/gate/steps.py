"""The steps of a write that run inside one store transaction each. No waiting happens here."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import evolve, frozen

from keepgate.core.model.stamp import Stamp
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Allowed, Decider, approve
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import Change
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.plan import plan
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.policies import Grant, Rules, grant_for, may_be_ours, policy_for
from keepgate.gate.receipt import Drifted, Late, Opened, Receipt, Refused, Settled, Waiting
from keepgate.protocol.errors import Fault, Problem, invalid_input, write_denied
from keepgate.protocol.proposals import Outcome, ProposalStatus
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.protocol.wire import unstructure
from keepgate.store.memory import Transaction

DAY_MS: Final = 24 * 60 * 60 * 1000


@frozen(kw_only=True)
class Wish:
    """A change, who wants it and through what; ``label_is_ours``: the caller gave no source of its own."""

    change: Change
    author: Author
    asked_by: Mapping[str, Any]
    label_is_ours: bool = False


def work_out(txn: Transaction, change: Change, author: Author, settings: Settings, stamp: Stamp) -> Ask:
    """Plan a change against the store as it is and put it as a question. Raises what ``plan`` raises."""
    return ask_for(plan(change, author, txn, settings.budgets, stamp), txn)


def open_wish(
    txn: Transaction,
    wish: Wish,
    rules: Rules,
    stamp: Stamp,
    *,
    granted: Callable[[Grant], bool],
    waiter: str,
    awaited: Callable[[StoredProposal], bool],
) -> Opened:
    """First step of a write: the policy decides at once, or the wish is stored for a person to decide.

    A pending wish with the same content that nobody waits for is taken up again instead of stored twice.
    Faults of the plan are raised and leave no trace: nobody was asked yet.
    """
    settings = rules.settings
    ask = work_out(txn, wish.change, wish.author, settings, stamp)
    policy = policy_for(ask.plan, rules, label_is_ours=wish.label_is_ours)
    if policy is WritePolicy.OFF:
        stored = wish_for(ask, wish.asked_by, settings, stamp, waiter=None)
        by = Decider(via="policy", policy=policy)
        txn.append(denied_row(stored, by, Outcome.REJECTED, stamp, known=False))
        return Refused(write_denied(Outcome.REJECTED, None, reason="policy", suggestion=_POLICY_ADVICE))
    grant = grant_for(ask.plan, ask.kind, warned=bool(ask.warnings))
    if policy is WritePolicy.AUTO or (grant is not None and granted(grant)):
        via = "policy" if policy is WritePolicy.AUTO else "session grant"
        by = Decider(via=via, policy=policy, **_client(wish.asked_by))
        return _commit(txn, ask, Allowed(by=by, hash=ask.hash), stamp.new_id(), stamp)
    twin = txn.pending_like(wish.author.workspace_key, wish.author.agent_key, ask.hash)
    if twin is not None and twin.expires_at > stamp.now_ms and not awaited(twin):
        return Waiting(txn.attach(twin.id, waiter), ask)
    return store_wish(txn, ask, wish.asked_by, settings, stamp, waiter=waiter)


_POLICY_ADVICE: Final = "The write policy refuses this write; the person can change it in their own settings."


def store_wish(
    txn: Transaction,
    ask: Ask,
    asked_by: Mapping[str, Any],
    settings: Settings,
    stamp: Stamp,
    *,
    waiter: str | None,
) -> Waiting | Refused:
    """Store a wish as pending, or refuse it when too many wait already."""
    proposal = wish_for(ask, asked_by, settings, stamp, waiter=waiter)
    author, limits = proposal.author, settings.proposals
    of_session, of_workspace = txn.pending_counts(author.session_id, author.workspace_key)
    if of_session >= limits.max_per_session or of_workspace >= limits.max_per_workspace:
        by = Decider(via="approval", policy=WritePolicy.ASK)
        txn.append(denied_row(proposal, by, Outcome.UNAVAILABLE, stamp, known=False))
        return Refused(write_denied(Outcome.UNAVAILABLE, None, reason="queue-full", suggestion=_QUEUE_ADVICE))
    txn.propose(proposal)
    return Waiting(proposal, ask)


def wish_for(
    ask: Ask, asked_by: Mapping[str, Any], settings: Settings, stamp: Stamp, *, waiter: str | None
) -> StoredProposal:
    """A new pending proposal for an ask; storing it is another step."""
    return StoredProposal(
        id=stamp.new_id(),
        status=ProposalStatus.PENDING,
        change=ask.plan.change,
        author=ask.plan.author,
        kind=ask.kind,
        track=ask.track,
        scope=ask.scope,
        workspace_key=ask.plan.author.workspace_key,
        source=ask.source,
        text=ask.text,
        hash=ask.hash,
        asked_by=asked_by,
        waiter=waiter,
        created_at=stamp.now_ms,
        expires_at=stamp.now_ms + settings.proposals.expire_days * DAY_MS,
    )


_QUEUE_ADVICE: Final = "Too many wishes wait already; decide some with `keepgate proposals list`, then retry."


def require_short(ask: Ask, settings: Settings) -> None:
    """Refuse a wish for the inbox whose texts are over the limit: proposals are never cut."""
    limit = settings.proposals.max_text_units
    for entry in ask.entries:
        if units(entry.text) > limit:
            reason = f"has {units(entry.text)} units; a proposal may have {limit}"
            raise invalid_input(Problem("$.change.text", reason))


def pending_row(stored: StoredProposal, stamp: Stamp) -> Row:
    """The ledger row of a wish that was stored without asking."""
    return _row(stored, "proposal", Decision.NOTE, "pending", stamp)


def settle(txn: Transaction, proposal_id: str, allowed: Allowed, rules: Rules, stamp: Stamp) -> Settled:
    """Second step, after a yes: look again, and commit only what was shown.

    A change that has drifted is put back as a new question; one that can no longer be made is closed with a
    ``-refused`` row, and its fault is the answer.
    """
    stored = txn.proposal(proposal_id)
    if stored is None or stored.status is not ProposalStatus.PENDING or stored.expires_at <= stamp.now_ms:
        return Late(stored)
    try:
        ask = work_out(txn, stored.change, stored.author, rules.settings, stamp)
    except Fault as fault:
        _close(txn, stored, ProposalStatus.REFUSED, f"refused ({fault.code})", allowed.by, stamp)
        txn.append(_refused_row(stored, allowed, fault, stamp))
        return Refused(fault)
    if policy_for(ask.plan, rules, label_is_ours=may_be_ours(stored.change)) is WritePolicy.OFF:
        return Refused(deny(txn, stored, Decider(via="policy", policy=WritePolicy.OFF), stamp))
    if ask.hash != allowed.hash:
        txn.reask(proposal_id, hash=ask.hash, text=ask.text)
        return Drifted(ask)
    receipt = _commit(txn, ask, allowed, proposal_id, stamp)
    _close(txn, stored, ProposalStatus.APPROVED, Outcome.ALLOWED_ONCE, allowed.by, stamp)
    return receipt


def deny(
    txn: Transaction,
    stored: StoredProposal,
    by: Decider,
    stamp: Stamp,
    outcome: Outcome = Outcome.REJECTED,
    status: ProposalStatus = ProposalStatus.DISMISSED,
    *,
    reason: str | None = None,
) -> Fault:
    """Close a pending proposal with its ``-denied`` row and return the caller's fault."""
    _close(txn, stored, status, outcome, by, stamp)
    row = denied_row(stored, by, outcome, stamp)
    txn.append(evolve(row, payload={**row.payload, "reason": reason}) if reason else row)
    return write_denied(outcome, stored.id)


def leave_pending(txn: Transaction, stored: StoredProposal, by: Decider, stamp: Stamp) -> Fault:
    """Nobody decided: the wish stays in the inbox, the ledger says so, and so does the caller's fault."""
    txn.release(stored.id)
    txn.append(denied_row(stored, by, Outcome.UNAVAILABLE, stamp))
    return write_denied(Outcome.UNAVAILABLE, stored.id, suggestion=_INBOX_ADVICE.format(id=stored.id))


_INBOX_ADVICE: Final = "The wish waits for a person: `keepgate proposals show {id}`. Do not send it again."


def denied_row(
    stored: StoredProposal, by: Decider, outcome: Outcome, stamp: Stamp, *, known: bool = True
) -> Row:
    """The row of a write that was not allowed, with its full payload (DSH-6).

    ``known`` is false for a wish that was never stored as a proposal.
    """
    row = _row(stored, f"{stored.kind}-denied", Decision.DENIED, by.label(outcome), stamp)
    return evolve(row, by=by.by(), proposal_id=stored.id if known else None)


def _row(stored: StoredProposal, action: str, decision: Decision, outcome: str, stamp: Stamp) -> Row:
    return Row(
        ts=stamp.now_ms,
        action=action,
        decision=decision,
        outcome=outcome,
        track=stored.track,
        scope=stored.scope,
        workspace_key=stored.workspace_key,
        agent_key=stored.author.agent_key,
        source=stored.source,
        session_id=stored.author.session_id,
        proposal_id=stored.id,
        shown_hash=stored.hash,
        payload={"text": stored.text, "change": unstructure(stored.change)},
    )


def _refused_row(stored: StoredProposal, allowed: Allowed, fault: Fault, stamp: Stamp) -> Row:
    outcome = f"{fault.code} ({allowed.by.label(Outcome.ALLOWED_ONCE)})"
    row = _row(stored, f"{stored.kind}-refused", Decision.REFUSED, outcome, stamp)
    fault_payload = {"code": str(fault.code), "message": fault.message, "details": fault.details}
    return evolve(
        row, by=allowed.by.by(), shown_hash=allowed.hash, payload={**row.payload, "fault": fault_payload}
    )


def _commit(txn: Transaction, ask: Ask, allowed: Allowed, proposal_id: str, stamp: Stamp) -> Receipt:
    committed = txn.commit(approve(ask, allowed), proposal_id=proposal_id, stamp=stamp)
    return Receipt(
        steps=ask.plan.mutations, usage=tuple(use.usage for use in ask.plan.uses), seqs=committed.seqs
    )


def _close(
    txn: Transaction, stored: StoredProposal, status: ProposalStatus, outcome: str, by: Decider, stamp: Stamp
) -> None:
    txn.close(stored.id, status=status, outcome=str(outcome), decided_at=stamp.now_ms, by=by.by())


def _client(described: Mapping[str, Any]) -> dict[str, Any]:
    return {name: described.get(name) for name in ("client", "version", "connection", "channel")}
