"""What a session wrote, out of every read until it is released."""

from collections.abc import Callable
from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.settings import Budgets, TrackBudgets, WritePolicy

UW = {"track": "user", "scope": "workspace"}
PERSON = "people/mallory"
NAMES = ["planted page", "planted", "notes/planted"]
PAGE = f"---\naliases: [planted page]\n---\n# Planted\nplanted words of [[{PERSON}]]\n"


def _fact(text: str, **more: Any) -> dict[str, Any]:
    return {"fact": text, "entity": PERSON, "kind": "fact", "provenance": "a test", **more}


async def _everything_said(client: Any) -> str:
    """What every read answers to a caller of this client, as one text."""
    new = {"id": f"reader-{len(client.person.questions)}", "agentPreset": ""}
    answers = [
        await client.call("memory/query", session=None),
        await client.call("memory/list", session=None),
        await client.call("memory/snapshot", session=new),
        await client.call("memory/export", session=None),
        await client.call("verbs/recall", limit=100),
        await client.call("verbs/recall", query="planted"),
        await client.call("verbs/recall", include_expired=True, limit=100),
        await client.call("verbs/entity", name=PERSON),
        await client.call("verbs/context_pack", entities=PERSON),
        await client.call("verbs/delta", since="2020-01-01"),
        await client.call("verbs/delta", session_id=f"woken-{len(client.person.questions)}"),
        await client.call("pages/list"),
        await client.call("pages/search", query="planted"),
        await client.call("pages/backlinks", slug=PERSON),
        [found["slug"] for found in (await client.call("pages/resolve", names=NAMES))["resolved"]],
        await client.call("verbs/entity", name="planted page"),
    ]
    return repr(answers)


@pytest.fixture
async def planted(house: Any) -> Any:
    """A session that added, seeded, rewrote another's memory and remembered; and a person."""
    await house.client("s0").add("kept by s0")
    bad = house.client("bad")
    await bad.add("planted entry")
    await bad.call("memory/seed", entries=[{**UW, "text": "planted seed", "track": "agent"}])
    await bad.call("memory/replace", **UW, match="kept by s0", text="planted over it")
    await bad.call("verbs/remember", **_fact("A planted fact."))
    return house.client("me")


async def test_it_is_out_of_every_read_until_released(planted: Any) -> None:
    """One question each; release brings all back as it was, in its place."""
    before = (await planted.call("memory/list", session=None))["entries"]

    gone = await planted.call("memory/quarantine", sessionId="bad", reason="read a bad page")
    said = await _everything_said(planted)
    back = await planted.call("memory/release", sessionId="bad")
    after = (await planted.call("memory/list", session=None))["entries"]

    assert "planted" not in said
    assert (3, ["A planted fact."]) == (len(gone["entries"]), [fact["text"] for fact in gone["facts"]])
    assert (3, True) == (len(back["entries"]), back["facts"][0]["active"])
    assert 2 == len(planted.person.questions)
    kept = ("id", "text", "tags", "sessionId", "createdAt")
    assert [[entry[name] for name in kept] for entry in before] == [
        [entry[name] for name in kept] for entry in after
    ]
    assert [entry["version"] + 1 for entry in before] == [entry["version"] for entry in after]
    assert "planted fact" in await _everything_said(planted)


async def test_the_question_says_what_and_why(planted: Any) -> None:
    """The session and the reason in the text, each memory and fact whole."""
    await planted.call("memory/quarantine", sessionId="bad", reason="read a bad page")

    (question,) = planted.person.questions
    assert "quarantine" == question.action
    assert 'what session "bad" wrote:' in question.text
    for part in ("reason: read a bad page", "planted entry", "planted over it", "A planted fact."):
        assert part in question.text


