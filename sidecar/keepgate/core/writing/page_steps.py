"""The steps of a change of page files. Pure: what a file holds is told by the store's view.

A small edit is worked out against the file as it is, so that it takes nothing of another change away.
"""

from typing import Any, Final, Protocol, assert_never

from attrs import evolve

from keepgate.core.model.digest import digest_of
from keepgate.core.writing.mutation import QUARANTINE, RELEASE, PageStep
from keepgate.core.writing.page_change import (
    AddDate,
    AddLink,
    AddNote,
    EditPage,
    PageChange,
    PageEdit,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.page_edits import UneditableError, with_link, with_note, with_timeline
from keepgate.protocol.errors import Problem, invalid_input, page_not_found
from keepgate.protocol.pages import PAGE_BYTES_MAX
from keepgate.protocol.proposals import AskPage
from keepgate.protocol.verbs import Visibility

PUT: Final = "page-put"
REMOVE: Final = "page-remove"
TRUST: Final = "trust"
_UNDO: Final = "undo-"


class PageFiles(Protocol):
    """How page files are looked at."""

    def page_text(self, root: str, path: str) -> str | None:
        """The text of a page file; ``None``: there is none.

        Raises ``INVALID_INPUT`` for what is no readable page: a link, a folder, other bytes than UTF-8.
        """

    def page_visibility(self, text: str) -> Visibility:
        """Who may read a page with this text; private, too, where that cannot be told."""


class PageView(PageFiles, Protocol):
    """What a plan looks at; a write on its way to its file counts as made."""

    def trusts_root(self, home: str, root: str) -> bool:
        """Whether a person has trusted the folder."""


def page_steps(change: PageChange, store: PageView) -> tuple[PageStep, ...]:
    """What a change does to page files; nothing where they say so already.

    Raises ``PAGE_NOT_FOUND`` where a page to remove or to edit is gone, ``INVALID_INPUT`` for a page that
    cannot be edited so, and for a file that is no page.
    """
    if isinstance(change, TrustRoot):
        return () if store.trusts_root(change.home, change.root) else (_trust(change),)
    before = store.page_text(change.root, change.path)
    known_as = None if before is None else store.page_visibility(before)
    if change.world_only and known_as is Visibility.PRIVATE:
        # The question, with all that is there now, may be put through the writer's own client.
        raise page_not_found(change.slug)
    match change:
        case PutPage(content=content):
            after: str | None = content
        case EditPage(edit=edit):
            after = _edited(before, edit, change.slug)
        case RemovePage():
            if before is None:
                raise page_not_found(change.slug)
            after = None
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)
    if before == after:
        return ()
    return (
        PageStep(
            action=REMOVE if after is None else PUT,
            home=change.home,
            root=change.root,
            slug=change.slug,
            path=change.path,
            before=before,
            content=after,
            before_visibility=known_as,
            visibility=None if after is None else store.page_visibility(after),
        ),
    )


def page_undone(step: PageStep, store: PageView, seq: int) -> PageStep:
    """The step that puts a page file back, or takes trust in a folder back.

    Raises ``INVALID_INPUT`` when the file no longer holds what ledger row ``seq`` wrote.
    """
    if not step.path:
        if store.trusts_root(step.home, step.root) is (step.action != TRUST):
            raise invalid_input(Problem("$.seq", f"has been taken back since ledger row {seq}"))
        return evolve(step, action=_UNDO + TRUST if step.action == TRUST else TRUST)
    if store.page_text(step.root, step.path) != step.content:
        reason = f"page {step.slug} has changed since ledger row {seq}; undo that first"
        raise invalid_input(Problem("$.seq", reason))
    action = _UNDO + (REMOVE if step.before is None else PUT)
    return evolve(
        step,
        action=action,
        before=step.content,
        content=step.before,
        before_visibility=step.visibility,
        visibility=step.before_visibility,
    )


def is_trust(step: PageStep) -> bool:
    """Whether a step is about trust in a folder; no file changes then."""
    return not step.path


def writes_file(step: PageStep) -> bool:
    """Whether a step changes a file; trust in a folder and a page's quarantine do not."""
    return not is_trust(step) and step.action not in (QUARANTINE, RELEASE)


def is_open(step: PageStep) -> bool:
    """Whether who sees no private page may see both texts of a step; trust in a folder is not theirs."""
    texts = ((step.before, step.before_visibility), (step.content, step.visibility))
    return not is_trust(step) and all(
        text is None or visibility is Visibility.WORLD for text, visibility in texts
    )


def ask_page(step: PageStep) -> AskPage:
    """A step as the question shows it, whole."""
    return AskPage(
        action=step.action,
        workspace_key=step.home,
        root=step.root,
        slug=step.slug,
        path=step.path,
        before=step.before,
        content=step.content,
    )


def page_content(step: PageStep) -> dict[str, Any]:
    """What the hash covers of a step: the place, the state that was shown, and the new text."""
    before = None if step.before is None else digest_of(step.before)
    return {"action": step.action, "page": [step.home, step.root, step.slug, step.path, before, step.content]}


def _trust(change: TrustRoot) -> PageStep:
    return PageStep(
        action=TRUST, home=change.home, root=change.root, slug="", path="", before=None, content=None
    )


def _edited(before: str | None, edit: PageEdit, slug: str) -> str:
    if before is None and not isinstance(edit, AddNote):
        raise page_not_found(slug)
    try:
        after = _after(before or "", before is None, edit)
    except UneditableError as error:
        raise invalid_input(Problem("$.slug", f"page {slug} cannot be edited so: {error}")) from None
    if len(after.encode()) > PAGE_BYTES_MAX:
        raise invalid_input(Problem("$.slug", f"page {slug} would be larger than {PAGE_BYTES_MAX} bytes"))
    return after


def _after(before: str, is_new: bool, edit: PageEdit) -> str:
    match edit:
        case AddLink():
            return with_link(before, edit.relation, edit.to)
        case AddDate():
            return with_timeline(before, edit.date, edit.text)
        case AddNote():
            return with_note(None if is_new else before, edit.day, edit.clock, edit.text, title=edit.title)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(edit)
