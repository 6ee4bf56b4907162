"""What the person sees of a page's change: everything that differs, in the form of a unified difference."""

import difflib
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.writing.page_diff import COMPARED_LINES_MAX, unified_diff

_LINE = st.sampled_from(["a", "b", "", "x\r", "é", "- c", "+ d", "\u2028", "@@ -1 +1 @@"])
_TEXT = st.lists(_LINE, max_size=30).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "\n".join(lines) + "\n"])
)


@given(_TEXT, _TEXT)
def test_the_difference_is_whole(before: str, after: str) -> None:
    """Applied to the text before, the lines of the difference give the text after, byte for byte."""
    assert after == applied(before, unified_diff("p.md", before, after))


def applied(before: str, diff: str) -> str:
    """A strict reader of unified differences."""
    old = before.split("\n")
    had_end = old[-1] == ""
    if had_end:
        old.pop()
    lines, out, at, ends = diff.split("\n")[2:], [], 0, had_end
    for index, line in enumerate(lines):
        follower = lines[index + 1] if index + 1 < len(lines) else ""
        unended = follower.startswith("\\ ")
        if line.startswith("@@ "):
            start, _, count = line.split(" ")[1][1:].partition(",")
            first = int(start) - 1 if count != "0" else int(start)
            out += old[at:first]
            at = first
        elif line.startswith(" "):
            assert line[1:] == old[at]
            out.append(old[at])
            at += 1
            ends = not unended
        elif line.startswith("-"):
            assert line[1:] == old[at]
            at += 1
            ends = True
        elif line.startswith("+"):
            out.append(line[1:])
            ends = not unended
        else:
            assert line == "\\ No newline at end of file"
    if at < len(old):
        out += old[at:]
        ends = had_end
    return "\n".join(out) + ("\n" if ends and out else "")


def test_patch_understands_it(tmp_path: Path) -> None:
    """The form is that of every other tool: patch(1) takes it."""
    before = "".join(f"line {number}\n" for number in range(40))
    after = before.replace("line 3\n", "line three\n").replace("line 30\n", "").removesuffix("\n")
    (tmp_path / "p.md").write_text(before)

    ended = subprocess.run(
        ["patch", "-p0"],
        cwd=tmp_path,
        input=unified_diff("p.md", before, after) + "\n",
        text=True,
        check=False,
    )

    assert 0 == ended.returncode
    assert after == (tmp_path / "p.md").read_text()


def test_hunks_are_those_of_the_standard_library() -> None:
    """Three lines of context; what lies close together is one hunk."""
    before = [f"{number}\n" for number in range(60)]
    after = [line for number, line in enumerate(before) if number not in (0, 10, 17, 40, 59)]
    expected = "".join(difflib.unified_diff(before, after, "p.md", "p.md")).replace(" p.md", " p.md")

    assert expected == unified_diff("p.md", "".join(before), "".join(after)) + "\n"


def test_a_difference_of_line_endings_shows() -> None:
    """Carriage returns stay in their lines."""
    assert "-a\r\n+a" in unified_diff("p.md", "a\r\n", "a\n")


def test_large_differences_are_shown_as_a_whole() -> None:
    """All that goes and all that comes, when comparing would take too long; what is common stays common."""
    before = "head\n" + "".join(f"old {number}\n" for number in range(COMPARED_LINES_MAX + 1)) + "tail\n"
    after = "head\n" + "".join(f"new {number}\n" for number in range(COMPARED_LINES_MAX + 1)) + "tail\n"
    diff = unified_diff("p.md", before, after)

    assert after == applied(before, diff)
    assert "\n head\n" in diff
