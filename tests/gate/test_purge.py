"""Purging: a text leaves every table, index, row, log, copy and free page, and the raw files prove it."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from keepgate.gate.screening import Screen
from keepgate.protocol.errors import Fault
from keepgate.protocol.settings import WritePolicy
from keepgate.service import maintenance
from keepgate.service.connection import Silent

SECRET = 'zq-Geheim"x\\y\nAÿ語-99317'
LAYER = {"track": "user", "scope": "workspace"}
FORMS = [
    form.encode(encoding)
    for form in (SECRET, SECRET.split("\n")[1])
    for encoding in ("utf-8", "utf-16-le", "utf-16-be")
]


async def _fill(house: Any, person: Any) -> Any:
    """A store that holds the text in every place that a caller can put it."""
    house.sidecar.gate.screen = Screen()
    connection = house.connect(person, may_decide=True)
    person.script = ["allowed-once"] * 9
    call = house.call
    await call(connection, "memory/add", **LAYER, text=f"before {SECRET} after", tags=["a"])
    await call(connection, "memory/add", **LAYER, text="stays")
    await call(connection, "memory/add", **LAYER, text=f"was {SECRET}")
    await call(connection, "memory/replace", **LAYER, match="was ", text="is clean now")
    await call(connection, "memory/remove", **LAYER, match="before")
    await call(connection, "memory/add", **LAYER, text=f"again {SECRET}")
    await call(connection, "verbs/remember", fact=f"fact {SECRET}", provenance="chat", entity="people/x")
    await call(connection, "verbs/remember", fact="fact that stays", provenance=f"said {SECRET}"[:400])
    await call(connection, "memory/snapshot")
    await call(connection, "memory/query", text=SECRET)
    await call(connection, "proposals/create", change={"action": "add", **LAYER, "text": f"wish {SECRET}"})
    person.script = ["rejected"]
    with contextlib.suppress(Fault):
        await call(connection, "memory/add", **LAYER, text=f"no {SECRET}")
    return connection


async def test_a_text_is_gone_from_every_file_and_the_store_still_verifies(
    house: Any, person: Any, holding: Any
) -> None:
    """Tables, ledger, proposals, snapshot, log, pages of the file and a backup: none holds it."""
    connection = await _fill(house, person)
    beside = Path(house.sidecar.store.path).with_name("elsewhere")
    beside.mkdir()
    copy = str(beside / "copy.db")
    await maintenance.backup(house.sidecar, copy, Silent())
    assert holding(house.home, FORMS)
    person.script, before = ["allowed-once"], len(person.questions)
    done = await house.call(connection, "memory/purge", text=SECRET)

    assert (done["clean"], done["held"], done["backups"]) == (True, [], [copy])
    assert holding(house.home, FORMS) == []
    assert set(done["removed"]) == {"entries", "facts", "ledger", "proposals"}
    assert done["filesSearched"] >= 3
    (question,) = person.questions[before:]
    assert question.action == "purge"
    assert SECRET not in str(question)
    assert any(copy in warning.message for warning in question.warnings)

    verified = await house.call(connection, "memory/verify")
    assert verified["ok"]
    assert {problem["kind"] for problem in verified["problems"]} == {"purged"}
    listed = await house.call(connection, "memory/list")
    assert sorted(entry["text"] for entry in listed["entries"]) == ["is clean now", "stays"]
    (row, *_) = await house.rows(connection)
    assert row["action"] == "purge"
    assert row["by"]["client"] == "test"


async def test_the_store_goes_on_working_afterwards(house: Any, person: Any) -> None:
    """Writing, finding and removing go on, and the guards stand again."""
    connection = await _fill(house, person)
    person.script = ["allowed-once"] * 6
    await house.call(connection, "memory/purge", text=SECRET)
    await house.call(connection, "memory/add", **LAYER, text="something new about oolong")
    found = await house.call(connection, "memory/query", text="oolong")
    assert len(found["entries"]) == 1
    remembered = await house.call(connection, "verbs/remember", fact="a new fact", provenance="chat")
    recalled = await house.call(connection, "verbs/recall", query="new fact")
    assert remembered["status"] == "inserted"
    assert [fact["fact"] for fact in recalled["facts"]] == ["a new fact"]
    await house.call(connection, "memory/remove", **LAYER, match="is clean now")
    proposals = await house.call(connection, "proposals/list", session=None, status="pending")
    assert proposals["proposals"] == []
    with pytest.raises(Exception, match="never deleted"):
        await house.sidecar.gate._writer.beside(lambda db: db.execute("DELETE FROM proposals"))


async def test_other_processes_go_on_and_the_text_is_gone_for_them(
    house: Any, person: Any, holding: Any
) -> None:
    """Another open store reads on during the purge and writes after it."""
    connection = await _fill(house, person)
    other = await house.reopen()
    try:
        elsewhere = other.connect(person, session="s2")
        await other.call(elsewhere, "memory/list")
        stop = asyncio.Event()

        async def read() -> int:
            count = 0
            while not stop.is_set():
                await other.call(elsewhere, "memory/list")
                count += 1
                await asyncio.sleep(0)
            return count

        reading = asyncio.create_task(read())
        person.script = ["allowed-once"] * 2
        done = await house.call(connection, "memory/purge", text=SECRET)
        stop.set()
        assert await reading > 0
        assert done["clean"]
        await other.call(elsewhere, "memory/add", **LAYER, text="from elsewhere")
        assert holding(house.home, FORMS) == []
    finally:
        await other.sidecar.close()


@pytest.mark.parametrize(("word", "outcome"), [("rejected", "rejected"), ("cancelled", "cancelled")])
async def test_without_a_yes_nothing_goes(house: Any, person: Any, word: str, outcome: str) -> None:
    """A no or a dismissal leaves everything and a row that holds no text."""
    connection = await _fill(house, person)
    person.script = [word]
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/purge", text=SECRET)
    assert caught.value.details["outcome"] == outcome
    (row, *_) = await house.rows(connection)
    assert (row["action"], row["text"]) == ("purge-denied", "a text that is not told")
    assert len((await house.call(connection, "memory/list"))["entries"]) == 3


async def test_nobody_there_means_no_purge_and_nothing_waits(house: Any, person: Any, holding: Any) -> None:
    """No proposal holds what is to be purged."""
    connection = house.connect(None)
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/purge", text=SECRET)
    assert caught.value.details == {"outcome": "unavailable"}
    assert holding(house.home, FORMS) == []


async def test_an_auto_policy_does_not_answer(build: Any, person: Any) -> None:
    """A person purges; a policy does not."""
    house = await build(write_policy="auto")
    connection = house.connect(None)
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/purge", text=SECRET)
    assert str(caught.value.code) == "WRITE_DENIED"


@pytest.mark.parametrize("text", ["", "short", "      ", "\n\n\n\n\n\n\n"])
async def test_a_text_that_is_too_short_is_refused(house: Any, person: Any, text: str) -> None:
    """A short text stands in too much."""
    with pytest.raises(Fault) as caught:
        await house.call(house.connect(person), "memory/purge", text=text)
    assert str(caught.value.code) == "INVALID_INPUT"


async def test_a_page_file_is_named_and_left_to_its_owner(house: Any, person: Any) -> None:
    """Page files are told of; once edited, the purge is clean."""
    house.sidecar.gate.screen = Screen()
    connection = house.connect(person)
    person.script = ["allowed-once"] * 3
    written = await house.call(connection, "pages/put", slug="people/x", content="# X\n\nmarker-55512 text\n")
    done = await house.call(connection, "memory/purge", text="marker-55512")
    assert (done["clean"], done["held"]) == (False, [written["path"]])
    Path(written["path"]).write_text("# X\n\nnothing\n", encoding="utf-8")
    await house.call(connection, "pages/reindex")
    assert (await house.call(connection, "memory/purge", text="marker-55512"))["clean"]


async def test_a_page_in_quarantine_can_be_released_after_a_purge(house: Any, person: Any) -> None:
    """Its texts are gone from the ledger, where its file lies stands elsewhere, and the file is shown."""
    bad, me = house.connect(person, session="bad"), house.connect(person, session="me")
    person.script = ["allowed-once"] * 4
    await house.call(bad, "pages/put", slug="a", content="# A\nmarker-55513\n")
    await house.call(me, "memory/quarantine", sessionId="bad")
    await house.call(me, "memory/purge", text="marker-55513")

    back = await house.call(me, "memory/release", sessionId="bad")

    assert ["a"] == back["pages"]
    assert "marker-55513" in person.questions[-1].text
    assert ["a"] == [page["slug"] for page in (await house.call(me, "pages/list"))["pages"]]


MARKER = "marker-55514"


@pytest.fixture
async def with_pages(house: Any, person: Any) -> Any:
    """A connection to a workspace with a page that holds the text twice, a clean one, and the user's own."""
    connection = house.connect(person)
    _page(house, "a").write_text(f"---\ntitle: {MARKER}\n---\n# A\n\nsaid {MARKER} here\n", encoding="utf-8")
    _page(house, "clean").write_text("# Clean\n", encoding="utf-8")
    own = house.home / "data" / "pages" / "me.md"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(f"mine: {MARKER}\n", encoding="utf-8")
    await house.call(connection, "pages/reindex")
    return connection


