"""JSON-RPC with a child process over its stdin and stdout, in either framing, on asyncio alone.

This does not use pygls. Importing it costs every spawn about 300 ms, most of it for types of the editor
protocol that a memory client never sees; and its client drops a whole message, without an answer, when
any object nested in it has a member named ``jsonrpc``, which the text and metadata of memories may have.

What the server writes is either followed exactly or the connection ends: a client that skips what it
cannot read waits for ever for the answer that was in it.
"""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, Literal, Self

from attrs import frozen

from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.framing import Body, BrokenFrame, Framer, Framing, Oversized, frame
from keepgate.protocol.lifecycle import FRAME_BYTES_MAX
from keepgate.protocol.wire import decode, encode
from keepgate_client import messages
from keepgate_client.errors import Disconnected
from keepgate_client.incoming import Notifications, RequestHandler, Requests, Subscriber
from keepgate_client.messages import Message, MessageId
from keepgate_client.process import ServerProcess

ANSWER_BYTES_MAX: Final = 256 * 1024 * 1024  # an export may be far larger than a request

Direction = Literal["sent", "received"]


@frozen
class Call:
    """A request on its way. ``answer`` yields the whole response object, or raises ``Disconnected``."""

    id: MessageId
    method: str
    answer: asyncio.Future[Message]


