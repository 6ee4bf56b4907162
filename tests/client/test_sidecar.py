"""The client, its blocking face and the fake editor against a real sidecar with a real store."""

import asyncio

import pytest

from keepgate.protocol.entries import AddResult
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.framing import Framing
from keepgate.protocol.lifecycle import MemoryEvent
from keepgate_client import (
    AdapterInfo,
    ApprovalAnswer,
    Client,
    ClientAdapter,
    Scope,
    SessionRef,
    SyncClient,
    Track,
    allow_once,
    reject,
)
from keepgate_client.testing import FakeEditor, ScriptedApprover

WAIT_S = 90
TEXT = '記憶 is kept in nested {"jsonrpc": "2.0"} too. 🗝'
LAYER = {"track": Track.USER, "scope": Scope.WORKSPACE}
ACTIONS = ["Allow once", "Allow for this session", "Show change", "Reject"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty folder for everything the sidecar keeps; returns the workspace beside it."""
    monkeypatch.setenv("KEEPGATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KEEPGATE_STORE", raising=False)
    workspace = tmp_path / "work space"
    workspace.mkdir()
    return workspace


def session(workspace, number: int = 1) -> SessionRef:
    """A session in the workspace."""
    return SessionRef(id=f"session-{number}", cwd=str(workspace))


async def add_one(client: Client, text: str = TEXT) -> AddResult:
    """Add one memory."""
    return await asyncio.wait_for(client.add(text=text, **LAYER), WAIT_S)


@pytest.mark.parametrize("framing", list(Framing))
async def test_an_approved_memory_is_there_in_the_next_session(home, framing):
    """What a person allowed is stored, and the next sidecar of that workspace recalls it."""
    approver = ScriptedApprover(["allowed-once"])
    async with Client.spawn(home, session=session(home), approver=approver, framing=framing) as first:
        added = await add_one(first)
    async with Client.spawn(home, session=session(home, 2), framing=framing) as second:
        found = await second.query(text="記憶")
        snapshot = await second.snapshot()

    approver.assert_exhausted()
    assert TEXT == added.entry.text
    assert [added.entry.id] == [entry.id for entry in found.entries]
    assert TEXT in snapshot.text
    assert TEXT in approver.asks[0].text


async def test_a_rejected_memory_is_a_fault_and_not_stored(home):
    """A rejection raises WRITE_DENIED with its outcome."""
    async with Client.spawn(home, session=session(home), approver=reject) as client:
        with pytest.raises(Fault) as caught:
            await add_one(client)
        found = await client.query()

    assert (Code.WRITE_DENIED, "rejected") == (caught.value.code, caught.value.details["outcome"])
    assert [] == found.entries


async def test_an_answer_to_another_question_denies(home):
    """An allowance with a wrong hash counts as cancelled."""
    wrong = ScriptedApprover([ApprovalAnswer(outcome="allowed-once", hash="0" * 64)])

    async with Client.spawn(home, session=session(home), approver=wrong) as client:
        with pytest.raises(Fault) as caught:
            await add_one(client)

    assert "cancelled" == caught.value.details["outcome"]


async def test_an_approver_that_fails_leaves_the_wish_in_the_inbox(home):
    """Nobody reachable: unavailable, and the proposal can be approved later with its hash."""
    approver = ScriptedApprover([RuntimeError("no screen")])

    async with Client.spawn(home, session=session(home), approver=approver) as client:
        with pytest.raises(Fault) as caught:
            await add_one(client)
        (waiting,) = (await client.proposals_list()).proposals
        approved = await client.proposals_approve(id=waiting.id, hash=waiting.hash)
        found = await client.query()

    assert ("unavailable", waiting.id) == (
        caught.value.details["outcome"],
        caught.value.details["proposalId"],
    )
    assert "approved" == approved.proposal.status
    assert [TEXT] == [entry.text for entry in found.entries]


async def test_a_write_without_session_is_refused(home):
    """No session at all: WRITE_REQUIRES_AGENT, and the approver is not asked."""
    approver = ScriptedApprover()

    async with Client.spawn(home, approver=approver) as client:
        with pytest.raises(Fault) as caught:
            await add_one(client)

    approver.assert_exhausted()
    assert Code.WRITE_REQUIRES_AGENT == caught.value.code


async def test_a_cancelled_call_closes_its_wish(home):
    """Cancelling the task that waits for a person denies the write at the sidecar."""
    asked = asyncio.Event()

    async def never(ask):
        asked.set()
        await asyncio.Event().wait()

    async with Client.spawn(home, session=session(home), approver=never) as client:
        decided = asyncio.get_running_loop().create_future()
        client.on("approval/decided", decided.set_result)
        adding = asyncio.create_task(client.add(text=TEXT, **LAYER))
        await asyncio.wait_for(asked.wait(), WAIT_S)
        adding.cancel()
        outcome = (await asyncio.wait_for(decided, WAIT_S)).outcome

    assert "cancelled" == outcome


async def test_changes_are_notified_with_types(home):
    """memory/added arrives as a MemoryEvent that names the entry."""
    told = asyncio.get_running_loop().create_future()

    async with Client.spawn(home, session=session(home), approver=allow_once) as client:
        client.on("memory/added", told.set_result)
        added = await add_one(client)
        event = await asyncio.wait_for(told, WAIT_S)

    assert (MemoryEvent, added.entry.id) == (type(event), event.id)


async def test_wrong_values_name_their_place(home):
    """A value outside the contract is INVALID_INPUT with a path in wire names."""
    async with Client.spawn(home, session=session(home), approver=allow_once) as client:
        with pytest.raises(Fault) as caught:
            await add_one(client, "")

    assert (Code.INVALID_INPUT, -32050) == (caught.value.code, caught.value.number)
    assert "$.text" == caught.value.details["problems"][0]["path"]


async def test_an_adapter_of_the_client_imports_and_exports(home):
    """A format that only this client knows goes both ways, with one question for the import."""
    info = AdapterInfo(
        id="plain-lines",
        name="Plain lines",
        description="One memory a line.",
        version="1",
        import_formats=["text"],
        export_format="text",
    )
    adapter = ClientAdapter(
        info=info,
        adapt=lambda payload: [
            {"track": "user", "scope": "workspace", "text": line} for line in payload.splitlines()
        ],
        export=lambda entries: "\n".join(sorted(entry.text for entry in entries)),
    )
    approver = ScriptedApprover(["allowed-once"])

    async with Client.spawn(home, session=session(home), approver=approver) as client:
        await client.adapters.register(adapter)
        listed = [each.id for each in (await client.adapters_list()).adapters]
        imported = await client.import_(payload="one\ntwo", adapter="plain-lines")
        exported = await client.export(adapter="plain-lines")

    approver.assert_exhausted()
    assert "plain-lines" in listed
    assert 2 == imported.added
    assert "one\ntwo" == exported


async def test_a_corrupt_store_is_a_fault_of_spawn(home, tmp_path):
    """A store that is no store: STORE_CORRUPT with its path, and the file is left as it was."""
    store = tmp_path / "broken.db"
    store.write_bytes(b"not a database" * 1000)

    with pytest.raises(Fault) as caught:
        async with Client.spawn(home, settings={"storePath": str(store)}):
            pytest.fail("the body must not run")

    assert (Code.STORE_CORRUPT, str(store)) == (caught.value.code, caught.value.details["path"])
    assert b"not a database" * 1000 == store.read_bytes()


async def test_verification_reports_progress(home):
    """A token given with a call yields begin and end."""
    kinds = []

    async with Client.spawn(home, session=session(home), approver=allow_once) as client:
        await add_one(client)
        client.on_progress("check", lambda value: kinds.append(value["kind"]))
        verified = await client.verify(work_done_token="check")

    assert verified.ok
    assert ("begin", "end") == (kinds[0], kinds[-1])


def test_a_script_adds_and_finds(home):
    """The blocking face does the same job."""
    with SyncClient.spawn(home, session=session(home), approver=allow_once) as client:
        added = client.add(text=TEXT, **LAYER)
        found = client.query()

    assert [added.entry.id] == [entry.id for entry in found.entries]


async def test_a_plain_editor_is_asked_with_four_buttons(home):
    """An editor that can show a message stores by the answer to it."""
    async with FakeEditor.spawn(home, answers=["Allow once"]) as editor:
        params = {"track": "user", "scope": "workspace", "text": TEXT, "session": {"id": "s"}}
        added = await editor.request("memory/add", params)

    (prompt,) = editor.prompts
    assert ACTIONS == [action["title"] for action in prompt["actions"]]
    assert "記憶" in prompt["message"]
    assert TEXT == added["entry"]["text"]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("Reject", "rejected"), (None, "cancelled"), (RuntimeError(), "unavailable")],
)
async def test_a_plain_editor_denies(home, answer, outcome):
    """A rejection, a dismissal and an error are three outcomes of the same denial."""
    async with FakeEditor.spawn(home, answers=[answer]) as editor:
        params = {"track": "user", "scope": "workspace", "text": TEXT, "session": {"id": "s"}}
        with pytest.raises(Fault) as caught:
            await editor.request("memory/add", params)

    assert outcome == caught.value.details["outcome"]


async def test_the_editor_leaves_a_sidecar_with_exit_code_0(home):
    """A shutdown and an exit end a real sidecar by itself."""
    async with FakeEditor.spawn(home) as editor:
        pass

    assert 0 == await editor.wait_exit()
