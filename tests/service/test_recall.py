"""recall over a whole provider: both arms, filters, budgets, what is left behind (VERBS-recall)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from keepgate.boot.compose import stamp_now
from keepgate.core.model.stamp import Stamp
from keepgate.protocol.settings import FactSettings, WritePolicy
from keepgate.store.retrievals import PAUSE_MS

MINUTE = 60_000
NOW = 1_796_040_000_000
ALICE = "---\ntype: person\naliases: [Al, The Boss]\n---\n# Alice Smith\n\nAlice runs the payments team.\n"


class Clock:
    """A moment that a test moves."""

    def __init__(self) -> None:
        self.now_ms = NOW

    def __call__(self) -> Stamp:
        real = stamp_now()
        return Stamp(now_ms=self.now_ms, new_id=real.new_id, new_salt=real.new_salt)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def house(build: Callable[..., Any], clock: Clock) -> Any:
    """A house with that clock, whose facts need no person."""
    return await build(clock, write_policies={"facts": WritePolicy.AUTO})


async def remember(client: Any, fact: str, **params: Any) -> str:
    """The id of a fact that was saved."""
    answer = await client.call("verbs/remember", fact=fact, provenance="test", **params)
    return str(answer["id"])


async def recall(client: Any, **params: Any) -> list[str]:
    """The texts of the facts that come back."""
    return [fact["fact"] for fact in (await client.call("verbs/recall", **params))["facts"]]


async def found(client: Any, query: str, **params: Any) -> list[tuple[str, str, str]]:
    """Slug, evidence and safety of the pages that come back."""
    answer = await client.call("verbs/recall", query=query, **params)
    return [(page["slug"], page["evidence"], page["create_safety"]) for page in answer["results"]]


async def test_the_whole_answer(house: Any, client: Any, shelve: Any) -> None:
    """Every field of the contract, on both arms (VERBS-recall)."""
    await shelve(house, {"people/alice.md": ALICE})
    await remember(client, "Alice likes tea", entity="al", kind="preference", ttl="30d")

    answer = await client.call("verbs/recall", query="alice")

    assert {
        "facts": [
            {
                "id": 1,
                "fact_id": "1",
                "fact": "Alice likes tea",
                "kind": "preference",
                "entity_slug": "people/alice",
                "visibility": "world",
                "notability": "medium",
                "valid_from": "2026-11-30T12:00:00.000Z",
                "valid_until": "2026-12-30T12:00:00.000Z",
                "expired_at": None,
                "superseded_by": None,
                "consolidated_at": None,
                "consolidated_into": None,
                "source": "test",
                "provenance": "test",
                "source_session": "s1",
                "source_id": house.key(),
                "context": None,
                "confidence": 1,
                "created_at": "2026-11-30T12:00:00.000Z",
            }
        ],
        "total": 1,
        "results": [
            {
                "slug": "people/alice",
                "title": "Alice Smith",
                "chunk": "# Alice Smith\n\nAlice runs the payments team.",
                "evidence": "keyword_exact",
                "create_safety": "probable",
                "provenance": "people/alice",
                "source_id": house.key(),
            }
        ],
        "search_degraded": "keyword_only_no_embedding_provider",
        "protocol_version": 1,
    } == answer


async def test_without_a_query_the_newest_facts_come_and_no_pages(client: Any, clock: Clock) -> None:
    """No results, no word of a search, no budget where none was asked for."""
    for number in range(3):
        clock.now_ms += MINUTE
        await remember(client, f"fact {number}")

    answer = await client.call("verbs/recall")

    assert ["fact 2", "fact 1", "fact 0"] == [fact["fact"] for fact in answer["facts"]]
    assert {"facts", "total", "protocol_version"} == answer.keys()


async def test_a_query_finds_facts_and_adds_no_others(client: Any) -> None:
    """VERBS-recall: only what matches, best first; nothing is padded with the newest."""
    await remember(client, "The staging database runs on port 5433")
    await remember(client, "Lunch is at noon")

    assert ["The staging database runs on port 5433"] == await recall(
        client, query="which port is staging on?"
    )
    assert [] == await recall(client, query="kubernetes")


async def test_who_a_fact_is_about_is_found_too(client: Any) -> None:
    """A fact need not repeat the name that it is filed under."""
    await remember(client, "prefers tea", entity="people/alice-smith")

    assert ["prefers tea"] == await recall(client, query="what does alice drink")


@pytest.mark.parametrize("query", ["?!", "...", "the", "what is it", "\u200b", "🙂🙃"])
async def test_a_query_without_real_words_finds_nothing(
    house: Any, client: Any, shelve: Any, query: str
) -> None:
    """VERBS-recall: a defined answer, and the same for words that are nowhere."""
    await shelve(house, {"people/alice.md": ALICE})
    await remember(client, "What is it? The plan!")

    answer = await client.call("verbs/recall", query=query)

    assert ([], [], 0) == (answer["facts"], answer["results"], answer["total"])


async def test_much_weaker_hits_are_left_out(client: Any) -> None:
    """VERBS-recall: noise is worse than silence; a hit that scores less than half of the best is dropped."""
    await remember(client, "The quarterly kestrel budget review is on Friday")
    for number in range(30):
        await remember(client, f"Friday is day number {number}")

    assert ["The quarterly kestrel budget review is on Friday"] == await recall(
        client, query="quarterly kestrel budget review friday"
    )


async def test_the_floor_is_a_setting(build: Callable[..., Any]) -> None:
    """At zero everything that holds a word comes back."""
    house = await build(write_policies={"facts": WritePolicy.AUTO}, facts=FactSettings(score_floor=0.0))
    client = house.client()
    await remember(client, "The quarterly kestrel budget review is on Friday")
    await remember(client, "Kestrel")
    await remember(client, "On Friday")

    assert len(await recall(client, query="quarterly kestrel budget review friday")) == 3


async def test_of_equal_hits_the_newest_comes_first(client: Any, clock: Clock) -> None:
    """A correction stands before what it corrects."""
    for port in (5432, 5433, 5434):
        clock.now_ms += MINUTE
        await remember(client, f"The port is {port}")

    assert ["The port is 5434", "The port is 5433", "The port is 5432"] == await recall(client, query="port")


async def test_an_entity_brings_all_its_facts_matches_first(client: Any, clock: Clock) -> None:
    """VERBS-recall: with entity and query the entity's facts, those that match before the others."""
    for fact in ("plays chess", "likes tea", "speaks Danish"):
        clock.now_ms += MINUTE
        await remember(client, fact, entity="Alice")
    await remember(client, "tea is hot", entity="Tea")

    assert ["likes tea", "speaks Danish", "plays chess"] == await recall(client, entity="alice", query="tea")
    assert ["speaks Danish", "likes tea", "plays chess"] == await recall(client, entity="alice", query="the")
    assert ["speaks Danish", "likes tea"] == await recall(client, entity=" ALICE ", limit=2)


