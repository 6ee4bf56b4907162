"""Params of the verbs, as MEMORY_VERBS takes them."""

import contextlib
import json

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.protocol import verbs as v
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.verb_errors import VERB_ERROR_NUMBER, VerbFault
from keepgate.protocol.verb_params import read_verb_params
from keepgate.protocol.wire import unstructure

JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists)
PARAMS = [row.params for row in OPERATIONS if row.is_verb]


def _fault(raw: object, cls: type) -> VerbFault:
    with pytest.raises(VerbFault) as caught:
        read_verb_params(raw, cls)
    return caught.value


@pytest.mark.parametrize("absent", [None, ""])
def test_an_optional_parameter_without_a_value_is_absent(absent: object) -> None:
    """Harnesses send null and empty strings for what they leave out."""
    raw = {"fact": "f", "provenance": "p", "kind": absent, "ttl": absent, "visibility": absent}

    params, warnings = read_verb_params(raw, v.RememberParams)

    assert v.RememberParams(fact="f", provenance="p") == params
    assert [] == warnings


def test_a_required_parameter_keeps_its_empty_value() -> None:
    """A blank provenance is the handler's to name; null is of the wrong type."""
    params, _ = read_verb_params({"fact": "f", "provenance": ""}, v.RememberParams)

    assert "" == params.provenance
    assert (
        "provenance expected a string, got null"
        == _fault({"fact": "f", "provenance": None}, v.RememberParams).message
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({}, "fact is missing; provenance is missing"),
        ({"fact": 1, "provenance": "p"}, "fact expected a string, got an integer"),
        ({"fact": "f", "provenance": "p", "kind": "secret"}, "kind must be one of event, preference"),
        ({"fact": "\ud800", "provenance": "p"}, "fact contains a lone surrogate"),
        ([], "the parameters must be an object"),
        (7, "the parameters must be an object"),
    ],
)
def test_a_complaint_is_an_envelope_with_a_suggestion(raw: object, words: str) -> None:
    """The bad word itself is never echoed (VERBS-errors)."""
    fault = _fault(raw, v.RememberParams)
    envelope = fault.envelope()

    assert fault.message.startswith(words)
    assert "secret" not in fault.message
    assert ("invalid_params", 1) == (envelope["error"], envelope["protocol_version"])
    assert envelope["suggestion"]
    assert VERB_ERROR_NUMBER == fault.number
    assert {**envelope, "code": "invalid_params"} == fault.data()


def test_an_unknown_parameter_is_accepted_with_a_hint() -> None:
    """A newer client is served, a typo is told."""
    raw = {"querry": "x", "zzz": 1, "_meta": {}, "dry_run": True}

    params, warnings = read_verb_params(raw, v.RecallParams)

    assert v.RecallParams() == params
    assert [
        {"code": "unknown_param", "param": "querry", "suggestion": "Did you mean query?"},
        {"code": "unknown_param", "param": "zzz"},
    ] == warnings


def test_a_session_may_be_null_or_given() -> None:
    """Its own names stay camelCase, as everywhere."""
    none, _ = read_verb_params({"session": None}, v.RecallParams)
    given_one, _ = read_verb_params({"session": {"id": "s", "agentPreset": "a"}}, v.RecallParams)

    assert none.session is None
    assert SessionRef(id="s", agent_preset="a") == given_one.session


@pytest.mark.parametrize("cls", PARAMS)
@settings(max_examples=30, deadline=None)
@given(raw=st.dictionaries(st.text(max_size=12), JSON, max_size=8))
def test_whatever_comes_is_params_or_an_envelope(cls: type, raw: dict[str, object]) -> None:
    """Never another exception."""
    names = [*attrs.fields_dict(cls), *raw]
    mixed = dict(zip(names, [*raw.values(), *raw.values()], strict=False))

    with contextlib.suppress(VerbFault):
        params, warnings = read_verb_params(mixed, cls)
        assert isinstance(params, cls)
        assert all(item["code"] == "unknown_param" for item in warnings)


def test_results_leave_out_what_does_not_apply_and_echo_nulls() -> None:
    """Omitted inputs echo as null; optional fields of the answer are absent."""
    result = v.RememberResult(
        id="1", status=v.RememberStatus.INSERTED, status_text="ok", entity_slug=None, valid_until=None
    )

    assert {
        "id": "1", "status": "inserted", "status_text": "ok", "entity_slug": None, "valid_until": None,
        "protocol_version": 1,
    } == unstructure(result)  # fmt: skip


def test_a_number_in_the_place_of_a_text_is_told_how_to_come() -> None:
    """An id that reads as a number is sent as a string; nothing is turned into one."""
    assert str(_fault({"id": 2}, v.ForgetParams).envelope()["suggestion"]).startswith("Send id as a string.")


def test_an_answer_does_not_grow_with_what_is_wrong() -> None:
    """Twenty unknown parameters are named, by the beginnings of their names, and the rest is counted."""
    raw = {"fact": "f", "provenance": "p", **{f"{number}{'x' * 5000}": 1 for number in range(1000)}}

    _, warnings = read_verb_params(raw, v.RememberParams)

    assert [*["unknown_param"] * 20, "more_unknown_params"] == [each["code"] for each in warnings]
    assert 980 == warnings[-1]["count"]
    assert len(json.dumps(warnings)) < 5000
