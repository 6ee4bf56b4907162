"""Page writes through the gate: what is shown is what is written, whole or not at all."""

import asyncio
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from keepgate.core.model.digest import digest_of
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import ApprovalRequestParams
from keepgate.protocol.settings import WritePolicy

PAGES = ".keepgate/pages"


def file_of(house: Any, slug: str, folder: str = "project") -> Path:
    """The file of a workspace's page."""
    path: Path = house.folder / folder / PAGES / f"{slug}.md"
    return path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


async def put(house: Any, connection: Any, slug: str, content: str) -> dict[str, Any]:
    result: dict[str, Any] = await house.call(connection, "pages/put", slug=slug, content=content)
    return result


async def states(house: Any) -> list[tuple[str, str]]:
    """Slug and state of every page write, oldest first."""
    found: list[tuple[str, str]] = await house.sidecar.store.reading.run(
        lambda db: db.execute("SELECT slug, state FROM page_writes ORDER BY id").fetchall()
    )
    return found


async def test_a_new_page_is_asked_and_written(house, person) -> None:
    """The person sees the whole text; the file, the row and the answer say the same."""
    person.script = ["allowed-once"]
    connection = house.connect(person)
    result = await put(house, connection, "people/ada", "# Ada\n")

    (question,) = person.questions
    assert ("page-put", "pages", "workspace") == (question.action, question.track, question.scope)
    assert "create people/ada.md:\n# Ada\n" == question.text
    (page,) = question.pages
    assert (None, "# Ada\n", "people/ada") == (page.before, page.content, page.slug)
    assert "# Ada\n" == file_of(house, "people/ada").read_text()
    (row,) = await house.rows(connection, "page-put")
    assert {
        "slug": "people/ada",
        "path": str(file_of(house, "people/ada").resolve()),
        "status": "created",
        "seq": row["seq"],
    } == result
    assert ("page:people/ada", "workspace", "# Ada\n") == (row["entryId"], row["scope"], row["text"])
    assert [("people/ada", "applied")] == await states(house)


async def test_a_changed_page_is_asked_as_a_difference(house, person) -> None:
    """Line endings and the rest of the file stay out of it."""
    write(file_of(house, "a"), "one\r\ntwo\r\n")
    person.script = ["allowed-once"]
    result = await put(house, house.connect(person), "a", "one\r\n2\r\n")

    assert "--- a.md\n+++ a.md\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\r" == person.questions[0].text
    assert "updated" == result["status"]
    assert b"one\r\n2\r\n" == file_of(house, "a").read_bytes()


async def test_what_a_page_says_already_is_not_asked(house, person) -> None:
    """No question, no row."""
    write(file_of(house, "a"), "one\n")
    connection = house.connect(person)

    result = await put(house, connection, "a", "one\n")

    assert ("unchanged", None) == (result["status"], result["seq"])
    assert [] == person.questions
    assert [] == await house.rows(connection)


async def test_a_removal_shows_what_goes(house, person) -> None:
    """Whole; the file is gone after it."""
    write(file_of(house, "a"), "one\n")
    person.script = ["allowed-once"]
    result = await house.call(house.connect(person), "pages/remove", slug="a")

    assert "remove a.md:\none\n" == person.questions[0].text
    assert "removed" == result["status"]
    assert not file_of(house, "a").exists()


@pytest.mark.parametrize("method", ["pages/remove", "pages/link", "pages/timeline"])
async def test_a_page_that_is_not_there_cannot_be_changed(house, person, method: str) -> None:
    """Nobody is asked."""
    params = {
        "pages/remove": {"slug": "a"},
        "pages/link": {"from": "a", "to": "b"},
        "pages/timeline": {"slug": "a", "date": "2026-01-01", "text": "x"},
    }[method]
    with pytest.raises(Fault) as raised:
        await house.call(house.connect(person), method, **params)

    assert Code.PAGE_NOT_FOUND == raised.value.code
    assert [] == person.questions


async def test_a_rejected_write_changes_nothing(house, person) -> None:
    """Neither file nor folder; the ledger has the denial."""
    person.script = ["rejected"]
    connection = house.connect(person)
    with pytest.raises(Fault) as raised:
        await put(house, connection, "a", "one\n")

    assert Code.WRITE_DENIED == raised.value.code
    assert not file_of(house, "a").parent.exists()
    assert ["page-put-denied"] == [row["action"] for row in await house.rows(connection)]


