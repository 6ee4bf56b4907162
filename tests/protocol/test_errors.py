"""Faults: one table that all fronts read (DSH-7)."""

import pytest

from keepgate.protocol import errors as e
from keepgate.protocol.errors import FAULTS, Code, ExitCode, Fault, Problem, RpcNumber
from keepgate.protocol.verb_errors import VERB_ERROR_NUMBER

PUBLISHED = {
    "INVALID_INPUT": (-32050, 2, ("problems",)),
    "WRITE_REQUIRES_AGENT": (-32051, 2, ()),
    "BUDGET_EXCEEDED": (-32052, 6, ("track", "scope", "used", "limit", "needed")),
    "ENTRY_NOT_FOUND": (-32053, 4, ("track", "scope", "match")),
    "AMBIGUOUS_MATCH": (-32054, 5, ("track", "scope", "match", "candidates", "sample")),
    "WRITE_DENIED": (-32055, 3, ("outcome", "proposalId")),
    "PROPOSAL_NOT_FOUND": (-32056, 4, ("id",)),
    "STORE_CORRUPT": (-32057, 7, ("path",)),
    "STORE_UNSUPPORTED_VERSION": (-32058, 7, ("path", "found", "supported")),
    "ADAPTER_NOT_FOUND": (-32059, 4, ("adapterId",)),
    "ADAPTER_PAYLOAD": (-32060, 1, ("adapterId",)),
    "STORE_BUSY": (-32061, 7, ("waitedMs",)),
    "STORE_FULL": (-32062, 7, ("path",)),
    "STORE_READ_ONLY": (-32063, 7, ("path",)),
    "PAGE_NOT_FOUND": (-32065, 4, ("slug",)),
}


def test_the_table_is_the_published_one() -> None:
    """Codes, numbers, exit codes and the names of details are a contract."""
    assert PUBLISHED == {
        str(code): (kind.number, kind.exit_code, kind.details) for code, kind in FAULTS.items()
    }


def test_every_code_has_a_row() -> None:
    """In the order of their numbers, which leave no gap but the verbs' and meet no other number."""
    numbers = [kind.number for kind in FAULTS.values()]

    assert list(Code) == list(FAULTS)
    taken = [*numbers, VERB_ERROR_NUMBER]
    assert list(range(-32050, -32050 - len(taken), -1)) == sorted(taken, reverse=True)
    assert not {int(number) for number in RpcNumber} & set(numbers)


def test_every_row_says_what_happened_and_what_to_do() -> None:
    """In whole sentences."""
    texts = [text for kind in FAULTS.values() for text in (kind.summary, kind.suggestion)]

    assert [] == [text for text in texts if not (text[0].isupper() and text.endswith("."))]


def test_only_a_busy_store_is_worth_an_immediate_retry() -> None:
    """Everything else needs a change first."""
    assert [Code.STORE_BUSY] == [code for code, kind in FAULTS.items() if kind.retryable]


def test_exit_codes_are_those_that_scripts_know() -> None:
    """0 ok, 1 failed, 2 usage, 3 denied, 4 not found, 5 conflict, 6 over budget, 7 store."""
    assert ["OK", "FAILED", "USAGE", "DENIED", "NOT_FOUND", "CONFLICT", "OVER_BUDGET", "STORE"] == [
        ExitCode(number).name for number in range(8)
    ]
    assert 8 == len(ExitCode)


LAYER = {"track": "user", "scope": "workspace"}
MADE = [
    (e.invalid_input(Problem("$.text", "is missing")), {}),
    (e.write_requires_agent(), {}),
    (e.budget_exceeded(**LAYER, used=1, limit=2, needed=3), {**LAYER, "used": 1, "limit": 2, "needed": 3}),
    (e.entry_not_found(**LAYER, match="x"), {**LAYER, "match": "x"}),
    (
        e.ambiguous_match(**LAYER, match="x", candidates=2, sample=("a", "b")),
        {**LAYER, "match": "x", "candidates": 2, "sample": ["a", "b"]},
    ),
    (e.write_denied("rejected", "p-1"), {"outcome": "rejected", "proposalId": "p-1"}),
    (e.proposal_not_found("p-1"), {"id": "p-1"}),
    (e.adapter_not_found("mem0"), {"adapterId": "mem0"}),
    (e.adapter_payload("mem0", "no facts"), {"adapterId": "mem0"}),
]


