"""The query: a true substring test, in the contract's order, in the viewer's sight."""

import asyncio
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.core.model.entry import Layer
from keepgate.core.model.viewer import Author, Viewer
from keepgate.core.writing.match import contains
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.store import reads
from keepgate.store.memory import Writer
from keepgate.store.open import Store

ALL = Viewer(workspaces=None, agent_key=None)


async def found(store: Store, viewer: Viewer, **filters: Any) -> tuple[list[str], int]:
    """Texts of a query's page, and the total."""
    named = {"limit": 100, **filters}
    entries, total = await store.reading.run(lambda db: reads.query(db, viewer, **named))
    return [entry.text for entry in entries], total


async def test_case_folds_in_ascii_and_nowhere_else(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Umlauts, sigmas, full-width letters and the Kelvin sign match themselves alone (DSH-4)."""
    for text in ("ÄPFEL", "ΟΔΟΣΑ", "ＡＢＣ", "300 \u212a", "ISTANBUL", "İstanbul", "e\u0301"):
        await acting.add(writer, text)
    me = acting.ME.viewer
    assert (["ISTANBUL"], 1) == await found(store, me, text="istanbul")
    assert ([], 0) == await found(store, me, text="äpfel")
    assert (["ÄPFEL"], 1) == await found(store, me, text="ÄpFeL")
    assert (["ΟΔΟΣΑ"], 1) == await found(store, me, text="ΟΔΟΣ")
    assert ([], 0) == await found(store, me, text="οδοσ")
    assert ([], 0) == await found(store, me, text="ａｂｃ")
    assert ([], 0) == await found(store, me, text="300 k")
    assert ([], 0) == await found(store, me, text="é")


async def test_every_character_stands_for_itself(acting: ModuleType, store: Store, writer: Writer) -> None:
    """No wildcard, no syntax, no trimming."""
    for text in ("100% sure", "100 sure", "a_b", "aXb", '"quoted"', "two  blanks", " edge ", "记忆体"):
        await acting.add(writer, text)
    me = acting.ME.viewer
    for needle, expected in {
        "0%": ["100% sure"],
        "a_b": ["a_b"],
        '"q': ['"quoted"'],
        "o  b": ["two  blanks"],
        "edge ": [" edge "],
        "忆": ["记忆体"],
        "*": [],
        "\x00": [],
    }.items():
        assert (expected, len(expected)) == await found(store, me, text=needle), needle


async def test_no_text_and_empty_text_mean_all(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Both filter by nothing."""
    await acting.add(writer, "one")
    await acting.add(writer, "two")
    for text in (None, ""):
        assert (["two", "one"], 2) == await found(store, acting.ME.viewer, text=text)


async def test_the_most_recalled_come_first_then_the_newest(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Recall count, update time, ledger row: in this order, each descending (DSH-4)."""
    entries = {name: await acting.add(writer, name) for name in ("a", "b", "c", "d")}
    await _recall(acting, store, entries["b"], times=2)
    await _recall(acting, store, entries["a"], times=1)
    await _recall(acting, store, entries["c"], times=1)
    await asyncio.sleep(0.002)
    await acting.replace(writer, "a", "a!")
    assert (["b", "a!", "c", "d"], 4) == await found(store, acting.ME.viewer)


async def test_equal_times_are_told_apart_by_the_ledger(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Entries of one batch share their moment; the later row comes first."""
    await acting.seed(writer, [acting.draft(name) for name in ("a", "b", "c")])
    assert (["c", "b", "a"], 3) == await found(store, acting.ME.viewer)


async def test_pages_share_one_total(acting: ModuleType, store: Store, writer: Writer) -> None:
    """``limit`` and ``offset`` cut pages; the total stays, also beyond the end."""
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(7)])
    me = acting.ME.viewer
    assert (["n6", "n5", "n4"], 7) == await found(store, me, limit=3)
    assert (["n3", "n2", "n1"], 7) == await found(store, me, limit=3, offset=3)
    assert (["n0"], 7) == await found(store, me, limit=3, offset=6)
    assert ([], 7) == await found(store, me, limit=3, offset=7)
    assert ([], 0) == await found(store, me, text="nothing", offset=7)


