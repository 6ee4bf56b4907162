"""The steps of a write that run inside one store transaction each. No waiting happens here."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import evolve, frozen

from keepgate.core.model.stamp import Stamp
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import POLICY, Allowed, Decider, approve
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import Change
from keepgate.core.writing.plan import plan
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.policies import Grant, Rules, grant_for, may_be_ours, policy_for
from keepgate.gate.receipt import Drifted, Late, Opened, Receipt, Refused, Settled, Waiting
from keepgate.gate.rows import NEEDLESS, denied_row, needless_row, refused_row, waiting_row
from keepgate.protocol.errors import Fault, Problem, invalid_input, write_denied
from keepgate.protocol.proposals import Outcome, ProposalStatus
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.store.memory import Transaction

DAY_MS: Final = 24 * 60 * 60 * 1000


@frozen(kw_only=True)
class Wish:
    """A change, who wants it and through what; ``label_is_ours``: the caller gave no source of its own."""

    change: Change
    author: Author
    asked_by: Mapping[str, Any]
    label_is_ours: bool = False


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


def open_wish(
    txn: Transaction,
    wish: Wish,
    rules: Rules,
    *,
    granted: Callable[[Grant], bool],
    waiter: str,
    awaited: Callable[[StoredProposal], bool],
) -> Opened:
    """First step of a write: the policy decides at once, or the wish is stored for a person to decide.

    The same wish, pending while nobody waits for it, is taken up again instead of stored twice: it is then
    this caller's, whose session and client the ledger names.

    Faults of the plan are raised and leave no trace: nobody was asked yet.
    """
    settings = rules.settings
    ask = work_out(txn, wish.change, wish.author, settings)
    if ask.plan.is_needless:
        return Receipt(existing=ask.plan.existing)
    policy = policy_for(ask.plan, rules, label_is_ours=wish.label_is_ours)
    if policy is WritePolicy.OFF:
        return _refuse_by_policy(txn, ask, wish, settings)
    grant = grant_for(ask.plan, ask.kind, warned=bool(ask.warnings))
    if policy is WritePolicy.AUTO or (grant is not None and granted(grant)):
        via = POLICY if policy is WritePolicy.AUTO else "session grant"
        by = Decider(via=via, policy=policy, **_client(wish.asked_by))
        return _commit(txn, ask, Allowed(by=by, hash=ask.hash), txn.stamp.new_id())
    twin = txn.pending_like(wish.change, wish.author, ask.hash)
    if twin is not None and not awaited(twin):
        session_id = wish.author.session_id
        return Waiting(txn.attach(twin.id, waiter=waiter, session_id=session_id, asked_by=wish.asked_by), ask)
    return _store_wish(txn, ask, wish, settings, waiter=waiter)


def create_wish(txn: Transaction, wish: Wish, rules: Rules) -> Waiting | Refused:
    """Store a wish for the inbox, where no policy refuses it.

    The same wish that is pending already is returned as it is: of two, both could be approved. It stays its
    first caller's.

    Raises the plan's faults, and ``INVALID_INPUT`` for texts over the limit.
    """
    settings = rules.settings
    ask = work_out(txn, wish.change, wish.author, settings)
    _require_short(ask, settings)
    if ask.plan.is_needless:
        raise invalid_input(Problem("$.change", "would change nothing"))
    if policy_for(ask.plan, rules, label_is_ours=wish.label_is_ours) is WritePolicy.OFF:
        return _refuse_by_policy(txn, ask, wish, settings)
    if (twin := txn.pending_like(wish.change, wish.author, ask.hash)) is not None:
        return Waiting(twin, ask)
    made = _store_wish(txn, ask, wish, settings, waiter=None)
    if isinstance(made, Waiting):
        txn.append(waiting_row(made.proposal, txn.stamp))
    return made


def _refuse_by_policy(txn: Transaction, ask: Ask, wish: Wish, settings: Settings) -> Refused:
    by = Decider(via=POLICY, policy=WritePolicy.OFF, **_client(wish.asked_by))
    stored = _wish_for(ask, wish, settings, txn.stamp, waiter=None)
    txn.append(denied_row(stored, by, Outcome.REJECTED, txn.stamp, known=False))
    fault = write_denied(Outcome.REJECTED, None, reason="policy", suggestion=_POLICY_ADVICE)
    return Refused(fault, Outcome.REJECTED, by)


_POLICY_ADVICE: Final = "The write policy refuses this write; the person can change it in their own settings."


def _store_wish(
    txn: Transaction, ask: Ask, wish: Wish, settings: Settings, *, waiter: str | None
) -> Waiting | Refused:
    """Store a wish as pending, or refuse it when too many wait already."""
    proposal = _wish_for(ask, wish, settings, txn.stamp, waiter=waiter)
    author, limits = wish.author, settings.proposals
    of_session, of_workspace = txn.pending_counts(author.session_id, author.workspace_key)
    if of_session >= limits.max_per_session or of_workspace >= limits.max_per_workspace:
        by = Decider(via="approval", policy=WritePolicy.ASK, **_client(wish.asked_by))
        txn.append(denied_row(proposal, by, Outcome.UNAVAILABLE, txn.stamp, known=False))
        fault = write_denied(Outcome.UNAVAILABLE, None, reason="queue-full", suggestion=_QUEUE_ADVICE)
        return Refused(fault, Outcome.UNAVAILABLE, None)
    txn.propose(proposal)
    return Waiting(proposal, ask)


def _wish_for(
    ask: Ask, wish: Wish, settings: Settings, stamp: Stamp, *, waiter: str | None
) -> StoredProposal:
    return StoredProposal(
        id=stamp.new_id(),
        status=ProposalStatus.PENDING,
        change=wish.change,
        author=wish.author,
        kind=ask.kind,
        track=ask.track,
        scope=ask.scope,
        source=ask.source,
        text=ask.text,
        hash=ask.hash,
        asked_by=wish.asked_by,
        waiter=waiter,
        created_at=stamp.now_ms,
        expires_at=stamp.now_ms + settings.proposals.expire_days * DAY_MS,
    )


_QUEUE_ADVICE: Final = "Too many wishes wait already; decide some with `keepgate proposals list`, then retry."


def _require_short(ask: Ask, settings: Settings) -> None:
    """Refuse a wish for the inbox whose texts are over the limit: proposals are never cut."""
    limit = settings.proposals.max_text_units
    for text in (*(entry.text for entry in ask.entries), *(fact.text for fact in ask.facts)):
        if units(text) > limit:
            reason = f"has {units(text)} units; a proposal may have {limit}"
            raise invalid_input(Problem("$.change.text", reason))


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
        by = Decider(via=POLICY, policy=WritePolicy.OFF, **_client(stored.asked_by))
        return deny(txn, stored, by)
    if ask.hash != stored.hash:
        # The wish says what was shown last, also where the person looked it up again before saying yes.
        txn.reask(proposal_id, hash=ask.hash, text=ask.text)
    if ask.hash != allowed.hash:
        return Drifted(ask)
    receipt = _commit(txn, ask, allowed, proposal_id)
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


_INBOX_ADVICE: Final = "The wish waits for a person: `keepgate proposals show {id}`. Do not send it again."


def _commit(txn: Transaction, ask: Ask, allowed: Allowed, proposal_id: str) -> Receipt:
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


def _client(described: Mapping[str, Any]) -> dict[str, Any]:
    return {name: described.get(name) for name in ("client", "version", "connection", "channel")}
