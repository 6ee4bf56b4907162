"""From a query to an expression: quoted terms, rare ones first, and never a word of the user's syntax."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.reading.matching import (
    COMMON_AT_LEAST,
    OPENED_MAX,
    TERMS_MAX,
    WORDS_MAX,
    Query,
    all_of,
    any_of,
    common_from,
    holds,
    query_of,
)

DOCUMENTS = 10_000
_EXPRESSION = re.compile(r'(?:[()]|"[^"]+"|AND|OR| )+')


def counts(**found: int) -> Callable[[str, int], int]:
    """How often terms are there, counted no further than asked; others not at all."""
    return lambda term, most: min(found.get(term, 0), most)


def asked(text: str) -> Query:
    """The query in a text that has one."""
    query = query_of(text)
    assert query is not None
    return query


@pytest.mark.parametrize(
    "text", ["", "  ", "!?", "-- ''", "the", "what is the", "To be, or not to be", "it's", "\u200b"]
)
def test_a_query_that_says_nothing_is_none(text: str) -> None:
    """Punctuation and function words alone have a defined answer: nothing."""
    assert query_of(text) is None


def test_words_that_say_nothing_are_left_out_beside_others() -> None:
    """And a word that comes twice counts once."""
    assert ("deployment", "process") == asked("What is the deployment process? Deployment!").terms


def test_a_long_text_is_cut_to_its_first_words() -> None:
    """So that no query costs more than so many look-ups."""
    query = asked(" ".join(f"word{number}/part{number}" for number in range(500)))

    assert (WORDS_MAX, True) == (len(query.words), len(query.terms) <= TERMS_MAX)


def test_a_term_in_more_than_one_of_twenty_documents_is_common() -> None:
    """But in a small store no term is, for each is a large share of it."""
    assert (COMMON_AT_LEAST, COMMON_AT_LEAST, 500) == tuple(map(common_from, (0, 100, 10_000)))


def test_a_common_term_does_not_open_the_set() -> None:
    """Unless there is no other (the rule of 5 %)."""
    mixed = any_of(asked("service kestrel"), counts(service=501, kestrel=3), DOCUMENTS)
    common = any_of(asked("service team"), counts(service=501, team=9_000), DOCUMENTS)
    absent = any_of(asked("service zebra"), counts(service=501), DOCUMENTS)

    assert ('("kestrel")', '("service" OR "team")', '("zebra")') == (mixed, common, absent)


def test_a_single_term_is_not_counted() -> None:
    """It has no other, however common it is."""

    def never(term: str, most: int) -> int:
        raise AssertionError(term)

    assert '"service"' == any_of(asked("the service"), never, DOCUMENTS)


def test_what_is_in_very_many_documents_adds_to_the_score_alone() -> None:
    """The rarest open the set; so the work is bounded however many words a query has."""
    found = counts(one=OPENED_MAX, two=OPENED_MAX - 5, three=5)
    expression = any_of(asked("one two three"), found, documents=OPENED_MAX * 100)

    assert '("three" OR "two") OR (("three" OR "two") AND ("one"))' == expression


def test_all_words_are_there_in_one_of_their_forms() -> None:
    """What makes a hit `keyword_exact`."""
    assert '(("redis")) AND (("main.py") OR ("main" AND "py"))' == all_of(asked("the redis main.py"))


@pytest.mark.parametrize(
    ("query", "text", "there"),
    [
        ("green tea", "Tea, green", True),
        ("green tea", "green coffee", False),
        ("main.py", "src/main.py", True),
        ("記憶", "記憶体", True),
        ("the tea", "tea", True),
    ],
)
def test_a_text_without_an_index(query: str, text: str, there: bool) -> None:
    """Every word is looked for, in one of its forms."""
    assert there == holds(asked(query), text)


@given(st.text())
def test_no_text_of_the_user_reaches_the_syntax(text: str) -> None:
    """Nothing but quoted terms, brackets, AND and OR, whatever is asked."""
    query = query_of(text)
    if query is not None:
        for expression in (any_of(query, counts(), DOCUMENTS), all_of(query)):
            assert _EXPRESSION.fullmatch(expression)
