"""The index says what the files say: whatever happens to them, and whatever is wrong with them."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from keepgate.core.model.fact import sight_of
from keepgate.core.model.page import Dated, Link
from keepgate.pages import files
from keepgate.pages.ready import RACY_NS
from keepgate.pages.roots import Root
from keepgate.protocol.pages import PAGE_BYTES_MAX
from keepgate.store.reads import pages as reads

KEY = "/work"
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


async def test_pages_are_found_with_all_that_stands_in_them(corner: Any) -> None:
    """A file becomes a page with its names, links and timeline (VERBS-pages)."""
    corner.write(
        "people/alice.md",
        "---\naliases: [Ally]\nworks_at: [[companies/acme]]\nvisibility: private\n---\n# Alice\n\n"
        "Knows [[people/bob]].\n\n## Timeline\n- 2026-11-30: tea\n",
    )
    corner.write("Zürich/日本.markdown", "# 日本")

    outcome = await corner.indexing.bring_up(corner.root)
    found = await corner.whole("people/alice")

    assert (2, 0, True) == (outcome.changed, outcome.removed, outcome.is_whole)
    assert ["Zürich/日本", "people/alice"] == await corner.slugs()
    assert ("Alice", "person", "Knows people/bob.") == (
        found.page.title, found.page.type, found.page.summary
    )  # fmt: skip
    assert ("Ally",) == found.aliases
    assert (Link("companies/acme", "works_at"), Link("people/bob", "links_to", "Knows people/bob.")) == (
        found.links
    )
    assert (Dated("2026-11-30", "tea"),) == found.timeline


async def test_what_is_hidden_or_no_page_is_left_out(corner: Any, tmp_path: Path) -> None:
    """Hidden names, other endings and other things are none of the index's business."""
    for path in (".hidden.md", ".git/a.md", "node_modules/b/c.md", "x.txt", "y.mdx", ".md"):
        corner.write(path)
    (corner.folder / "folder.md").mkdir()
    corner.write("ok.MD")

    await corner.indexing.bring_up(corner.root)

    assert ["ok"] == await corner.slugs()
    assert {} == await corner.problems()


@needs_posix
async def test_links_lead_nowhere(corner: Any, tmp_path: Path) -> None:
    """What a link leads to may lie outside, or be the folder itself: no link is followed."""
    corner.write("secret.md", folder=tmp_path / "outside")
    (corner.folder / "out.md").symlink_to(tmp_path / "outside" / "secret.md")
    (corner.folder / "outside").symlink_to(tmp_path / "outside")
    (corner.folder / "loop").symlink_to(corner.folder)
    (corner.folder / "dangling.md").symlink_to("nowhere.md")
    os.mkfifo(corner.folder / "pipe.md")
    corner.write("ok.md")

    await corner.indexing.bring_up(corner.root)
    await corner.indexing.bring_up(corner.root, ("outside/secret.md", "out.md", "loop/ok.md", "pipe.md"))

    assert ["ok"] == await corner.slugs()


def grown_old(file: Path) -> None:
    """Wait until a file's time is old enough to prove that it did not change since."""
    while time.time_ns() - file.stat().st_ctime_ns <= RACY_NS:
        time.sleep(0.001)


