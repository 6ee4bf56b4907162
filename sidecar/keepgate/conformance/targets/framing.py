"""Messages on pipes: one JSON text per line (MCP), or with ``Content-Length`` headers (LSP)."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from keepgate.conformance.replies import GARBAGE, NOISE, TargetFailure

_LENGTH: Final = re.compile(rb"^content-length: *(\d+) *$", re.IGNORECASE | re.MULTILINE)
_HEADER_BYTES_MAX: Final = 4096


def cut_lines(buffer: bytearray) -> Iterator[bytes]:
    """Take whole lines off a buffer; empty ones are no messages."""
    while (end := buffer.find(b"\n")) >= 0:
        line = bytes(buffer[:end]).strip()
        del buffer[: end + 1]
        if line:
            yield line


def cut_frames(buffer: bytearray) -> Iterator[bytes]:
    """Take whole frames off a buffer. Raises ``TargetFailure`` where no frame can begin."""
    while buffer:
        end = buffer.find(b"\r\n\r\n")
        head = bytes(buffer[: end if end >= 0 else _HEADER_BYTES_MAX])
        if not b"content-length:".startswith(head[:15].lower()) and not head[:8].lower() == b"content-":
            raise TargetFailure(NOISE, f"it wrote {head[:80]!r} where a message should begin")
        if end < 0:
            if len(buffer) > _HEADER_BYTES_MAX:
                raise TargetFailure(GARBAGE, "a header without an end")
            return
        length = _LENGTH.search(head)
        if length is None:
            raise TargetFailure(GARBAGE, f"a header without a length: {head[:80]!r}")
        size = int(length[1])
        if len(buffer) < end + 4 + size:
            return
        body = bytes(buffer[end + 4 : end + 4 + size])
        del buffer[: end + 4 + size]
        yield body


def line(message: Any) -> bytes:
    """A message as a line."""
    return json.dumps(message).encode() + b"\n"


def frame(message: Any) -> bytes:
    """A message as a frame."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def parse(data: bytes) -> dict[str, Any]:
    """A JSON-RPC message. Raises ``TargetFailure`` for anything else."""
    try:
        message = json.loads(data)
    except ValueError:
        raise TargetFailure(NOISE, f"it wrote {data[:80]!r}, which is no message") from None
    except RecursionError:
        raise TargetFailure(GARBAGE, "a message is nested too deeply") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise TargetFailure(GARBAGE, f"it wrote {data[:80]!r}, which is no JSON-RPC message")
    return message