@pytest.mark.parametrize(("fault", "details"), MADE, ids=lambda item: getattr(item, "code", ""))
def test_a_fault_carries_what_its_row_names(fault: Fault, details: dict[str, object]) -> None:
    """Every detail of the table, its number, its exit code and its advice."""
    kind = FAULTS[fault.code]

    assert set(kind.details) == set(fault.details)
    assert details == {name: value for name, value in fault.details.items() if name != "problems"}
    assert (kind.number, kind.exit_code, kind.suggestion) == (fault.number, fault.exit_code, fault.suggestion)
    assert fault.message == str(fault)
    assert str(fault.code) == fault.data()["code"]


def test_the_error_data_is_code_details_and_suggestion() -> None:
    """Clients branch on the code."""
    fault = Fault(Code.STORE_BUSY, "busy", {"waitedMs": 5}, suggestion="Wait.")

    assert {"code": "STORE_BUSY", "details": {"waitedMs": 5}, "suggestion": "Wait."} == fault.data()


def test_problems_stand_beside_the_details() -> None:
    """A list of path and problem, all of them; the message names the first and counts the others."""
    fault = e.invalid_input(Problem("$.tags[2]", "must not be blank"), Problem("$.text", "is missing"))

    listed = [
        {"path": "$.tags[2]", "problem": "must not be blank"},
        {"path": "$.text", "problem": "is missing"},
    ]
    assert listed == fault.data()["problems"] == fault.details["problems"]
    assert "$.tags[2]: must not be blank (and 1 more)" == fault.message


@pytest.mark.parametrize(("count", "listed"), [(20, 20), (21, 21), (5000, 21)])
def test_very_many_problems_are_not_all_listed(count: int, listed: int) -> None:
    """The first twenty, and how many more there are; the answer stays small whatever was sent."""
    fault = e.invalid_input(*(Problem(f"$.tags[{index}]", "must not be blank") for index in range(count)))

    problems = fault.details["problems"]
    assert listed == len(problems)
    assert "$.tags[19]" == problems[19]["path"]
    assert fault.message.endswith(f"(and {count - 1} more)")
    if count > 20:
        assert {"path": "$", "problem": f"and {count - 20} more problems"} == problems[20]


def test_one_problem_is_not_counted() -> None:
    """There is nothing more to say."""
    assert "$.text: is missing" == e.invalid_input(Problem("$.text", "is missing")).message


@pytest.mark.parametrize(("expected", "shape"), [(-32050, False), (-32602, True)])
def test_a_wrong_shape_has_the_number_of_invalid_params(expected: int, shape: bool) -> None:
    """The code is the same."""
    fault = e.invalid_input(Problem("$", "x"), shape=shape)

    assert (expected, Code.INVALID_INPUT) == (fault.number, fault.code)


@pytest.mark.parametrize(
    ("expected", "fault"),
    [
        ("user/workspace has 1 of 2 units in use and this write needs 3", MADE[2][0]),
        ("no visible entry in user/workspace matches", MADE[3][0]),
        ("no visible entry matches", e.entry_not_found(track="", scope="", match="e-1")),
        (
            "no visible entry in user/workspace matches (gone)",
            e.entry_not_found(**LAYER, match="x", reason="gone"),
        ),
        ("2 visible entries in user/workspace match; exactly one must", MADE[4][0]),
        ("the write was not allowed: rejected; nothing was stored", MADE[5][0]),
        (
            "the write was not allowed: unavailable (queue-full); nothing was stored",
            e.write_denied("unavailable", None, reason="queue-full"),
        ),
        ("mem0: no facts", MADE[8][0]),
        ("mem0: line 3: no bullet", e.adapter_payload("mem0", "no bullet", line=3)),
    ],
)
def test_messages_say_what_is_wrong(expected: str, fault: Fault) -> None:
    """In English and stable in meaning."""
    assert expected == fault.message


@pytest.mark.parametrize(
    ("expected", "fault"),
    [
        ({**LAYER, "match": "x", "reason": "gone"}, e.entry_not_found(**LAYER, match="x", reason="gone")),
        (
            {"outcome": "unavailable", "reason": "queue-full"},
            e.write_denied("unavailable", None, reason="queue-full"),
        ),
        ({"adapterId": "mem0", "line": 3}, e.adapter_payload("mem0", "no bullet", line=3)),
    ],
)
def test_further_details_are_there_when_there_is_something_to_say(expected, fault: Fault) -> None:
    """And absent otherwise; they are never null."""
    assert expected == fault.details


def test_a_denial_may_bring_its_own_advice() -> None:
    """What to do depends on why nobody allowed it."""
    assert "Decide it." == e.write_denied("unavailable", "p-1", suggestion="Decide it.").suggestion


def test_details_are_the_faults_own() -> None:
    """What its maker does with the mapping afterwards does not show."""
    details = {"path": "/srv/a"}
    fault = Fault(Code.STORE_FULL, "full", details)
    details["path"] = "changed"

    assert {"path": "/srv/a"} == fault.details
