"""Reads other than the query: pages, totals, the audit, an entry's history and reasons."""

from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.core.model.entry import Layer
from keepgate.core.model.page import PageFile
from keepgate.core.model.viewer import Author, Viewer
from keepgate.core.writing.change import Add, ByMatch, Remove, Undo
from keepgate.core.writing.ledger import Decision, Row
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.protocol.entries import LAYERS, Scope, Track
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import ProposalStatus
from keepgate.store import reads
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.pages import put_pages

ALL = Viewer(workspaces=None, agent_key=None)


async def test_pages_follow_each_other_in_creation_order(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Each page names the place to go on; rewriting an entry does not move it; layers are merged."""
    elsewhere = Layer(Track.AGENT, Scope.WORKSPACE, "/work")
    for number in range(7):
        await acting.add(writer, f"n{number}", (acting.HERE, acting.EVERYWHERE, elsewhere)[number % 3])
    await acting.replace(writer, "n0", "n0 again")
    for viewer in (acting.ME.viewer, ALL):
        pages, after = [], None
        while True:
            page, after = await store.reading.run(
                lambda db, a=after, v=viewer: reads.list_page(db, v, limit=3, after=a)
            )
            pages.append([entry.text for entry in page])
            if after is None:
                break
        assert [["n0 again", "n1", "n2"], ["n3", "n4", "n5"], ["n6"]] == pages


async def test_the_snapshot_shows_all_that_is_visible(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """In creation order, more of them than are read at once."""
    await acting.seed(writer, [acting.draft(f"n{number}") for number in range(450)])
    await acting.add(writer, "elsewhere", Layer(Track.USER, Scope.WORKSPACE, "/other"), acting.ME)
    shown = await store.reading.run(reads.snapshot_entries, acting.ME.viewer)
    assert [f"n{number}" for number in range(450)] == [entry.text for entry in shown]


async def test_usage_has_four_rows_in_their_order(acting: ModuleType, store: Store, writer: Writer) -> None:
    """A workspace layer counts that workspace only; units are UTF-16 (DSH-5)."""
    await acting.add(writer, "\U0001f600!")
    await acting.add(writer, "everywhere", acting.EVERYWHERE)
    await acting.add(writer, "far away", Layer(Track.USER, Scope.WORKSPACE, "/other"))
    rows = await store.reading.run(reads.usage, "/work", instant=True)
    assert list(LAYERS) == [(track, scope) for track, scope, _ in rows]
    assert [10, 3, 0, 0] == [used for _, _, used in rows]
    assert [10, 0, 0, 0] == [used for _, _, used in await store.reading.run(reads.usage, "/nowhere")]


async def test_an_entry_is_visible_or_not(acting: ModuleType, store: Store, writer: Writer) -> None:
    """By id as by query."""
    entry = await acting.add(writer, "here")
    other = Viewer(workspaces=frozenset({"/other"}), agent_key="")
    assert entry == await store.reading.run(reads.visible_entry, acting.ME.viewer, entry.id)
    assert await store.reading.run(reads.visible_entry, other, entry.id) is None
    assert await store.reading.run(reads.visible_entry, ALL, "unknown") is None


async def test_counts_and_workspaces(acting: ModuleType, store: Store, writer: Writer) -> None:
    """Whole-store numbers; a workspace is known by its entries and by its waiting proposals."""
    await acting.add(writer, "one")
    await acting.add(writer, "two", acting.EVERYWHERE)
    gone = Layer(Track.USER, Scope.WORKSPACE, "/gone")
    author = Author(session_id="s", agent_key="", workspace_key="/gone")
    await acting.add(writer, "three", gone, author)
    await acting.remove(writer, "three", gone, author)
    waiting = Author(session_id="s", agent_key="", workspace_key="/waits")
    await writer.run(lambda txn: txn.propose(acting.wish(txn, "wished", waiting)))
    expected = {"entries": 2, "ledger_rows": 4, "pending_proposals": 1}
    assert expected == await store.reading.run(reads.counts, 0)
    assert ["/waits", "/work"] == await store.reading.run(reads.workspace_keys)


async def test_facts_and_pages_make_a_workspace_known(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Each alone; what is user-global is of no workspace."""
    for number, home in enumerate(("/b", "", "/b", "/a")):
        author = Author(session_id="s", agent_key="", workspace_key=home)
        await acting.remember(writer, f"fact {number}", author, home=home)
    for home in ("", "/c"):
        file = PageFile(home=home, root=f"{home}/p", path="a.md", size=1, mtime_ns=0, digest="0" * 64)
        page = indexed(file, parse("a.md", b"a"))
        await store.derived.write(lambda db, page=page: put_pages(db, [page], now_ms=1))

    assert ["/a", "/b", "/c"] == await store.reading.run(reads.workspace_keys)


def note(**columns: Any) -> Row:
    """A ledger row that changes nothing."""
    values: dict[str, Any] = {
        "ts": 1,
        "action": "add-denied",
        "decision": Decision.DENIED,
        "outcome": "rejected",
    }
    return Row(**{**values, **columns})


async def audited(store: Store, viewer: Viewer, **filters: Any) -> list[int]:
    """Seqs of an audit."""
    named = {"limit": 100, **filters}
    rows = await store.reading.run(lambda db: reads.audit(db, viewer, **named))
    return [row.seq for row in rows]


@pytest.fixture
async def rows(acting: ModuleType, writer: Writer) -> None:
    """Ten rows: store-wide, user-global, of two workspaces, of two agents."""
    for columns in (
        {},
        {"workspace_key": ""},
        {"workspace_key": "/work", "agent_key": ""},
        {"workspace_key": "/work", "agent_key": "coder"},
        {"workspace_key": "/other", "agent_key": ""},
        {"workspace_key": "/work", "agent_key": "", "action": "remove-denied"},
        {"workspace_key": "/work", "agent_key": "", "entry_id": "e-1", "session_id": "s-1"},
        {"workspace_key": "/other", "agent_key": "", "entry_id": "e-1", "session_id": "s-1"},
        {"workspace_key": "/work", "agent_key": "coder", "entry_id": "e-1", "session_id": "s-2"},
        {"workspace_key": "/work", "agent_key": "", "session_id": "s-1", "action": "remove-denied"},
    ):
        await writer.run(lambda txn, c=columns: txn.append(note(**c)))


async def test_the_audit_shows_the_viewers_workspaces_and_what_belongs_to_none(
    rows: None, store: Store
) -> None:
    """Newest first; other workspaces' rows and other agents' private rows stay out of sight."""
    me = Viewer(workspaces=frozenset({"/work"}), agent_key="")
    assert [10, 7, 6, 3, 2, 1] == await audited(store, me)
    coder = Viewer(workspaces=frozenset({"/work"}), agent_key="coder")
    assert [10, 9, 7, 6, 4, 3, 2, 1] == await audited(store, coder)
    both = Viewer(workspaces=frozenset({"/work", "/other"}), agent_key=None)
    assert [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] == await audited(store, both)
    nowhere = Viewer(workspaces=frozenset(), agent_key=None)
    assert [2, 1] == await audited(store, nowhere)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"limit": 2}, [10, 7]),
        ({"limit": 2, "before": 7}, [6, 3]),
        ({"action": "remove-denied"}, [10, 6]),
        ({"entry_id": "e-1"}, [7]),
        ({"session_id": "s-1"}, [10, 7]),
        ({"session_id": "s-1", "entry_id": "e-1"}, [7]),
        ({"session_id": "s-1", "action": "remove-denied", "before": 10}, []),
        ({"entry_id": "e-1", "action": "other"}, []),
    ],
)
async def test_the_audit_narrows(
    rows: None, store: Store, filters: dict[str, Any], expected: list[int]
) -> None:
    """Filters join with and; sight applies to each."""
    assert expected == await audited(store, Viewer(workspaces=frozenset({"/work"}), agent_key=""), **filters)


