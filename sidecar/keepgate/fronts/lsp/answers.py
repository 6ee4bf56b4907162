"""What the end of a request's task is, as the one answer that its client gets (docs/protocol.md)."""

import asyncio
from typing import Any

from attrs import frozen

from keepgate.fronts.stdio.logs import incident
from keepgate.fronts.stdio.messages import Json, MessageId, failure, success
from keepgate.protocol.errors import Fault, RpcNumber
from keepgate.service.after_reply import AfterReply


@frozen
class Reply:
    """What an operation returned as JSON, and what it owes once that is written out."""

    result: Any
    after: AfterReply


def answer_of(number: MessageId, task: asyncio.Task[Any]) -> Json:
    """The answer to the request that ``task`` has served; the task is done."""
    if task.cancelled():
        return failure(number, RpcNumber.REQUEST_CANCELLED, "the request was cancelled")
    match task.exception():
        case None:
            outcome = task.result()
            return success(number, outcome.result if isinstance(outcome, Reply) else outcome)
        case Fault() as fault:
            return failure(number, fault.number, fault.message, fault.data())
        case error:
            return incident_answer(number, error)


def incident_answer(number: MessageId, error: BaseException) -> Json:
    """The answer to a request that failed in an unforeseen way: an id to find it by in the log, no more."""
    return failure(number, RpcNumber.INTERNAL_ERROR, "internal error", {"incident": incident(error)})
