"""The public test helpers: a scripted approver and a fake editor."""

import asyncio
import signal

import pytest

from keepgate.protocol.framing import Framing
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate_client import Disconnected, RpcError, allow_once
from keepgate_client.testing import PLAIN_EDITOR, FakeEditor, ScriptedApprover

WAIT_S = 90
PROMPT = {"type": 3, "message": "add?", "actions": [{"title": "Allow once"}, {"title": "Reject"}]}
ASK = ApprovalRequestParams(
    id="p1",
    action="add",
    track="user",
    scope="workspace",
    workspace_key="/k",
    agent_key="",
    source=None,
    session_id="s",
    text="t",
    hash="abc",
    deadline=1,
    warnings=[],
)


async def prompt(editor: FakeEditor) -> dict:
    """Let the scripted server show a prompt; returns the editor's answer to it."""
    return await editor.request("ask", {"method": "window/showMessageRequest", "params": PROMPT})


async def test_scripted_answers_are_taken_in_order():
    """Outcomes, builders, ready answers and asynchronous functions; each ask is recorded."""

    async def later(ask):
        await asyncio.sleep(0)
        return allow_once(ask)

    wrong = ApprovalAnswer(outcome="allowed-once", hash="other")
    approver = ScriptedApprover(["rejected", allow_once, wrong, later])

    answers = [await approver(ASK) for _ in range(4)]

    approver.assert_exhausted()
    assert [
        ("rejected", "abc"),
        ("allowed-once", "abc"),
        ("allowed-once", "other"),
        ("allowed-once", "abc"),
    ] == [(each.outcome, each.hash) for each in answers]
    assert [ASK] * 4 == approver.asks


async def test_one_function_answers_every_question():
    """A function instead of a list is never used up."""
    approver = ScriptedApprover(allow_once)

    answers = [await approver(ASK) for _ in range(3)]

    approver.assert_exhausted()
    assert ["allowed-once"] * 3 == [each.outcome for each in answers]


async def test_an_unused_answer_is_a_failure():
    """assert_exhausted raises when an answer was not asked for."""
    approver = ScriptedApprover(["rejected"])

    with pytest.raises(AssertionError, match="1 scripted"):
        approver.assert_exhausted()


async def test_an_unforeseen_question_is_a_failure():
    """A question without an answer raises, and again in assert_exhausted."""
    approver = ScriptedApprover()

    with pytest.raises(AssertionError, match="no reply left"):
        await approver(ASK)
    with pytest.raises(AssertionError, match="1 question"):
        approver.assert_exhausted()


@pytest.mark.parametrize("framing", list(Framing))
async def test_a_plain_editor_introduces_itself(command, framing, tmp_path):
    """By default the editor can show a message with buttons and announces nothing else."""
    async with FakeEditor.spawn(tmp_path, command=command(framing), framing=framing) as editor:
        seen = await editor.request("seen")

    assert ["initialize", "initialized"] == [each["method"] for each in seen[:2]]
    assert PLAIN_EDITOR == seen[0]["params"]["capabilities"]
    assert tmp_path.as_uri() == seen[0]["params"]["rootUri"]
    assert "scripted" == editor.initialize_result["serverInfo"]["name"]


async def later_allow(params):
    """An answer that takes a moment."""
    await asyncio.sleep(0)
    return params["actions"][0]["title"]


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ("Allow once", {"title": "Allow once"}),
        ("Never offered", {"title": "Never offered"}),
        (None, None),
        (later_allow, {"title": "Allow once"}),
        (lambda params: None, None),
        ({"title": 7}, {"title": 7}),
        (5, 5),
    ],
)
async def test_prompts_are_answered_by_the_script(command, reply, result):
    """Titles, dismissals, functions, and answers that no editor would give."""
    async with FakeEditor.spawn(command=command(), answers=[reply]) as editor:
        answered = await prompt(editor)

    assert result == answered["result"]
    assert [PROMPT] == editor.prompts


async def test_an_exception_is_an_error_reply(command):
    """An RpcError in the script is sent as it is."""
    async with FakeEditor.spawn(command=command(), answers=[RpcError(-32601, "no such method")]) as editor:
        answered = await prompt(editor)

    assert {"code": -32601, "message": "no such method"} == answered["error"]


