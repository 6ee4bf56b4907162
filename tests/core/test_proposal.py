"""A stored proposal as lists show it (docs/protocol.md)."""

import attrs

from keepgate.core.writing.change import Add, Draft
from keepgate.core.writing.proposal import StoredProposal
from keepgate.protocol.proposals import ChangeKind, Proposal, ProposalStatus


def test_a_proposal_is_shown_with_its_author_and_without_its_change(layer, author) -> None:
    """Whose wish it is comes from the author; what waits for it and who decided stay inside."""
    draft = Draft(layer=layer(), agent_key="pilot", text="Knots.", tags=(), source="claude")
    told = {
        "id": "p-1", "status": ProposalStatus.PENDING, "kind": ChangeKind.ADD, "track": "user",
        "scope": "workspace", "source": "claude", "text": "Knots.",
        "hash": "ab" * 32, "created_at": 1, "expires_at": 2, "decided_at": 3, "outcome": "rejected",
    }  # fmt: skip
    stored = StoredProposal(
        change=Add(draft=draft),
        author=author("pilot"),
        asked_by={"client": "vim"},
        waiter="w-1",
        decided_by={"client": "emacs"},
        **told,
    )

    keys = {"agent_key": "pilot", "session_id": "s-1", "workspace_key": "/srv/tides"}
    assert told | keys == attrs.asdict(stored.shown())
    assert Proposal is type(stored.shown())
    assert {"/srv/tides"} == stored.homes
