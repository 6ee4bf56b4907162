"""What a write comes back with, and the steps in between."""

from attrs import frozen

from keepgate.core.model.fact import Fact
from keepgate.core.writing.approval import Decider
from keepgate.core.writing.ask import Ask
from keepgate.core.writing.mutation import FactStep, Mutation, PageStep
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.entries import Usage
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import Outcome


@frozen(kw_only=True)
class Receipt:
    """A committed change: its steps in order, its ledger rows, and the layers it touched as they are now.

    ``existing`` is the fact because of which nothing had to be done; there are no steps and no rows then.
    """

    steps: tuple[Mutation, ...] = ()
    facts: tuple[FactStep, ...] = ()
    pages: tuple[PageStep, ...] = ()
    usage: tuple[Usage, ...] = ()
    seqs: tuple[int, ...] = ()
    existing: Fact | None = None


@frozen
class Waiting:
    """A stored wish whose question has to be put."""

    proposal: StoredProposal
    ask: Ask


@frozen
class Refused:
    """The store holds what must be held, and ``fault`` is the caller's answer.

    ``outcome`` and ``by`` are what listeners are told; nobody decided where ``by`` is ``None``.
    """

    fault: Fault
    outcome: Outcome
    by: Decider | None


@frozen
class Drifted:
    """The change is no longer what was shown; ``ask`` is what it would be now."""

    ask: Ask


@frozen
class Late:
    """Somebody else decided first, or nobody in time."""

    proposal: StoredProposal | None


Opened = Receipt | Waiting | Refused
Settled = Receipt | Refused | Drifted | Late


def final_outcome(stored: StoredProposal) -> Outcome:
    """The outcome word of a decided proposal; for one that the re-check refused it is ``cancelled``."""
    return Outcome(stored.outcome) if stored.outcome in tuple(Outcome) else Outcome.CANCELLED