async def test_the_ledger_still_tells_of_it(planted: Any) -> None:
    """Audit, history, why and asOf, marked with their action."""
    entries = (await planted.call("memory/list", session=None))["entries"]
    entry = next(each for each in entries if "entry" in each["text"])
    seq = (await planted.rows())[-1]["seq"]
    await planted.call("memory/quarantine", sessionId="bad")

    history = (await planted.call("memory/history", id=entry["id"]))["versions"]
    why = await planted.call("memory/why", id=entry["id"])
    then = await planted.call("memory/asOf", seq=seq, session=None)

    assert ["add", "quarantine"] == [version["action"] for version in history]
    assert [1, 1] == [version["version"] for version in history]
    assert (None, "quarantine") == (why["entry"], why["chain"][-1]["action"])
    assert "planted entry" in [known["text"] for known in then["entries"]]
    assert 4 == len(await planted.rows("quarantine"))


async def test_what_is_in_quarantine_is_listed(planted: Any, house: Any) -> None:
    """With counts and the reason; not in another workspace, and remote callers hear of no private fact."""
    await house.client("bad").call("verbs/remember", **_fact("A private fact.", visibility="private"))
    await planted.call("memory/quarantine", sessionId="bad", reason="read a bad page")

    (session,) = (await planted.call("memory/quarantined"))["sessions"]
    elsewhere = await house.client(folders=("other",)).call("memory/quarantined")
    (remote,) = (await house.client("r", remote=True).call("memory/quarantined"))["sessions"]

    assert ("bad", "read a bad page", 3, 2) == tuple(
        session[name] for name in ("sessionId", "reason", "entries", "facts")
    )
    assert ([], 1) == (elsewhere["sessions"], remote["facts"])
    await planted.call("memory/release", sessionId="bad")
    assert [] == (await planted.call("memory/quarantined"))["sessions"]


async def test_its_room_is_kept(build: Callable[..., Any]) -> None:
    """Budgets count it, so that nobody takes its place and release finds room."""
    small = TrackBudgets(user_global=20, workspace=20)
    house = await build(budgets=Budgets(user=small, agent=small))
    bad, person = house.client("bad"), house.client("me")
    await bad.add("x" * 15)
    used = (await person.call("memory/budgets"))["budgets"]

    await person.call("memory/quarantine", sessionId="bad")
    meanwhile = (await person.call("memory/budgets"))["budgets"]
    fault = await person.fault("memory/add", **UW, text="y" * 10)
    await person.call("memory/release", sessionId="bad")

    assert used == meanwhile == (await person.call("memory/budgets"))["budgets"]
    assert Code.BUDGET_EXCEEDED == fault.code


async def test_no_policy_answers_for_a_person(build: Callable[..., Any], people: Any) -> None:
    """Both are asked about under ``auto``, and what the session writes meanwhile; no undo goes around it."""
    house = await build(write_policy=WritePolicy.AUTO)
    bad, person = house.client("bad"), house.client("me", person=people(["allowed-once", "rejected"]))
    await bad.add("planted")
    await person.call("memory/quarantine", sessionId="bad")
    seq = (await person.rows("quarantine"))[0]["seq"]

    fault = await person.fault("memory/release", sessionId="bad")
    undone = [await bad.fault("memory/undo", seq=seq), await bad.fault("memory/undo", sessionId="me")]
    await bad.add("more")

    assert (Code.WRITE_DENIED, 2) == (fault.code, len(person.person.questions))
    assert [Code.INVALID_INPUT] * 2 == [each.code for each in undone]
    assert [["quarantined"]] == [[w.kind for w in q.warnings] for q in bad.person.questions]
    assert ["more"] == await bad.texts()


async def test_others_neither_match_nor_change_it(planted: Any, house: Any) -> None:
    """By text or by id; the same text again is no duplicate."""
    entry = (await planted.call("memory/list", session=None))["entries"][1]
    await planted.call("memory/quarantine", sessionId="bad")
    other = house.client("s2")

    by_text = await other.fault("memory/remove", **UW, match="planted entry")
    by_id = await other.fault("memory/replace", **UW, id=entry["id"], text="mine now")
    await other.add("planted entry")

    assert [Code.ENTRY_NOT_FOUND] * 2 == [by_text.code, by_id.code]
    assert [] == other.person.questions[-1].warnings


