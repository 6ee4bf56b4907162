"""Purging copies: old ones, spoiled ones and clean ones, and the search of raw files that proves it."""

import gzip
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.core.writing.ledger import Decision, Row
from keepgate.store import purging, raw_search
from keepgate.store.backup import backup
from keepgate.store.memory import Writer
from keepgate.store.open import Store

FIXTURES = Path(__file__).parent / "fixtures"
TEXT = "Imported note"
FORMS = raw_search.forms_of(TEXT)


def purge_copy(acting: ModuleType, store: Store, path: Path) -> bool:
    """Purge the text from a copy, as a purge of the store does it."""
    row = Row(ts=1, action="purge", decision=Decision.NOTE, outcome="allowed-once", payload={"text": "x"})
    return purging.purge_backup(str(path), store.key(), acting.stamp(), store.origin, FORMS, row)


@pytest.mark.parametrize("version", [1, 2])
def test_a_copy_of_an_older_version_is_purged_as_it_is(
    acting: ModuleType, store: Store, tmp_path: Path, version: int
) -> None:
    """It keeps its version, its guards and all else that it holds; the text is in no byte of it."""
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((FIXTURES / f"v{version}.db.gz").read_bytes()))
    before = _told(path)
    assert TEXT.encode() in path.read_bytes()

    done = purge_copy(acting, store, path)

    after = _told(path)
    assert done
    assert TEXT.encode() not in path.read_bytes()
    assert before["entries"] - 18 == after["entries"]
    assert after["guards"]
    assert (before["version"], before["guards"]) == (after["version"], after["guards"])
    assert before["rows"] + 1 == after["rows"]


def _told(path: Path) -> dict[str, Any]:
    db = apsw.Connection(str(path))
    told = {
        "version": db.execute("PRAGMA user_version").get,
        "guards": sorted(db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()),
        "entries": db.execute("SELECT count(*) FROM entries").get,
        "rows": db.execute("SELECT count(*) FROM ledger").get,
    }
    db.close()
    return told


async def test_a_copy_without_the_text_is_left_as_it_is(
    acting: ModuleType, store: Store, writer: Writer, tmp_path: Path
) -> None:
    """Byte for byte: there is nothing to note in it."""
    await acting.add(writer, "another text")
    copy = Path((await backup(store, str(tmp_path / "copy.db"))).path)
    before = copy.read_bytes()

    assert purge_copy(acting, store, copy)
    assert before == copy.read_bytes()


@pytest.mark.parametrize("content", [None, b"no database " * 1000, "CREATE TABLE entries (word)"])
def test_a_copy_that_cannot_be_purged_is_told_of(
    acting: ModuleType, store: Store, tmp_path: Path, content: bytes | str | None
) -> None:
    """One that is gone, one that is no database and one of something else: the purge is not clean then."""
    path = tmp_path / "copy.db"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        db = apsw.Connection(str(path))
        db.execute(content)
        db.close()

    assert not purge_copy(acting, store, path)
    assert path.exists() is (content is not None)


def test_pages_below_the_folders_that_are_known_or_named(
    acting: ModuleType, store: Store, raw: apsw.Connection, tmp_path: Path
) -> None:
    """Of every Markdown ending; an old store knows no folders of pages."""
    for name in ("known/a.md", "known/sub/b.MARKDOWN", "known/c.txt", "named/d.md", "other/e.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    (tmp_path / "known/folder.md").mkdir()
    raw.execute("INSERT INTO page_roots (home, root) VALUES ('', ?)", (str(tmp_path / "known"),))
    old = tmp_path / "old.db"
    old.write_bytes(gzip.decompress((FIXTURES / "v1.db.gz").read_bytes()))
    before_pages = apsw.Connection(str(old))

    named = [str(tmp_path / "named"), str(tmp_path / "not there")]
    known = {str(tmp_path / "known/a.md"), str(tmp_path / "known/sub/b.MARKDOWN")}

    assert known == set(purging.page_files(raw))
    assert known | {str(tmp_path / "named/d.md")} == set(purging.page_files(raw, named))
    assert [str(tmp_path / "named/d.md")] == purging.page_files(before_pages, named)
    assert [] == purging.page_files(before_pages)
    before_pages.close()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_raw_files_are_searched_to_their_end(store: Store, tmp_path: Path, encoding: str) -> None:
    """Across the edges of what is read at once; what went meanwhile is clean, what cannot be read is not."""
    holding, clean, unreadable = tmp_path / "holding", tmp_path / "clean", tmp_path / "a folder"
    holding.write_bytes(b"x" * (raw_search._CHUNK - 5) + TEXT.encode(encoding) + b"y" * 99)
    clean.write_bytes(b"x" * (raw_search._CHUNK + 1))
    unreadable.mkdir()

    found = raw_search.search_files(store, TEXT, map(str, (holding, clean, unreadable, tmp_path / "gone")))

    assert (str(holding), str(unreadable)) == found.holding
    assert found.files >= 5
