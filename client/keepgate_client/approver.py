"""Answering the question whether a write may happen (docs/protocol.md).

An approver is a function from the structured question to an answer. It must show a person all of what it
is given; the answers built here echo the question's hash, which is how the sidecar knows that the answer
belongs to what was shown.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, Outcome
from keepgate.protocol.wire import structure, unstructure

Approver = Callable[[ApprovalRequestParams], ApprovalAnswer | Awaitable[ApprovalAnswer]]
"""Takes as long as the person does. One that raises counts as unreachable: the wish stays in the inbox."""

ALLOWED_SESSION = "allowed-session"


def allow_once(ask: ApprovalRequestParams) -> ApprovalAnswer:
    """Yes to this change."""
    return ApprovalAnswer(outcome=Outcome.ALLOWED_ONCE, hash=ask.hash)


def allow_session(ask: ApprovalRequestParams) -> ApprovalAnswer:
    """Yes to this change, and to more of its kind in its layer while its session lasts.

    The sidecar grants that for adding alone, and never for user-global writes or with warnings.
    """
    return ApprovalAnswer(outcome=ALLOWED_SESSION, hash=ask.hash)


def reject(ask: ApprovalRequestParams) -> ApprovalAnswer:
    """No."""
    return ApprovalAnswer(outcome=Outcome.REJECTED, hash=ask.hash)


def dismiss(ask: ApprovalRequestParams) -> ApprovalAnswer:
    """Closed without an answer, which denies the change too (outcome ``cancelled``)."""
    return ApprovalAnswer(outcome=Outcome.CANCELLED, hash=ask.hash)


async def answer(approver: Approver, params: Any) -> Any:
    """Put the JSON params of ``approval/request`` to an approver; returns the JSON result."""
    answered = approver(structure(params, ApprovalRequestParams))
    if inspect.isawaitable(answered):
        answered = await answered
    return unstructure(answered)