async def test_another_process_and_the_next_start_leave_it_out(build: Callable[..., Any]) -> None:
    """It is in the store, not in a process."""
    one, two = await build(), await build()
    await one.client("bad").add("planted")
    await one.client("me").call("memory/quarantine", sessionId="bad")
    later = await build()

    assert [] == await two.client().texts() == await later.client().texts()
    await later.client("me").call("memory/release", sessionId="bad")
    assert ["planted"] == await two.client().texts()


async def test_only_what_is_in_sight_goes(house: Any) -> None:
    """Another workspace's memories of a session of that name stay; so do private facts for remote callers."""
    here, there = house.client("bad"), house.client("bad", folders=("other",))
    await here.add("here")
    await there.add("there")
    await here.call("verbs/remember", **_fact("Private.", visibility="private"))

    gone = await house.client("me", remote=True).call("memory/quarantine", sessionId="bad")

    assert (["here"], []) == ([entry["text"] for entry in gone["entries"]], gone["facts"])
    assert ["there"] == await there.texts()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory/quarantine", {"sessionId": "nobody"}),
        ("memory/release", {"sessionId": "nobody"}),
        ("memory/release", {"sessionId": "s1"}),
        ("memory/quarantine", {"sessionId": ""}),
        ("memory/quarantine", {"sessionId": "s1", "reason": ""}),
        ("memory/quarantine", {"sessionId": "s1", "reason": "x" * 501}),
    ],
)
async def test_nothing_to_do_is_refused(client: Any, method: str, params: dict[str, Any]) -> None:
    """INVALID_INPUT; nobody is asked."""
    await client.add("mine")

    fault = await client.fault(method, **params)

    assert (Code.INVALID_INPUT, 1) == (fault.code, len(client.person.questions))


async def test_no_warning_names_what_is_in_quarantine(planted: Any) -> None:
    """Neither what says the same nor what says nearly the same; and released, it is named again."""
    near = {"track": "user", "scope": "workspace", "text": "planted entry"}

    async def warned(session: str) -> list[str]:
        other = {"id": session, "agentPreset": ""}
        for method, params in (
            ("memory/add", near),
            ("memory/add", {**near, "text": "planted entry!"}),
            ("verbs/remember", _fact("A planted  fact!", kind="belief")),
            ("verbs/remember", _fact("A planted fact, too.")),
        ):
            planted.person.script = ["rejected"]
            await planted.fault(method, session=other, **params)
        return [warning.kind for question in planted.person.questions[-4:] for warning in question.warnings]

    before = await warned("other")
    await planted.call("memory/quarantine", sessionId="bad")
    within = await warned("another")
    await planted.call("memory/release", sessionId="bad")

    assert ["duplicate"] * 4 == before == await warned("third")
    assert [] == within


@pytest.fixture
async def with_pages(house: Any) -> Any:
    """A session that wrote a page, and wrote over one of another; and a person."""
    await house.client("s0").call("pages/put", slug="kept", content="# Kept\nby s0\n")
    bad = house.client("bad")
    await bad.call("pages/put", slug="notes/planted", content=PAGE)
    await bad.call("pages/timeline", slug="kept", date="2026-01-01", text="planted line")
    return house.client("me")


def _file(house: Any, slug: str) -> Any:
    return house.folder / "project" / ".keepgate" / "pages" / f"{slug}.md"


