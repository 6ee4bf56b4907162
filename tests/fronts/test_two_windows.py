"""Several clients of one store, and a client that does work for the server."""

from pathlib import Path
from typing import Any

import pytest

PROMPT = "window/showMessageRequest"
WRITE = {"session": {"id": "s1"}, "track": "agent", "scope": "workspace", "text": "Use tabs."}


def test_both_windows_are_told(spawn: Any, project: Path) -> None:
    """The window that asks and the other one of the same workspace hear of the question and of the memory."""
    one, other = spawn(), spawn()
    for server in (one, other):
        server.initialize(project)
        server.notification("keepgate/status")
    number = one.begin("memory/add", WRITE)
    one.reply(one.request_of_server(PROMPT), {"title": "Allow once"})
    entry = one.answer(number)["result"]["entry"]

    added = [server.notification("memory/added") for server in (one, other)]

    assert [entry["id"]] * 2 == [event["id"] for event in added]
    asked, decided = one.notification("approval/asked"), one.notification("approval/decided")
    assert ("Use tabs.", asked["id"], "allowed-once") == (asked["text"], decided["id"], decided["outcome"])
    assert [] == other.requests(PROMPT)


def test_an_inbox_in_another_window(spawn: Any, project: Path) -> None:
    """What nobody answered in one window is decided in another that may."""
    rich = {"experimental": {"keepgate": {"approver": True}}}
    one, other = spawn(), spawn()
    one.initialize(project, initializationOptions={"approvalTimeoutSeconds": 1})
    other.initialize(project, capabilities=rich)
    other.notification("keepgate/status")
    denied = one.error("memory/add", WRITE)
    waiting = other.notification("keepgate/status", lambda status: status["pendingApprovals"] == 1)

    proposal = other.result("proposals/get", {"id": denied["data"]["details"]["proposalId"]})
    approved = other.result(
        "proposals/approve", {"id": proposal["ask"]["id"], "hash": proposal["ask"]["hash"]}
    )

    assert waiting["message"] == "1 waiting for approval"
    assert approved["proposal"]["status"] == "approved"
    assert one.result("memory/query", {"text": "tabs"})["total"] == 1


ADAPTER = {
    "id": "mine",
    "name": "Mine",
    "description": "Lines of a list.",
    "version": "1",
    "importFormats": ["json"],
    "exportFormat": "json",
}


class TestAnAdapterOfTheClient:
    """A client offers an adapter and is asked to run it."""

    @pytest.fixture
    def offering(self, spawn: Any, project: Path) -> Any:
        """A server that knows the client's adapter."""
        server = spawn()
        server.initialize(project, initializationOptions={"writePolicy": "auto"})
        server.result("adapters/register", ADAPTER)
        return server

    def begin_import(self, server: Any) -> Any:
        return server.begin(
            "memory/import", {"session": {"id": "s1"}, "adapter": "mine", "payload": ["Use tabs."]}
        )

    def test_it_is_asked(self, offering: Any) -> None:
        """Its drafts are imported."""
        number = self.begin_import(offering)

        asked = offering.request_of_server("adapters/adapt")
        entries = [{"track": "agent", "scope": "workspace", "text": "Use tabs."}]
        offering.reply(asked, {"entries": entries})

        assert {"id": "mine", "payload": ["Use tabs."]} == asked["params"]
        assert offering.answer(number)["result"]["added"] == 1

    @pytest.mark.parametrize(
        "result", [None, [], {}, {"drafts": []}, {"entries": "none"}, {"entries": ["x"]}]
    )
    def test_it_answers_nonsense(self, offering: Any, result: Any) -> None:
        """A malformed answer is a fault of the adapter."""
        number = self.begin_import(offering)

        offering.reply(offering.request_of_server("adapters/adapt"), result)

        assert offering.answer(number)["error"]["data"]["code"] == "ADAPTER_PAYLOAD"

    @pytest.mark.parametrize("result", [{}, {"entries": []}, None, "text"])
    def test_it_exports_nonsense(self, offering: Any, result: Any) -> None:
        """An answer without a payload is no empty export; one that is null was meant so."""
        lost = offering.begin("memory/export", {"adapter": "mine"})
        offering.reply(offering.request_of_server("adapters/export"), result)
        meant = offering.begin("memory/export", {"adapter": "mine"})
        offering.reply(offering.request_of_server("adapters/export", 2), {"payload": None})

        assert offering.answer(lost)["error"]["data"]["code"] == "ADAPTER_PAYLOAD"
        assert offering.answer(meant)["result"] is None

    def test_it_fails(self, offering: Any) -> None:
        """So is an error, whose words are passed on."""
        number = self.begin_import(offering)
        asked = offering.request_of_server("adapters/adapt")

        offering.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 7, "message": "no such list"}})

        error = offering.answer(number)["error"]
        assert ("ADAPTER_PAYLOAD", True) == (error["data"]["code"], "no such list" in error["message"])

    def test_it_vanishes_with_its_connection(self, offering: Any, spawn: Any, project: Path) -> None:
        """Another client does not see it."""
        other = spawn()
        other.initialize(project)

        assert "mine" in [adapter["id"] for adapter in offering.result("adapters/list")["adapters"]]
        assert "mine" not in [adapter["id"] for adapter in other.result("adapters/list")["adapters"]]