async def test_tags_narrow_exactly(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Every tag asked for, letter for letter; quotes in tags are no syntax."""
    await acting.add(writer, "one", tags=("red", 'q"uote'))
    await acting.add(writer, "two", tags=("red", "blue"))
    await acting.add(writer, "three", tags=("redder",))
    me = acting.ME.viewer
    assert (["two", "one"], 2) == await found(store, me, tags=("red",))
    assert (["two"], 1) == await found(store, me, tags=("blue", "red"))
    assert (["one"], 1) == await found(store, me, tags=('q"uote',))
    assert ([], 0) == await found(store, me, tags=("Red",))
    assert (["two"], 1) == await found(store, me, tags=("red",), text="w")


@pytest.fixture
async def many(acting: ModuleType, writer: Writer) -> list[Entry]:
    """Entries in every kind of place."""
    made = []
    for track in Track:
        for scope, key in ((Scope.USER_GLOBAL, ""), (Scope.WORKSPACE, "/work"), (Scope.WORKSPACE, "/other")):
            for agent in ("", "coder", "writer"):
                layer = Layer(track, scope, key)
                text = f"{track} {scope} {key} {agent}"
                author = Author(session_id="s", agent_key=agent, workspace_key=key or "/work")
                made.append(await acting.add(writer, text, layer, author, agent=agent))
    return made


def viewers() -> Iterator[Viewer]:
    """Every kind of sight."""
    for workspaces in (None, frozenset[str](), frozenset({"/work"}), frozenset({"/work", "/other", ""})):
        for agent in (None, "", "coder", "nobody"):
            yield Viewer(workspaces=workspaces, agent_key=agent)


async def test_a_viewer_finds_what_it_sees_and_nothing_else(many: list[Entry], store: Store) -> None:
    """The SQL agrees with :meth:`Viewer.sees` for every sight, track and scope, in query, list and export."""
    for viewer in viewers():
        for track in (None, *Track):
            for scope in (None, *Scope):
                seen = [
                    entry.text
                    for entry in many
                    if viewer.sees(entry) and track in (None, entry.track) and scope in (None, entry.scope)
                ]
                texts, total = await found(store, viewer, track=track, scope=scope)
                assert (sorted(seen), len(seen)) == (sorted(texts), total)
                listed, following = await store.reading.run(
                    lambda db, v=viewer, t=track, s=scope: reads.list_page(db, v, track=t, scope=s, limit=99)
                )
                assert (seen, None) == ([entry.text for entry in listed], following)
        exported = await store.reading.run(lambda db, v=viewer: list(reads.all_entries(db, v)))
        assert [entry for entry in many if viewer.sees(entry)] == exported


async def _recall(acting: ModuleType, store: Store, entry: Entry, *, times: int) -> None:
    for _ in range(times):
        await store.evidence.note_recall(
            viewer_workspace="/work",
            agent_key="",
            session_id="s",
            track=None,
            scope=None,
            text=None,
            entry_ids=[entry.id],
            stamp=acting.stamp(),
        )


ALPHABET = "aAbBäÄßſKkKIiİıΣσς記忆😀👍🏽\u0301\n\t %_\"'*.-/"
WORDS = st.text(ALPHABET, min_size=1, max_size=12) | st.text(min_size=1, max_size=12).filter(
    lambda text: "\x00" not in text
)


@given(
    texts=st.lists(WORDS, min_size=1, max_size=12),
    needles=st.lists(WORDS | st.just(""), min_size=1, max_size=12),
)
@settings(max_examples=60, deadline=None)
def test_a_query_finds_what_contains_finds(
    acting: ModuleType, tmp_path_factory: pytest.TempPathFactory, texts: list[str], needles: list[str]
) -> None:
    """Hits and their order equal a brute-force pass with the core's own matching test (DSH-4)."""

    async def run() -> None:
        store = await acting.open_at(tmp_path_factory.mktemp("any"))
        writer = Writer(store)
        await acting.seed(writer, [acting.draft(text) for text in texts])
        for needle in [*needles, *(text[1:-1].swapcase() for text in texts)]:
            expected = [text for text in reversed(texts) if contains(text, needle)]
            assert (expected, len(expected)) == await found(store, acting.ME.viewer, text=needle)
            hits = await writer.run(lambda txn, n=needle: txn.find(acting.HERE, "", n))
            in_order = expected[::-1]
            assert (len(in_order), in_order[:10]) == (hits.count, [entry.text for entry in hits.first])
        await store.close()

    asyncio.run(run())
