"""context_pack over a whole provider: what is in it, its deadline, and its trace (VERBS-context_pack)."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keepgate.core.model.fact import sight_of
from keepgate.core.model.page import PageFile
from keepgate.core.reading.rendering import MARKER
from keepgate.core.reading.tokens import estimate
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.protocol.settings import WritePolicy
from keepgate.protocol.verb_errors import VerbFault
from keepgate.service.after_reply import AfterReply
from keepgate.store.pages import put_pages
from keepgate.store.reads.packs import recent_names, was_shown


@pytest.fixture
async def house(build: Callable[..., Any]) -> Any:
    """A house whose facts need no answer."""
    return await build(write_policy=WritePolicy.AUTO)


class Desk:
    """A client that keeps facts and pages and asks for packs."""

    def __init__(self, house: Any, **connection: Any) -> None:
        self.house = house
        self.client = house.client(**connection)
        self.home = house.key(connection.get("folders", ("project",))[0])

    async def fact(self, text: str, **params: Any) -> str:
        answer = await self.client.call("verbs/remember", fact=text, provenance="test", **params)
        return str(answer["id"])

    async def page(self, slug: str, text: str = "", *, head: str = "", home: str | None = None) -> None:
        at = self.home if home is None else home
        data = f"---\n{head}\n---\n{text}\n".encode()
        file = PageFile(
            home=at, root=f"{at}/pages", path=f"{slug}.md", size=len(data), mtime_ns=0,
            digest=hashlib.sha256(data).hexdigest(),
        )  # fmt: skip
        page = indexed(file, parse(f"{slug}.md", data))
        store = self.house.sidecar.store
        now_ms = store.stamp_maker().now_ms
        await store.derived.write(lambda db: put_pages(db, [page], now_ms=now_ms))

    async def pack(self, entities: str = "", **params: Any) -> Any:
        return await self.client.call("verbs/context_pack", entities=entities, **params)

    async def refused(self, **params: Any) -> Any:
        with pytest.raises(VerbFault) as caught:
            await self.pack(**params)
        return caught.value.envelope()

    async def shown(self) -> list[str]:
        rows = await self.client.rows("snapshot")
        return [row["text"] for row in rows]


@pytest.fixture
def desk(house: Any) -> Desk:
    return Desk(house)


def texts(result: Any) -> list[str]:
    return [fact["fact"] for fact in result["facts"]]


async def test_the_whole_pack(desk: Desk) -> None:
    """Cards once each in the order of the names, misses skipped, their facts first, each with its id."""
    await desk.page("people/ann-lee", "Runs the API team.", head="title: Ann Lee\naliases: [Annie]")
    await desk.page("projects/tides", "A tide table.", head="title: Tides")
    first = await desk.fact("likes tea", entity="Annie")
    await desk.fact("is in Rust", entity="tides")
    await desk.fact("ships v2", entity="tides", kind="commitment")
    await desk.fact("the sky is blue")
    await desk.fact("was filed before it had a page", entity="people/ghost")

    result = await desk.pack("Annie, nobody at all,, Ann Lee , tides, people/ghost")

    assert ["Annie", "nobody at all", "Ann Lee", "tides", "people/ghost"] == result["entities"]
    assert ["people/ann-lee", "projects/tides"] == [card["slug"] for card in result["cards"]]
    assert ["ships v2"] == [thread["text"] for thread in result["open_threads"]]
    assert [
        "was filed before it had a page", "ships v2", "is in Rust", "likes tea", "the sky is blue",
    ] == texts(result)  # fmt: skip
    assert first == result["facts"][3]["fact_id"]
    assert "people/ann-lee" == result["facts"][3]["entity_slug"]
    assert result["text"].startswith(f"{MARKER}\n\n## Standing entities\n- **Ann Lee** → `people/ann-lee`")
    assert "budget_used" not in result
    assert "degraded_reason" not in result


async def test_an_empty_pack(desk: Desk) -> None:
    """Nothing to say is an empty text, and no trace."""
    result = await desk.pack("")

    assert ([], [], [], "") == tuple(result[name] for name in ("entities", "cards", "facts", "text"))
    assert [] == await desk.shown()


async def test_what_is_gone_or_private(house: Any, desk: Desk) -> None:
    """Forgotten at once, private for those who ask and may, nothing of another workspace."""
    gone = await desk.fact("forgotten", entity="ann")
    await desk.client.call("verbs/forget", id=gone)
    await desk.fact("passed", ttl="2020-01-01")
    await desk.fact("secret", visibility="private")
    await desk.page("hidden", head="visibility: private")
    await Desk(house, session="s2", folders=("other",)).fact("of another workspace")
    remote = Desk(house, session="r", remote=True)

    plain = await desk.pack("hidden, ann")
    asked = await desk.pack("hidden, ann", include_private=True)
    afar = await remote.pack("hidden, ann", include_private=True)

    assert ([], []) == (texts(plain), plain["cards"])
    assert (["secret"], ["hidden"]) == (texts(asked), [card["slug"] for card in asked["cards"]])
    assert ([], [], "") == (texts(afar), afar["cards"], afar["text"])


async def test_threads_after_a_moment(desk: Desk) -> None:
    """The pack shows threads after it; each card keeps its own."""
    await desk.page("ann")
    await desk.fact("ships v2", entity="ann", kind="commitment")

    result = await desk.pack("ann", since="2099-01-01")

    assert [] == result["open_threads"]
    assert ["ships v2"] == [thread["text"] for thread in result["cards"][0]["open_threads"]]
    assert "## Open threads" not in result["text"]


async def test_near_twins_are_shown_once(desk: Desk) -> None:
    """The newest of those that say the same stands for all of them."""
    await desk.fact("Uses tabs", kind="belief")
    await desk.fact("uses tabs.", kind="preference")

    assert ["uses tabs."] == texts(await desk.pack())


async def test_a_budget(desk: Desk) -> None:
    """All of the text counts, and what does not fit is counted; below one there is no budget."""
    await desk.page("ann", "Runs the API team.")
    for number in range(20):
        await desk.fact(f"fact number {number}", entity="ann")
    whole = await desk.pack("ann")

    small, tiny, none = [await desk.pack("ann", budget_tokens=n) for n in (60, 5, 0.5)]

    assert small["budget_used"] == estimate(small["text"]) <= 60 == small["budget_tokens"]
    assert 1 + 20 == len(small["cards"]) + len(small["facts"]) + small["dropped_count"]
    assert 0 < len(small["facts"]) < 20
    assert ("", [], [], 0, 21) == tuple(
        tiny[name] for name in ("text", "cards", "facts", "budget_used", "dropped_count")
    )
    assert whole == none


async def test_a_model_was_shown_it(desk: Desk) -> None:
    """A ledger row holds the text once for each session; frozen snapshots stay what they are."""
    await desk.fact("the sky is blue")
    frozen = await desk.client.call("memory/snapshot")

    one = await desk.pack("", session_id="s9")
    await desk.pack("", session_id="s9")
    await desk.pack("", session_id="s10")

    assert [one["text"]] * 2 == [text for text in await desk.shown() if text]
    assert frozen == await desk.client.call("memory/snapshot")
    assert (await desk.client.call("memory/verify"))["ok"]


async def test_another_process_knows_what_was_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not remember asks the ledger; what could not be noted is noted the next time."""
    await desk.fact("the sky is blue")
    evidence = desk.house.sidecar.store.evidence
    monkeypatch.setattr("keepgate.store.evidence.SHOWN_MAX", 1)
    monkeypatch.setattr("keepgate.store.evidence.QUEUE_MAX", 0)
    text = (await desk.pack("", session_id="s9"))["text"]
    nothing = await desk.shown()
    monkeypatch.setattr("keepgate.store.evidence.QUEUE_MAX", 256)

    for session in ("s9", "s10", "s9"):
        await desk.pack("", session_id=session)

    assert ([], [text, text]) == (nothing, await desk.shown())
    assert 1 == len(evidence._shown)
    reading = desk.house.sidecar.store.reading
    assert await reading.run(was_shown, "s9", text)
    assert not await reading.run(was_shown, "s9", "other")


