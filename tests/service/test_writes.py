"""What an entry is, and every way to change entries, by the whole provider."""

from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.ops import BY_NAME
from keepgate.protocol.settings import Budgets, TrackBudgets

UW = {"track": "user", "scope": "workspace"}
UG = {"track": "user", "scope": "user-global"}
AW = {"track": "agent", "scope": "workspace"}
FIELDS = [
    "id", "track", "scope", "workspaceKey", "agentKey", "text", "source", "tags", "version", "createdAt",
    "updatedAt", "lastRecalled", "recallCount", "sessionId",
]  # fmt: skip


def small(units: int) -> Budgets:
    """The same budget for every layer."""
    one = TrackBudgets(user_global=units, workspace=units)
    return Budgets(user=one, agent=one)


async def test_an_entry_has_the_fourteen_fields(client: Any, house: Any) -> None:
    """DSH-2-fields, DSH-3-add: all of them, with the values of a new entry."""
    entry = await client.add("prefers tabs", tags=["style"], source="editor")

    assert FIELDS == list(entry)
    fresh = (
        "version",
        "lastRecalled",
        "recallCount",
        "sessionId",
        "source",
        "tags",
        "agentKey",
        "workspaceKey",
    )
    assert [1, None, 0, "s1", "editor", ["style"], "", house.key()] == [entry[name] for name in fresh]
    assert entry["createdAt"] == entry["updatedAt"]


async def test_equal_texts_are_two_entries(client: Any) -> None:
    """DSH-3-add: nothing is merged by value; the person is warned of the twin."""
    one, two = await client.add("same"), await client.add("SAME")

    assert one["id"] != two["id"]
    assert [[], ["duplicate"]] == [[each.kind for each in q.warnings] for q in client.person.questions]


async def test_user_global_entries_have_no_workspace(client: Any) -> None:
    """DSH-2-workspace-key, A2: the key is empty, wherever the session sits."""
    assert "" == (await client.add("likes tea", scope="user-global"))["workspaceKey"]


async def test_a_workspace_entry_needs_a_workspace(house: Any) -> None:
    """A2: without folder and cwd a workspace layer is INVALID_INPUT; user-global works."""
    nowhere = house.client(folders=())

    assert Code.INVALID_INPUT == (await nowhere.fault("memory/add", **UW, text="x")).code
    assert "likes tea" == (await nowhere.add("likes tea", scope="user-global"))["text"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["a", " a ", "b", "a"], ["a", "b"]),
        (["\u3000標\u00a0"], ["標"]),
        (["t" * 32], ["t" * 32]),
        (["👍" * 16], ["👍" * 16]),
        (["\u0085x"], ["\u0085x"]),
        (["same"] * 40, ["same"]),
        ([f"t{number}" for number in range(16)], [f"t{number}" for number in range(16)]),
        ([], []),
    ],
)
async def test_tags_are_trimmed_and_unique(client: Any, given: list[str], kept: list[str]) -> None:
    """DSH-2-tags: JavaScript's trim, first place kept, case kept, UTF-16 lengths."""
    assert kept == (await client.add("x", tags=given))["tags"]


@pytest.mark.parametrize(
    "given", [[" "], ["t" * 33], ["👍" * 17], ["a\nb"], ["\x7f"], [f"t{number}" for number in range(17)]]
)
async def test_bad_tags_are_refused(client: Any, given: list[str]) -> None:
    """DSH-2-tags, DSH-7-INVALID_INPUT: nobody is asked about a change that cannot be."""
    assert Code.INVALID_INPUT == (await client.fault("memory/add", **UW, text="x", tags=given)).code
    assert [] == client.person.questions


@pytest.mark.parametrize("source", ["", "Claude", "a b", "-a", "a" * 65, "ä"])
async def test_a_source_is_a_label(client: Any, source: str) -> None:
    """A5: lower-case letters, digits, dots, dashes and underscores; at most 64."""
    fault = await client.fault("memory/add", **UW, text="x", source=source)

    assert "$.source" == fault.details["problems"][0]["path"]