async def test_what_was_filed_under_a_name_is_found_under_it(house: Any, client: Any, shelve: Any) -> None:
    """VERBS-recall: before there is a page, and after, by alias, title, slug and its end."""
    await remember(client, "likes tea", entity="Alice Smith")
    await shelve(house, {"people/alice.md": ALICE})
    await remember(client, "likes cake", entity="The Boss")

    for name in ("the boss", "ALICE SMITH", "people/alice", "alice", "al"):
        assert "likes cake" in await recall(client, entity=name)
    assert ["likes cake", "likes tea"] == await recall(client, entity="Alice Smith")


@pytest.mark.parametrize(
    "names", [("東京", "京都", "Москва"), ("\U0001f44d", "\U0001f44e"), ("C", "C++", "C#"),
              ("projects/apollo-2025", "projects/apollo-2026"), ("Anna Berg", "Anna Borg")]
)  # fmt: skip
async def test_names_that_differ_never_mix(client: Any, names: tuple[str, ...]) -> None:
    """VERBS-recall: no fact of one is a fact of the other."""
    for name in names:
        await remember(client, f"about {name}", entity=name)

    for name in names:
        assert [f"about {name}"] == await recall(client, entity=name)


async def test_an_entity_of_signs_alone_has_no_facts(client: Any) -> None:
    """It is no wildcard and no error: nothing is about it."""
    await remember(client, "about somebody", entity="people/somebody")

    assert [[], []] == [await recall(client, entity=name) for name in ("%", "%?!")]


async def test_since_entity_and_session_hold_together(house: Any, clock: Clock) -> None:
    """VERBS-recall: all of them narrow, with and without a query; fact and session are stored together."""
    one, two = house.client("one"), house.client("two")
    await remember(one, "old tea", entity="alice")
    clock.now_ms += 60 * MINUTE
    await remember(one, "new tea", entity="alice")
    await remember(one, "new tea of bob", entity="bob")
    await remember(two, "other tea", entity="alice")
    clock.now_ms += MINUTE
    everything: dict[str, Any] = {"entity": "alice", "since": "30 minutes ago", "session_id": "one"}

    assert ["new tea"] == await recall(two, **everything)
    assert ["new tea"] == await recall(two, **everything, query="tea")
    assert ["other tea", "new tea"] == await recall(two, entity="alice", since="2026-11-30T13:00:00Z")
    assert ["new tea of bob", "new tea", "old tea"] == await recall(two, session_id="one")
    assert {"other tea", "new tea", "new tea of bob"} == set(await recall(two, since="59 min", query="tea"))
    assert [] == await recall(two, session_id="three")


