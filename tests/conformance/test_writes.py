"""Section 3 of the contract: the writes, their approval, their conflicts."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

LAYER = {"track": "user", "scope": "workspace"}
AGENT = {"track": "agent", "scope": "workspace"}

Json = dict[str, Any]

WRITES: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "add": lambda p: p.call("memory/add", **LAYER, text="new"),
    "replace": lambda p: p.call("memory/replace", **LAYER, match="tea", text="new"),
    "remove": lambda p: p.call("memory/remove", **LAYER, match="tea"),
    "consolidate": lambda p: p.call("memory/consolidate", **LAYER, matches=["tea", "milk"], text="new"),
    "seed": lambda p: p.call("memory/seed", entries=[{**LAYER, "text": "new"}, {**AGENT, "text": "newer"}]),
    "undo": lambda p: p.call("memory/undo", seq=2),
    "import": lambda p: p.call("memory/import", adapter="hermes-memory-md", payload="- new\n"),
}
ACTION = {name: "seed" if name == "import" else name for name in WRITES}
BEFORE = ["Likes tea.", "Likes milk."]


async def prepared(provider: Any) -> None:
    """Two entries to change."""
    for text in BEFORE:
        await provider.add(text)
    provider.person.questions.clear()


@pytest.mark.parametrize("name", WRITES)
async def test_every_write_is_asked_about_once(provider: Any, name: str) -> None:
    """DSH-3-gate, DSH-3-pipeline: a yes lets exactly one question's change through."""
    await prepared(provider)

    await WRITES[name](provider)

    assert [ACTION[name]] == [question["action"] for question in provider.person.questions]
    assert BEFORE != await provider.texts()


@pytest.mark.parametrize("name", WRITES)
async def test_no_write_gets_past_a_no(provider: Any, fault_of: Any, name: str) -> None:
    """DSH-3-gate, DSH-6-denied, DSH-7-WRITE_DENIED: nothing changes, and a row with the payload says why."""
    await prepared(provider)
    faults = []
    for provider.person.answer in ("rejected", "cancelled", "maybe", "nobody"):
        faults.append(await fault_of(WRITES[name](provider)))

    outcomes = ["rejected", "cancelled", "cancelled", "unavailable"]
    rows = await provider.rows(f"{ACTION[name]}-denied")
    assert [("WRITE_DENIED", outcome) for outcome in outcomes] == [
        (fault.code, fault.details["outcome"]) for fault in faults
    ]
    assert [f"{outcome} (via approval, writePolicy ask)" for outcome in outcomes] == [
        row["outcome"] for row in rows
    ]
    assert [question["text"] for question in provider.person.questions] == [row["text"] for row in rows]
    assert sorted(BEFORE) == sorted(await provider.texts())


async def test_a_write_needs_a_session_before_anything_else(provider: Any, fault_of: Any) -> None:
    """DSH-7-WRITE_REQUIRES_AGENT: it is the first complaint, whatever else is wrong."""
    faults = [await fault_of(provider.call(f"memory/{name}", session=None, nonsense=True)) for name in WRITES]

    assert [("WRITE_REQUIRES_AGENT", -32051)] * len(WRITES) == [
        (fault.code, fault.number) for fault in faults
    ]


async def test_equal_texts_may_be_added(provider: Any) -> None:
    """DSH-3-add: a new id and version 1 each time; the person is told of the twin."""
    first = await provider.add("Likes tea.")
    second = await provider.add("LIKES tea.")

    assert first["id"] != second["id"]
    assert (1, 1) == (first["version"], second["version"])
    assert [[], ["duplicate"]] == [
        [warning["kind"] for warning in question["warnings"]] for question in provider.person.questions
    ]


async def test_replace_rewrites_exactly_one(provider: Any) -> None:
    """DSH-3-replace: by a substring that folds ASCII case; the id stays, absent tags stay."""
    entry = await provider.add("Likes tea.", tags=["drink"])
    await provider.add("Likes milk.")

    result = await provider.call("memory/replace", **LAYER, match="TEA", text="Likes coffee.")

    assert (entry["id"], ["drink"], 2) == tuple(result["entry"][name] for name in ("id", "tags", "version"))
    assert "Likes tea." == result["previous"]["text"]
    assert {"Likes coffee.", "Likes milk."} == set(await provider.texts())


