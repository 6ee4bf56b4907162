"""JSON-RPC with a child process: requests with a limit, and answers to what the server asks."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define

from keepgate.conformance.replies import GARBAGE, TargetFailure
from keepgate.conformance.target import server_message_answer
from keepgate.conformance.targets.child import Child, Cutter
from keepgate.conformance.targets.framing import parse

Answer = Callable[[str, Any], Mapping[str, Any]]
"""From a server's request to ``{"result": ...}`` or ``{"error": ...}``."""


@define(kw_only=True)
class Piped:
    """One JSON-RPC conversation over pipes."""

    command: Sequence[str]
    cut: Cutter
    pack: Callable[[Any], bytes]
    env: Mapping[str, str] | None = None
    cwd: str | None = None
    answer: Answer = lambda method, _params: server_message_answer(method)
    _child: Child | None = None
    _last_id: int = 0

    def start(self) -> None:
        """Start the process."""
        self._child = Child(self.command, cut=self.cut, env=self.env, cwd=self.cwd)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def send_raw(self, raw: str) -> None:
        """Send a text that may be no message."""
        self._alive().send(raw.encode("utf-8", "surrogatepass"))

    def request(self, method: str, params: Any, limit_s: float) -> dict[str, Any]:
        """The response to a request, ``result`` or ``error``. Raises ``TargetFailure``."""
        self._last_id += 1
        wanted = self._last_id
        self._send({"jsonrpc": "2.0", "id": wanted, "method": method, "params": params})
        deadline = time.monotonic() + limit_s
        while True:
            message = parse(self._alive().receive(deadline))
            if "method" in message:
                self._heard(message)
            elif message.get("id") == wanted and not isinstance(message.get("id"), bool):
                if ("result" in message) == ("error" in message):
                    raise TargetFailure(GARBAGE, "a response has neither or both of result and error")
                return message
            # Anything else answers a request that was given up, or bytes that were no request.

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _heard(self, message: dict[str, Any]) -> None:
        if "id" in message:
            answer = self.answer(str(message["method"]), message.get("params"))
            self._send({"jsonrpc": "2.0", "id": message["id"], **answer})

    def _send(self, message: Mapping[str, Any]) -> None:
        self._alive().send(self.pack(message))

    def _alive(self) -> Child:
        assert self._child is not None, "not started"
        return self._child
