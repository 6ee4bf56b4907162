"""Small edits of a page leave everything else byte for byte as it was (pages/link, timeline, capture)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.writing.page_edits import (
    UneditableError,
    day_problem,
    with_link,
    with_note,
    with_timeline,
)
from keepgate.pages.parse import visibility_in
from keepgate.protocol.verbs import Visibility

PAGE = "---\ntitle: Ada\nworks_at: [[companies/mill]]\n---\n# Ada\n\nText.\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '---\nknows:\n  - "[[b]]"\n---\n'),
        ("Text.\n", '---\nknows:\n  - "[[b]]"\n---\nText.\n'),
        ("\ufeffText.\n", '\ufeff---\nknows:\n  - "[[b]]"\n---\nText.\n'),
        ("---\nA rule, no front matter.\n", '---\nknows:\n  - "[[b]]"\n---\n---\nA rule, no front matter.\n'),
        ("---\ntitle: A\n---\nx", '---\ntitle: A\nknows:\n  - "[[b]]"\n---\nx'),
        ("---\r\ntitle: A\r\n---\r\nx", '---\r\ntitle: A\r\nknows:\r\n  - "[[b]]"\r\n---\r\nx'),
        ("---\nknows: [[a]]\n---\n", '---\nknows: ["[[a]]", "[[b]]"]\n---\n'),
        ('---\nknows: "[[a]]"\n---\n', '---\nknows: ["[[a]]", "[[b]]"]\n---\n'),
        (
            '---\nknows: ["[[a]]", "[[c|C]]"] # people\n---\n',
            '---\nknows: ["[[a]]", "[[c]]", "[[b]]"]\n---\n',
        ),
        ("---\nknows: []\nx: 1\n---\n", '---\nknows: ["[[b]]"]\nx: 1\n---\n'),
        ("---\nknows:\nx: 1\n---\n", '---\nknows:\n  - "[[b]]"\nx: 1\n---\n'),
        (
            '---\nknows:\n- "[[a]]"\n# end\nx: 1\n---\n',
            '---\nknows:\n- "[[a]]"\n- "[[b]]"\n# end\nx: 1\n---\n',
        ),
        ("---\nknows:\n    - a\n\nx: 1\n---\n", '---\nknows:\n    - a\n    - "[[b]]"\n\nx: 1\n---\n'),
        ("---\nknows: # whom\n  - a\n---\n", '---\nknows: # whom\n  - a\n  - "[[b]]"\n---\n'),
    ],
)
def test_a_link_goes_into_the_list_of_its_type(before: str, after: str) -> None:
    """A new list, a list on one line, a list of lines, in the file's own indentation and line endings."""
    assert after == with_link(before, "knows", "b")


@pytest.mark.parametrize(
    "page",
    [
        "---\nknows: [[b]]\n---\n",
        '---\nknows: ["[[a]]", "[[b|Bea]]"]\n---\n',
        "---\nknows:\n  - b\n---\n",
        '---\nknows:\n  - "[[b]]"\n---\n',
    ],
)
def test_a_link_that_is_there_changes_nothing(page: str) -> None:
    """However it is written."""
    assert page == with_link(page, "knows", "b")


@pytest.mark.parametrize(
    "page",
    [
        "---\ntitle: A\n",
        "---\nknows: everybody\n---\n",
        "---\nknows: {a: b}\n---\n",
        "---\nknows:\n  a: b\n---\n",
        "---\nknows: |\n  text\n---\n",
    ],
)
def test_front_matter_that_is_no_list_of_links_is_left_alone(page: str) -> None:
    """Nothing is guessed: the person writes such a page by hand."""
    with pytest.raises(UneditableError):
        with_link(page, "knows", "b")


