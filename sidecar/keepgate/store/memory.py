"""The canonical writer: the only door through which entries, facts and proposals change.

Invariant: only ``gate`` and ``boot`` import this module (``protected`` contract).
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Approved
from keepgate.core.writing.change import Change
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.page_steps import PageFiles
from keepgate.core.writing.proposal import StoredProposal
from keepgate.core.writing.states import fact_state_of
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store import committing, facts, grants, page_writes, reads, writing
from keepgate.store.appending import FACT, PROPOSAL, Appender
from keepgate.store.connection import Connection
from keepgate.store.grants import Given, Leave
from keepgate.store.open import Store
from keepgate.store.view import View

T = TypeVar("T")


class Writer:
    """Runs work in canonical transactions, one after the other."""

    def __init__(self, store: Store, files: PageFiles | None = None) -> None:
        self._store: Final = store
        self._files: Final = files

    async def run(self, work: "Callable[[Transaction], T]") -> T:
        """Run ``work`` in one immediate transaction; when it raises, nothing of it is stored.

        ``work`` runs in the lane's thread. A cancelled caller's work that has begun still ends and is
        announced. Raises ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY`` and what ``work`` raises.
        """
        return await self.beside(lambda db: self.within(db, work))

    async def beside(self, job: Callable[[Connection], T]) -> T:
        """Run a job in the lane's thread that does more than one transaction; each is :meth:`within`."""
        return await self._store.canonical.run(job)

    def within(self, db: Connection, work: "Callable[[Transaction], T]") -> T:
        """What :meth:`run` does, for jobs that are in the lane's thread already."""
        store, key = self._store, self._store.key()

        def made(db: Connection) -> T:
            # The moment is taken once the lock is held: rows follow one another in time, too.
            return work(Transaction(db, Appender(db, key, store.stamp_maker(), store.origin), self._files))

        result = store.canonical.transact(db, made)
        store.announce()
        return result


class Transaction(View):
    """The store inside one canonical transaction: what a plan reads, and what the gate may write.

    ``stamp`` is the transaction's moment; everything in it happens then.
    """

    def __init__(self, db: Connection, appender: Appender, files: PageFiles | None) -> None:
        super().__init__(db, files)
        self._appender: Final = appender
        self.stamp: Final = appender.stamp

    # Proposals.

    def proposal(self, proposal_id: str) -> StoredProposal | None:
        """The proposal with that id."""
        return reads.proposal(self._db, proposal_id)

    def propose(self, stored: StoredProposal) -> None:
        """Store a pending proposal."""
        writing.insert_proposal(self._db, stored)
        self._tell(stored)

    def reask(self, proposal_id: str, *, hash: str, text: str) -> StoredProposal:  # noqa: A002 - the wire's word
        """Put a pending proposal's question anew. Raises ``PROPOSAL_NOT_FOUND``."""
        return self._tell(writing.reask_proposal(self._db, proposal_id, hash=hash, text=text))

    def attach(
        self, proposal_id: str, *, waiter: str, session_id: str, asked_by: Mapping[str, Any]
    ) -> StoredProposal:
        """Put a new caller, of the process with this token, in the place of the one who asked first.

        What is committed then carries the new session. Raises ``PROPOSAL_NOT_FOUND``.
        """
        return self._tell(
            writing.attach_to_proposal(
                self._db, proposal_id, waiter=waiter, session_id=session_id, asked_by=asked_by
            )
        )

    def release(self, proposal_id: str) -> StoredProposal:
        """Note that nobody waits any more; the proposal stays pending. Raises ``PROPOSAL_NOT_FOUND``."""
        return self._tell(writing.release_proposal(self._db, proposal_id))

    def close(
        self,
        proposal_id: str,
        *,
        status: ProposalStatus,
        outcome: str | None,
        by: Mapping[str, Any] | None,
    ) -> StoredProposal:
        """Give a pending proposal its final state. Raises ``PROPOSAL_NOT_FOUND`` when it has one already."""
        decided_at = self.stamp.now_ms
        return self._tell(
            writing.close_proposal(
                self._db, proposal_id, status=status, outcome=outcome, decided_at=decided_at, by=by
            )
        )

    def pending_like(self, change: Change, author: Author, hash: str) -> StoredProposal | None:  # noqa: A002
        """A pending proposal for the same change and content, of the same workspace and agent."""
        return writing.pending_like(self._db, change, author, hash)

    def pending_counts(self, session_id: str, workspace_key: str) -> tuple[int, int]:
        """Pending proposals of the session, and of the workspace."""
        return writing.pending_counts(self._db, session_id, workspace_key)

    def due(self) -> list[StoredProposal]:
        """Pending proposals whose time is up."""
        return writing.due(self._db, self.stamp.now_ms)

    def waited_for(self) -> list[StoredProposal]:
        """Pending proposals that name a waiter, alive or not."""
        return reads.waited_for(self._db)

    def end_page_write(self, write_id: int, state: str) -> bool:
        """Give a page write its final state; ``False`` when it has one already."""
        return page_writes.end(self._db, write_id, state)

    def holds_grant(self, leave: Leave) -> bool:
        """Whether a person gave this leave for the rest of a session."""
        return grants.holds(self._db, leave)

    def give_grant(self, given: Given) -> bool:
        """Store a leave for the rest of a session; false where there is the same already."""
        return grants.give(self._db, given)

    def take_grants(self, ids: Collection[str]) -> list[Given]:
        """End leaves; those that there were."""
        return grants.take(self._db, ids)

    # The ledger.

    def note_expired(self) -> bool:
        """Tell the ledger of facts whose ttl has run out, each once; whether there may be more of them."""
        found = facts.run_out(self._db, self.stamp.now_ms)
        for fact in found:
            columns = committing.home_columns(fact.home)
            seq = self._appender.append(
                Row(
                    ts=self.stamp.now_ms,
                    action="expire",
                    decision=Decision.NOTE,
                    outcome="ttl",
                    entry_id=fact.fact_id,
                    payload={"after": fact_state_of(fact)},
                    **columns,
                )
            )
            self._appender.feed(
                FACT,
                ledger_seq=seq,
                entry_id=fact.fact_id,
                workspace_key=fact.home,
                scope=columns["scope"],
                status="expire",
            )
        return len(found) == facts.RUN_OUT_AT_ONCE

    def append(self, row: Row) -> int:
        """Append a ledger row that changes no entry: a denial, a refusal, a note. Returns its seq.

        Raises ``ValueError`` for an allowed row: those come from :meth:`commit` alone.
        """
        if row.decision is Decision.ALLOWED:
            raise ValueError("allowed rows are written by commit()")
        return self._appender.append(row)

    def commit(self, approved: Approved, *, proposal_id: str | None) -> tuple[int, ...]:
        """Store an approved change with all that follows from it; the seqs of its ledger rows.

        Raises ``LookupError`` when the plan was made on another state of the store than this transaction's.
        """
        return committing.commit(self._db, self._appender, approved, proposal_id)

    def _tell(self, stored: StoredProposal) -> StoredProposal:
        self._appender.feed(
            PROPOSAL,
            proposal_id=stored.id,
            workspace_key=stored.author.workspace_key,
            agent_key=stored.author.agent_key,
            track=stored.track,
            scope=stored.scope,
            session_id=stored.author.session_id,
            status=stored.status,
        )
        return stored