@pytest.mark.parametrize(
    "text", [" ", "\n", "\t x \n", "\u0085", "e\u0301", "\ufeff", "\x07\x1b[31m", "👨\u200d👩\u200d👧"]
)
async def test_any_other_text_is_kept_as_it_is(client: Any, text: str) -> None:
    """DSH-2-text, DSH-5-never-cut, A5: never trimmed, never normalised; bytes in, bytes out."""
    await client.add(text)

    assert [text] == await client.texts()


async def test_agent_keys_are_the_session_s_own(house: Any) -> None:
    """DSH-2-agent-key: absent is the preset, empty is shared, any other is refused."""
    planner = house.client(agent="planner")

    assert "planner" == (await planner.add("mine"))["agentKey"]
    assert "" == (await planner.add("ours", agentKey=""))["agentKey"]
    assert Code.INVALID_INPUT == (await planner.fault("memory/add", **UW, text="x", agentKey="writer")).code


async def test_a_write_needs_a_session_before_anything_else(client: Any) -> None:
    """DSH-7-WRITE_REQUIRES_AGENT: it is the first complaint, whatever else is wrong."""
    for method in [name for name, row in BY_NAME.items() if row.session_required]:
        assert (
            Code.WRITE_REQUIRES_AGENT == (await client.fault(method, session=None, text=5, nonsense=1)).code
        )


async def test_all_problems_come_at_once(client: Any) -> None:
    """One answer names everything that is wrong with the values."""
    fault = await client.fault("memory/add", **UW, text="", tags=[" "], source="Bad", agentKey="other")

    paths = {problem["path"] for problem in fault.details["problems"]}
    assert {"$.text", "$.tags[0]", "$.source", "$.agentKey"} == paths


async def test_replace_keeps_the_id_and_counts_the_version(client: Any) -> None:
    """DSH-3-replace, DSH-1-entry-version: id, source, keys and birth stay; text and version change."""
    first = await client.add("prefers tabs", source="editor", tags=["style"])

    result = await client.call(
        "memory/replace", **UW, match="TABS", text="prefers spaces", session={"id": "s2"}
    )

    assert first == result["previous"]
    kept = ("id", "source", "agentKey", "workspaceKey", "createdAt", "tags")
    assert [first[name] for name in kept] == [result["entry"][name] for name in kept]
    assert ("prefers spaces", 2, "s2") == tuple(
        result["entry"][name] for name in ("text", "version", "sessionId")
    )


@pytest.mark.parametrize(("given", "kept"), [(None, ["style"]), ([], []), (["new"], ["new"])])
async def test_replace_and_tags(client: Any, given: Any, kept: list[str]) -> None:
    """A10, W25: absent keeps, empty clears, given replaces."""
    await client.add("prefers tabs", tags=["style"])
    params = {} if given is None else {"tags": given}

    assert (
        kept == (await client.call("memory/replace", **UW, match="tabs", text="x", **params))["entry"]["tags"]
    )


async def test_remove_deletes_exactly_one(client: Any) -> None:
    """DSH-3-remove: the answer shows what went; the rest stays."""
    await client.add("one")
    two = await client.add("two")

    result = await client.call("memory/remove", **UW, match="two")

    assert two == result["entry"]
    assert {**UW, "used": 3, "limit": 2000} == result["usage"]
    assert ["one"] == await client.texts()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory/replace", {"match": "gone", "text": "x"}),
        ("memory/remove", {"match": "gone"}),
        ("memory/consolidate", {"matches": ["gone"], "text": "x"}),
    ],
)
async def test_a_retry_finds_nothing(client: Any, method: str, params: Any) -> None:
    """DSH-3-conditional, DSH-7-ENTRY_NOT_FOUND: after success the same request cannot write twice."""
    await client.add("soon gone")
    await client.call(method, **UW, **params)

    fault = await client.fault(method, **UW, **params)

    assert (Code.ENTRY_NOT_FOUND, {**UW, "match": "gone"}) == (fault.code, fault.details)


