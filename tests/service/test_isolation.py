"""No read of recall and entity shows another workspace's, a private or an expired text (VERBS-trust).

Every stored text holds a mark of its own. Thousands of random requests are made; no answer may hold a mark
that is out of its caller's sight, whatever the request names, the marks themselves among it.
"""

import json
import os
import random
import re
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from keepgate.boot.compose import stamp_now
from keepgate.protocol.settings import FactSettings, WritePolicy

NOW = 1_796_040_000_000
HOUR = 3_600_000
REQUESTS = int(os.environ.get("KEEPGATE_REQUESTS", "800"))
"""For each of four callers."""

WORDS = ["kestrel", "harbour", "deploy", "记忆", "café", "main.py", "budget", "tide", "review", "ไทย"]
SLUGS = ("people/shared", "people/anna", "companies/acme", "notes/plan")
STATES = ("open", "private", "forgotten", "superseded", "run-out")
MARK = re.compile(r"mark\d+x")


@attrs.frozen(kw_only=True)
class Item:
    """A fact or a page of a home; ``links`` are slugs that a page links to."""

    mark: str
    home: str
    slug: str
    state: str
    is_page: bool
    links: tuple[str, ...] = ()


@attrs.define(eq=False)
class World:
    """Two workspaces with the same folder name, what is the user's own, and everything in them."""

    house: Any
    items: list[Item] = attrs.field(factory=list)
    chance: random.Random = attrs.field(factory=lambda: random.Random(4))

    def text(self, mark: str) -> str:
        """Some words of the shared ones, and the mark."""
        return " ".join([*self.chance.sample(WORDS, 4), mark])

    def next_mark(self) -> str:
        return f"mark{len(self.items)}x"

    def seen(self, homes: set[str], *, remote: bool) -> list[Item]:
        """What a caller may be shown."""
        states = {"open"} if remote else {"open", "private"}
        return [item for item in self.items if item.home in homes and item.state in states]


@pytest.fixture
def clock() -> Callable[[], Any]:
    """A clock that stands still, and is moved by its attribute."""

    def now() -> Any:
        return attrs.evolve(stamp_now(), now_ms=now.ms)  # type: ignore[attr-defined]

    now.ms = NOW  # type: ignore[attr-defined]
    return now


@pytest.fixture
async def world(build: Callable[..., Any], shelve: Any, clock: Any) -> World:
    """The world, two hours after everything was saved: what was to run out has."""
    auto = {"facts": WritePolicy.AUTO}
    users_own = await build(clock, write_policies=auto, facts=FactSettings(home="user"))
    world = World(await build(clock, write_policies=auto))
    for house, folder in ((world.house, "a/project"), (world.house, "b/project"), (users_own, "a/project")):
        home = "" if house is users_own else house.key(folder)
        client = house.client(f"writer of {folder}", folders=(folder,))
        await _facts(world, client, home)
        await _pages(world, shelve, home)
    clock.ms += 2 * HOUR
    return world


async def _facts(world: World, client: Any, home: str) -> None:
    for slug in SLUGS:
        for state in STATES:
            mark = world.next_mark()
            world.items.append(Item(mark=mark, home=home, slug=slug, state=state, is_page=False))
            answer = await client.call(
                "verbs/remember",
                fact=world.text(mark),
                provenance=f"from {mark}",
                entity=slug,
                kind=world.chance.choice(["fact", "commitment", "event"]),
                visibility="private" if state == "private" else "world",
                ttl="1h" if state == "run-out" else None,
            )
            if state == "forgotten":
                await client.call("verbs/forget", id=answer["id"], reason=mark)
            if state == "superseded":
                newer = world.next_mark()
                world.items.append(Item(mark=newer, home=home, slug=slug, state="open", is_page=False))
                await client.call(
                    "verbs/remember",
                    fact=world.text(newer),
                    provenance="test",
                    entity=slug,
                    supersedes=answer["id"],
                )


