"""The search index: follows the entries, and is rebuilt when the analysis changes."""

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