def _page(house: Any, slug: str) -> Path:
    file: Path = house.folder / "project" / ".keepgate" / "pages" / f"{slug}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


async def test_pages_are_rewritten_when_asked(house: Any, person: Any, with_pages: Any, holding: Any) -> None:
    """One question shows what changes, without the text; files, index, ledger and store are free of it."""
    person.script = ["allowed-once"]
    clean = _page(house, "clean").stat().st_mtime_ns

    done = await house.call(with_pages, "memory/purge", text=MARKER, pages=True)

    own = house.home / "data" / "pages" / "me.md"
    assert (True, []) == (done["clean"], done["held"])
    assert sorted(done["rewritten"]) == sorted([str(own), str(_page(house, "a"))])
    assert "---\ntitle: (purged)\n---\n# A\n\nsaid (purged) here\n" == _page(house, "a").read_text("utf-8")
    assert "mine: (purged)\n" == own.read_text("utf-8")
    assert clean == _page(house, "clean").stat().st_mtime_ns
    (question,) = person.questions
    assert MARKER not in str(question)
    assert "-said ⟨the text⟩ here\n+said (purged) here" in question.text
    assert {"a", "me"} == {page.slug for page in question.pages}
    assert holding(house.folder, [MARKER.encode()]) == []
    found = await house.call(with_pages, "pages/search", query="purged here")
    assert "a" in [hit["page"]["slug"] for hit in found["hits"]]
    rows = await house.rows(with_pages, "purge-page")
    assert {"page:a", "page:me"} == {row["entryId"] for row in rows}
    history = await house.call(with_pages, "memory/history", id="page:a")
    assert ["purge-page"] == [version["action"] for version in history["versions"]]
    with pytest.raises(Fault):
        await house.call(with_pages, "memory/undo", seq=rows[0]["seq"])
    assert (await house.call(with_pages, "memory/verify"))["ok"]


