"""The typed client against a scripted server: the handshake, calls, questions and the end."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from keepgate.protocol.entries import GetParams, GetResult, SessionRef
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.framing import Framing
from keepgate.protocol.language_model import Completion
from keepgate.protocol.lifecycle import MemoryEvent, SessionOpenResult
from keepgate_client import Client, Disconnected, RpcError, UnexpectedAnswer

WAIT_S = 90
ENTRY = {
    "id": "e1",
    "track": "user",
    "scope": "workspace",
    "workspaceKey": "/k",
    "agentKey": "",
    "text": "記憶",
    "source": "keepgate",
    "tags": ["a"],
    "version": 1,
    "createdAt": 1,
    "updatedAt": 1,
}


async def received(client: Client, method: str) -> list[dict]:
    """The params of what the server has received of one method."""
    seen = await client.raw("seen", timeout_s=WAIT_S)
    return [message.get("params") for message in seen if message.get("method") == method]


def running(pid: int) -> bool:
    """Whether a process with this id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_the_handshake_says_who_and_where(command, tmp_path):
    """Process, client, root, folders and settings are sent; initialized follows."""
    other = tmp_path / "a b"
    async with Client.spawn(
        tmp_path,
        workspaces=[other, "file:///c"],
        command=command(),
        settings={"queryLimit": 5},
        client_name="tester",
        client_version="1.2",
    ) as client:
        (params,) = await received(client, "initialize")
        initialized = await received(client, "initialized")

    assert os.getpid() == params["processId"]
    assert {"name": "tester", "version": "1.2"} == params["clientInfo"]
    assert tmp_path.as_uri() == params["rootUri"]
    assert [tmp_path.as_uri(), f"{tmp_path.as_uri()}/a%20b", "file:///c"] == [
        folder["uri"] for folder in params["workspaceFolders"]
    ]
    assert {"queryLimit": 5} == params["initializationOptions"]
    assert [{}] == initialized


async def test_a_client_without_workspace_says_so(command):
    """No folder is null, not an empty list, and settings that were not given are absent."""
    async with Client.spawn(command=command()) as client:
        (params,) = await received(client, "initialize")

    assert (None, None) == (params["rootUri"], params["workspaceFolders"])
    assert "initializationOptions" not in params


async def test_a_relative_workspace_is_taken_from_here(command, tmp_path, monkeypatch):
    """`workspace="."` is the current folder."""
    monkeypatch.chdir(tmp_path)

    async with Client.spawn(".", command=command()) as client:
        (params,) = await received(client, "initialize")

    assert Path.cwd().as_uri() == params["rootUri"]


async def test_only_an_approver_is_announced(command):
    """Without an approver the client claims no ability to ask; with one it does."""
    async with Client.spawn(command=command()) as without:
        (plain,) = await received(without, "initialize")
    async with Client.spawn(command=command(), approver=lambda ask: None) as with_one:
        (asking,) = await received(with_one, "initialize")

    assert "experimental" not in plain["capabilities"]
    assert {"approver": True, "approvalRequest": True, "languageModel": False} == asking["capabilities"][
        "experimental"
    ]["keepgate"]
    assert plain["capabilities"]["window"]["workDoneProgress"] is True


async def test_a_language_model_is_announced_and_asked(command):
    """It is said to be there, and what it raises is an error to the server and ends nothing."""

    def model(request):
        if request.max_tokens < 1:
            raise ValueError("no room")
        return Completion(text=f"{request.purpose}: {request.messages[0].content}", model="m")

    async with Client.spawn(command=command(), language_model=model) as client:
        (params,) = await received(client, "initialize")
        asked = {
            "purpose": "synthesize",
            "system": "s",
            "messages": [{"role": "user", "content": "q"}],
            "responseFormat": "json",
        }
        failed = await client.raw(
            "ask", {"method": "languageModel/complete", "params": {**asked, "maxTokens": 0}}
        )
        answer = await client.raw(
            "ask", {"method": "languageModel/complete", "params": {**asked, "maxTokens": 9}}
        )

    announced = params["capabilities"]["experimental"]["keepgate"]
    assert {"approver": False, "approvalRequest": False, "languageModel": True} == announced
    assert ("synthesize: q", "m") == (answer["result"]["text"], answer["result"]["model"])
    assert "error" in failed


