"""Formats that other implementations of the contract share, to the letter, as JSON-RPC shows them."""

import contextlib
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from keepgate_client.testing import FakeEditor

UW = {"track": "user", "scope": "workspace"}
UG = {"track": "user", "scope": "user-global"}
AW = {"track": "agent", "scope": "workspace"}
SESSION = {"id": "s1"}
ASKS = {"experimental": {"keepgate": {"approvalRequest": True}}}
FOUR_PEOPLE = "👨\u200d👩\u200d👧\u200d👦"


class Desk:
    """An editor whose person allows everything, and the questions that were put to it."""

    def __init__(self, editor: FakeEditor) -> None:
        self.editor = editor
        self.questions: list[Any] = []
        self.answer = "allowed-once"
        editor.on_request("approval/request", self._ask)

    async def _ask(self, question: Any) -> Any:
        self.questions.append(question)
        return {"outcome": self.answer, "hash": question["hash"]}

    async def write(self, method: str, **params: Any) -> Any:
        """The result of a write of the session."""
        return await self.editor.request(method, {"session": SESSION, **params})

    async def error(self, method: str, **params: Any) -> Any:
        """The error object of a request that fails."""
        return (await self.editor.request_raw(method, {"session": SESSION, **params}))["error"]


@pytest.fixture
def desk(tmp_path: Path) -> Callable[..., Any]:
    """Open a desk in a workspace of its own."""

    @asynccontextmanager
    async def start(**settings: Any) -> AsyncIterator[Desk]:
        (tmp_path / "project").mkdir(exist_ok=True)
        environment = {"KEEPGATE_HOME": str(tmp_path / "home"), "KEEPGATE_STORE": None}
        async with FakeEditor.spawn(
            tmp_path / "project", capabilities=ASKS, settings=settings, env=environment
        ) as editor:
            yield Desk(editor)

    return start


LONG = "l" * 299 + "👍 and more"
QUESTIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # method, params, what the question says; each on what the ones before left behind
    (
        "memory/add",
        {**UW, "text": "likes tea\n  green", "source": "editor", "tags": ["drinks"]},
        {
            "action": "add",
            **UW,
            "source": "editor",
            "text": "likes tea\n  green",
            "from": None,
            "to": "likes tea\n  green",
        },
    ),
    (
        "memory/replace",
        {**UW, "match": "TEA", "text": "likes coffee"},
        {
            "action": "replace",
            **UW,
            "source": "keepgate",
            "text": "from:\nlikes tea\n  green\n\nto:\nlikes coffee",
            "from": "likes tea\n  green",
            "to": "likes coffee",
        },
    ),
    (
        "memory/seed",
        {
            "entries": [
                {**UW, "text": LONG},
                {**UG, "text": "lives in UTC"},
                {**AW, "text": "two\nlines", "source": "x"},
            ]
        },
        {
            "action": "seed",
            "track": "batch",
            "scope": "batch",
            "source": "keepgate",
            "count": 3,
            "text": f"user/workspace: {LONG}\nuser/user-global: lives in UTC\nagent/workspace: two\nlines",
        },
    ),
    (
        "memory/consolidate",
        {**UW, "matches": ["coffee", "llll"], "text": "coffee, and l"},
        {
            "action": "consolidate",
            **UW,
            "source": "keepgate",
            # 300 units hold 299 letters; the pair that would be cut in two is left out.
            "text": f"remove: coffee\nlikes coffee\nremove: llll\n{'l' * 299}…\nnew text: coffee, and l",
        },
    ),
    (
        "memory/remove",
        {**AW, "match": "lines"},
        {"action": "remove", **AW, "source": "x", "text": "two\nlines", "from": "two\nlines", "to": None},
    ),
]


async def test_questions(desk: Any) -> None:
    """DSH-3-payload: approve what you see; the payload text of every kind of change."""
    async with desk() as at:
        for method, params, _ in QUESTIONS:
            await at.write(method, **params)

    for (method, _, expected), question in zip(QUESTIONS, at.questions, strict=True):
        assert expected == {name: question[name] for name in expected}, method
        assert re.fullmatch("[0-9a-f]{64}", question["hash"])
        assert question["sessionId"] == "s1"
    assert ["coffee", "llll"] == [target["match"] for target in at.questions[3]["targets"]]
    assert LONG == at.questions[3]["targets"][1]["text"]
    drinks = at.questions[0]["entries"][0]
    assert (["drinks"], "editor") == (drinks["tags"], drinks["source"])