def test_a_key_in_the_text_or_in_a_longer_key_is_no_list() -> None:
    """Only a key of the front matter counts, and the whole of it."""
    page = "---\nknows_of: [[a]]\n---\nknows: [[c]]\n"

    assert '---\nknows_of: [[a]]\nknows:\n  - "[[b]]"\n---\nknows: [[c]]\n' == with_link(page, "knows", "b")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "## Timeline\n\n- 2026-02-02: new\n"),
        ("Text.", "Text.\n\n## Timeline\n\n- 2026-02-02: new\n"),
        ("Text.\n", "Text.\n\n## Timeline\n\n- 2026-02-02: new\n"),
        ("Text.\r\n\r\n", "Text.\r\n\r\n## Timeline\r\n\r\n- 2026-02-02: new\r\n"),
        ("## Timeline\n", "## Timeline\n\n- 2026-02-02: new\n"),
        ("## Timeline", "## Timeline\n\n- 2026-02-02: new\n"),
        ("## Timeline\n\n## Next\n", "## Timeline\n\n- 2026-02-02: new\n\n## Next\n"),
        (
            "## Timeline\n\n- 2026-01-01: a\n- 2026-03-03: c\n",
            "## Timeline\n\n- 2026-01-01: a\n- 2026-02-02: new\n- 2026-03-03: c\n",
        ),
        (
            "## Timeline\n\n- 2026-03-03: c\n- 2026-01-01: a\n",
            "## Timeline\n\n- 2026-03-03: c\n- 2026-02-02: new\n- 2026-01-01: a\n",
        ),
        (
            "## Timeline\n\n- 2026-02-02: one\n- 2026-02-03: two\n",
            "## Timeline\n\n- 2026-02-02: one\n- 2026-02-02: new\n- 2026-02-03: two\n",
        ),
        (
            "## Timeline\n- 2026-01-01: a\n  more of a\n\n## Next\ntext",
            "## Timeline\n- 2026-01-01: a\n  more of a\n- 2026-02-02: new\n\n## Next\ntext",
        ),
        ("# timeline #\n- **2026-01-01** a", "# timeline #\n- **2026-01-01** a\n- 2026-02-02: new\n"),
        (
            "```\n## Timeline\n```\n",
            "```\n## Timeline\n```\n\n## Timeline\n\n- 2026-02-02: new\n",
        ),
        (
            "~~~\n```\n## Timeline\n~~~\n",
            "~~~\n```\n## Timeline\n~~~\n\n## Timeline\n\n- 2026-02-02: new\n",
        ),
        (
            "# Ada\n\n## Timeline\n\n### Work\n- 2026-01-01: a\n\n## Next\n",
            "# Ada\n\n## Timeline\n\n### Work\n- 2026-01-01: a\n- 2026-02-02: new\n\n## Next\n",
        ),
        ("## Timeline\n\n- 2026-02-02: new\n", "## Timeline\n\n- 2026-02-02: new\n"),
    ],
)
def test_a_dated_line_goes_where_the_order_wants_it(before: str, after: str) -> None:
    """Ascending or descending, behind what belongs to the line before; never into code."""
    assert after == with_timeline(before, "2026-02-02", "new")


def test_a_dated_line_stays_one_line() -> None:
    """A line break in the text cannot begin a heading."""
    assert "## Timeline\n\n- 2026-02-02: a ## b\n" == with_timeline("", "2026-02-02", "a\n## b\n")


def test_a_note_goes_to_the_end_of_the_inbox() -> None:
    """The page is made with its title; later notes follow, each an item with its further lines indented."""
    first = with_note(None, "2026-11-30", "09:05", "Call Ada.", title="Inbox 2026-11")
    second = with_note(first, "2026-11-30", "17:00", "Two\n\n# lines\n", title="Inbox 2026-11")

    assert (
        "---\ntitle: Inbox 2026-11\ntype: inbox\n---\n\n- 2026-11-30 09:05 Call Ada.\n"
        "- 2026-11-30 17:00 Two\n\n  # lines\n"
    ) == second


@pytest.mark.parametrize(
    "note", ["---\nvisibility: private\n---\n", "a\r---\rvisibility: private\r---", "..."]
)
@pytest.mark.parametrize("before", [None, "", "\n", "---\nprose\n", "---\ntitle: x\n---\n"])
def test_a_note_is_no_front_matter(before: str | None, note: str) -> None:
    """Whatever it says, the page is as visible as it was; lines end with a lone carriage return, too."""
    after = with_note(before, "2026-11-30", "09:05", note, title="Inbox")

    assert Visibility.WORLD is visibility_in(after.encode())


def test_a_note_keeps_the_line_endings_of_the_inbox() -> None:
    """Also where the last line has none."""
    assert "- a\r\nb\r\n- 2026-11-30 09:05 c\r\n" == with_note(
        "- a\r\nb", "2026-11-30", "09:05", "c", title="x"
    )


_PIECES = [
    "---\n",
    "knows:\n",
    "  - a\n",
    "## Timeline\n",
    "- 2026-01-05: x\n",
    "\n",
    "text\r\n",
    "```\n",
    "é",
]


@given(
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.sampled_from(["2026-01-04", "2026-01-06"]),
)
def test_edits_only_insert(page: str, day: str) -> None:
    """Whatever a page looks like, a dated line takes nothing away."""
    edited = with_timeline(page, day, "note") if _closed(page) else page

    assert _is_subsequence(page, edited)
    assert edited == page or f"- {day}: note" in edited


def _closed(page: str) -> bool:
    try:
        with_timeline(page, "2026-01-04", "note")
    except UneditableError:
        return False
    return True


def _is_subsequence(inner: str, outer: str) -> bool:
    rest = iter(outer)
    return all(char in rest for char in inner)


@pytest.mark.parametrize("day", ["2026-11-30", "2024-02-29"])
def test_a_day_is_an_iso_day(day: str) -> None:
    """Year, month and day."""
    assert None is day_problem(day)


@pytest.mark.parametrize(
    "day", ["", "20261130", "2026-11-31", "2026-11", "2026-11-30T00:00", "30.11.2026", "２０２６-11-30"]
)
def test_anything_else_is_no_day(day: str) -> None:
    """Nothing is guessed."""
    assert day_problem(day)