async def _pages(world: World, shelve: Any, home: str) -> None:
    pages = {}
    for number, slug in enumerate((*SLUGS, *(f"only/{len(world.items)}-{number}" for number in range(4)))):
        state = "private" if number % 2 else "open"
        mark, links = world.next_mark(), tuple(world.chance.sample(SLUGS, 2))
        world.items.append(Item(mark=mark, home=home, slug=slug, state=state, is_page=True, links=links))
        pages[f"{slug}.md"] = "\n".join(
            [
                "---",
                f"visibility: {'private' if state == 'private' else 'world'}",
                f"aliases: [alias {mark}, {world.chance.choice(WORDS)}]",
                f"summary: about {mark}",
                f"tags: [{mark}]",
                "---",
                f"# Title {mark}",
                "",
                world.text(mark),
                "",
                *(f"{mark} sees [[{link}]]." for link in links),
                "",
                "## Timeline",
                f"- 2026-11-{10 + number}: {mark}",
            ]
        )
    await shelve(world.house, pages, home=home)


def _request(world: World, *, remote: bool) -> tuple[str, dict[str, Any]]:
    chance = world.chance
    marks = [item.mark for item in world.items]
    called = [f"{how} {mark}" for how in ("alias", "title") for mark in marks]
    slugs = [item.slug for item in world.items]
    names = [*SLUGS, "shared", "anna", "plan", "acme", "zanzibar", *WORDS, *marks, *called, *slugs]
    if chance.random() < 0.4:
        return "verbs/entity", {"name": chance.choice(names)}
    params: dict[str, Any] = {}
    if chance.random() < 0.8:
        params["query"] = " ".join(chance.choices([*WORDS, *names], k=chance.randint(1, 4)))
    if chance.random() < 0.4:
        params["entity"] = chance.choice(names)
    if chance.random() < 0.2:
        params["since"] = chance.choice(["1 hour ago", "3h", "2026-01-01"])
    if chance.random() < 0.2:
        params["session_id"] = chance.choice(["writer of a/project", "writer of b/project", "nobody"])
    if chance.random() < 0.2:
        params["limit"] = chance.randint(1, 100)
    if chance.random() < 0.2:
        params["budget_tokens"] = chance.randint(1, 200)
    if remote and chance.random() < 0.3:
        params["include_expired"] = True
    return "verbs/recall", params


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("own", "others", "remote"),
    [
        ("a/project", "b/project", False),
        ("b/project", "a/project", False),
        ("a/project", "b/project", True),
        ("b/project", "a/project", True),
    ],
)
async def test_nothing_out_of_sight_is_ever_shown(world: World, own: str, others: str, remote: bool) -> None:
    """Facts, results, cards, edges, threads, suggestions; by words, names, sessions and times."""
    client = world.house.client("reader", folders=(own,), remote=remote)
    seen = {item.mark for item in world.seen({world.house.key(own), ""}, remote=remote)}
    shown: set[str] = set()
    for _ in range(REQUESTS):
        method, params = _request(world, remote=remote)
        answer = await client.call(method, **params)
        marks = set(MARK.findall(json.dumps(answer)))

        assert marks <= seen, (method, params)
        assert world.house.key(others) not in json.dumps(answer)
        shown |= marks
    # The requests do find things: nearly all there is to be seen came up.
    assert len(shown) > 0.9 * len(seen)


@pytest.mark.parametrize(("own", "remote"), [("a/project", False), ("b/project", True)])
async def test_counts_are_of_what_is_in_sight(world: World, own: str, remote: bool) -> None:
    """Numbers tell of nothing else, either."""
    client = world.house.client("reader", folders=(own,), remote=remote)
    seen = world.seen({world.house.key(own), ""}, remote=remote)
    for slug in {item.slug for item in seen if item.is_page}:
        card = (await client.call("verbs/entity", name=slug))["card"]

        facts = [item for item in seen if not item.is_page and item.slug == slug]
        links = [item for item in seen if slug in item.links and item.slug != slug]
        assert (slug, len(facts), len(links)) == (slug, card["active_fact_count"], card["backlink_count"])
        assert {edge["slug"] for edge in card["edges"]} <= {item.slug for item in seen if item.is_page}


async def test_what_has_expired_widens_for_local_callers_alone_within_their_homes(world: World) -> None:
    """Include_expired shows a local caller what its own workspace had, and nothing more."""
    client = world.house.client("reader", folders=("a/project",))
    homes = {world.house.key("a/project"), ""}
    mine = {item.mark for item in world.items if item.home in homes and not item.is_page}

    shown: set[str] = set()
    for slug in SLUGS:
        answer = await client.call("verbs/recall", entity=slug, include_expired=True, limit=100)
        shown |= set(MARK.findall(json.dumps(answer)))

    assert mine == shown