async def test_a_page_that_changes_while_the_person_looks_is_asked_again(
    house: Any, person: Any, with_pages: Any
) -> None:
    """The second question shows what is there by then, and that is what is rewritten."""

    async def edit(_: Any) -> str:
        _page(house, "a").write_text(f"# A\n\nsaid {MARKER} again\n", encoding="utf-8")
        return "allowed-once"

    person.script = [edit, "allowed-once"]
    done = await house.call(with_pages, "memory/purge", text=MARKER, pages=True)

    assert (True, 2) == (done["clean"], len(person.questions))
    assert person.questions[0].hash != person.questions[1].hash
    assert "again" in person.questions[1].text
    assert "# A\n\nsaid (purged) again\n" == _page(house, "a").read_text("utf-8")


async def test_pages_that_change_again_and_again_are_given_up(
    house: Any, person: Any, with_pages: Any
) -> None:
    """Nothing was purged then."""
    count = 0

    async def edit(_: Any) -> str:
        nonlocal count
        count += 1
        _page(house, "a").write_text(f"# A {count}\n\nsaid {MARKER}\n", encoding="utf-8")
        return "allowed-once"

    person.script = [edit] * 9
    with pytest.raises(Fault) as caught:
        await house.call(with_pages, "memory/purge", text=MARKER, pages=True)

    assert ("cancelled", "changed") == (caught.value.details["outcome"], caught.value.details["reason"])
    assert 4 == len(person.questions)
    assert MARKER in _page(house, "a").read_text("utf-8")


async def test_a_caller_that_is_gone_is_not_asked_for_again(house: Any, person: Any, with_pages: Any) -> None:
    """A page that changed would be asked about once more; who gave up meanwhile wants no more questions."""

    async def edit_and_leave(_: Any) -> str:
        _page(house, "a").write_text(f"# A\n\nsaid {MARKER} again\n", encoding="utf-8")
        call.cancel()
        return "allowed-once"

    person.script = [edit_and_leave, "allowed-once"]
    call = asyncio.create_task(house.call(with_pages, "memory/purge", text=MARKER, pages=True))
    with pytest.raises(asyncio.CancelledError):
        await call

    assert 1 == len(person.questions)
    assert MARKER in _page(house, "a").read_text("utf-8")


async def test_without_a_yes_no_page_is_rewritten(house: Any, person: Any, with_pages: Any) -> None:
    """A no leaves the files as they are."""
    before = _page(house, "a").read_bytes()
    person.script = ["rejected"]
    with pytest.raises(Fault):
        await house.call(with_pages, "memory/purge", text=MARKER, pages=True)

    assert before == _page(house, "a").read_bytes()
    assert [] == await house.rows(with_pages, "purge-page")


