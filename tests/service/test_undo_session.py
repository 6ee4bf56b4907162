"""Taking back everything that a session wrote, with one question."""

from typing import Any

import pytest

from keepgate.core.writing.undoing_session import UNREADABLE
from keepgate.protocol.errors import Code

PRIVATE = "---\nvisibility: private\n---\n# A\n"
UW = {"track": "user", "scope": "workspace"}
AW = {"track": "agent", "scope": "workspace"}


def _fact(text: str, **more: Any) -> dict[str, Any]:
    return {"fact": text, "entity": "alice", "kind": "fact", "provenance": "a test", **more}


async def _facts(client: Any) -> list[str]:
    return sorted(row["fact"] for row in (await client.call("verbs/recall", limit=100))["facts"])


def _warnings(client: Any) -> list[str]:
    return [warning.kind for warning in client.person.questions[-1].warnings]


async def test_all_kinds_of_changes_go_back_with_one_question(house: Any) -> None:
    """Entries, facts and pages are as they were before the session; one proposal, the newest first."""
    before, bad, person = house.client("s0"), house.client("bad"), house.client("me")
    kept, gone = await before.add("kept"), await before.add("goes", track="agent")
    old = (await before.call("verbs/remember", **_fact("Alice likes tea.")))["id"]
    await before.call("pages/put", slug="people/alice", content="# Alice\n\nOld.\n")
    facts, texts = await _facts(before), await before.texts()

    await bad.call("memory/replace", **UW, match="kept", text="twisted")
    await bad.call("memory/remove", **AW, match="goes")
    await bad.call("memory/seed", entries=[{**UW, "text": f"planted {number}"} for number in range(3)])
    await bad.call("verbs/remember", **_fact("Alice likes poison.", supersedes=old))
    await bad.call("verbs/remember", **_fact("Alice is away."))
    await bad.call("pages/put", slug="people/alice", content="# Alice\n\nNew.\n")
    await bad.call("pages/put", slug="people/mallory", content="# Mallory\n")
    undone = await person.call("memory/undo", sessionId="bad")

    assert (facts, sorted(texts)) == (await _facts(before), sorted(await before.texts()))
    assert "Old." in (await before.call("pages/get", slug="people/alice"))["content"]
    assert Code.PAGE_NOT_FOUND == (await before.fault("pages/get", slug="people/mallory")).code
    assert ["planted 2", "planted 1", "planted 0"] == [entry["text"] for entry in undone["removed"]]
    assert [gone["id"], kept["id"]] == [entry["id"] for entry in undone["restored"]]
    assert ["people/mallory", "people/alice"] == undone["pages"]
    assert ([], 1, []) == (undone["left"], len(person.person.questions), _warnings(person))
    question = person.person.questions[0]
    assert question.text.startswith('take back what session "bad" wrote:\n')
    rows = await person.rows("undo-add", "undo-remove", "undo-replace", "undo-remember", "undo-supersede")
    assert 8 == len(rows)
    assert 1 == len({row["proposalId"] for row in rows})


async def test_what_was_changed_since_is_named_and_left(house: Any) -> None:
    """The question warns of it and the result lists it; the rest goes back."""
    bad, other, person = house.client("bad"), house.client("s2"), house.client("me")
    corrected, planted = await bad.add("half true"), await bad.add("planted")
    await other.call("memory/replace", **UW, match="half true", text="true")

    undone = await person.call("memory/undo", sessionId="bad")

    assert [planted["id"]] == [entry["id"] for entry in undone["removed"]]
    assert [(corrected["id"], 1)] == [(item["subject"], item["seq"]) for item in undone["left"]]
    assert ["overtaken"] == _warnings(person)
    assert corrected["id"] in person.person.questions[0].warnings[0].message
    assert ["true"] == await person.texts()


