"""Decoded JSON to typed values: no coercion, and every complaint has its place (docs/protocol.md)."""

from typing import Annotated, Any, get_args, get_origin

import attrs
import pytest
from attrs import frozen

from keepgate.protocol.entries import (
    UNSET,
    AddParams,
    ConsolidateParams,
    DraftParams,
    QueryParams,
    Scope,
    SeedParams,
    SessionRef,
    Track,
    UndoParams,
    Unset,
    VerifyParams,
)
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.naming import camel
from keepgate.protocol.ops import BY_NAME
from keepgate.protocol.portability import ImportParams
from keepgate.protocol.proposals import ApprovalRequestParams, ProposalsCreateParams
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.protocol.wire import INTEGER_MAX, structure

ADD = {"track": "user", "scope": "workspace", "text": "Tide tables are in knots."}


@frozen(kw_only=True)
class Every:
    """A field of every kind that the published types use."""

    text: str
    number: int
    share: float
    flag: bool
    track: Track
    words: list[str]
    pair: tuple[str, ...]
    counts: dict[str, int]
    inner: SessionRef
    maybe: str | None
    token: str | int | None
    anything: Any


EVERY = {
    "text": "a", "number": 5, "share": 0.5, "flag": True, "track": "user", "words": ["a"], "pair": ["a"],
    "counts": {"a": 1}, "inner": {"id": "s"}, "maybe": "a", "token": 1, "anything": None,
}  # fmt: skip
SAMPLES = {"a string": "a", "an integer": 5, "a number": 0.5, "true or false": True, "null": None,
           "an array": [], "an object": {}}  # fmt: skip
ACCEPTED = {
    "text": {"a string"},
    "number": {"an integer"},
    "share": {"an integer", "a number"},
    "flag": {"true or false"},
    "track": set(),
    "words": {"an array"},
    "pair": {"an array"},
    "counts": {"an object"},
    "inner": set(),
    "maybe": {"a string", "null"},
    "token": {"a string", "an integer", "null"},
    "anything": set(SAMPLES),
}
EXPECTED = {
    "text": "a string", "number": "an integer", "share": "a number", "flag": "true or false",
    "track": "a string", "words": "an array", "pair": "an array", "counts": "an object", "inner": "an object",
    "maybe": "a string", "token": "a string or an integer",
}  # fmt: skip
# A string for a closed set and an object for a class have the right type; what is in them is another test's.
WRONG = [
    (field, kind)
    for field, accepted in ACCEPTED.items()
    for kind in SAMPLES
    if kind not in accepted and (field, kind) not in {("track", "a string"), ("inner", "an object")}
]


def refused(raw: Any, cls: type, **how: Any) -> Fault:
    """The fault of a value that does not fit."""
    with pytest.raises(Fault) as caught:
        structure(raw, cls, **how)
    assert Code.INVALID_INPUT is caught.value.code
    return caught.value


def complaints(fault: Fault) -> list[tuple[str, str]]:
    """Where and what, in order."""
    return [(item["path"], item["problem"]) for item in fault.details["problems"]]


@pytest.mark.parametrize(("field", "kind"), WRONG)
def test_no_type_is_taken_for_another(field: str, kind: str) -> None:
    """``5`` is no string, ``"5"`` no number, ``1`` not true, ``5.0`` no integer, ``{}`` no array: -32602."""
    fault = refused(EVERY | {field: SAMPLES[kind]}, Every)

    assert -32602 == fault.number
    assert [(f"$.{field}", f"expected {EXPECTED[field]}, got {kind}")] == complaints(fault)


@pytest.mark.parametrize(
    ("field", "kind"), [(field, kind) for field, accepted in ACCEPTED.items() for kind in sorted(accepted)]
)
def test_the_right_type_passes_unchanged(field: str, kind: str) -> None:
    """Values come through as they were sent; arrays become the field's own container."""
    value = SAMPLES[kind]

    found = getattr(structure(EVERY | {field: value}, Every), field)

    assert (tuple(value) if field == "pair" else value) == found
    assert field in {"pair", "share"} or type(value) is type(found)