async def test_small_edits(house, person) -> None:
    """Links, dates and notes: the person sees the lines that come, and nothing else changes."""
    write(file_of(house, "a"), "---\ntitle: A\n---\ntext")
    person.script = ["allowed-once"] * 9
    connection = house.connect(person)
    await house.call(connection, "pages/link", **{"from": "a", "to": "b", "type": "knows"})
    await house.call(connection, "pages/timeline", slug="a", date="2026-01-02", text="met b")
    captured = await house.call(connection, "pages/capture", text="call b")

    assert (
        '---\ntitle: A\nknows:\n  - "[[b]]"\n---\ntext\n\n## Timeline\n\n- 2026-01-02: met b\n'
        == file_of(house, "a").read_text()
    )
    assert captured["slug"].startswith("inbox/20")
    assert "created" == captured["status"]
    assert file_of(house, captured["slug"]).read_text().endswith(" call b\n")
    again = await house.call(connection, "pages/link", **{"from": "a", "to": "b", "type": "knows"})
    assert "unchanged" == again["status"]
    assert 3 == len(person.questions)


async def test_a_file_that_changes_under_the_question_is_asked_again(house, person) -> None:
    """A put shows the new difference; what is written is what was shown last."""
    write(file_of(house, "a"), "one\n")

    async def edit(_: ApprovalRequestParams) -> str:
        write(file_of(house, "a"), "uno\n")
        return "allowed-once"

    person.script = [edit, "allowed-once"]
    await put(house, house.connect(person), "a", "two\n")

    assert ["-one\n+two", "-uno\n+two"] == [item.text.split("@@\n")[1] for item in person.questions]
    assert "two\n" == file_of(house, "a").read_text()


async def test_a_small_edit_takes_nothing_of_another_change_away(house, person) -> None:
    """A note that waits while another is written comes after it."""
    write(file_of(house, "a"), "## Timeline\n- 2026-01-01: one\n")

    async def edit(_: ApprovalRequestParams) -> str:
        write(file_of(house, "a"), "## Timeline\n- 2026-01-01: one\n- 2026-01-02: two\n")
        return "allowed-once"

    person.script = [edit, "allowed-once"]
    await house.call(house.connect(person), "pages/timeline", slug="a", date="2026-01-03", text="three")

    assert (
        "## Timeline\n- 2026-01-01: one\n- 2026-01-02: two\n- 2026-01-03: three\n"
        == file_of(house, "a").read_text()
    )


async def test_a_page_that_goes_under_the_question_is_refused(house, person) -> None:
    """An edit of what is not there any more is not made; the ledger says so."""
    write(file_of(house, "a"), "one\n")

    async def remove(_: ApprovalRequestParams) -> str:
        file_of(house, "a").unlink()
        return "allowed-once"

    person.script = [remove]
    connection = house.connect(person)
    with pytest.raises(Fault) as raised:
        await house.call(connection, "pages/timeline", slug="a", date="2026-01-03", text="three")

    assert Code.PAGE_NOT_FOUND == raised.value.code
    assert ["page-put-refused"] == [row["action"] for row in await house.rows(connection)]


async def test_a_policy_decides_for_pages(build, person) -> None:
    """``auto`` writes without asking, and the row says so; ``off`` refuses."""
    house = await build(write_policies={"pages": WritePolicy.AUTO})
    connection = house.connect(person)
    await put(house, connection, "a", "one\n")

    assert [] == person.questions
    assert "one\n" == file_of(house, "a").read_text()
    (row,) = await house.rows(connection)
    assert "allowed-once (via policy, writePolicy auto)" == row["outcome"]


async def test_no_session_grant_covers_a_page(house, person) -> None:
    """Each page is another text: it is asked every time."""
    person.script = ["allowed-session", "allowed-session"]
    connection = house.connect(person)
    await put(house, connection, "a", "one\n")
    await put(house, connection, "a", "two\n")

    assert 2 == len(person.questions)


async def test_two_writers_of_one_page_come_one_after_the_other(house, person) -> None:
    """Asked at the same time, the second sees what the first wrote."""
    people = [type(person)(["allowed-once"] * 3) for _ in range(2)]
    connections = [house.connect(each, session=f"s{number}") for number, each in enumerate(people)]
    write(file_of(house, "a"), "0\n")
    await asyncio.gather(
        *(put(house, connection, "a", f"from {number}\n") for number, connection in enumerate(connections))
    )

    first, second = [
        json.loads(payload)
        for (payload,) in await house.sidecar.store.reading.run(
            lambda db: db.execute("SELECT payload FROM ledger WHERE action = 'page-put'").fetchall()
        )
    ]
    assert "0\n" == first["before"]["content"]
    assert first["after"]["content"] == second["before"]["content"]
    assert second["after"]["content"] == file_of(house, "a").read_text()
    assert [("a", "applied")] * 2 == await states(house)