async def test_a_consolidation_goes_back_whole_or_stays_whole(house: Any) -> None:
    """What it removed does not come back beside what became of what it left."""
    first, bad, other, person = (house.client(name) for name in ("s0", "bad", "s2", "me"))
    await first.add("one")
    await first.add("two")
    await bad.call("memory/consolidate", **UW, matches=["one", "two"], text="both")
    await other.call("memory/replace", **UW, match="both", text="both, corrected")
    alone = await bad.add("alone")

    undone = await person.call("memory/undo", sessionId="bad")

    assert ([alone["id"]], []) == ([entry["id"] for entry in undone["removed"]], undone["restored"])
    assert 3 == len(undone["left"])
    assert ["both, corrected"] == await person.texts()


async def test_a_fact_that_was_superseded_since_does_not_bring_its_predecessor_back(house: Any) -> None:
    """Otherwise two facts would say different things of the same."""
    first, bad, other, person = (house.client(name) for name in ("s0", "bad", "s2", "me"))
    old = (await first.call("verbs/remember", **_fact("Alice likes tea.")))["id"]
    new = (await bad.call("verbs/remember", **_fact("Alice likes coffee.", supersedes=old)))["id"]
    await other.call("verbs/remember", **_fact("Alice likes water.", supersedes=new))

    fault = await person.fault("memory/undo", sessionId="bad")

    assert (Code.INVALID_INPUT, "$.sessionId") == (fault.code, fault.details["problems"][0]["path"])
    assert ["Alice likes water."] == await _facts(person)


async def test_several_steps_on_one_entry_are_one_step_back(house: Any) -> None:
    """To the text before the session; versions go on."""
    first, bad, person = house.client("s0"), house.client("bad"), house.client("me")
    entry = await first.add("first")
    for old, new in (("first", "second"), ("second", "third")):
        await bad.call("memory/replace", **UW, match=old, text=new)

    undone = await person.call("memory/undo", sessionId="bad")

    assert [(entry["id"], "first", 4)] == [(e["id"], e["text"], e["version"]) for e in undone["restored"]]


async def test_what_came_and_went_within_the_session_is_nothing_to_do(house: Any) -> None:
    """Added and removed, changed and changed back, forgotten and brought back."""
    bad = house.client("bad")
    await bad.add("short")
    await bad.call("memory/remove", **UW, match="short")
    fact = await bad.call("verbs/remember", **_fact("Alice is away."))
    await bad.call("verbs/forget", id=fact["id"])

    fault = await house.client("me").fault("memory/undo", sessionId="bad")

    assert (Code.INVALID_INPUT, "$.sessionId") == (fault.code, fault.details["problems"][0]["path"])


async def test_another_session_in_between_keeps_what_it_wrote(house: Any) -> None:
    """Taken back is the session's last word, down to what the other one left; that is said."""
    bad, other, person = house.client("bad"), house.client("s2"), house.client("me")
    entry = await bad.add("bad one")
    await other.call("memory/replace", **UW, match="bad one", text="good")
    await bad.call("memory/replace", **UW, match="good", text="bad again")

    undone = await person.call("memory/undo", sessionId="bad")

    assert ["good"] == [found["text"] for found in undone["restored"]] == await person.texts()
    assert [entry["id"]] == [item["subject"] for item in undone["left"]]


async def test_an_undo_of_a_session_can_be_undone(house: Any) -> None:
    """By its ledger row, like any change; what came back so is no longer as the session left it."""
    bad, person = house.client("bad"), house.client("me")
    for text in ("one", "two"):
        await bad.add(text)
    await person.call("memory/undo", sessionId="bad")
    again = await person.fault("memory/undo", sessionId="bad")
    seq = (await person.rows("undo-remove"))[0]["seq"]

    await person.call("memory/undo", seq=seq)
    assert ["one", "two"] == sorted(await person.texts())
    since = await person.fault("memory/undo", sessionId="bad")

    assert [Code.INVALID_INPUT] * 2 == [again.code, since.code]


