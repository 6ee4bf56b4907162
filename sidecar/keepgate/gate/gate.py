"""The gate itself: submit a change, ask, decide; the one road of every write (docs/architecture.md)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar, assert_never

from attrs import evolve

from keepgate.core.model.entry import layer_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Allowed, Decider, Denied, Unreachable, Verdict
from keepgate.core.writing.ask import Ask
from keepgate.core.writing.change import Change, homes_of
from keepgate.core.writing.mutation import of_entries, of_facts, of_pages
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate import steps, wishes
from keepgate.gate.approvers import Announcer, Asker
from keepgate.gate.asking import DecidedElsewhere, Decisions, decider, to_the_end, wait_for
from keepgate.gate.grants import Grants
from keepgate.gate.page_writing import PageWriting
from keepgate.gate.policies import Grant, Rules, RulesFor, grant_for, may_be_ours
from keepgate.gate.preview import current_ask
from keepgate.gate.purging import Purge
from keepgate.gate.question import asked, question, workspaces_of
from keepgate.gate.receipt import Drifted, Late, Opened, Receipt, Refused, Settled, Waiting, final_outcome
from keepgate.gate.routes import own_answer
from keepgate.gate.screening import Screen, confirmed, secret_row
from keepgate.gate.tainting import taint
from keepgate.protocol.entries import Usage
from keepgate.protocol.errors import Fault, SecretHit, proposal_not_found, secret_found, write_denied
from keepgate.protocol.proposals import ApprovalDecided, Outcome, ProposalStatus
from keepgate.protocol.settings import WritePolicy
from keepgate.store import reads
from keepgate.store.connection import Connection
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.rows import prepare_changes
from keepgate.store.view import View

T = TypeVar("T")

_LOOK_AGAIN: Final = "The change is no longer what was shown; look at the proposal again and decide then."
REASKS_MAX: Final = 3
"""How often a change that drifts under the person's eyes is asked again before it is given up."""


