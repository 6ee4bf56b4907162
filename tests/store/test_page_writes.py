"""Page writes in the store: their row comes with the approval, ends once, and is verified with the ledger."""

from types import ModuleType

import apsw
import pytest

from keepgate.core.model.digest import digest_of
from keepgate.core.writing.approval import Allowed, Decider, approve
from keepgate.core.writing.ask import ask_for
from keepgate.core.writing.change import Change
from keepgate.core.writing.page_change import (
    AddDate,
    AddLink,
    AddNote,
    EditPage,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.plan import plan
from keepgate.protocol.settings import WritePolicy
from keepgate.protocol.verbs import Visibility
from keepgate.store import page_writes
from keepgate.store.memory import Transaction, Writer
from keepgate.store.rows import change_of, written_change
from keepgate.store.verify import verify_store

HOME, ROOT = "/project", "/project/pages"


class Files:
    """Page files in memory: what the gate is given, as a plain value."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts

    def page_text(self, root: str, path: str) -> str | None:
        assert root == ROOT
        return self.texts.get(path.removesuffix(".md"))

    def page_visibility(self, text: str) -> Visibility:
        return Visibility.PRIVATE if "visibility: private" in text else Visibility.WORLD


def put(slug: str, content: str) -> PutPage:
    return PutPage(home=HOME, root=ROOT, slug=slug, path=f"{slug}.md", content=content, world_only=False)


async def commit(acting: ModuleType, writer: Writer, change: Change) -> int:
    """Commit a change as a policy would; the seq of its row."""

    def work(txn: Transaction) -> int:
        ask = ask_for(plan(change, acting.ME, txn, acting.ROOM, txn.stamp), txn, txn.stamp)
        by = Decider(via="policy", policy=WritePolicy.AUTO)
        (seq,) = txn.commit(approve(ask, Allowed(by=by, hash=ask.hash)), proposal_id=None)
        return seq

    return await writer.run(work)


@pytest.mark.parametrize(
    "change",
    [
        put("a", "x"),
        EditPage(
            home=HOME,
            root=ROOT,
            slug="a",
            path="a.md",
            world_only=True,
            edit=AddLink(relation="knows", to="b"),
        ),
        EditPage(
            home=HOME,
            root=ROOT,
            slug="a",
            path="a.md",
            world_only=True,
            edit=AddDate(date="2026-01-01", text="x"),
        ),
        EditPage(
            home=HOME,
            root=ROOT,
            slug="a",
            path="a.md",
            world_only=False,
            edit=AddNote(day="2026-01-01", clock="10:00", text="x", title="t"),
        ),
        RemovePage(home=HOME, root=ROOT, slug="a", path="a.md", world_only=False),
        TrustRoot(home=HOME, root=ROOT),
    ],
)
def test_changes_of_pages_are_stored_as_they_are(change: Change) -> None:
    """A proposal that waits is planned again from what the store keeps of it."""
    assert change == change_of(written_change(change))


async def test_an_approved_write_is_stored_with_its_text(acting, store) -> None:
    """Place, digests and content, pending, in the transaction of its row."""
    seq = await commit(acting, Writer(store, Files(a="old")), put("a", "new"))
    (write,) = await store.reading.run(page_writes.pending_below, ROOT)

    assert (digest_of("old"), digest_of("new"), "new") == (
        write.digest_before,
        write.digest_after,
        write.content,
    )
    assert (HOME, ROOT, "a", "a.md", seq) == (
        write.home,
        write.root,
        write.slug,
        write.path,
        write.ledger_seq,
    )
    assert [ROOT] == await store.reading.run(page_writes.pending_roots)


async def test_a_write_on_its_way_counts_as_made(acting, store) -> None:
    """The next plan goes on from its text, not from the file's."""
    writer = Writer(store, Files(a="old"))
    await commit(acting, writer, put("a", "new"))
    await commit(acting, writer, put("a", "newer"))
    first, second = await store.reading.run(page_writes.pending_below, ROOT)

    assert first.digest_after == second.digest_before


async def test_a_write_ends_once(acting, store) -> None:
    """Its text goes then; a second end is none, and no other change is taken."""
    writer = Writer(store, Files())
    seq = await commit(acting, writer, put("a", "new"))
    write = await store.reading.run(page_writes.by_seq, seq)

    assert await writer.run(lambda txn: txn.end_page_write(write.id, page_writes.APPLIED))
    assert not await writer.run(lambda txn: txn.end_page_write(write.id, page_writes.ABANDONED))
    ended = await store.reading.run(page_writes.by_seq, seq)
    assert ("applied", None) == (ended.state, ended.content)


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE page_writes SET slug = 'b'",
        "UPDATE page_writes SET state = 'pending'",
        "UPDATE page_writes SET content = 'other'",
        "DELETE FROM page_writes",
        (
            "INSERT INTO page_writes (home, root, slug, path, content, state, ledger_seq) "
            "SELECT home, root, slug, path, 'other', 'pending', ledger_seq FROM page_writes"
        ),
    ],
)
async def test_guards(acting, store, raw, spoil) -> None:
    """No statement changes, removes or invents an approved write."""
    await commit(acting, Writer(store, Files()), put("a", "new"))
    with pytest.raises(apsw.ConstraintError, match="keepgate"):
        raw.execute(spoil)


@pytest.mark.parametrize(
    ("trigger", "spoil", "said"),
    [
        ("page_writes_end_once", "UPDATE page_writes SET digest_after = 'x'", "differ"),
        ("page_writes_end_once", "UPDATE page_writes SET root = '/etc'", "differ"),
        ("page_writes_end_once", "UPDATE page_writes SET content = 'evil'", "differ"),
        ("page_writes_stay", "DELETE FROM page_writes", "has no page write"),
        (
            "page_writes_end_once",
            "UPDATE page_writes SET state = 'abandoned', content = NULL",
            "tells another end",
        ),
    ],
)
async def test_verify_compares_page_writes_with_the_ledger(acting, store, raw, trigger, spoil, said) -> None:
    """Also where somebody took the guards away before."""
    seq = await commit(acting, Writer(store, Files(a="old")), put("a", "new"))
    assert [] == (await verify_store(store)).problems
    raw.execute(f"DROP TRIGGER {trigger}")
    raw.execute(spoil)

    (problem,) = (await verify_store(store)).problems
    assert ("divergence", seq) == (problem.kind, problem.seq)
    assert said in problem.message


async def test_a_root_is_trusted_when_a_person_said_so_or_wrote_all_of_it(acting, store, raw) -> None:
    """The user's own always; one with a foreign file only by a word; another home's word is none."""

    async def trusted(home: str = HOME) -> bool:
        found: bool = await store.reading.run(page_writes.is_trusted, home, ROOT)
        return found

    def index(path: str, text: str) -> None:
        raw.execute(
            "INSERT INTO pages (home, root, path, slug, digest, title, title_key, tail, slug_key, "
            "type, summary, tags, visibility, size, mtime_ns, changed_at) "
            "VALUES (?, ?, ?, ?, ?, '', '', '', '', '', '', '[]', 'world', 0, 0, 0)",
            (HOME, ROOT, f"{path}.md", path, digest_of(text)),
        )

    writer = Writer(store, Files())
    await commit(acting, writer, put("a", "ours"))
    index("a", "ours")
    assert await trusted()
    index("b", "foreign")
    assert not await trusted()
    await commit(acting, writer, TrustRoot(home="/other", root=ROOT))
    assert not await trusted()
    await commit(acting, writer, TrustRoot(home=HOME, root=ROOT))
    assert await trusted()
    assert await trusted("")
