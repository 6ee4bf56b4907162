"""A client narrows and widens what it is offered, up to what the server allows."""

from typing import Any

import pytest

from keepgate.protocol.operation import Surface
from keepgate.protocol.surfaces import offered


def test_a_client_narrows_and_widens_itself(open_mcp: Any) -> None:
    """The answer, the list and the calls agree at every step."""
    client = open_mcp()

    narrowed = client.call("request_tools", {"surface": "starter"})
    listed = client.tools()
    hidden = client.fail("memory_audit")
    widened = client.call("request_tools", {"surface": "full"})

    assert list(offered(Surface.STARTER)) == listed == narrowed["tools"]
    assert "unknown_tool" == hidden["error"]
    assert ("full", "full") == (widened["surface"], widened["ceiling"])
    assert list(offered(Surface.FULL)) == client.tools() == widened["tools"]
    assert client.call("memory_audit")["rows"] == []


def test_every_change_is_told(open_mcp: Any) -> None:
    """``tools/list_changed``, and only when something changed."""
    client = open_mcp()

    client.call("request_tools", {"surface": "starter"})
    client.call("request_tools", {"surface": "starter"})
    client.call("request_tools")

    assert 1 == len(client.server.notifications("notifications/tools/list_changed"))


def test_the_newest_revision_hears_of_it_where_it_listens(open_mcp: Any) -> None:
    """On ``subscriptions/listen``, and nowhere else."""
    client = open_mcp(version="2026-07-28")
    client.server.begin("subscriptions/listen", client.stamped({"notifications": {"toolsListChanged": True}}))
    client.server.notification("notifications/subscriptions/acknowledged")

    client.call("request_tools", {"surface": "starter"})

    client.server.notification("notifications/tools/list_changed")


@pytest.mark.parametrize("wanted", ["full"])
def test_nothing_above_the_ceiling_is_given(open_mcp: Any, wanted: str) -> None:
    """The server's surface is the most there is."""
    client = open_mcp("--surface", "starter")

    refused = client.fail("request_tools", {"surface": wanted})

    assert "scope_denied" == refused["error"]
    assert "verbs, starter" in refused["suggestion"]
    assert list(offered(Surface.STARTER)) == client.tools()


def test_what_is_no_surface_is_refused(open_mcp: Any) -> None:
    """The message names the surfaces."""
    client = open_mcp()

    refused = client.fail("request_tools", {"surface": "everything"})

    assert "invalid_params" == refused["error"]
    assert "verbs, starter, full" in refused["message"]


def test_a_server_of_the_verbs_has_exactly_the_seven(open_mcp: Any) -> None:
    """There is nothing to widen to, and so no tool that would."""
    client = open_mcp("--surface", "verbs")

    assert list(offered(Surface.VERBS)) == client.tools()
    assert "unknown_tool" == client.fail("request_tools", {"surface": "full"})["error"]


def test_a_client_that_narrows_itself_to_the_verbs_keeps_the_way_back(open_mcp: Any) -> None:
    """To and fro as often as it likes, told each time; nothing else beyond the seven is there meanwhile."""
    client = open_mcp()

    for _ in range(2):
        narrowed = client.call("request_tools", {"surface": "verbs"})
        assert [*offered(Surface.VERBS), "request_tools"] == client.tools() == narrowed["tools"]
        assert "unknown_tool" == client.fail("whoami")["error"]
        widened = client.call("request_tools", {"surface": "full"})
        assert list(offered(Surface.FULL)) == client.tools() == widened["tools"]

    assert 4 == len(client.server.notifications("notifications/tools/list_changed"))


def test_whoami_says_what_is_offered(open_mcp: Any) -> None:
    """The surface of now, and the ceiling."""
    client = open_mcp()
    client.call("request_tools", {"surface": "starter"})

    who = client.call("whoami")

    assert ("starter", "full") == (who["surface"], who["ceiling"])
    assert {"dsh-memory-protocol": 1, "MEMORY_VERBS": 1} == who["contracts"]
    assert ("stdio", True, 1) == (who["transport"], who["remote"], who["protocol_version"])
