"""The search index: follows the entries, and is rebuilt when the analysis changes."""

import asyncio
from types import ModuleType
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.core.reading import analyse
from keepgate.core.reading.analyse import analysed, tokens
from keepgate.store import derived
from keepgate.store.memory import Writer
from keepgate.store.open import Store


def found(db: apsw.Connection, *terms: str) -> list[Any]:
    """Rows of the index that hold every term."""
    asked = " ".join(f'"{term}"' for term in terms)
    statement = "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid"
    return [row for (row,) in db.execute(statement, (asked,))]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Runs the tests nightly", "test"),
        ("Runs the tests nightly", "running"),
        ("calls getUserName() twice", "getUserName"),
        ("calls getUserName() twice", "user"),
        ("a snake_case_name", "snake_case_name"),
        ("a snake_case_name", "case"),
        ("see src/keepgate/store.py", "src/keepgate/store.py"),
        ("see src/keepgate/store.py", "keepgate"),
        ("version 3.11-rc", "3.11-rc"),
        ("喜欢简短的回答", "简短"),
        ("喜欢简短的回答", "答"),
        ("Café au lait", "cafe"),
        ("ship it 🚀", "🚀"),
        ("ＦＵＬＬ width", "full"),
    ],
)
async def test_words_are_found_as_people_look_for_them(
    acting: ModuleType, writer: Writer, raw: apsw.Connection, text: str, word: str
) -> None:
    """Stems, parts of identifiers, paths, CJK pairs and characters, accents, symbols."""
    await acting.add(writer, "something else")
    await acting.add(writer, text)
    assert [2] == found(raw, *tokens(word))


@given(st.text(min_size=1, max_size=30).filter(lambda text: "\x00" not in text))
@settings(deadline=None)
def test_the_index_takes_any_term_as_one(text: str) -> None:
    """No term of the analysis carries the index's own syntax or splits in it: each finds its text."""
    db = apsw.Connection(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE search USING fts5 (text, content = '', contentless_delete = 1, tokenize = "
        "\"porter unicode61 remove_diacritics 2 categories 'L* N* Co So' tokenchars '_-./'\")"
    )
    db.execute("INSERT INTO search (rowid, text) VALUES (1, ?)", (analysed(text),))
    for term in tokens(text):
        assert [1] == found(db, term), term


async def test_another_analysis_rebuilds_the_index(
    acting: ModuleType, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In batches, in the background, and once."""
    store = await acting.open_at(tmp_path)
    await acting.seed(Writer(store), [acting.draft(f"word{number} common") for number in range(450)])
    await acting.remove(Writer(store), "word7 ")
    await store.close()
    monkeypatch.setattr(derived, "VERSION", analyse.VERSION + 1)
    monkeypatch.setattr("keepgate.store.open.ANALYSIS_VERSION", analyse.VERSION + 1)
    monkeypatch.setattr(derived, "analysed", lambda text: f"new {text}")
    store = await acting.open_at(tmp_path)
    await store.derived.run(lambda _: None)
    rows = await store.reading.run(
        lambda db: [
            len(found(db, "new")),
            len(found(db, "common")),
            len(found(db, "word449")),
            db.execute("SELECT value FROM derived").get,
        ]
    )
    monkeypatch.setattr(derived, "analysed", None)
    await store.close()
    again = await acting.open_at(tmp_path)
    await again.derived.run(lambda db: derived.renew_index(again.derived, db))
    await again.close()
    assert [449, 449, 1, str(analyse.VERSION + 1)] == rows


async def test_every_entry_has_its_index_row(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """And no index row is without its entry."""
    await acting.seed(writer, [acting.draft(f"word{number}") for number in range(20)])
    await acting.replace(writer, "word11", "other")
    await acting.remove(writer, "word12")
    rows = raw.execute("SELECT row FROM entries ORDER BY row").fetchall()
    assert rows == raw.execute("SELECT id FROM search_docsize ORDER BY id").fetchall()
    raw.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)")


def places_of(db: apsw.Connection, word: str) -> set[str]:
    """The tables of the file, those behind the index included, that hold a word."""
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {
        name
        for name in names
        for row in db.execute(f"SELECT * FROM {name}")
        if any(word.encode() in (value if isinstance(value, bytes) else str(value).encode()) for value in row)
    }


async def forgotten(db: apsw.Connection, word: str) -> set[str]:
    """Where a word still is once the index has let it go."""
    async with asyncio.timeout(20):
        while "search_data" in places_of(db, word):  # noqa: ASYNC110 - the end of it sets no event
            await asyncio.sleep(0.02)
    return places_of(db, word)


async def test_removed_words_leave_the_index(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """R-FORGET: soon after a removal or a replacement, only the ledger knows what was there."""
    await acting.seed(writer, [acting.draft(f"word{number} common") for number in range(300)])
    await acting.add(writer, "the zanzibar plan")
    await acting.add(writer, "the quetzal plan")
    assert "search_data" in places_of(raw, "zanzibar")

    await acting.remove(writer, "zanzibar")
    await acting.replace(writer, "quetzal", "another plan")

    assert [{"ledger"}, {"ledger"}] == [await forgotten(raw, word) for word in ("zanzibar", "quetzal")]
    assert 300 == len(found(raw, "common"))
    raw.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)")


async def test_a_store_that_is_closed_at_once_forgets_as_well(acting: ModuleType, tmp_path: Any) -> None:
    """A command that removes and ends leaves nothing in the index, nor work for the next one."""
    store = await acting.open_at(tmp_path)
    await acting.add(Writer(store), "the zanzibar plan")
    await acting.remove(Writer(store), "zanzibar")
    await store.close()

    again = await acting.open_at(tmp_path)
    rows = await again.reading.run(
        lambda db: (places_of(db, "zanzibar"), [key for (key,) in db.execute("SELECT key FROM derived")])
    )
    await again.close()

    assert ({"ledger"}, ["analysis_version"]) == rows


async def test_forgetting_takes_small_steps(
    acting: ModuleType, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step has some pages and ends; what is written in between is neither lost nor brought back."""
    monkeypatch.setattr(derived, "FORGET_PAGES", 1)
    writer, steps = Writer(store), 0
    await acting.seed(writer, [acting.draft(f"word{number} " + "common " * 40) for number in range(500)])
    await acting.remove(writer, "word7 ")

    while await store.derived.run(lambda db: derived.forget_step(store.derived, db)):
        steps += 1
        if steps == 2:
            await acting.add(writer, "late")
            await acting.remove(writer, "word8 ")

    counts = await store.reading.run(
        lambda db: [len(found(db, word)) for word in ("common", "late", "word8")]
    )
    assert [498, 1, 0] == counts
    assert 2 < steps
