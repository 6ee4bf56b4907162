"""Text as the contract counts, folds and shows it (DSH-2, DSH-4)."""

import contextlib
import sqlite3
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.core.model.text import (
    ascii_fold,
    excerpt,
    hidden_positions,
    is_hidden,
    make_visible,
    one_line,
    units,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
PLAIN_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ANY_TEXT = st.text(st.characters())
# Hypothesis seldom draws the characters that this is about, so half of the text is made of them.
TRICKY_TEXT = st.text(
    st.one_of(
        st.sampled_from(
            "\n\r\t\v\f\x1b\x85\u2028\u2029\u200c\u200d\u200b\u202e\ufe0e\ufe0f\u034f\u2800\ud800"
        ),
        st.sampled_from("ab1#é忽کी\U0001f468\U0001f3fd\u2764\u2194\U000e0067⟨⟩⏎"),
        st.characters(),
    )
)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (0, ""),
        (3, "abc"),
        (1, "ä"),
        (2, "a\u0308"),
        (2, "记忆"),
        (1, "\uffff"),
        (2, "\U00010000"),
        (2, "\U0001f44d"),
        (4, "\U0001f44d\U0001f3fd"),
        (11, FAMILY),
        (1, "\ud800"),
    ],
)
def test_length_is_counted_in_utf_16_units(expected: int, text: str) -> None:
    """What is beyond the basic plane counts two, as in a JavaScript string (DSH-2)."""
    assert expected == units(text)


@given(ANY_TEXT)
def test_length_is_that_of_the_utf_16_encoding(text: str) -> None:
    """Counting never differs from encoding and counting bytes."""
    assert len(text.encode("utf-16-le", "surrogatepass")) // 2 == units(text)


@pytest.mark.parametrize(
    ("expected", "text", "limit"),
    [
        ("", "", 0),
        ("…", "a", 0),
        ("abc", "abc", 3),
        ("ab…", "abc", 2),
        ("a…", "a\U0001f44db", 2),
        ("a\U0001f44d…", "a\U0001f44db", 3),
        ("…", FAMILY, 1),
        (FAMILY, FAMILY, 11),
    ],
)
def test_an_excerpt_is_cut_between_characters(expected: str, text: str, limit: int) -> None:
    """A pair that would not fit whole is left out; what fits exactly is not cut."""
    assert expected == excerpt(text, limit)


@given(PLAIN_TEXT, st.integers(0, 40))
def test_an_excerpt_keeps_as_much_as_fits(text: str, limit: int) -> None:
    """It is the whole text, or its longest beginning within the limit and an ellipsis."""
    shown = excerpt(text, limit)

    if units(text) <= limit:
        assert text == shown
    else:
        kept = shown.removesuffix("…")
        assert text.startswith(kept)
        assert units(kept) <= limit < units(text[: len(kept) + 1])