async def test_events_around_a_question(desk: Any) -> None:
    """DSH-6-pair: approval/asked carries the whole payload, approval/decided the outcome and who decided."""
    async with desk() as at:
        at.answer = "rejected"
        error = await at.error("memory/add", **UW, text="x")
        asked = await at.editor.wait_for_notification("approval/asked")
        decided = await at.editor.wait_for_notification("approval/decided")
        changed = await at.editor.wait_for_notification(
            "proposals/didChange", lambda event: event["status"] == "dismissed"
        )

    names = {
        "id",
        "action",
        "track",
        "scope",
        "workspaceKey",
        "agentKey",
        "source",
        "sessionId",
        "text",
        "count",
    }
    assert names | {"hash", "deadline", "warnings"} == asked.keys()
    assert at.questions[0].items() >= {name: asked[name] for name in ("text", "hash", "deadline")}.items()
    proposal = error["data"]["details"]["proposalId"]
    assert {proposal} == {asked["id"], decided["id"], changed["id"]}
    assert ("rejected", {"client", "connection", "channel"}) == (
        decided["outcome"],
        set(decided["by"]) - {"version"},
    )


FAULTS: list[tuple[str, dict[str, Any], int, str, dict[str, Any]]] = [
    # method, params, number, code, details; "tea one" and "tea two" are there, agent/workspace is full
    ("memory/remove", {**UW, "match": "gone"}, -32053, "ENTRY_NOT_FOUND", {**UW, "match": "gone"}),
    (
        "memory/remove",
        {**UW, "match": "TEA"},
        -32054,
        "AMBIGUOUS_MATCH",
        {**UW, "match": "TEA", "candidates": 2, "sample": ["tea one", "tea two"]},
    ),
    (
        "memory/add",
        {**AW, "text": "👍"},
        -32052,
        "BUDGET_EXCEEDED",
        {**AW, "used": 10, "limit": 10, "needed": 12},
    ),
    (
        "memory/replace",
        {**AW, "match": "1", "text": "12345678901"},
        -32052,
        "BUDGET_EXCEEDED",
        {**AW, "used": 10, "limit": 10, "needed": 11},
    ),
    (
        "memory/seed",
        {"entries": [{**UW, "text": "fits"}, {**AW, "text": "a"}, {**AW, "text": "b"}]},
        -32052,
        "BUDGET_EXCEEDED",
        {**AW, "used": 10, "limit": 10, "needed": 12},
    ),
    (
        "memory/consolidate",
        {**AW, "matches": ["1"], "text": "1234567890ab"},
        -32052,
        "BUDGET_EXCEEDED",
        {**AW, "used": 10, "limit": 10, "needed": 12},
    ),
    ("memory/add", {**UW, "text": "x", "session": None}, -32051, "WRITE_REQUIRES_AGENT", {}),
    ("memory/export", {"adapter": "none"}, -32059, "ADAPTER_NOT_FOUND", {"adapterId": "none"}),
    (
        "memory/import",
        {"adapter": "mem0", "payload": "text"},
        -32060,
        "ADAPTER_PAYLOAD",
        {"adapterId": "mem0"},
    ),
    (
        "memory/add",
        {**UW, "text": ""},
        -32050,
        "INVALID_INPUT",
        {"problems": [{"path": "$.text", "problem": "must not be empty"}]},
    ),
]