async def test_consolidate_puts_one_in_the_place_of_many(client: Any) -> None:
    """DSH-3-consolidate: a new entry of version 1, one question, one change in the ledger."""
    for text in ("likes tea", "drinks tea at four", "hates coffee"):
        await client.add(text)

    result = await client.call(
        "memory/consolidate",
        **UW,
        matches=["likes", "four", "coffee"],
        text="tea at four, no coffee",
        tags=["drinks"],
    )

    assert ["likes tea", "drinks tea at four", "hates coffee"] == [
        entry["text"] for entry in result["removed"]
    ]
    assert (1, ["drinks"]) == (result["entry"]["version"], result["entry"]["tags"])
    assert ["tea at four, no coffee"] == await client.texts()
    assert 4 == len(client.person.questions)


@pytest.mark.parametrize("matches", [[], [f"m{number}" for number in range(21)]])
async def test_consolidate_takes_1_to_20(client: Any, matches: list[str]) -> None:
    """DSH-3-consolidate: other numbers are INVALID_INPUT."""
    fault = await client.fault("memory/consolidate", **UW, matches=matches, text="x")

    assert (Code.INVALID_INPUT, "$.matches") == (fault.code, fault.details["problems"][0]["path"])


async def test_consolidate_with_one_miss_changes_nothing(client: Any) -> None:
    """DSH-3-consolidate: all of it or nothing, and two matches must not name one entry."""
    await client.add("one")
    await client.add("two")

    missed = await client.fault("memory/consolidate", **UW, matches=["one", "three"], text="x")
    twice = await client.fault("memory/consolidate", **UW, matches=["one", "on"], text="x")

    assert [Code.ENTRY_NOT_FOUND] * 2 == [missed.code, twice.code]
    assert ["one", "two"] == sorted(await client.texts())


@pytest.mark.parametrize(
    ("targets", "given", "key"),
    [
        (["shared"], {}, ""),
        (["shared", "mine"], {}, "planner"),
        (["mine"], {"agentKey": ""}, ""),
        (["shared"], {"agentKey": "planner"}, "planner"),
    ],
)
async def test_whose_a_consolidated_entry_is(house: Any, targets: list[str], given: Any, key: str) -> None:
    """A10, W23: shared if all targets were, else the session's; the caller can say otherwise."""
    planner = house.client(agent="planner")
    await planner.add("shared", agentKey="")
    await planner.add("mine")

    result = await planner.call("memory/consolidate", **UW, matches=targets, text="x", **given)

    assert key == result["entry"]["agentKey"]


async def test_targets_by_id_and_version(client: Any) -> None:
    """An id names a target without a match; a version that is not the entry's is refused."""
    entry = await client.add("one")
    by_id = {**UW, "id": entry["id"]}

    fault = await client.fault("memory/replace", **by_id, version=2, text="x")
    replaced = await client.call("memory/replace", **by_id, version=1, text="uno")
    merged = await client.call(
        "memory/consolidate", **UW, ids=[{"id": entry["id"], "version": 2}], text="eins"
    )

    assert Code.ENTRY_NOT_FOUND == fault.code
    assert "version" in fault.details["reason"]
    assert ("uno", "eins") == (replaced["entry"]["text"], merged["entry"]["text"])


@pytest.mark.parametrize(
    "params",
    [{}, {"match": "a", "id": "b"}, {"match": "a", "version": 1}, {"match": ""}, {"match": "\x00"}],
)
async def test_exactly_one_way_to_name_a_target(client: Any, params: Any) -> None:
    """Match or id, not both, not neither; a match is not empty."""
    assert Code.INVALID_INPUT == (await client.fault("memory/remove", **UW, **params)).code


