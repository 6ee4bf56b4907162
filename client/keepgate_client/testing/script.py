"""Answers laid out beforehand, taken one by one."""

import inspect
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

Reply = Any
"""A value to answer with, an exception to fail with, or a function of the question, maybe asynchronous."""


class Script:
    """A queue of replies, or one function that replies to every question.

    A question that nothing was laid out for raises ``AssertionError`` and is remembered, so that it
    fails the test also when whoever asked swallows the exception.
    """

    def __init__(self, replies: Iterable[Reply] | Callable[[Any], Any] = ()) -> None:
        self._always: Callable[[Any], Any] | None = None
        self._left: deque[Reply] = deque()
        self._unforeseen = 0
        if isinstance(replies, Iterable):
            self.then(*replies)
        else:
            self._always = replies

    def then(self, *replies: Reply) -> None:
        """Lay out more replies after those that are left."""
        self._left.extend(replies)

    async def reply(self, question: Any) -> Any:
        """The next reply; a function is called with the question, an exception is raised."""
        reply = self._next(question)
        if inspect.isawaitable(reply):
            reply = await reply
        if isinstance(reply, Exception):
            raise reply
        return reply

    def complaints(self) -> list[str]:
        """What was asked without a reply laid out for it."""
        return [f"{self._unforeseen} question(s) had no scripted reply"] if self._unforeseen else []

    def assert_exhausted(self) -> None:
        """Raise ``AssertionError`` unless every reply was used and every question foreseen."""
        complaints = self.complaints()
        if self._left:
            complaints.append(f"{len(self._left)} scripted reply/replies were not asked for")
        assert not complaints, "; ".join(complaints)

    def _next(self, question: Any) -> Any:
        if self._left:
            reply = self._left.popleft()
        elif self._always is not None:
            reply = self._always
        else:
            self._unforeseen += 1
            raise AssertionError("the script has no reply left for this question")
        return reply(question) if callable(reply) else reply