@pytest.mark.parametrize("since", ["yesterday", "2026-02-30", "Nov 30 2026", "-1d"])
async def test_a_since_that_is_no_moment_is_refused(client: Any, since: str) -> None:
    """VERBS-recall: never silently nothing."""
    envelope = (await client.fault("verbs/recall", since=since)).envelope()

    assert "invalid_params" == envelope["error"]
    assert "8 hours ago" in envelope["suggestion"]


async def test_ttl_is_enforced_on_every_arm(client: Any, clock: Clock) -> None:
    """VERBS-recall: from the very moment on; local callers may ask for what has expired."""
    await remember(client, "tea until four", entity="alice", ttl="4h")
    forgotten = await remember(client, "tea at once", entity="alice")
    await client.call("verbs/forget", id=forgotten)
    arms: list[dict[str, Any]] = [
        {},
        {"entity": "alice"},
        {"query": "tea"},
        {"entity": "alice", "query": "tea"},
        {"session_id": "s1"},
        {"since": "1d"},
    ]

    clock.now_ms += 4 * 60 * MINUTE - 1
    before = [await recall(client, **arm) for arm in arms]
    clock.now_ms += 1
    after = [await recall(client, **arm) for arm in arms]
    widened = await client.call("verbs/recall", entity="alice", include_expired=True)

    assert [["tea until four"]] * len(arms) == before
    assert [[]] * len(arms) == after
    assert [("tea at once", True), ("tea until four", False)] == [
        (fact["fact"], fact["expired_at"] is not None) for fact in widened["facts"]
    ]


async def test_what_has_expired_is_found_by_its_words_on_request(client: Any) -> None:
    """Behind what is active, and only where it holds every word."""
    await client.call("verbs/forget", id=await remember(client, "green tea at four"))
    await client.call("verbs/forget", id=await remember(client, "black tea at five"))
    await remember(client, "tea at six")

    assert ["tea at six"] == await recall(client, query="green tea")
    assert ["tea at six", "green tea at four"] == await recall(
        client, query="green tea", include_expired=True
    )


async def test_a_remote_caller_cannot_widen(house: Any, client: Any) -> None:
    """VERBS-recall: neither to what has expired nor to what is private."""
    remote = house.client("r", remote=True)
    await remember(client, "private tea", entity="alice", visibility="private")
    await client.call("verbs/forget", id=await remember(client, "forgotten tea", entity="alice"))
    await remember(client, "tea for all", entity="alice")

    for arm in ({}, {"query": "tea"}, {"entity": "alice"}, {"entity": "alice", "query": "tea"}):
        assert ["tea for all"] == await recall(remote, **arm, include_expired=True)
    assert {"tea for all", "private tea"} == set(await recall(client, query="tea"))


@pytest.mark.parametrize(
    ("limit", "count"),
    [(1, 1), (2.0, 2), (3, 3), (0, 50), (-1, 50), (1.5, 50), (100, 60), (1e9, 60), (None, 50)],
)
async def test_the_limit_is_for_each_arm(
    house: Any, client: Any, shelve: Any, limit: float | None, count: int
) -> None:
    """VERBS-recall: a positive whole number up to 100, else 50; facts and pages each."""
    await shelve(house, {f"notes/{number}.md": f"# Note {number}\n\ntea" for number in range(60)})
    await asyncio.gather(*(remember(client, f"tea {number}") for number in range(60)))

    answer = await client.call("verbs/recall", query="tea", limit=limit)
    newest = await client.call("verbs/recall", limit=limit)

    assert (count, count, count) == (len(answer["facts"]), len(answer["results"]), len(newest["facts"]))


async def test_a_budget_is_spent_on_facts_first(house: Any, client: Any, shelve: Any) -> None:
    """VERBS-budget: a greedy prefix; what is used and what did not fit is told."""
    await shelve(house, {"tea.md": f"# Tea\n\n{'tea ' * 20}"})
    for number in range(3):
        await remember(client, f"tea tea tea {number} {'x' * 26}")

    answers = [
        await client.call("verbs/recall", query="tea", budget_tokens=budget) for budget in (9, 10, 29.9, 60)
    ]
    none = await client.call("verbs/recall", query="tea", budget_tokens=0.5)

    assert [(9, 0, 0, 0, 4), (10, 1, 0, 10, 3), (29, 2, 0, 20, 2), (60, 3, 1, 53, 0)] == [
        (
            answer["budget_tokens"],
            len(answer["facts"]),
            len(answer["results"]),
            answer["budget_used"],
            answer["dropped_count"],
        )
        for answer in answers
    ]
    assert [0, 1, 2, 3] == [answer["total"] for answer in answers]
    assert "budget_tokens" not in none
    assert len(none["facts"]) == 3


