"""A byte stream becomes messages, however it is cut (docs/protocol.md)."""

import tracemalloc
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.protocol.framing import HEADER_BYTES_MAX, Body, BrokenFrame, Framer, Framing, Oversized, frame
from keepgate.protocol.lifecycle import FRAME_BYTES_MAX

LIMIT = 40
HELLO = b'{"jsonrpc":"2.0"}'
BODIES = st.binary(max_size=LIMIT)
LINES = BODIES.map(lambda data: b"{" + data.replace(b"\n", b" ")[: LIMIT - 1])
BLANKS = st.text(" \t\r\n", max_size=5).map(str.encode)
HEADERS = st.permutations(
    [b"%s", b"Content-Type: application/vscode-jsonrpc; charset=utf-8", b"X-Tide: high"]
)
LENGTHS = st.sampled_from(
    [b"Content-Length: %d", b"content-length:%d", b"CONTENT-LENGTH :\t%d  ", b"Content-Length: 000%d"]
)
ENDS = st.sampled_from([b"\r\n", b"\n"])


def read(
    chunks: Iterable[bytes], framing: Framing | None = None, limit: int = LIMIT
) -> tuple[list, str | None]:
    """Everything that a framer makes of some chunks: its events, and how it broke if it did."""
    framer = Framer(framing, limit_bytes=limit)
    events = []
    try:
        for chunk in chunks:
            events += framer.feed(chunk)
    except BrokenFrame as error:
        return events, str(error)
    return events, None


@st.composite
def headed(draw, bodies) -> tuple[bytes, list]:
    """A stream of frames with headers of every shape, and what is in it."""
    stream, events = b"", []
    for body in draw(st.lists(bodies, min_size=1, max_size=4)):
        end = draw(ENDS)
        headers = [header for header in draw(HEADERS) if header == b"%s" or draw(st.booleans())]
        # Detection looks at the first byte: the first frame begins with a header in C.
        if not stream and not headers[0].startswith((b"%s", b"C")):
            headers = [b"%s"]
        lines = [draw(LENGTHS) % len(body) if header == b"%s" else header for header in headers]
        stream += draw(BLANKS) + end.join(lines) + end + draw(ENDS) + body
        events.append(Body(body) if len(body) <= LIMIT else Oversized(len(body)))
    return stream, events


@st.composite
def lined(draw, bodies) -> tuple[bytes, list]:
    """A stream of lines with blank ones in between, and what is in it."""
    stream, events = b"", []
    for body in draw(st.lists(bodies, min_size=1, max_size=4)):
        stream += draw(BLANKS.filter(lambda blank: not blank.strip(b"\n"))) + body + b"\n"
        events.append(Body(body) if len(body) <= LIMIT else Oversized(len(body)))
    return stream, events


LONG = st.integers(LIMIT + 1, LIMIT * 3).map(lambda size: b"{" * size)
STREAMS = headed(BODIES | LONG) | lined(LINES | LONG)


@st.composite
def cut(draw, stream: bytes) -> list[bytes]:
    """A stream in pieces of any size, empty ones included."""
    places = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]


@given(STREAMS, st.data())
def test_any_cut_of_any_stream_gives_the_same_messages(made: tuple[bytes, list], data: st.DataObject) -> None:
    """Both framings, headers of every shape, blank lines, oversized frames; the framing is told by itself."""
    stream, events = made

    assert (events, None) == read(data.draw(cut(stream)))


@given(STREAMS)
def test_a_stream_may_come_byte_by_byte(made: tuple[bytes, list]) -> None:
    """The slowest cut of all."""
    stream, events = made

    assert (events, None) == read(stream[place : place + 1] for place in range(len(stream)))


@given(st.sampled_from(Framing), st.lists(LINES, max_size=5))
def test_what_is_framed_is_read(framing: Framing, bodies: list[bytes]) -> None:
    """Our own frames are read by our own reader, told which framing it is or not."""
    stream = b"".join(frame(body, framing) for body in bodies)

    assert ([Body(body) for body in bodies], None) == read([stream], framing) == read([stream])


@given(
    st.binary(max_size=60) | st.text("Content-Length: 12\r\n{}").map(str.encode),
    st.sampled_from([None, *Framing]),
    st.data(),
)
@example(b"Content-Length: 2\n\n{}C", None, None)
def test_any_bytes_are_read_the_same_however_they_are_cut(stream: bytes, framing, data) -> None:
    """Garbage included: the same messages, and a break or none."""
    pieces = [stream[:9], stream[9:]] if data is None else data.draw(cut(stream))

    (whole, broken), (found, broken_in_pieces) = read([stream], framing), read(pieces, framing)

    assert (whole, broken is None) == (found, broken_in_pieces is None)


def test_frames_are_as_published() -> None:
    """Length in bytes, not in characters; a line and a line feed."""
    body = '{"text":"月"}'.encode()

    assert b"Content-Length: 14\r\n\r\n" + body == frame(body, Framing.LSP)
    assert body + b"\n" == frame(body, Framing.LINES)


@pytest.mark.parametrize(
    ("expected", "first"),
    [
        (Framing.LSP, b"C"),
        (Framing.LSP, b"content-length: 2"),
        (Framing.LINES, b"{"),
        (Framing.LINES, b"[1]"),
        (Framing.LSP, b"\r\n \tC"),
        (Framing.LINES, b"\n\n {"),
        (Framing.LINES, b"\xef\xbb\xbf{"),
        (Framing.LSP, b"\xef\xbb\xbf\r\nC"),
        (Framing.LINES, b" " * 200_000 + b"{"),
        (None, b""),
        (None, b" \t\r\n"),
        (None, b"\xef\xbb"),
    ],
)
def test_the_framing_is_told_by_the_first_byte_that_is_not_blank(expected, first: bytes) -> None:
    """However much blank space, and whether or not a byte-order mark comes first."""
    framer = Framer()
    list(framer.feed(first))

    assert expected is framer.framing