async def test_the_entities_that_were_touched_last(desk: Desk) -> None:
    """Subjects of facts and pages of trusted folders, the latest first; nothing private."""
    await desk.page("people/foreign")
    await desk.page("mine", home="")
    await desk.page("with, comma", home="")
    await desk.page("hidden", home="", head="visibility: private")
    await desk.fact("a", entity="people/ann")
    await desk.fact("b", entity="people/ann")
    await desk.fact("c")
    await desk.fact("d", entity="secret", visibility="private")
    await desk.fact("e", entity="mine")
    sight = sight_of([desk.home], world_only=True)

    names = await desk.house.sidecar.store.reading.run(
        recent_names, sight, now_ms=desk.house.sidecar.stamp().now_ms, limit=8
    )

    assert ["mine", "people/ann"] == names


async def test_a_reply_that_was_lost_was_shown_to_nobody(desk: Desk) -> None:
    """The row is owed once the reply is written out."""
    await desk.fact("the sky is blue")
    after, given_params = AfterReply(), {"session": desk.client.session, "entities": ""}
    await desk.house.sidecar.call(
        desk.client.connection, "verbs/context_pack", given_params, after_reply=after
    )

    before = await desk.shown()
    await after.written()

    assert ([], 1) == (before, len(await desk.shown()))


