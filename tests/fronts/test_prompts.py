"""The person at an editor: what is asked, which answers count, and in which order."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

PROMPT = "window/showMessageRequest"
ACTIONS = ["Allow once", "Allow for this session", "Show change", "Reject"]
WRITE = {"session": {"id": "s1"}, "track": "agent", "scope": "workspace", "text": "Use tabs."}


def outcome(answer: Any) -> str:
    """``stored``, or the outcome of a denial."""
    if "result" in answer:
        return "stored"
    error = answer["error"]
    assert (-32055, "WRITE_DENIED") == (error["code"], error["data"]["code"])
    return str(error["data"]["details"]["outcome"])


def test_the_prompt(server: Any, project: Path) -> None:
    """One readable line, a blank one, the payload; exactly four actions; Info without warnings."""
    number = server.begin("memory/add", WRITE)

    prompt = server.request_of_server(PROMPT)

    assert {
        "type": 3,
        "message": 'Add to the agent memory of "project"? Source keepgate, session s1.\n'
        f"Workspace: {project.resolve()}\n\nUse tabs.",
        "actions": [{"title": title} for title in ACTIONS],
    } == prompt["params"]
    server.reply(prompt, {"title": "Allow once"})
    assert outcome(server.answer(number)) == "stored"


def test_a_prompt_with_a_warning(server: Any) -> None:
    """Hidden characters are written out, warned of, and make the message a Warning."""
    server.begin("memory/add", {**WRITE, "text": "harmless\u202etxet"})

    params = server.request_of_server(PROMPT)["params"]

    assert params["type"] == 2
    first, second, _, rest = params["message"].split("\n", 3)
    assert second.startswith("Warning: ")
    assert rest == "\nharmless⟨U+202E⟩txet"
    assert "hidden" in second
    assert first.startswith("Add to the agent memory")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"title": "Allow once"}, "stored"),
        ({"title": "Allow for this session", "extra": 1}, "stored"),
        ({"title": "Reject"}, "rejected"),
        (None, "cancelled"),
        ({"title": "allow once"}, "cancelled"),
        ({"title": "Allow once "}, "cancelled"),
        ({"title": "Approve"}, "cancelled"),
        ({"title": ["Allow once"]}, "cancelled"),
        ({"title": None}, "cancelled"),
        ({}, "cancelled"),
        ([], "cancelled"),
        ("Allow once", "cancelled"),
        (True, "cancelled"),
    ],
)
def test_only_an_exact_title_counts(shared_server: Any, answer: Any, expected: str) -> None:
    """A title that was not offered, a malformed result and null are dismissals, not permissions."""
    text = f"Answered with {json.dumps(answer)}."
    asked = len(shared_server.requests(PROMPT))
    number = shared_server.begin("memory/add", {**WRITE, "session": {"id": text}, "text": text})

    shared_server.reply(shared_server.request_of_server(PROMPT, asked + 1), answer)

    assert expected == outcome(shared_server.answer(number))
    found = shared_server.result("memory/query", {"text": text})["entries"]
    stored = [entry["text"] for entry in found].count(text)
    assert (1 if expected == "stored" else 0) == stored


@pytest.mark.parametrize(
    "error", [{"code": -32601, "message": "no such method"}, {"code": 1, "message": "no window"}, {}, 5]
)
def test_an_error_means_that_nobody_is_there(shared_server: Any, error: Any) -> None:
    """A client that cannot show a message leaves the wish in the inbox."""
    text = f"Answered with the error {json.dumps(error)}."
    asked = len(shared_server.requests(PROMPT))
    number = shared_server.begin("memory/add", {**WRITE, "text": text})
    prompt = shared_server.request_of_server(PROMPT, asked + 1)

    shared_server.send({"jsonrpc": "2.0", "id": prompt["id"], "error": error})

    assert outcome(shared_server.answer(number)) == "unavailable"
    waiting = shared_server.result("proposals/list", {"status": "pending"})["proposals"]
    assert text in [proposal["text"] for proposal in waiting]


def test_an_answer_without_a_result_is_a_dismissal(server: Any) -> None:
    """Clients that leave ``result`` out when it is nothing have dismissed the prompt."""
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)

    server.send({"jsonrpc": "2.0", "id": prompt["id"]})

    assert outcome(server.answer(number)) == "cancelled"


def test_silence_until_the_deadline(spawn: Any, project: Path) -> None:
    """Nobody answers: unavailable, the wish waits in the inbox, and the late answer changes nothing."""
    server = spawn()
    server.initialize(project, initializationOptions={"approvalTimeoutSeconds": 1})
    number = server.begin("memory/add", WRITE)
    prompt = server.request_of_server(PROMPT)

    denied = server.answer(number)
    server.reply(prompt, {"title": "Allow once"})

    assert outcome(denied) == "unavailable"
    assert server.result("memory/query", {"text": "tabs"})["total"] == 0
    assert len(server.result("proposals/list", {"status": "pending"})["proposals"]) == 1


def test_prompts_come_one_after_another(server: Any) -> None:
    """The second question waits until the first is answered."""
    first = server.begin("memory/add", WRITE)
    second = server.begin("memory/add", {**WRITE, "text": "Use spaces."})
    prompt = server.request_of_server(PROMPT)
    server.result("memory/budgets")
    shown_at_once = len(server.requests(PROMPT))

    server.reply(prompt, {"title": "Allow once"})
    server.answer(first)
    server.reply(server.request_of_server(PROMPT, 2), {"title": "Reject"})

    assert shown_at_once == 1
    assert outcome(server.answer(second)) == "rejected"


def test_a_short_wish_does_not_overtake_a_long_one(spawn: Any, project: Path) -> None:
    """Wishes of one client are asked in the order in which they came, however long each is looked at."""
    server = spawn()
    room = {"userGlobal": 2_000_000, "workspace": 2_000_000}
    server.initialize(project, initializationOptions={"budgets": {"user": room, "agent": room}})
    layer = {"track": "agent", "scope": "workspace"}
    long = [{**layer, "text": f"{number} " + "A line of many words. " * 150} for number in range(200)]
    first = server.begin("memory/seed", {"session": {"id": "s1"}, "entries": long})
    second = server.begin("memory/add", WRITE)

    for count, (number, words) in enumerate([(first, "Add 200 memories"), (second, "Add to the")], 1):
        prompt = server.request_of_server(PROMPT, count)
        server.reply(prompt, {"title": "Reject"})

        assert prompt["params"]["message"].startswith(words)
        assert "rejected" == outcome(server.answer(number))


def test_a_batch_is_shown_whole(server: Any) -> None:
    """Every text of a seed is in the message, and it asks once."""
    texts = [f"Lesson {number}: " + "x" * 30 for number in range(60)]
    entries = [{"track": "agent", "scope": "workspace", "text": text} for text in texts]
    number = server.begin("memory/seed", {"session": {"id": "s1"}, "entries": entries})

    prompt = server.request_of_server(PROMPT)
    server.reply(prompt, {"title": "Allow once"})

    assert [] == [text for text in texts if f"agent/workspace: {text}" not in prompt["params"]["message"]]
    assert prompt["params"]["message"].startswith('Add 60 memories in "project"? ')
    assert server.answer(number)["result"]["added"] == 60
    assert len(server.requests(PROMPT)) == 1


def test_a_leave_that_cannot_follow_is_not_offered(server: Any) -> None:
    """A removal is asked about each time, so its prompt has three buttons; so has one with a warning."""
    number = server.begin("memory/add", WRITE)
    server.reply(server.request_of_server(PROMPT), {"title": "Allow once"})
    server.answer(number)
    removal = {name: WRITE[name] for name in ("session", "track", "scope")} | {"match": WRITE["text"]}
    for count, (method, params) in enumerate(
        [("memory/remove", removal), ("memory/add", {**WRITE, "text": "Use \u202e this."})], 2
    ):
        number = server.begin(method, params)
        prompt = server.request_of_server(PROMPT, count)

        assert [{"title": title} for title in ("Allow once", "Show change", "Reject")] == prompt["params"][
            "actions"
        ]
        server.reply(prompt, {"title": "Reject"})
        server.answer(number)


def test_allowing_for_the_session(server: Any) -> None:
    """A second addition to the same layer in the same session is not asked about."""
    number = server.begin("memory/add", WRITE)
    server.reply(server.request_of_server(PROMPT), {"title": "Allow for this session"})
    server.answer(number)

    server.result("memory/add", {**WRITE, "text": "Use spaces."})

    assert len(server.requests(PROMPT)) == 1


class TestShowChange:
    """``Show change`` opens the change as a document, where the editor can, and asks again."""

    WINDOW: ClassVar = {"window": {"showDocument": {"support": True}}}

    def test_the_document(self, spawn: Any, project: Path) -> None:
        """A private file with the whole change, opened, asked about again, and removed with the answer."""
        server = spawn()
        server.initialize(project, capabilities=self.WINDOW)
        number = server.begin("memory/add", WRITE)
        server.reply(server.request_of_server(PROMPT), {"title": "Show change"})
        shown = server.request_of_server("window/showDocument")
        path = Path(shown["params"]["uri"].removeprefix("file://"))
        text = path.read_text(encoding="utf-8")
        server.reply(shown, {"success": True})

        again = server.request_of_server(PROMPT, 2)
        server.reply(again, {"title": "Allow once"})

        assert outcome(server.answer(number)) == "stored"
        assert server.requests(PROMPT)[0]["params"] == again["params"]
        assert "+++ agent/workspace, source keepgate\nUse tabs.\n" in text
        assert not path.exists()

    @pytest.mark.parametrize("reply", [{"success": False}, None, {"code": -32601, "message": "cannot"}])
    def test_an_editor_that_does_not_open_it(self, spawn: Any, project: Path, reply: Any) -> None:
        """The question comes again all the same: its message holds the whole change."""
        server = spawn()
        server.initialize(project, capabilities=self.WINDOW)
        number = server.begin("memory/add", WRITE)
        server.reply(server.request_of_server(PROMPT), {"title": "Show change"})
        shown = server.request_of_server("window/showDocument")

        member = "error" if reply and "code" in reply else "result"
        server.send({"jsonrpc": "2.0", "id": shown["id"], member: reply})
        server.reply(server.request_of_server(PROMPT, 2), {"title": "Reject"})

        assert outcome(server.answer(number)) == "rejected"

    def test_an_editor_that_cannot_open_documents(self, server: Any) -> None:
        """Without the capability the question comes again at once."""
        number = server.begin("memory/add", WRITE)

        server.reply(server.request_of_server(PROMPT), {"title": "Show change"})
        server.reply(server.request_of_server(PROMPT, 2), {"title": "Allow once"})

        assert outcome(server.answer(number)) == "stored"
        assert [] == server.requests("window/showDocument")

    def test_an_editor_that_shows_for_ever(self, server: Any) -> None:
        """A client that answers every prompt with ``Show change`` has dismissed it at some point."""
        number = server.begin("memory/add", WRITE)

        for count in range(1, 21):
            server.reply(server.request_of_server(PROMPT, count), {"title": "Show change"})

        assert outcome(server.answer(number)) == "cancelled"

    def test_a_document_that_cannot_be_written(self, spawn: Any, project: Path, home: Path) -> None:
        """The client's log says so, and the question comes again."""
        server = spawn()
        server.initialize(project, capabilities=self.WINDOW)
        (home / "state" / "changes").write_text("a file where the folder should be")
        number = server.begin("memory/add", WRITE)

        server.reply(server.request_of_server(PROMPT), {"title": "Show change"})
        server.reply(server.request_of_server(PROMPT, 2), {"title": "Allow once"})

        assert outcome(server.answer(number)) == "stored"
        assert "could not be written" in server.notification("window/logMessage")["message"]

    def test_the_document_goes_with_a_cancelled_request(self, spawn: Any, project: Path, home: Path) -> None:
        """Nothing is left when the question is withdrawn while the document is shown."""
        server = spawn()
        server.initialize(project, capabilities=self.WINDOW)
        number = server.begin("memory/add", WRITE)
        server.reply(server.request_of_server(PROMPT), {"title": "Show change"})
        server.reply(server.request_of_server("window/showDocument"), {"success": True})
        server.request_of_server(PROMPT, 2)

        server.notify("$/cancelRequest", {"id": number})
        server.answer(number)
        server.result("memory/budgets")

        assert [] == list((home / "state" / "changes").iterdir())


