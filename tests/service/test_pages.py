"""Pages of a connection: which folders they come from, who sees them, and when they are news."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.settings import PageSettings


def write(house: Any, path: str, text: str = "Text") -> Path:
    file: Path = house.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


async def slugs(client: Any) -> list[str]:
    return [page["slug"] for page in (await client.call("pages/list"))["pages"]]


def look_again(house: Any) -> None:
    """What was looked at a moment ago is looked at again."""
    house.sidecar.pages.look_again()


async def test_each_workspace_has_its_own_pages(house: Any) -> None:
    """Two folders of one name, and the user's own pages, which everybody sees."""
    write(house, "one/project/.keepgate/pages/a.md")
    write(house, "two/project/.keepgate/pages/b.md")
    write(house, "home/data/pages/me.md")

    one, two = house.client(folders=("one/project",)), house.client(folders=("two/project",))
    both = house.client(None, folders=("one/project", "two/project"))

    assert ["a", "me"] == await slugs(one)
    assert ["b", "me"] == await slugs(two)
    assert ["a", "b", "me"] == await slugs(both)
    assert Code.PAGE_NOT_FOUND is (await one.fault("pages/get", slug="b")).code


async def test_a_remote_caller_sees_no_private_page(house: Any) -> None:
    """In no read; and not for a moment longer than the file allows."""
    write(house, "project/.keepgate/pages/secret.md", "---\nvisibility: private\n---\nwords of [[open]]")
    opened = write(house, "project/.keepgate/pages/open.md", "# Open\nwords for [[secret]]")
    remote, local = house.client(remote=True), house.client()

    assert ["open"] == await slugs(remote)
    assert ["open", "secret"] == await slugs(local)
    assert Code.PAGE_NOT_FOUND is (await remote.fault("pages/get", slug="secret")).code
    assert ["open"] == [
        hit["page"]["slug"] for hit in (await remote.call("pages/search", query="words"))["hits"]
    ]
    assert 0 == (await remote.call("pages/backlinks", slug="open"))["total"]
    assert [None] == [
        each["slug"] for each in (await remote.call("pages/resolve", names=["secret"]))["resolved"]
    ]
    indexed = await remote.call("pages/reindex")
    assert ([], 1, None, None) == tuple(indexed[name] for name in ("problems", "pages", "changed", "removed"))
    opened.write_text("---\nvisibility: private\n---\n# Open")
    assert Code.PAGE_NOT_FOUND is (await remote.fault("pages/get", slug="open")).code


async def test_a_project_names_its_folders_of_pages(house: Any) -> None:
    """Inside of it any, outside of it none; one that another reaches is no second root."""
    write(
        house, "project/.keepgate/config.toml", '[pages]\nroots = ["notes", "notes/deep", "notes/.inner"]\n'
    )
    write(house, "project/notes/deep/a.md")
    write(house, "project/notes/.inner/b.md")
    write(house, "project/.keepgate/pages/c.md")

    assert ["b", "deep/a"] == await slugs(house.client())


async def test_a_root_that_leads_out_of_its_workspace_is_none(build: Any, tmp_path: Path) -> None:
    """A link in a repository must not make pages of the files somewhere else."""
    if sys.platform == "win32":
        pytest.skip("links need rights there")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes").symlink_to(outside)
    house = await build(pages=PageSettings(roots=["notes"]))

    assert [] == await slugs(house.client())


async def test_a_broken_project_file_stops_no_other_workspace(house: Any) -> None:
    """Its pages wait; those of the others are found."""
    write(house, "fine/.keepgate/pages/a.md")
    write(house, "bad/.keepgate/pages/b.md")
    client = house.client(None, folders=("fine", "bad"))
    write(house, "bad/.keepgate/config.toml", "[[[")

    assert ["a"] == await slugs(client)


