"""Names are folded alike for writing and reading, and two names that differ stay two."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.model.slug import alias_key, ends_with, slugify, tail


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Alice Smith", "alice-smith"),
        ("people/Alice Smith", "people/alice-smith"),
        ("  Acme, Inc.  ", "acme-inc"),
        ("snake_case", "snake_case"),
        ("東京タワー", "東京タワー"),
        ("Ёлка", "ёлка"),
        ("café", "café"),
        (unicodedata.normalize("NFD", "café"), "café"),
        ("हिन्दी", "हिन्दी"),
        ("ＡＢＣ商事", "abc商事"),
        ("\u2764\ufe0f", "\u2764"),
        ("\U0001f44d\U0001f3fd", "\U0001f44d\U0001f3fd"),
        ("می\u200cخواهم", "میخواهم"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("#general", "general"),
        ("a//b/../c", "a/b/c"),
    ],
)
def test_slugs_keep_the_letters_of_every_script(name: str, slug: str) -> None:
    """VERBS-entity: lower case, NFKC, segments stay; signs become dashes."""
    assert slug == slugify(name)


@pytest.mark.parametrize("name", ["", "  ", "!?", "%", "..", "/", "- -", "\u200b", "\ufe0f"])
def test_nothing_is_left_of_signs_alone(name: str) -> None:
    """Such a name names nothing."""
    assert slugify(name) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"),
        ("C++", "C#"),
        ("東京", "京都"),
        ("Москва", "Минск"),
        ("\U0001f44d", "\U0001f44e"),
        ("projects/apollo-2025", "projects/apollo-2026"),
    ],
)
def test_different_names_have_different_slugs(one: str, other: str) -> None:
    """Facts of two entities never mix."""
    assert slugify(one) != slugify(other)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("  Alice \n Smith ", "alice smith"),
        ('"Acme Inc."', "acme inc."),
        ("[[people/alice]]", "people/alice"),
        ("「東京」", "東京"),
        ("“Big” deal", "“big” deal"),
        ("ＡＢＣ", "abc"),
        ('""', '""'),
        ("C++", "c++"),
    ],
)
def test_keys_of_aliases_and_titles(name: str, key: str) -> None:
    """VERBS-entity: NFKC, lower case, single blanks, what stands around the whole is dropped."""
    assert key == alias_key(name)


@pytest.mark.parametrize(
    ("slug", "name", "is_end"),
    [
        ("people/alice", "alice", True),
        ("People/Alice", "people/alice", True),
        ("a/b/c", "b/c", True),
        ("people/alice", "lice", False),
        ("people/alice", "b/alice", False),
        ("people/alice-b", "alice", False),
    ],
)
def test_the_end_of_a_slug_is_whole_segments(slug: str, name: str, is_end: bool) -> None:
    """VERBS-entity, slug suffix."""
    assert is_end == ends_with(slugify(slug), name)


def test_the_tail_is_the_folded_last_segment() -> None:
    """What the index keeps of a file's name."""
    assert ("alice-smith", "readme") == (tail("People/Alice Smith"), tail("README"))


@given(st.text())
def test_folding_twice_changes_nothing(name: str) -> None:
    """A slug is its own slug, a key its own key; so is what was written under them."""
    slug, key = slugify(name), alias_key(name)

    assert (slug, key) == (slugify(slug), alias_key(key))


@given(st.text())
def test_the_form_of_letters_does_not_matter(name: str) -> None:
    """Composed and decomposed names are one name."""
    forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")]

    assert len({slugify(form) for form in forms}) == 1
    assert len({alias_key(form) for form in forms}) == 1


@given(st.text())
def test_a_slug_has_no_signs_that_a_path_or_a_pattern_could_mean(name: str) -> None:
    """No wildcard, no dots, no empty segment."""
    slug = slugify(name)

    assert not set(slug) & set("%*?.\\\"'<>|:\x00 \n")
    assert slug == "" or all(slug.split("/"))
