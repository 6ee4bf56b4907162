"""synthesize over the LSP connection, with a scripted model at the client's end (VERBS-synthesize)."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate_client.errors import RpcError
from keepgate_client.testing import FakeEditor

CAPABILITIES = {"experimental": {"keepgate": {"languageModel": True}}}
PAGES = {
    "people/alice.md": "---\ntitle: Alice\n---\n\nAlice cuts the release every Thursday.\n",
    "projects/apollo.md": "# Apollo\n\nThe release train of Apollo is run by [[people/alice]].\n",
}
Model = Callable[[Any], Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in PAGES.items():
        file = root / ".keepgate/pages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
async def editor(tmp_path: Path, project: Path) -> AsyncIterator[FakeEditor]:
    home = {"KEEPGATE_HOME": str(tmp_path / "home")}
    async with FakeEditor.spawn(project, capabilities=CAPABILITIES, env=home) as editor:
        await editor.request("pages/reindex", {})
        yield editor


def answering(answer: Any) -> tuple[Callable[[Any], Awaitable[Any]], list[Any]]:
    asked: list[Any] = []

    async def complete(params: Any) -> Any:
        asked.append(params)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return complete, asked


def said(text: str) -> dict[str, Any]:
    return {"text": text, "model": "scripted-1", "inputTokens": 321, "outputTokens": 12}


async def test_an_answer_is_composed_from_pages(editor: FakeEditor) -> None:
    """The model sees pages as data, its citations are checked, its tokens are told."""
    answer = {"answer": "On Thursdays.", "citations": ["people/alice", "made/up"], "gaps": ["the hour"]}
    complete, asked = answering(said(json.dumps(answer)))
    editor.on_request("languageModel/complete", complete)

    result = await editor.request("verbs/synthesize", {"question": "When is the release cut?"})

    assert {
        "answer": "On Thursdays.",
        "sources": ["people/alice"],
        "gaps": ["the hour"],
        "cost": {"model": "scripted-1", "input_tokens": 321, "output_tokens": 12, "usd_estimate": None},
        "synthesis_status": "ok",
        "pages_gathered": 1,
        "takes_gathered": 0,
        "warnings": [],
        "protocol_version": 1,
    } == result
    (request,) = asked
    assert ("synthesize", "json") == (request["purpose"], request["responseFormat"])
    notes = json.loads(request["messages"][0]["content"])
    assert ["people/alice"] == [page["slug"] for page in notes["pages"]]


@pytest.mark.parametrize(
    ("answer", "warning"),
    [
        (said("I would rather not."), "LLM_OUTPUT_NOT_JSON"),
        (said('{"answer": ""}'), "SYNTHESIS_EMPTY_ANSWER"),
        (RpcError(-32000, "HTTP 429: slow down, key sk-12345"), "LLM_CALL_FAILED: rate_limited"),
        (RpcError(-32000, "timed out"), "LLM_CALL_FAILED: timeout"),
        ({"no": "text"}, "LLM_CALL_FAILED: provider_error"),
    ],
)
async def test_a_failed_composition_falls_back_to_quoting(
    editor: FakeEditor, answer: Any, warning: str
) -> None:
    """The digest holds retrieved text alone, and nothing of what the provider said."""
    complete, _ = answering(answer)
    editor.on_request("languageModel/complete", complete)

    result = await editor.request("verbs/synthesize", {"question": "release"})

    assert ("extractive_fallback", [warning]) == (result["synthesis_status"], result["warnings"])
    assert {"people/alice", "projects/apollo"} == set(result["sources"])
    assert "Alice cuts the release every Thursday." in result["answer"]
    assert "sk-12345" not in json.dumps(result)


async def test_without_pages_a_failure_is_no_answer(editor: FakeEditor) -> None:
    """The error names what became of the compose step."""
    complete, _ = answering(said("no"))
    editor.on_request("languageModel/complete", complete)

    with pytest.raises(VerbFault) as caught:
        await editor.request("verbs/synthesize", {"question": "xylophone quartets"})

    assert VerbCode.UNAVAILABLE is caught.value.code
    assert "retrieved 0 pages; compose failed: LLM_OUTPUT_NOT_JSON" == caught.value.message
    assert caught.value.suggestion


async def test_an_empty_gather_never_has_an_answer(editor: FakeEditor) -> None:
    """What the model makes up without notes is not passed on."""
    complete, _ = answering(said('{"answer": "Forty-two.", "citations": []}'))
    editor.on_request("languageModel/complete", complete)

    with pytest.raises(VerbFault) as caught:
        await editor.request("verbs/synthesize", {"question": "xylophone quartets"})

    assert "retrieved 0 pages; compose failed: SYNTHESIS_EMPTY_ANSWER" == caught.value.message


@pytest.mark.parametrize(
    ("window", "gathered"),
    [
        ({"since": "2020-01", "until": "9999-12"}, 2),
        ({"until": "2001-01-31"}, 0),
        ({"since": "1 hour ago"}, 2),
    ],
)
async def test_a_window_narrows_what_is_gathered(
    editor: FakeEditor, window: dict[str, str], gathered: int
) -> None:
    """By when pages changed."""
    complete, asked = answering(said('{"answer": "Yes.", "citations": []}'))
    editor.on_request("languageModel/complete", complete)

    await editor.request_raw("verbs/synthesize", {"question": "release", **window})

    assert gathered == len(json.loads(asked[0]["messages"][0]["content"])["pages"])


@pytest.mark.parametrize(
    "params",
    [
        {"question": " "},
        {"question": "x", "since": "soon"},
        {"question": "x", "since": "2026-02", "until": "2026-01"},
    ],
)
async def test_bad_params_are_told_before_anything_is_spent(
    editor: FakeEditor, params: dict[str, str]
) -> None:
    """No call, no internal error."""
    complete, asked = answering(said("{}"))
    editor.on_request("languageModel/complete", complete)

    with pytest.raises(VerbFault) as caught:
        await editor.request("verbs/synthesize", params)

    assert VerbCode.INVALID_PARAMS is caught.value.code
    assert [] == asked


async def test_a_client_without_a_model_is_told_so(tmp_path: Path, project: Path) -> None:
    """Never a fake answer, whatever was gathered; the client is not asked."""
    async with FakeEditor.spawn(project, env={"KEEPGATE_HOME": str(tmp_path / "home")}) as editor:
        with pytest.raises(VerbFault) as caught:
            await editor.request("verbs/synthesize", {"question": "release"})

        assert VerbCode.UNAVAILABLE is caught.value.code
        assert "no language model is configured" == caught.value.message
        assert [] == editor.transcript.requests("languageModel/complete")
