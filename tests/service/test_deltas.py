"""delta over a whole provider: what is delivered, when cursors move, and whose they are (VERBS-delta)."""

import asyncio
import hashlib
import threading
from collections.abc import Callable
from typing import Any

import apsw
import pytest

from keepgate.core.model.page import PageFile
from keepgate.core.model.stamp import Stamp
from keepgate.core.reading.delta import DELTA_LIMIT
from keepgate.core.reading.tokens import estimate
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.protocol.settings import WritePolicy
from keepgate.protocol.verb_errors import VerbFault
from keepgate.service.after_reply import AfterReply
from keepgate.store.cursors import CURSORS_MAX
from keepgate.store.pages import put_pages, remove_pages

DAY_MS = 24 * 3600 * 1000
START_MS = 1_790_000_000_000


class Clock:
    """Time as the test says."""

    def __init__(self) -> None:
        self.now_ms = START_MS

    def __call__(self) -> Stamp:
        self.now_ms += 1
        return Stamp(now_ms=self.now_ms, new_id=lambda: f"{self.now_ms}", new_salt=lambda: "0" * 32)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def house(build: Callable[..., Any], clock: Clock) -> Any:
    """A house whose facts need no answer, and whose clock the test turns."""
    return await build(stamp=clock, write_policy=WritePolicy.AUTO)


class Desk:
    """A client that keeps facts and pages and asks what is new."""

    def __init__(self, house: Any, clock: Clock, **connection: Any) -> None:
        self.house, self.clock = house, clock
        self.client = house.client(**connection)
        folders = connection.get("folders", ("project",))
        self.home = house.key(folders[0]) if folders else ""

    async def fact(self, text: str, **params: Any) -> str:
        answer = await self.client.call("verbs/remember", fact=text, provenance="test", **params)
        return str(answer["id"])

    async def page(self, slug: str, text: str = "", *, home: str | None = None, head: str = "") -> None:
        data = f"---\n{head}\n---\n# Page {slug}\n{text}\n".encode()
        at = self.home if home is None else home
        file = PageFile(
            home=at, root=f"{at}/pages", path=f"{slug}.md", size=len(data), mtime_ns=0,
            digest=hashlib.sha256(data).hexdigest(),
        )  # fmt: skip
        page = indexed(file, parse(f"{slug}.md", data))
        now_ms = self.clock().now_ms
        await self.house.sidecar.store.derived.write(lambda db: put_pages(db, [page], now_ms=now_ms))

    async def without_page(self, slug: str) -> None:
        root = f"{self.home}/pages"
        await self.house.sidecar.store.derived.write(
            lambda db: remove_pages(db, self.home, root, [f"{slug}.md"])
        )

    async def wake(self, session_id: str | None = "w", *, arrives: bool = True, **params: Any) -> Any:
        given = {"session": self.client.session, **params}
        if session_id is not None:
            given["session_id"] = session_id
        after = AfterReply()
        result = await self.house.sidecar.call(
            self.client.connection, "verbs/delta", given, after_reply=after
        )
        if arrives:
            await after.written()
        else:
            after.lost()
        return result

    async def refused(self, **params: Any) -> Any:
        with pytest.raises(VerbFault) as caught:
            await self.client.call("verbs/delta", **params)
        return caught.value.envelope()


@pytest.fixture
def desk(house: Any, clock: Clock) -> Desk:
    return Desk(house, clock)


def slugs(result: Any) -> list[str]:
    return [page["slug"] for page in result["pages"]]


def texts(result: Any) -> list[str]:
    return [fact["fact"] for fact in result["facts"]]


async def test_the_first_wake_is_a_place_to_begin(desk: Desk) -> None:
    """Nothing comes with it; what changes after it does, once."""
    await desk.page("people/ann")
    await desk.fact("old")

    first = await desk.wake()
    await desk.page("people/bob")
    await desk.fact("new")
    second, third = await desk.wake(), await desk.wake()

    assert ([], [], "", False) == (first["pages"], first["facts"], first["text"], first["has_more"])
    assert (["people/bob"], ["new"]) == (slugs(second), texts(second))
    assert ([], [], "") == (third["pages"], third["facts"], third["text"])
    assert first["since"].endswith("Z")
    assert second["next_cursor"]["since"] == third["since"]
    assert {"slug": "people/bob", "source_id": desk.home, "title": "Page people/bob"} == {
        name: second["pages"][0][name] for name in ("slug", "source_id", "title")
    }


