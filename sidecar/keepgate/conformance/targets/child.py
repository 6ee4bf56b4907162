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
_AHEAD: Final = 64
"""So many messages are read ahead; a child that writes more waits until somebody takes them."""

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
        self._arrived: queue.Queue[bytes | TargetFailure | None] = queue.Queue(_AHEAD)
        self._closed = threading.Event()
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
        late = TargetFailure(SILENT, "the target did not answer in time")
        # A child that says other things all the time is late as well, so the clock is looked at first.
        if (left_s := deadline - time.monotonic()) <= 0:
            raise late
        try:
            item = self._arrived.get(timeout=left_s)
        except queue.Empty:
            raise late from None
        if item is None:
            # Nothing is read any more, so there is room.
            self._arrived.put(None)
            raise TargetFailure(DIED, self._obituary())
        if isinstance(item, TargetFailure):
            raise item
        return item

    def close(self) -> None:
        """End it: by the end of its input, then by force."""
        self._closed.set()
        self._outgoing.put(None)
        if not self._reaped:
            self._ended(_GRACE_S)
            self._kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)

    @property
    def _reaped(self) -> bool:
        return self._process.returncode is not None

    def _ended(self, limit_s: float) -> int | None:
        """Its exit code once it has ended, or ``None``.

        It is not reaped where the system can tell without, so that its number stays its own until `_kill`.
        """
        if not hasattr(os, "waitid"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(limit_s)
            return None
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            time.sleep(0.01)
        return None

    def _kill(self) -> None:
        """Kill what it may have started, too, where there are process groups."""
        if self._reaped:
            return
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
                        self._keep(message)
                except TargetFailure as failure:
                    self._keep(failure)
                    buffer.clear()
                if len(buffer) > MESSAGE_BYTES_MAX:
                    self._keep(TargetFailure(GARBAGE, "a message is longer than 32 MiB"))
                    break
        self._keep(None)

    def _keep(self, item: bytes | TargetFailure | None) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._arrived.put(item, timeout=0.1)
                return

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
        code = self._ended(_GRACE_S)
        last = bytes(self._tail).decode("utf-8", "replace").strip().splitlines()[-1:]
        how = "closed its output" if code is None else f"ended with code {code}"
        return f"the process {how}" + "".join(f"; {text}" for text in last)