@pytest.mark.parametrize(("tags", "left"), [(["new"], ["new"]), ([], [])])
async def test_replace_takes_tags_when_they_are_given(
    provider: Any, tags: list[str], left: list[str]
) -> None:
    """DSH-3-replace: given tags replace, an empty list clears."""
    await provider.add("Likes tea.", tags=["old"])

    result = await provider.call("memory/replace", **LAYER, match="tea", text="Likes tea!", tags=tags)

    assert left == result["entry"]["tags"]


async def test_remove_deletes_exactly_one(provider: Any) -> None:
    """DSH-3-remove: the removed entry is in the result and in no query."""
    await prepared(provider)

    result = await provider.call("memory/remove", **LAYER, match="tea")

    assert "Likes tea." == result["entry"]["text"]
    assert ["Likes milk."] == await provider.texts()


async def test_consolidate_puts_one_in_the_place_of_several(provider: Any) -> None:
    """DSH-3-consolidate: one question, one new entry of version 1, the targets gone."""
    await prepared(provider)

    result = await provider.call("memory/consolidate", **LAYER, matches=["tea", "milk"], text="Likes both.")

    assert ["Likes tea.", "Likes milk."] == [entry["text"] for entry in result["removed"]]
    assert ("Likes both.", 1) == (result["entry"]["text"], result["entry"]["version"])
    assert ["Likes both."] == await provider.texts()
    assert 1 == len(provider.person.questions)


@pytest.mark.parametrize("matches", [[], ["x"] * 21, [""]], ids=["none", "many", "empty"])
async def test_consolidate_takes_1_to_20(provider: Any, fault_of: Any, matches: list[str]) -> None:
    """DSH-3-consolidate, DSH-7-INVALID_INPUT: other numbers are refused before anyone is asked."""
    fault = await fault_of(provider.call("memory/consolidate", **LAYER, matches=matches, text="new"))

    assert ("INVALID_INPUT", []) == (fault.code, provider.person.questions)


@pytest.mark.parametrize("matches", [["tea", "water"], ["tea", "Likes"], ["tea", "Likes tea"]])
async def test_consolidate_is_all_or_nothing(provider: Any, fault_of: Any, matches: list[str]) -> None:
    """DSH-3-consolidate: one target that fits none, many, or an entry already taken leaves all as it was."""
    await prepared(provider)

    fault = await fault_of(provider.call("memory/consolidate", **LAYER, matches=matches, text="new"))

    assert fault.code in ("ENTRY_NOT_FOUND", "AMBIGUOUS_MATCH")
    assert sorted(BEFORE) == sorted(await provider.texts())


async def test_seed_adds_all_in_order(provider: Any) -> None:
    """DSH-3-seed: one question, new ids, version 1, in the order given."""
    drafts = [{**LAYER, "text": "one"}, {**AGENT, "text": "two", "tags": ["t"]}, {**LAYER, "text": "three"}]

    result = await provider.call("memory/seed", entries=drafts)

    assert (3, ["one", "two", "three"]) == (result["added"], [entry["text"] for entry in result["entries"]])
    assert {1} == {entry["version"] for entry in result["entries"]}
    assert [("seed", 3)] == [
        (question["action"], question["count"]) for question in provider.person.questions
    ]


async def test_a_write_cannot_be_repeated_by_accident(provider: Any, fault_of: Any) -> None:
    """DSH-3-conditional, DSH-7-ENTRY_NOT_FOUND: what matched is gone, so a retry changes nothing."""
    await prepared(provider)
    await provider.call("memory/replace", **LAYER, match="tea", text="Likes coffee.")

    fault = await fault_of(provider.call("memory/replace", **LAYER, match="tea", text="Likes coffee."))

    assert ("ENTRY_NOT_FOUND", {**LAYER, "match": "tea"}) == (fault.code, fault.details)