async def test_capabilities_are_laid_over_the_clients_own(command):
    """Given capabilities are merged member by member."""
    given = {"window": {"showMessage": {}}, "experimental": {"keepgate": {"languageModel": True}}}

    async with Client.spawn(command=command(), approver=lambda ask: None, capabilities=given) as client:
        (params,) = await received(client, "initialize")

    assert {"workDoneProgress": True, "showMessage": {}} == params["capabilities"]["window"]
    assert {"approver": True, "approvalRequest": True, "languageModel": True} == params["capabilities"][
        "experimental"
    ]["keepgate"]


@pytest.mark.parametrize("framing", list(Framing))
async def test_the_servers_capabilities_are_typed(command, framing):
    """What the server announced is there, in either framing, and fields of later versions do no harm."""
    async with Client.spawn(command=command(framing), framing=framing) as client:
        capabilities, workspaces = client.capabilities, client.workspaces
        version = client.initialize_result["serverInfo"]["version"]

    assert (framing, "/store.db") == (capabilities.framing, capabilities.store_path)
    assert ["/k"] == [workspace.key for workspace in workspaces]
    assert "1" == version


async def test_a_session_becomes_the_default(command):
    """A given session is opened as the connection's default."""
    session = SessionRef(id="s", agent_preset="coder", cwd="/k")

    async with Client.spawn(command=command(), session=session) as client:
        opened = await received(client, "session/open")
        default = client.default_session

    assert [{"id": "s", "agentPreset": "coder", "cwd": "/k", "default": True}] == opened
    assert SessionOpenResult(workspace_key="/k", rule="cwd", agent_key="coder") == default


async def test_a_typed_call_sends_and_returns_types(command):
    """Params go out in wire names without a session that was not given; the result is typed."""
    async with Client.spawn(command=command()) as client:
        await client.raw("can", {"method": "memory/get", "answer": {"result": {"entry": ENTRY}}})
        result = await client.call("memory/get", GetParams(id="e1"), GetResult)
        sent = await received(client, "memory/get")

    assert ("e1", "記憶", ("a",), None) == (
        result.entry.id,
        result.entry.text,
        result.entry.tags,
        result.entry.session_id,
    )
    assert [{"id": "e1", "allWorkspaces": False}] == sent


async def test_an_explicit_null_session_is_sent(command):
    """`session=None` asks for the management view and is not the same as no session."""
    async with Client.spawn(command=command()) as client:
        await client.raw("can", {"method": "memory/get", "answer": {"result": {"entry": ENTRY}}})
        await client.call("memory/get", GetParams(id="e1", session=None), GetResult)
        (sent,) = await received(client, "memory/get")

    assert {"id": "e1", "allWorkspaces": False, "session": None} == sent


async def test_a_result_of_another_shape_is_not_a_fault_of_the_caller(command):
    """A result this client does not know raises UnexpectedAnswer with the place."""
    async with Client.spawn(command=command()) as client:
        await client.raw("can", {"method": "memory/get", "answer": {"result": {"entry": {"id": 5}}}})

        with pytest.raises(UnexpectedAnswer, match="memory/get"):
            await client.call("memory/get", GetParams(id="e1"), GetResult)


async def test_notifications_are_typed(command):
    """Notifications of the table arrive as their type, others as JSON, until withdrawn."""
    event = {"seq": 3, "id": "e1", "track": "user", "scope": "workspace", "sessionId": None}
    told = {"notifications": [["memory/added", event], ["other", {"x": 1}]]}
    added, others = [], []

    async with Client.spawn(command=command()) as client:
        client.on("memory/added", added.append)
        withdraw = client.on("other", others.append)
        await client.raw("tell", told)
        withdraw()
        await client.raw("tell", told)

    expected = MemoryEvent(seq=3, id="e1", track="user", scope="workspace", session_id=None)
    assert [expected, expected] == added
    assert [{"x": 1}] == others


async def test_progress_is_told_by_token(command):
    """Progress of another token is not delivered, and a progress token is accepted."""
    values = []
    told = [["$/progress", {"token": token, "value": {"kind": token}}] for token in ("mine", "yours")]

    async with Client.spawn(command=command()) as client:
        client.on_progress("mine", values.append)
        created = await client.raw("ask", {"method": "window/workDoneProgress/create", "params": {}})
        await client.raw("tell", {"notifications": told})

    assert None is created["result"]
    assert [{"kind": "mine"}] == values


async def test_a_complaint_without_id_fails_what_waits(command):
    """When the server could not read a message, no call is left waiting for its answer."""
    async with Client.spawn(command=command()) as client:
        with pytest.raises(RpcError, match="not JSON"):
            await client.raw("no-id", timeout_s=WAIT_S)


