"""Sections 4 and 5 of the contract: queries, recalls, budgets."""

from typing import Any

LAYER = {"track": "user", "scope": "workspace"}
AGENT = {"track": "agent", "scope": "workspace"}
SMALL = {
    "budgets": {"user": {"userGlobal": 10, "workspace": 10}, "agent": {"userGlobal": 20, "workspace": 20}}
}


FOUND = [
    ("Likes TEA.", "tea", True),
    ("Ünlü", "ünlü", False),
    ("ISTANBUL", "istanbul", True),
    ("ΟΔΟΣΑ", "ΟΔΟΣ", True),
    ("部署前先跑测试", "先跑", True),
    ("部署前先跑测试", "跑先", False),
    ("100 % of_it", "0 %", True),
    ("100 % of_it", "f_i", True),
    ("100 xx ofxit", "f_i", False),
    ("e\u0301", "é", False),
    ("a👍b", "👍", True),
    ("quote \" and '", "\" and '", True),
]
"""A text, a needle, and whether one finds the other."""


async def test_query_finds_substrings(provider: Any) -> None:
    """DSH-4-query: ASCII case folds, nothing else does, no character is a pattern, and nobody is asked."""
    await provider.call(
        "memory/seed", entries=[{**LAYER, "text": text} for text in dict.fromkeys(case[0] for case in FOUND)]
    )
    provider.person.questions.clear()

    found = [(text, needle, text in await provider.texts(text=needle)) for text, needle, _ in FOUND]

    assert FOUND == found
    assert [] == provider.person.questions


async def test_an_empty_query_finds_all(provider: Any) -> None:
    """DSH-4-query: no text, or an empty one, means every entry; track, scope and tags narrow."""
    await provider.add("one", tags=["x", "y"])
    await provider.add("two", track="agent", tags=["x"])

    found = [set(await provider.texts(**params)) for params in (
        {}, {"text": ""}, {"track": "agent"}, {"scope": "user-global"}, {"tags": ["x"]}, {"tags": ["x", "y"]},
    )]  # fmt: skip

    assert [{"one", "two"}, {"one", "two"}, {"two"}, set(), {"one", "two"}, {"one"}] == found


async def test_recalls_are_counted_after_the_order_is_decided(provider: Any) -> None:
    """DSH-4-recall, DSH-4-order: most recalled first, then the newest; the answer shows the counts before."""
    for text in ("one", "two", "three"):
        await provider.add(text)
    first = await provider.call("memory/query", text="one")
    second = await provider.call("memory/query")

    assert [0] == [entry["recallCount"] for entry in first["entries"]]
    assert [("one", 1), ("three", 0), ("two", 0)] == [
        (entry["text"], entry["recallCount"]) for entry in second["entries"]
    ]
    assert first["entries"][0]["updatedAt"] == second["entries"][0]["updatedAt"]
    assert second["entries"][0]["lastRecalled"] is not None


async def test_only_the_returned_page_is_recalled(provider: Any) -> None:
    """DSH-4-recall: entries beyond the limit keep their counts; so do those that management looked at."""
    for text in ("one", "two", "three"):
        await provider.add(text)
    page = await provider.call("memory/query", limit=1)
    await provider.texts()

    counts = {
        entry["text"]: entry["recallCount"] for entry in (await provider.call("memory/list"))["entries"]
    }

    assert (3, True) == (page["total"], page["truncated"])
    assert {"one": 0, "two": 0, "three": 1} == counts


async def test_a_query_returns_at_most_a_thousand(open_provider: Any) -> None:
    """DSH-4-limit: a larger limit is a thousand; without one it is 20; total counts them all."""
    async with open_provider(budgets={"agent": {"workspace": 10**6}}) as provider:
        for start in (0, 1000):
            drafts = [
                {**AGENT, "text": f"entry {start + number}"} for number in range(1000 if start == 0 else 5)
            ]
            await provider.call("memory/seed", entries=drafts)
        most = await provider.call("memory/query", session=None, limit=10**6)
        usual = await provider.call("memory/query", session=None)
        rest = await provider.call("memory/query", session=None, limit=1000, offset=1000)

    assert [(1000, 1005, True), (20, 1005, True), (5, 1005, False)] == [
        (len(page["entries"]), page["total"], page["truncated"]) for page in (most, usual, rest)
    ]


