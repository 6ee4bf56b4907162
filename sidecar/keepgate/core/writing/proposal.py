"""A proposal as the store keeps it: the wish, the question put to the person, and what became of it."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Change, homes_of
from keepgate.protocol.proposals import ChangeKind, Proposal, ProposalStatus


@frozen(kw_only=True)
class StoredProposal:
    """One wish. ``text`` and ``hash`` are those of the newest question; times are epoch milliseconds.

    ``author`` and ``asked_by`` are those of the newest caller. ``waiter`` is the presence token of the
    process whose caller waits for the decision, ``None`` when nobody does any more.
    """

    id: str
    status: ProposalStatus
    change: Change
    author: Author
    kind: ChangeKind
    track: str
    scope: str
    source: str | None
    text: str
    hash: str
    asked_by: Mapping[str, Any]
    waiter: str | None
    created_at: int
    expires_at: int
    decided_at: int | None = None
    outcome: str | None = None
    decided_by: Mapping[str, Any] | None = None

    @property
    def homes(self) -> frozenset[str]:
        """All workspaces that the wish speaks of."""
        return homes_of(self.change, self.author)

    def shown(self) -> Proposal:
        """The proposal as lists show it."""
        return Proposal(
            id=self.id,
            kind=self.kind,
            status=self.status,
            track=self.track,
            scope=self.scope,
            workspace_key=self.author.workspace_key,
            agent_key=self.author.agent_key,
            source=self.source,
            session_id=self.author.session_id,
            text=self.text,
            hash=self.hash,
            created_at=self.created_at,
            expires_at=self.expires_at,
            decided_at=self.decided_at,
            outcome=self.outcome,
        )
