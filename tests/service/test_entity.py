"""entity over a whole provider: resolution, cards, near misses (VERBS-entity)."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from keepgate.boot.compose import stamp_now
from keepgate.protocol.settings import WritePolicy

NOW = 1_796_040_000_000
DAY = 86_400_000


class Clock:
    """A moment that a test moves."""

    def __init__(self) -> None:
        self.now_ms = NOW

    def __call__(self) -> Any:
        return attrs.evolve(stamp_now(), now_ms=self.now_ms)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def house(build: Callable[..., Any], clock: Clock) -> Any:
    """A house with that clock, whose facts need no person."""
    return await build(clock, write_policies={"facts": WritePolicy.AUTO})


async def remember(client: Any, fact: str, entity: str, **params: Any) -> str:
    answer = await client.call("verbs/remember", fact=fact, entity=entity, provenance="test", **params)
    return str(answer["id"])


async def card(client: Any, name: str) -> Any:
    """The card of a name that has one."""
    answer = await client.call("verbs/entity", name=name)
    assert answer["found"]
    return answer["card"]


async def best(client: Any, name: str) -> tuple[str | None, list[str]]:
    """The slug that a name stands for, and those that are suggested."""
    answer = await client.call("verbs/entity", name=name)
    slug = answer["card"]["entity"]["slug"] if answer["found"] else None
    return slug, [other["slug"] for other in answer.get("suggestions", [])]


async def test_the_whole_card(house: Any, client: Any, shelve: Any) -> None:
    """Every field, from a page, its links, its timeline and its facts."""
    alice = """---
type: person
aliases: [The Boss, Al]
summary: Runs payments.
works_at: "[[companies/acme]]"
---
# Alice Smith

Knows [[people/bob]] and [[people/nobody]].

