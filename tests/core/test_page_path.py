"""What a slug may be: one file below its root, on every system."""

import pytest

from keepgate.core.model.page_path import SEGMENT_BYTES_MAX, SLUG_UNITS_MAX, path_of, slug_problem


@pytest.mark.parametrize(
    "slug",
    [
        "a",
        "people/alice",
        "People/Alice Smith",
        "人物/李雷",
        "a.b",
        "c++",
        "😀",
        "x" * SEGMENT_BYTES_MAX,
        "console",
    ],
)
def test_slugs(slug: str) -> None:
    """Names of any script, with blanks and capitals as files have them."""
    assert None is slug_problem(slug)
    assert f"{slug}.md" == path_of(slug)


@pytest.mark.parametrize(
    "slug",
    [
        "",
        " ",
        "/etc/passwd",
        "../a",
        "a/../b",
        "a/./b",
        "a//b",
        "a/",
        ".git/config",
        "a/.hidden",
        "C:/a",
        "C:a",
        "a\\b",
        "\\\\host\\share",
        "a\x00b",
        "a\nb",
        "\ud800",
        "a\u2028b",
        "e\u0301",
        "con",
        "a/NUL",
        "COM1.x",
        "lpt³",
        "a?",
        "a*",
        'a"b',
        "a<b",
        "a|b",
        "a ",
        " a",
        "a.",
        "a/b./c",
        "x" * (SEGMENT_BYTES_MAX + 1),
        "é" * SEGMENT_BYTES_MAX,
        "a\u202eb",
        "a\u200bb",
        "a/" * (SLUG_UNITS_MAX // 2) + "a",
    ],
)
def test_what_is_no_slug(slug: str) -> None:
    """Whatever another system would read as another file, or as none."""
    assert slug_problem(slug)
