"""A child process on pipes that may die, hang, or write anything: nothing here waits without a limit."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Final

from keepgate.conformance.replies import DIED, GARBAGE, SILENT, UNREACHABLE, TargetFailure

_CHUNK: Final = 65536
MESSAGE_BYTES_MAX: Final = 32 * 1024 * 1024
_TAIL_BYTES: Final = 2000
_GRACE_S: Final = 3.0

Cutter = Callable[[bytearray], Iterator[bytes]]
"""Takes whole messages off the front of a buffer; raises ``TargetFailure`` for what can be none."""


class Child:
    """A started process, its messages, and the end of what it wrote on stderr."""

    def __init__(
        self, command: Sequence[str], *, cut: Cutter, env: Mapping[str, str] | None, cwd: str | None
    ) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command that a person named
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=None if env is None else dict(env),
                cwd=cwd,
                start_new_session=os.name != "nt",
            )
        except (OSError, ValueError) as error:
            raise TargetFailure(UNREACHABLE, f"{command[0]} cannot be started: {error}") from error
        self._cut = cut
        self._arrived: queue.Queue[bytes | TargetFailure | None] = queue.Queue()
        self._outgoing: queue.Queue[bytes | None] = queue.Queue()
        self._tail = bytearray()
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for work, stream in ((self._read, self._process.stdout), (self._keep_tail, self._process.stderr)):
            threading.Thread(target=work, args=(stream,), daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, data: bytes) -> None:
        """Queue bytes; a child that does not read blocks nobody."""
        self._outgoing.put(data)

    def receive(self, deadline: float) -> bytes:
        """The next message. Raises ``TargetFailure`` when it died, wrote garbage, or is silent too long."""
        try:
            item = self._arrived.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TargetFailure(SILENT, "the target did not answer in time") from None
        if item is None:
            self._arrived.put(None)
            raise TargetFailure(DIED, self._obituary())
        if isinstance(item, TargetFailure):
            raise item
        return item

    def close(self) -> None:
        """End it: by the end of its input, then by force."""
        self._outgoing.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        self._kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)

    def _kill(self) -> None:
        """Kill what it may have started, too, where there are process groups."""
        with contextlib.suppress(OSError):
            if os.name == "nt":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    def _read(self, stream: IO[bytes]) -> None:
        buffer = bytearray()
        with stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                buffer += chunk
                try:
                    for message in self._cut(buffer):
                        self._arrived.put(message)
                except TargetFailure as failure:
                    self._arrived.put(failure)
                    buffer.clear()
                if len(buffer) > MESSAGE_BYTES_MAX:
                    self._arrived.put(TargetFailure(GARBAGE, "a message is longer than 32 MiB"))
                    break
        self._arrived.put(None)

    def _keep_tail(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                self._tail = (self._tail + chunk)[-_TAIL_BYTES:]

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while (data := self._outgoing.get()) is not None:
                stream.write(data)
                stream.flush()
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def _obituary(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        last = bytes(self._tail).decode("utf-8", "replace").strip().splitlines()[-1:]
        code = self._process.returncode
        return f"the process ended with code {code}" + "".join(f"; {text}" for text in last)