async def test_an_undo_puts_the_text_back(house, person) -> None:
    """Of a change, of a new page, of a removal; and the undo can be undone."""
    person.script = ["allowed-once"] * 20
    connection = house.connect(person)
    path = file_of(house, "a")
    made = await put(house, connection, "a", "one\n")
    changed = await put(house, connection, "a", "two\n")
    undone = await house.call(connection, "memory/undo", seq=changed["seq"])
    assert ["a"] == undone["pages"]
    assert "one\n" == path.read_text()
    assert "--- a.md" in person.questions[-1].text
    (undo,) = await house.rows(connection, "undo-page-put")
    await house.call(connection, "memory/undo", seq=undo["seq"])
    assert "two\n" == path.read_text()
    (again,) = [row for row in await house.rows(connection, "undo-page-put") if row["seq"] != undo["seq"]]
    await house.call(connection, "memory/undo", seq=again["seq"])
    await house.call(connection, "memory/undo", seq=made["seq"])
    assert not path.exists()
    (removal,) = await house.rows(connection, "undo-page-remove")
    await house.call(connection, "memory/undo", seq=removal["seq"])
    assert "one\n" == path.read_text()


async def test_an_undo_of_what_was_changed_since_is_refused(house, person) -> None:
    """By whomever: the file no longer holds what was written."""
    person.script = ["allowed-once"]
    connection = house.connect(person)
    made = await put(house, connection, "a", "one\n")
    write(file_of(house, "a"), "mine\n")
    with pytest.raises(Fault) as raised:
        await house.call(connection, "memory/undo", seq=made["seq"])

    assert Code.INVALID_INPUT == raised.value.code
    assert "mine\n" == file_of(house, "a").read_text()


async def test_a_folder_that_takes_no_files_is_told(house, person) -> None:
    """The answer names the folder, and the ledger says that the approved write was not made."""
    path = file_of(house, "sub/a")
    write(path, "one\n")

    async def block(_: ApprovalRequestParams) -> str:
        # A link where the folder was: nothing below it is written, whoever asks.
        path.rename(path.parent.parent / "kept.md")
        path.parent.rmdir()
        path.parent.symlink_to(house.folder)
        return "allowed-once"

    person.script = [block]
    connection = house.connect(person)
    with pytest.raises(Fault) as raised:
        await put(house, connection, "sub/a", "two\n")

    assert Code.INVALID_INPUT == raised.value.code
    assert not (house.folder / "a.md").exists()


async def test_trust_is_given_by_a_person_alone(build, person) -> None:
    """Once, whatever the policy; undoing takes it back."""
    house = await build(write_policies={"pages": WritePolicy.AUTO}, write_policy=WritePolicy.AUTO)
    person.script = ["allowed-once"] * 3
    connection = house.connect(person)
    write(file_of(house, "a"), "foreign\n")
    root = os.path.realpath(file_of(house, "a").parent)
    given = await house.call(connection, "pages/trust")
    again = await house.call(connection, "pages/trust", root=root)

    assert [f"trust the pages of:\n{root}"] == [item.text for item in person.questions]
    assert (root, None) == (again["root"], again["seq"])
    (row,) = await house.rows(connection, "trust")
    assert (f"root:{root}", given["seq"]) == (row["entryId"], row["seq"])
    await house.call(connection, "memory/undo", seq=given["seq"])
    assert 1 == len(await house.rows(connection, "undo-trust"))
    assert (await house.call(connection, "pages/trust"))["seq"] is not None
    assert 3 == len(person.questions)


@pytest.mark.parametrize(
    "params",
    [
        {"slug": "../a", "content": "x"},
        {"slug": "/etc/passwd", "content": "x"},
        {"slug": ".git/config", "content": "x"},
        {"slug": "a", "content": "x\x00"},
        {"slug": "a", "content": "x" * (1024 * 1024 + 1)},
    ],
)
async def test_bad_pages_are_refused_before_anybody_is_asked(house, person, params) -> None:
    """Slugs that leave the root, texts that are none."""
    with pytest.raises(Fault) as raised:
        await house.call(house.connect(person), "pages/put", **params)

    assert Code.INVALID_INPUT == raised.value.code
    assert [] == person.questions


