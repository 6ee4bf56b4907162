"""``keepgate mcp``: from the first byte on stdin to an exit with its client."""

import asyncio
import gc
import os
from typing import Any, Final, NoReturn

from keepgate.fronts.mcp import sdk
from keepgate.fronts.mcp.terms import Opening, Terms
from keepgate.fronts.stdio import logs, messages
from keepgate.fronts.stdio.ending import CertainEnd, in_time, log_unhandled, on_signals, say
from keepgate.fronts.stdio.processes import Lifeline
from keepgate.fronts.stdio.transport import Descriptors, Wire, claim
from keepgate.protocol.errors import ExitCode, RpcNumber
from keepgate.protocol.framing import Body, Framer, Framing
from keepgate.protocol.lifecycle import FRAME_BYTES_MAX
from keepgate.protocol.wire import encode

WATCH_S: Final = 0.5
"""How often the parent process and the client's end of stdout are looked at."""
START_S: Final = 10.0
"""How long what came before the end of input may wait for a start that is still under way."""
ANSWER_S: Final = 0.4
LEAVE_S: Final = 0.5
END_S: Final = 0.2
FLUSH_S: Final = 0.2
CLOSE_S: Final = 0.3


def serve(terms: Terms, *, log_level: str = "warning", log_file: str | None = None) -> NoReturn:
    """Serve one client over stdin and stdout, then end the process.

    ``log_level`` is a level's name in :mod:`logging`; the log goes to stderr, and to ``log_file`` when given.
    Exit code 0 when the client has left, 1 when it could not be served.
    """
    code = int(ExitCode.FAILED)
    # Until it serves, nothing that is loaded becomes garbage.
    gc.disable()
    # Until the event loop runs there is nothing to put in order.
    on_signals(lambda *_: os._exit(ExitCode.OK))
    try:
        code = _serve(claim(), terms, log_level, log_file)
    except (OSError, ValueError) as error:
        say(f"cannot serve: {error}")
    finally:
        # No thread of ours, of the store or of an adapter keeps the process: this runs no clean-up.
        os._exit(code)


def _serve(descriptors: Descriptors, terms: Terms, log_level: str, log_file: str | None) -> int:
    listener = logs.configure(log_level, log_file)
    try:
        return asyncio.run(_Server(descriptors, terms).run())
    except Exception as error:  # noqa: BLE001 - the last place where anything can be said about it
        say(f"ended by incident {logs.incident(error)}; its log has the details")
        return ExitCode.FAILED
    finally:
        logs.finish(listener, FLUSH_S)


class _Server:
    """The wire and what serves it, until something ends it."""

    def __init__(self, descriptors: Descriptors, terms: Terms) -> None:
        self._descriptors = descriptors
        self._terms = terms
        self._opening = Opening(terms)
        self._framer = Framer(Framing.LINES)
        self._early: list[bytes] = []
        self._incoming: Any = None
        self._end = CertainEnd(lambda: ExitCode.OK)
        # A parent that is gone already, such as a launcher, is no client to follow.
        self._lifeline = Lifeline(os.getppid())

    async def run(self) -> int:
        """Serve until the client leaves, and return the exit code."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(log_unhandled)
        self._leaving = asyncio.Event()
        self._wire = Wire(
            self._descriptors,
            on_input=self._receive,
            on_last=self._input_ended,
            on_end=self._leaving.set,
            on_broken=self._leaving.set,
        )
        self._end.start()
        on_signals(self._signalled)
        self._wire.start()
        watching = self._loop.create_task(self._watch())
        self._opening.begin()
        starting = self._loop.create_task(self._start())
        await asyncio.wait(
            {starting, self._loop.create_task(self._leaving.wait())}, return_when=asyncio.FIRST_COMPLETED
        )
        if not starting.done() and self._early:
            await asyncio.wait({starting}, timeout=START_S)
        if starting.done() and starting.exception() is None:
            await self._leaving.wait()
        self._end.due()
        watching.cancel()
        if not starting.done():
            return ExitCode.OK
        front, serving = starting.result()
        await self._say_goodbye(front, serving)
        return ExitCode.OK

    async def _start(self) -> Any:
        """Load the SDK beside opening the store, and begin to serve."""
        module = await asyncio.to_thread(sdk.load_front)
        gc.enable()
        self._requests = module.Open()
        self._outgoing = module.Outgoing(self._requests, self._wire.write, self._wire.when_written)
        front = module.Front(self._terms, self._opening, self._outgoing)
        self._incoming = module.Incoming(self._requests, self._wire.write)
        early, self._early = self._early, []
        for line in early:
            self._incoming.take(line)
        return front, self._loop.create_task(front.serve(self._incoming))

    async def _say_goodbye(self, front: Any, serving: "asyncio.Task[None]") -> None:
        await in_time(self._answered(), ANSWER_S)
        await in_time(front.leave(), LEAVE_S)
        self._incoming.end()
        await in_time(serving, END_S)
        await self._wire.flush(FLUSH_S)
        await in_time(self._outgoing.settled(), FLUSH_S)
        await in_time(self._opening.close(), CLOSE_S)

    async def _answered(self) -> None:
        while self._requests.ids or not self._incoming.is_read:
            await self._requests.change()

    def _receive(self, data: bytes) -> None:
        for event in self._framer.feed(data):
            if not isinstance(event, Body):
                size = event.announced_bytes
                problem = f"a message has at most {FRAME_BYTES_MAX} bytes; one of {size} is ignored"
                say(problem)
                self._wire.write(encode(messages.failure(None, RpcNumber.INVALID_REQUEST, problem)) + b"\n")
            elif self._incoming is None:
                self._early.append(event.data)
            else:
                self._incoming.take(event.data)

    def _input_ended(self) -> None:
        # On the reading thread: also when the loop is busy the end is certain, but for a start under way.
        if self._incoming is not None:
            self._end.due()

    async def _watch(self) -> None:
        while not self._leaving.is_set():
            await asyncio.sleep(WATCH_S)
            if self._wire.is_gone or not self._lifeline.holds():
                self._leaving.set()

    def _signalled(self, *_: Any) -> None:
        self._end.due()
        self._loop.call_soon_threadsafe(self._leaving.set)
