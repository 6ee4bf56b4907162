"""JSON-RPC messages as values: built and told apart here, without IO.

Only the top level of a message is looked at; what stands inside ``params`` and ``result`` is data, also
when it has members named ``jsonrpc``, ``id`` or ``method``.
"""

from typing import Any, Final

from attrs import frozen

from keepgate.protocol.errors import Code, Fault, RpcNumber
from keepgate.protocol.verb_errors import VERB_ERROR_NUMBER, VerbCode, VerbFault
from keepgate_client.errors import RpcError

MessageId = int | str
Message = dict[str, Any]

_CODES: Final = frozenset(Code)


@frozen
class Request:
    """Something the other side wants answered."""

    id: MessageId
    method: str
    params: Any


@frozen
class Notification:
    """Something the other side tells."""

    method: str
    params: Any


@frozen
class Response:
    """An answer; ``body`` is the whole object. ``id`` is ``None`` when ours could not be read."""

    id: MessageId | None
    body: Message


def parse(message: Any) -> Request | Notification | Response:
    """Tell what a decoded message is. Raises ``ValueError`` for anything that is not JSON-RPC 2.0."""
    if type(message) is not dict:
        raise ValueError("a message must be an object")
    if message.get("jsonrpc") != "2.0":
        raise ValueError("a message must say jsonrpc 2.0")
    number = message.get("id")
    if number is not None and type(number) not in (int, str):
        raise ValueError("an id must be an integer or a string")
    if "method" not in message:
        if "id" not in message or ("result" in message) == ("error" in message):
            raise ValueError("a response needs an id and either a result or an error")
        return Response(number, message)
    method = message["method"]
    if type(method) is not str:
        raise ValueError("a method must be a string")
    if "id" not in message:
        return Notification(method, message.get("params"))
    if number is None:
        raise ValueError("a request must not have the id null")
    return Request(number, method, message.get("params"))


def request(number: MessageId, method: str, params: Any = None) -> Message:
    """A request; ``params`` of ``None`` are left out, as JSON-RPC wants."""
    return {"jsonrpc": "2.0", "id": number, "method": method, **_params(params)}


def notification(method: str, params: Any = None) -> Message:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, **_params(params)}


def success(number: MessageId, result: Any) -> Message:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": number, "result": result}


def failure(number: MessageId, error: BaseException) -> Message:
    """The error answer to a request.

    An exception that is neither a fault nor an :class:`RpcError` is named by its type alone: its text
    may hold anything.
    """
    if isinstance(error, Fault):
        body = {"code": int(error.number), "message": error.message, "data": error.data()}
    elif isinstance(error, RpcError):
        body = {"code": error.number, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
    else:
        body = {
            "code": int(RpcNumber.INTERNAL_ERROR),
            "message": f"the client failed with {type(error).__name__}",
        }
    return {"jsonrpc": "2.0", "id": number, "error": body}


def result_of(response: Message) -> Any:
    """The result of an answer.

    Raises the :class:`Fault` that ``data.code`` names, and :class:`RpcError` for every other error.
    """
    if "error" not in response:
        return response["result"]
    raise error_of(response["error"])


def error_of(error: Any) -> Fault | RpcError:
    """The exception that an ``error`` member stands for."""
    members = error if isinstance(error, dict) else {}
    number, message, data = members.get("code"), members.get("message"), members.get("data")
    if not isinstance(number, int) or not isinstance(message, str):
        return RpcError(RpcNumber.INTERNAL_ERROR, "the server sent an error without code and message", error)
    if number == VERB_ERROR_NUMBER and isinstance(data, dict) and data.get("error") in tuple(VerbCode):
        return _verb_fault(message, data)
    if isinstance(data, dict) and isinstance(data.get("code"), str) and data["code"] in _CODES:
        return _fault(Code(data["code"]), message, data, number)
    return RpcError(number, message, data)


def _fault(code: Code, message: str, data: Message, number: int) -> Fault:
    details = data.get("details")
    members = dict(details) if isinstance(details, dict) else {}
    if "problems" in data:
        members.setdefault("problems", data["problems"])
    suggestion = data.get("suggestion")
    return Fault(
        code, message, members, suggestion=suggestion if isinstance(suggestion, str) else None, number=number
    )


def _verb_fault(message: str, data: Message) -> VerbFault:
    suggestion, detail = data.get("suggestion"), data.get("detail")
    return VerbFault(
        VerbCode(data["error"]),
        message,
        suggestion if isinstance(suggestion, str) else "",
        detail if isinstance(detail, str) else None,
    )


def _params(params: Any) -> Message:
    return {} if params is None else {"params": params}