@pytest.mark.parametrize("raw", [None, "x", 5, True, [], [["id", "s"]]])
def test_params_are_an_object(raw: object) -> None:
    """Whatever else is sent is wrong at the root."""
    fault = refused(raw, SessionRef)

    assert (-32602, "$") == (fault.number, complaints(fault)[0][0])


def test_words_of_a_closed_set_become_its_members() -> None:
    """Tracks and scopes arrive as members, so that code may tell them apart by identity."""
    added = structure(ADD, AddParams)

    assert Track.USER is added.track
    assert Scope.WORKSPACE is added.scope


@pytest.mark.parametrize("word", ["crew", "", "USER", "user ", "Track.USER"])
def test_a_word_outside_a_closed_set_is_a_bad_value(word: str) -> None:
    """It has the right type: -32050, with the words that would do."""
    fault = refused(ADD | {"track": word}, AddParams)

    assert -32050 == fault.number
    assert [("$.track", "must be one of user, agent")] == complaints(fault)


def test_a_closed_set_inside_an_object_is_checked_too() -> None:
    """A policy's word has its own path."""
    fault = refused({"writePolicies": {"facts": "ask", "pages": "maybe"}}, Settings)

    assert [("$.writePolicies.pages", "must be one of auto, ask, off")] == complaints(fault)


def test_policies_become_members() -> None:
    """Also as values of an object."""
    policies = structure({"writePolicies": {"facts": "off"}}, Settings).write_policies

    assert WritePolicy.OFF is policies["facts"]


@pytest.mark.parametrize("field", ["text", "maybe", "token"])
@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_half_a_pair_is_a_bad_value(field: str, text: str) -> None:
    """JSON can spell it, nothing can store it."""
    fault = refused(EVERY | {field: text}, Every)

    assert -32050 == fault.number
    assert [(f"$.{field}", "contains a lone surrogate")] == complaints(fault)


def test_half_a_pair_in_a_name_is_a_bad_value() -> None:
    """Free objects have names that the caller chose."""
    fault = refused({"change": {"\ud800": 1}}, ProposalsCreateParams)

    assert (-32050, "contains a lone surrogate") == (fault.number, complaints(fault)[0][1])


@pytest.mark.parametrize("text", ["\U0001f44d", "a\x00", "\u2028", ""])
def test_other_text_is_text(text: str) -> None:
    """Whether it makes sense is decided where its meaning is known."""
    assert text == structure(EVERY | {"text": text}, Every).text


@pytest.mark.parametrize("number", [INTEGER_MAX, -INTEGER_MAX, 0])
def test_integers_are_exact(number: int) -> None:
    """Up to what every JSON reader keeps."""
    assert number == structure({"seq": number}, UndoParams).seq


@pytest.mark.parametrize("number", [INTEGER_MAX + 1, -INTEGER_MAX - 1, 10**400])
def test_integers_beyond_what_json_readers_keep_are_bad_values(number: int) -> None:
    """They would come to no row and break every statement they are bound to."""
    fault = refused({"seq": number}, UndoParams)

    assert (-32050, "$.seq") == (fault.number, complaints(fault)[0][0])
    assert str(INTEGER_MAX) in complaints(fault)[0][1]


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), 1e300, 10**400])
def test_numbers_beyond_reason_are_bad_values(number: float) -> None:
    """``1e999`` is spelled like a number and is none."""
    fault = refused(EVERY | {"share": number}, Every)

    assert (-32050, [("$.share", "is too large")]) == (fault.number, complaints(fault))


def test_a_whole_number_becomes_a_number() -> None:
    """The one widening that JSON itself makes."""
    share = structure(EVERY | {"share": 1}, Every).share

    assert (1.0, float) == (share, type(share))


def test_a_wrong_type_outweighs_a_bad_value() -> None:
    """Both are reported; the number is that of the shape."""
    fault = refused(ADD | {"track": "crew", "text": 5}, AddParams)

    assert -32602 == fault.number
    assert {"$.track", "$.text"} == {path for path, _ in complaints(fault)}


