"""What a Markdown file says: front matter, links, timeline, summary, chunks, and what is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.model.page import LINKS_TO, Dated, Link, Page, PageFlaw
from keepgate.pages.parse import parse, type_of, visibility_in
from keepgate.protocol.verbs import Visibility


def page(text: str, path: str = "people/alice.md") -> Page:
    return parse(path, text.encode())


def targets(found: Page) -> list[tuple[str, str]]:
    return [(link.type, link.target) for link in found.links]


def test_front_matter_is_read_whole() -> None:
    """Each key of the front matter is where a page says it."""
    found = page(
        "---\ntitle: Alice Example\ntype: colleague\naliases: [Ally, A. Example]\nsummary: Knows tea.\n"
        "tags: 'tea, #work'\nvisibility: private\n---\n# Other\n\nProse.\n"
    )

    assert "people/alice" == found.slug
    assert "Alice Example" == found.title
    assert "colleague" == found.type
    assert ("Ally", "A. Example") == found.aliases
    assert "Knows tea." == found.summary
    assert ("tea", "work") == found.tags
    assert Visibility.PRIVATE is found.visibility
    assert () == found.flaws


def test_a_bare_file_says_enough() -> None:
    """Title, type and summary come from the text and the path where nothing names them."""
    found = page("Intro <!-- hidden -->\n\n## Who *Alice* is\n\nShe runs `tea` rooms. And more.\n")

    assert ("Who Alice is", "person", "Intro") == (found.title, found.type, found.summary)
    assert Visibility.WORLD is found.visibility
    assert "notes/x" == page("", "notes/x.md").title
    assert "note" == page("", "notes/x.md").type


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("people", "person"), ("companies", "company"), ("projects", "project"), ("boxes", "box"),
     ("glass", "glass"), ("status", "status"), ("analysis", "analysis"), ("人物", "人物"), ("Notes", "note")],
)  # fmt: skip
def test_the_first_folder_names_the_type(folder: str, kind: str) -> None:
    """Folders are named in the plural, types in the singular."""
    assert kind == type_of(f"{folder}/x/y")


def test_a_page_without_folder_is_a_page() -> None:
    """There is a type even where nothing tells it."""
    assert "page" == type_of("x")


def test_values_stay_the_text_they_are() -> None:
    """YAML makes no truth of ``yes`` and no date of a day."""
    found = page("---\ntitle: yes\ntype: 2026-11-30\naliases: [1, no, 0x10]\nsummary: ~\n---\n")

    assert ("yes", "2026-11-30", ("1", "no", "0x10"), "") == (
        found.title, found.type, found.aliases, found.summary
    )  # fmt: skip


def test_links_of_the_text() -> None:
    """Wiki links and relative Markdown links become edges, each once, with their line."""
    found = page(
        "Works at [[companies/acme|Acme]] with [Bob](bob.md), see [plan](../projects/tea%20room.md#goals).\n"
        "Again [[companies/acme]] and [[projects/plan#part|p]] and [[./carol]].\n"
    )

    assert [
        (LINKS_TO, "companies/acme"), (LINKS_TO, "people/bob"), (LINKS_TO, "projects/tea room"),
        (LINKS_TO, "projects/plan"), (LINKS_TO, "people/carol"),
    ] == targets(found)  # fmt: skip
    assert "Works at Acme with Bob, see plan." == found.links[0].context


@pytest.mark.parametrize(
    "text",
    ["`[[a]]`", "``x ` [[a]]``", "```\n[[a]]\n```", "~~~md\n[[a]]\n~~~", "    [[a]]",
     "<!-- [[a]] -->",
     "<!--\n[[a]]\n-->", "![[a]]", "![x](a.md)", "[x](https://example.org/a.md)", "[x](/a.md)", "[x](#a)",
     "[x](a.png)", "[x](../../a.md)", "[[../../../a]]", "[[]]", "[[ ]]", "[[people/alice]]", "[[a",
     "[x](mailto:a.md)"],
)  # fmt: skip
def test_what_is_no_link(text: str) -> None:
    """Code, comments, pictures, other places and the page itself are no edges."""
    assert [] == targets(page(text))


@pytest.mark.parametrize(
    ("line", "linked"),
    [
        ("works_at: [[companies/x]]", ["companies/x"]),
        ("works_at: '[[companies/x|X]]'", ["companies/x"]),
        ('works_at: ["[[companies/x]]", "[[b]]"]', ["companies/x", "b"]),
        ("works_at: [[[companies/x]], [[b]]]", ["companies/x", "b"]),
        ("works_at: [[companies/x]], [[b|B]]", ["companies/x", "b"]),
        ("works_at:\n  - [[companies/x]]\n  - '[[b]]'", ["companies/x", "b"]),
        ("works_at: companies/x", []),
        ("works_at: {a: '[[b]]'}", []),
        ("title: '[[companies/x]]'", []),
    ],
)  # fmt: skip
def test_front_matter_links_are_named_by_their_key(line: str, linked: list[str]) -> None:
    """However people write a wiki link into YAML, it is one."""
    found = page(f"---\n{line}\n---\n")

    assert [("works_at", target) for target in linked] == targets(found)
    assert () == found.flaws


def test_the_timeline() -> None:
    """Dated lines under the heading are the timeline, in the forms that people write."""
    found = page(
        "# A\n- 2020-01-01: not here\n## Timeline\n- 2026-11-30: met [[bob]]\n- **2026-11-29** | wrote\n"
        "* [2026-11-28] — called\n"
        "1. 2026-11-27T10:00 tea\n  and cake\n| 2026-11-26 | row |\n2026/11/5 plain\n"
        "- no date\n### Inner\n- `2026-11-24`: deep\n## After\n- 2026-01-01: not here\n"
    )

    assert (
        Dated("2026-11-30", "met bob"), Dated("2026-11-29", "wrote"), Dated("2026-11-28", "called"),
        Dated("2026-11-27", "tea and cake"), Dated("2026-11-26", "row"), Dated("2026-11-05", "plain"),
        Dated("2026-11-24", "deep"),
    ) == found.timeline  # fmt: skip


def test_a_day_that_is_none_is_a_flaw() -> None:
    """It is named with its line, and the other days count."""
    found = page("## Timeline\n- 2026-02-30: x\n- 2026-02-28: y\n")

    assert (Dated("2026-02-28", "y"),) == found.timeline
    assert (PageFlaw(2, "2026-02-30 is no day"),) == found.flaws


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# H\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nReal prose here. More.", "Real prose here."),
        ("| a | b |\n", ""),
        ("```\ncode\n```\n\n<!-- no -->\n\nYes", "Yes"),
        ("- item one\n- two\n", "item one"),
        ("## Timeline\n- 2026-01-01: x\n", ""),
        ("Dr. Who met e.g. Mr. J. Smith. He left.", "Dr. Who met e.g. Mr. J. Smith."),
        ("她喜欢茶。她住在北京。", "她喜欢茶。"),
        ("word " * 60, "word " * 31 + "word…"),
        ("See **[[a|the plan]]** and [x](y.md).", "See the plan and x."),
        ("***\n\n-- \n\nText", "Text"),
    ],
)  # fmt: skip
def test_the_summary_is_the_first_sentence_of_prose(text: str, summary: str) -> None:
    """Never a table row, a heading, a comment or a fence, and never longer than 160 characters."""
    found = page(text).summary

    assert summary == found
    assert len(found) <= 160


def test_chunks_follow_the_headings_and_are_bounded() -> None:
    """Nothing of the text is lost, and no part grows beyond its size."""
    found = page("intro\n# One\nfirst\n## Two\n" + "word " * 1_000 + "\n\n" + "x" * 5_000)

    assert ["", "One"] == [chunk.heading for chunk in found.chunks[:2]]
    assert {"Two"} == {chunk.heading for chunk in found.chunks[2:]}
    assert all(len(chunk.text) <= 1_600 for chunk in found.chunks)
    assert 1_000 == sum(chunk.text.count("word") for chunk in found.chunks)
    assert 5_000 == sum(chunk.text.count("x") for chunk in found.chunks)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("---\ntitle: [\n---\nText", 3, "not YAML"),
        ("---\ntitle: a: b\n---\nText", 2, "not YAML"),
        ("---\ntitle: \tx\n\tb: 1\n---\nText", 3, "not YAML"),
        ("---\ntitle: x\nText", 1, "no end"),
        ("---\n- a\n---\nText", 2, "keys with values"),
        ("---\ntitle: [a]\n---\nText", 2, "title must be text"),
        ("---\n\naliases: {a: b}\n---\nText", 3, "aliases must be a list"),
        ("---\nvisibility: secret\n---\nText", 2, "visibility must be world or private"),
        ("---\na: &x 1\nb: *x\n---\nText", 3, "aliases (*name)"),
        ("---\ntype: a\ntype: b\n---\nText", 3, "there twice"),
        ("one\n\0Text", 2, "U+0000"),
    ],
)  # fmt: skip
def test_a_flaw_has_its_line_and_the_rest_counts(text: str, line: int, problem: str) -> None:
    """What cannot be read is told; what can be is a page all the same."""
    found = page(text)

    assert [line] == [flaw.line for flaw in found.flaws]
    assert problem in found.flaws[0].problem
    assert "Text" in found.chunks[-1].text


@pytest.mark.parametrize(
    "head",
    [
        "visibility: World",
        "'visibility' : private",
        "? visibility\n: private",
        "title: x",
        "title: [",
        "a",
        "",
    ],
)
def test_who_may_read_a_page_is_told_without_the_rest(head: str) -> None:
    """By its bytes alone, and as the whole page says."""
    data = f"\ufeff---\r\n{head}\r\n---\r\nvisibility: private\n".encode()

    assert parse("a.md", data).visibility is visibility_in(data)
    assert parse("a.md", b"visibility: private\n").visibility is visibility_in(b"visibility: private\n")


@pytest.mark.parametrize("head", ["title: [", "- x", "visibility: secret", "visibility: [private]"])
def test_what_may_say_private_is_private(head: str) -> None:
    """Front matter that cannot be read does not open a page to everybody."""
    assert Visibility.PRIVATE is page(f"---\n{head}\n---\n").visibility


def test_a_rule_is_no_front_matter() -> None:
    """Three dashes above prose are a rule."""
    found = page("---\n\nJust prose.\n")

    assert ((), "Just prose.") == (found.flaws, found.summary)


def test_bytes_that_are_no_utf8() -> None:
    """The line is named and what is readable is found."""
    found = parse("a.md", b"# T\n\nok \xff\xfe\n")

    assert (PageFlaw(3, "is not UTF-8 text"),) == found.flaws
    assert ("T", "ok ��") == (found.title, found.summary)


def test_a_byte_order_mark_and_other_line_ends() -> None:
    """Files of other systems are files."""
    found = parse("a.md", b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\nfirst line\rsecond\r\n")

    assert ("T", "first line") == (found.title, found.summary)


def test_slugs_are_composed_and_keep_their_letters() -> None:
    """Decomposed names of a file system and composed ones are the same slug."""
    assert "Münster/日本 語" == parse("Münster/日本 語.markdown", b"").slug


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + at)}: &{chr(98 + at)} [" + ",".join([f"*{chr(97 + at)}"] * 9) + "]\n" for at in range(9)
)


@pytest.mark.parametrize(
    "head",
    [BOMB, "a: " + "[" * 20_000, "a: " + "{a: " * 5_000,
     "\n".join(" " * at + "a:" for at in range(300)),
     "a: &a {x: 1}\nb: {<<: [*a, *a]}", "a: !!python/object/apply:os.system ['false']", "? [a]\n: b",
     "a: " + "x" * 100_000, "\n".join(f"k{at}: [1, 2]" for at in range(4_000)),
     "%YAML 9.9", "a: !<x> b", "@", "`"],
)  # fmt: skip
def test_hostile_front_matter_is_harmless(head: str) -> None:
    """Bombs, depth, tags and size end in a flaw at most, at once."""
    found = page(f"---\n{head}\n---\nText")

    assert "Text" == found.chunks[-1].text


@pytest.mark.parametrize(
    "text",
    [">" * 200_000, "- " * 100_000, "[" * 300_000, "a\n" * 200_000, "`" * 300_000, "`a``b```" * 20_000,
     "<!--" * 100_000, "[a](" * 100_000, "[[a|" * 100_000, "* " * 100_000, "|a" * 100_000, "# " * 100_000,
     "\n".join("  " * at + "- x" for at in range(300)), "![](" * 100_000, "_*" * 100_000, "a." * 200_000,
     "## Timeline\n" + "- 2026-01-01: x\n" * 20_000, "## Timeline\n- 2026-01-01" + " |" * 100_000],
)  # fmt: skip
@pytest.mark.timeout(60)
def test_hostile_text_is_read_in_bounded_time(text: str) -> None:
    """Nothing in a file makes reading it explode."""
    assert "people/alice" == page(text[: 1 << 20]).slug


def test_a_very_long_page_is_searched_to_its_end() -> None:
    """What stands behind the limit of lines is told as a flaw, and is found all the same."""
    found = page("a\n" * 30_000 + "last [[b]]")

    assert [20_001] == [flaw.line for flaw in found.flaws]
    assert found.chunks[-1].text.endswith("last [[b]]")
    assert [] == targets(found)


@given(st.binary(max_size=300), st.text(max_size=40).filter(lambda path: "\0" not in path))
def test_bytes_never_raise(data: bytes, path: str) -> None:
    """Whatever a file holds, reading it gives a page."""
    assert parse(path + ".md", data).chunks


MARKS = st.sampled_from(
    ["---\n", "---", "title: ", "aliases: ", "visibility: private\n",
     "[[", "]]", "|", "[", "](", ")", "#",
     "\n", "## Timeline\n", "- ", "2026-11-30", ": ", "```\n", "`", "<!--", "-->", "*", "&a ", "*a",
     "\t", " ", "{", "}",
     "'", '"', "a", "é", "日本", "\r", "\u2028", "\ufeff", "!!str ", "? ", ".md", "../", "%zz",
     "\\", "\ud800"]
)  # fmt: skip


@given(st.lists(MARKS, max_size=60).map("".join))
def test_marks_never_raise(text: str) -> None:
    """The signs of YAML and Markdown in any order give a page whose parts are fit for the store."""
    found = parse("people/alice.md", text.encode("utf-8", "surrogatepass"))

    words = [found.title, found.type, found.summary, *found.aliases, *found.tags]
    words += [part for link in found.links for part in (link.target, link.type, link.context or "")]
    words += [part for chunk in found.chunks for part in (chunk.heading, chunk.text)]
    assert all(word.encode() is not None for word in words)
    assert found.title
    assert all(Link(link.target).target == link.target != found.slug for link in found.links)