async def test_the_full_view_narrows_as_well(rows: None, store: Store) -> None:
    """Every workspace, with the same filters."""
    assert [9, 8, 7] == await audited(store, ALL, entry_id="e-1")
    assert [10, 8, 7] == await audited(store, ALL, session_id="s-1")
    assert [10, 6] == await audited(store, ALL, action="remove-denied")


async def test_a_row_shows_its_text_and_who_decided(
    acting: ModuleType, store: Store, writer: Writer, raw: apsw.Connection
) -> None:
    """The new text of a change, the old one of a removal, a wish's text, nothing once purged."""
    await acting.add(writer, "old text")
    await acting.replace(writer, "old", "new text")
    await writer.run(
        lambda txn: acting.commit(txn, Remove(layer=acting.HERE, target=ByMatch("new")), via="inbox")
    )
    await writer.run(lambda txn: txn.append(note(payload={"text": "wished"}, by={"client": "c"})))
    await writer.run(lambda txn: txn.append(note(payload={})))
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE seq = 1")
    shown = await store.reading.run(lambda db: reads.audit(db, ALL, limit=10))
    assert [None, "wished", "new text", "new text", None] == [row.text for row in shown]
    assert [False, False, False, False, True] == [row.purged for row in shown]
    by_person = {"client": "tester", "version": "1"}
    by_policy = {"via": "policy", **by_person}
    assert [None, {"client": "c"}, by_person, by_policy, by_policy] == [row.by for row in shown]
    assert "allowed-once (via inbox, writePolicy auto)" == shown[2].outcome


