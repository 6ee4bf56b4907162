"""The canonical writer: the only door through which entries and proposals change.

Invariant: only ``gate`` and ``boot`` import this module (``protected`` contract).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Approved
from keepgate.core.writing.change import Change, Seed
from keepgate.core.writing.ledger import Decision, Row, state_of
from keepgate.core.writing.mutation import Mutation
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.entries import Entry
from keepgate.protocol.proposals import Outcome, ProposalStatus
from keepgate.store import reads, writing
from keepgate.store.appending import ADDED, PROPOSAL, REMOVED, UPDATED, Appender
from keepgate.store.connection import Connection
from keepgate.store.open import Store
from keepgate.store.view import View

T = TypeVar("T")


class Writer:
    """Runs work in canonical transactions, one after the other."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    async def run(self, work: "Callable[[Transaction], T]") -> T:
        """Run ``work`` in one immediate transaction; when it raises, nothing of it is stored.

        ``work`` runs in the lane's thread. A cancelled caller's work that has begun still ends and is
        announced. Raises ``STORE_BUSY``, ``STORE_FULL``, ``STORE_READ_ONLY`` and what ``work`` raises.
        """
        store = self._store

        def job(db: Connection) -> T:
            key = store.key()
            # The moment is taken once the lock is held: rows follow one another in time, too.
            result = store.canonical.transact(
                db, lambda db: work(Transaction(db, Appender(db, key, store.stamp_maker(), store.origin)))
            )
            store.announce()
            return result

        return await store.canonical.run(job)


class Transaction(View):
    """The store inside one canonical transaction: what a plan reads, and what the gate may write.

    ``stamp`` is the transaction's moment; everything in it happens then.
    """

    def __init__(self, db: Connection, appender: Appender) -> None:
        super().__init__(db)
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
        return writing.waited_for(self._db)

    # The ledger.

    def append(self, row: Row) -> int:
        """Append a ledger row that changes no entry: a denial, a refusal, a note. Returns its seq.

        Raises ``ValueError`` for an allowed row: those come from :meth:`commit` alone.
        """
        if row.decision is Decision.ALLOWED:
            raise ValueError("allowed rows are written by commit()")
        return self._appender.append(row)

    def commit(self, approved: Approved, *, proposal_id: str | None) -> tuple[int, ...]:
        """Store an approved change: ledger rows, entries, totals, index and feed. The seqs of its rows.

        Raises ``LookupError`` when the plan was made on another state of the store than this transaction's.
        """
        ask = approved.ask
        steps = ask.plan.mutations
        summaries = 1 if isinstance(ask.plan.change, Seed) else 0
        length = len(steps) + summaries
        seqs = []
        if summaries:
            summary = {"text": ask.text, "of": [0, length]}
            seqs.append(self._append_allowed(approved, proposal_id, _summary_columns(approved), summary))
        for place, step in enumerate(steps, summaries):
            payload = {
                "before": state_of(step.before) if step.before else None,
                "after": state_of(step.after) if step.after else None,
                "of": [place, length],
            }
            columns = _entry_columns(step.entry, step.action)
            seq = self._append_allowed(approved, proposal_id, columns, payload)
            self._apply(step, seq, proposal_id, ask.plan.author.session_id)
            seqs.append(seq)
        return tuple(seqs)

    def _append_allowed(
        self,
        approved: Approved,
        proposal_id: str | None,
        columns: Mapping[str, Any],
        payload: Mapping[str, Any],
    ) -> int:
        return self._appender.append(
            Row(
                ts=self.stamp.now_ms,
                decision=Decision.ALLOWED,
                outcome=approved.by.label(Outcome.ALLOWED_ONCE),
                session_id=approved.ask.plan.author.session_id,
                proposal_id=proposal_id,
                shown_hash=approved.ask.hash,
                by=approved.by.by(),
                payload=payload,
                **columns,
            )
        )

    def _apply(self, step: Mutation, seq: int, proposal_id: str | None, session_id: str) -> None:
        if step.before is None:
            writing.insert_entry(self._db, step.entry, seq)
        elif step.after is None:
            writing.delete_entry(self._db, step.before)
        else:
            writing.rewrite_entry(self._db, step.before, step.after, seq)
        kind = ADDED if step.before is None else REMOVED if step.after is None else UPDATED
        entry = step.entry
        self._appender.feed(
            kind,
            ledger_seq=seq,
            entry_id=entry.id,
            proposal_id=proposal_id,
            workspace_key=entry.workspace_key,
            agent_key=entry.agent_key,
            track=entry.track,
            scope=entry.scope,
            session_id=session_id,
        )

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


def _entry_columns(entry: Entry, action: str) -> dict[str, Any]:
    return {
        "action": action,
        "track": entry.track,
        "scope": entry.scope,
        "workspace_key": entry.workspace_key,
        "agent_key": entry.agent_key,
        "entry_id": entry.id,
        "source": entry.source,
    }


def _summary_columns(approved: Approved) -> dict[str, Any]:
    plan = approved.ask.plan
    entries = [step.entry for step in plan.mutations]
    homes = frozenset(entry.workspace_key for entry in entries) - {""}
    # The summary holds every text, so it is in view only where all of them may be.
    private = any(entry.agent_key for entry in entries)
    return {
        "action": "seed",
        "source": approved.ask.source,
        "workspace_key": min(homes, default=""),
        "homes": homes,
        "agent_key": plan.author.agent_key if private else "",
    }