## Timeline
- 2026-11-28: joined the board
- 2026-06-01: moved
"""
    await shelve(
        house,
        {
            "people/alice.md": alice,
            "companies/acme.md": "# Acme\n\nLed by [[people/alice]].",
            "people/bob.md": "# Bob",
        },
        now_ms=NOW,
    )
    await remember(client, "will send the deck", "alice", kind="commitment")

    answer = await client.call("verbs/entity", name=" the  BOSS")

    assert isinstance(answer.pop("latency_ms"), int)
    assert {
        "found": True,
        "protocol_version": 1,
        "card": {
            "entity": {"slug": "people/alice", "title": "Alice Smith", "type": "person"},
            "aka": ["Al", "The Boss"],
            "summary": "Runs payments.",
            "last_touched": {
                "updated_at": "2026-11-30T12:00:00.000Z",
                "last_retrieved_at": None,
                "last_timeline_date": "2026-11-28",
            },
            "open_threads": [
                {"kind": "commitment", "text": "will send the deck", "date": "2026-11-30T12:00:00.000Z"},
                {"kind": "recent_event", "text": "joined the board", "date": "2026-11-28"},
            ],
            "edges": [
                {"type": "works_at", "direction": "out", "slug": "companies/acme", "context": None},
                {
                    "type": "links_to",
                    "direction": "out",
                    "slug": "people/bob",
                    "context": "Knows people/bob and people/nobody.",
                },
                {
                    "type": "links_to",
                    "direction": "in",
                    "slug": "companies/acme",
                    "context": "Led by people/alice.",
                },
            ],
            "backlink_count": 1,
            "active_fact_count": 1,
        },
    } == answer


async def test_alias_before_title_before_the_end_of_a_slug(house: Any, client: Any, shelve: Any) -> None:
    """The frozen precedence, whatever was touched last; the others are suggested, three at most."""
    await shelve(house, {"a/one.md": "---\naliases: [Delta]\n---\n# One"}, now_ms=NOW)
    await shelve(house, {"a/two.md": "# Delta"}, now_ms=NOW + 1000)
    await shelve(house, {"a/delta.md": "# Three"}, now_ms=NOW + 2000)

    assert ("a/one", ["a/two", "a/delta"]) == await best(client, "delta")
    assert ("a/delta", []) == await best(client, "a/delta")
    assert ("a/two", []) == await best(client, "two")


async def test_ties_go_to_what_was_touched_last(house: Any, client: Any, shelve: Any, clock: Clock) -> None:
    """Changed or handed out: whichever was later."""
    await shelve(house, {"a/kestrel.md": "# Bird\n\nhovers"}, now_ms=NOW)
    await shelve(house, {"b/kestrel.md": "# Tool\n\nhammers"}, now_ms=NOW + 1000)

    assert ("b/kestrel", ["a/kestrel"]) == await best(client, "kestrel")

    clock.now_ms = NOW + 2000
    await client.call("verbs/recall", query="hovers")
    await house.sidecar.store.derived.run(lambda db: None)

    assert ("a/kestrel", ["b/kestrel"]) == await best(client, "kestrel")


async def test_suggestions_are_three_at_most(house: Any, client: Any, shelve: Any) -> None:
    """Of many that are called alike; each says that it exists."""
    await shelve(house, {f"{folder}/kestrel.md": "# Kestrel" for folder in "abcdefgh"}, now_ms=NOW)

    answer = await client.call("verbs/entity", name="Kestrel")

    assert [("Kestrel", "exists")] * 3 == [
        (other["title"], other["create_safety"]) for other in answer["suggestions"]
    ]


@pytest.mark.parametrize(
    "name",
    [
        "People/ALICE",
        "people/alice",
        "alice",
        "ALICE smith",
        '"Alice Smith"',
        "[[people/alice]]",
        "ａｌｉｃｅ",
    ],
)
async def test_names_are_folded(house: Any, client: Any, shelve: Any, name: str) -> None:
    """Case, width, blanks and what stands around a name make no difference."""
    await shelve(house, {"people/alice.md": "# Alice Smith"})

    assert "people/alice" == (await best(client, name))[0]


async def test_files_with_capitals_and_blanks_are_found(house: Any, client: Any, shelve: Any) -> None:
    """A slug is a path: it may hold what slugs of names do not."""
    await shelve(house, {"People/Alice Smith.md": "# A", "x/README.md": "# B", "东京/塔.md": "# C"})

    for name in ("People/Alice Smith", "people/alice-smith", "alice smith", "Alice-Smith"):
        assert "People/Alice Smith" == (await best(client, name))[0]
    assert "x/README" == (await best(client, "readme"))[0]
    assert "东京/塔" == (await best(client, "塔"))[0]


NO_NAMES = [
    "%", "_", "*", "a%", "people/%", "people_alice", "?", "[a-z]*", "'", '"', "\x00", "people/",
    "eople/alice", "ice", "alicf", "\u202e", "a" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("name", NO_NAMES)
async def test_names_are_no_patterns(house: Any, client: Any, shelve: Any, name: str) -> None:
    """VERBS-entity: literal, never an error, never an arbitrary page; nothing fuzzy is found."""
    await shelve(house, {"people/alice.md": "# Alice Smith"})

    answer = await client.call("verbs/entity", name=name)

    assert (False, True) == (answer["found"], isinstance(answer["suggestions"], list))
    assert "card" not in answer


@pytest.mark.parametrize("name", ["", "  ", "\n"])
async def test_a_blank_name_is_refused(client: Any, name: str) -> None:
    """The one error that entity has, with a suggestion."""
    envelope = (await client.fault("verbs/entity", name=name)).envelope()

    assert ("invalid_params", 1) == (envelope["error"], envelope["protocol_version"])
    assert envelope["suggestion"]


async def test_a_miss_suggests_what_is_near(house: Any, client: Any, shelve: Any) -> None:
    """Pages by the words of the name, and whether to create one."""
    await shelve(
        house, {"people/alice.md": "# Alice Smith", "notes/desk.md": "# Desk\n\nThe desk of Alice Kestrel."}
    )

    answer = await client.call("verbs/entity", name="Alice Kestrel")
    nothing = await client.call("verbs/entity", name="Zanzibar")

    assert {"slug": "notes/desk", "title": "Desk", "create_safety": "probable"} == answer["suggestions"][0]
    assert (False, []) == (nothing["found"], nothing["suggestions"])


async def test_facts_without_a_page_are_a_miss_that_names_their_slug(client: Any) -> None:
    """Remembered, but nothing to make a card of; a forgotten fact leaves no trace."""
    fact = await remember(client, "likes tea", "Alice Smith")

    known = await client.call("verbs/entity", name="ALICE smith")
    await client.call("verbs/forget", id=fact)
    unknown = await client.call("verbs/entity", name="Alice Smith")

    assert [{"slug": "alice-smith", "title": "alice-smith", "create_safety": "unknown"}] == known[
        "suggestions"
    ]
    assert [False, False] == [known["found"], unknown["found"]]
    assert [] == unknown["suggestions"]


async def test_counts_are_exact_and_old_commitments_stay(
    house: Any, client: Any, shelve: Any, clock: Clock
) -> None:
    """VERBS-entity: beyond a hundred newer facts, too."""
    await shelve(house, {"people/alice.md": "# Alice\n\n## Timeline\n- 2026-11-29: met"})
    await remember(client, "will send the deck", "alice", kind="commitment")
    for number in range(120):
        clock.now_ms += 1000
        await remember(client, f"fact {number}", "alice")

    found = await card(client, "alice")

    assert 121 == found["active_fact_count"]
    assert ["will send the deck", "met"] == [thread["text"] for thread in found["open_threads"]]


async def test_what_has_expired_is_neither_counted_nor_open(
    house: Any, client: Any, shelve: Any, clock: Clock
) -> None:
    """VERBS-entity: forgotten, superseded and run out."""
    await shelve(house, {"people/alice.md": "# Alice"})
    await remember(client, "one", "alice", kind="commitment", ttl="1h")
    await client.call("verbs/forget", id=await remember(client, "two", "alice", kind="commitment"))
    old = await remember(client, "three", "alice", kind="commitment")
    await remember(client, "four", "alice", kind="commitment", supersedes=old)

    before = await card(client, "alice")
    clock.now_ms += 3_600_000
    after = await card(client, "alice")

    assert (2, ["four", "one"]) == (before["active_fact_count"], [t["text"] for t in before["open_threads"]])
    assert (1, ["four"]) == (after["active_fact_count"], [t["text"] for t in after["open_threads"]])


async def test_events_are_open_for_ninety_days(house: Any, client: Any, shelve: Any) -> None:
    """Newest first, and what is still to come; the date of the newest entry is told anyway."""
    days = ("2026-09-01: edge", "2026-12-24: to come", "2026-08-31: gone", "2026-11-01: met")
    text = "# Acme\n\n## Timeline\n" + "".join(f"- {day}\n" for day in days)
    await shelve(house, {"acme.md": text, "old.md": "# Old\n\n## Timeline\n- 2020-01-01: founded"})

    acme, old = await card(client, "acme"), await card(client, "old")

    assert ["to come", "met", "edge"] == [thread["text"] for thread in acme["open_threads"]]
    assert ([], "2020-01-01") == (old["open_threads"], old["last_touched"]["last_timeline_date"])


async def test_remote_callers_see_nothing_private(house: Any, client: Any, shelve: Any) -> None:
    """VERBS-entity: not in the card, its counts, edges or suggestions; a private page is a miss."""
    remote = house.client("r", remote=True)
    secret = "---\nvisibility: private\naliases: [hush]\n---\n# Secret\n\nOf [[people/alice]]."
    await shelve(
        house,
        {"people/alice.md": "# Alice\n\nKnows [[secret]].", "secret.md": secret, "b/secret.md": "# B"},
    )
    await remember(client, "private promise", "alice", kind="commitment", visibility="private")
    await remember(client, "under wraps", "Wraps", visibility="private")

    seen, known = await card(remote, "alice"), await card(client, "alice")

    assert ([], [], 0, 0) == (
        seen["open_threads"],
        seen["edges"],
        seen["backlink_count"],
        seen["active_fact_count"],
    )
    assert (1, 2, 1, 1) == (
        len(known["open_threads"]),
        len(known["edges"]),
        known["backlink_count"],
        known["active_fact_count"],
    )
    assert ("b/secret", []) == await best(remote, "secret")
    assert (None, []) == await best(remote, "hush")
    assert (None, []) == await best(remote, "wraps")
    assert ("secret", []) == await best(client, "hush")


async def test_links_to_a_page_are_counted_beyond_what_is_shown(house: Any, client: Any, shelve: Any) -> None:
    """Ten edges, all backlinks."""
    pages = {f"notes/{number}.md": f"# {number}\n\nSee [[acme]]." for number in range(25)}
    await shelve(house, {"acme.md": "# Acme", **pages})

    found = await card(client, "acme")

    assert (10, 25) == (len(found["edges"]), found["backlink_count"])
