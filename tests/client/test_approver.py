"""Questions to the person, and adapters that run in the client."""

import asyncio

import pytest

from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import Code, Fault
from keepgate_client import (
    AdapterInfo,
    Client,
    ClientAdapter,
    allow_once,
    allow_session,
    dismiss,
    reject,
)
from keepgate_client.testing import ScriptedApprover

WAIT_S = 90
ASK = {
    "id": "p1",
    "action": "replace",
    "track": "user",
    "scope": "workspace",
    "workspaceKey": "/k",
    "agentKey": "",
    "source": None,
    "sessionId": "s",
    "text": "the whole change",
    "hash": "abc123",
    "deadline": 1,
    "warnings": [{"kind": "hidden-characters", "message": "look twice"}],
    "from": "before",
    "to": "after",
    "targets": [
        {
            "id": "e1",
            "version": 2,
            "track": "user",
            "scope": "workspace",
            "workspaceKey": "/w",
            "agentKey": "",
            "text": "before",
            "match": "bef",
        }
    ],
    "laterField": 1,
}
INFO = AdapterInfo(
    id="lines",
    name="Lines",
    description="One memory a line.",
    version="1",
    import_formats=["text"],
    export_format="text",
)
DRAFT = {"track": "user", "scope": "workspace", "text": "x"}


def question() -> dict:
    """Params that let the scripted server ask for an approval."""
    return {"method": "approval/request", "params": ASK}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (allow_once, "allowed-once"),
        (allow_session, "allowed-session"),
        (reject, "rejected"),
        (dismiss, "cancelled"),
    ],
)
async def test_an_answer_echoes_the_hash(command, answer, outcome):
    """Each answer carries its outcome and the hash of the question it belongs to."""
    async with Client.spawn(command=command(), approver=answer) as client:
        answered = await client.raw("ask", question(), timeout_s=WAIT_S)

    assert {"outcome": outcome, "hash": "abc123"} == answered["result"]


async def test_the_approver_sees_the_whole_question(command):
    """The typed question has the text before and after, the targets and the warnings."""
    approver = ScriptedApprover(["rejected"])

    async with Client.spawn(command=command(), approver=approver) as client:
        await client.raw("ask", question(), timeout_s=WAIT_S)

    (ask,) = approver.asks
    assert ("before", "after", "the whole change") == (ask.from_, ask.to, ask.text)
    assert ("bef", "look twice") == (ask.targets[0].match, ask.warnings[0].message)


async def test_a_person_may_take_long_without_holding_up_anything(command):
    """While an approver waits, other calls are answered, also from inside the approver."""
    decided = asyncio.Event()

    async def ask_person(ask):
        await decided.wait()
        assert {"from": "approver"} == await client.raw("echo", {"from": "approver"})
        return allow_once(ask)

    async with Client.spawn(command=command(), approver=ask_person) as client:
        asking = asyncio.create_task(client.raw("ask", question()))
        assert {"n": 1} == await client.raw("echo", {"n": 1}, timeout_s=WAIT_S)
        decided.set()
        answered = await asyncio.wait_for(asking, WAIT_S)

    assert "allowed-once" == answered["result"]["outcome"]


async def test_an_approver_that_raises_is_unreachable(command):
    """Its exception becomes a JSON-RPC error without its text, never an outcome."""
    approver = ScriptedApprover([RuntimeError("a secret")])

    async with Client.spawn(command=command(), approver=approver) as client:
        answered = await client.raw("ask", question(), timeout_s=WAIT_S)

    assert {"code": -32603, "message": "the client failed with RuntimeError"} == answered["error"]


async def test_without_approver_the_question_is_unknown(command):
    """A client that announced no approver answers -32601."""
    async with Client.spawn(command=command()) as client:
        answered = await client.raw("ask", question(), timeout_s=WAIT_S)

    assert -32601 == answered["error"]["code"]


async def test_a_question_of_another_shape_is_refused(command):
    """An approver is never asked about something that is not a whole question."""
    approver = ScriptedApprover(["allowed-once"])

    async with Client.spawn(command=command(), approver=approver) as client:
        answered = await client.raw("ask", {"method": "approval/request", "params": {"id": "p1"}})

    assert "INVALID_INPUT" == answered["error"]["data"]["code"]
    assert [] == approver.asks