async def test_a_deadline(desk: Desk) -> None:
    """Past it comes what there was time for, with the reason."""
    await desk.page("ann")
    await desk.fact("the sky is blue")

    late, in_time = await desk.pack("ann, bob", deadline_ms=1), await desk.pack("ann", deadline_ms=60_000)

    assert ([], [], "") == (late["cards"], late["facts"], late["text"])
    assert late["degraded_reason"].startswith("deadline_exceeded")
    assert "degraded_reason" not in in_time
    assert 1 == len(in_time["cards"])
    nothing_named = await desk.pack("", deadline_ms=1)
    assert "deadline_exceeded: facts were not read" == nothing_named["degraded_reason"]


async def test_pages_that_nobody_trusted(desk: Desk) -> None:
    """A caller that pushes into a prompt may leave them out; facts were allowed one by one."""
    await desk.page("ann")
    await desk.page("bob", home="")
    await desk.fact("likes tea", entity="ann")

    result = await desk.pack("ann, bob, Ann", trusted_only=True)

    assert (["bob"], ["likes tea"]) == ([card["slug"] for card in result["cards"]], texts(result))


async def test_a_deadline_on_a_busy_store(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where readers wait for writers, the pack comes empty rather than late."""
    await desk.fact("the sky is blue")
    store = desk.house.sidecar.store
    monkeypatch.setattr(store.reading, "_inline", False)
    await store.reading.run(lambda _: None)
    held = asyncio.Event()
    loop = asyncio.get_running_loop()
    blocked = asyncio.ensure_future(
        store.reading.run(lambda _: asyncio.run_coroutine_threadsafe(held.wait(), loop).result())
    )
    await asyncio.sleep(0)

    result = await desk.pack("", deadline_ms=50)
    held.set()
    await blocked

    assert ("", "deadline_exceeded: the store is busy") == (result["text"], result["degraded_reason"])


@pytest.mark.parametrize(
    "params",
    [
        {"since": "soon"},
        {"deadline_ms": 0},
        {"deadline_ms": -5},
        {"session_id": "x" * 257},
        {"entities": None},
        {"entities": ["ann"]},
        {"budget_tokens": "many"},
    ],
)
async def test_what_is_refused(desk: Desk, params: dict[str, Any]) -> None:
    """Bad parameters are invalid_params with a suggestion."""
    envelope = await desk.refused(**params)

    assert "invalid_params" == envelope["error"]
    assert envelope["suggestion"]


HOSTILE = st.lists(
    st.sampled_from(
        ["\n", "# ", "- ", "-->", "<!--", "`", "```", "[", "|", "<b>", "\u2028", "a", "word ", "漢", MARKER]
    ),
    min_size=1,
    max_size=10,
).map("".join)


async def test_nothing_stored_forges_the_block(desk: Desk) -> None:
    """Facts, titles and summaries of any text give one line each under our own headings."""

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(HOSTILE.filter(lambda text: text.strip() != ""), min_size=1, max_size=3), st.integers(20, 90)
    )
    def once(hostile: list[str], budget: int) -> None:
        async def attempt() -> None:
            head = f"title: {json.dumps(hostile[0])}\nsummary: {json.dumps(hostile[-1])}"
            await desk.page("ann", hostile[0], head=head)
            for text in hostile:
                await desk.fact(text, entity="ann")
            for result in (await desk.pack("ann"), await desk.pack("ann", budget_tokens=budget)):
                text = result["text"]
                items = len(result["cards"]) + len(result["facts"]) + len(result["open_threads"])
                headings = [line for line in text.splitlines() if line.startswith("#")]
                assert {"## Standing entities", "## Open threads", "## Hot memory"} >= set(headings)
                assert items == len([line for line in text.splitlines() if line.startswith("- ")])
                assert len(text.splitlines()) == (1 + 2 * len(headings) + items if text else 0)
                assert "budget_used" not in result or result["budget_used"] == estimate(text) <= budget

        asyncio.run_coroutine_threadsafe(attempt(), loop).result(60)

    loop = asyncio.get_running_loop()
    await asyncio.to_thread(once)