async def test_a_fault_of_initialize_is_raised_and_leaves_no_process(command, tmp_path):
    """A store that cannot be opened is a fault of spawn."""
    pid_file = tmp_path / "pid"
    data = {"code": "STORE_CORRUPT", "details": {"path": "/s"}}
    script = (
        f"import os, pathlib; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid())); import sys;"
        "sys.stdin.readline(); import json;"
        f"print(json.dumps(dict(jsonrpc='2.0', id=1, error=dict(code=-32057, message='bad', data={data!r}))),"
        "flush=True); sys.stdin.read()"
    )

    with pytest.raises(Fault) as caught:
        async with Client.spawn(command=[sys.executable, "-c", script], framing=Framing.LINES):
            pytest.fail("the body must not run")

    assert Code.STORE_CORRUPT == caught.value.code
    assert not running(int(pid_file.read_text()))


async def test_a_server_that_is_no_sidecar_is_told_apart(command, monkeypatch):
    """An initialize result without keepgate's announcement is UnexpectedAnswer."""
    script = (
        "import sys; sys.stdin.readline();"
        'print(\'{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}\', flush=True); sys.stdin.read()'
    )

    with pytest.raises(UnexpectedAnswer, match="initialize"):
        async with Client.spawn(command=[sys.executable, "-c", script], framing=Framing.LINES):
            pytest.fail("the body must not run")


async def test_a_mute_server_does_not_hold_up_for_ever(command, monkeypatch):
    """A command that answers nothing ends in TimeoutError."""
    monkeypatch.setattr("keepgate_client.client.START_S", 0.2)
    monkeypatch.setattr("keepgate_client.client.GRACE_S", 0.2)

    with pytest.raises(TimeoutError):
        async with Client.spawn(command=command(Framing.LSP, "--mute")):
            pytest.fail("the body must not run")


async def test_leaving_shuts_down_in_order(command, monkeypatch):
    """shutdown, then exit: the server leaves by itself with code 0."""
    monkeypatch.setattr("keepgate_client.client.GRACE_S", WAIT_S)

    async with Client.spawn(command=command()) as client:
        process = client._connection.process

    assert 0 == process.exit_code


async def test_leaving_ends_a_stubborn_server(command, monkeypatch):
    """A server that ignores exit, the end of input and SIGTERM is killed."""
    monkeypatch.setattr("keepgate_client.client.GRACE_S", 0.2)

    async with Client.spawn(command=command(Framing.LSP, "--stubborn")) as client:
        process = client._connection.process

    assert -signal.SIGKILL == process.exit_code
    assert not running(process.pid)


async def test_an_error_in_the_body_leaves_no_process(command):
    """Whatever the body raises comes out, and the process is gone."""
    pids = []

    async def fail() -> None:
        async with Client.spawn(command=command()) as client:
            pids.append(client.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert not running(pids[0])


async def test_cancelling_the_owner_leaves_no_process(command):
    """A cancelled task that holds a client ends the process on its way out."""
    pids = asyncio.Queue()

    async def hold() -> None:
        async with Client.spawn(command=command()) as client:
            pids.put_nowait(client.pid)
            await client.raw("hold")

    holding = asyncio.create_task(hold())
    pid = await asyncio.wait_for(pids.get(), WAIT_S)
    holding.cancel()
    await asyncio.wait([holding], timeout=WAIT_S)

    assert holding.cancelled()
    assert not running(pid)


async def test_a_dead_server_is_no_error_on_leaving(command):
    """When the server died, leaving is quiet; what was asked has raised already."""
    async with Client.spawn(command=command()) as client:
        with pytest.raises(Disconnected, match="goodbye"):
            await client.raw("die", {"code": 3, "words": "goodbye\n"})

    assert "goodbye\n" == client.stderr


async def test_a_notification_is_sent(command):
    """`notify` reaches the server."""
    async with Client.spawn(command=command()) as client:
        await client.notify("session/active", {"id": "s"})
        heard = await received(client, "session/active")

    assert [{"id": "s"}] == heard


async def test_the_client_costs_no_editor_library():
    """Importing the client imports neither pygls nor lsprotocol nor a part of keepgate but its protocol."""
    program = (
        "import sys, keepgate_client, keepgate_client.testing;"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('pygls', 'lsprotocol', 'apsw')"
        " or name.startswith('keepgate.') and not name.startswith('keepgate.protocol')))"
    )

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()

    assert b"[]" == output.strip()
