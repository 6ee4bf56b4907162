"""Synthesis: what a model is told, how its answer is judged, and the digest (VERBS-synthesize)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.reading.synthesis import (
    CALL_FAILED,
    EMPTY_ANSWER,
    NOT_JSON,
    WINDOW_CHARS,
    Composed,
    Failed,
    GatheredPage,
    call_failed,
    digest,
    judge,
    passage,
    request_text,
)

ALICE = GatheredPage(slug="people/alice", title="Alice", text="Alice runs releases on Thursdays.")
APOLLO = GatheredPage(slug="projects/apollo", title="Apollo", text="Apollo ships weekly.")
PAGES = [ALICE, APOLLO]


@given(text=st.text(), question=st.text())
def test_retrieved_text_stays_a_quotation(text: str, question: str) -> None:
    """Whatever a page says, the message is one JSON object that holds it as a string."""
    page = GatheredPage(slug="s", title="t", text=text)

    sent = json.loads(request_text(question, [page], [text]))

    assert {
        "question": question,
        "pages": [{"slug": "s", "title": "t", "text": text}],
        "facts": [text],
    } == sent


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "```\n{}\n```\n"])
def test_an_answer_keeps_its_gathered_sources_alone(fence: str) -> None:
    """What it cites and nobody gathered is no source; each source once, in the order cited."""
    said = json.dumps({
        "answer": " Thursdays. ",
        "citations": ["projects/apollo", "made/up", "people/alice", "projects/apollo", 7],
        "gaps": ["time of day", None],
    })  # fmt: skip

    composed = judge(fence.replace("{}", said), PAGES)

    assert (
        Composed(answer="Thursdays.", sources=("projects/apollo", "people/alice"), gaps=("time of day",))
        == composed
    )


@pytest.mark.parametrize(
    ("said", "warning"),
    [
        ("I can't help with that.", NOT_JSON),
        ("", NOT_JSON),
        ("[]", NOT_JSON),
        ("7", NOT_JSON),
        ("[" * 100_000, NOT_JSON),
        ("{}", EMPTY_ANSWER),
        ('{"answer": "  "}', EMPTY_ANSWER),
        ('{"answer": ["no"]}', EMPTY_ANSWER),
    ],
)
def test_what_is_no_answer_has_a_code(said: str, warning: str) -> None:
    """Refusals are not JSON."""
    assert Failed(warning) == judge(said, PAGES)


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("HTTP 429 from https://x.example", "rate_limited"),
        ("the model is overloaded", "rate_limited"),
        ("timeout", "timeout"),
        ("request timed out", "timeout"),
        ("connect ECONNREFUSED 127.0.0.1", "network"),
        ("the client is gone", "network"),
        ("secret-key-1234 was refused", "provider_error"),
        ("", "provider_error"),
    ],
)
def test_a_failed_call_tells_its_class_alone(reason: str, name: str) -> None:
    """Raw provider detail never rides the wire."""
    assert Failed(f"{CALL_FAILED}: {name}") == call_failed(reason)


def test_a_digest_quotes_the_first_five_pages() -> None:
    """Header, then a line a page; the sources are the pages quoted."""
    pages = [GatheredPage(slug=f"p/{i}", title=f"P\n{i}", text="release\nday") for i in range(7)]

    quoted = digest("release day?", pages)

    lines = quoted.answer.split("\n")
    assert lines[0] == "No synthesised answer: the language model failed. Passages of 7 pages that match:"
    assert [f"- P ⏎ {i} [p/{i}]: release ⏎ day" for i in range(5)] == lines[1:]
    assert tuple(f"p/{i}" for i in range(5)) == quoted.sources
    assert () == quoted.gaps


def test_a_passage_is_where_most_of_the_words_are() -> None:
    """Distinct words count, and the first of equal places."""
    text = "alpha " + "filler " * 100 + "alpha beta gamma " + "filler " * 100 + "beta beta beta"

    found = passage(text, {"alpha", "beta", "gamma"})

    assert found.startswith("alpha beta gamma filler")


@given(text=st.text(max_size=2000), terms=st.sets(st.text(min_size=1, max_size=5), max_size=5))
def test_a_passage_is_one_bounded_line(text: str, terms: set[str]) -> None:
    """And is taken from the text."""
    found = passage(text, terms)

    assert len(found) <= WINDOW_CHARS
    assert len(found.splitlines()) <= 1


def test_a_passage_ends_between_words_unless_there_is_no_other_place() -> None:
    """A cut word goes; the end of the text and one long run are shown as far as they fit."""
    tail = "needle " + "x" * (WINDOW_CHARS - len("needle ") - 1) + "z"

    assert "needle" == passage("word " * 100 + "needle " + "x" * 500, {"needle"})
    assert tail == passage("word " * 100 + tail, {"needle"})
    assert "月" * WINDOW_CHARS == passage("月" * 500, {"needle"})
