"""Lines and blocks that a model reads: one line an item, and nothing stored is structure."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from keepgate.core.reading.block import pack_block
from keepgate.core.reading.rendering import (
    MARKER,
    code,
    entity_line,
    fact_line,
    inline,
    page_line,
    thread_line,
)
from keepgate.core.reading.tokens import estimate
from keepgate.protocol.verbs import Thread, ThreadKind

HOSTILE = [
    "\n", "\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x00", "\t", " ", "\u202e", "\u200b",
    "\U000e0041", "-->", "<!--", MARKER, "## Hot memory", "# ", "- ", "* ", "+ ", "> ", "1. ", "2) ", "---",
    "***", "===", "~~~", "```", "`", "[", "](", "![", "[^1]: ", "|", "|---|", "<system>", "</system>", "<br>",
    "\\", "**", "_", "&lt;!--", "    ", "a", "word", "漢字", "😀", "e\u0301", "0",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=4)), max_size=12).map("".join)
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("prefers tabs", "prefers tabs"),
        ("run `make test` first", "run ʼmake testʼ first"),
        ("one\ntwo", "one ⏎ two"),
        ("# no heading", "\\# no heading"),
        ("- no bullet", "\\- no bullet"),
        ("--flag", "\\--flag"),
        ("1. no list", "1\\. no list"),
        ("2026 was good", "2026 was good"),
        ("a * b | c [d]", "a \\* b \\| c \\[d\\]"),
        ("<!-- x -->", "‹!-- x --›"),
        ("C:\\Users", "C:\\Users"),
        ("ends in \\", "ends in \\\\"),
        ("a \\[b", "a \\\\\\[b"),
        ("x\u202ey", "x⟨U+202E⟩y"),
        ("snake_case", "snake_case"),
        ("   ", ""),
    ],
)
def test_what_is_shown(stored: str, shown: str) -> None:
    """Text stays readable; marks of Markdown and HTML are escaped or become look-alikes."""
    assert shown == inline(stored)


@given(TEXTS, TEXTS, TEXTS)
@example("\\", "`", "**")
def test_nothing_stored_is_structure(one: str, two: str, three: str) -> None:
    """Whatever is stored, the block has the marker, our headings and one bullet for each item."""
    threads = [Thread(kind=ThreadKind.COMMITMENT, text=text, date=two or None) for text in (one, three)]
    items = [
        [(0, entity_line(one, two, three)), *((1, thread_line(each)) for each in threads)],
        [(2, fact_line(one, two, "7"))],
        [(2, fact_line(two, None, "8"))],
        [(2, page_line(one, three))],
    ]

    block = pack_block(("Standing entities", "Open threads", "Hot memory"), (items,), None)

    lines = block.text.splitlines()
    assert MARKER == lines[0]
    assert ["## Standing entities", "## Open threads", "## Hot memory"] == [
        line for line in lines if line.startswith("#")
    ]
    assert 6 == len([line for line in lines if line.startswith("- ")])
    assert 1 + 3 + 3 + 6 == len(lines)
    assert 1 == block.text.count("<!--") == block.text.count("-->")
    kinds = [(token.type, token.level) for token in MARKDOWN.parse(block.text)]
    openers = [kind for kind, _ in kinds if kind.endswith("_open") and kind != "paragraph_open"]
    bullets = ["list_item_open"]
    assert openers == [
        *["heading_open", "bullet_list_open", *bullets],
        *["heading_open", "bullet_list_open", *bullets * 2],
        *["heading_open", "bullet_list_open", *bullets * 3],
    ]
    assert 1 == len([kind for kind, _ in kinds if kind == "html_block"])
    assert not [kind for kind, _ in kinds if kind in ("fence", "code_block", "hr")]
    inside = [child.type for token in MARKDOWN.parse(block.text) for child in token.children or ()]
    assert {"text", "strong_open", "strong_close", "code_inline", "text_special"} >= set(inside) - {
        "em_open", "em_close", "s_open", "s_close",
    }  # fmt: skip


@given(TEXTS)
def test_a_name_in_code_ticks(text: str) -> None:
    """A slug stays one code span, whatever is in it."""
    (paragraph,) = [token for token in MARKDOWN.parse(f"x {code(text)}") if token.type == "inline"]

    assert "code_inline" in [child.type for child in paragraph.children or ()]
    assert "\n" not in code(text)


ITEMS = st.lists(
    st.lists(st.tuples(st.integers(0, 2), TEXTS.map(lambda text: f"- {inline(text)}")), max_size=3),
    max_size=6,
)


@given(st.lists(ITEMS, min_size=1, max_size=3), st.integers(1, 120))
def test_packing_is_a_greedy_prefix(arms: list[list[list[tuple[int, str]]]], budget: int) -> None:
    """The estimate of the whole text is within the budget, and the next item of each arm would not be."""
    headings = ("One", "Two", "Three")

    block = pack_block(headings, arms, budget)

    assert block.used == estimate(block.text) <= budget
    assert sum(map(len, arms)) == sum(block.kept) + block.dropped
    for place, (arm, count) in enumerate(zip(arms, block.kept, strict=True)):
        taken = [*(a[:n] for a, n in zip(arms, block.kept[:place], strict=False)), arm[:count]]
        assert estimate(pack_block(headings, taken, None).text) <= budget
        if count < len(arm):
            assert estimate(pack_block(headings, [*taken[:-1], arm[: count + 1]], None).text) > budget


def test_too_small_for_the_marker() -> None:
    """A budget that the first line alone exceeds gives an empty text, not a piece of one."""
    block = pack_block(("One",), [[[(0, "- x")]]], estimate(MARKER))

    assert ("", 0, (0,), 1) == (block.text, block.used, block.kept, block.dropped)


def test_nothing_to_show() -> None:
    """Without items there is no marker, either."""
    assert "" == pack_block(("One",), [[]], 100).text
