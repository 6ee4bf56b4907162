"""``keepgate serve``: from the first byte on stdin to an exit that nothing can hang."""

import asyncio
import gc
import os
from collections.abc import Callable
from typing import Any, Final, NoReturn

from keepgate.fronts.lsp import lean_types
from keepgate.fronts.stdio import logs
from keepgate.fronts.stdio.ending import CertainEnd, in_time, log_unhandled, on_signals, say
from keepgate.fronts.stdio.processes import Lifeline
from keepgate.fronts.stdio.transport import Descriptors, Wire, claim
from keepgate.protocol.errors import ExitCode, RpcNumber
from keepgate.protocol.framing import Body, BrokenFrame, Framer, Framing, frame
from keepgate.protocol.lifecycle import FRAME_BYTES_MAX

WATCH_S: Final = 0.5
"""How often the client's process and its end of stdout are looked at."""
ANSWER_S: Final = 0.4
DISCONNECT_S: Final = 0.5
FLUSH_S: Final = 0.2
SETTLE_S: Final = 0.2
CLOSE_S: Final = 0.8
"""Also for the commit of an answer that came last. All together end with the guard of :class:`CertainEnd`."""
IMPORT_GC_THRESHOLD: Final = 10_000


def serve(
    *,
    framing: Framing | None = None,
    store: str | None = None,
    log_level: str = "warning",
    log_file: str | None = None,
) -> NoReturn:
    """Serve one client over stdin and stdout, then end the process.

    ``framing`` fixes how messages are delimited; ``None`` finds out from the first byte. ``store`` is
    the absolute path of the store, ``None`` for the one of environment and settings. ``log_level`` is a
    level's name in :mod:`logging`; the log goes to stderr, and to ``log_file`` when given. Exit code 0
    after ``shutdown``, 1 otherwise.
    """
    code = int(ExitCode.FAILED)
    # Until the event loop runs there is nothing to put in order.
    on_signals(lambda *_: os._exit(ExitCode.FAILED))
    try:
        code = _serve(claim(), framing, store, log_level, log_file)
    except (OSError, ValueError) as error:
        say(f"cannot serve: {error}")
    finally:
        # No thread of ours, of the store or of an adapter keeps the process: this runs no clean-up.
        os._exit(code)


def _serve(
    descriptors: Descriptors,
    framing: Framing | None,
    store: str | None,
    log_level: str,
    log_file: str | None,
) -> int:
    listener = logs.configure(log_level, log_file)
    try:
        return asyncio.run(_Server(descriptors, framing, store).run())
    except Exception as error:  # noqa: BLE001 - the last place where anything can be said about it
        say(f"ended by incident {logs.incident(error)}; its log has the details")
        return ExitCode.FAILED
    finally:
        logs.finish(listener, FLUSH_S)


class _Server:
    """The wire, the messages in it and the front that serves them, until something ends it."""

    def __init__(self, descriptors: Descriptors, framing: Framing | None, store: str | None) -> None:
        self._descriptors = descriptors
        self._framer = Framer(framing)
        self._lifeline: Lifeline | None = None
        self._end = CertainEnd(self._exit_code)
        self._front = _import_front()(self._framing, self._hang_on, store)
        self._protocol = self._front.protocol
        self._protocol.send = self._send
        self._protocol.when_written = self._when_written
        self._protocol.on_exit = self.leave

    async def run(self) -> int:
        """Serve until the client leaves, and return the exit code."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(log_unhandled)
        self._leaving: asyncio.Future[int | None] = self._loop.create_future()
        self._wire = Wire(
            self._descriptors,
            on_input=self._receive,
            on_last=self._end.due,
            on_end=self.leave,
            on_broken=self.leave,
        )
        self._end.start()
        on_signals(self._signalled)
        watching = self._loop.create_task(self._watch())
        self._wire.start()
        code = await self._leaving
        watching.cancel()
        await self._say_goodbye()
        # Looked at last: a client may send everything up to ``exit`` before ``initialize`` is answered.
        return self._exit_code() if code is None else code

    def leave(self, code: int | None = None) -> None:
        """End the process soon; the first call decides the exit code, or leaves it to the life cycle."""
        self._end.due()
        if not self._leaving.done():
            self._leaving.set_result(code)

    async def _say_goodbye(self) -> None:
        await self._protocol.quiesce(ANSWER_S)
        await in_time(self._front.disconnect(), DISCONNECT_S)
        self._protocol.lose_client()
        await self._wire.flush(FLUSH_S)
        await self._protocol.settling.wait(SETTLE_S)
        await in_time(self._front.close(), CLOSE_S)

    def _receive(self, data: bytes) -> None:
        if self._leaving.done():
            return
        try:
            for event in self._framer.feed(data):
                if isinstance(event, Body):
                    self._protocol.receive(event.data)
                else:
                    problem = (
                        f"a message has at most {FRAME_BYTES_MAX} bytes; this one has {event.announced_bytes}"
                    )
                    self._protocol.refuse(None, RpcNumber.INVALID_REQUEST, problem)
        except BrokenFrame as error:
            self.leave(ExitCode.FAILED)
            say(f"stdin does not speak the protocol: {error}")

    def _send(self, body: bytes) -> None:
        self._wire.write(frame(body, self._framing()))

    def _when_written(self, callback: Callable[[], None]) -> None:
        self._wire.when_written(callback)

    def _framing(self) -> Framing:
        return self._framer.framing or Framing.LSP

    def _hang_on(self, process_id: int) -> None:
        lifeline = Lifeline(process_id)
        # A process that does not exist here may live in another container: nothing follows from its absence.
        self._lifeline = lifeline if lifeline.holds() else None

    async def _watch(self) -> None:
        while not self._wire.is_gone:
            if self._lifeline is not None and not self._lifeline.holds():
                break
            await asyncio.sleep(WATCH_S)
        self.leave()

    def _signalled(self, *_: Any) -> None:
        self._end.due()
        self._loop.call_soon_threadsafe(self.leave)

    def _exit_code(self) -> int:
        return ExitCode.OK if self._protocol.is_shut else ExitCode.FAILED


def _import_front() -> Any:
    # Half a second of imports: looking for garbage less often saves a tenth of it, and what they leave
    # behind lives as long as the process and need not be looked at again.
    usual = gc.get_threshold()
    gc.set_threshold(IMPORT_GC_THRESHOLD)
    lean_types.load()
    from keepgate.fronts.lsp.front import Front  # noqa: PLC0415 - after stdout has been claimed

    gc.freeze()
    gc.set_threshold(*usual)
    gc.enable()
    return Front
