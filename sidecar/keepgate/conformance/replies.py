"""What a target answered, and the ways in which it may fail to answer at all."""

from typing import Any, Final

from attrs import field, frozen

DIED: Final = "died"
SILENT: Final = "silent"
NOISE: Final = "noise"
GARBAGE: Final = "garbage"
UNREACHABLE: Final = "unreachable"


class TargetFailure(Exception):
    """The target gave no answer that could be judged. ``kind`` is one of the words of this module."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.where: str | None = None


def refusal_in(response: dict[str, Any]) -> str:
    """What an error response says, in words."""
    error = response.get("error")
    return str(error.get("message", error) if isinstance(error, dict) else error)[:200]


@frozen(kw_only=True)
class Reply:
    """One answer. ``body`` is the result or the error envelope, ``about`` what the wire says around it.

    ``about`` has, where the wire has such a thing: ``blocks`` (content blocks), ``isError``, ``structured``
    (whether there was ``structuredContent``), ``meta`` (``_meta``), ``rpcError`` (a JSON-RPC error),
    ``number``, ``code`` and ``latencyMs``. ``asked`` are the questions put to the person meanwhile.
    """

    ok: bool
    body: Any
    about: dict[str, Any] = field(factory=dict)
    asked: list[dict[str, Any]] = field(factory=list)