@pytest.fixture
async def changed(acting: ModuleType, writer: Writer) -> str:
    """The id of an entry that was added, rewritten, removed and brought back."""
    entry = await acting.add(writer, "first", tags=("a",))
    await acting.replace(writer, "first", "second")
    await acting.remove(writer, "second")
    await writer.run(lambda txn: acting.commit(txn, Undo(seq=3, source="test")))
    return str(entry.id)


async def test_history_has_every_state(changed: str, store: Store) -> None:
    """Oldest first; a removal shows what went, and does not count as a version."""
    found = await store.reading.run(reads.history, reads.Subject(id=changed))
    assert [
        (1, "first", "add", 1),
        (2, "second", "replace", 2),
        (2, "second", "remove", 3),
        (3, "second", "undo-add", 4),
    ] == [(step.version, step.text, step.action, step.seq) for step in found]
    assert ["a"] == found[0].tags
    assert "session-1" == found[0].session_id
    assert [] == await store.reading.run(reads.history, reads.Subject(id="unknown"))


async def test_history_keeps_its_versions_when_rows_are_purged(
    changed: str, store: Store, raw: apsw.Connection
) -> None:
    """A purged state has a number and no text."""
    raw.execute("UPDATE ledger SET payload = NULL, salt = NULL WHERE seq IN (1, 3)")
    found = await store.reading.run(reads.history, reads.Subject(id=changed))
    assert [(1, None, None), (2, "second", ["a"]), (2, None, None), (3, "second", ["a"])] == [
        (step.version, step.text, step.tags) for step in found
    ]