async def test_why_a_page_was_found(house: Any, client: Any, shelve: Any) -> None:
    """VERBS-recall: alias, title, every word, some words; alias and title are found without any text."""
    await shelve(
        house,
        {
            "people/alice.md": ALICE,
            "band.md": "# The Who\n\nA band.",
            "notes/team.md": "# Team\n\nThe payments group meets on Monday.",
        },
    )

    assert ("people/alice", "alias_hit", "exists") == (await found(client, "the boss"))[0]
    assert ("people/alice", "exact_title_match", "exists") == (await found(client, " alice  SMITH "))[0]
    assert [("band", "exact_title_match", "exists")] == await found(client, "The Who")
    assert ("people/alice", "keyword_exact", "probable") in await found(client, "payments team")
    assert [("notes/team", "weak_semantic", "unknown")] == await found(client, "monday standup")


async def test_a_page_is_found_once_by_its_best_part(house: Any, client: Any, shelve: Any) -> None:
    """One result a page, with the part that matched best."""
    text = "# Manual\n\n## Install\n\nRun the kestrel installer.\n\n## Use\n\nThe kestrel hovers; kestrel!\n"
    await shelve(house, {"manual.md": text})

    (page,) = (await client.call("verbs/recall", query="kestrel hovers"))["results"]

    assert "hovers" in page["chunk"]


async def test_private_pages_are_for_local_callers(house: Any, client: Any, shelve: Any) -> None:
    """VERBS-recall: also by alias and by title."""
    await shelve(house, {"secret.md": "---\nvisibility: private\naliases: [hush]\n---\n# Kestrel\n\nplans"})
    remote = house.client("r", remote=True)

    for query in ("hush", "Kestrel", "plans"):
        assert ["secret"] == [slug for slug, *_ in await found(client, query)]
        assert [] == await found(remote, query)


async def test_a_recall_of_a_session_leaves_evidence(house: Any, client: Any) -> None:
    """DSH-6, like a query of entries: one row that says what was asked; none without a session."""
    await house.sidecar.start()
    await client.call("verbs/recall", query="tea")
    await house.client(None).call("verbs/recall", query="coffee")
    await client.hears("memory/recalled")

    (row,) = await client.rows("recalled")

    assert ("tea", "s1") == (row["text"], row["sessionId"])


async def test_pages_that_were_handed_out_are_noted_every_five_minutes(
    house: Any, client: Any, shelve: Any, clock: Clock
) -> None:
    """Only what is in the answer; entity shows when."""
    await shelve(house, {"one.md": "# Tea", "two.md": f"# Two\n\ntea {'x' * 4000}"})

    async def noted() -> list[int | None]:
        await house.sidecar.store.derived.run(lambda db: None)
        cards = [(await client.call("verbs/entity", name=name))["card"] for name in ("one", "two")]
        return [card["last_touched"]["last_retrieved_at"] for card in cards]

    before = await noted()
    await client.call("verbs/recall", query="tea", budget_tokens=20)
    first = await noted()
    clock.now_ms += PAUSE_MS - 1
    await client.call("verbs/recall", query="tea", budget_tokens=20)
    soon = await noted()
    clock.now_ms += 1
    await client.call("verbs/recall", query="tea", budget_tokens=20)
    later = await noted()

    assert [None, None] == before
    assert ["2026-11-30T12:00:00.000Z", None] == first == soon
    assert ["2026-11-30T12:05:00.000Z", None] == later


HOSTILE = [
    '"', '""', "'; DROP TABLE facts; --", "tea OR coffee", "NEAR(tea coffee)", "tea*", "text:tea",
    "{text}: tea", "-tea", "^tea", "tea AND", "(tea", "tea + coffee", "NOT tea", "\x00", "tea\x00coffee", "%",
    "_", "*" * 5000, "tea " * 5000, "[[tea]]", "\\", "a" * 100_000, "\u202etea", "tea\ntea", "()", '"tea',
    "tea\"'`",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
async def test_odd_queries_are_only_words(house: Any, client: Any, shelve: Any, query: str) -> None:
    """VERBS-recall: nothing reaches the index's syntax; every query is answered and finds what it says."""
    await shelve(house, {"tea.md": "# Tea\n\nhot tea", "other.md": "# Other\n\nnothing here"})
    await remember(client, "tea is hot")
    await remember(client, "nothing here")

    answer = await client.call("verbs/recall", query=query)

    assert {fact["fact"] for fact in answer["facts"]} <= {"tea is hot"}
    assert {page["slug"] for page in answer["results"]} <= {"tea"}
    assert ("tea" in query) == bool(answer["facts"])