@pytest.fixture(scope="module")
def sqlite() -> Iterator[sqlite3.Connection]:
    """A database whose ``lower`` folds as stock SQLite does."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        yield db


@example("ÄÜßΣＡ\u212aİıAZaz@[`{")
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_folding_is_sqlites_lower(sqlite: sqlite3.Connection, text: str) -> None:
    """A to Z become small, nothing else changes: the folded column and the needle agree (DSH-4)."""
    assert sqlite.execute("SELECT lower(?)", (text,)).fetchone()[0] == ascii_fold(text)


@pytest.mark.parametrize("char", ["Ä", "Ü", "ß", "Σ", "\u212a", "İ", "ı", "Ａ", "É"])
def test_folding_leaves_letters_beyond_ascii_alone(char: str) -> None:
    """No letter outside A to Z meets its small form."""
    assert char == ascii_fold(char)


@pytest.mark.parametrize(
    "char",
    [
        "\u202e", "\u2066", "\u200b", "\u200e", "\u2060", "\ufeff", "\u00ad", "\u061c", "\u206a",
        "\x00", "\x1b", "\x7f", "\x85", "\r", "\v", "\u2028", "\u2029", "\ud800",
        "\u034f", "\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\u17b4", "\u180b", "\u180e", "\u2065",
        "\ufe00", "\ufe0d", "\ufff0", "\ufffb", "\U0001d173",
        "\U000e0001", "\U000e0041", "\U000e0080", "\U000e0100", "\U000e01ef", "\U000e0fff",
    ],
)  # fmt: skip
def test_what_draws_nothing_or_reorders_is_hidden(char: str) -> None:
    """Controls, bidi and format marks, blank letters, variation selectors and tags are written out."""
    assert f"a⟨U+{ord(char):04X}⟩b" == make_visible(f"a{char}b")


@pytest.mark.parametrize(
    "text",
    [
        "plain", "two\nlines\tand a tab", "记忆，工作区。", "naïve e\u0301", "\u00a0\u3000", "\ue000",
        FAMILY,
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f642\u200d\u2194\ufe0f",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f468\U0001f3fd\u200d\u2695\ufe0f",
        "1\ufe0f\u20e3 #\ufe0f\u20e3 \u2139\ufe0f \u203c\ufe0f \u21a9\ufe0e",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
    ],
)  # fmt: skip
def test_what_scripts_and_emoji_need_is_left_alone(text: str) -> None:
    """Joiners in Persian, Hindi and emoji, and selectors after a symbol, warn nobody."""
    assert text == make_visible(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([1], "忽\u200d略"),
        ([1], "п\u200dа"),
        ([1], "é\u200cé"),
        ([1], "a\u200db"),
        ([0], "\u200dک"),
        ([1], "ک\u200c"),
        ([1], "ک\u200dx"),
        ([1], "\u0660\u200d\u0661"),
        ([0, 1], "\u17b4\u200d\u1780"),
        ([1], "\U0001f468\u200c\U0001f469"),
        ([1], "\U0001f468\u200d"),
        ([1, 2], "a\ufe0f\u200d\U0001f469"),
        ([0], "\ufe0f"),
        ([1], "记\ufe0f"),
        ([2], "\u2764\ufe0f\ufe0f"),
    ],
)
def test_joiners_and_selectors_elsewhere_are_hidden(expected: list[int], text: str) -> None:
    """Where no script needs them they only keep two equal-looking texts apart."""
    assert expected == hidden_positions(text)


def test_every_code_point_that_unicode_lets_readers_ignore_is_hidden() -> None:
    """The ranges of Default_Ignorable_Code_Point, assigned or not, leave nothing to smuggle text in."""
    ranges = [
        (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),
        (0xE0000, 0xE0FFF),
    ]  # fmt: skip
    codes = [code for first, last in ranges for code in range(first, last + 1)]

    assert [] == [hex(code) for code in codes if not is_hidden(chr(code))]


@given(TRICKY_TEXT)
def test_nothing_stays_hidden_in_what_is_made_visible(text: str) -> None:
    """Writing hidden characters out leaves none behind and takes none of the others away."""
    shown = make_visible(text)

    assert [] == hidden_positions(shown)
    assert len(text) + len(hidden_positions(text)) * 7 <= len(shown)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("a ⏎ b", "a\nb"),
        ("a ⏎ b", "a\r\nb"),
        ("a ⏎  ⏎ b", "a\n\rb"),
        ("a ⏎ b", "a\u2028b"),
        ("a ⏎ b", "a\u2029b"),
        ("a ⏎ b", "a\x85b"),
        ("a ⏎ b", "a\vb"),
        ("a ⏎ b", "a\fb"),
        ("a b", "a\tb"),
        ("⟨U+001B⟩[31m", "\x1b[31m"),
        ("a⟨U+001E⟩b", "a\x1eb"),
        ("⟨U+202E⟩cba", "\u202ecba"),
    ],
)
def test_one_line_shows_breaks_and_hidden_characters(expected: str, text: str) -> None:
    """Every kind of line break reads `` ⏎ ``, a tab a blank, a hidden character its number."""
    assert expected == one_line(text)


@given(TRICKY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    """No break of any kind, no control and no half of a pair survives."""
    shown = one_line(text)

    assert len(shown.splitlines()) <= 1
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs")]
    assert shown == one_line(shown)
