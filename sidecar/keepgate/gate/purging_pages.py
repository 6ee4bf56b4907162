"""The pages that a purge rewrites: what their files would be, how that is shown, and its commit.

The text itself is shown nowhere and stored nowhere: a question has a mark in its place, and a ledger row of a
rewritten file has the digest of what was there before.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from keepgate.core.model.viewer import Author
from keepgate.core.reading.asked import PAGES
from keepgate.core.writing.approval import Allowed, approve
from keepgate.core.writing.ask import Ask
from keepgate.core.writing.mutation import PURGE_PAGE, PageStep
from keepgate.core.writing.page_change import PutPage
from keepgate.core.writing.plan import Plan
from keepgate.gate.page_writing import PageDisk
from keepgate.gate.policies import Rules, policy_for
from keepgate.gate.receipt import Receipt
from keepgate.protocol.entries import Scope
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import AskPage, ChangeKind
from keepgate.protocol.settings import WritePolicy
from keepgate.store.memory import Transaction

MARK: Final = "(purged)"
"""What stands in a page where the text stood. Unlike brackets it is a plain word of a front matter, too."""
SHOWN_AS: Final = "⟨the text⟩"
"""What stands in the question for it."""


@frozen(kw_only=True)
class PageRoot:
    """A folder of pages; ``home`` is its workspace key, empty for user-global."""

    home: str
    folder: str


def steps_of(disk: PageDisk, roots: Iterable[PageRoot], forms: Sequence[str]) -> tuple[PageStep, ...]:
    """The rewriting of each page of these roots that holds the text; reads files.

    A page that would be no longer private without it is left to its owner.
    """
    return tuple(
        step
        for root in roots
        for slug, path, text in disk.page_texts(root.folder)
        if (step := _step(disk, root, slug, path, text, forms)) is not None
    )


def _step(
    disk: PageDisk, root: PageRoot, slug: str, path: str, text: str, forms: Sequence[str]
) -> PageStep | None:
    after = without(text, forms, MARK)
    before_visibility, visibility = disk.page_visibility(text), disk.page_visibility(after)
    if after == text or before_visibility is not visibility:
        return None
    return PageStep(
        action=PURGE_PAGE,
        home=root.home,
        root=root.folder,
        slug=slug,
        path=path,
        before=text,
        content=after,
        before_visibility=before_visibility,
        visibility=visibility,
    )


def without(text: str, forms: Sequence[str], mark: str) -> str:
    """A text with ``mark`` in the place of every form of what is purged, the longest first."""
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, mark)
    return text


def shown(steps: Iterable[PageStep], forms: Sequence[str]) -> list[AskPage]:
    """The pages as the question shows them, without what is purged."""
    return [
        AskPage(
            action=step.action,
            workspace_key=step.home,
            root=step.root,
            slug=without(step.slug, forms, SHOWN_AS),
            path=without(step.path, forms, SHOWN_AS),
            before=without(step.before or "", forms, SHOWN_AS),
            content=step.content,
        )
        for step in steps
    ]


def is_refused(steps: Iterable[PageStep], author: Author, rules: Rules) -> bool:
    """Whether a policy refuses one of the writes."""
    return any(
        policy_for(_plan(step, author), rules, label_is_ours=False) is WritePolicy.OFF for step in steps
    )


def commit(txn: Transaction, steps: Sequence[PageStep], author: Author, allowed: Allowed) -> Receipt | None:
    """Store that these pages are to be rewritten, all or none; ``None`` when a file is not as it was."""
    if any(_text(txn, step) != step.before for step in steps):
        return None
    seqs: list[int] = []
    for step in steps:
        seqs += txn.commit(approve(_ask(step, author, allowed.hash), allowed), proposal_id=None)
    return Receipt(pages=tuple(steps), seqs=tuple(seqs))


def _text(txn: Transaction, step: PageStep) -> str | None:
    try:
        return txn.page_text(step.root, step.path)
    except Fault:
        return None


def _ask(step: PageStep, author: Author, shown_hash: str) -> Ask:
    """One page of the question, which had one hash for all of them."""
    return Ask(
        plan=_plan(step, author),
        kind=ChangeKind.PAGE_PUT,
        track=PAGES,
        scope=Scope.WORKSPACE if step.home else Scope.USER_GLOBAL,
        workspace_key=step.home,
        source=None,
        text="",
        hash=shown_hash,
        warnings=(),
    )


def _plan(step: PageStep, author: Author) -> Plan:
    change = PutPage(
        home=step.home,
        root=step.root,
        slug=step.slug,
        path=step.path,
        content=step.content or "",
        world_only=False,
    )
    return Plan(change=change, author=author, pages=(step,))