async def test_more_answers_can_be_laid_out_later(command):
    """`answers.then` adds replies while the editor runs."""
    async with FakeEditor.spawn(command=command()) as editor:
        editor.answers.then("Reject")
        answered = await prompt(editor)
        editor.answers.assert_exhausted()

    assert {"title": "Reject"} == answered["result"]


async def test_an_unforeseen_prompt_fails_the_test(command):
    """A prompt without a scripted reply raises on leaving."""
    with pytest.raises(AssertionError, match="no scripted reply"):
        async with FakeEditor.spawn(command=command()) as editor:
            await prompt(editor)


async def test_an_unanswered_request_fails_the_test(command):
    """A prompt that is still open on leaving raises, unless that is tolerated."""

    async def never(_):
        await asyncio.Event().wait()

    async def leave_open(*, tolerate: bool) -> list[dict]:
        async with FakeEditor.spawn(command=command(), answers=never) as editor:
            editor.tolerate_unanswered = tolerate
            editor.begin("ask", {"method": "window/showMessageRequest", "params": PROMPT})
            return await editor.wait_for_prompts(1)

    with pytest.raises(AssertionError, match="never answered: window/showMessageRequest"):
        await leave_open(tolerate=False)
    assert [PROMPT] == await leave_open(tolerate=True)


async def test_a_traceback_on_stderr_fails_the_test(command):
    """A traceback raises on leaving, unless that is tolerated; other words do not."""
    words = {"line": "Traceback (most recent call last)\n", "times": 1}

    with pytest.raises(AssertionError, match="traceback"):
        async with FakeEditor.spawn(command=command()) as editor:
            await editor.request("noise", words)

    async with FakeEditor.spawn(command=command()) as editor:
        await editor.request("noise", {"line": "a warning\n", "times": 1})
        await editor.request("noise", words)
        editor.tolerate_traceback = True

    assert editor.stderr.startswith("a warning\n")


async def test_a_server_that_does_not_leave_fails_the_test(command, monkeypatch):
    """A process that has to be killed raises on leaving, and is killed."""
    monkeypatch.setattr("keepgate_client.testing.editor.GRACE_S", 0.3)

    with pytest.raises(AssertionError, match="did not exit by itself"):
        async with FakeEditor.spawn(command=command(Framing.LSP, "--stubborn")) as editor:
            pass

    assert -signal.SIGKILL == await editor.wait_exit()


async def test_the_error_of_the_body_comes_first(command):
    """A failing body is not hidden by the checks."""

    async def fail() -> None:
        async with FakeEditor.spawn(command=command()) as editor:
            await prompt(editor)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()


async def test_documents_are_recorded_when_supported(command):
    """With show_document the capability is announced and documents are recorded; without: -32601."""
    document = {"uri": "file:///change.md", "takeFocus": True}
    shown = {"method": "window/showDocument", "params": document}

    async with FakeEditor.spawn(command=command(), show_document=True) as editor:
        supported = await editor.request("ask", shown)
        (initialize, *_) = await editor.request("seen")
    async with FakeEditor.spawn(command=command()) as plain:
        unsupported = await plain.request("ask", shown)

    assert {"support": True} == initialize["params"]["capabilities"]["window"]["showDocument"]
    assert ({"success": True}, [document]) == (supported["result"], editor.documents)
    assert -32601 == unsupported["error"]["code"]


async def test_progress_can_be_created(command):
    """window/workDoneProgress/create is answered null."""
    async with FakeEditor.spawn(command=command()) as editor:
        answered = await editor.request("ask", {"method": "window/workDoneProgress/create"})

    assert answered["result"] is None


async def test_whole_responses_are_there(command):
    """request_raw returns results and errors alike; request raises the error."""
    async with FakeEditor.spawn(command=command()) as editor:
        result = await editor.request_raw("echo", {"a": 1})
        error = await editor.request_raw("unknown")
        with pytest.raises(RpcError, match="unknown method"):
            await editor.request("unknown")

    assert ({"a": 1}, -32601) == (result["result"], error["error"]["code"])


async def test_a_request_can_be_cancelled_by_its_id(command):
    """The answer of a cancelled request is still read."""
    async with FakeEditor.spawn(command=command()) as editor:
        call = editor.begin("hold", id="c1")
        editor.cancel("c1")
        answer = await editor.answer_of(call)

    assert ("c1", -32800) == (answer["id"], answer["error"]["code"])