async def test_a_query_refuses_what_makes_no_sense(provider: Any, fault_of: Any) -> None:
    """DSH-7-INVALID_INPUT: an unknown track is no empty result."""
    senseless: list[dict[str, Any]] = [{"limit": 0}, {"limit": -1}, {"offset": -1}, {"track": "team"}]

    faults = [await fault_of(provider.call("memory/query", **params)) for params in senseless]

    assert ["INVALID_INPUT"] * 4 == [fault.code for fault in faults]


async def test_budgets_reports_every_layer(provider: Any) -> None:
    """DSH-4-budgets: four rows in the fixed order with the defaults of the contract."""
    await provider.add("123")
    rows = (await provider.call("memory/budgets"))["budgets"]

    assert [
        ("user", "user-global", 0, 2000), ("user", "workspace", 3, 2000),
        ("agent", "user-global", 0, 4000), ("agent", "workspace", 0, 4000),
    ] == [(row["track"], row["scope"], row["used"], row["limit"]) for row in rows]  # fmt: skip


async def test_a_layer_can_be_filled_and_not_overfilled(open_provider: Any, fault_of: Any) -> None:
    """DSH-5-exceeded, DSH-7-BUDGET_EXCEEDED: full passes, one more fails before anyone is asked."""
    async with open_provider(**SMALL) as provider:
        await provider.add("x" * 10)
        provider.person.questions.clear()
        fault = await fault_of(provider.add("y"))

    assert ("BUDGET_EXCEEDED", {**LAYER, "used": 10, "limit": 10, "needed": 11}) == (
        fault.code,
        fault.details,
    )
    assert [] == provider.person.questions


async def test_what_is_stored_is_whole(open_provider: Any, fault_of: Any) -> None:
    """DSH-5-never-cut: over the budget is refused, not cut; what passed comes back to the character."""
    async with open_provider(**SMALL) as provider:
        await fault_of(provider.add("x" * 11))
        await provider.add(" \t\n茶 x ")

        assert [" \t\n茶 x "] == await provider.texts()


async def test_a_replacement_counts_the_difference(open_provider: Any, fault_of: Any) -> None:
    """DSH-5-exceeded: the net change counts, also for consolidate."""
    async with open_provider(**SMALL) as provider:
        await provider.add("12345")
        await provider.add("abcde")
        await provider.call("memory/replace", **LAYER, match="123", text="54321")
        fault = await fault_of(provider.call("memory/replace", **LAYER, match="543", text="123456"))
        await provider.call("memory/consolidate", **LAYER, matches=["543", "abc"], text="1234567890")

        assert (11, ["1234567890"]) == (fault.details["needed"], await provider.texts())


async def test_a_seed_over_budget_is_refused_whole(open_provider: Any, fault_of: Any) -> None:
    """DSH-5-seed: before anyone is asked, naming the layer that is over."""
    async with open_provider(**SMALL) as provider:
        drafts = [{**AGENT, "text": "fits"}, {**LAYER, "text": "x" * 6}, {**LAYER, "text": "y" * 6}]
        fault = await fault_of(provider.call("memory/seed", entries=drafts))

        assert ("BUDGET_EXCEEDED", "user", 12) == (
            fault.code,
            fault.details["track"],
            fault.details["needed"],
        )
        assert ([], []) == (await provider.texts(), provider.person.questions)


async def test_workspaces_have_budgets_of_their_own(open_provider: Any, tmp_path: Any) -> None:
    """DSH-5-count: a workspace layer counts its workspace, a user-global one is one pot."""
    here, there = ({"id": name, "cwd": str(tmp_path / name)} for name in ("here", "there"))
    async with open_provider("here", "there", **SMALL) as provider:
        await provider.add("x" * 10, session=here)
        await provider.add("y" * 10, session=there)
        await provider.add("z" * 6, session=here, scope="user-global")

        used = [[row["used"] for row in (await provider.call("memory/budgets", session=who))["budgets"]]
                for who in (here, there)]  # fmt: skip

    assert [[6, 10, 0, 0], [6, 10, 0, 0]] == used