async def test_pages_are_out_of_every_read_until_released(with_pages: Any, house: Any) -> None:
    """Their files stay, which the question says; a new look at everything leaves them out, too."""
    before = {slug: _file(house, slug).read_bytes() for slug in ("kept", "notes/planted")}
    seen = await _everything_said(with_pages)

    gone = await with_pages.call("memory/quarantine", sessionId="bad")
    await with_pages.call("pages/reindex")
    said, question = await _everything_said(with_pages), with_pages.person.questions[-1]
    (listed,) = (await with_pages.call("memory/quarantined"))["sessions"]
    got = [await with_pages.fault("pages/get", slug=slug) for slug in before]
    back = await with_pages.call("memory/release", sessionId="bad")

    assert "planted words" in seen
    assert "planted words" not in said
    assert "planted line" not in said
    assert "notes/planted" not in said
    assert [Code.PAGE_NOT_FOUND] * 2 == [fault.code for fault in got]
    assert {"kept", "notes/planted"} == set(gone["pages"]) == set(back["pages"])
    assert ("bad", 0, 0, 2) == tuple(listed[name] for name in ("sessionId", "entries", "facts", "pages"))
    assert before == {slug: _file(house, slug).read_bytes() for slug in before}
    assert ["files-stay"] == [warning.kind for warning in question.warnings]
    assert "planted words" in question.text
    assert "planted words" in await _everything_said(with_pages)
    assert (await with_pages.call("pages/get", slug="kept"))["content"].endswith("planted line\n")


async def test_what_was_released_can_be_put_there_again(planted: Any, with_pages: Any) -> None:
    """A release is a change of mind, and so is the next quarantine."""
    first = await with_pages.call("memory/quarantine", sessionId="bad")
    await with_pages.call("memory/release", sessionId="bad")

    again = await with_pages.call("memory/quarantine", sessionId="bad")

    assert first.keys() == again.keys()
    assert [len(first[name]) for name in ("entries", "facts", "pages")] == [
        len(again[name]) for name in ("entries", "facts", "pages")
    ]
    assert {"kept", "notes/planted"} == set(again["pages"])
    assert "planted" not in await _everything_said(planted)


async def test_who_wrote_a_page_last_decides(with_pages: Any, house: Any) -> None:
    """Through the gate or with an editor: such a page stays in reads, and the question says so."""
    await house.client("s2").call("pages/timeline", slug="kept", date="2026-02-02", text="checked")
    _file(house, "notes/planted").write_text("# Planted\nrewritten by hand\n")
    await house.client("bad").call("pages/put", slug="third", content="# Third\n")

    gone = await with_pages.call("memory/quarantine", sessionId="bad")

    assert ["third"] == gone["pages"]
    kinds = {warning.kind: warning.message for warning in with_pages.person.questions[-1].warnings}
    assert {"files-stay", "overtaken"} == set(kinds)
    assert '"notes/planted"' in kinds["overtaken"]
    assert ["kept", "notes/planted"] == [
        page["slug"] for page in (await with_pages.call("pages/list"))["pages"]
    ]


async def test_editing_its_file_brings_no_page_back(with_pages: Any, house: Any) -> None:
    """A person releases it, and is shown what is in the file by then; also when it is gone."""
    await with_pages.call("memory/quarantine", sessionId="bad")
    _file(house, "notes/planted").write_text("# Planted\nplanted words, changed\n")
    _file(house, "kept").unlink()
    await with_pages.call("pages/reindex")

    listed = (await with_pages.call("pages/list"))["pages"]
    back = await with_pages.call("memory/release", sessionId="bad")

    assert ([], {"kept", "notes/planted"}) == (listed, set(back["pages"]))
    assert "planted words, changed" in with_pages.person.questions[-1].text
    assert ["notes/planted"] == [page["slug"] for page in (await with_pages.call("pages/list"))["pages"]]
    assert [] == (await with_pages.call("memory/quarantined"))["sessions"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("pages/put", {"slug": "notes/planted", "content": "mine"}),
        ("pages/remove", {"slug": "notes/planted"}),
        ("pages/timeline", {"slug": "notes/planted", "date": "2026-01-01", "text": "mine"}),
        ("pages/link", {"from": "notes/planted", "to": "kept", "type": "knows"}),
    ],
)
async def test_nobody_writes_over_a_page_in_quarantine(with_pages: Any, method: str, params: Any) -> None:
    """The question would show its text through the writer's own client."""
    await with_pages.call("memory/quarantine", sessionId="bad")
    asked = len(with_pages.person.questions)

    fault = await with_pages.fault(method, **params)

    assert (Code.INVALID_INPUT, asked) == (fault.code, len(with_pages.person.questions))
    assert "in quarantine" in fault.message