@pytest.mark.parametrize(
    ("path", "raw", "cls"),
    [
        ("$.agentKey", ADD | {"agentKey": 5}, AddParams),
        ("$.session.agentPreset", ADD | {"session": {"id": "s", "agentPreset": 5}}, AddParams),
        ("$.tags[1]", ADD | {"tags": ["a", 5]}, AddParams),
        ("$.entries[1].workspaceKey", {"entries": [ADD, ADD | {"workspaceKey": 5}]}, SeedParams),
        ("$.entries[0].tags[2]", {"entries": [ADD | {"tags": ["a", "b", None]}]}, SeedParams),
        ("$.ids[1].version", {**ADD, "ids": [{"id": "a"}, {"id": "b", "version": "1"}]}, ConsolidateParams),
        ("$.budgets.user.userGlobal", {"budgets": {"user": {"userGlobal": "1", "workspace": 1}}}, Settings),
        ("$.dryRun", {"dryRun": 1}, ImportParams),
    ],
)
def test_a_path_leads_through_wire_names(path: str, raw: dict[str, object], cls: type) -> None:
    """As deep as the value goes, by the names that the caller used."""
    assert [path] == [found for found, _ in complaints(refused(raw, cls))]


def test_every_problem_is_reported() -> None:
    """One answer names them all."""
    raw = {"track": 5, "tags": [1, "a", 2], "session": {"cwd": 7}}

    paths = [path for path, _ in complaints(refused(raw, AddParams))]

    assert {"$.track", "$.scope", "$.text", "$.tags[0]", "$.tags[2]", "$.session.id", "$.session.cwd"} == set(
        paths
    )
    assert len(paths) == len(set(paths))


def test_a_path_may_begin_elsewhere() -> None:
    """Values inside other values are structured where they stand."""
    fault = refused({"track": "user"}, DraftParams, root="$.change")

    assert [("$.change.scope", "is missing"), ("$.change.text", "is missing")] == complaints(fault)


def test_a_bare_array_is_checked_like_any_value() -> None:
    """Import structures the entries of an envelope on their own."""
    fault = refused([ADD, {"track": 5}, 7], list[DraftParams], root="$.payload.entries")

    assert [
        "$.payload.entries[1].track", "$.payload.entries[1].scope", "$.payload.entries[1].text",
        "$.payload.entries[2]",
    ] == [path for path, _ in complaints(fault)]  # fmt: skip
    assert [structure(ADD, DraftParams)] == structure([ADD], list[DraftParams])


def optional_free(cls: type) -> dict[str, object]:
    """The least that a params type accepts."""
    least: dict[str, object] = {}
    for item in attrs.fields(cls):
        if item.default is attrs.NOTHING:
            hint = get_args(item.type)[0] if get_origin(item.type) is Annotated else item.type
            plain = {str: "a", int: 1, Track: "user", Scope: "workspace", Any: 1}
            least[camel(item.name)] = plain.get(hint, {} if get_origin(hint) is dict else [])
    return least


def test_absent_fields_have_their_defaults(params_type: type) -> None:
    """Every params type accepts its required fields alone."""
    value = structure(optional_free(params_type), params_type, forbid_unknown=True)

    for item in attrs.fields(params_type):
        if item.default is not attrs.NOTHING:
            default = item.default.factory() if isinstance(item.default, attrs.Factory) else item.default
            assert default == getattr(value, item.name)


def test_required_fields_are_required(params_type: type) -> None:
    """Each by its wire name; a missing field is a wrong shape."""
    least = optional_free(params_type)
    for name in least:
        fault = refused({key: value for key, value in least.items() if key != name}, params_type)

        assert (-32602, [(f"$.{name}", "is missing")]) == (fault.number, complaints(fault))


