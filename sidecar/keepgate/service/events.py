"""What connections are told: questions and decisions of their workspaces, and commits of any process."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from keepgate.core.model.viewer import Viewer
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.receipt import final_outcome
from keepgate.protocol.lifecycle import MemoryEvent
from keepgate.protocol.proposals import ApprovalAsked, ApprovalDecided, ProposalsDidChange, ProposalStatus
from keepgate.service.connection import Connection
from keepgate.store.feed import FeedEvent

MEMORY_KINDS: Final = frozenset({
    "memory/added", "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot",
})  # fmt: skip
PROPOSAL_KIND: Final = "proposals/didChange"
"""Kinds of feed rows are the names of the notifications that they become."""


class Broadcast:
    """Sends each event to the connections that may know of it. Implements the gate's ``Announcer``."""

    def __init__(self, connections: Callable[[], Iterable[Connection]]) -> None:
        self._connections = connections

    def asked(self, event: ApprovalAsked, workspaces: Collection[str]) -> None:
        """Before a question. A batch over several folders goes to those who have all of them open."""
        self._send("approval/asked", event, workspaces)

    def decided(self, event: ApprovalDecided, workspace_key: str) -> None:
        """After it."""
        self._send("approval/decided", event, _of(workspace_key))

    def elsewhere(self, stored: StoredProposal) -> None:
        """A question that another process puts, or a decision that was made there."""
        if stored.status is ProposalStatus.PENDING:
            if stored.waiter is None:
                return  # Nobody is being asked: it lies in the inbox.
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
            return
        by = None if stored.decided_by is None else dict(stored.decided_by)
        event = ApprovalDecided(id=stored.id, outcome=final_outcome(stored), by=by)
        self.decided(event, stored.author.workspace_key)

    def happened(self, event: FeedEvent) -> None:
        """A commit of this or another process."""
        if event.kind == PROPOSAL_KIND and event.proposal_id and event.status:
            changed = ProposalsDidChange(id=event.proposal_id, status=ProposalStatus(event.status))
            self._send(event.kind, changed, _of(event.workspace_key))
        elif event.kind in MEMORY_KINDS:
            self._send(event.kind, _memory_event(event), _of(event.workspace_key))

    def _send(self, method: str, params: Any, workspaces: Collection[str]) -> None:
        for connection in self._connections():
            if Viewer(workspaces=connection.keys, agent_key=None).sees_keys(workspaces, ""):
                connection.peer.notify(method, params)


def _of(workspace_key: str | None) -> Collection[str]:
    return (workspace_key,) if workspace_key else ()


def _memory_event(event: FeedEvent) -> MemoryEvent:
    return MemoryEvent(
        seq=event.ledger_seq or 0,
        id=event.entry_id,
        track=event.track,
        scope=event.scope,
        session_id=event.session_id,
    )
