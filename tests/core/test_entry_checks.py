"""What an entry may hold: text, tags, sources and session ids (DSH-2)."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.core.model.entry import (
    SOURCE_FORM,
    clean_tags,
    layer_of,
    session_problems,
    slug_source,
    source_problems,
    text_problems,
)
from keepgate.core.model.text import units
from keepgate.protocol.entries import Track

JS_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([], "a"),
        ([], " "),
        ([], "\n\x01\x7f\x85"),
        ([], "\U0001f44d"),
        (["must not be empty"], ""),
        (["contains U+0000"], "a\x00b"),
        (["contains a lone surrogate"], "a\ud83d"),
        (["contains a lone surrogate"], "\udc4da"),
    ],
)
def test_text_is_refused_for_three_reasons_only(expected: list[str], text: str) -> None:
    """Empty, U+0000 and lone surrogates; blanks and controls are kept as given."""
    assert expected == [found.problem for found in text_problems(text)]


def test_a_problem_names_its_place() -> None:
    """Whoever checks a nested text says where it stands."""
    assert ["$.entries[3].text"] == [found.path for found in text_problems("", "$.entries[3].text")]


@pytest.mark.parametrize("blank", JS_BLANKS)
def test_tags_are_trimmed_of_what_javascript_calls_blank(blank: str) -> None:
    """Full-width spaces and byte-order marks go, from both ends and not from within."""
    assert (("a b",), []) == clean_tags([f"{blank}a b{blank}"])


@pytest.mark.parametrize("kept", ["\x85", "\u180e", "\u200b", "\u2060"])
def test_tags_keep_what_javascript_does_not_trim(kept: str) -> None:
    """Python's own idea of a blank, and C1 controls, stay part of the tag."""
    assert ((f"{kept}a",), []) == clean_tags([f"{kept}a"])


@pytest.mark.parametrize("control", ["\x00", "\x1b", "\x1c", "\x1f", "\x7f"])
def test_tags_hold_no_controls(control: str) -> None:
    """U+001C to U+001F are no blanks to JavaScript, so they are refused and not trimmed away."""
    _, problems = clean_tags([f"{control}a"])

    assert [("$.tags[0]", "contains a control character")] == [(it.path, it.problem) for it in problems]


@pytest.mark.parametrize(
    ("expected", "tag"),
    [
        ("must not be blank", ""),
        ("must not be blank", " \u3000\ufeff"),
        ("contains a control character", "\x01" * 40),
        ("contains a lone surrogate", "\ud800" * 40),
        ("has 33 units; at most 32 are allowed", "t" * 33),
        ("has 33 units; at most 32 are allowed", "\U0001f44d" * 16 + "t"),
    ],
)
def test_the_first_thing_wrong_with_a_tag_is_named(expected: str, tag: str) -> None:
    """Empty comes before controls, controls before length."""
    _, problems = clean_tags([tag])

    assert [expected] == [found.problem for found in problems]


def test_a_tag_may_be_as_long_as_the_limit() -> None:
    """32 units pass, counted in UTF-16 after trimming."""
    assert (("\U0001f44d" * 16,), []) == clean_tags([f" {chr(0x1F44D) * 16} "])


def test_equal_tags_count_once() -> None:
    """20 equal tags are one tag, at its first position; case tells tags apart."""
    assert (("b", "a", "A"), []) == clean_tags(["b", "a", *["b"] * 20, " b ", "A"])


def test_tags_are_counted_after_repeats_are_dropped() -> None:
    """16 different tags pass however often they are repeated; 17 do not."""
    sixteen = [f"t{number}" for number in range(16)]

    assert (tuple(sixteen), []) == clean_tags(sixteen * 2)
    assert ["has 17 tags; at most 16 are allowed"] == [
        found.problem for found in clean_tags([*sixteen, "t16"])[1]
    ]


def test_every_bad_tag_is_reported() -> None:
    """One answer names all problems, each with its index."""
    _, problems = clean_tags(["ok", "", "\x01"], "$.entries[0].tags")

    assert ["$.entries[0].tags[1]", "$.entries[0].tags[2]"] == [found.path for found in problems]


@given(st.lists(st.text(st.one_of(st.characters(), st.sampled_from(JS_BLANKS)), max_size=40), max_size=20))
def test_accepted_tags_keep_the_rules(tags: list[str]) -> None:
    """What passes is trimmed, unique, short and plain, and passes again unchanged."""
    cleaned, problems = clean_tags(tags)

    if not problems:
        assert len(set(cleaned)) == len(cleaned) <= 16
        assert all(0 < units(tag) <= 32 and tag.strip(JS_BLANKS) == tag for tag in cleaned)
        assert (cleaned, []) == clean_tags(cleaned)


@pytest.mark.parametrize("source", ["keepgate", "a", "0", "claude-code.v2_x", "a" * 64])
def test_a_source_is_a_short_label(source: str) -> None:
    """Small letters, digits and three signs, beginning with a letter or digit, 64 at most."""
    assert [] == source_problems(source)


@pytest.mark.parametrize("source", ["", "A", "-a", ".a", "a b", "a]", "ä", "a\n", "a" * 65, "\uff41"])
def test_anything_else_is_no_source(source: str) -> None:
    """A label that could break out of a message or a policy key is refused."""
    assert [f"must match {SOURCE_FORM}"] == [found.problem for found in source_problems(source)]


@pytest.mark.parametrize(
    ("expected", "label"),
    [
        ("claude-code", "Claude Code"),
        ("a.b_c-d", "a.b_c-d"),
        ("x", "--x--"),
        ("b", "ä/b"),
        (None, ""),
        (None, "记忆"),
        (None, "._-"),
        ("a" * 64, "a" * 80),
        ("a" * 63, "a" * 63 + " b"),
    ],
)
def test_a_foreign_label_gets_the_nearest_source(expected: str | None, label: str) -> None:
    """Import keeps what it can of a label and says nothing when nothing is left."""
    assert expected == slug_source(label)


@example("\u212aelvin İ")
@given(st.text(st.one_of(st.characters(), st.sampled_from("aZ0-._ "))))
def test_a_slug_is_a_source(label: str) -> None:
    """Whatever the label, the slug has the form of a source or is nothing."""
    slug = slug_source(label)

    assert slug is None or re.fullmatch(SOURCE_FORM, slug)


@pytest.mark.parametrize("session_id", ["s", "s" * 256, "会话 1\n"])
def test_a_session_id_may_be_any_short_text(session_id: str) -> None:
    """1 to 256 characters of the caller's choice."""
    assert [] == session_problems(session_id)


@pytest.mark.parametrize(
    ("expected", "session_id"),
    [
        ("must have 1 to 256 characters", ""),
        ("must have 1 to 256 characters", "s" * 257),
        ("contains U+0000", "s\x00"),
        ("contains a lone surrogate", "s\ud800"),
    ],
)
def test_a_session_id_is_text_that_can_be_stored(expected: str, session_id: str) -> None:
    """Nothing that a ledger row could not hold gets into one."""
    assert [("$.session.id", expected)] == [(it.path, it.problem) for it in session_problems(session_id)]


def test_a_layer_belongs_to_its_workspace(entry, layer) -> None:
    """An entry counts against its own track, scope and workspace; the name leaves the workspace out."""
    of_entry = layer_of(entry("Knots.", "agent/workspace"))

    assert layer("agent/workspace") == of_entry
    assert layer("agent/workspace", "/srv/charts") != of_entry
    assert ("agent/workspace", Track.AGENT) == (of_entry.name, of_entry.track)
