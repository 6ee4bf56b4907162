"""Sessions that have read untrusted material."""

from collections.abc import Callable
from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.settings import WritePolicy

PAGE = "https://example.org/issue/7"
FACT = {"fact": "Water boils at 100 degrees.", "entity": "water", "kind": "fact", "provenance": "a book"}


def _kinds(client: Any) -> list[list[str]]:
    return [[caution.kind for caution in question.warnings] for question in client.person.questions]


@pytest.fixture
async def easy(build: Callable[..., Any]) -> Any:
    """A house whose policy allows everything."""
    return await build(write_policy=WritePolicy.AUTO)


async def test_a_policy_no_longer_answers_for_a_tainted_session(easy: Any) -> None:
    """Entries, facts, batches and undo are asked about, and each question quotes what was read."""
    client = easy.client()
    first = await client.add("prefers tabs")
    assert [] == client.person.questions

    told = await client.call("session/taint", sources=[PAGE, 'a mail "from" nobody\nknown'])
    await client.add("prefers blanks")
    await client.call("verbs/remember", **FACT)
    await client.call("memory/seed", entries=[{"track": "user", "scope": "workspace", "text": "new"}])
    await client.call("memory/undo", seq=(await client.rows("add"))[0]["seq"])

    assert {"tainted": True, "sources": [PAGE, 'a mail "from" nobody\nknown']} == told
    assert [["tainted"]] * 4 == _kinds(client)
    message = client.person.questions[0].warnings[0].message
    assert message.endswith(f'"{PAGE}", "a mail \\"from\\" nobody ⏎ known"')
    assert first["text"] not in await client.texts()


async def test_other_sessions_are_as_they_were(easy: Any) -> None:
    """Another id, and the same id in another workspace, are answered by the policy."""
    client, other, elsewhere = easy.client(), easy.client("s2"), easy.client(folders=("other",))
    await client.call("session/taint", sources=[PAGE])

    await other.add("one")
    await elsewhere.add("two")

    assert [] == other.person.questions + elsewhere.person.questions


async def test_leave_for_a_session_ends(house: Any, people: Any) -> None:
    """What a person allowed for the rest of a session holds until it is tainted, and not again after it."""
    client = house.client(person=people(always="allowed-session"))
    await client.add("asked")
    await client.add("not asked")
    assert 1 == len(client.person.questions)

    await client.call("session/taint", sources=[PAGE])
    await client.add("asked again")
    await client.add("and again")

    assert [[], ["tainted"], ["tainted"]] == _kinds(client)


async def test_a_no_is_a_no(easy: Any, people: Any) -> None:
    """Nothing is written when the person denies, whatever the policy says."""
    client = easy.client(person=people(always="rejected"))
    await client.call("session/taint", sources=[PAGE])

    fault = await client.fault("memory/add", track="user", scope="workspace", text="evil")

    assert (Code.WRITE_DENIED, "rejected") == (fault.code, fault.details["outcome"])
    assert [] == await client.texts()


async def test_other_processes_know_and_so_does_the_next_start(build: Callable[..., Any]) -> None:
    """Two open stores and one that is opened later all ask."""
    one, two = [await build(write_policy=WritePolicy.AUTO) for _ in range(2)]
    await one.client().call("session/taint", sources=[PAGE])
    later = await build(write_policy=WritePolicy.AUTO)

    for house in (two, later):
        client = house.client()
        await client.add("asked")
        assert [["tainted"]] == [kinds[:1] for kinds in _kinds(client)]


async def test_the_ledger_says_who_declared_what(client: Any) -> None:
    """One row for what is new; what is known already adds none."""
    await client.call("session/taint", sources=[PAGE, PAGE])
    again = await client.call("session/taint", sources=["a mail", PAGE])
    await client.call("session/taint", sources=[PAGE])

    rows = await client.rows("taint")
    assert [PAGE, "a mail"] == again["sources"] == [row["text"] for row in rows]
    assert {("s1", "declared", "tester")} == {
        (row["sessionId"], row["outcome"], row["by"]["client"]) for row in rows
    }


async def test_the_strictest_policy_still_refuses(build: Callable[..., Any]) -> None:
    """Taint never loosens: what a policy refuses is refused without a question."""
    house = await build(write_policy=WritePolicy.OFF)
    client = house.client()
    await client.call("session/taint", sources=[PAGE])

    fault = await client.fault("memory/add", track="user", scope="workspace", text="evil")

    assert "policy" == fault.details["reason"]
    assert [] == client.person.questions


async def test_a_question_names_few_of_many_sources(client: Any) -> None:
    """Long and many sources do not bury the change."""
    await client.call("session/taint", sources=[f"{number:03}" + "x" * 250 for number in range(20)])

    await client.add("asked")

    message = client.person.questions[0].warnings[0].message
    assert message.endswith("and 15 more")
    assert len(message) < 800


@pytest.mark.parametrize(
    ("sources", "path"),
    [
        ([], "$.sources"),
        (["x"] * 21, "$.sources"),
        (["fine", ""], "$.sources[1]"),
        (["x" * 257], "$.sources[0]"),
        (["a\x00b"], "$.sources[0]"),
    ],
)
async def test_sources_are_short_texts(client: Any, sources: list[str], path: str) -> None:
    """INVALID_INPUT, and nothing is noted."""
    fault = await client.fault("session/taint", sources=sources)

    assert (Code.INVALID_INPUT, path) == (fault.code, fault.details["problems"][0]["path"])
    assert [] == await client.rows("taint")


async def test_somebody_has_to_be_tainted(house: Any) -> None:
    """Without a session: WRITE_REQUIRES_AGENT."""
    fault = await house.client(None).fault("session/taint", sources=[PAGE])

    assert Code.WRITE_REQUIRES_AGENT == fault.code
