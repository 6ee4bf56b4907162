"""``memory/history`` and ``memory/why`` of pages, by ``page:`` and the slug."""

from typing import Any

import pytest

from keepgate.protocol.errors import Code

PRIVATE = "---\nvisibility: private\n---\n# A\nsecret plans\n"


async def test_every_write_of_a_page_is_told(house: Any) -> None:
    """Its states in order with who wrote them, also after it was removed and came back."""
    one, other = house.client("s1"), house.client("s2", agent="coder")
    await one.call("pages/put", slug="people/alice", content="# Alice\n")
    await other.call("pages/timeline", slug="people/alice", date="2026-01-02", text="moved")
    removed = await one.call("pages/remove", slug="people/alice")
    await one.call("memory/undo", seq=removed["seq"])

    versions = (await one.call("memory/history", id="page:people/alice"))["versions"]
    why = await one.call("memory/why", id="page:people/alice")

    assert [("page-put", 1), ("page-put", 2), ("page-remove", 2), ("undo-page-put", 3)] == [
        (version["action"], version["version"]) for version in versions
    ]
    assert "# Alice\n" == versions[0]["text"]
    assert versions[1]["text"] == versions[2]["text"] == versions[3]["text"]
    assert "moved" in versions[1]["text"]
    assert [None] * 4 == [version["tags"] for version in versions]
    assert ["s1", "s2", "s1", "s1"] == [link["sessionId"] for link in why["chain"]]
    assert ["tester"] * 4 == [link["decidedBy"]["client"] for link in why["chain"]]
    assert "coder" == why["chain"][1]["agentKey"]
    assert (None, None, "as-written", False) == (
        why["entry"],
        why["fact"],
        why["page"]["onDisk"],
        why["page"]["quarantined"],
    )
    assert why["page"]["path"].endswith(".keepgate/pages/people/alice.md")


async def test_what_others_did_to_the_file_is_told(house: Any) -> None:
    """The ledger has what went through the gate alone, so why says when the file is another by now."""
    client = house.client()
    written = await client.call("pages/put", slug="a", content="# A\n")
    file = house.folder / "project/.keepgate/pages/a.md"

    async def on_disk() -> str:
        return str((await client.call("memory/why", id="page:a"))["page"]["onDisk"])

    assert written["path"] == str(file)
    file.write_text("# A, by hand\n")
    assert "changed" == await on_disk()
    file.write_bytes(b"\xff\xfe")
    assert "unreadable" == await on_disk()
    file.unlink()
    assert "gone" == await on_disk()


async def test_a_page_of_the_workspace_comes_first_and_others_are_out_of_sight(house: Any) -> None:
    """As in reads: one history is of one page."""
    here, there = house.client(), house.client(folders=("other",))
    await here.call("pages/put", slug="a", content="# Here\n")
    await there.call("pages/put", slug="b", content="# There\n")

    (version,) = (await here.call("memory/history", id="page:a"))["versions"]

    assert "# Here\n" == version["text"]
    for method in ("memory/history", "memory/why"):
        assert Code.ENTRY_NOT_FOUND is (await here.fault(method, id="page:b")).code
        assert Code.ENTRY_NOT_FOUND is (await here.fault(method, id="page:")).code
    everywhere = await here.call("memory/why", id="page:b", allWorkspaces=True, session=None)
    assert house.key("other") == everywhere["page"]["workspaceKey"]


async def test_a_remote_caller_sees_no_private_state(house: Any) -> None:
    """Of a page that was private for a while the rest; of one that always was nothing."""
    person, remote = house.client(), house.client("r", remote=True)
    for slug, texts in {"a": ("# A\n", PRIVATE, "# A again\n"), "b": (PRIVATE,)}.items():
        for text in texts:
            await person.call("pages/put", slug=slug, content=text)

    versions = (await remote.call("memory/history", id="page:a"))["versions"]
    why = await remote.call("memory/why", id="page:a")

    assert ["# A\n"] == [version["text"] for version in versions]
    assert 1 == len(why["chain"])
    assert 3 == len((await person.call("memory/history", id="page:a"))["versions"])
    assert Code.ENTRY_NOT_FOUND is (await remote.fault("memory/why", id="page:b")).code


async def test_quarantine_is_a_part_of_the_history(house: Any) -> None:
    """And no version of its own: the file was not touched."""
    bad, person = house.client("bad"), house.client("me")
    await bad.call("pages/put", slug="a", content="# A\n")
    await person.call("memory/quarantine", sessionId="bad")

    why = await person.call("memory/why", id="page:a")
    await person.call("memory/release", sessionId="bad")
    versions = (await person.call("memory/history", id="page:a"))["versions"]

    assert (True, ["bad", "me"]) == (
        why["page"]["quarantined"],
        [link["sessionId"] for link in why["chain"]],
    )
    assert [("page-put", 1), ("quarantine", 1), ("release", 1)] == [
        (version["action"], version["version"]) for version in versions
    ]


async def test_an_answer_stays_small(house: Any) -> None:
    """Of a long page with many versions the newest texts are whole."""
    client = house.client()
    for number in range(5):
        await client.call("pages/put", slug="a", content=f"# A {number}\n" + "word " * 30_000)

    versions = (await client.call("memory/history", id="page:a"))["versions"]

    assert [True, True, True, None, None] == [version.get("cut") for version in versions]
    assert all(len(version["text"]) < 400 for version in versions[:3])
    assert versions[4]["text"].startswith("# A 4\n")


@pytest.mark.parametrize("given", ["page:A\u0301lice", "page:\u00c1lice"])
async def test_a_slug_may_be_spelled_in_any_form(house: Any, given: str) -> None:
    """As everywhere, it is composed first."""
    client = house.client()
    await client.call("pages/put", slug="\u00c1lice", content="# A\n")

    assert 1 == len((await client.call("memory/history", id=given))["versions"])
