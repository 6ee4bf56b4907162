"""Where a connection stands in its life cycle, and what a request means there (docs/protocol.md)."""

from enum import Enum, auto
from typing import Final

from lsprotocol import types

from keepgate.protocol.errors import RpcNumber
from keepgate.protocol.ops import BY_NAME

REQUESTS: Final = frozenset(BY_NAME) | {types.INITIALIZE, types.SHUTDOWN, types.WORKSPACE_EXECUTE_COMMAND}
"""Methods that are answered."""
NOTIFIED: Final = frozenset(row.name for row in BY_NAME.values() if row.notification)
"""Those of them that a client may also send as notifications."""


class Phase(Enum):
    """The life cycle. ``STARTING`` lasts until ``initialize`` is answered."""

    FRESH = auto()
    STARTING = auto()
    READY = auto()
    SHUT = auto()


class Refused(Exception):
    """A request that cannot be served now; ``number`` and message are its answer."""

    def __init__(self, number: RpcNumber, message: str) -> None:
        super().__init__(message)
        self.number = number


def admit(phase: Phase, method: str) -> Phase:
    """The phase after a request for ``method`` has arrived. Raises :class:`Refused`."""
    if phase is Phase.SHUT:
        raise Refused(RpcNumber.INVALID_REQUEST, "the server is shutting down")
    if method == types.INITIALIZE:
        if phase is not Phase.FRESH:
            raise Refused(RpcNumber.INVALID_REQUEST, "the server is initialized already")
        return Phase.STARTING
    if phase is Phase.FRESH:
        raise Refused(RpcNumber.SERVER_NOT_INITIALIZED, "send initialize first")
    if method not in REQUESTS:
        raise Refused(RpcNumber.METHOD_NOT_FOUND, f"there is no method {method}")
    return Phase.SHUT if method == types.SHUTDOWN else phase
