"""The SDK's pair of streams over our own wire: one JSON message per line.

The SDK reads lines when it is ready for them, and this front knows when a reply's bytes have left.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from keepgate.fronts.stdio import messages
from keepgate.protocol.errors import RpcNumber
from keepgate.protocol.wire import decode, encode
from keepgate.service.after_reply import AfterReply

CANCELLED: Final = "notifications/cancelled"


class _Stream:
    """What both streams have: they are closed by leaving them."""

    async def aclose(self) -> None:
        """Nothing is held that must be let go."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Open:
    """The requests that were read and have no answer yet, by their ids."""

    def __init__(self) -> None:
        self.ids: set[int | str] = set()
        self._settled = asyncio.Event()

    def settle(self, number: Any) -> None:
        """A request was answered, or nobody waits for its answer any more. Any JSON may be its number."""
        if isinstance(number, int | str):
            self.ids.discard(number)
        self._settled.set()

    async def change(self) -> None:
        """Wait until a request settles."""
        self._settled.clear()
        await self._settled.wait()


class Incoming(_Stream):
    """What the client sends, for the SDK to read.

    A line that is no message for the SDK is answered here, with ``write``: it would let the client wait.
    """

    def __init__(self, requests: Open, write: Callable[[bytes], None]) -> None:
        self._lines: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._ended = False
        self._requests = requests
        self._write = write

    @property
    def is_read(self) -> bool:
        """Whether the SDK has taken every line."""
        return not self._lines

    def take(self, line: bytes) -> None:
        """A line has come."""
        self._lines.append(line)
        self._news.set()

    def end(self) -> None:
        """No more lines will come."""
        self._ended = True
        self._news.set()

    async def receive(self) -> SessionMessage:
        """The next message. Raises ``EndOfStream``."""
        while True:
            while not self._lines:
                if self._ended:
                    raise anyio.EndOfStream
                self._news.clear()
                await self._news.wait()
            line = self._lines.popleft()
            try:
                message = _message_in(line)
            except ValueError:
                message = None
            # To the SDK a request with an id that is none, such as null, is a notification.
            doubtful = message is None or (isinstance(message, JSONRPCNotification) and b'"id"' in line)
            if doubtful and (answer := _refusal(line)) is not None:
                self._write(encode(answer) + b"\n")
            elif message is not None:
                return self._taken(message)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def _taken(self, message: JSONRPCMessage) -> SessionMessage:
        if isinstance(message, JSONRPCRequest):
            self._requests.ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._requests.settle((message.params or {}).get("requestId"))
        return SessionMessage(message)


def _refusal(line: bytes) -> messages.Json | None:
    """The answer to a line that is no message; notifications and answers get none, whatever they hold."""
    match messages.parse(line):
        case messages.Unusable() as unusable:
            return messages.failure(unusable.id, unusable.number, unusable.problem)
        case messages.Request() as request:
            return messages.failure(request.id, RpcNumber.INVALID_PARAMS, "params are one object")
        case messages.Response() as response if response.is_empty:
            return messages.empty(response)
        case messages.Notification() | messages.Response():
            return None


def _message_in(line: bytes) -> JSONRPCMessage:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        # The SDK's parser refuses escaped lone surrogates, which JSON allows; whoever sent one is answered.
        if b"\\u" not in line:
            raise
        return jsonrpc_message_adapter.validate_python(decode(line), by_name=False)


class Outgoing(_Stream):
    """What the SDK sends. ``write`` takes bytes, ``when_written`` calls back once they have left."""

    def __init__(
        self,
        requests: Open,
        write: Callable[[bytes], None],
        when_written: Callable[[Callable[[], None]], None],
    ) -> None:
        self._requests = requests
        self._write = write
        self._when_written = when_written
        self._owed: dict[Any, AfterReply] = {}
        self._settling: set[asyncio.Task[None]] = set()

    def owe(self, number: Any, after: AfterReply) -> None:
        """Have done what the reply to a request owes, once it is written."""
        if earlier := self._owed.pop(number, None):
            earlier.lost()
        self._owed[number] = after

    async def send(self, item: SessionMessage, /) -> None:
        """Queue a message; it never waits for the client."""
        message = item.message
        self._write(encode(message.model_dump(mode="json", by_alias=True, exclude_unset=True)) + b"\n")
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            if after := self._owed.pop(message.id, None):
                self._settle(after, answered=isinstance(message, JSONRPCResponse))
            self._requests.settle(message.id)

    async def settled(self) -> None:
        """Wait until what was owed for written replies is done."""
        if self._settling:
            await asyncio.wait(self._settling)

    def _settle(self, after: AfterReply, *, answered: bool) -> None:
        if not answered:
            after.lost()
            return

        def written() -> None:
            task = asyncio.get_running_loop().create_task(after.written())
            self._settling.add(task)
            task.add_done_callback(self._settling.discard)

        self._when_written(written)
