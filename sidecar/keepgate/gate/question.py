"""From an ask to what fronts and listeners receive."""

from collections.abc import Mapping
from typing import Any

from keepgate.core.writing.ask import Ask
from keepgate.gate.policies import grant_for
from keepgate.protocol.entries import UNSET
from keepgate.protocol.proposals import ApprovalAsked, ApprovalRequestParams


def question(
    ask: Ask, proposal_id: str, deadline_ms: int, client: Mapping[str, Any] | None = None
) -> ApprovalRequestParams:
    """The structured question: the whole change, nothing left out."""
    before, after = ask.from_to
    return ApprovalRequestParams(
        id=proposal_id,
        action=str(ask.kind),
        track=str(ask.track),
        scope=str(ask.scope),
        workspace_key=ask.workspace_key,
        agent_key=ask.plan.author.agent_key,
        source=ask.source,
        session_id=ask.plan.author.session_id,
        text=ask.text,
        hash=ask.hash,
        deadline=deadline_ms,
        warnings=list(ask.warnings),
        from_=before,
        to=after,
        targets=list(ask.targets),
        entries=list(ask.entries),
        facts=list(ask.facts),
        pages=list(ask.pages),
        usage=[use.usage for use in ask.plan.uses],
        count=ask.count,
        client=dict(client) if client is not None else None,
        # What no leave can follow is not offered: a button that does nothing teaches people to click.
        for_session=grant_for(ask.plan, ask.kind, warned=bool(ask.warnings)) is not None,
    )


def asked(shown: ApprovalRequestParams) -> ApprovalAsked:
    """The notification that goes out before a question."""
    return ApprovalAsked(
        id=shown.id,
        action=shown.action,
        track=shown.track,
        scope=shown.scope,
        workspace_key=shown.workspace_key,
        agent_key=shown.agent_key,
        source=shown.source,
        session_id=shown.session_id,
        text=shown.text,
        hash=shown.hash,
        deadline=shown.deadline,
        warnings=shown.warnings,
        count=shown.count,
        facts=shown.facts or UNSET,
    )


def workspaces_of(shown: ApprovalRequestParams) -> frozenset[str]:
    """The workspaces whose memories a question shows; a batch may speak of several."""
    of_entries = (entry.workspace_key for entry in shown.entries)
    of_facts = (fact.workspace_key for fact in shown.facts)
    of_pages = (page.workspace_key for page in shown.pages)
    return frozenset({shown.workspace_key, *of_entries, *of_facts, *of_pages}) - {""}