async def test_no_purge_makes_a_private_page_public(house: Any, person: Any, with_pages: Any) -> None:
    """Such a page is left to its owner, and named."""
    _page(house, "a").write_text("---\nvisibility: private\n---\nx\n", encoding="utf-8")
    person.script = ["allowed-once"]

    done = await house.call(with_pages, "memory/purge", text="visibility", pages=True)

    assert [] == done["rewritten"]
    assert str(_page(house, "a")) in done["held"]


async def test_a_purge_takes_no_page_out_of_quarantine(house: Any, person: Any) -> None:
    """Its file is rewritten; who wrote it is the same, and so is that nobody has looked at it."""
    bad, me = house.connect(person, session="bad"), house.connect(person, session="me")
    person.script = ["allowed-once"] * 4
    await house.call(bad, "pages/put", slug="a", content=f"# A\n{MARKER}\n")
    await house.call(me, "memory/quarantine", sessionId="bad")

    done = await house.call(me, "memory/purge", text=MARKER, pages=True)

    assert (True, [str(_page(house, "a"))]) == (done["clean"], done["rewritten"])
    assert [] == (await house.call(me, "pages/list"))["pages"]
    assert ["a"] == (await house.call(me, "memory/release", sessionId="bad"))["pages"]
    assert ["a"] == [page["slug"] for page in (await house.call(me, "pages/list"))["pages"]]


async def test_a_policy_that_refuses_pages_refuses_their_purge(build: Any, person: Any) -> None:
    """Nobody is asked, and nothing is touched."""
    house = await build(write_policies={"pages": WritePolicy.OFF})
    _page(house, "a").write_text(f"# {MARKER}\n", encoding="utf-8")
    connection = house.connect(person)
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/purge", text=MARKER, pages=True)

    assert ("rejected", []) == (caught.value.details["outcome"], person.questions)


@pytest.mark.parametrize(("script", "seconds"), [(["nobody"], 300), ([], 1)])
async def test_a_person_who_does_not_answer_purges_nothing(
    build: Any, person: Any, script: list[str], seconds: int
) -> None:
    """Gone, or silent until the deadline: the ledger says so, and no wish waits that would hold the text."""
    house = await build(approval_timeout_seconds=seconds)
    house.sidecar.gate.screen = Screen()
    connection = house.connect(person)
    person.script = ["allowed-once", *script]
    await house.call(connection, "memory/add", **LAYER, text=f"keeps {MARKER}")
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/purge", text=MARKER)

    assert {"outcome": "unavailable"} == caught.value.details
    assert 2 == len(person.questions)
    (row,) = await house.rows(connection, "purge-denied")
    assert row["outcome"].startswith("unavailable")
    proposals = (await house.call(connection, "proposals/list", session=None))["proposals"]
    assert ["approved"] == [proposal["status"] for proposal in proposals]
    assert 1 == (await house.call(connection, "memory/query", text=MARKER))["total"]


async def test_a_page_that_becomes_unreadable_while_the_person_looks_is_left_and_named(
    house: Any, person: Any, with_pages: Any
) -> None:
    """It is asked about again without that page, whose file still holds the text."""

    async def spoil(_: Any) -> str:
        _page(house, "a").write_bytes(b"\xff" + MARKER.encode())
        return "allowed-once"

    person.script = [spoil, "allowed-once"]
    done = await house.call(with_pages, "memory/purge", text=MARKER, pages=True)

    assert [["a", "me"], ["me"]] == [sorted(page.slug for page in asked.pages) for asked in person.questions]
    assert (False, [str(_page(house, "a"))]) == (done["clean"], done["held"])
    assert b"\xff" + MARKER.encode() == _page(house, "a").read_bytes()


async def test_what_is_purged_of_a_session_is_neither_held_nor_taken_back(house: Any, person: Any) -> None:
    """Its other memories are; of a purged one nothing is left to bring back."""
    house.sidecar.gate.screen = Screen()
    bad, worse, me = (house.connect(person, session=name) for name in ("bad", "worse", "me"))
    person.script = ["allowed-once"] * 9
    for session, text in ((bad, f"1 {MARKER}"), (bad, "planted"), (worse, f"2 {MARKER}"), (worse, "added")):
        await house.call(session, "memory/add", **LAYER, text=text)
    await house.call(me, "memory/quarantine", sessionId="bad")
    await house.call(me, "memory/purge", text=MARKER)

    (held,) = (await house.call(me, "memory/quarantined"))["sessions"]
    back = await house.call(me, "memory/release", sessionId="bad")
    undone = await house.call(me, "memory/undo", sessionId="worse")

    assert (1, ["planted"]) == (held["entries"], [entry["text"] for entry in back["entries"]])
    assert ["added"] == [entry["text"] for entry in undone["removed"]]
