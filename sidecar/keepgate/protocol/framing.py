"""Framing without IO: bytes in, messages out, in either of two forms.

``Content-Length`` headers (LSP) and one JSON message per line are told apart by the first byte that is
not blank. Feed what was read to :meth:`Framer.feed`; it yields complete bodies and oversized frames.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from attrs import frozen

from keepgate.protocol.lifecycle import FRAME_BYTES_MAX

HEADER_BYTES_MAX: Final = 8 * 1024
_LENGTH: Final = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,15})[ \t]*", re.IGNORECASE)
_HEADER: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:.*")
_HEADERS_END: Final = re.compile(rb"\r?\n\r?\n")
_BLANK: Final = b" \t\r\n"
# A byte-order mark before the first message, as some shells put into pipes, says nothing.
_BEFORE_FIRST: Final = _BLANK + b"\xef\xbb\xbf"


class Framing(StrEnum):
    """How messages are delimited."""

    LSP = "lsp"
    LINES = "lines"


@frozen
class Body:
    """One complete message, still bytes."""

    data: bytes


@frozen
class Oversized:
    """A frame above the limit; its bytes are skipped and the stream stays in step."""

    announced_bytes: int


class BrokenFrame(Exception):
    """The bytes cannot be a frame; nothing after them can be trusted."""


class Framer:
    """Cuts a byte stream into messages. Not thread-safe; holds at most one unfinished frame."""

    def __init__(self, framing: Framing | None = None, *, limit_bytes: int = FRAME_BYTES_MAX) -> None:
        self.framing = framing
        self._limit = limit_bytes
        self._buffer = bytearray()
        self._skip = 0
        self._skipping_line = 0
        self._scanned = 0

    def feed(self, data: bytes) -> Iterator[Body | Oversized]:
        """Take what was read and yield what it completes.

        Raises :class:`BrokenFrame` when the stream cannot be followed any further.
        """
        self._buffer += data
        while True:
            if self.framing is None and not self._detect():
                return
            event = self._next_line() if self.framing is Framing.LINES else self._next_headed()
            if event is None:
                return
            yield event

    def _detect(self) -> bool:
        self._buffer = self._buffer.lstrip(_BEFORE_FIRST)
        if not self._buffer:
            return False
        if self._buffer[:1] in b"Cc":
            self.framing = Framing.LSP
        elif self._buffer[:1] in b"{[":
            self.framing = Framing.LINES
        else:
            raise BrokenFrame(f"a message cannot begin with byte 0x{self._buffer[0]:02x}")
        return True

    def _next_line(self) -> Body | Oversized | None:
        while True:
            # What was looked through for an end before is not looked through again.
            end = self._buffer.find(b"\n", self._scanned)
            if end < 0:
                if len(self._buffer) > self._limit or self._skipping_line:
                    self._skipping_line += len(self._buffer)
                    self._buffer.clear()
                self._scanned = len(self._buffer)
                return None
            self._scanned = 0
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            skipped, self._skipping_line = self._skipping_line, 0
            if skipped or len(line) > self._limit:
                return Oversized(skipped + len(line))
            if line.strip(_BLANK):
                return Body(line)

    def _next_headed(self) -> Body | Oversized | None:
        if self._skip:
            dropped = min(self._skip, len(self._buffer))
            del self._buffer[:dropped]
            self._skip -= dropped
            if self._skip:
                return None
        while self._buffer and self._buffer[0] in _BLANK:
            del self._buffer[:1]
        found = _HEADERS_END.search(self._buffer, 0, HEADER_BYTES_MAX + 4)
        if found is None:
            self._check_partial_header()
            return None
        length = _content_length(bytes(self._buffer[: found.start()]))
        if length > self._limit:
            del self._buffer[: found.end()]
            self._skip = length
            return Oversized(length)
        if len(self._buffer) < found.end() + length:
            return None
        body = bytes(self._buffer[found.end() : found.end() + length])
        del self._buffer[: found.end() + length]
        return Body(body)

    def _check_partial_header(self) -> None:
        # Complete header lines are judged at once, so that garbage ends the session instead of waiting
        # for a blank line that will never come.
        if len(self._buffer) >= HEADER_BYTES_MAX + 4:
            raise BrokenFrame(f"no end of headers within {HEADER_BYTES_MAX} bytes")
        for line in bytes(self._buffer).split(b"\n")[:-1]:
            if not _HEADER.fullmatch(line.rstrip(b"\r")):
                raise BrokenFrame("a header line has no name")


def _content_length(headers: bytes) -> int:
    lengths = []
    for line in headers.split(b"\n"):
        stripped = line.rstrip(b"\r")
        if not _HEADER.fullmatch(stripped):
            raise BrokenFrame("a header line has no name")
        if match := _LENGTH.fullmatch(stripped):
            lengths.append(int(match[1]))
        elif stripped.lower().startswith(b"content-length"):
            raise BrokenFrame("Content-Length is not a number")
    if len(set(lengths)) != 1:
        raise BrokenFrame("a frame needs exactly one Content-Length")
    return lengths[0]


def frame(body: bytes, framing: Framing) -> bytes:
    """The bytes that carry ``body``; with ``LINES`` the body must hold no raw newline."""
    if framing is Framing.LINES:
        return body + b"\n"
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
