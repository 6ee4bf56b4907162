"""An approver whose answers are laid out beforehand."""

from collections.abc import Callable, Iterable
from typing import Any

from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate_client.testing.script import Script


class ScriptedApprover:
    """Stands in for the person: ``Client.spawn(approver=ScriptedApprover([allow_once, reject]))``.

    ``answers`` are taken in order; each is an outcome such as ``"rejected"``, a function such as
    :func:`keepgate_client.allow_once` (which may be asynchronous, to wait), an ``ApprovalAnswer`` (for
    instance with a wrong hash) or an exception to raise. One function instead of a list answers every
    question. ``asks`` records the questions.
    """

    def __init__(self, answers: Iterable[Any] | Callable[[ApprovalRequestParams], Any] = ()) -> None:
        self.asks: list[ApprovalRequestParams] = []
        self.script = Script(answers)

    async def __call__(self, ask: ApprovalRequestParams) -> ApprovalAnswer:
        """Answer as laid out; an outcome given as text is sent with the question's hash."""
        self.asks.append(ask)
        answer = await self.script.reply(ask)
        return answer if isinstance(answer, ApprovalAnswer) else ApprovalAnswer(outcome=answer, hash=ask.hash)

    def assert_exhausted(self) -> None:
        """Raise ``AssertionError`` unless every answer was used and every question foreseen."""
        self.script.assert_exhausted()