class Connection:
    """One JSON-RPC connection to one child process. Belongs to the event loop that opened it.

    ``trace`` is called with every message; ``unmatched`` with every response that no request waits for;
    ``on_end`` once, when the connection is over.
    """

    def __init__(self, framing: Framing) -> None:
        self.trace: Callable[[Direction, Message], None] | None = None
        self.unmatched: Callable[[Message], None] | None = None
        self.on_end: Callable[[], None] | None = None
        self.process: ServerProcess
        self._framing = framing
        self._framer = Framer(framing, limit_bytes=ANSWER_BYTES_MAX)
        self._ids = itertools.count(1)
        self._calls: dict[MessageId, Call] = {}
        self._abandoned: set[MessageId] = set()
        self._requests = Requests(self._reply)
        self._notifications = Notifications()
        self._ended: str | None = None

    @classmethod
    async def open(
        cls,
        command: Sequence[str],
        *,
        framing: Framing = Framing.LSP,
        env: Mapping[str, str | None] | None = None,
        cwd: str | PathLike[str] | None = None,
    ) -> Self:
        """Start ``command`` and speak with it. Raises ``OSError`` when it cannot be started.

        ``env`` is laid over this process's environment; a value of ``None`` removes a name.
        """
        connection = cls(framing)
        connection.process = await ServerProcess.start(
            command, on_output=connection._receive, on_end=connection._process_ended, env=env, cwd=cwd
        )
        return connection

    @property
    def ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._ended is not None

    def begin(self, method: str, params: Any = None, *, id: MessageId | None = None) -> Call:  # noqa: A002 - the member's name
        """Send a request without waiting. ``id`` overrides the next free integer.

        Raises ``Disconnected``, ``INVALID_INPUT`` for a request above 16 MiB, and ``ValueError`` or
        ``TypeError`` for params that are not JSON or an ``id`` that is in use.
        """
        number = self._next_id() if id is None else id
        if number in self._calls:
            raise ValueError(f"a request with the id {number!r} is on its way already")
        self._send(messages.request(number, method, params), f"before {method} could be asked")
        call = Call(number, method, asyncio.get_running_loop().create_future())
        self._calls[number] = call
        return call

    async def request(self, method: str, params: Any = None, *, timeout_s: float | None = None) -> Any:
        """Ask and wait for the result; ``timeout_s`` of ``None`` waits for as long as it takes.

        Raises ``Fault``, ``RpcError``, ``Disconnected``, ``TimeoutError``. When the waiting task is
        cancelled or the time is over, the server is told with ``$/cancelRequest``. That is a wish: a
        write whose commit was on its way is stored nevertheless.
        """
        call = self.begin(method, params)
        try:
            async with asyncio.timeout(timeout_s):
                await self.process.drain()
                response = await call.answer
        except (asyncio.CancelledError, TimeoutError):
            self._abandon(call)
            raise
        return messages.result_of(response)

    async def notify(self, method: str, params: Any = None) -> None:
        """Tell the server something. Raises ``Disconnected``."""
        self._send(messages.notification(method, params), f"before it could be told {method}")
        await self.process.drain()

    def cancel(self, number: MessageId) -> None:
        """Ask the server to give up the request with this id; its answer still comes. Never raises."""
        if not self.ended:
            self._send(messages.notification("$/cancelRequest", {"id": number}), "")

    def send_bytes(self, data: bytes) -> None:
        """Write raw bytes, framed by nobody."""
        self.process.write(data)

    def send_message(self, message: Any) -> None:
        """Frame and write any JSON value, JSON-RPC or not."""
        self.process.write(frame(encode(message), self._framing))

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """Answer the server's requests for ``method``; each runs in a task of its own and may take long.

        A ``Fault`` or ``RpcError`` that the handler raises is sent as it is, anything else as -32603
        with the exception's type. Methods without a handler are answered -32601.
        """
        self._requests.handle(method, handler)

    def subscribe(self, method: str, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with the params of each notification ``method``; returns its withdrawal.

        Subscribers are called in the order of arrival, before any later answer is seen; one that
        returns an awaitable continues on its own. Their exceptions go to the loop's exception handler.
        """
        return self._notifications.subscribe(method, subscriber)

    def fail_all(self, error: Callable[[], Exception]) -> None:
        """Let every waiting request raise an ``error`` of its own."""
        calls, self._calls = self._calls, {}
        for call in calls.values():
            if not call.answer.done():
                call.answer.set_exception(error())
                # Looked at once here, so that an answer nobody waits for any more is not reported.
                call.answer.exception()

    async def close(self, grace_s: float) -> int | None:
        """End the process (see :meth:`ServerProcess.stop`) and return its exit code."""
        try:
            await self.process.stop(grace_s)
        finally:
            self._end("the connection was closed")
        return self.process.exit_code

    def _next_id(self) -> int:
        return next(number for number in self._ids if number not in self._calls)

    def _send(self, message: Message, moment: str) -> None:
        if self._ended is not None or not self.process.reads:
            raise self._disconnected(moment)
        body = encode(message)
        if len(body) > FRAME_BYTES_MAX:
            raise invalid_input(Problem("$", f"has {len(body)} bytes; at most {FRAME_BYTES_MAX} can be sent"))
        if self.trace is not None:
            self.trace("sent", message)
        self.process.write(frame(body, self._framing))

    def _abandon(self, call: Call) -> None:
        if self._calls.pop(call.id, None) is not None and self.process.reads:
            self._abandoned.add(call.id)
            self.cancel(call.id)

    def _receive(self, data: bytes) -> None:
        if self._ended is not None:
            return
        try:
            for event in self._framer.feed(data):
                self._dispatch(_body_of(event))
        except (BrokenFrame, ValueError) as error:
            self._end(f"the server wrote something that is not a message: {error}")
            self.process.close_stdin()

    def _dispatch(self, body: bytes) -> None:
        message = decode(body)
        parsed = messages.parse(message)
        if self.trace is not None:
            self.trace("received", message)
        match parsed:
            case messages.Response():
                self._answered(parsed)
            case messages.Request():
                self._requests.start(parsed)
            case messages.Notification("$/cancelRequest", {"id": int() | str() as number}):
                self._requests.cancel(number)
            case messages.Notification():
                self._notifications.tell(parsed.method, parsed.params)

    def _answered(self, response: messages.Response) -> None:
        number = response.id
        call = None if number is None else self._calls.pop(number, None)
        if call is not None and not call.answer.done():
            call.answer.set_result(response.body)
        elif number in self._abandoned:
            self._abandoned.remove(number)
        elif self.unmatched is not None:
            self.unmatched(response.body)

    def _reply(self, answer: Message) -> None:
        if self._ended is None and self.process.reads:
            self._send(answer, "")

    def _process_ended(self) -> None:
        self._end("the server's output ended" if self.process.exit_code is None else "the server has ended")

    def _end(self, reason: str) -> None:
        if self._ended is not None:
            return
        self._ended = reason
        self.fail_all(lambda: self._disconnected("before it answered"))
        self._requests.cancel_all()
        self._notifications.cancel_all()
        if self.on_end is not None:
            self.on_end()

    def _disconnected(self, moment: str) -> Disconnected:
        reason = self._ended or "the server no longer reads"
        return Disconnected(
            f"{reason} {moment}".strip(), exit_code=self.process.exit_code, stderr=self.process.last_words()
        )


def _body_of(event: Body | Oversized) -> bytes:
    if isinstance(event, Oversized):
        raise BrokenFrame(f"{event.announced_bytes} bytes are above the limit")
    return event.data