async def test_why_names_the_person_behind_each_change(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Asked when, by whom; decided when, by whom; what the person saw."""

    def ask(txn: Transaction) -> Any:
        stored = acting.wish(txn, "wished for")
        txn.propose(stored)
        return stored

    stored = await writer.run(ask)

    def allow(txn: Transaction) -> Any:
        made = acting.commit(txn, stored.change, stored.author, proposal_id=stored.id, via="approval")
        txn.close(
            stored.id,
            status=ProposalStatus.APPROVED,
            outcome="allowed-once",
            by={"client": "c"},
        )
        return made

    made = await writer.run(allow)
    (link,) = await store.reading.run(reads.why, reads.Subject(id=made.entries[0].id))
    assert (1, "add", 1, stored.id, stored.hash) == (
        link.seq,
        link.action,
        link.version,
        link.proposal_id,
        link.hash,
    )
    assert (stored.created_at, link.ts) == (link.asked_at, link.decided_at)
    assert {"client": "tester", "channel": "test"} == link.asked_by
    assert {"client": "tester", "version": "1"} == link.decided_by
    assert ("session-1", "") == (link.session_id, link.agent_key)


async def test_why_goes_without_a_proposal_where_a_policy_decided(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Nobody was asked, and the chain says so, and which client had asked."""
    author = Author(session_id="s", agent_key="coder", workspace_key="/work")
    made = await writer.run(
        lambda txn: acting.commit(
            txn, Add(draft=acting.draft("auto", agent="coder")), author, proposal_id="p"
        )
    )
    (link,) = await store.reading.run(reads.why, reads.Subject(id=made.entries[0].id))
    asked_by = {"client": "tester", "version": "1"}
    assert (None, asked_by, {"via": "policy"}) == (link.asked_at, link.asked_by, link.decided_by)
    assert "coder" == link.agent_key


async def test_what_was_ever_in_sight_stays_known(acting: ModuleType, store: Store, writer: Writer) -> None:
    """A removed entry's history is for those who saw it last, and for nobody else."""
    private = Author(session_id="s", agent_key="coder", workspace_key="/work")
    entry = await acting.add(writer, "secret", author=private, agent="coder")
    everywhere = await acting.add(writer, "everywhere", acting.EVERYWHERE)

    async def seen(entry_id: str) -> list[bool]:
        sights = [
            (None, None),
            ({"/work"}, "coder"),
            ({"/work"}, None),
            ({"/work"}, ""),
            ({"/other"}, "coder"),
        ]
        return [
            await store.reading.run(
                reads.ever_seen,
                Viewer(workspaces=None if keys is None else frozenset(keys), agent_key=agent),
                entry_id,
            )
            for keys, agent in sights
        ]

    for _ in ("while it is there", "after it went"):
        assert [True, True, True, False, False] == await seen(entry.id)
        assert [True, True, True, True, True] == await seen(everywhere.id)
        if await store.reading.run(reads.entry, entry.id):
            await acting.remove(writer, "secret", author=private)
            await acting.remove(writer, "everywhere", acting.EVERYWHERE)
    assert [False] * 5 == await seen("unknown")


async def test_reads_of_several_statements_see_one_state(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """A commit between two statements of a read does not show in the second."""
    await acting.add(writer, "one")
    other = apsw.Connection(store.path)

    def read(db: apsw.Connection) -> list[Any]:
        seen = [db.execute("SELECT count(*) FROM derived").get]
        other.execute("INSERT INTO derived VALUES ('x', 'y')")
        return [*seen, db.execute("SELECT count(*) FROM derived").get]

    assert [1, 1] == await store.reading.run(read)
    assert [2] == await store.reading.run(lambda db: [db.execute("SELECT count(*) FROM derived").get])
    other.close()


async def test_a_read_that_fails_leaves_the_next_one_whole(store: Store) -> None:
    """Its transaction ends with it, inline as in the lane."""
    for instant in (True, False):
        with pytest.raises(apsw.SQLError):
            await store.reading.run(lambda db: db.execute("SELECT nothing"), instant=instant)
        assert 0 == (await store.reading.run(reads.counts, 0, instant=instant))["entries"]


async def test_an_inline_read_that_meets_a_lock_goes_to_the_lane(store: Store) -> None:
    """It never naps on the event loop."""
    calls: list[int] = []

    def read(db: apsw.Connection) -> int:
        calls.append(1)
        if len(calls) == 1:
            raise apsw.BusyError("recovering")
        return 5

    assert 5 == await store.reading.run(read, instant=True)


async def test_an_inline_read_of_a_damaged_file_is_a_fault(store: Store) -> None:
    """``STORE_CORRUPT``, as from the lane."""

    def read(db: apsw.Connection) -> int:
        raise apsw.CorruptError("malformed")

    for instant in (True, False):
        with pytest.raises(Fault) as raised:
            await store.reading.run(read, instant=instant)
        assert Code.STORE_CORRUPT == raised.value.code


async def test_an_id_is_found_by_its_beginning_where_it_is_in_view(
    acting: ModuleType, store: Store, writer: Writer
) -> None:
    """Entries and proposals alike; those of other workspaces are as if they were not there."""
    made = await acting.add(writer, "one")
    proposed = await writer.run(lambda txn: acting.wish(txn, "wished"))
    await writer.run(lambda txn: txn.propose(proposed))
    elsewhere = Viewer(workspaces=frozenset({"/elsewhere"}), agent_key=None)

    def look(db: apsw.Connection) -> list[list[str]]:
        return [
            reads.entry_ids(db, acting.ME.viewer, made.id[:6]),
            reads.proposal_ids(db, acting.ME.viewer, proposed.id[:6]),
            reads.entry_ids(db, elsewhere, made.id[:6]),
            reads.proposal_ids(db, elsewhere, proposed.id[:6]),
            reads.entry_ids(db, acting.ME.viewer, made.id[:6] + "~"),
        ]

    assert [[made.id], [proposed.id], [], [], []] == await store.reading.run(look)