async def test_a_session_takes_back_what_it_wrote_itself(house: Any) -> None:
    """Its own undo is no change that it would have to name."""
    bad = house.client("bad")
    await bad.add("oops")

    undone = await bad.call("memory/undo", sessionId="bad")

    assert (["oops"], []) == ([entry["text"] for entry in undone["removed"]], undone["left"])


async def test_what_is_out_of_sight_stays_and_is_not_named(house: Any) -> None:
    """Other workspaces, private entries of other presets, and for remote callers private facts."""
    here, there = house.client("bad"), house.client("bad", folders=("other",))
    private = house.client("bad", agent="reviewer")
    await here.add("here")
    await there.add("there")
    await private.add("for the reviewer", track="agent")
    await here.call("verbs/remember", **_fact("Alice is ill.", visibility="private"))
    remote = house.client("me", remote=True)

    undone = await remote.call("memory/undo", sessionId="bad")

    assert (["here"], [], []) == (
        [entry["text"] for entry in undone["removed"]], undone["facts"], undone["left"],
    )  # fmt: skip
    assert ["there"] == await there.texts()
    assert ["for the reviewer"] == await private.texts()
    assert ["Alice is ill."] == await _facts(here)


async def test_a_page_that_was_edited_since_stays(house: Any) -> None:
    """Whoever edited it, an editor without keepgate too; a removed one that was written again, too."""
    bad, person = house.client("bad"), house.client("me")
    await bad.call("pages/put", slug="one", content="# One\n")
    await bad.call("pages/put", slug="two", content="# Two\n")
    root = (await person.rows("page-put"))[0]
    assert root["entryId"] == "page:one"
    path = next((house.folder / "project").rglob("one.md"))
    path.write_text("# One, by hand\n", encoding="utf-8")

    undone = await person.call("memory/undo", sessionId="bad")

    assert (["two"], ["page:one"]) == (undone["pages"], [item["subject"] for item in undone["left"]])
    assert "# One, by hand\n" == path.read_text(encoding="utf-8")


async def test_a_no_leaves_everything(house: Any, people: Any) -> None:
    """One question, one no."""
    bad, person = house.client("bad"), house.client("me", person=people(always="rejected"))
    await bad.add("one")
    await bad.add("two")

    fault = await person.fault("memory/undo", sessionId="bad")

    assert (Code.WRITE_DENIED, 1) == (fault.code, len(person.person.questions))
    assert ["one", "two"] == sorted(await bad.texts())
    assert ["undo-denied"] == [row["action"] for row in await person.rows("undo-denied")]


@pytest.mark.parametrize("params", [{}, {"seq": 1, "sessionId": "s1"}, {"sessionId": ""}])
async def test_a_row_or_a_session_is_named(client: Any, params: dict[str, Any]) -> None:
    """Exactly one of the two."""
    fault = await client.fault("memory/undo", **params)

    assert Code.INVALID_INPUT == fault.code


async def test_very_many_go_back_in_turns(house: Any) -> None:
    """A thousand with one question; the older ones are named and go back with the next."""
    bad, person = house.client("bad"), house.client("me")
    drafts = [{**AW, "text": f"{number:x}"} for number in range(1020)]
    for start in range(0, 1020, 255):
        await bad.call("memory/seed", entries=drafts[start : start + 255])

    first = await person.call("memory/undo", sessionId="bad")
    second = await person.call("memory/undo", sessionId="bad")

    assert (1000, 20) == (len(first["removed"]), len(first["left"]))
    assert ["overtaken"] == [kinds.kind for kinds in person.person.questions[0].warnings]
    assert (20, [], []) == (len(second["removed"]), second["left"], await person.texts())


async def test_a_remote_caller_takes_back_its_own_pages(house: Any) -> None:
    """By the row that its write answered with, and with all else that its session wrote."""
    agent = house.client("agent", remote=True)
    first = await agent.call("pages/put", slug="a", content="# A\none\n")
    await agent.call("pages/put", slug="b", content="# B\n")

    undone = await agent.call("memory/undo", seq=first["seq"])
    all_of_it = await agent.call("memory/undo", sessionId="agent")

    assert (["a"], ["b"]) == (undone["pages"], all_of_it["pages"])
    assert [] == (await house.client().call("pages/list"))["pages"]