async def test_unchanged_files_are_not_read_again(corner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Size and time tell that a file is as it was; a new time alone changes nothing that is seen."""
    file = corner.write("a.md", "one")
    grown_old(file)
    await corner.indexing.bring_up(corner.root)
    before = (await corner.pages())["a"]
    read: list[str] = []
    really = files.read
    monkeypatch.setattr(files, "read", lambda root, path: read.append(path) or really(root, path))

    again = await corner.indexing.bring_up(corner.root)
    unread = list(read)
    os.utime(file, ns=(1, 3 * 10**18))
    touched = await corner.indexing.bring_up(corner.root)

    assert ([], ["a.md"], 0, 0) == (unread, read, again.changed, touched.changed)
    assert before == (await corner.pages())["a"]


async def test_a_file_whose_time_was_set_back_is_seen(corner: Any) -> None:
    """As copying programs do that keep times: the same size, the same time, another text."""
    file = corner.write("a.md", "one")
    grown_old(file)
    await corner.indexing.bring_up(corner.root)
    before, status = (await corner.pages())["a"], file.stat()

    file.write_text("two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    seen = await corner.indexing.bring_up(corner.root)

    assert 1 == seen.changed
    assert before.changed_at < (await corner.pages())["a"].changed_at


async def test_a_file_written_a_moment_ago_is_looked_at_again(corner: Any) -> None:
    """Two writes may share one time: until that is past, the time proves nothing."""
    file = corner.write("a.md", "one")
    await corner.indexing.bring_up(corner.root)
    status = file.stat()
    file.write_text("two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    outcome = await corner.indexing.bring_up(corner.root)

    assert 1 == outcome.changed


async def test_a_rebuild_keeps_when_a_page_changed(corner: Any) -> None:
    """Reading everything anew is no change: nothing is told again by delta."""
    for name in "abc":
        corner.write(f"{name}.md", name)
    await corner.indexing.bring_up(corner.root)
    before = await corner.pages()

    outcome = await corner.indexing.bring_up(corner.root, every=True)

    assert 0 == outcome.changed
    assert before == await corner.pages()


async def test_changes_have_an_order(corner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is later than every one before it, also when the clock steps back and pages went."""
    corner.indexing.stamp = _at(5_000)
    corner.write("a.md", "1")
    corner.write("b.md", "1")
    await corner.indexing.bring_up(corner.root)
    newest = max(page.changed_at for page in (await corner.pages()).values())
    (corner.folder / "b.md").unlink()
    await corner.indexing.bring_up(corner.root)
    corner.indexing.stamp = _at(1_000)
    corner.write("c.md", "1")
    await corner.indexing.bring_up(corner.root)

    pages = await corner.pages()

    assert pages["c"].changed_at > newest >= 5_001


def _at(now_ms: int) -> Any:
    from keepgate.core.model.stamp import Stamp

    return lambda: Stamp(now_ms=now_ms, new_id=lambda: "x", new_salt=lambda: "y")


async def test_files_that_go_are_pages_no_more(corner: Any) -> None:
    """Moved, renamed and removed: nothing of the old page is left, in any table."""
    corner.write("old/a.md", "---\naliases: [x]\n---\n[[b]] words\n## Timeline\n- 2026-01-01: t")
    corner.write("b.md", "---\ntitle: [\n---\n")
    await corner.indexing.bring_up(corner.root)
    (corner.folder / "old").rename(corner.folder / "new")
    await corner.indexing.bring_up(corner.root, ("old", "new"))
    assert ["b", "new/a"] == await corner.slugs()
    (corner.folder / "new" / "a.md").unlink()
    (corner.folder / "b.md").unlink()

    outcome = await corner.indexing.bring_up(corner.root)

    assert 2 == outcome.removed
    tables = ("pages", "page_aliases", "page_links", "page_timeline", "page_chunks", "page_problems")
    for table in tables:
        assert 0 == await corner.store.reading.run(lambda db, name: db.execute(
            f"SELECT count(*) FROM {name}").get, table)  # fmt: skip
    assert 0 == await _hits(corner, "words")


async def _hits(corner: Any, term: str) -> int:
    query = "SELECT count(*) FROM page_search WHERE page_search MATCH ?"
    count: int = await corner.store.reading.run(lambda db: db.execute(query, (f'"{term}"',)).get)
    return count


async def test_a_root_that_goes_and_comes_back(corner: Any) -> None:
    """Its pages go with it and come back with it."""
    corner.write("a.md")
    await corner.indexing.bring_up(corner.root)
    corner.folder.rename(corner.folder.with_name("away"))
    await corner.indexing.bring_up(corner.root)
    assert [] == await corner.slugs()
    corner.folder.with_name("away").rename(corner.folder)

    await corner.indexing.bring_up(corner.root)

    assert ["a"] == await corner.slugs()


async def test_problems_are_kept_beside_what_can_be_read(corner: Any) -> None:
    """Each kind of bad file is named, none of them stops the others, and healing takes the problem away."""
    corner.write("yaml.md", "---\ntitle: [\n---\nText")
    (corner.folder / "latin.md").write_bytes(b"caf\xe9")
    (corner.folder / "nul.md").write_bytes(b"a\0b")
    (corner.folder / "large.md").write_bytes(b"x" * (PAGE_BYTES_MAX + 1))
    corner.write("day.md", "## Timeline\n- 2026-02-30: x")
    corner.write("good.md")

    await corner.indexing.bring_up(corner.root)

    assert ["day", "good", "latin", "nul", "yaml"] == await corner.slugs()
    assert {"day.md", "latin.md", "large.md", "nul.md", "yaml.md"} == set(await corner.problems())
    for name in ("yaml", "latin", "nul", "large", "day"):
        corner.write(f"{name}.md", "healed, and longer than it was")
    await corner.indexing.bring_up(corner.root)
    assert {} == await corner.problems()
    assert 6 == len(await corner.slugs())


@needs_posix
async def test_one_slug_has_one_file(corner: Any) -> None:
    """Of names that differ in capitals or composition the first counts, and the other when that is gone."""
    corner.write("Cafe\u0301.md", "one")
    corner.write("caf\u00e9.md", "two")
    await corner.indexing.bring_up(corner.root)
    assert ["Café"] == await corner.slugs()
    assert {"café.md": "has the same slug as Cafe\u0301.md, which counts"} == await corner.problems()
    (corner.folder / "Cafe\u0301.md").unlink()

    await corner.indexing.bring_up(corner.root, ("Cafe\u0301.md",))

    assert ["café"] == await corner.slugs()
    assert {} == await corner.problems()


async def test_what_may_not_be_read_is_a_problem(corner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system refuses is named; pages below a folder that it refuses stay as they were."""
    corner.write("a.md", "new")
    corner.write("closed/b.md")
    await corner.indexing.bring_up(corner.root, ("closed",))
    refusing = True
    usual_open, usual_scandir = os.open, os.scandir

    def opened(path: Any, *args: Any, **named: Any) -> int:
        if refusing and str(path).endswith("a.md"):
            raise PermissionError(13, "Permission denied")
        return usual_open(path, *args, **named)

    def scanned(path: Any = ".") -> Any:
        if refusing and str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return usual_scandir(path)

    # The system's calls, because whoever runs this test may be allowed to read everything.
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "scandir", scanned)
    await corner.indexing.bring_up(corner.root)

    assert ["closed/b"] == await corner.slugs()
    assert {
        "a.md": "cannot be read: Permission denied",
        "closed": "cannot be looked into: Permission denied",
    } == await corner.problems()
    refusing = False
    await corner.indexing.bring_up(corner.root)
    assert ["a", "closed/b"] == await corner.slugs()
    assert {} == await corner.problems()


@needs_posix
async def test_a_name_that_is_no_text_is_a_problem(corner: Any) -> None:
    """Bytes that are no text of the system cannot be a slug, and neither can a line break."""
    os.close(os.open(os.fsencode(corner.folder) + b"/\xff.md", os.O_CREAT))
    corner.write("two\nlines.md")

    await corner.indexing.bring_up(corner.root)

    assert [] == await corner.slugs()
    assert 2 == len(await corner.problems())


async def test_a_root_may_belong_to_two_homes(corner: Any) -> None:
    """Each home has its own pages of it."""
    corner.write("a.md")
    twin = Root("/other", corner.root.folder)

    await corner.indexing.bring_up(corner.root)
    await corner.indexing.bring_up(twin)

    assert ["a"] == list(await corner.pages(KEY)) == list(await corner.pages("/other"))
    assert [] == list(await corner.pages("/third"))


async def test_two_roots_of_a_home_share_its_slugs(corner: Any, tmp_path: Path) -> None:
    """The page of the root that was first counts, the other file is a problem."""
    other = Root(KEY, str(tmp_path / "work" / "more"))
    corner.write("a.md", "one")
    corner.write("a.md", "two", folder=Path(other.folder))
    corner.write("b.md", "two", folder=Path(other.folder))

    await corner.indexing.bring_up(corner.root)
    await corner.indexing.bring_up(other)

    assert {"a": corner.root.folder, "b": other.folder} == {
        slug: page.root for slug, page in (await corner.pages()).items()
    }
    assert {"a.md"} == set(await corner.problems())


async def test_roots_that_are_none_any_more_are_dropped(corner: Any, tmp_path: Path) -> None:
    """One inside a folder that decides, and one that is gone; not one of another folder of the home."""
    gone, elsewhere = tmp_path / "gone", tmp_path / "elsewhere"
    inside = tmp_path / "work" / "docs"
    for folder in (gone, elsewhere, inside):
        corner.write(f"{folder.name}.md", folder=folder)
        await corner.indexing.bring_up(Root(KEY, str(folder)))
    (gone / "gone.md").unlink()
    gone.rmdir()

    await corner.indexing.drop_strangers(KEY, (str(tmp_path / "work"),), (corner.root,))

    assert ["elsewhere"] == await corner.slugs()


async def test_work_ends_when_its_time_is_up(corner: Any) -> None:
    """What was read by then is in the index, and the root is not complete."""
    for at in range(100):
        corner.write(f"p{at:03}.md")

    first = await corner.indexing.bring_up(corner.root, until=0.0)
    counts = await corner.store.reading.run(reads.page_counts, sight_of({KEY}, world_only=False))
    await corner.indexing.bring_up(corner.root)
    later = await corner.store.reading.run(reads.page_counts, sight_of({KEY}, world_only=False))

    assert not first.is_whole
    assert 0 == counts.pages
    assert (100, 0) == (later.pages, later.unfinished)


async def test_two_processes_index_at_once(corner: Any, another: Any) -> None:
    """Neither the lock nor the slugs of one keep the other from its end."""
    for at in range(200):
        corner.write(f"p{at:03}.md", f"page {at}")

    await asyncio.gather(corner.indexing.bring_up(corner.root), another.indexing.bring_up(another.root))

    assert 200 == len(await corner.slugs()) == len(await another.slugs())
    assert {} == await corner.problems()


async def test_private_pages_are_not_for_everybody(corner: Any) -> None:
    """Whoever sees the world's pages only sees no private one in any read."""
    corner.write("secret.md", "---\nvisibility: private\n---\nTo [[open]]")
    corner.write("open.md", "To [[secret]]")
    await corner.indexing.bring_up(corner.root)
    sight = sight_of({KEY}, world_only=True)
    run = corner.store.reading.run

    assert ["open"] == [page.slug for page in await run(reads.pages_after, sight, limit=9)]
    assert await run(reads.page_by_slug, sight, "secret") is None
    assert ([], 0) == await run(reads.backlinks, sight, "open", 9)
    assert 1 == (await run(reads.backlinks, sight_of({KEY}, world_only=False), "open", 9))[1]


async def test_another_analysis_renews_the_terms_of_pages(corner: Any) -> None:
    """Pages are found again under the terms that the present analysis gives them, without their files."""
    from keepgate.store import derived

    corner.write("a.md", "---\naliases: [Ally]\ntags: [tea]\n---\n# Title\nwords")
    await corner.indexing.bring_up(corner.root)
    (corner.folder / "a.md").unlink()
    lane = corner.store.derived
    await lane.write(lambda db: db.execute("UPDATE derived SET value = '0' WHERE key = 'analysis_version'"))
    await lane.write(lambda db: db.execute("INSERT INTO page_search (page_search) VALUES ('delete-all')"))
    assert 0 == await _hits(corner, "words")

    await lane.run(lambda db: derived.renew_index(lane, db))

    assert [1, 1, 1, 1] == [await _hits(corner, term) for term in ("words", "ally", "tea", "title")]
