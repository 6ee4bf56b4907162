"""The store as it was."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from keepgate.boot.compose import compose, stamp_now
from keepgate.boot.places import find_places
from keepgate.core.model.stamp import Stamp
from keepgate.protocol.errors import Code
from keepgate.protocol.settings import Settings

UW = {"track": "user", "scope": "workspace"}
FACT = {"entity": "alice", "kind": "fact", "provenance": "a test"}


async def _texts(client: Any, **params: Any) -> list[str]:
    return [entry["text"] for entry in (await client.call("memory/asOf", session=None, **params))["entries"]]


async def test_every_row_has_its_store(client: Any) -> None:
    """DSH-6: after each row, what the list said then: added, rewritten, removed, brought back."""
    then = [[]]

    async def note(work: Any) -> None:
        await work
        newest = (await client.rows())[-1]["seq"]
        then.extend([None] * (newest - len(then)))
        then.append((await client.call("memory/list", session=None))["entries"])

    await note(client.add("one", tags=["x"]))
    await note(client.add("two", track="agent", scope="user-global"))
    await note(client.call("memory/replace", **UW, match="one", text="one, again"))
    await note(client.call("memory/remove", **UW, match="one"))
    await note(client.call("memory/undo", seq=4))
    await note(client.call("memory/seed", entries=[{**UW, "text": "three"}, {**UW, "text": "four"}]))

    for seq, expected in enumerate(then):
        if expected is not None:
            found = await client.call("memory/asOf", seq=seq, session=None)
            assert (seq, expected, [], None) == (
                found["seq"], found["entries"], found["unknown"], found["next"],
            )  # fmt: skip


async def test_facts_are_as_they_could_be_recalled(client: Any) -> None:
    """Superseded and forgotten ones are there before and gone after."""
    one = (await client.call("verbs/remember", fact="Alice likes tea.", **FACT))["id"]
    two = (await client.call("verbs/remember", fact="Alice likes water.", supersedes=one, **FACT))["id"]
    await client.call("verbs/forget", id=two)
    forgotten = (await client.rows("forget"))[0]["seq"]

    known = [
        [fact["id"] for fact in (await client.call("memory/asOf", seq=seq))["facts"]]
        for seq in (1, forgotten - 1, forgotten)
    ]

    assert [[one], [two], []] == known


async def test_a_moment_is_the_last_row_before_it(build: Callable[..., Any]) -> None:
    """And what had run out by then was not recalled, also where no row says so."""
    now = [1_000_000]

    def stamp() -> Stamp:
        made = stamp_now()
        return Stamp(now_ms=now[0], new_id=made.new_id, new_salt=made.new_salt)

    house = await build(stamp=stamp)
    client = house.client()
    await client.add("one")
    await client.call("verbs/remember", fact="Alice is away.", ttl="10 minutes", **FACT)
    now[0] += 3_600_000
    await client.add("two")

    early = await client.call("memory/asOf", at=999_999)
    between = await client.call("memory/asOf", at=1_000_001)
    run_out = await client.call("memory/asOf", at=1_000_000 + 700_000)

    assert (0, None, [], []) == (early["seq"], early["ts"], early["entries"], early["facts"])
    assert (2, 1_000_000, ["one"]) == (
        between["seq"], between["ts"], [entry["text"] for entry in between["entries"]],
    )  # fmt: skip
    assert ["Alice is away."] == [fact["text"] for fact in between["facts"]]
    assert (2, []) == (run_out["seq"], run_out["facts"])
    assert ["one", "two"] == await _texts(client, at=now[0])


async def test_pages_hold_everything_once(client: Any) -> None:
    """Entries and facts together, in the order in which they came."""
    for number in range(5):
        await client.add(f"entry {number}")
        await client.call("verbs/remember", fact=f"Fact {number}.", **FACT)
    found, after = [], None

    while True:
        page = await client.call("memory/asOf", seq=10, limit=3, **({"after": after} if after else {}))
        assert 3 >= len(page["entries"]) + len(page["facts"])
        found += [item["text"] for item in (*page["entries"], *page["facts"])]
        if (after := page["next"]) is None:
            break

    assert sorted([f"entry {n}" for n in range(5)] + [f"Fact {n}." for n in range(5)]) == sorted(found)


async def test_the_past_is_in_sight_of_who_could_see_it(house: Any) -> None:
    """Another workspace and another preset's entries are not told of; nor private facts to remote callers."""
    one, two = house.client(folders=("one",)), house.client(folders=("two",))
    private = house.client("s3", folders=("one",), agent="reviewer")
    await one.add("mine")
    await one.add("everybody's", scope="user-global")
    await two.add("theirs")
    await private.add("the reviewer's", track="agent")
    await one.call("verbs/remember", fact="Alice is ill.", visibility="private", **FACT)
    await one.call("verbs/remember", fact="Alice is in.", visibility="world", **FACT)
    seq = (await one.rows())[-1]["seq"]

    def told(found: Any) -> list[str]:
        return [item["text"] for item in (*found["entries"], *found["facts"])]

    mine = told(await one.call("memory/asOf", seq=seq))
    theirs = told(await two.call("memory/asOf", seq=seq))
    remote = told(await house.client(folders=("one",), remote=True).call("memory/asOf", seq=seq))
    everything = told(await one.call("memory/asOf", seq=seq, session=None, allWorkspaces=True))

    assert ["mine", "everybody's", "Alice is ill.", "Alice is in."] == mine
    assert ["everybody's", "theirs"] == theirs
    assert ["mine", "everybody's", "Alice is in."] == remote
    assert 6 == len(everything)