async def test_raw_bytes_are_sent_as_they_are(command):
    """Bytes and messages of one's own making get their responses by id."""
    body = b'{"jsonrpc":"2.0","id":"raw","method":"echo","params":[1]}'

    async with FakeEditor.spawn(command=command()) as editor:
        editor.send_bytes(b"content-length: %d\r\n\r\n%b" % (len(body), body))
        raw = await editor.response("raw")
        editor.send_message({"jsonrpc": "2.0", "id": 1000, "method": "echo", "params": [2]})
        framed = await editor.response(1000)
        await editor.request_raw("echo")
        editor.send_message({"jsonrpc": "2.0", "id": 1001, "method": "no-id"})
        complaint = await editor.response(None)

    assert ([1], [2], -32700) == (raw["result"], framed["result"], complaint["error"]["code"])


async def test_notifications_are_recorded_and_waited_for(command):
    """Past and coming notifications are found, by method and predicate."""
    told = {"notifications": [["a", {"n": 1}], ["b", None], ["a", {"n": 2}]]}

    async with FakeEditor.spawn(command=command()) as editor:
        waiting = asyncio.create_task(
            editor.wait_for_notification("a", lambda params: params["n"] == 2, timeout_s=WAIT_S)
        )
        await editor.request("tell", told)
        first = await editor.wait_for_notification("a")
        empty = await editor.wait_for_notification("b")
        second = await waiting

    assert ({"n": 1}, None, {"n": 2}) == (first, empty, second)
    assert [{"n": 1}, {"n": 2}] == editor.notifications("a")
    assert ["a", "b", "a"] == [each["method"] for each in editor.notifications()]


async def test_waiting_ends_in_time_or_with_the_connection(command):
    """A notification that does not come is TimeoutError; after the end it is Disconnected at once."""
    async with FakeEditor.spawn(command=command()) as editor:
        with pytest.raises(TimeoutError, match="the notification never did not come"):
            await editor.wait_for_notification("never", timeout_s=0.05)
        editor.kill()
        with pytest.raises(Disconnected, match="the notification never"):
            await editor.wait_for_notification("never")


async def test_server_requests_are_recorded_with_their_answers(command):
    """Every request of the server is there, answered or not."""
    async with FakeEditor.spawn(command=command(), answers=["Reject"]) as editor:
        await prompt(editor)
        await editor.request("ask", {"method": "odd/one", "params": {"n": 1}})
        odd = await editor.wait_for_request("odd/one", lambda params: params["n"] == 1)

    assert ["window/showMessageRequest", "odd/one"] == [each.method for each in editor.server_requests]
    assert -32601 == editor.transcript.answer_to(odd)["error"]["code"]
    assert [] == editor.transcript.unanswered()


async def test_other_requests_can_be_answered(command):
    """on_request answers what a plain editor does not know."""

    async def answer(params):
        return {"outcome": "rejected", "hash": params["hash"]}

    async with FakeEditor.spawn(command=command()) as editor:
        editor.on_request("approval/request", answer)
        answered = await editor.request("ask", {"method": "approval/request", "params": {"hash": "h"}})

    assert {"outcome": "rejected", "hash": "h"} == answered["result"]


async def test_an_editor_that_goes_away_is_no_failure(command):
    """After close_stdin or kill, open prompts count for nothing; exit codes are seen."""

    async def never(_):
        await asyncio.Event().wait()

    for leave, code in ((FakeEditor.close_stdin, 1), (FakeEditor.kill, -signal.SIGKILL)):
        async with FakeEditor.spawn(command=command(), answers=never) as editor:
            editor.begin("ask", {"method": "window/showMessageRequest", "params": PROMPT})
            await editor.wait_for_prompts(1)
            leave(editor)
            exit_code = await editor.wait_exit()

        assert code == exit_code


async def test_a_running_process_has_no_exit_code(command):
    """wait_exit raises TimeoutError when its time is over."""
    async with FakeEditor.spawn(command=command()) as editor:
        with pytest.raises(TimeoutError, match="still runs"):
            await editor.wait_exit(0.05)


async def test_the_life_cycle_can_be_driven_by_hand(command):
    """Without initialize nothing is sent; shutdown and exit that were sent are not sent again."""
    async with FakeEditor.spawn(command=command(), initialize=False) as editor:
        seen = await editor.request("seen")
        await editor.request("initialize", editor.initialize_params)
        await editor.request("shutdown")
        await editor.notify("exit")
        exit_code = await editor.wait_exit()

    assert ["seen"] == [each["method"] for each in seen]
    assert 0 == exit_code
