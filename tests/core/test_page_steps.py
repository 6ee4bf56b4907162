"""What changes of pages do to files, and which of them are refused before anybody is asked."""

import pytest
from attrs import define, field

from keepgate.core.writing.mutation import PageStep
from keepgate.core.writing.page_change import (
    AddDate,
    AddLink,
    AddNote,
    EditPage,
    PageEdit,
    PutPage,
    RemovePage,
)
from keepgate.core.writing.page_steps import page_steps, page_undone
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.pages import PAGE_BYTES_MAX
from keepgate.protocol.verbs import Visibility

PLACE = {"home": "/srv/tides", "root": "/srv/tides/pages", "slug": "a", "path": "a.md"}
HIDDEN = "---\nvisibility: private\n---\nhush\n"
LINK = AddLink(relation="knows", to="b")
DATE = AddDate(date="2026-01-01", text="x")
NOTE = AddNote(day="2026-01-01", clock="10:00", text="x", title="t")


@define
class Folder:
    """Page files by path, and the folders that a person trusts."""

    files: dict[str, str] = field(factory=dict)
    trusted: set[str] = field(factory=set)

    def page_text(self, root: str, path: str) -> str | None:
        return self.files.get(path)

    def page_visibility(self, text: str) -> Visibility:
        return Visibility.PRIVATE if "visibility: private" in text else Visibility.WORLD

    def trusts_root(self, home: str, root: str) -> bool:
        return root in self.trusted


def put(content: str, *, world_only: bool = False) -> PutPage:
    return PutPage(**PLACE, content=content, world_only=world_only)


def edit(wanted: PageEdit, *, world_only: bool = False) -> EditPage:
    return EditPage(**PLACE, edit=wanted, world_only=world_only)


def trust(action: str) -> PageStep:
    return PageStep(
        action=action, home=PLACE["home"], root=PLACE["root"], slug="", path="", before=None, content=None
    )


@pytest.mark.parametrize(
    "change",
    [put("open", world_only=True), edit(DATE, world_only=True), RemovePage(**PLACE, world_only=True)],
    ids=lambda change: type(change).__name__,
)
def test_who_sees_no_private_page_touches_none(change: PutPage | EditPage | RemovePage) -> None:
    """It hears what it hears of a page that is not there; an open page it may change."""
    with pytest.raises(Fault) as raised:
        page_steps(change, Folder({"a.md": HIDDEN}))
    (step,) = page_steps(change, Folder({"a.md": "# A\n"}))

    assert (Code.PAGE_NOT_FOUND, "# A\n") == (raised.value.code, step.before)
    assert "hush" not in f"{raised.value.message} {raised.value.details}"


@pytest.mark.parametrize("change", [edit(LINK), edit(DATE), RemovePage(**PLACE, world_only=False)], ids=str)
def test_a_page_that_is_not_there_is_not_made_by_the_way(change: EditPage | RemovePage) -> None:
    """A note alone begins a page."""
    with pytest.raises(Fault) as raised:
        page_steps(change, Folder())
    (step,) = page_steps(edit(NOTE), Folder())

    assert (Code.PAGE_NOT_FOUND, None) == (raised.value.code, step.before)


def test_a_page_that_cannot_be_edited_so_is_left_alone() -> None:
    """Its front matter has something else under that name; the person is told what, not asked."""
    with pytest.raises(Fault) as raised:
        page_steps(edit(LINK), Folder({"a.md": "---\nknows: everybody\n---\n"}))

    assert Code.INVALID_INPUT == raised.value.code
    assert "something else than links" in raised.value.message


@pytest.mark.parametrize("wanted", [LINK, DATE, NOTE], ids=lambda wanted: type(wanted).__name__)
def test_no_edit_makes_a_page_larger_than_a_page_may_be(wanted: PageEdit) -> None:
    """In bytes: it could not be read any more."""
    full = "é" * (PAGE_BYTES_MAX // 2)
    with pytest.raises(Fault) as raised:
        page_steps(edit(wanted), Folder({"a.md": full}))

    assert Code.INVALID_INPUT == raised.value.code
    assert f"larger than {PAGE_BYTES_MAX} bytes" in raised.value.message


@pytest.mark.parametrize(
    ("action", "back", "is_trusted"), [("trust", "undo-trust", True), ("undo-trust", "trust", False)]
)
def test_trust_is_taken_back_once(action: str, back: str, is_trusted: bool) -> None:
    """And so is that it was taken back; where it is no longer so, there is nothing to undo."""
    now, since = ({PLACE["root"]} if is_trusted else set(), set() if is_trusted else {PLACE["root"]})

    assert trust(back) == page_undone(trust(action), Folder(trusted=now), 7)
    with pytest.raises(Fault) as raised:
        page_undone(trust(action), Folder(trusted=since), 7)
    assert Code.INVALID_INPUT == raised.value.code
    assert "taken back since ledger row 7" in raised.value.message


def test_a_page_that_changed_since_is_not_put_back() -> None:
    """Somebody's words would be lost."""
    (step,) = page_steps(put("new\n"), Folder({"a.md": "old\n"}))

    undone = page_undone(step, Folder({"a.md": "new\n"}), 7)
    with pytest.raises(Fault) as raised:
        page_undone(step, Folder({"a.md": "newer\n"}), 7)

    assert ("new\n", "old\n", "undo-page-put") == (undone.before, undone.content, undone.action)
    assert Code.INVALID_INPUT == raised.value.code