async def test_faults(desk: Any) -> None:
    """DSH-5-exceeded, DSH-7-BUDGET_EXCEEDED: every detail; ``needed`` is the total afterwards."""
    one = {"userGlobal": 2000, "workspace": 2000}
    async with desk(budgets={"user": one, "agent": {"userGlobal": 10, "workspace": 10}}) as at:
        drafts = [{**UW, "text": "tea one"}, {**UW, "text": "tea two"}, {**AW, "text": "1234567890"}]
        await at.write("memory/seed", entries=drafts)
        errors = [await at.error(method, **params) for method, params, *_ in FAULTS]

    assert [row[2:] for row in FAULTS] == [
        (error["code"], error["data"]["code"], error["data"]["details"]) for error in errors
    ]
    assert all({"code", "details", "suggestion"} <= error["data"].keys() for error in errors)
    assert 1 == len(at.questions)


async def test_a_denial(desk: Any) -> None:
    """DSH-7-WRITE_DENIED: outcome and proposal; the closed set of outcomes."""
    async with desk() as at:
        errors = []
        for answer in ("rejected", "cancelled", "whatever"):
            at.answer = answer
            errors.append((await at.error("memory/add", **UW, text=answer))["data"])
        rows = (await at.editor.request("memory/audit", {"session": None}))["rows"]

    assert ["rejected", "cancelled", "cancelled"] == [error["details"]["outcome"] for error in errors]
    assert [{"outcome", "proposalId"}] * 3 == [error["details"].keys() for error in errors]
    labels = ["cancelled", "cancelled", "rejected"]
    assert [f"{label} (via approval, writePolicy ask)" for label in labels] == [
        row["outcome"] for row in rows
    ]


async def test_samples_of_an_ambiguous_match(desk: Any) -> None:
    """DSH-7-AMBIGUOUS_MATCH: at most ten, in creation order, of 200 units and an ellipsis."""
    texts = [
        "x" * 200,
        "x" * 201,
        "x" * 199 + "👍",
        "x" * 198 + "👍!",
        *(f"x{number}" for number in range(9)),
    ]
    async with desk(budgets={"user": {"userGlobal": 10**5, "workspace": 10**5}}) as at:
        await at.write("memory/seed", entries=[{**UW, "text": text} for text in texts])
        details = (await at.error("memory/remove", **UW, match="X"))["data"]["details"]

    cut = ["x" * 200, "x" * 200 + "…", "x" * 199 + "…", "x" * 198 + "👍…"]
    assert (13, [*cut, *(f"x{number}" for number in range(6))]) == (details["candidates"], details["sample"])


async def test_limits(desk: Any) -> None:
    """DSH-4-limit, DSH-8-limit: 20 by default, 1000 at most; 1..20 matches; 1..1000 drafts."""
    room = {"user": {"userGlobal": 10**6, "workspace": 10**6}}
    async with desk(budgets=room) as at:
        for _ in range(2):
            await at.write("memory/seed", entries=[{**UW, "text": f"note {number}"} for number in range(501)])
        found = [
            await at.editor.request("memory/query", {"session": None, **params})
            for params in (
                {},
                {"limit": 999},
                {"limit": 1000},
                {"limit": 10**6},
                {"limit": 10**6, "offset": 1000},
            )
        ]
        errors = [
            await at.error("memory/seed", entries=[{**UW, "text": "x"}] * 1001),
            await at.error("memory/consolidate", **UW, matches=["m"] * 21, text="x"),
            await at.error("memory/consolidate", **UW, matches=[], text="x"),
            await at.error("memory/query", limit=0),
        ]

    assert [20, 999, 1000, 1000, 2] == [len(page["entries"]) for page in found]
    assert [(1002, True)] * 4 + [(1002, False)] == [(page["total"], page["truncated"]) for page in found]
    assert {"INVALID_INPUT"} == {error["data"]["code"] for error in errors}


TAGS: list[tuple[list[Any], list[str] | str]] = [
    # given, kept or the place of the complaint
    ([], []),
    (["  a\u3000", "b", "a"], ["a", "b"]),
    (["A", "a"], ["A", "a"]),
    (["t" * 32], ["t" * 32]),
    (["👍" * 16], ["👍" * 16]),
    ([f"{FOUR_PEOPLE}{FOUR_PEOPLE}"], [f"{FOUR_PEOPLE}{FOUR_PEOPLE}"]),
    (["\x85c1"], ["\x85c1"]),
    (["same"] * 20, ["same"]),
    ([f"t{number}" for number in range(16)], [f"t{number}" for number in range(16)]),
    ([f"t{number}" for number in range(17)], "$.tags"),
    (["t" * 33], "$.tags[0]"),
    ([f"{FOUR_PEOPLE}" * 3], "$.tags[0]"),
    (["ok", ""], "$.tags[1]"),
    (["ok", "\u3000"], "$.tags[1]"),
    (["a\tb"], "$.tags[0]"),
    (["\x7f"], "$.tags[0]"),
    (["ok", 5], "$.tags[1]"),
]