async def test_taking_a_sessions_pages_back_ends_their_quarantine(with_pages: Any) -> None:
    """What it wrote is gone then; what was there before is read again."""
    await with_pages.call("memory/quarantine", sessionId="bad")

    await with_pages.call("memory/undo", sessionId="bad")

    assert [] == (await with_pages.call("memory/quarantined"))["sessions"]
    assert ["kept"] == [page["slug"] for page in (await with_pages.call("pages/list"))["pages"]]
    assert (await with_pages.call("memory/verify"))["ok"]


async def test_a_remote_caller_puts_no_private_page_into_quarantine(house: Any) -> None:
    """Nor does it hear of one there, nor of another workspace's."""
    bad = house.client("bad")
    await bad.call("pages/put", slug="secret", content="---\nvisibility: private\n---\nplanted\n")
    await bad.call("pages/put", slug="open", content="# Open\n")
    await house.client("bad", folders=("other",)).call("pages/put", slug="there", content="# There\n")
    remote = house.client("r", remote=True)

    gone = await remote.call("memory/quarantine", sessionId="bad")
    await house.client("me").call("memory/quarantine", sessionId="bad")
    (session,) = (await remote.call("memory/quarantined"))["sessions"]

    assert (["open"], 1) == (gone["pages"], session["pages"])
    assert ["there"] == [
        page["slug"] for page in (await house.client(folders=("other",)).call("pages/list"))["pages"]
    ]


async def test_only_what_is_in_sight_comes_back(house: Any) -> None:
    """What one agent alone may see, and a private fact or page, stay in quarantine for who does."""
    bad, reviewer = house.client("bad"), house.client("bad", agent="reviewer")
    await bad.add("shared")
    await reviewer.add("for the reviewer", track="agent")
    await bad.call("verbs/remember", **_fact("Private.", visibility="private"))
    await bad.call("pages/put", slug="secret", content="---\nvisibility: private\n---\nplanted\n")
    await house.client("me", agent="reviewer").call("memory/quarantine", sessionId="bad")

    back = await house.client("me", remote=True).call("memory/release", sessionId="bad")
    rest = await house.client("me", agent="reviewer").call("memory/release", sessionId="bad")

    assert (["shared"], [], []) == (
        [entry["text"] for entry in back["entries"]],
        back["facts"],
        back["pages"],
    )
    assert (["for the reviewer"], 1, ["secret"]) == (
        [entry["text"] for entry in rest["entries"]], len(rest["facts"]), rest["pages"],
    )  # fmt: skip


async def test_a_remote_caller_releases_no_page_that_became_private_meanwhile(house: Any) -> None:
    """The question would show it what its file says by now; who sees private pages releases it."""
    await house.client("bad").call("pages/put", slug="open", content="# Open\n")
    remote, local = house.client("r", remote=True), house.client("me")
    await local.call("memory/quarantine", sessionId="bad")
    _file(house, "open").write_text("---\nvisibility: private\n---\nhush\n", encoding="utf-8")

    fault = await remote.fault("memory/release", sessionId="bad")
    back = await local.call("memory/release", sessionId="bad")

    assert (Code.INVALID_INPUT, [], ["open"]) == (fault.code, remote.person.questions, back["pages"])


async def test_a_page_whose_file_is_no_text_any_more_is_named_and_left(house: Any) -> None:
    """Somebody changed it since, so it is not what the session wrote."""
    bad, person = house.client("bad"), house.client("me")
    for slug in ("one", "two"):
        await bad.call("pages/put", slug=slug, content=f"# {slug}\n")
    _file(house, "one").write_bytes(b"\xff\xfe no UTF-8")

    gone = await person.call("memory/quarantine", sessionId="bad")

    kinds = {warning.kind: warning.message for warning in person.person.questions[-1].warnings}
    assert ["two"] == gone["pages"]
    assert '"one"' in kinds["overtaken"]
