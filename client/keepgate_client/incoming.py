"""What the server starts: its requests, answered in tasks of their own, and its notifications."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from keepgate.protocol.errors import Fault, RpcNumber
from keepgate_client import messages
from keepgate_client.errors import RpcError
from keepgate_client.messages import Message, MessageId

RequestHandler = Callable[[Any], Awaitable[Any]]
Subscriber = Callable[[Any], Awaitable[None] | None]


class Requests:
    """The handlers of the server's requests, and the tasks that run them."""

    def __init__(self, reply: Callable[[Message], None]) -> None:
        self._reply = reply
        self._handlers: dict[str, RequestHandler] = {}
        self._answering: dict[MessageId, asyncio.Task[Any]] = {}

    def handle(self, method: str, handler: RequestHandler) -> None:
        """Answer ``method`` with ``handler`` from now on."""
        self._handlers[method] = handler

    def start(self, request: messages.Request) -> None:
        """Begin to answer; never waits, so a handler may take as long as a person does."""
        handler = self._handlers.get(request.method, _unknown(request.method))
        task = asyncio.get_running_loop().create_task(_run(handler, request.params))
        self._answering[request.id] = task
        # Answered from the callback: a task that is cancelled before its first step runs no code of its own.
        task.add_done_callback(lambda done: self._answer(request, done))

    def cancel(self, number: MessageId) -> None:
        """Give up the request with this id, if it is being answered; it is answered -32800."""
        if number in self._answering:
            self._answering[number].cancel()

    def cancel_all(self) -> None:
        """Give up every request."""
        for task in tuple(self._answering.values()):
            task.cancel()

    def _answer(self, request: messages.Request, done: asyncio.Task[Any]) -> None:
        self._answering.pop(request.id, None)
        if done.cancelled():
            error: BaseException | None = RpcError(RpcNumber.REQUEST_CANCELLED, "cancelled")
        else:
            error = done.exception()
        if error is None:
            try:
                self._reply(messages.success(request.id, done.result()))
            except (TypeError, ValueError, Fault) as unsendable:
                error = unsendable
        if error is not None:
            self._reply(messages.failure(request.id, error))


class Notifications:
    """The subscribers of the server's notifications."""

    def __init__(self) -> None:
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._continuing: set[asyncio.Task[None]] = set()

    def subscribe(self, method: str, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` for each ``method``; returns the withdrawal."""
        subscribers = self._subscribers.setdefault(method, [])
        subscribers.append(subscriber)

        def withdraw() -> None:
            if subscriber in subscribers:
                subscribers.remove(subscriber)

        return withdraw

    def tell(self, method: str, params: Any) -> None:
        """Call every subscriber; one that fails is reported to the loop and the others still hear."""
        for subscriber in tuple(self._subscribers.get(method, ())):
            try:
                continuation = subscriber(params)
            except Exception as error:  # noqa: BLE001 - reported, and no reason to end the connection
                _report(error, method)
                continue
            if inspect.isawaitable(continuation):
                task = asyncio.ensure_future(_continue(continuation, method))
                self._continuing.add(task)
                task.add_done_callback(self._continuing.discard)

    def cancel_all(self) -> None:
        """Give up what asynchronous subscribers still do."""
        for task in tuple(self._continuing):
            task.cancel()


async def _run(handler: RequestHandler, params: Any) -> Any:
    return await handler(params)


def _unknown(method: str) -> RequestHandler:
    async def refuse(_: Any) -> Any:
        raise RpcError(RpcNumber.METHOD_NOT_FOUND, f"the client does not know {method}")

    return refuse


async def _continue(awaitable: Awaitable[None], method: str) -> None:
    try:
        await awaitable
    except Exception as error:  # noqa: BLE001 - reported where the loop reports
        _report(error, method)


def _report(error: Exception, method: str) -> None:
    asyncio.get_running_loop().call_exception_handler(
        {"message": f"a subscriber of {method} failed", "exception": error}
    )
