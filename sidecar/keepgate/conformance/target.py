"""What the runner needs of a target, and the roles in which it may be spoken to."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from keepgate.conformance.replies import Reply

MAIN: Final = "main"


class Target(Protocol):
    """One connection to what is certified. Every method raises ``TargetFailure`` and nothing else."""

    features: frozenset[str]
    """Words that cases require: ``remote``, ``local``, ``mcp``, ``approvals``, ``tool:<name>``, ..."""

    def start(self, limit_s: float) -> None:
        """Connect, and learn what the target offers."""

    def call(self, name: str, arguments: Any, *, limit_s: float, person: str | None) -> Reply:
        """Call an operation by its contract's name. ``person`` is what a scripted client answers."""

    def request(self, method: str, params: Any, *, limit_s: float) -> Reply:
        """A request of the wire itself."""

    def send(self, raw: str) -> None:
        """Send bytes that may be no message at all."""

    def close(self) -> None:
        """Let it go; safe to repeat, and never raises."""


class Endpoint(Protocol):
    """A way to reach a target, from which connections are made."""

    label: str
    note: str
    """What a person should know before the run, or empty."""

    features: frozenset[str]
    """What is known before anything is started: ``own``, ``fresh``, ``restart``, ``as:<role>``, ..."""

    def connect(self, role: str) -> Target:
        """A connection that is not started yet; ``role`` is ``main`` or one of the ``as:`` features."""

    def close(self) -> None:
        """Remove what was made for the run."""


def server_message_answer(method: str) -> Mapping[str, Any]:
    """What a client without a person answers to a server's request."""
    if method in (
        "ping",
        "workspace/configuration",
        "client/registerCapability",
        "window/workDoneProgress/create",
    ):
        return {"result": [] if method == "workspace/configuration" else {}}
    return {"error": {"code": -32601, "message": f"this client does not answer {method}"}}