async def test_a_lost_reply_is_delivered_again(desk: Desk) -> None:
    """The cursor moves when the reply was written out, and not before."""
    await desk.wake()
    await desk.fact("new")

    lost, again, nothing = await desk.wake(arrives=False), await desk.wake(), await desk.wake()

    assert [["new"], ["new"], []] == [texts(each) for each in (lost, again, nothing)]


async def test_a_lost_first_reply_loses_nothing(desk: Desk) -> None:
    """A session begins where it first asked, also when it never heard the answer."""
    await desk.wake(arrives=False)
    await desk.fact("new")

    assert ["new"] == texts(await desk.wake())


async def test_a_wake_waits_for_the_reply_before_it(desk: Desk) -> None:
    """Two requests at once do not get the same."""
    await desk.wake()
    await desk.fact("new")
    after = AfterReply()
    given = {"session": desk.client.session, "session_id": "w"}
    sidecar, connection = desk.house.sidecar, desk.client.connection
    first = await sidecar.call(connection, "verbs/delta", given, after_reply=after)
    second = asyncio.create_task(sidecar.call(connection, "verbs/delta", given))
    await asyncio.sleep(0)

    assert not second.done()
    await after.written()
    assert (["new"], []) == (texts(first), texts(await second))


async def test_a_reply_that_nobody_reads_holds_up_nobody_for_long(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while the same is delivered once more."""
    monkeypatch.setattr("keepgate.store.cursors.TURN_S", 0.05)
    await desk.wake()
    await desk.fact("new")
    given = {"session": desk.client.session, "session_id": "w"}
    sidecar, connection = desk.house.sidecar, desk.client.connection
    slow, quick = AfterReply(), AfterReply()
    await sidecar.call(connection, "verbs/delta", given, after_reply=slow)

    again = await sidecar.call(connection, "verbs/delta", given, after_reply=quick)
    await slow.written()
    await quick.written()

    assert (["new"], []) == (texts(again), texts(await desk.wake()))


async def test_a_wake_that_is_cancelled_holds_up_nobody(desk: Desk) -> None:
    """It gives its turn back at once."""
    store, held = desk.house.sidecar.store, threading.Event()
    blocked = store.derived.submit(lambda _: held.wait(10))
    cancelled = asyncio.create_task(desk.wake())
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.wait([cancelled])

    turns_left = dict(store.cursors._turns)
    held.set()
    await blocked

    assert {} == turns_left
    assert [] == texts(await desk.wake())


async def test_more_facts_than_the_limit(desk: Desk) -> None:
    """The oldest come first, and the rest with the next wake."""
    await desk.wake()
    for number in range(DELTA_LIMIT + 10):
        await desk.fact(f"fact {number}")

    first, second = await desk.wake(), await desk.wake()

    assert [f"fact {number}" for number in range(DELTA_LIMIT)] == texts(first)
    assert first["has_more"]
    assert [f"fact {number}" for number in range(DELTA_LIMIT, DELTA_LIMIT + 10)] == texts(second)
    assert not second["has_more"]


async def test_a_budget_that_nothing_fits_says_so(desk: Desk) -> None:
    """One long fact in front must not stand still in silence; with room enough everything comes."""
    await desk.wake()
    await desk.fact("x" * 3000)
    await desk.fact("short")

    tight, wide = await desk.wake(budget_tokens=500), await desk.wake()

    assert ([], True, 2) == (tight["facts"], tight["has_more"], tight["dropped_count"])
    assert "larger budget_tokens" in tight["degraded_reason"]
    assert (2, False) == (len(wide["facts"]), "degraded_reason" in wide)


async def test_a_budget_for_the_page_alone(desk: Desk) -> None:
    """Facts behind a page that filled the budget come with the next wake."""
    await desk.wake()
    for number in range(5):
        await desk.fact(f"fact {number}")
    await desk.page("p")
    room = estimate((await desk.wake(arrives=False, budget_tokens=10_000))["text"].split("\n\n## New")[0])

    first, second = await desk.wake(budget_tokens=room), await desk.wake()

    assert (["p"], [], True, 5, room) == (
        slugs(first), texts(first), first["has_more"], first["dropped_count"], first["budget_tokens"],
    )  # fmt: skip
    assert first["budget_used"] == estimate(first["text"]) <= room
    assert ([], 5) == (slugs(second), len(second["facts"]))


async def test_without_a_session(desk: Desk) -> None:
    """A moment is enough, in any spelling; next_cursor goes on where the answer ended."""
    await desk.fact("old")
    desk.clock.now_ms += 1000
    await desk.page("a")
    await desk.fact("one")
    await desk.page("b")

    first = await desk.wake(None, since="1 sec ago", budget_tokens=35)
    cursor = first["next_cursor"]
    desk.clock.now_ms += 60_000
    second = await desk.wake(
        None, since=cursor["since"], since_slug=cursor["slug"], since_fact=cursor["fact"]
    )

    assert (["a"], []) == (slugs(first), texts(first))
    assert (["b"], ["one"]) == (slugs(second), texts(second))
    assert not second["has_more"]
    since = "2026-09-21T13:33:20.000Z"
    assert since == (await desk.wake(None, since="2026-09-21T15:33:20+02:00"))["since"]


async def test_the_two_fields_of_the_contract_lose_no_fact(desk: Desk) -> None:
    """A client that passes on since and slug alone gets the facts beyond the first answer, each once."""
    for number in range(DELTA_LIMIT + 10):
        await desk.fact(f"fact {number}")
    await desk.page("late")

    first = await desk.wake(None, since="2020-01-01")
    cursor = first["next_cursor"]
    second = await desk.wake(None, since=cursor["since"], since_slug=cursor["slug"])

    assert (["late"], DELTA_LIMIT, True) == (slugs(first), len(texts(first)), first["has_more"])
    assert ([], [f"fact {n}" for n in range(DELTA_LIMIT, DELTA_LIMIT + 10)]) == (slugs(second), texts(second))
    assert not second["has_more"]


async def test_the_slug_is_the_pages_where_no_fact_is_left(desk: Desk) -> None:
    """It carries a fact only where the moment alone would lose one."""
    await desk.fact("one")
    await desk.page("a")
    desk.clock.now_ms += 10

    assert "a" == (await desk.wake(None, since="2020-01-01"))["next_cursor"]["slug"]


async def test_an_explicit_moment_overrides_the_cursor_wholly(desk: Desk) -> None:
    """A session that names a moment gets all after it, whatever page it had last, and goes on from there."""
    await desk.wake()
    await desk.page("z")
    await desk.page("a")
    await desk.fact("one")
    await desk.wake()

    again = await desk.wake(since="1 hour ago")
    after = await desk.wake()

    assert (["z", "a"], ["one"]) == (slugs(again), texts(again))
    assert ([], []) == (slugs(after), texts(after))


async def test_a_moment_to_come_hides_nothing(desk: Desk) -> None:
    """What changes until then still comes with the session's next wake."""
    nothing = await desk.wake(since="2099-01-01")
    await desk.fact("one")
    await desk.page("a")

    assert [] == texts(nothing)
    assert (["a"], ["one"]) == (slugs(await desk.wake(arrives=False)), texts(await desk.wake()))


async def test_what_is_forgotten_or_expired_is_not_delivered(desk: Desk) -> None:
    """Facts that are gone by the time of the wake are no news, and hold up nothing."""
    await desk.wake()
    gone = await desk.fact("forgotten")
    await desk.fact("brief", ttl="1m")
    await desk.fact("kept")
    await desk.client.call("verbs/forget", id=gone)
    desk.clock.now_ms += 120_000

    assert ["kept"] == texts(await desk.wake())
    assert [] == texts(await desk.wake())


async def test_a_page_comes_again_when_it_changes(desk: Desk) -> None:
    """Dedup is by the cursor: changed is new, written again as it was is not."""
    await desk.page("a", "one")
    await desk.wake()

    await desk.page("a", "one")
    same = await desk.wake()
    await desk.page("a", "two")
    changed = await desk.wake()
    await desk.without_page("a")
    gone = await desk.wake()
    await desk.page("a", "two")
    back = await desk.wake()

    assert [[], ["a"], [], ["a"]] == [slugs(each) for each in (same, changed, gone, back)]


async def test_what_is_private(house: Any, clock: Clock) -> None:
    """It comes to local callers that ask for it and to nobody else."""
    local = Desk(house, clock)
    remote = Desk(house, clock, session="r", remote=True)
    for each in (local, remote):
        await each.wake()
        await each.wake("asks", include_private=True)
    await local.fact("secret", visibility="private")
    await local.page("hidden", head="visibility: private")

    assert ([], []) == (texts(await local.wake()), slugs(await local.wake()))
    assert ([], []) == (
        texts(await remote.wake("asks", include_private=True)),
        slugs(await remote.wake(None, since="1 day ago", include_private=True)),
    )
    asked = await local.wake("asks", include_private=True)
    assert (["secret"], ["hidden"]) == (texts(asked), slugs(asked))


async def test_lanes(house: Any, clock: Clock) -> None:
    """A remote client never reads or moves the cursor of a local one, though they name the same session."""
    local, remote = Desk(house, clock), Desk(house, clock, session="r", remote=True)
    await local.wake("same")
    await local.fact("one")

    first = await remote.wake("same")
    await local.fact("two")

    assert ([], ["two"], ["one", "two"]) == (
        texts(first), texts(await remote.wake("same")), texts(await local.wake("same")),
    )  # fmt: skip


async def test_homes(house: Any, clock: Clock) -> None:
    """Nothing of another workspace; of a window with two folders all of both, each from its own place."""
    one, two = Desk(house, clock, folders=("one",)), Desk(house, clock, session="2", folders=("two",))
    for each in (one, two):
        await each.wake()
    both = Desk(house, clock, session=None, folders=("one", "two"))
    await both.wake("b")
    # A bulk of pages puts the stamps of a home ahead of the clock.
    for number in range(30):
        clock.now_ms -= 1
        await one.page(f"p{number:02}")
    assert 30 == len(slugs(await both.wake("b")))
    stateless = (await both.wake(None, since="1 day ago"))["next_cursor"]
    await two.page("late")
    await two.fact("of two")
    await one.page("mine", home="")

    assert ["late", "mine"] == slugs(await two.wake())
    assert ["mine"] == slugs(await one.wake())[30:]
    woken = await both.wake("b")
    assert (["late", "mine"], ["of two"]) == (slugs(woken), texts(woken))
    resumed = await both.wake(
        None, since=stateless["since"], since_slug=stateless["slug"], since_fact=stateless["fact"]
    )
    assert (["late", "mine"], ["of two"]) == (slugs(resumed), texts(resumed))


async def test_a_folder_that_joins_later(house: Any, clock: Clock) -> None:
    """A session whose window gets another folder hears of it from then on."""
    desk = Desk(house, clock, session=None, folders=("one",))
    other = Desk(house, clock, session="2", folders=("two",))
    await desk.wake("b")
    await other.fact("before")

    house.sidecar.change_folders(desk.client.connection, added=[str(house.folder / "two")], removed=[])
    joined = await desk.wake("b")
    await other.fact("after")

    assert ([], ["after"]) == (texts(joined), texts(await desk.wake("b")))


async def test_an_idle_session_starts_anew(desk: Desk) -> None:
    """Seven days after its last wake it is forgotten; a wake in between keeps it."""
    await desk.wake()
    desk.clock.now_ms += 5 * DAY_MS
    await desk.wake()
    desk.clock.now_ms += 5 * DAY_MS
    await desk.fact("one")
    kept = await desk.wake()
    await desk.fact("two")
    desk.clock.now_ms += 7 * DAY_MS + 1000
    anew = await desk.wake()

    assert (["one"], []) == (texts(kept), texts(anew))


async def test_too_many_sessions(desk: Desk) -> None:
    """Of more than a thousand the one that woke longest ago is forgotten."""
    await desk.wake("oldest")
    for number in range(CURSORS_MAX):
        await desk.wake(f"s{number}")
    await desk.fact("one")

    assert [] == texts(await desk.wake("oldest"))
    assert ["one"] == texts(await desk.wake(f"s{CURSORS_MAX - 1}"))


async def test_threads_of_entities(desk: Desk) -> None:
    """Those dated after the last wake, once."""
    await desk.page("people/ann")
    await desk.fact("ships v1", entity="people/ann", kind="commitment")
    await desk.wake()
    await desk.fact("ships v2", entity="people/ann", kind="commitment")

    first, second = await desk.wake(entities="ann, nobody"), await desk.wake(entities="ann")

    assert ["ships v2"] == [thread["text"] for thread in first["threads"]]
    assert "- [commitment] ships v2" in first["text"]
    assert [] == second["threads"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"since": "  "},
        {"since": "soon"},
        {"since": "2026-13-01"},
        {"since_slug": "a"},
        {"session_id": "s", "since_fact": "7"},
        {"since": "1 day ago", "since_fact": "abc"},
        {"since": "1 day ago", "since_fact": "9" * 40},
        {"session_id": "s" * 257},
        {"session_id": "a\x00b"},
    ],
)
async def test_what_is_refused(desk: Desk, params: dict[str, Any]) -> None:
    """Bad parameters are invalid_params with a suggestion, never internal."""
    envelope = await desk.refused(**params)

    assert "invalid_params" == envelope["error"]
    assert envelope["suggestion"]


async def test_a_store_that_cannot_be_written(desk: Desk) -> None:
    """Where the place to begin cannot be kept, the answer says so."""
    store = desk.house.sidecar.store
    await store.derived.run(lambda _: None)
    store.derived.hurry()
    other = apsw.Connection(store.path)
    other.execute("BEGIN IMMEDIATE")

    result = await desk.wake()
    other.close()

    assert "the position of this session could not be stored" == result["degraded_reason"]