async def test_a_page_goes_where_it_is(house, person) -> None:
    """A page of the user's own is changed there; a new one is the workspace's."""
    own = Path(house.sidecar.data_folder) / "pages" / "a.md"
    write(own, "one\n")
    person.script = ["allowed-once"] * 2
    connection = house.connect(person)
    await put(house, connection, "a", "two\n")
    await put(house, connection, "b", "new\n")

    assert "two\n" == own.read_text()
    assert ["user-global", "workspace"] == [item.scope for item in person.questions]
    assert file_of(house, "b").exists()


def test_digests_are_sha256_of_the_bytes() -> None:
    """As everybody else computes them."""
    assert hashlib.sha256("é\r\n".encode()).hexdigest() == digest_of("é\r\n")


async def test_a_remote_caller_touches_no_private_page(house, person) -> None:
    """It is as if there were none, and no trace of what others wish for it is shown."""
    secret = "---\nvisibility: private\n---\nsecret\n" + "line\n" * 10
    write(file_of(house, "a"), secret)
    connection = house.connect(person)
    connection.remote = True
    for method, params in [
        ("pages/put", {"slug": "a", "content": "x"}),
        ("pages/remove", {"slug": "a"}),
        ("pages/timeline", {"slug": "a", "date": "2026-01-01", "text": "x"}),
    ]:
        with pytest.raises(Fault) as raised:
            await house.call(connection, method, **params)
        assert Code.PAGE_NOT_FOUND == raised.value.code
    local = house.connect(type(person)(["rejected"]))
    with pytest.raises(Fault):
        await house.call(local, "pages/timeline", slug="a", date="2026-01-01", text="hush")

    assert [] == person.questions
    assert 1 == len(await house.rows(local))
    assert [] == await house.rows(connection)
    assert [] == (await house.call(connection, "proposals/list"))["proposals"]


async def test_a_slug_that_differs_in_capitals_alone_names_no_second_page(automatic, person) -> None:
    """Of two such files one would be no page; a remote caller hears of no private one."""
    local, remote = automatic.connect(person), automatic.connect(person)
    remote.remote = True
    await put(automatic, local, "people/Ada", "# Ada\n")
    await put(automatic, local, "Hush", "---\nvisibility: private\n---\n")
    faults = []
    for connection, slug in (
        (local, "people/ada"),
        (remote, "people/ADA"),
        (remote, "hush"),
        (local, "hush"),
    ):
        with pytest.raises(Fault) as raised:
            await put(automatic, connection, slug, "other\n")
        faults.append((raised.value.code, "Hush" in str(raised.value.details)))

    refused = (Code.INVALID_INPUT, False)
    assert [refused, refused, (Code.PAGE_NOT_FOUND, False), (Code.INVALID_INPUT, True)] == faults
    assert "updated" == (await put(automatic, local, "people/Ada", "# Ada again\n"))["status"]
    assert ["Ada.md"] == [item.name for item in file_of(automatic, "people/Ada").parent.iterdir()]


async def test_the_users_own_page_may_be_called_alike(automatic, person) -> None:
    """Beside a workspace's page that is there."""
    own = automatic.home / "data" / "pages" / "Me.md"
    connection = automatic.connect(person)
    await put(automatic, connection, "me", "one\n")
    write(own, "# Me\n")
    await automatic.call(connection, "pages/reindex")

    assert "updated" == (await put(automatic, connection, "me", "two\n"))["status"]
    assert "# Me\n" == own.read_text()


@pytest.fixture
async def automatic(build):
    """A house that asks nobody about pages."""
    return await build(write_policies={"pages": WritePolicy.AUTO})


PRIVATE_FORMS = (
    '---\n"visibility": private\n---\n',
    "---\nvisibility : private\n---\n",
    "---\nvisibility:\n  private\n---\n",
    "---\n? visibility\n: private\n---\n",
    "---\nvisibility: privat\n---\n",
    "---\ntitle: [never closed\n---\n",
)


