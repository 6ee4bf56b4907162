"""JSON-RPC over pygls: its dispatch and its language server methods, our reading and answering.

pygls 2.1 leaves some requests unanswered, coerces values, keeps incoming and outgoing ids in one table
and logs bodies. Everything that reads, routes or answers a message is therefore here; the methods of the
language server protocol, the capabilities, progress and workspace folders stay pygls'.

Invariants: every request with an id is answered exactly once, from the end of its task; an answer of the
client reaches the request of ours that it names or nothing at all.
"""

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any

import attrs
from cattrs import Converter
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from keepgate.fronts.lsp.answers import Reply, answer_of, incident_answer
from keepgate.fronts.lsp.outgoing import Outgoing
from keepgate.fronts.lsp.params import PARSERS
from keepgate.fronts.lsp.phases import NOTIFIED, REQUESTS, Phase, Refused, admit
from keepgate.fronts.lsp.settling import Settling
from keepgate.fronts.stdio import messages
from keepgate.fronts.stdio.logs import incident
from keepgate.fronts.stdio.messages import Json, MessageId, Notification, Request, Response, Unusable
from keepgate.protocol.errors import Fault, Problem, RpcNumber, invalid_input
from keepgate.protocol.wire import encode, unstructure

logger = logging.getLogger(__name__)


