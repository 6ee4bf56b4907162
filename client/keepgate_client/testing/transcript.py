"""What passed over a connection, and waiting until something has."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from attrs import frozen

from keepgate_client.connection import Connection, Direction
from keepgate_client.errors import Disconnected
from keepgate_client.messages import Message, MessageId

T = TypeVar("T")

WAIT_S = 30.0

Predicate = Callable[[Any], bool]


@frozen
class ServerRequest:
    """A request that the server sent."""

    id: MessageId
    method: str
    params: Any


class Transcript:
    """Every message of a connection in order, from the moment it is attached."""

    def __init__(self, connection: Connection) -> None:
        self.received: list[Message] = []
        self.sent: list[Message] = []
        self.unmatched: list[Message] = []
        self._connection = connection
        self._news = asyncio.Event()
        connection.trace = self._record
        connection.unmatched = self.unmatched.append
        connection.on_end = self._news.set

    def notifications(self, method: str | None = None) -> list[Any]:
        """The params of the server's notifications; without ``method`` the whole messages."""
        told = [message for message in self.received if "method" in message and "id" not in message]
        return told if method is None else [each.get("params") for each in told if each["method"] == method]

    def requests(self, method: str | None = None) -> list[ServerRequest]:
        """The server's requests."""
        return [
            ServerRequest(message["id"], message["method"], message.get("params"))
            for message in self.received
            if "method" in message and "id" in message and method in (None, message["method"])
        ]

    def answer_to(self, request: ServerRequest) -> Message | None:
        """The response that was sent, whole; ``None`` when there is none yet."""
        for message in self.sent:
            if "method" not in message and message["id"] == request.id:
                return message
        return None

    def unanswered(self) -> list[ServerRequest]:
        """The server's requests without a response."""
        return [request for request in self.requests() if self.answer_to(request) is None]

    async def until(self, find: Callable[[], T | None], wanted: str, timeout_s: float) -> T:
        """Wait until ``find`` yields something.

        Raises ``TimeoutError`` that names what was wanted, and ``Disconnected`` when nothing can come.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while (found := find()) is None:
                    if self._connection.ended:
                        process = self._connection.process
                        raise Disconnected(
                            f"the connection ended without {wanted}",
                            exit_code=process.exit_code,
                            stderr=process.last_words(),
                        )
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise TimeoutError(f"{wanted} did not come within {timeout_s} seconds") from None
        return found

    def _record(self, direction: Direction, message: Message) -> None:
        (self.sent if direction == "sent" else self.received).append(message)
        self._news.set()


def first(found: list[T], predicate: Predicate | None) -> T | None:
    """The first that holds."""
    return next((each for each in found if predicate is None or predicate(each)), None)
