"""The first step of a write, inside one store transaction: decided at once, or stored as a wish."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import frozen

from keepgate.core.model.stamp import Stamp
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import POLICY, Allowed, Decider
from keepgate.core.writing.ask import Ask
from keepgate.core.writing.change import Change
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate import steps
from keepgate.gate.policies import Grant, Rules, grant_for, policy_for
from keepgate.gate.receipt import Opened, Receipt, Refused, Waiting
from keepgate.gate.rows import denied_row, waiting_row
from keepgate.gate.tainting import tightened
from keepgate.protocol.errors import Problem, invalid_input, write_denied
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
    ask = steps.work_out(txn, wish.change, wish.author, settings)
    if ask.plan.is_needless:
        return Receipt(existing=ask.plan.existing)
    policy = tightened(policy_for(ask.plan, rules, label_is_ours=wish.label_is_ours), ask)
    if policy is WritePolicy.OFF:
        return _refuse_by_policy(txn, ask, wish, settings)
    grant = grant_for(ask.plan, ask.kind, warned=bool(ask.warnings))
    if policy is WritePolicy.AUTO or (grant is not None and granted(grant)):
        via = POLICY if policy is WritePolicy.AUTO else "session grant"
        by = Decider(via=via, policy=policy, **steps.client_of(wish.asked_by))
        return steps.commit(txn, ask, Allowed(by=by, hash=ask.hash), txn.stamp.new_id())
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
    ask = steps.work_out(txn, wish.change, wish.author, settings)
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
    by = Decider(via=POLICY, policy=WritePolicy.OFF, **steps.client_of(wish.asked_by))
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
        by = Decider(via="approval", policy=WritePolicy.ASK, **steps.client_of(wish.asked_by))
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
