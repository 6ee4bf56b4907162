"""The verbs on the command line: the quickstart of the contract, and what a person sees."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

ALICE = "---\ntitle: Alice\naliases: [Al]\n---\n\nAlice runs the releases of [[projects/apollo]].\n"


@pytest.fixture
def keepgate(keepgate: Any) -> Any:
    """A home whose owner lets writes through, and a page."""
    keepgate.trusting()
    page = keepgate.workspace / ".keepgate/pages/people/alice.md"
    page.parent.mkdir(parents=True)
    page.write_text(ALICE, encoding="utf-8")
    keepgate.here("reindex")
    return keepgate


def test_the_quickstart_remembers_and_recalls(keepgate: Any) -> None:
    """What one call saves, the next one finds, by entity and by words."""
    saved = keepgate.here(
        "remember", "I prefer dark mode in every editor", "--provenance", "demo", "--entity", "people/me"
    )
    by_entity = keepgate.here("--json", "recall", "--entity", "people/me").json
    by_words = keepgate.here("recall", "dark editor")

    assert (0, "about people/me" in saved.out) == (saved.code, True)
    (fact,) = by_entity["facts"]
    assert ("I prefer dark mode in every editor", "demo", "people/me", "world") == (
        fact["fact"], fact["provenance"], fact["entity_slug"], fact["visibility"],
    )  # fmt: skip
    assert "I prefer dark mode in every editor" in by_words.out


def test_a_fact_is_superseded_and_forgotten(keepgate: Any) -> None:
    """By ids that a person reads off the screen; forgetting twice is no error."""
    first = keepgate.here("--json", "remember", "Ships weekly", "--provenance", "chat").json
    second = keepgate.here(
        "--json", "remember", "Ships daily", "--provenance", "chat", "--supersedes", first["id"]
    ).json

    forgotten = keepgate.here("forget", second["id"], "--reason", "wrong")
    again = keepgate.here("forget", second["id"])
    unknown = keepgate.here("forget", "99")

    assert ("inserted", "superseded") == (first["status"], second["status"])
    told, undo = forgotten.out.splitlines()
    assert f"Forgot fact {second['id']}." == told
    assert re.fullmatch(r"Ledger row (\d+); `keepgate undo \1` takes it back\.", undo)
    assert (0, f"Fact {second['id']} was expired already.\n") == (again.code, again.out)
    assert 4 == unknown.code
    assert "Nothing found.\n" == keepgate.here("recall").out


def test_a_card_says_what_is_known(keepgate: Any) -> None:
    """By alias; a miss names what may be meant and is no error."""
    keepgate.here("remember", "Alice speaks Welsh", "--provenance", "chat", "--entity", "Al")

    card, miss = keepgate.here("entity", "al"), keepgate.here("entity", "nobody at all")

    assert card.out.startswith("Alice (person, people/alice)\n")
    assert "also known as  al" in card.out.lower()
    assert "projects/apollo" in card.out
    assert (0, True) == (miss.code, miss.out.startswith("Nothing is known by that name."))


def test_a_name_without_a_page_is_not_offered_as_another(keepgate: Any) -> None:
    """It says that facts are there, and how to see them."""
    keepgate.here("remember", "I prefer tea", "--provenance", "chat", "--entity", "people/me")

    told = keepgate.here("entity", "people/me").out.splitlines()

    assert (
        "No page is called people/me, but facts are about it: keepgate recall --entity people/me" == told[0]
    )
    assert not [line for line in told[1:] if "people/me" in line]


def test_a_pack_and_a_delta_print_their_blocks(keepgate: Any) -> None:
    """The block is marked as data and fits the budget; a budget too small prints nothing of it."""
    keepgate.here("remember", "Alice speaks Welsh", "--provenance", "chat", "--entity", "people/alice")

    pack = keepgate.here("context-pack", "Alice, people/alice", "--budget-tokens", "200").out
    delta = keepgate.here("delta", "--since", "1 day ago").out
    tight = keepgate.here("--json", "context-pack", "Alice", "--budget-tokens", "3").json

    for block in (pack, delta):
        assert block.startswith("<!-- ")
        assert 1 == block.count("- **Alice** → `people/alice`")
        assert "Alice speaks Welsh" in block
    assert ("", 0) == (tight["text"], tight["budget_used"])


def test_private_facts_are_for_local_callers_that_ask(keepgate: Any) -> None:
    """Recall shows them to the command line, a pack only when told to."""
    keepgate.here(
        "remember", "Salary talk", "--provenance", "chat", "--visibility", "private", "--entity", "Al"
    )

    assert "Salary talk" in keepgate.here("recall").out
    assert "Salary talk" not in keepgate.here("context-pack", "Al").out
    assert "Salary talk" in keepgate.here("context-pack", "Al", "--include-private").out


def test_a_dry_run_stores_nothing(keepgate: Any) -> None:
    """And asks nobody."""
    keepgate.asking()

    tried = keepgate.here("remember", "x", "--provenance", "y", "--ttl", "30d", "--dry-run")

    assert (0, True) == (tried.code, tried.out.startswith("Would "))
    assert "Nothing found.\n" == keepgate.here("recall").out


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (("remember", "x", "--provenance", " "), 2, "provenance"),
        (("remember", "x", "--provenance", "y", "--ttl", "P30D"), 2, "30d"),
        (("recall", "--since", "soon"), 2, "8 hours ago"),
        (("delta",), 2, "since"),
        (("synthesize", "why?"), 1, "no language model"),
    ],
)
def test_a_verbs_error_says_what_to_do(keepgate: Any, line: tuple[str, ...], code: int, words: str) -> None:
    """On stderr in words, with --json as a document, with the exit code of its kind."""
    told = keepgate.here(*line)
    document: Mapping[str, Any] = keepgate.here("--json", *line).json["error"]

    assert (code, "") == (told.code, told.out)
    assert words in told.err
    assert document["suggestion"]
    assert document["code"] in ("invalid_params", "provenance_required", "unavailable")


def test_a_denied_fact_is_not_saved(keepgate: Any) -> None:
    """At the terminal anything but yes is a no; the question shows every field of the fact."""
    keepgate.asking()

    asked = keepgate.at_terminal(
        "remember", "Likes tea", "--provenance", "chat", "--entity", "people/me", "--ttl", "30d"
    )
    ended = asked.finish("n\r")

    assert 3 == ended.code
    for shown in ("Likes tea", "chat", "people/me", "world"):
        assert shown in ended.out
    assert "Nothing found.\n" == keepgate.here("recall").out