async def test_two_folders_of_one_repository_share_its_pages(build: Any, tmp_path: Path) -> None:
    """Work trees that share a memory share their pages; where both have one, one of them counts."""
    git = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    for words in (
        ("init", "-q"),
        ("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "x"),
        ("worktree", "add", "-q", str(linked)),
    ):
        subprocess.run(("git", *words), cwd=main, env=git, check=True)  # noqa: ASYNC221 - before anything runs
    house = await build(workspace_identity="repository")
    write(house, "main/.keepgate/pages/a.md", "one")
    write(house, "linked/.keepgate/pages/a.md", "two")
    write(house, "linked/.keepgate/pages/b.md")
    client = house.client(None, folders=("main", "linked"))

    assert ["a", "b"] == await slugs(client)


async def test_a_command_reads_for_a_bounded_time(house: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many new files it answers with those that it came to; the next goes on from there."""
    for at in range(200):
        write(house, f"project/.keepgate/pages/n{at:03}.md")
    with monkeypatch.context() as no_time:
        no_time.setattr("keepgate.pages.keeping.REFRESH_S", 0.0)
        client = house.client()
        assert [] == await slugs(client)
    look_again(house)

    assert 100 == len(await slugs(client))
    assert 200 == (await client.call("memory/status"))["counts"]["pages"]


async def test_a_process_that_lives_on_follows_the_files(house: Any) -> None:
    """Once started, it tells its clients of changes, and answers at once with what the index has."""
    client, elsewhere = house.client(), house.client(folders=("elsewhere",))
    await house.sidecar.start()
    write(house, "project/.keepgate/pages/a.md")

    await client.hears("pages/didChange")
    assert house.key() == client.told("pages/didChange")[-1].workspace_key
    assert ["a"] == await slugs(client)
    assert [] == elsewhere.told("pages/didChange")
    opened = house.client(folders=("later",))
    write(house, "later/.keepgate/pages/b.md")
    await _until(lambda: _has(opened, "b"))


async def _has(client: Any, slug: str) -> bool:
    return slug in await slugs(client)


async def _until(holds: Any, timeout_s: float = 20.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not await holds():
        assert time.monotonic() < deadline, "it never came to hold"
        await asyncio.sleep(0.02)


async def test_a_read_only_store_still_has_its_pages(house: Any, build: Any) -> None:
    """Nothing is indexed where nothing can be written, and what was indexed is read."""
    write(house, "project/.keepgate/pages/a.md", "# Title")
    assert ["a"] == await slugs(house.client())
    house.sidecar.pages._read_only = True
    write(house, "project/.keepgate/pages/b.md")
    look_again(house)

    assert ["a"] == await slugs(house.client())


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("pages/list", {"limit": 0}),
        ("pages/list", {"after": "nonsense"}),
        ("pages/search", {"query": "x", "limit": -1}),
        ("pages/resolve", {"names": ["x"] * 101}),
    ],
)
async def test_what_cannot_be_asked(client: Any, method: str, params: dict[str, Any]) -> None:
    """Bad values are named, not guessed."""
    assert Code.INVALID_INPUT is (await client.fault(method, **params)).code


@pytest.mark.parametrize("query", ["", "   ", '"', "*", "NEAR(", "a OR", "-", "the", "\u200b", "%", "🍵"])
async def test_no_query_is_an_error(house: Any, query: str) -> None:
    """Signs of the index's own syntax are words like any other, or nothing."""
    write(house, "project/.keepgate/pages/a.md", "# Tea 🍵")

    found = (await house.client().call("pages/search", query=query))["hits"]

    assert (["a"] if query == "🍵" else []) == [hit["page"]["slug"] for hit in found]


async def test_pages_with_many_tags_come_in_more_answers(house: Any) -> None:
    """No answer grows without bounds, and none of the pages is lost."""
    tags = ", ".join(f"{at:03}{'x' * 190}" for at in range(100))
    for at in range(40):
        write(house, f"project/.keepgate/pages/n{at:02}.md", f"---\ntags: [{tags}]\n---\n")
    client, seen, after, answers = house.client(), [], None, 0
    while True:
        page = await client.call("pages/list", after=after)
        seen += [each["slug"] for each in page["pages"]]
        answers, after = answers + 1, page["next"]
        if after is None:
            break

    assert [f"n{at:02}" for at in range(40)] == seen
    assert answers > 1
