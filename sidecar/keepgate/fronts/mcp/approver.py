"""Asking the person behind an MCP client, where it can be asked."""

from typing import Any, Final

import anyio
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult
from pydantic import ValidationError

from keepgate.fronts.mcp.rounds import current_call, elicited
from keepgate.fronts.stdio.question import message_of
from keepgate.gate.approvers import Approver, NobodyThere
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams

DECISION: Final = "decision"
ALLOW_ONCE: Final = "Allow once"
ALLOW_SESSION: Final = "Allow for this session"
REJECT: Final = "Reject"
_ANSWERS: Final = {ALLOW_ONCE: "allowed-once", ALLOW_SESSION: "allowed-session", REJECT: "rejected"}


def form_for(question: ApprovalRequestParams) -> dict[str, Any]:
    """The form of a question; it offers the session only where a leave for it can follow."""
    offered = [title for title in _ANSWERS if question.for_session or title != ALLOW_SESSION]
    decision = {
        "type": "string",
        "title": "Decision",
        "description": "Whether this may be stored.",
        "enum": offered,
    }
    return {"type": "object", "properties": {DECISION: decision}, "required": [DECISION]}


def approver_for(session: ServerSession) -> Approver | None:
    """The way to the person of this client, found out from what it announced; ``None``: there is none.

    Other windows are asked before it, and waited for where there is none.
    """
    said = session.client_capabilities
    offer = said.elicitation if said is not None else None
    # A bare announcement means forms; one that names URLs alone does not.
    if offer is None or (offer.form is None and offer.url is not None):
        return None
    return ElicitingApprover(session) if session.can_send_request else AnsweringApprover()


class ElicitingApprover:
    """Asks with a form whose message holds the whole change. Only a choice made in it allows."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """See :class:`keepgate.gate.approvers.Approver`."""
        try:
            answer = await self._session.elicit_form(message_of(question), form_for(question))
        except (
            MCPError,
            ValidationError,
            anyio.ClosedResourceError,
            anyio.BrokenResourceError,
        ) as error:
            raise NobodyThere(f"the client could not ask: {type(error).__name__}") from error
        return ApprovalAnswer(outcome=_outcome(answer), hash=question.hash)


def _outcome(answer: ElicitResult) -> str:
    if answer.action == "decline":
        return "rejected"
    chosen = (answer.content or {}).get(DECISION) if answer.action == "accept" else None
    return _ANSWERS.get(chosen, "cancelled") if isinstance(chosen, str) else "cancelled"


class AnsweringApprover:
    """Asks with the same form where only answers can carry it: see ``rounds``."""

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """See :class:`keepgate.gate.approvers.Approver`."""
        call = current_call()
        if call is None:
            raise NobodyThere("no call carries the question")
        answer = await call.ask({"message": message_of(question), "requestedSchema": form_for(question)})
        return ApprovalAnswer(outcome=_outcome(elicited(answer)), hash=question.hash)