STRUCTURED = {"experimental": {"keepgate": {"approvalRequest": True}}}


@pytest.fixture(scope="module")
def rich(start_server: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One server for all of them, whose client puts structured questions."""
    folder = tmp_path_factory.mktemp("rich")
    (folder / "project").mkdir()
    server = start_server(folder / "home")
    try:
        result = server.initialize(folder / "project", capabilities=STRUCTURED)
        assert result["capabilities"]["experimental"]["keepgate"]["approval"] == "request"
        yield server
    finally:
        server.end()


class TestStructuredQuestions:
    """Clients that announced ``approvalRequest`` are asked with ``approval/request``."""

    ASK = "approval/request"

    def begin(self, server: Any, text: str) -> tuple[Any, Any]:
        """Begin a write in a session of its own; the request's id, and the question."""
        asked = len(server.requests(self.ASK))
        number = server.begin(
            "memory/add", {**WRITE, "session": {"id": text}, "text": text, "tags": ["style"]}
        )
        return number, server.request_of_server(self.ASK, asked + 1)

    def test_the_question(self, rich: Any) -> None:
        """The payload is structured and whole, and answered with its hash."""
        number, ask = self.begin(rich, "Use tabs.")

        rich.reply(ask, {"outcome": "allowed-once", "hash": ask["params"]["hash"]})

        assert outcome(rich.answer(number)) == "stored"
        assert ("add", "Use tabs.", "agent") == tuple(
            ask["params"][name] for name in ("action", "text", "track")
        )
        assert ask["params"]["entries"][0]["tags"] == ["style"]
        assert [] == rich.requests(PROMPT)

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({}, "stored"),
            ({"outcome": "allowed-session"}, "stored"),
            ({"outcome": "rejected"}, "rejected"),
            ({"outcome": "cancelled"}, "cancelled"),
            ({"hash": "0" * 64}, "cancelled"),
            ({"outcome": "allowed"}, "cancelled"),
            ({"outcome": True}, "cancelled"),
            ({"hash": None}, "cancelled"),
            (None, "cancelled"),
        ],
    )
    def test_answers(self, rich: Any, change: Any, expected: str) -> None:
        """Only the four outcomes with the hash of the question count; all else is a dismissal."""
        number, ask = self.begin(rich, f"Answered with {json.dumps(change)}.")
        fine = {"outcome": "allowed-once", "hash": ask["params"]["hash"]}

        rich.reply(ask, None if change is None else {**fine, **change})

        assert expected == outcome(rich.answer(number))

    def test_an_error(self, rich: Any) -> None:
        """A client that answers with an error has nobody there."""
        number, ask = self.begin(rich, "Answered with an error.")

        rich.send({"jsonrpc": "2.0", "id": ask["id"], "error": {"code": -32601, "message": "no"}})

        assert outcome(rich.answer(number)) == "unavailable"

    def test_the_client_may_decide(self, rich: Any) -> None:
        """It may also answer proposals from its own inbox, with the hash it was shown."""
        change = {"action": "add", "track": "agent", "scope": "workspace", "text": "Use spaces."}
        made = rich.result("proposals/create", {"session": {"id": "s1"}, "change": change})["proposal"]

        decided = rich.result("proposals/approve", {"id": made["id"], "hash": made["hash"]})

        assert decided["proposal"]["status"] == "approved"


def test_who_may_decide(spawn: Any, project: Path) -> None:
    """Without an announcement a client sees proposals and decides none, and is not told it could."""
    server = spawn()
    result = server.initialize(project)
    change = {"action": "add", "track": "agent", "scope": "workspace", "text": "Use tabs."}
    made = server.result("proposals/create", {"session": {"id": "s1"}, "change": change})["proposal"]

    error = server.error("proposals/approve", {"id": made["id"], "hash": made["hash"]})

    assert error["data"]["code"] == "WRITE_DENIED"
    methods = result["capabilities"]["experimental"]["keepgate"]["methods"]
    assert ("proposals/list" in methods, "proposals/approve" in methods) == (True, False)


def test_an_approver_announced_in_the_options(spawn: Any, project: Path) -> None:
    """Clients that cannot set capabilities announce in ``initializationOptions.client``."""
    server = spawn()

    result = server.initialize(project, initializationOptions={"client": {"approver": True}})

    keepgate = result["capabilities"]["experimental"]["keepgate"]
    assert ("message", True) == (keepgate["approval"], "proposals/dismiss" in keepgate["methods"])
