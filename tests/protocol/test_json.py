"""Strict JSON in both directions (docs/protocol.md)."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.protocol.wire import decode, encode

TEXT = st.text(st.characters())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@example("a\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029b")
@example("\ud800\u2028")
@example({"\u2028": "\udc00"})
@given(JSON)
def test_what_is_encoded_is_decoded(value: object) -> None:
    """Every value, lone surrogates and line ends included, on one line by anybody's idea of lines."""
    sent = encode(value)

    assert value == decode(sent)
    assert 1 == len(sent.decode().splitlines())


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (b'"\xe6\x9c\x88"', "月"),
        (b'{"a":[1,null,true]}', {"a": [1, None, True]}),
        (b'"a\\u2028b"', "a\u2028b"),
        (b'"a\\u0085b"', "a\x85b"),
        (b'"\\\\u2028"', "\\u2028"),
        (b'"\\ud83d"', "\ud83d"),
    ],
)
def test_encoding_is_short_utf_8(expected: bytes, value: object) -> None:
    """Without blanks; escaped is only what a reader could stumble over."""
    assert expected == encode(value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_say_is_not_sent(number: float) -> None:
    """The other side would refuse the whole message."""
    with pytest.raises(ValueError, match="JSON"):
        encode({"share": number})


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        ({"a": 1}, b'{"a":1}'),
        ({"a": 1}, b'\xef\xbb\xbf{"a":1}'),
        ({"a": 1}, b' \r\n\t{ "a" : 1 } \r\n'),
        ("月", b'"\xe6\x9c\x88"'),
        ("\U0001f44d", b'"\\ud83d\\udc4d"'),
        ("\ud83d", b'"\\ud83d"'),
        ({"a": {"a": 1}, "b": [{"a": 2}]}, b'{"a":{"a":1},"b":[{"a":2}]}'),
        (7, b"7"),
    ],
)
def test_json_is_read(expected: object, body: bytes) -> None:
    """With a byte-order mark or without, with blanks around it."""
    assert expected == decode(body)


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"{", b'{"a":1', b'{"a":1}x', b"{a:1}", b"{'a':1}", b'{"a":1,}', b"[1,]", b"nul", b"01",
        b'"a\nb"', b'"\x00"', b'"\\x41"', b"NaN", b"Infinity", b"-Infinity", b'{"a":NaN}',
        b'{"a":1,"a":2}', b'{"a":1,"\\u0061":1}', b'{"b":{"a":1,"a":1}}', b'[{"a":1,"a":1}]',
        b"\xff", b'"\xc3"', b'"\xed\xa0\x80"', b'\xfe\xff\x00"', b'"\xc0\x80"', '{"a":1}'.encode("utf-16"),
        b'\xef\xbb\xbf\xef\xbb\xbf{"a":1}', b"9" * 5000,
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(body: bytes) -> None:
    """Broken text, comments and quotes of other kinds, numbers that are none, a name that comes twice."""
    with pytest.raises(ValueError):  # noqa: PT011 - the reader's own messages differ between versions
        decode(body)


@pytest.mark.parametrize("body", [b"[" * 200_000, b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 200_000 + b"1"])
def test_a_body_that_is_nested_too_deeply_is_refused(body: bytes) -> None:
    """With an error and not with a crash."""
    with pytest.raises(ValueError, match="nested too deeply"):
        decode(body)


@given(st.binary(max_size=20))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    """Nothing else can happen, and what is read is what a plain reader reads."""
    try:
        value = decode(body)
    except ValueError:
        return

    assert json.loads(body.decode("utf-8-sig")) == value
