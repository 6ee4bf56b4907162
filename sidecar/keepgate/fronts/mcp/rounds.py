"""Calls that are answered in several rounds, as the newest revision asks a person.

It has no requests from the server: a call is answered with what is missing, and the client sends it again
with that. Meanwhile the call goes on here, as long as a person may take.
"""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from contextvars import ContextVar
from typing import Any, Final

from mcp_types import CallToolRequestParams, ElicitResult

QUESTION: Final = "approval"
"""The name under which the question is sent and its answer comes back."""


class Call:
    """One call of a tool, from its first round to its result. ``work`` makes the result."""

    def __init__(self, params: CallToolRequestParams, work: Coroutine[Any, Any, Any]) -> None:
        self._wanted = (params.name, params.arguments)
        self._form: Mapping[str, Any] | None = None
        self._asked = asyncio.Event()
        self._answer: asyncio.Future[Any] | None = None
        reset = _CURRENT.set(self)
        # The task is begun with this call as the current one, and so is everything that it begins.
        self.task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(work)
        _CURRENT.reset(reset)

    def is_again(self, params: CallToolRequestParams) -> bool:
        """Whether a request is the next round of this call."""
        return self._wanted == (params.name, params.arguments)

    async def ask(self, form: Mapping[str, Any]) -> Any:
        """Put a question into the answer of this round, and wait for what the next one brings."""
        self._form = form
        self._answer = asyncio.get_running_loop().create_future()
        self._asked.set()
        return await self._answer

    def answer(self, responses: Mapping[str, Any] | None) -> None:
        """What the client brings. Without an answer to the question it is asked again."""
        if responses and self._answer is not None and not self._answer.done():
            self._asked.clear()
            self._answer.set_result(responses.get(QUESTION))

    async def next_round(self) -> Mapping[str, Any] | None:
        """The question to send, or nothing when the task is done. Being cancelled leaves the task alone."""
        asked = asyncio.ensure_future(self._asked.wait())
        try:
            await asyncio.wait({self.task, asked}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
        return None if self.task.done() else self._form


_CURRENT: ContextVar[Call | None] = ContextVar("call", default=None)


def current_call() -> Call | None:
    """The call that this task works for."""
    return _CURRENT.get()


class Rounds:
    """The calls that wait for their next round, by what the client is told to bring back."""

    def __init__(self) -> None:
        self._waiting: dict[str, Call] = {}

    def resumed(self, params: CallToolRequestParams) -> Call | None:
        """The call that a request goes on with, given what it brings; nothing for any other request."""
        state = params.request_state
        call = self._waiting.get(state) if state is not None else None
        if state is None or call is None or not call.is_again(params):
            return None
        del self._waiting[state]
        call.answer(params.input_responses)
        return call

    def question(self, call: Call, form: Mapping[str, Any]) -> dict[str, Any]:
        """The answer that asks; the call waits until the client comes back or its task ends."""
        state = secrets.token_urlsafe(24)
        self._waiting[state] = call
        call.task.add_done_callback(lambda _: self._waiting.pop(state, None))
        request = {"method": "elicitation/create", "params": {"mode": "form", **form}}
        return {"resultType": "input_required", "inputRequests": {QUESTION: request}, "requestState": state}


def elicited(answer: Any) -> ElicitResult:
    """What the client brought, if it is an answer to a form; anything else is a dismissal."""
    return answer if isinstance(answer, ElicitResult) else ElicitResult(action="cancel")