@pytest.fixture
async def purged(house: Any, tmp_path: Path) -> AsyncIterator[Any]:
    """A house whose ledger will not be asked to prove everything."""
    places = find_places({"KEEPGATE_HOME": str(tmp_path / "other")})
    other = type(house)(await compose(Settings(), places), tmp_path, Settings())
    yield other
    await other.sidecar.close()


async def test_what_was_purged_is_named(purged: Any) -> None:
    """By its id, while no later row says what became of it; remote callers hear of no fact so."""
    house, client = purged, purged.client()
    gone, kept = await client.add("secret"), await client.add("kept")
    await client.call("memory/replace", **UW, match="kept", text="kept on")
    fact = (await client.call("verbs/remember", fact="A secret.", **FACT))["id"]
    purge = "UPDATE ledger SET payload = NULL, salt = NULL WHERE seq = ?"
    seq = (await client.rows())[-1]["seq"]
    for row in (1, 2, seq):
        await house.sidecar.store.canonical.run(lambda db, row=row: db.execute(purge, (row,)).fetchall())

    local = await client.call("memory/asOf", seq=seq)
    remote = await house.client(remote=True).call("memory/asOf", seq=seq)
    early = await client.call("memory/asOf", seq=2)

    assert ([gone["id"], fact], ["kept on"]) == (
        local["unknown"], [entry["text"] for entry in local["entries"]],
    )  # fmt: skip
    assert [gone["id"]] == remote["unknown"]
    assert ([gone["id"], kept["id"]], []) == (early["unknown"], early["entries"])
    # The store itself still holds both, which is what a purge would see to.
    assert ["kept on", "secret"] == sorted(await client.texts())


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "$"),
        ({"seq": 1, "at": 1}, "$"),
        ({"seq": 999}, "$.seq"),
        ({"seq": -1}, "$.seq"),
        ({"seq": 1 << 63}, "$.seq"),
        ({"at": 1 << 63}, "$.at"),
        ({"seq": 1, "after": "x"}, "$.after"),
        ({"seq": 1, "limit": 0}, "$.limit"),
    ],
)
async def test_bad_questions_are_refused(client: Any, params: dict[str, Any], path: str) -> None:
    """INVALID_INPUT with the path."""
    await client.add("one")

    fault = await client.fault("memory/asOf", **params)

    assert (Code.INVALID_INPUT, path) == (fault.code, fault.details["problems"][0]["path"])
