"""Pages through an editor: each write is asked as a difference, and lies in its file when it is answered."""

from pathlib import Path
from typing import Any

PROMPT = "window/showMessageRequest"
SESSION = {"session": {"id": "s1"}}
STRUCTURED = {"experimental": {"keepgate": {"approvalRequest": True}}}


def begun(server: Any, method: str, count: int, **params: Any) -> tuple[Any, dict[str, Any]]:
    """A write whose question has arrived."""
    number = server.begin(method, {**params, **SESSION})
    return number, server.request_of_server(PROMPT, count)


def test_every_write_is_asked_and_done(server: Any, project: Path) -> None:
    """A new page, a link, a date, a note, trust in the folder, a removal: message, answer and file agree."""
    root = project.resolve() / ".keepgate/pages"
    acts = [
        ("pages/put", {"slug": "ada", "content": "# Ada\n"}, "Write page ada", "create ada.md:\n# Ada\n"),
        ("pages/link", {"from": "ada", "to": "mill", "type": "owns"}, "Change page ada", '+  - "[[mill]]"'),
        (
            "pages/timeline",
            {"slug": "ada", "date": "2026-11-30", "text": "Met."},
            "Change page ada",
            "+- 2026-",
        ),
        ("pages/capture", {"text": "Call Ada."}, "Write page inbox/", "Call Ada."),
        ("pages/trust", {}, "Trust a folder of pages", str(root)),
        ("pages/remove", {"slug": "ada"}, "Remove page ada", "remove ada.md:\n"),
    ]
    results = []
    for count, (method, params, headline, shown) in enumerate(acts, 1):
        number, prompt = begun(server, method, count, **params)
        assert prompt["params"]["message"].startswith(headline)
        assert shown in prompt["params"]["message"]
        server.reply(prompt, {"title": "Allow once"})
        results.append(server.answer(number)["result"])
        if method == "pages/timeline":
            assert (
                '---\nowns:\n  - "[[mill]]"\n---\n# Ada\n\n## Timeline\n\n- 2026-11-30: Met.\n'
                == (root / "ada.md").read_text()
            )

    statuses = [result.get("status") for result in results]
    assert ["created", "updated", "updated", "created", None, "removed"] == statuses
    assert [1, 2, 3, 4, 5, 6] == [result["seq"] for result in results]
    assert not (root / "ada.md").exists()


def test_the_document_of_a_page(spawn: Any, project: Path) -> None:
    """``Show change`` opens the difference and, below it, the whole page."""
    page = project / ".keepgate/pages/ada.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Ada\n" + "text\n" * 20 + "end\n")
    server = spawn()
    server.initialize(project, capabilities={"window": {"showDocument": {"support": True}}})
    content = "# Ada\n" + "text\n" * 20 + "The end.\n"
    number, prompt = begun(server, "pages/put", 1, slug="ada", content=content)
    server.reply(prompt, {"title": "Show change"})
    shown = server.request_of_server("window/showDocument")
    text = Path(shown["params"]["uri"].removeprefix("file://")).read_text(encoding="utf-8")
    server.reply(shown, {"success": True})
    server.reply(server.request_of_server(PROMPT, 2), {"title": "Allow once"})
    answer = server.answer(number)["result"]

    assert "-end\n+The end.\n" in text
    assert f"the whole of it after the change\n{content}" in text
    assert "updated" == answer["status"]
    assert content == page.read_text()


def test_the_structured_question_has_both_texts(spawn: Any, project: Path) -> None:
    """A client that asks on its own shows what it likes: before, after, place."""
    page = project / ".keepgate/pages/ada.md"
    page.parent.mkdir(parents=True)
    page.write_text("old\n")
    server = spawn()
    server.initialize(project, capabilities=STRUCTURED)
    number = server.begin("pages/put", {"slug": "ada", "content": "new\n", **SESSION})
    asked = server.request_of_server("approval/request")
    (shown,) = asked["params"]["pages"]
    server.reply(asked, {"outcome": "allowed-session", "hash": asked["params"]["hash"]})
    assert "updated" == server.answer(number)["result"]["status"]

    assert {
        "action": "page-put",
        "workspaceKey": str(project.resolve()),
        "root": str(page.parent.resolve()),
        "slug": "ada",
        "path": "ada.md",
        "before": "old\n",
        "content": "new\n",
    } == shown


def test_an_answered_page_outlives_its_process(spawn: Any, project: Path) -> None:
    """The next editor finds it, although the process that wrote it was killed."""
    first = spawn()
    first.initialize(project)
    number, prompt = begun(first, "pages/put", 1, slug="ada", content="# Ada\n")
    first.reply(prompt, {"title": "Allow once"})
    assert "created" == first.answer(number)["result"]["status"]
    first.process.kill()
    first.process.wait()
    second = spawn()
    second.initialize(project)

    assert "# Ada\n" == second.result("pages/get", {"slug": "ada"})["content"]
