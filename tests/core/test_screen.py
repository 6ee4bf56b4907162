"""The screen for secrets: what is found, where, and what is let pass."""

import sys
from pathlib import Path

import pytest
from attrs import evolve

from keepgate.boot.known_secrets import known_secrets
from keepgate.core.model.entry import Layer
from keepgate.core.writing.change import (
    Add,
    ByMatch,
    Consolidate,
    Draft,
    FactDraft,
    Forget,
    Remember,
    Remove,
    Replace,
    Seed,
    Undo,
)
from keepgate.core.writing.page_change import AddDate, AddLink, AddNote, EditPage, PutPage, RemovePage
from keepgate.core.writing.screen import WINDOW, look, own_secrets, secrets_in
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.verbs import FactKind, Visibility

sys.path.insert(0, str(Path(__file__).parent))
from secret_texts import ORDINARY, SECRETS

FINDERS = (own_secrets, known_secrets)
TOKEN = SECRETS["github"][1]
LAYER = Layer(track=Track.USER, scope=Scope.WORKSPACE, workspace_key="w")
DRAFT = Draft(layer=LAYER, agent_key="", text="plain", tags=("a", "b"), source="keepgate")
FACT = FactDraft(
    home="w",
    entity="people/x",
    text="plain",
    kind=FactKind.FACT,
    visibility=Visibility.WORLD,
    provenance="said",
    valid_until=None,
)
PLACE = {"home": "w", "root": "/r", "slug": "people/x", "path": "people/x.md", "world_only": False}


@pytest.mark.parametrize("name", SECRETS)
def test_finds_each_secret_where_it_begins(name: str) -> None:
    """Each form of a secret is found by kind and place, and the hit does not hold it."""
    kind, secret = SECRETS[name]
    before = "Grüße 👋, here it is:\n"
    hits = look("$.text", f"{before}{secret}\nand more words", FINDERS)
    assert kind in [hit.kind for hit in hits]
    first = next(hit for hit in hits if hit.kind == kind)
    start = len(before.encode("utf-16-le")) // 2
    assert start <= first.offset < start + len(secret)
    assert all(secret not in str(hit.described()) for hit in hits)


@pytest.mark.parametrize("text", ORDINARY, ids=lambda text: text[:30])
def test_lets_ordinary_texts_pass(text: str) -> None:
    """Hashes, identifiers, images, public keys, placeholders and prose in any script are no secrets."""
    assert look("$.text", text, FINDERS) == []


def test_finds_a_secret_behind_hidden_characters_and_tells_its_place_in_the_text_as_it_was() -> None:
    """Hidden characters inside a secret hide it from nobody."""
    text = "a\u200bb gh\u200bp_" + "\u2060".join(TOKEN[4:])
    (hit,) = look("$.text", text, FINDERS)
    assert (hit.kind, hit.offset) == ("github-token", text.index("g"))


@pytest.mark.parametrize("before", [0, 1, WINDOW - 20, WINDOW, WINDOW * 3 - 1030, WINDOW * 5])
def test_finds_a_secret_anywhere_in_a_long_text(before: int) -> None:
    """No edge of a window cuts a secret in two."""
    (hit,) = look("$.content", "x" * (before - 1) + " " * bool(before) + TOKEN + " y" * 9000, FINDERS)
    assert hit.offset == before


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (Add(draft=evolve(DRAFT, text=TOKEN)), "$.text"),
        (Add(draft=evolve(DRAFT, tags=("a", TOKEN))), "$.tags[1]"),
        (Add(draft=evolve(DRAFT, source=TOKEN)), "$.source"),
        (Replace(layer=LAYER, target=ByMatch("m"), text=TOKEN, tags=None, source="s"), "$.text"),
        (Replace(layer=LAYER, target=ByMatch("m"), text="t", tags=(TOKEN,), source="s"), "$.tags[0]"),
        (Replace(layer=LAYER, target=ByMatch("m"), text="t", tags=(), source=TOKEN), "$.source"),
        (
            Consolidate(layer=LAYER, targets=(), text=TOKEN, tags=(), source="s", agent_key=None),
            "$.text",
        ),
        (Seed(drafts=(DRAFT, evolve(DRAFT, text=TOKEN))), "$.entries[1].text"),
        (Seed(drafts=(DRAFT, evolve(DRAFT, tags=(TOKEN,)))), "$.entries[1].tags[0]"),
        (Remember(draft=evolve(FACT, text=TOKEN), supersedes=None, world_only=False), "$.fact"),
        (Remember(draft=evolve(FACT, provenance=TOKEN), supersedes=1, world_only=True), "$.provenance"),
        (Remember(draft=evolve(FACT, entity=TOKEN), supersedes=None, world_only=False), "$.entity"),
        (Forget(id=1, reason=TOKEN, world_only=False), "$.reason"),
        (PutPage(**PLACE, content=f"# X\n\n{TOKEN}\n"), "$.content"),
        (PutPage(**{**PLACE, "slug": f"people/{TOKEN}"}, content="# X"), "$.slug"),
        (EditPage(**PLACE, edit=AddLink(relation="knows", to=TOKEN)), "$.to"),
        (EditPage(**PLACE, edit=AddLink(relation=TOKEN, to="x")), "$.type"),
        (EditPage(**PLACE, edit=AddDate(date="2026-11-30", text=TOKEN)), "$.text"),
        (EditPage(**PLACE, edit=AddNote(day="d", clock="c", text=TOKEN, title="t")), "$.text"),
    ],
    ids=str,
)
def test_looks_at_every_new_text_of_a_change(change: object, path: str) -> None:
    """Each field of each kind of change is looked at, under its path in the params."""
    assert [hit.path for hit in secrets_in(change, (known_secrets,))] == [path]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        Remove(layer=LAYER, target=ByMatch(TOKEN)),
        Replace(layer=LAYER, target=ByMatch(TOKEN), text="cleaned", tags=None, source="s"),
        Undo(seq=1, source="keepgate"),
        RemovePage(**PLACE),
        Forget(id=1, reason=None, world_only=False),
    ],
    ids=lambda change: type(change).__name__,
)
def test_leaves_alone_what_names_or_takes_away_an_old_text(change: object) -> None:
    """A match, a removal and an undo bring nothing new."""
    assert secrets_in(change, (known_secrets,)) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "eyJhbGciOiJub25l.eyJzdWIiOiIxIn0.x",
        "eyJzdWIiOiIxIiwibiI6Mn0.eyJzdWIiOiIxIn0.x",
        "https://release-notes-of-november@host.internal/x",
    ],
    ids=["no JSON", "no header", "words"],
)
def test_what_has_the_shape_of_a_secret_alone_passes(text: str) -> None:
    """Three parts are no web token without a header, and a long user name of words is no token."""
    assert look("$.text", text, (own_secrets,)) == []


def test_tells_of_no_more_than_twenty() -> None:
    """An answer does not grow with the text."""
    many = " ".join(["AKIA" + f"{n:016d}" for n in range(50)])
    assert len(secrets_in(Add(draft=evolve(DRAFT, text=many)), (known_secrets,))) == 20