def test_an_unknown_field_is_refused_where_it_is_forbidden(params_type: type) -> None:
    """Python's own names are as unknown as a typo."""
    fault = refused(
        optional_free(params_type) | {"sesion": 1, "agent_key": ""}, params_type, forbid_unknown=True
    )

    assert -32602 == fault.number
    assert [
        ("$.agent_key", "is not a field of this request"),
        ("$.sesion", "is not a field of this request"),
    ] == complaints(fault)


def test_an_unknown_field_is_ignored_elsewhere(params_type: type) -> None:
    """A newer client may say more than a read understands."""
    least = optional_free(params_type)

    assert structure(least, params_type) == structure(least | {"newer": {"x": 1}}, params_type)


def test_unknown_fields_are_refused_at_every_depth() -> None:
    """A typo in a draft or a session stores into the wrong layer just as well."""
    raw = {"entries": [ADD | {"agentkey": ""}], "session": {"id": "s", "cdw": "/"}}

    fault = refused(raw, SeedParams, forbid_unknown=True)

    assert ["$.entries[0].agentkey", "$.session.cdw"] == [path for path, _ in complaints(fault)]


@pytest.mark.parametrize("operation", [row for row in BY_NAME.values() if hasattr(row.params, "session")])
@pytest.mark.parametrize(
    ("expected", "raw"),
    [
        (UNSET, {}),
        (None, {"session": None}),
        (SessionRef(id="s", cwd="/srv"), {"session": {"id": "s", "cwd": "/srv"}}),
    ],
)
def test_no_session_null_and_a_session_are_three_things(operation, expected, raw: dict[str, object]) -> None:
    """The default session, the management view, and the caller's own."""
    value = structure(optional_free(operation.params) | raw, operation.params)

    assert expected == value.session


@pytest.mark.parametrize("session", ["unset", 0, False, [], "s"])
def test_nothing_else_is_a_session(session: object) -> None:
    """Not even the word that stands for its absence inside."""
    assert [("$.session", f"expected an object, got {describe(session)}")] == complaints(
        refused({"session": session}, QueryParams)
    )


def describe(value: object) -> str:
    """The JSON name of a value's type."""
    return {str: "a string", int: "an integer", bool: "true or false", list: "an array"}[type(value)]


@pytest.mark.parametrize("token", ["t", 7, None])
def test_a_token_may_be_text_or_a_number(token: object) -> None:
    """As LSP has it."""
    assert token == structure({"workDoneToken": token}, VerifyParams).work_done_token


@pytest.mark.parametrize("value", [1, "a", None, [1, {"x": 1.5}], {"a": {"b": []}}])
def test_free_values_come_through_as_they_are(value: object) -> None:
    """A payload is the adapter's business."""
    assert value == structure({"payload": value}, ImportParams).payload


def test_the_word_from_is_a_field() -> None:
    """Python keeps it for itself; the wire does not notice."""
    names = ("id", "action", "track", "scope", "workspaceKey", "agentKey", "text", "hash")
    asked = {**dict.fromkeys(names, ""), "source": None, "sessionId": None, "deadline": 1, "warnings": []}

    assert "old" == structure(asked | {"from": "old"}, ApprovalRequestParams).from_
    assert ["$.from"] == [path for path, _ in complaints(refused(asked | {"from": 5}, ApprovalRequestParams))]


@pytest.mark.parametrize(
    ("wire", "python"),
    [("text", "text"), ("agentKey", "agent_key"), ("from", "from_"), ("allWorkspaces", "all_workspaces"),
     ("userGlobal", "user_global"), ("writeRoundTripMs", "write_round_trip_ms")],
)  # fmt: skip
def test_wire_names_are_camel_case(wire: str, python: str) -> None:
    """One rule, without exceptions."""
    assert wire == camel(python)


def test_every_wire_name_is_its_own(published_type: type) -> None:
    """No two fields of a type meet on the wire."""
    names = [camel(item.name) for item in attrs.fields(published_type)]

    assert len(names) == len(set(names))


def test_unset_is_one_value() -> None:
    """So that it may be told by identity."""
    assert [UNSET] == list(Unset)
