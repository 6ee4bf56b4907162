"""The index of pages, apart from what fills it: what each write to it leaves, and what it leaves alone."""

import hashlib
from types import ModuleType

import apsw
import pytest

from keepgate.core.model.fact import sight_of
from keepgate.core.model.page import IndexedPage, PageFile
from keepgate.core.model.times import Window
from keepgate.core.writing.ledger import Decision, Row
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.store.appending import Appender
from keepgate.store.known_pages import known_files
from keepgate.store.lane import Lane
from keepgate.store.open import Store
from keepgate.store.pages import drop_root, drop_slug, put_pages, restat
from keepgate.store.reads.gathering import gathered
from keepgate.store.retrievals import due, note
from keepgate.store.view import View

HOME, ROOT, OTHER = "/srv/tides", "/srv/tides/pages", "/srv/tides/notes"


def page(path: str, text: str = "# A page\n", root: str = ROOT) -> IndexedPage:
    """A page as the reading of its file hands it over."""
    data = text.encode()
    digest = hashlib.sha256(data).hexdigest()
    file = PageFile(home=HOME, root=root, path=path, size=len(data), mtime_ns=1, digest=digest)
    return indexed(file, parse(path, data))


async def put(store: Store, *pages: IndexedPage) -> None:
    await store.derived.write(lambda db: put_pages(db, pages, now_ms=1, budget_s=3600))


def problems(db: apsw.Connection) -> list[tuple[str, str]]:
    """Files with problems, and what these are."""
    return [
        (path, said) for path, said in db.execute("SELECT path, problem FROM page_problems ORDER BY path")
    ]


async def test_of_two_files_with_one_slug_the_later_goes(store: Store, raw: apsw.Connection) -> None:
    """Also when it was a page before, under the slug that another version gave it; it is told of."""
    await put(store, page("a.md"), page("b.md"))
    raw.execute("UPDATE pages SET slug = 'A', slug_key = (SELECT slug_key FROM pages WHERE slug = 'a') "
                "WHERE path = 'b.md'")  # fmt: skip
    raw.execute("UPDATE pages SET path = 'A.md' WHERE path = 'b.md'")

    await put(store, page("A.md"))

    assert {"a.md"} == set(known_files(raw, HOME, ROOT))
    assert [("A.md", "has the same slug as a.md, which counts")] == problems(raw)


async def test_a_file_that_is_no_page_any_more_is_not_noted_again(store: Store, raw: apsw.Connection) -> None:
    """Size and time of known files alone are brought up to date."""
    await put(store, page("a.md"))
    seen = [
        PageFile(home=HOME, root=ROOT, path=path, size=7, mtime_ns=9, digest="")
        for path in ("gone.md", "a.md")
    ]

    await store.derived.write(lambda db: restat(db, seen))

    assert {"a.md": (7, 9)} == known_files(raw, HOME, ROOT)


async def test_a_page_in_quarantine_leaves_the_index_at_the_next_look(
    acting: ModuleType, store: Store, raw: apsw.Connection
) -> None:
    """Also where another process has put it there again; that is news once, and other pages stay."""
    await put(store, page("a.md"), page("b.md"))
    row = Row(
        ts=1, action="quarantine", decision=Decision.ALLOWED, outcome="allowed-once", workspace_key=HOME,
        entry_id="page:a", payload={"text": "x", "of": [0, 1]},
    )  # fmt: skip
    with raw:
        Appender(raw, store.key(), acting.stamp(), store.origin).append(row)

    async def look() -> int:
        return (await store.derived.write(lambda db: put_pages(db, [page("a.md")], now_ms=1))).changed

    assert [1, 0] == [await look(), await look()]
    await store.derived.write(lambda db: drop_slug(db, HOME, "a"))
    assert {"b.md"} == set(known_files(raw, HOME, ROOT))


async def test_a_folder_that_is_none_any_more_goes_in_steps(store: Store, raw: apsw.Connection) -> None:
    """So many pages at once, and at the end its problems and itself; other folders stay."""
    await put(store, *(page(f"{name}.md") for name in "abc"))
    await put(store, page("d.md", root=OTHER))

    async def drop() -> bool:
        return await store.derived.write(lambda db: drop_root(db, HOME, ROOT, limit=2))

    assert [False, True] == [await drop(), await drop()]
    assert ({}, {"d.md": (9, 1)}) == (known_files(raw, HOME, ROOT), known_files(raw, HOME, OTHER))
    assert [(OTHER,)] == raw.execute("SELECT root FROM page_roots").fetchall()


async def test_a_busy_store_goes_without_a_note(
    acting: ModuleType, store: Store, raw: apsw.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """That a page was handed out is derived: nobody waits for it, and nothing else is lost."""
    asked = [(HOME, "a")]
    lane = Lane("noting", store.path, lambda patience: acting.connect(store.path, patience))
    with caplog.at_level("DEBUG", logger="keepgate.store.retrievals"):
        raw.execute("BEGIN IMMEDIATE")
        lane.hurry()
        note(lane, asked, 1)
        await lane.run(lambda db: None)
        raw.execute("ROLLBACK")
        busy = due(raw, asked, 1)
        note(lane, asked, 1)
        await lane.run(lambda db: None)
        noted = due(raw, asked, 1)
        note(lane, [(HOME, "\ud800")], 1)
        await lane.run(lambda db: None)
    await lane.close()

    assert (asked, []) == (busy, noted)
    assert [
        ("DEBUG", "a page's retrieval was not noted: STORE_BUSY"),
        ("ERROR", "a page's retrieval was not noted"),
    ] == [(record.levelname, record.getMessage()) for record in caplog.records]


def test_a_look_without_page_files_says_so(raw: apsw.Connection) -> None:
    """A plan for pages never takes a file for missing that nobody looked at."""
    view = View(raw)
    with pytest.raises(LookupError, match="without page files"):
        view.page_text(ROOT, "a.md")
    with pytest.raises(LookupError, match="without page files"):
        view.page_visibility("# A\n")


async def test_a_question_without_words_gathers_nothing(store: Store, raw: apsw.Connection) -> None:
    """One with a word of a page gathers that page."""
    await put(store, page("tides.md", "# Tides\n\nHigh at noon.\n"))
    sight, window = sight_of(frozenset({HOME}), world_only=False), Window(None, None)

    found = [
        gathered(raw, sight, question, window, now_ms=2, floor=0.0)
        for question in ("?!", "when are the tides")
    ]

    assert ([], []) == found[0]
    assert ["tides"] == [hit.slug for hit in found[1][0]]
