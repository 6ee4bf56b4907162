"""Waiting until something has come, for editors that keep a transcript."""

from typing import Any

from keepgate_client.messages import Message, MessageId
from keepgate_client.testing.transcript import WAIT_S, Predicate, ServerRequest, Transcript, first


class Waiting:
    """Looks into ``transcript`` until it holds what is waited for, what came before included.

    Raises ``TimeoutError`` that names what was wanted, and ``Disconnected`` when nothing can come.
    """

    transcript: Transcript

    def notifications(self, method: str | None = None) -> list[Any]:
        """The params of the notifications so far; without ``method`` the whole messages."""
        return self.transcript.notifications(method)

    async def response(self, number: MessageId | None, *, timeout_s: float = WAIT_S) -> Message:
        """The response with this id to a message that was sent raw; ``None`` for the id null."""
        return await self.transcript.until(
            lambda: first(self.transcript.unmatched, lambda each: _same_id(each["id"], number)),
            f"a response to {number!r}",
            timeout_s,
        )

    async def wait_for_notification(
        self, method: str, predicate: Predicate | None = None, *, timeout_s: float = WAIT_S
    ) -> Any:
        """The params of the first notification that holds, those that came before included."""

        def find() -> tuple[Any] | None:
            found = [(params,) for params in self.notifications(method)]
            return first(found, None if predicate is None else lambda each: predicate(each[0]))

        return (await self.transcript.until(find, f"the notification {method}", timeout_s))[0]

    async def wait_for_request(
        self, method: str, predicate: Predicate | None = None, *, timeout_s: float = WAIT_S
    ) -> ServerRequest:
        """The first request of the sidecar whose params hold, those that came before included."""
        return await self.transcript.until(
            lambda: first(
                self.transcript.requests(method),
                None if predicate is None else lambda each: predicate(each.params),
            ),
            f"the request {method}",
            timeout_s,
        )

    async def wait_for_prompts(self, count: int, *, timeout_s: float = WAIT_S) -> list[Any]:
        """The params of all prompts, once there are at least ``count``."""
        method = "window/showMessageRequest"
        shown = await self.transcript.until(
            lambda: found if len(found := self.transcript.requests(method)) >= count else None,
            f"prompt number {count}",
            timeout_s,
        )
        return [each.params for each in shown]


def _same_id(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other
