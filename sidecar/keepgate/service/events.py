"""What connections are told: questions and decisions of their workspaces, and commits of any process."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from attrs import evolve

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.receipt import final_outcome
from keepgate.protocol.lifecycle import FactsDidChange, KeepgateStatus, MemoryEvent, PagesDidChange
from keepgate.protocol.proposals import (
    ApprovalAsked,
    ApprovalDecided,
    Outcome,
    ProposalsDidChange,
    ProposalStatus,
)
from keepgate.service.connection import Connection
from keepgate.store.feed import FeedEvent

MEMORY_KINDS: Final = frozenset({
    "memory/added", "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot",
})  # fmt: skip
FACT_KIND: Final = "facts/didChange"
PAGES_KIND: Final = "pages/didChange"
PROPOSAL_KIND: Final = "proposals/didChange"
"""Kinds of feed rows are the names of the notifications that they become."""
RESTORED_KIND: Final = "restored"
_RESTORED: Final = "a backup was put back; read again what you need"


class Broadcast:
    """Sends each event to the connections that may know of it. Implements the gate's ``Announcer``."""

    def __init__(self, connections: Callable[[], Iterable[Connection]]) -> None:
        self._connections = connections
        self._asked_elsewhere: set[str] = set()

    def asked(self, event: ApprovalAsked, workspaces: Collection[str]) -> None:
        """Before a question. A batch over several folders goes to those who have all of them open."""
        self._send("approval/asked", event, workspaces)

    def decided(self, event: ApprovalDecided, workspace_key: str) -> None:
        """After it."""
        self._asked_elsewhere.discard(event.id)
        self._send("approval/decided", event, _of(workspace_key))

    def has_to_look(self, event: FeedEvent, *, own_origin: str) -> bool:
        """Whether a change of a proposal is told by :meth:`elsewhere`; of its own wishes the gate tells.

        A question of another process that ended without notice is given up by whichever process sweeps.
        """
        given_up = event.status == ProposalStatus.PENDING and event.proposal_id in self._asked_elsewhere
        return event.origin != own_origin or given_up

    def elsewhere(self, event: FeedEvent, stored: StoredProposal) -> None:
        """A question that another process puts, a decision that was made there, or a wish it gave up.

        ``event`` says what happened, ``stored`` is what the proposal is by now.
        """
        if event.status != ProposalStatus.PENDING:
            by = None if stored.decided_by is None else dict(stored.decided_by)
            self._decided_elsewhere(stored, final_outcome(stored), by)
        elif _is_asked(stored):
            self._asked_elsewhere.add(stored.id)
            self.asked(
                ApprovalAsked(
                    id=stored.id,
                    action=stored.kind,
                    track=stored.track,
                    scope=stored.scope,
                    workspace_key=stored.author.workspace_key,
                    agent_key=stored.author.agent_key,
                    source=stored.source,
                    session_id=stored.author.session_id,
                    text=stored.text,
                    hash=stored.hash,
                    deadline=stored.expires_at,
                    warnings=[],
                ),
                stored.homes,
            )
        elif stored.status is ProposalStatus.PENDING and stored.id in self._asked_elsewhere:
            self._decided_elsewhere(stored, Outcome.UNAVAILABLE, None)

    def _decided_elsewhere(self, stored: StoredProposal, outcome: Outcome, by: dict[str, Any] | None) -> None:
        event = ApprovalDecided(id=stored.id, outcome=outcome, by=by)
        self.decided(event, stored.author.workspace_key)

    def restored(self, status: KeepgateStatus) -> None:
        """The whole store was put back to an earlier state: whatever was read before may be gone."""
        self._send("keepgate/status", evolve(status, message=_RESTORED), ())

    def happened(self, event: FeedEvent) -> None:
        """A commit of this or another process."""
        if event.kind == PROPOSAL_KIND and event.proposal_id and event.status:
            changed = ProposalsDidChange(id=event.proposal_id, status=ProposalStatus(event.status))
            self._send(event.kind, changed, _of(event.workspace_key))
        elif event.kind in MEMORY_KINDS:
            self._send(event.kind, _memory_event(event), _of(event.workspace_key))
        elif event.kind == FACT_KIND:
            self._send(event.kind, _fact_event(event), _of(event.workspace_key), local_only=True)
        elif event.kind == PAGES_KIND:
            changed_pages = PagesDidChange(workspace_key=event.workspace_key or "")
            self._send(event.kind, changed_pages, _of(event.workspace_key))

    def _send(
        self, method: str, params: Any, workspaces: Collection[str], *, local_only: bool = False
    ) -> None:
        for connection in self._connections():
            if local_only and connection.remote:
                continue
            if Viewer(workspaces=connection.keys, agent_key=None).sees_keys(workspaces, ""):
                connection.peer.notify(method, params)


def _is_asked(stored: StoredProposal) -> bool:
    """Whether a person is asked, or was, when the answer came before anyone could look."""
    by = stored.decided_by or {}
    answered = "connection" in by and by["connection"] == stored.asked_by.get("connection")
    return stored.waiter is not None or answered


def _of(workspace_key: str | None) -> Collection[str]:
    return (workspace_key,) if workspace_key else ()


def _fact_event(event: FeedEvent) -> FactsDidChange:
    return FactsDidChange(
        seq=event.ledger_seq or 0,
        id=event.entry_id or "",
        action=event.status or "",
        workspace_key=event.workspace_key or "",
        session_id=event.session_id,
    )


def _memory_event(event: FeedEvent) -> MemoryEvent:
    return MemoryEvent(
        seq=event.ledger_seq or 0,
        id=event.entry_id,
        track=event.track,
        scope=event.scope,
        session_id=event.session_id,
    )
