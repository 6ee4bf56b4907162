"""What a call can end in besides its result and a :class:`keepgate.protocol.errors.Fault`."""

from typing import Any

from keepgate.protocol.errors import Fault

STDERR_LINES_SHOWN = 5


class RpcError(Exception):
    """The other side answered with a JSON-RPC error that is not a fault of the contract.

    ``number`` is the JSON-RPC ``code``, for instance -32601 for an unknown method.
    """

    def __init__(self, number: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({number})")
        self.number = number
        self.message = message
        self.data = data


class Disconnected(ConnectionError):
    """The server is gone, so what was asked has no answer; a write may or may not have been stored.

    ``exit_code`` is ``None`` while the process still runs, negative for a signal. ``stderr`` holds its
    last lines.
    """

    def __init__(self, reason: str, *, exit_code: int | None, stderr: tuple[str, ...]) -> None:
        state = "still running" if exit_code is None else f"exit code {exit_code}"
        last = "".join(f"\n  {line}" for line in stderr[-STDERR_LINES_SHOWN:])
        super().__init__(f"{reason} ({state}){':' if last else ''}{last}")
        self.reason = reason
        self.exit_code = exit_code
        self.stderr = stderr


class UnexpectedAnswer(Exception):
    """The server answered ``method`` with a result of another shape than this client knows."""

    def __init__(self, method: str, fault: Fault) -> None:
        super().__init__(f"the answer to {method} is not what this client knows: {fault.message}")
        self.method = method