@pytest.mark.parametrize("texts", [("# A\nopen\n", PRIVATE), (PRIVATE, "# A\nopen\n")])
async def test_a_remote_caller_takes_back_nothing_that_shows_a_private_page(house: Any, texts: Any) -> None:
    """Neither text of the change is for it, and there is no such row for it."""
    person, agent = house.client("s0"), house.client("agent", remote=True)
    for text in texts:
        written = await person.call("pages/put", slug="a", content=text)

    by_row = await agent.fault("memory/undo", seq=written["seq"])
    by_session = await agent.fault("memory/undo", sessionId="s0")

    assert Code.INVALID_INPUT is by_row.code is by_session.code
    assert "no allowed change" in by_row.message
    assert [] == agent.person.questions


async def test_several_writes_of_one_page_are_one_step_back(house: Any) -> None:
    """To the text before the session."""
    first, bad, person = house.client("s0"), house.client("bad"), house.client("me")
    await first.call("pages/put", slug="a", content="# A\n")
    for text in ("# A\nfirst\n", "# A\nsecond\n"):
        await bad.call("pages/put", slug="a", content=text)

    undone = await person.call("memory/undo", sessionId="bad")

    assert (["a"], 1) == (undone["pages"], len(await person.rows("undo-page-put")))
    assert "# A\n" == (await person.call("pages/get", slug="a"))["content"]


async def test_a_page_whose_file_is_no_text_any_more_stays(house: Any) -> None:
    """What is in it cannot be compared; it is named with that reason, and the rest goes back."""
    bad, person = house.client("bad"), house.client("me")
    for slug in ("one", "two"):
        await bad.call("pages/put", slug=slug, content=f"# {slug}\n")
    path = next((house.folder / "project").rglob("one.md"))
    path.write_bytes(b"\xff\xfe no UTF-8")

    undone = await person.call("memory/undo", sessionId="bad")

    assert ["two"] == undone["pages"]
    assert [("page:one", UNREADABLE)] == [(item["subject"], item["reason"]) for item in undone["left"]]
    assert b"\xff\xfe no UTF-8" == path.read_bytes()


async def test_trust_in_a_folder_goes_back(house: Any) -> None:
    """However often the session gave it and took it back; where it is taken back, there is nothing to do."""
    bad, person = house.client("bad"), house.client("me")
    path = house.folder / "project" / ".keepgate" / "pages" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("foreign\n", encoding="utf-8")
    given = await bad.call("pages/trust")
    await bad.call("memory/undo", seq=given["seq"])
    await bad.call("pages/trust")

    await person.call("memory/undo", sessionId="bad")
    again = await person.fault("memory/undo", sessionId="bad")

    assert ["trust", "undo-trust", "trust", "undo-trust"] == [
        row["action"] for row in await person.rows("trust", "undo-trust")
    ]
    assert (Code.INVALID_INPUT, "$.sessionId") == (again.code, again.details["problems"][0]["path"])


async def test_what_a_session_removed_and_brought_back_itself_is_nothing_to_do(house: Any) -> None:
    """Its removal and its own undo belong together; a change after them goes back to the text before all."""
    first, bad, person = house.client("s0"), house.client("bad"), house.client("me")
    await first.add("kept")
    await bad.call("memory/remove", **UW, match="kept")
    (removal,) = await bad.rows("remove")
    await bad.call("memory/undo", seq=removal["seq"])

    fault = await person.fault("memory/undo", sessionId="bad")
    await bad.call("memory/replace", **UW, match="kept", text="twisted")
    undone = await person.call("memory/undo", sessionId="bad")

    assert (Code.INVALID_INPUT, "$.sessionId") == (fault.code, fault.details["problems"][0]["path"])
    assert (["kept"], ["kept"]) == ([entry["text"] for entry in undone["restored"]], await person.texts())