@pytest.mark.parametrize(
    "first", [b"x", b"\x00", b"GET / HTTP/1.1\r\n", b"\xff", b"\x16\x03", b'"a"', b" \n7"]
)
def test_a_stream_that_begins_otherwise_is_no_stream_of_frames(first: bytes) -> None:
    """Nothing is waited for that will never come."""
    events, broken = read([first])

    assert [] == events
    assert "a message cannot begin with byte" in broken


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 2\nno colon here\n",
        b"Content-Length: 2\r\n: no name\r\n",
        b"Content-Length: 2\r\nbad name: x\r\n\r\n{}",
        b"Content-Length\r\n",
        b"Content-Length: two\r\n\r\n",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: 2.0\r\n\r\n{}",
        b"Content-Length: 2 2\r\n\r\n{}",
        b"Content-Length: \r\n\r\n{}",
        b"Content-Length: 0x2\r\n\r\n{}",
        b"Content-Length: " + b"9" * 16 + b"\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Length-Hint: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"Content-Length: \xd9\xa2\r\n\r\n{}",
        b"C" * (HEADER_BYTES_MAX + 4),
        b"C: " + b"x" * (HEADER_BYTES_MAX + 1),
    ],
)
def test_headers_that_cannot_be_followed_end_the_stream(headers: bytes) -> None:
    """No name, no number, no length or two, no end: what comes after cannot be trusted."""
    good = frame(HELLO, Framing.LSP)

    events, broken = read([good + headers])

    assert [Body(HELLO)] == events
    assert broken


def test_the_same_length_twice_is_one_length() -> None:
    """It leaves no doubt where the frame ends."""
    assert ([Body(b"{}")], None) == read([b"Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}"])


@pytest.mark.parametrize("size", [HEADER_BYTES_MAX - 40, HEADER_BYTES_MAX])
@pytest.mark.parametrize("step", [1, 1000, 100_000])
def test_headers_may_be_as_long_as_the_limit(size: int, step: int) -> None:
    """8 KiB and their end pass, however they arrive."""
    last = b"\r\nContent-Length: 2"
    stream = b"C: " + b"x" * (size - 3 - len(last)) + last + b"\r\n\r\n{}"

    assert ([Body(b"{}")], None) == read(stream[at : at + step] for at in range(0, len(stream), step))


@pytest.mark.parametrize("more", [1, 1000])
@pytest.mark.parametrize("step", [1, 1000, 100_000])
def test_longer_headers_end_the_stream(step: int, more: int) -> None:
    """Nobody keeps bytes for a frame whose beginning has no end; one byte too many is too many."""
    last = b"\r\nContent-Length: 2"
    stream = b"C: " + b"x" * (HEADER_BYTES_MAX + more - 3 - len(last)) + last + b"\r\n\r\n{}"

    events, broken = read(stream[at : at + step] for at in range(0, len(stream), step))

    assert ([], True) == (events, "no end of headers" in (broken or ""))


@pytest.mark.parametrize("framing", Framing)
def test_the_limit_is_sixteen_mebibytes(framing: Framing) -> None:
    """A frame of exactly that size passes; one byte more is announced and skipped, and the next one read."""
    largest, larger = (b"{" + b" " * (FRAME_BYTES_MAX - 1 + more) for more in (0, 1))
    framer = Framer(framing)

    events = list(framer.feed(frame(largest, framing) + frame(larger, framing) + frame(HELLO, framing)))

    assert [Body(largest), Oversized(FRAME_BYTES_MAX + 1), Body(HELLO)] == events


@pytest.mark.parametrize("framing", Framing)
def test_an_oversized_frame_is_not_kept(framing: Framing) -> None:
    """However long it is, it takes no more room than a chunk of it."""
    chunk, size = b"{" * 10_000, 20_000_000
    framer = Framer(framing, limit_bytes=1000)
    tracemalloc.start()
    try:
        events = list(framer.feed(b"Content-Length: %d\r\n\r\n" % size)) if framing is Framing.LSP else []
        for _ in range(size // len(chunk)):
            events += framer.feed(chunk)
        events += framer.feed(
            frame(HELLO, framing) if framing is Framing.LSP else b"\n" + frame(HELLO, framing)
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert [Oversized(size), Body(HELLO)] == events
    assert peak < 1_000_000


def test_an_empty_frame_is_a_message() -> None:
    """It is no JSON, and is answered as such."""
    assert ([Body(b"")], None) == read([b"Content-Length: 0\r\n\r\n"])


def test_a_line_keeps_its_carriage_return() -> None:
    """JSON does not mind it, and bytes are not changed."""
    assert ([Body(b"{}\r")], None) == read([b"{}\r\n"])


@pytest.mark.parametrize("framing", Framing)
def test_an_unfinished_frame_is_no_message(framing: Framing) -> None:
    """What the stream ended in is dropped in silence."""
    assert ([], None) == read([frame(HELLO, framing)[:-1]], framing)


def test_an_answered_framing_stays() -> None:
    """A line in headers, or headers in a line, are not told apart again."""
    events, broken = read([b"{}\nContent-Length: 2\r\n\r\n{}\n"])

    assert [Body(b"{}"), Body(b"Content-Length: 2\r"), Body(b"{}")] == events
    assert None is broken
