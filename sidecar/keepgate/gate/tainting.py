"""Sessions that have read untrusted material: noted in the ledger, from where every process knows of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from keepgate.core.model.viewer import Author
from keepgate.core.writing.ask import Ask
from keepgate.core.writing.cautions import QUARANTINED, TAINTED
from keepgate.core.writing.ledger import Decision, Row
from keepgate.protocol.settings import WritePolicy
from keepgate.store.memory import Transaction

TAINT: Final = "taint"
"""The ledger's action."""


def taint(
    txn: Transaction, author: Author, sources: Sequence[str], described: Mapping[str, Any]
) -> tuple[str, ...]:
    """Note what a session has read; returns all that is known of it. What is known already adds no row."""
    known = txn.taint(author.session_id, author.workspace_key)
    new = [source for source in dict.fromkeys(sources) if source not in known]
    if not new:
        return known
    txn.append(
        Row(
            ts=txn.stamp.now_ms,
            action=TAINT,
            decision=Decision.NOTE,
            outcome="declared",
            workspace_key=author.workspace_key,
            agent_key=author.agent_key,
            session_id=author.session_id,
            by={"via": "session", **described},
            payload={"text": "\n".join(new), "sources": new},
        )
    )
    return (*known, *new)


def tightened(policy: WritePolicy, ask: Ask) -> WritePolicy:
    """The policy of a change once it is known who wants it: none allows what a session wishes that is
    tainted, or whose memories are in quarantine.
    """
    is_tainted = any(caution.kind in (TAINTED, QUARANTINED) for caution in ask.warnings)
    return WritePolicy.ASK if is_tainted and policy is WritePolicy.AUTO else policy