@pytest.mark.parametrize("head", PRIVATE_FORMS)
async def test_the_ledger_tells_a_remote_caller_of_no_private_page(automatic, person, head) -> None:
    """However its file says so, or fails to say what it is: the row of a write is as private as the page."""
    local, remote = automatic.connect(person), automatic.connect(person)
    remote.remote = True
    await put(automatic, local, "a", f"{head}secret\n")
    await put(automatic, local, "a", "open\n")
    await automatic.call(local, "memory/undo", seq=(await automatic.rows(local))[0]["seq"])
    with pytest.raises(Fault) as raised:
        await automatic.call(remote, "pages/timeline", slug="a", date="2026-01-01", text="x")

    assert Code.PAGE_NOT_FOUND == raised.value.code
    assert f"{head}secret\n" == file_of(automatic, "a").read_text()
    assert 3 == len(await automatic.rows(local))
    assert [] == await automatic.rows(remote)


async def test_a_private_page_has_no_history_for_a_remote_caller(automatic, person) -> None:
    """Who asks for it by the ledger's name of the page hears what it hears of one that is not there."""
    local = automatic.connect(person)
    await put(automatic, local, "hush", "---\nvisibility: private\n---\nsecret\n")
    remote = automatic.connect(person)
    remote.remote = True

    for method in ("memory/history", "memory/why"):
        with pytest.raises(Fault) as raised:
            await automatic.call(remote, method, id="page:hush")
        with pytest.raises(Fault) as missing:
            await automatic.call(remote, method, id="page:gone")
        assert "page-put" in str(await automatic.call(local, method, id="page:hush"))
        assert Code.ENTRY_NOT_FOUND == raised.value.code == missing.value.code


async def test_a_page_may_speak_of_what_is_private(automatic, person) -> None:
    """Its front matter decides: a remote caller writes it, and sees that it was written."""
    write(file_of(automatic, "a"), "visibility: this page tells how private pages are kept\n")
    remote = automatic.connect(person)
    remote.remote = True
    await automatic.call(remote, "pages/timeline", slug="a", date="2026-01-01", text="x")

    assert 1 == len(await automatic.rows(remote, "page-put"))


async def test_a_remote_caller_hears_of_no_write_that_was_given_up(automatic, person) -> None:
    """The note names the page, which may be private."""
    local, remote = automatic.connect(person), automatic.connect(person)
    remote.remote = True
    (automatic.folder / "project").rmdir()
    with pytest.raises(Fault) as raised:
        await put(automatic, local, "hush", "---\nvisibility: private\n---\nsecret\n")

    assert Code.STORE_READ_ONLY == raised.value.code
    assert ["page-abandoned"] == [row["action"] for row in await automatic.rows(local, "page-abandoned")]
    assert [] == await automatic.rows(remote)


async def test_a_page_that_becomes_private_under_a_remote_question_is_gone(house, person) -> None:
    """What it says now is not shown through the remote caller's own client."""
    write(file_of(house, "a"), "one\n")

    async def hide(_: ApprovalRequestParams) -> str:
        write(file_of(house, "a"), "---\nvisibility: private\n---\nsecret\n")
        return "allowed-once"

    person.script = [hide]
    connection = house.connect(person)
    connection.remote = True
    with pytest.raises(Fault) as raised:
        await put(house, connection, "a", "two\n")

    assert Code.PAGE_NOT_FOUND == raised.value.code
    assert "secret" not in "".join(item.text for item in person.questions)


async def test_a_written_page_is_found_at_once(build, person) -> None:
    """The index has it when the writer has its answer."""
    house = await build(write_policies={"pages": WritePolicy.AUTO})
    connection = house.connect(person)
    await put(house, connection, "people/ada", "# Ada Lovelace\n\nKeeps the engine.\n")
    found = await house.call(connection, "pages/search", query="engine")
    assert ["people/ada"] == [hit["page"]["slug"] for hit in found["hits"]]
    await house.call(connection, "pages/remove", slug="people/ada")

    assert [] == (await house.call(connection, "pages/search", query="engine"))["hits"]


async def test_a_wish_for_a_page_waits_in_the_inbox(house, person) -> None:
    """Nobody there: it is decided later, through another connection, against the file as it is then."""
    person.script = ["nobody"]
    with pytest.raises(Fault):
        await put(house, house.connect(person), "a", "one\n")
    decider = house.connect(type(person)(), may_decide=True)
    (waiting,) = (await house.call(decider, "proposals/list", status="pending"))["proposals"]
    asked = (await house.call(decider, "proposals/get", id=waiting["id"]))["ask"]
    assert "create a.md:\none\n" == asked["text"]
    await house.call(decider, "proposals/approve", id=waiting["id"], hash=asked["hash"])

    assert "one\n" == file_of(house, "a").read_text()
    assert [("a", "applied")] == await states(house)
