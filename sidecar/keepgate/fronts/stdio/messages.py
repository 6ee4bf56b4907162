"""JSON-RPC 2.0 messages: bytes to one of four kinds, and answers as JSON (docs/protocol.md)."""

from typing import Any, Final

from attrs import frozen

from keepgate.protocol.errors import RpcNumber
from keepgate.protocol.wire import decode

VERSION: Final = "2.0"

MessageId = str | int
Json = dict[str, Any]

ABSENT: Final = object()
"""The result of a response that has none."""


@frozen
class Request:
    """Something that must be answered exactly once."""

    id: MessageId
    method: str
    params: Any


@frozen
class Notification:
    """Something that is never answered."""

    method: str
    params: Any


@frozen(kw_only=True)
class Response:
    """The other side's answer to a request of ours. ``error`` is ``None`` unless it is one."""

    id: Any
    result: Any
    error: Any

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing, and so is hardly an answer."""
        return self.result is ABSENT and self.error is None


@frozen(kw_only=True)
class Unusable:
    """Something that is no message; answered with ``number`` under ``id``, ``None`` when it names none."""

    id: MessageId | None
    number: RpcNumber
    problem: str


Message = Request | Notification | Response | Unusable


def parse(body: bytes) -> Message:
    """What the bytes of one frame say. Never raises; ``params`` are not looked at."""
    try:
        raw = decode(body)
    except ValueError as error:
        return Unusable(id=None, number=RpcNumber.PARSE_ERROR, problem=_why_not_json(error))
    if type(raw) is not dict:
        batch = type(raw) is list
        return _invalid(None, "send one message at a time, no batch" if batch else "a message is an object")
    if raw.get("jsonrpc") != VERSION:
        return _invalid(raw.get("id"), 'a message has the member "jsonrpc": "2.0"')
    if "method" in raw:
        return _call(raw)
    if "id" in raw:
        return Response(id=raw["id"], result=raw.get("result", ABSENT), error=raw.get("error"))
    return _invalid(None, "a message has a method, or is the answer to one")


def is_id(value: Any) -> bool:
    """Whether a request may have this id. ``True`` equals 1 in Python, and is none."""
    return type(value) in (str, int)


def success(number: MessageId, result: Any) -> Json:
    """The answer to a request that went well."""
    return {"jsonrpc": VERSION, "id": number, "result": result}


def failure(number: MessageId | None, code: int, message: str, data: Any = None) -> Json:
    """The answer to a request that did not; ``data`` is left out when it is ``None``."""
    error: Json = {"code": int(code), "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": VERSION, "id": number, "error": error}


def empty(response: Response) -> Json:
    """The answer to what says nothing, and so is rather a request that lacks its method."""
    number = response.id if is_id(response.id) else None
    return failure(number, RpcNumber.INVALID_REQUEST, "a request names its method")


def _call(raw: Json) -> Message:
    method, params = raw["method"], raw.get("params")
    if type(method) is not str:
        return _invalid(raw.get("id"), "a method is named by a string")
    if "id" not in raw:
        return Notification(method, params)
    if not is_id(raw["id"]):
        return _invalid(None, "an id is a string or an integer")
    return Request(raw["id"], method, params)


def _invalid(number: Any, problem: str) -> Unusable:
    return Unusable(id=number if is_id(number) else None, number=RpcNumber.INVALID_REQUEST, problem=problem)


def _why_not_json(error: ValueError) -> str:
    # The parser's own message may quote the input, and so memory text.
    if isinstance(error, UnicodeDecodeError):
        return f"the message is not UTF-8 at byte {error.start}"
    place = getattr(error, "pos", None)
    return "the message is not JSON" + (f" at character {place}" if place is not None else "")
