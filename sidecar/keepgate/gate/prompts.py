"""The prompts of one client: one is open, the others wait behind it, and other processes see that they do."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from attrs import define, evolve

from keepgate.protocol.proposals import ApprovalQueued, ApprovalRequestParams, QueuedAsk
from keepgate.store.reach import Reach

RENEW_S: Final = 0.5
"""How often the marks of a client's questions are renewed while one is open."""
GATHER_S: Final = 0.03
"""How long a question of another process waits for those that were sent together with it."""
EXCERPT: Final = 120


@define
class _Question:
    shown: ApprovalRequestParams
    acknowledged: bool = False


class Prompts:
    """Takes turns. ``must_acknowledge``: the client says when a question is on the screen, and one that does
    not say so is offered to other windows as well.
    """

    def __init__(self, turn: asyncio.Lock) -> None:
        self._turn: Final = turn
        self.must_acknowledge = False
        self._notify: Callable[[str, Any], None] | None = None
        self._questions: dict[str, _Question] = {}
        self._open: str | None = None
        self._renewing: asyncio.Task[None] | None = None

    def serve(self, *, acknowledges: bool, notify: Callable[[str, Any], None]) -> None:
        """What the client can do. One that acknowledges puts structured questions, and so is told when the
        queue behind an open one grows or shrinks.
        """
        self.must_acknowledge = acknowledges
        self._notify = notify if acknowledges else None

    @asynccontextmanager
    async def turn(
        self, shown: ApprovalRequestParams, reach: Reach, *, gather: bool = False
    ) -> AsyncIterator[ApprovalRequestParams]:
        """Wait until this question may be put; yields it with the rest of its session's queue in it."""
        self._questions[shown.id] = _Question(shown)
        self._tell_queue(shown)
        if self._answers():
            reach.hold(shown.id)
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._renew(reach))
        try:
            async with self._turn:
                if gather:
                    await asyncio.sleep(GATHER_S)
                self._open = shown.id
                if not self.must_acknowledge:
                    reach.hold(shown.id)
                try:
                    yield evolve(shown, queue=self._behind(shown))
                finally:
                    self._open = None
        finally:
            self._questions.pop(shown.id, None)
            self._tell_queue(shown)
            if not self._questions and self._renewing is not None:
                renewing, self._renewing = self._renewing, None
                renewing.cancel()

    def acknowledge(self, proposal_id: str, reach: Reach) -> bool:
        """The client shows a question; ``False`` where it is none of its open ones."""
        question = self._questions.get(proposal_id)
        if question is None:
            return False
        question.acknowledged = True
        reach.hold(proposal_id)
        return True

    def is_crowded(self, proposal_id: str) -> bool:
        """Whether this question is open and others wait behind it."""
        return self._open == proposal_id and len(self._questions) > 1

    def _behind(self, shown: ApprovalRequestParams) -> list[QueuedAsk]:
        others = (each.shown for each in self._questions.values() if each.shown.id != shown.id)
        return [_queued(each) for each in others if each.session_id == shown.session_id]

    def _tell_queue(self, changed: ApprovalRequestParams) -> None:
        """A burst shows in the prompt that is open: what has joined its queue, and what has left it."""
        opened = None if self._open is None else self._questions.get(self._open)
        if self._notify is None or opened is None or opened.shown.id == changed.id:
            return
        if opened.shown.session_id == changed.session_id:
            waiting = self._behind(opened.shown)
            self._notify("approval/queued", ApprovalQueued(id=opened.shown.id, waiting=waiting))

    def _answers(self) -> bool:
        """Whether the client shows what it is given, as far as one can tell."""
        if self._open is None:
            return not self.must_acknowledge
        question = self._questions.get(self._open)
        return not self.must_acknowledge or (question is not None and question.acknowledged)

    async def _renew(self, reach: Reach) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            if self._answers():
                for proposal_id in tuple(self._questions):
                    reach.hold(proposal_id)


def _queued(shown: ApprovalRequestParams) -> QueuedAsk:
    text = shown.text if len(shown.text) <= EXCERPT else f"{shown.text[:EXCERPT]}…"
    return QueuedAsk(id=shown.id, action=shown.action, text=text, hash=shown.hash)
