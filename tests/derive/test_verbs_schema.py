"""The normative schema of MEMORY_VERBS v1, and that the runner's judge agrees with JSON Schema about it."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from keepgate.conformance.shapes import problems
from keepgate.derive.verbs_schema import (
    VERBS_SCHEMA_PATH,
    protocol_document,
    response_schemas,
    verbs_schema,
)

THREAD = {"kind": "commitment", "text": "x", "date": None}
PAGE = {"slug": "a/b", "title": "B", "updated_at": "2026-11-30T12:00:00.000Z"}
ANSWERS: dict[str, dict[str, Any]] = {
    "recall": {
        "protocol_version": 1, "total": 1,
        "facts": [{"id": 1, "fact_id": "1", "fact": "x", "kind": "fact", "provenance": "y",
                   "valid_until": None}],
        "results": [{"slug": "a", "title": None, "evidence": "alias_hit", "create_safety": "exists",
                     "provenance": "a"}],
    },
    "remember": {"protocol_version": 1, "id": "1", "status": "inserted", "status_text": "x",
                 "entity_slug": None, "valid_until": None},
    "entity": {
        "protocol_version": 1, "found": True, "latency_ms": 0,
        "card": {"entity": {"slug": "a", "title": "A"}, "aka": [], "summary": "", "last_touched": {},
                 "open_threads": [THREAD], "edges": [{"type": "links_to", "slug": "b"}], "backlink_count": 0,
                 "active_fact_count": 0},
        "suggestions": [{"slug": "a", "title": "A", "create_safety": "unknown"}],
    },
    "synthesize": {"protocol_version": 1, "answer": "x", "sources": [],
                   "cost": {"model": "m", "input_tokens": None, "output_tokens": 1, "usd_estimate": 0.5}},
    "forget": {"protocol_version": 1, "id": "1", "expired": True, "reason": None},
    "context_pack": {"protocol_version": 1, "entities": ["a"], "open_threads": [], "text": "",
                     "cards": [{"slug": "a", "title": "A", "summary": "", "open_threads": []}],
                     "facts": [{"fact": "x", "kind": "event"}]},
    "delta": {"protocol_version": 1, "since": "2026-11-30T12:00:00.000Z", "pages": [PAGE], "facts": [],
              "threads": [THREAD], "text": "", "has_more": False, "next_cursor": {"since": "x", "slug": ""}},
    "error": {"error": "not_found", "message": "x"},
}  # fmt: skip
"""The least that the contract lets an implementation answer."""


def _spoilt(value: Any) -> Iterator[Any]:
    """The value with each part in turn left out, or replaced by something else."""
    if isinstance(value, dict):
        for key in value:
            yield {name: inner for name, inner in value.items() if name != key}
            for other in _spoilt(value[key]):
                yield {**value, key: other}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for other in _spoilt(item):
                yield [*value[:index], other, *value[index + 1 :]]
    yield from (other for other in (None, 7, 1.5, True, "x", [], {}) if other != value)


@pytest.mark.parametrize("verb", list(ANSWERS))
def test_the_least_answer_fits(verb: str) -> None:
    """What the contract requires is enough, and unknown fields are allowed."""
    answer = {**copy.deepcopy(ANSWERS[verb]), "unknown_to_v1": {"a": 1}}

    assert [] == list(problems(answer, response_schemas()[verb]))


@pytest.mark.parametrize("verb", list(ANSWERS))
def test_the_runner_judges_as_json_schema_does(verb: str) -> None:
    """Every answer with one thing changed is judged alike by the runner and by a validator."""
    schema = response_schemas()[verb]
    validator = jsonschema.Draft202012Validator(schema)
    differing = [
        answer
        for answer in _spoilt(ANSWERS[verb])
        if validator.is_valid(answer) != (not list(problems(answer, schema)))
    ]

    assert [] == differing


def test_the_file_is_a_schema_of_the_seven(checkout: Path) -> None:
    """It is valid itself, and knows params and response of each verb; nothing of ours alone is in it."""
    document = json.loads((checkout / VERBS_SCHEMA_PATH).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)

    assert verbs_schema() == document
    assert list(ANSWERS)[:-1] == list(document["x-verbs"])
    assert {"query", "entity", "budget_tokens", "since", "session_id", "limit"} == set(
        document["$defs"]["RecallParams"]["properties"]
    )
    assert ["fact", "provenance"] == document["$defs"]["RememberParams"]["required"]


def test_the_specification_is_complete() -> None:
    """Each verb of the document has schemas that are valid by themselves."""
    document = protocol_document()

    for verb in document["verbs"].values():
        jsonschema.Draft202012Validator.check_schema(verb["input_schema"])
        jsonschema.Draft202012Validator.check_schema(verb["response_schema"])
        assert verb["description"]
    jsonschema.Draft202012Validator.check_schema(document["error_schema"])