@pytest.mark.parametrize(
    ("method", "params", "problem", "number"),
    [
        ("memory/remove", UW, ("$.match", "is missing, and so is id"), -32602),
        ("memory/remove", {**UW, "version": 1}, ("$.match", "is missing, and so is id"), -32602),
        ("memory/replace", {**UW, "text": "x"}, ("$.match", "is missing, and so is id"), -32602),
        ("memory/consolidate", {**UW, "text": "x"}, ("$.matches", "is missing, and so is ids"), -32602),
        ("memory/import", {}, ("$.payload", "is missing, and so is path"), -32602),
        ("memory/import", {"payload": None}, ("$.payload", "is missing, and so is path"), -32602),
        ("proposals/create", {"change": {**UW}}, ("$.change.action", "is missing"), -32602),
        ("proposals/create", {"change": {"action": 5}}, ("$.change.action", "must be a string"), -32602),
        (
            "proposals/create",
            {"change": {**UW, "action": "remove"}},
            ("$.change.match", "is missing, and so is id"),
            -32602,
        ),
        ("memory/remove", {**UW, "match": "a", "id": "b"}, ("$.id", "does not go with match"), -32050),
        (
            "memory/consolidate",
            {**UW, "text": "x", "matches": ["a"], "ids": [{"id": "b"}]},
            ("$.ids", "does not go with matches"),
            -32050,
        ),
        ("memory/consolidate", {**UW, "text": "x", "ids": []}, ("$.ids", "must have 1 to 20"), -32050),
        ("memory/import", {"payload": {}, "path": "/x"}, ("$.path", "does not go with payload"), -32050),
    ],
)
async def test_what_is_missing_is_a_problem_of_shape(
    client: Any, method: str, params: Any, problem: Any, number: int
) -> None:
    """A field too few is -32602 as anywhere, one too many a bad value; each is said once, with its place."""
    fault = await client.fault(method, **params)

    (found,) = fault.details["problems"]
    assert (Code.INVALID_INPUT, number, problem[0]) == (fault.code, fault.number, found["path"])
    assert found["problem"].startswith(problem[1])


async def test_seed_is_one_question_and_one_change(client: Any) -> None:
    """DSH-3-seed: new ids, version 1, in the order given."""
    drafts = [
        {**UW, "text": "one"},
        {**AW, "text": "two", "tags": ["x"]},
        {**UG, "text": "three", "agentKey": ""},
    ]

    result = await client.call("memory/seed", entries=drafts)

    assert 3 == result["added"]
    assert ["one", "two", "three"] == [entry["text"] for entry in result["entries"]]
    (question,) = client.person.questions
    assert ("seed", "batch", "batch", 3) == (question.action, question.track, question.scope, question.count)
    assert ["seed", "add", "add", "add"] == [row["action"] for row in await client.rows()]


async def test_a_seed_over_budget_is_refused_whole_before_anyone_is_asked(build: Any) -> None:
    """DSH-5-seed, A8: one layer over its budget refuses all."""
    client = (await build(budgets=small(10))).client()
    drafts = [{**UW, "text": "12345"}, {**AW, "text": "fits"}, {**UW, "text": "678901"}]

    fault = await client.fault("memory/seed", entries=drafts)

    expected = {**UW, "used": 0, "limit": 10, "needed": 11}
    assert (Code.BUDGET_EXCEEDED, expected) == (fault.code, fault.details)
    assert ([], [], []) == (client.person.questions, await client.texts(), await client.rows())


@pytest.mark.parametrize("drafts", [[], [{**UW, "text": "x"}] * 1001])
async def test_a_seed_has_1_to_1000_entries(client: Any, drafts: Any) -> None:
    """DSH-8-limit: the same ceiling as an import's."""
    assert Code.INVALID_INPUT == (await client.fault("memory/seed", entries=drafts)).code


async def test_a_seed_names_every_problem_with_its_place(client: Any) -> None:
    """Drafts are checked whole, each under its own path."""
    drafts = [{**UW, "text": ""}, {**UW, "text": "fine"}, {**UW, "text": "x", "workspaceKey": "/elsewhere"}]

    fault = await client.fault("memory/seed", entries=drafts)

    paths = ["$.entries[0].text", "$.entries[2].workspaceKey"]
    assert paths == [problem["path"] for problem in fault.details["problems"]]


async def test_a_seed_can_reach_every_open_folder(house: Any) -> None:
    """A draft's workspaceKey may be any open workspace of the connection."""
    client = house.client(folders=("one", "two"))

    result = await client.call("memory/seed", entries=[{**UW, "text": "x", "workspaceKey": house.key("two")}])

    assert house.key("two") == result["entries"][0]["workspaceKey"]
