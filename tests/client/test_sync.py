"""The blocking face of the client."""

import inspect
import os
import signal
import threading

import pytest

from keepgate.protocol.entries import GetParams, GetResult, SessionRef
from keepgate_client import (
    AdapterInfo,
    Client,
    ClientAdapter,
    Disconnected,
    RpcError,
    SyncClient,
    allow_once,
)
from keepgate_client.testing import ScriptedApprover

WAIT_S = 90
ASK = {
    "id": "p1",
    "action": "add",
    "track": "user",
    "scope": "workspace",
    "workspaceKey": "/k",
    "agentKey": "",
    "source": None,
    "sessionId": "s",
    "text": "t",
    "hash": "abc123",
    "deadline": 1,
    "warnings": [],
}
QUESTION = {"method": "approval/request", "params": ASK}


def test_both_faces_are_spawned_alike():
    """SyncClient.spawn has the parameters and defaults of Client.spawn."""
    assert inspect.signature(Client.spawn).parameters == inspect.signature(SyncClient.spawn).parameters


def test_calls_block_until_answered(command):
    """Untyped and typed calls, the announcement and the session are there without an event loop."""
    with SyncClient.spawn(command=command(), session=SessionRef(id="s", agent_preset="coder")) as client:
        echoed = client.raw("echo", {"text": "記憶"}, timeout_s=WAIT_S)
        with pytest.raises(RpcError, match="-32601"):
            client.call("memory/get", GetParams(id="e1"), GetResult)
        announced = (client.capabilities.store_path, client.workspaces[0].key)
        agent_key = client.default_session.agent_key

    assert {"text": "記憶"} == echoed
    assert (("/store.db", "/k"), "coder") == (announced, agent_key)


def test_leaving_ends_process_and_thread(command):
    """After the with block neither the process nor the thread is there."""
    with SyncClient.spawn(command=command()) as client:
        pid, thread = client.pid, client._thread

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not thread.is_alive()


def test_a_failed_start_is_raised_here():
    """What Client.spawn raises comes out of SyncClient.spawn."""
    with (
        pytest.raises(FileNotFoundError),
        SyncClient.spawn(command=["/nonexistent/keepgate"]),
    ):
        pytest.fail("the body must not run")


def test_an_approver_may_block_and_may_call_the_client(command):
    """A blocking approver runs in a thread of its own and can use the client meanwhile."""

    def ask_person(ask):
        client.raw("echo", {}, timeout_s=WAIT_S)
        return allow_once(ask)

    with SyncClient.spawn(command=command(), approver=ask_person) as client:
        answered = client.raw("ask", QUESTION, timeout_s=WAIT_S)

    assert {"outcome": "allowed-once", "hash": "abc123"} == answered["result"]


def test_an_asynchronous_approver_works_too(command):
    """The scripted approver serves both faces of the client."""
    approver = ScriptedApprover(["rejected", RuntimeError()])

    with SyncClient.spawn(command=command(), approver=approver) as client:
        rejected = client.raw("ask", QUESTION, timeout_s=WAIT_S)
        failed = client.raw("ask", QUESTION, timeout_s=WAIT_S)

    approver.assert_exhausted()
    assert "rejected" == rejected["result"]["outcome"]
    assert -32603 == failed["error"]["code"]


def test_a_blocking_approver_that_raises_is_unreachable(command):
    """Its exception becomes an error answer."""

    def fail(_):
        raise RuntimeError

    with SyncClient.spawn(command=command(), approver=fail) as client:
        answered = client.raw("ask", QUESTION, timeout_s=WAIT_S)

    assert -32603 == answered["error"]["code"]


def test_an_approver_that_never_answers_does_not_hold_up_the_end(command):
    """Leaving does not wait for a thread that waits for a person."""
    asked, never = threading.Event(), threading.Event()

    def wait(ask):
        asked.set()
        never.wait()
        return allow_once(ask)

    with SyncClient.spawn(command=command(), approver=wait) as client:
        with pytest.raises(TimeoutError):
            client.raw("ask", QUESTION, timeout_s=0.2)
        assert asked.wait(WAIT_S)
        pid = client.pid
    never.set()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_notifications_arrive_until_withdrawn(command):
    """Callbacks hear in the client's thread; after the withdrawal nothing more."""
    heard = []
    told = {"notifications": [["news", 1]]}

    with SyncClient.spawn(command=command()) as client:
        withdraw = client.on("news", lambda params: heard.append((params, threading.current_thread())))
        client.raw("tell", told)
        withdraw()
        client.raw("tell", told)
        thread = client._thread
    withdraw()

    assert [(1, thread)] == heard


def test_a_callback_that_calls_the_client_is_told_so(command):
    """Calling from the client's own thread would wait for ever, so it raises."""
    errors = []

    def call_back(_):
        try:
            client.raw("echo", {})
        except RuntimeError as error:
            errors.append(str(error))

    with SyncClient.spawn(command=command()) as client:
        client.on("news", call_back)
        client.raw("tell", {"notifications": [["news", 1]]})

    assert ["this client cannot be called from its own callbacks"] == errors


def test_a_closed_client_is_told_so(command):
    """A call after the with block raises at once."""
    with SyncClient.spawn(command=command()) as client:
        client.notify("session/active", {})

    with pytest.raises(RuntimeError, match="closed"):
        client.raw("echo", {})


def test_the_death_of_the_server_is_raised(command):
    """A blocked call ends when the process does."""
    with SyncClient.spawn(command=command()) as client, pytest.raises(Disconnected, match="exit code 5"):
        client.raw("die", {"code": 5})


def test_an_interrupt_cancels_the_call_at_the_server(command):
    """Ctrl-C during a blocking call sends $/cancelRequest and comes out as KeyboardInterrupt."""
    on_its_way = threading.Event()

    def interrupt() -> None:
        on_its_way.wait(WAIT_S)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with SyncClient.spawn(command=command()) as client:
        client._client._connection.trace = lambda _, message: (
            on_its_way.set() if message.get("method") == "hold" else None
        )
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            client.raw("hold")
        seen = client.raw("seen", timeout_s=WAIT_S)

    assert 1 == len([each for each in seen if each.get("method") == "$/cancelRequest"])


def test_adapters_are_offered(command):
    """An adapter is registered and withdrawn through blocking calls."""
    wire_info = {
        "id": "a",
        "name": "A",
        "description": "",
        "version": "1",
        "importFormats": [],
        "exportFormat": "text",
    }
    info = AdapterInfo(id="a", name="A", description="", version="1", import_formats=[], export_format="text")

    with SyncClient.spawn(command=command()) as client:
        client.raw("can", {"method": "adapters/register", "answer": {"result": {"adapter": wire_info}}})
        client.raw("can", {"method": "adapters/unregister", "answer": {"result": {}}})
        adapter = ClientAdapter(info=info, adapt=lambda payload: [], export=lambda entries: "out")
        registered = client.register_adapter(adapter)
        exported = client.raw("ask", {"method": "adapters/export", "params": {"id": "a", "entries": []}})
        client.unregister_adapter("a")

    assert info == registered
    assert {"payload": "out"} == exported["result"]