async def offered(client: Client, **conversions) -> None:
    """Register the adapter ``lines`` with these conversions."""
    answer = {"result": {"adapter": {**DRAFT_INFO}}}
    await client.raw("can", {"method": "adapters/register", "answer": answer})
    functions = {"adapt": lambda payload: [], "export": lambda entries: None, **conversions}
    await client.adapters.register(ClientAdapter(info=INFO, **functions))


DRAFT_INFO = {
    "id": "lines",
    "name": "Lines",
    "description": "One memory a line.",
    "version": "1",
    "importFormats": ["text"],
    "exportFormat": "text",
}


async def test_a_registered_adapter_adapts(command):
    """The server's adapters/adapt runs the adapter's function and gets its drafts."""
    async with Client.spawn(command=command()) as client:
        await offered(client, adapt=lambda payload: ({**DRAFT, "text": line} for line in payload.split()))
        params = {"method": "adapters/adapt", "params": {"id": "lines", "payload": "a b"}}
        answered = await client.raw("ask", params, timeout_s=WAIT_S)

    assert {"entries": [{**DRAFT, "text": "a"}, {**DRAFT, "text": "b"}]} == answered["result"]


async def test_a_registered_adapter_exports_typed_entries(command):
    """adapters/export hands typed entries to the function, which may be asynchronous."""
    entry = {
        **DRAFT,
        "id": "e1",
        "workspaceKey": "/k",
        "agentKey": "",
        "source": "s",
        "tags": [],
        "version": 1,
        "createdAt": 1,
        "updatedAt": 1,
    }

    async def export(entries: list[Entry]) -> str:
        return "\n".join(each.text for each in entries)

    async with Client.spawn(command=command()) as client:
        await offered(client, export=export)
        params = {"method": "adapters/export", "params": {"id": "lines", "entries": [entry]}}
        answered = await client.raw("ask", params, timeout_s=WAIT_S)

    assert {"payload": "x"} == answered["result"]


async def test_a_payload_it_cannot_convert_is_the_contracts_fault(command):
    """ValueError from an adapter is ADAPTER_PAYLOAD with its reason."""

    def refuse(_):
        raise ValueError("line 3 is empty")

    async with Client.spawn(command=command()) as client:
        await offered(client, adapt=refuse)
        params = {"method": "adapters/adapt", "params": {"id": "lines", "payload": ""}}
        answered = await client.raw("ask", params, timeout_s=WAIT_S)

    assert "ADAPTER_PAYLOAD" == answered["error"]["data"]["code"]
    assert "lines: line 3 is empty" == answered["error"]["message"]


@pytest.mark.parametrize("withdrawn", [False, True])
async def test_an_adapter_that_is_not_offered_is_not_found(command, withdrawn):
    """An unknown or withdrawn adapter is ADAPTER_NOT_FOUND."""
    async with Client.spawn(command=command()) as client:
        if withdrawn:
            await offered(client)
            await client.raw("can", {"method": "adapters/unregister", "answer": {"result": {}}})
            await client.adapters.unregister("lines")
        params = {"method": "adapters/adapt", "params": {"id": "lines", "payload": ""}}
        answered = await client.raw("ask", params, timeout_s=WAIT_S)

    assert "ADAPTER_NOT_FOUND" == answered["error"]["data"]["code"]


async def test_a_refused_registration_is_raised(command):
    """The server's fault comes out of register, and the adapter is not offered."""
    data = {"code": "INVALID_INPUT", "details": {"problems": []}}
    refusal = {"error": {"code": -32050, "message": "taken", "data": data}}

    async with Client.spawn(command=command()) as client:
        await client.raw("can", {"method": "adapters/register", "answer": refusal})
        with pytest.raises(Fault, match="taken") as caught:
            await client.adapters.register(
                ClientAdapter(info=INFO, adapt=lambda payload: [], export=lambda entries: None)
            )

    assert Code.INVALID_INPUT == caught.value.code