@pytest.mark.parametrize("name", ["replace", "remove", "consolidate"])
async def test_several_hits_are_ambiguous(provider: Any, fault_of: Any, name: str) -> None:
    """DSH-3-conditional, DSH-7-AMBIGUOUS_MATCH: their number and excerpts of ten, each at most 200 units."""
    texts = [f"{number:02} likes " + "x" * 300 for number in range(12)]
    await provider.call("memory/seed", entries=[{**AGENT, "text": text} for text in texts])
    wanted = {"matches": ["LIKES"]} if name == "consolidate" else {"match": "LIKES"}
    new = {} if name == "remove" else {"text": "new"}

    fault = await fault_of(provider.call(f"memory/{name}", **AGENT, **wanted, **new))

    assert ("AMBIGUOUS_MATCH", 12, 10) == (
        fault.code,
        fault.details["candidates"],
        len(fault.details["sample"]),
    )
    assert texts[0][:200] + "…" == fault.details["sample"][0]


async def test_what_was_rewritten_meanwhile_is_asked_again(open_provider: Any) -> None:
    """DSH-3-reresolve: the target is resolved after the yes; another text means another question."""
    texts: list[str] = []
    async with open_provider() as other, open_provider() as provider:

        async def drift(question: Json) -> str:
            texts.append(question["text"])
            if len(texts) == 1:
                await other.call("memory/replace", **LAYER, match="tea", text="Likes green tea.")
            return "allowed-once"

        await provider.add("Likes tea.")
        provider.person.answer = drift
        result = await provider.call("memory/remove", **LAYER, match="tea")

    assert "Likes green tea." == result["entry"]["text"]
    assert ["Likes tea.", "Likes green tea."] == texts


async def test_what_vanished_meanwhile_is_not_written(open_provider: Any, fault_of: Any) -> None:
    """DSH-3-reresolve, DSH-3-pipeline: a yes to a change that can no longer be made ends in its fault."""
    async with open_provider() as other, open_provider() as provider:

        async def drift(_: Json) -> str:
            await other.call("memory/remove", **LAYER, match="tea")
            return "allowed-once"

        await provider.add("Likes tea.")
        provider.person.answer = drift
        fault = await fault_of(provider.call("memory/replace", **LAYER, match="tea", text="Likes coffee."))
        refused = await provider.rows("replace-refused")
        left = await provider.texts()

    assert ("ENTRY_NOT_FOUND", []) == (fault.code, left)
    assert [True] == ["ENTRY_NOT_FOUND" in row["outcome"] for row in refused]


async def test_a_budget_that_went_meanwhile_refuses_after_the_yes(open_provider: Any, fault_of: Any) -> None:
    """DSH-3-pipeline, DSH-7-BUDGET_EXCEEDED: the budget is checked again after the approval."""
    small = {"budgets": {"user": {"userGlobal": 20, "workspace": 20}}}
    async with open_provider(**small) as other, open_provider(**small) as provider:

        async def drift(_: Json) -> str:
            await other.add("x" * 15)
            return "allowed-once"

        provider.person.answer = drift
        fault = await fault_of(provider.add("y" * 10))
        left = await provider.texts()

    assert ("BUDGET_EXCEEDED", ["x" * 15]) == (fault.code, left)


async def test_the_question_shows_the_whole_change(provider: Any) -> None:
    """DSH-3-payload: from and to, the deleted text, each target with its excerpt, every line of a seed."""
    long = "Likes milk " + "x" * 400
    await provider.add("Likes tea.")
    await provider.add(long)
    provider.person.questions.clear()
    await provider.call("memory/replace", **LAYER, match="tea", text="Likes coffee.")
    await provider.call("memory/consolidate", **LAYER, matches=["coffee", "milk"], text="Likes both.")
    await provider.call("memory/remove", **LAYER, match="both")
    await provider.call("memory/seed", entries=[{**LAYER, "text": "one"}, {**AGENT, "text": "two"}])

    assert [
        "from:\nLikes tea.\n\nto:\nLikes coffee.",
        f"remove: coffee\nLikes coffee.\nremove: milk\n{long[:300]}…\nnew text: Likes both.",
        "Likes both.",
        "user/workspace: one\nagent/workspace: two",
    ] == [question["text"] for question in provider.person.questions]