async def test_tags(desk: Any) -> None:
    """DSH-2-tags: JavaScript's trim, UTF-16 lengths, first places kept; the complaint names its place."""
    async with desk(writePolicy="auto") as at:
        shown: list[Any] = []
        for number, (given, _) in enumerate(TAGS):
            answer = await at.editor.request_raw(
                "memory/add", {**UW, "text": f"x{number}", "tags": given, "session": SESSION}
            )
            with contextlib.suppress(KeyError):
                shown.append(answer["error"]["data"]["problems"][0]["path"])
                continue
            shown.append(answer["result"]["entry"]["tags"])

    assert [kept for _, kept in TAGS] == shown


async def test_the_ledger_s_words(desk: Any) -> None:
    """DSH-6-allowed: actions and outcome labels of every kind of change, in the order of the ledger."""
    async with desk() as at:
        await at.write("memory/add", **UW, text="one")
        await at.write("memory/replace", **UW, match="one", text="uno")
        await at.write("memory/seed", entries=[{**UW, "text": "two"}, {**UG, "text": "three"}])
        await at.write("memory/consolidate", **UW, matches=["uno", "two"], text="both")
        await at.write("memory/remove", **UW, match="both")
        await at.write("memory/undo", seq=9)
        await at.write("memory/query", text="both")
        await at.write("memory/snapshot")
        at.answer = "rejected"
        await at.error("memory/remove", **UW, match="both")
        rows = (await at.editor.request("memory/audit", {"session": None, "limit": 100}))["rows"][::-1]

    allowed = "allowed-once (via approval, writePolicy ask)"
    assert [
        ("add", allowed, "one"),
        ("replace", allowed, "uno"),
        ("seed", allowed, "user/workspace: two\nuser/user-global: three"),
        ("add", allowed, "two"),
        ("add", allowed, "three"),
        ("consolidate-remove", allowed, "uno"),
        ("consolidate-remove", allowed, "two"),
        ("consolidate-add", allowed, "both"),
        ("remove", allowed, "both"),
        ("undo-add", allowed, "both"),
        ("recalled", "ok", "both"),
        ("snapshot", "ok", rows[11]["text"]),
        ("remove-denied", "rejected (via approval, writePolicy ask)", "both"),
    ] == [(row["action"], row["outcome"], row["text"]) for row in rows]
    assert (None, None, None) == tuple(rows[2][name] for name in ("track", "scope", "entryId"))


async def test_the_contract_s_names(desk: Any) -> None:
    """DSH-1-id, DSH-8-export, DSH-10-suite: what the provider calls itself, and its export."""
    async with desk() as at:
        offered = at.editor.initialize_result["capabilities"]["experimental"]["keepgate"]
        await at.write("memory/add", **UW, text="one")
        envelope = await at.editor.request("memory/export")
        budgets = (await at.editor.request("memory/budgets"))["budgets"]

    assert (1, 1) == (offered["contracts"]["dsh-memory-protocol"], offered["protocolVersion"])
    assert ["plugin", "schema", "exportedAt", "budgets", "entries"] == list(envelope)
    assert ("dsh-memento", "memory-export-v1", budgets) == (
        envelope["plugin"], envelope["schema"], envelope["budgets"]
    )  # fmt: skip
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", envelope["exportedAt"])
    layers = [
        "user/user-global 0/2000",
        "user/workspace 3/2000",
        "agent/user-global 0/4000",
        "agent/workspace 0/4000",
    ]
    assert layers == [f"{row['track']}/{row['scope']} {row['used']}/{row['limit']}" for row in budgets]
