"""A child process and its three pipes, from start to an end that leaves nothing behind."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, environ
from typing import Final, Self, cast

STDERR_BYTES_KEPT: Final = 256 * 1024
STDERR_LINES_KEPT: Final = 50
SETTLE_S: Final = 5.0
"""How long to wait for the rest (last output, stderr, exit code) once the process or a pipe has ended."""

_STDIN: Final = 0
_STDOUT: Final = 1


class ServerProcess(asyncio.SubprocessProtocol):
    """Bytes to a child's stdin, its stdout to ``on_output``, its stderr kept (the last 256 KiB).

    ``on_end`` is called once, when nothing more can come: all pipes ended and the exit code known, or
    five seconds after the first of these when something else holds a pipe open.
    """

    def __init__(self, on_output: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_output = on_output
        self._on_end = on_end
        self._transport: asyncio.SubprocessTransport
        self._stdin: asyncio.WriteTransport
        self._stdin_open = True
        self._settling: asyncio.TimerHandle | None = None
        self._settled = False
        self._stderr = bytearray()
        self._writable = asyncio.Event()
        self._writable.set()
        self._exited = asyncio.Event()
        self._lost = asyncio.Event()

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        on_output: Callable[[bytes], None],
        on_end: Callable[[], None],
        env: Mapping[str, str | None] | None = None,
        cwd: str | PathLike[str] | None = None,
    ) -> Self:
        """Start ``command``; ``env`` is laid over this process's environment, ``None`` removes a name.

        Raises ``OSError`` when the program cannot be started.
        """
        loop = asyncio.get_running_loop()
        _, process = await loop.subprocess_exec(
            lambda: cls(on_output, on_end), *command, env=_environment(env), cwd=cwd
        )
        return process

    @property
    def pid(self) -> int:
        """The process id."""
        return self._transport.get_pid()

    @property
    def exit_code(self) -> int | None:
        """``None`` while it runs; negative when a signal ended it."""
        return self._transport.get_returncode()

    @property
    def reads(self) -> bool:
        """Whether its stdin is still open."""
        return self._stdin_open

    @property
    def stderr(self) -> str:
        """What it printed on stderr so far, at most the last 256 KiB."""
        return self._stderr.decode(errors="replace")

    def last_words(self) -> tuple[str, ...]:
        """The last lines of stderr that are not blank."""
        lines = [line.rstrip() for line in self.stderr.splitlines() if line.strip()]
        return tuple(lines[-STDERR_LINES_KEPT:])

    def write(self, data: bytes) -> None:
        """Queue bytes for its stdin, whole and in order; nothing happens once stdin is closed."""
        if self._stdin_open:
            self._stdin.write(data)

    async def drain(self) -> None:
        """Wait until the queue is short again, or stdin is closed."""
        await self._writable.wait()

    def close_stdin(self) -> None:
        """Send what is queued, then the end of input."""
        if self._stdin_open:
            self._stdin_open = False
            self._writable.set()
            self._stdin.close()

    def terminate(self) -> None:
        """Ask the process to end (SIGTERM; on Windows the same as :meth:`kill`)."""
        with contextlib.suppress(ProcessLookupError):
            self._transport.terminate()

    def kill(self) -> None:
        """End the process without asking."""
        with contextlib.suppress(ProcessLookupError):
            self._transport.kill()

    async def wait(self, timeout_s: float) -> int | None:
        """The exit code, or ``None`` when it still runs after ``timeout_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._exited.wait()
        return self.exit_code

    async def stop(self, grace_s: float) -> None:
        """Close stdin, wait ``grace_s`` seconds for an exit, then terminate, wait again, then kill.

        No process is left, also when the waiting task is cancelled.
        """
        try:
            self.close_stdin()
            for harder in (self.terminate, self.kill):
                if await self.wait(grace_s) is not None:
                    break
                harder()
            await self.wait(grace_s)
        finally:
            # Kills what still runs, and lets go of pipes that a grandchild holds open.
            self._transport.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                await self._lost.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop when the process has started."""
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(_STDIN))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Called by the event loop with output."""
        if fd == _STDOUT:
            self._on_output(data)
            return
        self._stderr += data
        del self._stderr[:-STDERR_BYTES_KEPT]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Called by the event loop when a pipe has ended."""
        if fd == _STDIN:
            lost, self._stdin_open = self._stdin_open, False
            self._writable.set()
            if lost:
                self._settle_soon()
        elif fd == _STDOUT:
            self.close_stdin()
            self._settle_soon()

    def process_exited(self) -> None:
        """Called by the event loop when the process has exited; output may still be on its way."""
        self._exited.set()
        self._settle_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop when the process has exited and every pipe has ended."""
        self._lost.set()
        self._settle()

    def pause_writing(self) -> None:
        """Called by the event loop when the queue is long."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Called by the event loop when the queue is short again."""
        self._writable.set()

    def _settle_soon(self) -> None:
        if self._settling is None and not self._settled:
            self._settling = asyncio.get_running_loop().call_later(SETTLE_S, self._settle)

    def _settle(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
        if not self._settled:
            self._settled = True
            self._on_end()


def _environment(changes: Mapping[str, str | None] | None) -> dict[str, str]:
    merged: dict[str, str | None] = {**environ, **(changes or {})}
    return {name: value for name, value in merged.items() if value is not None}
