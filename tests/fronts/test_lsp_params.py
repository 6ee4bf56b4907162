"""Params of the editor protocol: the fields in use strictly, the rest not at all."""

from typing import Any

import pytest

from keepgate.fronts.lsp import params
from keepgate.fronts.lsp.client import announced, client_info, folders_of
from keepgate.protocol.errors import Code, Fault, RpcNumber
from keepgate.protocol.settings import ClientAnnouncement

FOLDER = {"uri": "file:///a", "name": "a"}


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (None, "$"),
        ([], "$"),
        ("x", "$"),
        ({"capabilities": None}, "$.capabilities"),
        ({"capabilities": []}, "$.capabilities"),
        ({"capabilities": {}, "processId": "1"}, "$.processId"),
        ({"capabilities": {}, "processId": True}, "$.processId"),
        ({"capabilities": {}, "processId": 1.5}, "$.processId"),
        ({"capabilities": {}, "rootUri": 5}, "$.rootUri"),
        ({"capabilities": {}, "rootPath": []}, "$.rootPath"),
        ({"capabilities": {}, "clientInfo": "vi"}, "$.clientInfo"),
        ({"capabilities": {}, "clientInfo": {"name": 5}}, "$.clientInfo.name"),
        ({"capabilities": {}, "workspaceFolders": "abc"}, "$.workspaceFolders"),
        ({"capabilities": {}, "workspaceFolders": {}}, "$.workspaceFolders"),
        ({"capabilities": {}, "workspaceFolders": [FOLDER, "b"]}, "$.workspaceFolders[1]"),
        ({"capabilities": {}, "workspaceFolders": [{"name": "a"}]}, "$.workspaceFolders[0].uri"),
    ],
)
def test_initialize_of_the_wrong_shape(raw: Any, path: str) -> None:
    """A field in use of the wrong type is a complaint with its place."""
    with pytest.raises(Fault) as raised:
        params.initialize(raw)

    assert (Code.INVALID_INPUT, RpcNumber.INVALID_PARAMS) == (raised.value.code, raised.value.number)
    assert path == raised.value.details["problems"][0]["path"]


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"capabilities": {}},
        {"capabilities": {"textDocument": 5, "general": {"positionEncodings": 7}, "experimental": []}},
        {"capabilities": {"window": True}, "trace": "loud", "locale": 5, "workDoneToken": []},
        {
            "capabilities": {},
            "processId": None,
            "clientInfo": None,
            "rootUri": None,
            "rootPath": None,
            "workspaceFolders": None,
        },
        {"capabilities": {"window": {"workDoneProgress": 1, "showDocument": {"support": "yes"}}}},
    ],
)
def test_initialize_of_an_unusual_client(raw: Any) -> None:
    """What is absent, null, or of no interest here refuses no client, and announces nothing."""
    given = params.initialize(raw)

    assert given.capabilities.window is not None
    assert given.capabilities.window.show_document is not None
    assert (False, False) == (
        given.capabilities.window.work_done_progress,
        given.capabilities.window.show_document.support,
    )
    assert [] == folders_of(given)


@pytest.mark.parametrize(
    ("raw", "folders"),
    [
        ({"workspaceFolders": [FOLDER], "rootUri": "file:///b", "rootPath": "/c"}, ["file:///a"]),
        ({"workspaceFolders": [], "rootUri": "file:///b", "rootPath": "/c"}, ["file:///b"]),
        ({"workspaceFolders": None, "rootUri": None, "rootPath": "/c"}, ["/c"]),
        ({"rootUri": "", "rootPath": ""}, []),
    ],
)
def test_where_folders_come_from(raw: Any, folders: list[str]) -> None:
    """The folder list counts before the root URI, and that before the root path."""
    assert folders == folders_of(params.initialize(raw))


@pytest.mark.parametrize(
    ("experimental", "expected"),
    [
        (None, (False, False)),
        ([], (False, False)),
        ({"keepgate": True}, (False, False)),
        ({"keepgate": {"approver": "true", "approvalRequest": 1}}, (False, False)),
        ({"keepgate": {"approver": True}}, (True, False)),
        ({"keepgate": {"approvalRequest": True, "somethingNewer": {}}}, (True, True)),
    ],
)
def test_announcements(experimental: Any, expected: tuple[bool, bool]) -> None:
    """Only ``true`` announces; structured questions imply an approver."""
    given = params.initialize({"capabilities": {"experimental": experimental}})

    said = announced(given, ClientAnnouncement())

    assert expected == (said.may_decide, said.approval_request)


def test_announcements_in_the_options() -> None:
    """Clients that cannot set capabilities announce the same in their options."""
    said = announced(params.initialize({}), ClientAnnouncement(approval_request=True))

    assert ("request", True) == (said.approval, said.may_decide)


def test_a_nameless_client_has_a_name() -> None:
    """Ledger rows name every client."""
    assert "unknown client" == client_info(params.initialize({"clientInfo": {"version": "1"}})).name


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {"arguments": []},
        {"command": 5},
        {"command": "x", "arguments": "abc"},
        {"command": "x", "arguments": {"a": 1}},
    ],
)
def test_execute_command_of_the_wrong_shape(raw: Any) -> None:
    """Arguments are an array; nothing else is taken for one."""
    with pytest.raises(Fault) as raised:
        params.execute_command(raw)

    assert RpcNumber.INVALID_PARAMS == raised.value.number


def test_execute_command_keeps_json_as_it_is() -> None:
    """Members called ``jsonrpc`` or ``type_name`` inside arguments mean nothing."""
    argument = {"jsonrpc": "2.0", "type_name": "X", "a": [None, 1.5]}

    given = params.execute_command({"command": "x", "arguments": [argument], "workDoneToken": True})

    assert ([argument], None) == (given.arguments, given.work_done_token)


@pytest.mark.parametrize("raw", [{}, {"value": 5}, {"value": "loud"}])
def test_a_trace_that_is_none(raw: Any) -> None:
    """An unknown trace value is a complaint, not a crash."""
    with pytest.raises(Fault) as raised:
        params.set_trace(raw)

    assert Code.INVALID_INPUT == raised.value.code