class KeepgateProtocol(LanguageServerProtocol):
    """One client. ``send`` takes the bytes of one message, ``on_exit`` is called for ``exit``.

    ``when_written`` calls back once everything sent so far has left the process.
    """

    send: Callable[[bytes], None]
    when_written: Callable[[Callable[[], None]], None]
    on_exit: Callable[[], None]

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.phase = Phase.FRESH
        self.announcement: Json = {}
        self._backlog: list[Request | Notification] = []
        self._running: dict[MessageId, asyncio.Task[Any]] = {}
        self._heeding: set[asyncio.Task[Any]] = set()
        self.settling = Settling(lambda callback: self.when_written(callback))  # noqa: PLW0108 - set later
        self._outgoing = Outgoing(
            lambda number: self.notify(types.CANCEL_REQUEST, types.CancelParams(number))
        )

    @property
    def is_open(self) -> bool:
        """Whether the client has the answer to ``initialize``, and so may be sent something."""
        return self.phase in (Phase.READY, Phase.SHUT)

    @property
    def is_shut(self) -> bool:
        """Whether the client sent ``shutdown``."""
        return self.phase is Phase.SHUT

    def receive(self, body: bytes) -> None:
        """Take the bytes of one message. Never raises, never waits."""
        match messages.parse(body):
            case Unusable() as unusable:
                self.refuse(unusable.id, unusable.number, unusable.problem)
            case Response() as response:
                if not self._outgoing.settle(response) and response.is_empty:
                    self._send_data(messages.empty(response))
            case message if self.phase is Phase.STARTING:
                # What a client sends before it has the answer to ``initialize`` waits for that answer.
                self._backlog.append(message)
            case message:
                self._take(message)

    def refuse(self, number: MessageId | None, code: RpcNumber, problem: str) -> None:
        """Answer something that is not run."""
        self._send_data(messages.failure(number, code, problem))

    async def ask(self, method: str, params: Any) -> Any:
        """Send the client a request and wait for its result as decoded JSON, ``None`` when it has none.

        Raises ``PeerError`` for an error answer and when the client is gone. When the waiting task
        is cancelled the client is told, and a late answer is dropped.
        """
        return await asyncio.wrap_future(self.send_request(method, params))

    def lose_client(self) -> None:
        """Fail what still waits for an answer of the client."""
        self._outgoing.fail_all("the client is gone")

    async def quiesce(self, timeout_s: float) -> None:
        """Wait until every running request is answered, at most ``timeout_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                # What waits for the end of ``initialize`` begins to run only then.
                while self._running:
                    await asyncio.wait(tuple(self._running.values()))

    def cancel(self, number: Any) -> None:
        """Give up a running request; it is answered -32800. Unknown ids are ignored."""
        if messages.is_id(number) and (task := self._running.get(number)) is not None:
            task.cancel()

    # Reading: requests, notifications, answers.

    def _take(self, message: Request | Notification) -> None:
        match message:
            case Request():
                self._begin(message)
            case Notification(types.EXIT):
                self.on_exit()
            case Notification():
                self._heed(message)

    def _begin(self, request: Request) -> None:
        if request.id in self._running:
            self.refuse(request.id, RpcNumber.INVALID_REQUEST, "a request with this id is being answered")
            return
        try:
            self.phase = admit(self.phase, request.method)
        except Refused as refused:
            self.refuse(request.id, refused.number, str(refused))
            return
        context = copy_context()
        context.run(self._ctx_msg_id.set, request.id)
        task = asyncio.get_running_loop().create_task(
            self._serve(request.method, request.params), context=context
        )
        self._running[request.id] = task
        # Answered from the callback: a task that is cancelled before its first step runs no code of its own.
        task.add_done_callback(partial(self._answer, request))

    async def _serve(self, method: str, raw: Any) -> Any:
        params = PARSERS[method](raw) if method in PARSERS else raw
        return self._json(await self._drive(self._get_handler(method), params))

    def _json(self, value: Any) -> Any:
        # What our own operations return is JSON already, and may be large.
        ours = isinstance(value, Reply) or not attrs.has(type(value))
        return value if ours else self._converter.unstructure(value)

    async def _drive(self, handler: Callable[..., Any], params: Any) -> Any:
        # pygls' own methods are generators that yield (handler, args, kwargs) and are sent the result. Run
        # in one task, such a chain is cancelled as a whole.
        step = handler(params)
        if inspect.isawaitable(step):
            return await step
        if not isinstance(step, Generator):
            return step
        value = None
        while True:
            try:
                inner, args, _ = step.send(value)
            except StopIteration as stop:
                return stop.value
            value = await self._drive(inner, *args)

    def _heed(self, notification: Notification) -> None:
        method = notification.method
        if method == types.CANCEL_REQUEST:
            params = notification.params
            self.cancel(params.get("id") if isinstance(params, dict) else None)
        elif self.phase is Phase.READY and (
            method in NOTIFIED or (method in PARSERS and method not in REQUESTS)
        ):
            task = asyncio.get_running_loop().create_task(self._serve(method, notification.params))
            self._heeding.add(task)
            task.add_done_callback(partial(self._heeded, method))

    def _heeded(self, method: str, task: asyncio.Task[Any]) -> None:
        self._heeding.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, Fault):
            self.warn(f"{method} was ignored: {error.message}")
        else:
            self.warn(f"{method} failed, incident {incident(error)}")

    # Writing: answers, requests, notifications.

    def _answer(self, request: Request, task: asyncio.Task[Any]) -> None:
        del self._running[request.id]
        if request.method == types.INITIALIZE and self.phase is Phase.STARTING:
            went_well = not task.cancelled() and task.exception() is None
            self.phase = Phase.READY if went_well else Phase.FRESH
        try:
            self._send_data(answer_of(request.id, task))
        except (TypeError, ValueError, RecursionError) as error:
            # A result that JSON cannot carry is a mistake of ours; the client still gets its answer.
            self._send_data(incident_answer(request.id, error))
        else:
            self.settling.sent(task)
        if request.method == types.INITIALIZE:
            backlog, self._backlog = self._backlog, []
            for message in backlog:
                self._take(message)

    def _send_data(self, data: Any) -> None:
        self.send(encode(self._json(data)))

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; ``params`` is a type of the editor protocol or one of ours."""
        if (kind := self.get_message_type(method)) is not None:
            self._send_data(kind(method=method, params=params, jsonrpc=messages.VERSION))
        else:
            self._send_data({"jsonrpc": messages.VERSION, "method": method, "params": unstructure(params)})

    def warn(self, message: str) -> None:
        """Show the client's log, and ours, a warning; ``message`` holds no memory text."""
        logger.warning("%s", message)
        if self.is_open:
            self.notify(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(types.MessageType.Warning, message))

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MessageId | None = None,
    ) -> Future[Any]:
        """Send a request; the future gets the result as decoded JSON, or a ``PeerError``.

        pygls' progress sends through this too. Cancelling the future tells the client.
        """
        number, future = self._outgoing.open(msg_id)
        if callback is not None:
            future.add_done_callback(lambda done: callback(done.result()))
        if (kind := self.get_message_type(method)) is not None:
            self._send_data(kind(id=number, method=method, params=params, jsonrpc=messages.VERSION))
        else:
            request = {"jsonrpc": messages.VERSION, "id": number, "method": method}
            self._send_data(request | {"params": unstructure(params)})
        return future

    # The methods of the language server protocol, where pygls' own are not enough.

    def _register_builtin_features(self) -> None:
        for name, method in inspect.getmembers(type(self), lambda member: hasattr(member, "method_name")):
            # Documents are none of this server's business: registered, clients would send every keystroke.
            if method.method_name in PARSERS:
                self.fm.add_builtin_feature(method.method_name, getattr(self, name))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer as pygls does, without documents and with what the front announced."""
        result = yield from super().lsp_initialize(params)
        capabilities = result.capabilities
        capabilities.position_encoding = None
        capabilities.text_document_sync = types.TextDocumentSyncKind.None_
        capabilities.experimental = {"keepgate": self.announcement}
        assert capabilities.workspace is not None, "pygls always announces workspace folders"
        capabilities.workspace.file_operations = None
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """Let the front say goodbye, then give up what is still running."""
        yield self.fm.features[types.SHUTDOWN], args, None
        for number, task in tuple(self._running.items()):
            if number != self.msg_id:
                task.cancel()

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        """Run a command with its params whole: pygls' own hands on neither a token nor a clear error."""
        if (handler := self.fm.commands.get(params.command)) is None:
            raise invalid_input(Problem("$.command", "is not a command of this server"), shape=True)
        result = yield handler, (params,), None
        return result
