"""synthesize over MCP: the client's own language model is asked, where it offered one (VERBS-synthesize)."""

import json
from typing import Any

import pytest

SAMPLING = {"sampling": {}}
QUESTION = {"question": "When is the release cut?"}
PAGE = {"slug": "people/alice", "content": "# Alice\n\nAlice cuts the release on Thursdays."}


def asked(client: Any) -> Any:
    """The request for a completion."""
    return client.server.request_of_server("sampling/createMessage")


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "model": "scripted-1", "content": {"type": "text", "text": text}}


def test_the_clients_model_composes(open_mcp: Any) -> None:
    """It gets the instructions and the page; its answer and citations come back."""
    client = open_mcp(capabilities=SAMPLING)
    client.call("put_page", PAGE)

    number = client.begin("synthesize", QUESTION)
    request = asked(client)
    answer = {"answer": "On Thursdays.", "citations": ["people/alice", "made/up"], "gaps": []}
    client.server.reply(request, said(json.dumps(answer)))
    result = json.loads(client.finish(number)["content"][0]["text"])

    (message,) = request["params"]["messages"]
    assert "Thursdays" in message["content"]["text"]
    assert "citations" in request["params"]["systemPrompt"]
    assert ("On Thursdays.", ["people/alice"], "ok", "scripted-1") == (
        result["answer"], result["sources"], result["synthesis_status"], result["cost"]["model"],
    )  # fmt: skip


def test_a_client_that_refuses_gets_passages(open_mcp: Any) -> None:
    """Its error is told by its class."""
    client = open_mcp(capabilities=SAMPLING)
    client.call("put_page", PAGE)

    number = client.begin("synthesize", QUESTION)
    error = {"code": -1, "message": "User rejected sampling"}
    client.server.send({"jsonrpc": "2.0", "id": asked(client)["id"], "error": error})
    result = json.loads(client.finish(number)["content"][0]["text"])

    assert ("extractive_fallback", ["people/alice"]) == (result["synthesis_status"], result["sources"])


def test_an_answer_that_is_no_text_gets_passages(open_mcp: Any) -> None:
    """A picture answers no question."""
    client = open_mcp(capabilities=SAMPLING)
    client.call("put_page", PAGE)

    number = client.begin("synthesize", QUESTION)
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    client.server.reply(asked(client), {**said(""), "content": picture})

    assert "extractive_fallback" in client.finish(number)["content"][0]["text"]


@pytest.mark.parametrize("options", [{}, {"version": "2026-07-28", "capabilities": SAMPLING}])
def test_without_a_model_it_is_unavailable(open_mcp: Any, options: dict[str, Any]) -> None:
    """None was offered, or the revision has no way to ask."""
    assert "unavailable" == open_mcp(**options).fail("synthesize", QUESTION)["error"]