class Gate:
    """Owns the store's writer. Every public method leaves the store whole, whatever interrupts it."""

    def __init__(
        self,
        *,
        writer: Writer,
        store: Store,
        rules_for: RulesFor,
        announcer: Announcer,
        stamp: Callable[[], Stamp],
        pages: PageWriting,
        screen: Screen,
    ) -> None:
        self._writer = writer
        self._store = store
        self._rules_for = rules_for
        self._announcer = announcer
        self._stamp = stamp
        self._pages = pages
        self.screen: Final = screen
        self.purging: Final = Purge(store, writer, pages)
        self.grants: Final = Grants(store, writer)
        self._claimed: set[str] = set()
        self.decisions: Final = Decisions()

    async def warm_up(self) -> None:
        """Load beside everything else what the first wish would wait for."""
        await self.screen.warm_up()
        await asyncio.to_thread(prepare_changes)

    async def submit(
        self, change: Change, author: Author, asker: Asker, *, label_is_ours: bool = False
    ) -> Receipt:
        """Make a change, asking a person unless a policy or a grant decides.

        Raises ``INVALID_INPUT`` for a secret, which leaves a row without any text, and the plan's faults,
        both before anyone is asked; ``WRITE_DENIED`` when the answer is not yes, and the re-check's fault
        when the change can no longer be made. Cancelling the caller closes the proposal, except that a
        change whose commit has begun is completed.
        """
        wish = wishes.Wish(
            change=change, author=author, asked_by=asker.described(), label_is_ours=label_is_ours
        )
        hits, screening_cancelled = await to_the_end(self._screened(change, asker))
        if hits:
            wish = await self._insisted(wish, hits, asker)
        rules = self._rules_for(homes_of(change, author))
        claimed: list[str] = []

        def work(txn: Transaction) -> Opened:
            opened = wishes.open_wish(
                txn,
                wish,
                rules,
                granted=lambda grant: self.grants.holds(txn, grant),
                waiter=self._store.presence.token,
                awaited=self._awaited,
            )
            if isinstance(opened, Waiting):
                # Inside the transaction, so that no other caller attaches to it in between.
                claimed.append(opened.proposal.id)
                self._claimed.add(opened.proposal.id)
                if asker.asks_first:
                    # Before anybody else can see the wish, so that nobody else takes it for theirs to show.
                    self._store.reach.hold(opened.proposal.id)
            return opened

        try:
            opened, cancelled = await self._write(work)
            cancelled = cancelled or screening_cancelled
            return await self.made(await self._follow(opened, asker, cancelled=cancelled))
        finally:
            self._claimed.difference_update(claimed)

    async def _screened(self, change: Change, asker: Asker, *, root: str = "$") -> Sequence[SecretHit]:
        """Look for secrets, one change of a client after the other: a short one does not overtake a long one.

        Nothing that comes between this and the transaction may wait, so wishes are opened as they came.
        """
        async with asker.screening:
            return await self.screen.look(change, root=root)

    async def _insisted(self, wish: wishes.Wish, hits: Sequence[SecretHit], asker: Asker) -> wishes.Wish:
        """The wish, where its person insists at a terminal on what looks like a secret."""
        if asker.insisting is not None:
            async with asker.turn:
                if await asker.insisting(hits):
                    return evolve(wish, asked_by=confirmed(wish.asked_by, hits))
        raise await self._refused(wish, hits)

    async def _refused(self, wish: wishes.Wish, hits: Sequence[SecretHit]) -> Fault:
        await to_the_end(self._writer.run(lambda txn: txn.append(secret_row(wish, hits, txn.stamp))))
        return secret_found(hits)

    async def _follow(self, opened: Opened, asker: Asker, *, cancelled: bool) -> Receipt:
        match opened:
            case Receipt():
                return opened
            case Refused():
                raise opened.fault
            case Waiting() if cancelled:
                await to_the_end(self._abandon(opened.proposal, asker))
                raise asyncio.CancelledError
            case Waiting():
                return await self._wait(opened, asker)
            case _:
                assert_never(opened)

    async def made(self, receipt: Receipt) -> Receipt:
        """The receipt of a commit, once its page files are written, too. Raises what became of those."""
        if receipt.pages:
            await to_the_end(self._pages.finish(receipt))
        return receipt

    async def create(self, change: Change, author: Author, asker: Asker) -> StoredProposal:
        """Store a wish for the inbox and ask nobody; where the same waits already, that one is returned.

        Raises the plan's faults, ``INVALID_INPUT`` for texts over the limit, ``WRITE_DENIED`` for a full
        queue and where a policy refuses the change.
        """
        wish = wishes.Wish(
            change=change, author=author, asked_by=asker.described(), label_is_ours=may_be_ours(change)
        )
        hits, _ = await to_the_end(self._screened(change, asker, root="$.change"))
        if hits:
            raise await self._refused(wish, hits)
        rules = self._rules_for(homes_of(change, author))
        made, _ = await self._write(lambda txn: wishes.create_wish(txn, wish, rules))
        if isinstance(made, Refused):
            raise made.fault
        return made.proposal

    async def approve(
        self, proposal_id: str, shown_hash: str, asker: Asker
    ) -> tuple[StoredProposal, Receipt]:
        """Decide a pending proposal with yes, for the content with ``shown_hash``.

        Raises ``PROPOSAL_NOT_FOUND`` when it is not pending, ``WRITE_DENIED`` (outcome ``cancelled``) when
        the change is no longer what that hash names, which leaves it pending, and the re-check's fault.
        """
        proposal = await self.stored(proposal_id)
        settled = await self._settle(proposal, Allowed(by=decider(asker, via="inbox"), hash=shown_hash))
        match settled:
            case Receipt():
                return await self.stored(proposal_id), await self.made(settled)
            case Refused():
                raise settled.fault
            case Drifted():
                raise write_denied(Outcome.CANCELLED, proposal_id, reason="changed", suggestion=_LOOK_AGAIN)
            case Late():
                raise proposal_not_found(proposal_id)
            case _:
                assert_never(settled)

    async def dismiss(self, proposal_id: str, asker: Asker, *, reason: str | None = None) -> StoredProposal:
        """Decide a pending proposal with no; ``reason`` goes into the ledger.

        Raises ``PROPOSAL_NOT_FOUND`` when it is not pending, ``INVALID_INPUT`` for a secret in the reason.
        """
        await self.screen.require_none("$.reason", reason)
        proposal = await self.stored(proposal_id)
        by = decider(asker, via="inbox")
        if isinstance(await self.close(proposal, by, Outcome.REJECTED, reason=reason), Late):
            raise proposal_not_found(proposal_id)
        return await self.stored(proposal_id)

    async def taint(self, author: Author, sources: Sequence[str], asker: Asker) -> tuple[str, ...]:
        """Note that a session has read untrusted material; everything that is known of it then.

        Raises ``INVALID_INPUT`` for a secret in what it has read.
        """
        for index, source in enumerate(sources):
            await self.screen.require_none(f"$.sources[{index}]", source)
        known, _ = await to_the_end(
            self._writer.run(lambda txn: taint(txn, author, sources, asker.described()))
        )
        return known

    async def sweep(self) -> None:
        """Close expired proposals, and tell the ledger of those whose caller is gone; clients hear of both.

        Of facts whose ttl has run out since the last time the ledger is told, too. Page writes that a process
        which is gone left behind are made.

        It is gone when its process died, or when the store could not take the decision. Of a question that
        another process put, clients hear through the feed.
        """

        def work(txn: Transaction) -> list[StoredProposal]:
            left = [stored for stored in txn.waited_for() if not self._awaited(stored)]
            for stored in left:
                steps.leave_pending(txn, stored, Decider(via="approval", policy=WritePolicy.ASK))
            return left

        left, cancelled = await self._write(work)
        for stored in left:
            if stored.waiter == self._store.presence.token:
                self._announce(stored, Outcome.UNAVAILABLE, None)
        more = True
        while more and not cancelled:
            more, cancelled = await self._write(Transaction.note_expired)
        if cancelled:
            raise asyncio.CancelledError
        await self._pages.replay()
        await self.grants.sweep()

    async def _write(self, work: Callable[[Transaction], T]) -> tuple[T, bool]:
        """Close what has expired and do ``work``, in one transaction, to its end; see :func:`to_the_end`."""
        (expired, done), cancelled = await to_the_end(
            self._writer.run(lambda txn: (steps.expire(txn), work(txn)))
        )
        for stored in expired:
            self._decided(stored, Outcome.CANCELLED, steps.EXPIRY)
        return done, cancelled

    def _awaited(self, stored: StoredProposal) -> bool:
        """Whether a live caller waits for the decision, in this process or another."""
        if stored.waiter is None or stored.waiter == self._store.presence.token:
            return stored.id in self._claimed
        return self._store.presence.alive(stored.waiter)

    async def _wait(self, waiting: Waiting, asker: Asker) -> Receipt:
        proposal, ask = waiting.proposal, waiting.ask
        timeout_s = self._rules(proposal).settings.approval_timeout_seconds
        deadline_ms = self._stamp().now_ms + timeout_s * 1000
        with self.decisions.watching(proposal.id) as elsewhere:
            try:
                for _ in range(1 + REASKS_MAX):
                    shown = question(ask, proposal.id, deadline_ms)
                    wait_ms = deadline_ms - self._stamp().now_ms
                    self._announcer.asked(asked(shown), workspaces_of(shown))
                    answering = own_answer(shown, proposal, asker, self._store, self.decisions)
                    by = decider(asker, via="approval")
                    verdict = await wait_for(answering, shown, by, elsewhere, wait_ms)
                    settled = await self.conclude(proposal, ask, verdict)
                    if not isinstance(settled, Drifted):
                        return await self._answer(settled, proposal)
                    ask = settled.ask
                return await self._answer(await self.close(proposal, by, Outcome.CANCELLED), proposal)
            except DecidedElsewhere:
                return await self._decided_elsewhere(proposal)
            except asyncio.CancelledError:
                abandoned, _ = await to_the_end(self._abandon(proposal, asker))
                if asker.closing and isinstance(abandoned, Refused):
                    # A client that is shutting down still reads its answer: the wish waits in the inbox.
                    raise abandoned.fault from None
                raise
            finally:
                self._store.reach.let_go(proposal.id)

    async def conclude(self, proposal: StoredProposal, ask: Ask, verdict: Verdict) -> Settled:
        """What follows from the answer to a question, in one transaction; tells everybody of it."""
        match verdict:
            case Allowed():
                grant = (
                    grant_for(ask.plan, ask.kind, warned=bool(ask.warnings)) if verdict.for_session else None
                )
                if grant is not None:
                    # The proposal, too, says what was allowed with it.
                    verdict = evolve(verdict, by=evolve(verdict.by, for_session=True))
                return await self._settle(proposal, verdict, grant)
            case Denied(by=by, outcome=outcome):
                return await self.close(proposal, by, outcome)
            case Unreachable(by=by):
                return await self._leave(proposal, by)
            case _:
                assert_never(verdict)

    async def _settle(
        self, proposal: StoredProposal, allowed: Allowed, grant: Grant | None = None
    ) -> Settled:
        rules = self._rules(proposal)

        def work(txn: Transaction) -> Settled:
            settled = steps.settle(txn, proposal.id, allowed, rules)
            if isinstance(settled, Receipt) and settled.seqs and grant is not None:
                self.grants.give(txn, grant, allowed.by, seq=settled.seqs[-1], holder=proposal.waiter)
            return settled

        settled, cancelled = await to_the_end(self._writer.run(work))
        if cancelled and isinstance(settled, Drifted):
            raise asyncio.CancelledError
        if isinstance(settled, Receipt):
            self._decided(proposal, Outcome.ALLOWED_ONCE, allowed.by)
        elif isinstance(settled, Refused):
            self._decided(proposal, settled.outcome, settled.by)
        return settled

    async def close(
        self, proposal: StoredProposal, by: Decider, outcome: Outcome, *, reason: str | None = None
    ) -> Refused | Late:
        """Close a pending proposal with a denial."""

        def work(txn: Transaction) -> Refused | Late:
            stored = steps.pending(txn, proposal.id)
            return stored if isinstance(stored, Late) else steps.deny(txn, stored, by, outcome, reason=reason)

        closed, _ = await to_the_end(self._writer.run(work))
        if isinstance(closed, Refused):
            self._decided(proposal, outcome, by)
        return closed

    async def _leave(self, proposal: StoredProposal, by: Decider) -> Refused | Late:
        def work(txn: Transaction) -> Refused | Late:
            stored = steps.pending(txn, proposal.id)
            return stored if isinstance(stored, Late) else steps.leave_pending(txn, stored, by)

        left, _ = await to_the_end(self._writer.run(work))
        if isinstance(left, Refused):
            self._announce(proposal, Outcome.UNAVAILABLE, None)
        return left

    async def _abandon(self, proposal: StoredProposal, asker: Asker) -> Refused | Late:
        by = decider(asker, via="approval")
        if asker.closing:
            return await self._leave(proposal, by)
        return await self.close(proposal, by, Outcome.CANCELLED)

    async def _answer(self, settled: Receipt | Refused | Late, proposal: StoredProposal) -> Receipt:
        match settled:
            case Receipt():
                return settled
            case Refused():
                raise settled.fault
            case Late():
                return await self._decided_elsewhere(proposal)
            case _:
                assert_never(settled)

    async def ask_now(self, stored: StoredProposal) -> Ask:
        """A pending proposal as it would be asked now. Raises the plan's faults."""
        return await current_ask(
            self._store, self._pages.files, stored, self._rules(stored).settings.budgets, self._stamp()
        )

    async def _decided_elsewhere(self, proposal: StoredProposal) -> Receipt:
        """The caller's answer to a decision that came through another connection or process."""
        stored = await self.stored(proposal.id)
        if stored.status is not ProposalStatus.APPROVED:
            raise write_denied(final_outcome(stored), proposal.id)

        limit = self._rules(stored).settings.budgets.limit

        def look(db: Connection) -> Receipt:
            view = View(db)
            steps_made, seqs = view.change_by(proposal.id)
            entries = of_entries(steps_made)
            layers = dict.fromkeys(layer_of(step.entry) for step in entries)
            return Receipt(
                steps=entries,
                facts=of_facts(steps_made),
                pages=of_pages(steps_made),
                usage=tuple(
                    Usage(
                        track=layer.track,
                        scope=layer.scope,
                        used=view.used(layer),
                        limit=limit(layer.track, layer.scope),
                    )
                    for layer in layers
                ),
                seqs=seqs,
            )

        return await self._store.reading.run(look)

    async def stored(self, proposal_id: str) -> StoredProposal:
        """The proposal as it is. Raises ``PROPOSAL_NOT_FOUND``."""
        stored = await self._store.reading.run(reads.proposal, proposal_id)
        if stored is None:
            raise proposal_not_found(proposal_id)
        return stored

    def _rules(self, proposal: StoredProposal) -> Rules:
        return self._rules_for(proposal.homes)

    def _decided(self, proposal: StoredProposal, outcome: Outcome, by: Decider | None) -> None:
        self.decisions.decided(proposal.id)
        self._announce(proposal, outcome, by)

    def _announce(self, proposal: StoredProposal, outcome: Outcome, by: Decider | None) -> None:
        event = ApprovalDecided(id=proposal.id, outcome=outcome, by=by.decided_by() if by else None)
        self._announcer.decided(event, proposal.author.workspace_key)
