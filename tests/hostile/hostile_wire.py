"""One held connection: many requests at once, answers counted, everything that comes searched."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from hostile_place import CANARY, Place

Json = dict[str, Any]
WAIT_S: Final = 120.0
OPEN_MAX: Final = 256
"""So many requests wait for their answers at most, so that calls meet one another in the server."""


class Wire:
    """A process that speaks JSON, one message per line. ``reply`` answers what the server asks.

    ``faults`` collects what must never be: a second answer, an internal error, another workspace's text.
    """

    def __init__(
        self, place: Place, arguments: Sequence[str], reply: Callable[[Json], Any], name: str
    ) -> None:
        self.faults: list[str] = []
        self.asked: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.by_method: Counter[tuple[str, bool]] = Counter()
        self.calls = 0
        self._reply = reply
        self._open: dict[Any, str] = {}
        self._results: dict[Any, Json] = {}
        self._waived: set[Any] = set()
        self._nameless = 0
        self._news = threading.Condition()
        self._writing = threading.Lock()
        self._log = place.home / f"{name}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "keepgate", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "KEEPGATE_HOME": str(place.home)},
                cwd=place.own,
                start_new_session=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, messages: Sequence[Any], *, nameless: int = 0, given_up: Sequence[Any] = ()) -> None:
        """Write messages in one go. Each with an id is owed one answer, ``nameless`` of the others, too.

        Requests that are ``given_up`` may be answered, once, or not at all.
        """
        with self._news:
            self._nameless += nameless
            for message in messages:
                if isinstance(message, dict) and "id" in message and "method" in message:
                    assert message["id"] not in self._open
                    self._open[message["id"]] = _called(message)
                    self.calls += 1
            for number in given_up:
                if self._open.pop(number, None) is not None:
                    self._waived.add(number)
        lines = (json.dumps(message) if not isinstance(message, str) else message for message in messages)
        self._write("".join(f"{line}\n" for line in lines).encode())
        self._until(lambda: len(self._open) < OPEN_MAX)

    def ask(self, number: Any, method: str, params: Any = None) -> Json:
        """One request and its answer."""
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        with self._news:
            self._results[number] = {}
        self.send([message if params is None else {**message, "params": params}])
        self._until(lambda: bool(self._results[number]))
        return self._results.pop(number)

    def drain(self) -> None:
        """Wait until everything is answered, and nothing was answered twice."""
        self._until(lambda: not self._open and self._nameless <= 0)
        with self._news:
            assert self._nameless == 0, "an answer without an id too many"
        assert self.process.poll() is None, f"the process ended: {self.log()[-2000:]}"

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def end(self) -> None:
        """Leave; what was written is looked at once more."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(WAIT_S)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join(WAIT_S)
            self.process.stdout.close()
        written = self.log()
        for word in ("Traceback", "incident", CANARY):
            if word in written:
                self.faults.append(f"the log holds {word!r}: {written[-3000:]}")

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def _until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_S
        with self._news:
            while not holds():
                left = deadline - time.monotonic()
                owed = list(self._open.items())[:5]
                assert left > 0, (
                    f"never answered: {owed}, {self._nameless} without an id; {self.log()[-2000:]}"
                )
                assert self._reader.is_alive(), f"the process ended owing {owed}: {self.log()[-2000:]}"
                self._news.wait(min(left, 1.0))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if CANARY.encode() in line:
                self.faults.append(f"another workspace's text: {line[:2000]!r}")
            try:
                self._take(json.loads(line))
            except Exception as error:  # noqa: BLE001 - told at the end, by the test
                self.faults.append(f"{error!r} at {line[:500]!r}")
        with self._news:
            self._news.notify_all()

    def _take(self, message: Json) -> None:
        if "method" in message:
            self.asked[message["method"]] += 1
            if "id" in message and (answer := self._reply(message)) is not None:
                self._write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode() + b"\n")
            return
        number = message["id"]
        with self._news:
            if number is None:
                self._nameless -= 1
            elif number in self._waived:
                self._waived.discard(number)
            elif number not in self._open:
                self.faults.append(f"answered twice, or never asked: {message}")
            else:
                method = self._open.pop(number)
                self._judge(method, message)
                if number in self._results:
                    self._results[number] = message
            self._news.notify_all()

    def _judge(self, method: str, message: Json) -> None:
        error = message.get("error")
        refused = error is not None or _is_error(message)
        self.outcomes["refused" if refused else "done"] += 1
        self.by_method[method, not refused] += 1
        told = json.dumps(message) if refused else ""
        if (error is not None and error["code"] == -32603) or "INTERNAL" in told or "incident" in told:
            self.faults.append(f"{method}: {told[:2000]}")


def _called(message: Json) -> str:
    """The method, command or tool of a request."""
    method, params = message["method"], message.get("params")
    inner = {"workspace/executeCommand": "command", "tools/call": "name"}.get(method)
    return str(params.get(inner)) if inner and isinstance(params, dict) else str(method)


def _is_error(message: Json) -> bool:
    result = message.get("result")
    return isinstance(result, dict) and result.get("isError") is True
