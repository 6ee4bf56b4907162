"""Deciding what waits: only at a terminal, after the whole change was shown."""

import json

import pytest

TEXT = "Prefers small commits."
LEAVING = "leave it waiting: "


@pytest.fixture
def waiting(keepgate):
    """The id of a wish that waits."""
    keepgate.run("add", TEXT, "--tag", "git")
    return pending(keepgate)[0]


def test_a_yes_stores_the_wish(keepgate, waiting):
    """The question of the inbox shows the change, and ``y`` stores it under the inbox's name."""
    deciding = keepgate.at_terminal("proposals", "approve", waiting, env={"NO_COLOR": "1"})
    deciding.until(LEAVING)
    deciding.type("y\r")
    code = deciding.end()

    assert f"Proposal {waiting}, pending\nkeepgate asks: add a memory to user/workspace?" in deciding.screen
    assert f"+ {TEXT}\n" in deciding.screen
    assert (0, [TEXT], []) == (code, texts(keepgate), pending(keepgate))
    assert "allowed-once (via inbox, writePolicy ask)" == newest(keepgate)["outcome"]


def test_the_result_of_approving_is_data_with_json(keepgate, waiting):
    """The approved proposal and its ledger rows are the one document on stdout."""
    deciding = keepgate.at_terminal("--json", "proposals", "approve", waiting, piped_stdout=True)
    deciding.until(LEAVING)
    deciding.type("y\r")
    result = json.loads(deciding.process.stdout.read())
    deciding.end()

    assert ("approved", [newest(keepgate)["seq"]]) == (result["proposal"]["status"], result["seqs"])


@pytest.mark.parametrize("keys", ["n\r", "\r", "\x04", "\x03"], ids=["n", "empty", "eof", "ctrl-c"])
@pytest.mark.parametrize("command", ["approve", "dismiss"])
def test_anything_but_yes_leaves_it_waiting(keepgate, waiting, command, keys):
    """Looking at a wish decides nothing."""
    deciding = keepgate.at_terminal("proposals", command, waiting)
    deciding.until(LEAVING)
    deciding.type(keys)

    assert (3, [waiting], []) == (deciding.end(), pending(keepgate), texts(keepgate))


def test_dismissing_closes_without_storing(keepgate, waiting):
    """``y`` to dismissing ends the wish; nothing is stored, and it cannot be approved any more."""
    deciding = keepgate.at_terminal("proposals", "dismiss", waiting, "--reason", "not true")
    deciding.until(LEAVING)
    deciding.type("y\r")
    code = deciding.end()

    again = keepgate.at_terminal("proposals", "approve", waiting).end()
    assert (0, [], []) == (code, pending(keepgate), texts(keepgate))
    assert 4 == again


def test_d_shows_the_hash_before_deciding(keepgate, waiting):
    """The details of the inbox name the hash that the yes will name."""
    shown = keepgate.here("--json", "proposals", "show", waiting).json["ask"]["hash"]
    deciding = keepgate.at_terminal("proposals", "approve", waiting)
    deciding.until(LEAVING)
    deciding.type("d\r")
    deciding.until(shown)
    deciding.until(LEAVING)
    deciding.type("y\r")

    assert (0, [TEXT]) == (deciding.end(), texts(keepgate))


def test_the_beginning_of_an_id_is_enough(keepgate, waiting):
    """Ids can be typed as the tables show them."""
    deciding = keepgate.at_terminal("proposals", "approve", waiting[:8])
    deciding.until(LEAVING)
    deciding.type("y\r")

    assert (0, [TEXT]) == (deciding.end(), texts(keepgate))


def test_a_wish_that_can_no_longer_be_made_is_not_offered(keepgate):
    """The target has gone meanwhile: approving says why instead of asking, dismissing still works."""
    keepgate.trusting()
    keepgate.here("add", TEXT)
    keepgate.asking()
    keepgate.run("replace", "small", "Prefers tiny commits.")
    wish = pending(keepgate)[0]
    keepgate.trusting()
    keepgate.here("remove", "small")
    keepgate.asking()

    approving = keepgate.at_terminal("proposals", "approve", wish)
    refused = approving.end()
    dismissing = keepgate.at_terminal("proposals", "dismiss", wish, env={"NO_COLOR": "1"})
    dismissing.until(LEAVING)
    dismissing.type("y\r")
    dismissed = dismissing.end()

    assert (3, 0, []) == (refused, dismissed, pending(keepgate))
    assert "ENTRY_NOT_FOUND" in approving.screen
    assert "! It can no longer be made: ENTRY_NOT_FOUND" in dismissing.screen


def test_another_workspace_does_not_see_it(keepgate, waiting, tmp_path):
    """A wish of one workspace cannot be decided from another."""
    other = tmp_path / "other"
    other.mkdir()

    done = keepgate.here("--workspace", str(other), "proposals", "show", waiting)

    assert 4 == done.code


def test_the_list_can_show_what_was_decided(keepgate, waiting):
    """``--status`` chooses; without it only what waits is listed."""
    deciding = keepgate.at_terminal("proposals", "dismiss", waiting)
    deciding.until(LEAVING)
    deciding.type("y\r")
    deciding.end()

    by_status = {
        status: [
            item["id"] for item in keepgate.here("--json", "proposals", "--status", status).json["proposals"]
        ]
        for status in ("pending", "dismissed", "approved", "all")
    }

    assert {"pending": [], "dismissed": [waiting], "approved": [], "all": [waiting]} == by_status


def pending(keepgate):
    """The ids of what waits."""
    return [item["id"] for item in keepgate.here("--json", "proposals").json["proposals"]]


def texts(keepgate):
    """The texts in the store."""
    return [entry["text"] for entry in keepgate.here("--json", "list").json["entries"]]


def newest(keepgate):
    """The newest ledger row."""
    return keepgate.here("--json", "audit", "--limit", "1").json["rows"][0]
