"""Changes: the closed set of things that can be asked of the store.

Class and field names are stored with proposals: renaming one needs a migration.
"""

from collections.abc import Mapping
from typing import Final, assert_never

from attrs import frozen

from keepgate.core.model.entry import Layer
from keepgate.core.model.viewer import Author
from keepgate.core.writing.page_change import EditPage, PageChange, PutPage, RemovePage, TrustRoot
from keepgate.protocol.proposals import ChangeKind
from keepgate.protocol.verbs import FactKind, Visibility


@frozen(kw_only=True)
class Draft:
    """An entry to be; checked, with its keys resolved."""

    layer: Layer
    agent_key: str
    text: str
    tags: tuple[str, ...]
    source: str


@frozen
class ByMatch:
    """The one visible entry of the layer that contains ``match``."""

    match: str


@frozen
class ById:
    """The entry with this id, and this version when one is given."""

    id: str
    version: int | None = None


Target = ByMatch | ById


@frozen(kw_only=True)
class Add:
    """Insert one entry."""

    draft: Draft


@frozen(kw_only=True)
class Replace:
    """Rewrite one entry; ``tags`` of ``None`` keeps its tags. ``source`` is named in the question only."""

    layer: Layer
    target: Target
    text: str
    tags: tuple[str, ...] | None
    source: str


@frozen(kw_only=True)
class Remove:
    """Delete one entry."""

    layer: Layer
    target: Target


@frozen(kw_only=True)
class Consolidate:
    """Delete all targets and insert one entry. ``agent_key`` of ``None`` is decided by the targets."""

    layer: Layer
    targets: tuple[Target, ...]
    text: str
    tags: tuple[str, ...]
    source: str
    agent_key: str | None


@frozen(kw_only=True)
class Seed:
    """Insert many entries or none."""

    drafts: tuple[Draft, ...]


@frozen(kw_only=True)
class Undo:
    """Take back the change that ledger row ``seq`` belongs to; ``world_only`` as in :class:`Remember`."""

    seq: int
    source: str
    world_only: bool = False


@frozen(kw_only=True)
class UndoSession:
    """Take back all that a session wrote, as far as it can be; ``world_only`` as in :class:`Remember`."""

    session_id: str
    source: str
    world_only: bool = False


@frozen(kw_only=True)
class Quarantine:
    """Put what a session wrote last out of every read; ``world_only`` as in :class:`Remember`."""

    session_id: str
    reason: str | None
    world_only: bool = False


@frozen(kw_only=True)
class Release:
    """Bring back what is in quarantine of a session; ``world_only`` as in :class:`Remember`."""

    session_id: str
    world_only: bool = False


@frozen(kw_only=True)
class FactDraft:
    """A fact to be; checked, with its home and entity resolved. ``valid_until`` is epoch milliseconds."""

    home: str
    entity: str | None
    text: str
    kind: FactKind
    visibility: Visibility
    provenance: str
    valid_until: int | None


@frozen(kw_only=True)
class Remember:
    """Save one fact, in the place of another where ``supersedes`` names one.

    ``world_only`` says that the writer does not see private facts, and so touches none.
    """

    draft: FactDraft
    supersedes: int | None
    world_only: bool


@frozen(kw_only=True)
class Forget:
    """Expire one fact."""

    id: int
    reason: str | None
    world_only: bool


EntryChange = Add | Replace | Remove | Consolidate | Seed
FactChange = Remember | Forget
Change = EntryChange | FactChange | PageChange | Undo | UndoSession | Quarantine | Release


def kind_of(change: Change) -> ChangeKind:
    """The word for a change in asks, ledgers and lists."""
    if isinstance(change, Remember):
        return ChangeKind.REMEMBER if change.supersedes is None else ChangeKind.SUPERSEDE
    return _KINDS[type(change)]


_KINDS: Final[Mapping[type, ChangeKind]] = {
    Add: ChangeKind.ADD,
    Replace: ChangeKind.REPLACE,
    Remove: ChangeKind.REMOVE,
    Consolidate: ChangeKind.CONSOLIDATE,
    Seed: ChangeKind.SEED,
    Undo: ChangeKind.UNDO,
    UndoSession: ChangeKind.UNDO,
    Quarantine: ChangeKind.QUARANTINE,
    Release: ChangeKind.RELEASE,
    Forget: ChangeKind.FORGET,
    PutPage: ChangeKind.PAGE_PUT,
    EditPage: ChangeKind.PAGE_PUT,
    RemovePage: ChangeKind.PAGE_REMOVE,
    TrustRoot: ChangeKind.TRUST,
}


def new_texts(change: Change) -> tuple[str, ...]:
    """The texts that a change would store, as a block that agents read may show them.

    None for one that only takes away or takes back, and none for what is private.
    """
    match change:
        case Add(draft=draft):
            return (draft.text,)
        case Replace() | Consolidate():
            return (change.text,)
        case Seed(drafts=drafts):
            return tuple(draft.text for draft in drafts)
        case Remember(draft=fact):
            return (fact.text,) if fact.visibility is Visibility.WORLD else ()
        case PutPage() | EditPage() | RemovePage() | TrustRoot():
            # A page may say that it is private, and its text is too long for a block.
            return ()
        case Remove() | Undo() | UndoSession() | Quarantine() | Release() | Forget():
            return ()
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def homes_of(change: Change, author: Author) -> frozenset[str]:
    """The workspaces that a change is about: its author's, and those that a batch goes to."""
    match change:
        case Seed(drafts=drafts):
            homes = {draft.layer.workspace_key for draft in drafts}
        case Remember(draft=fact):
            homes = {fact.home}
        case PutPage(home=home) | EditPage(home=home) | RemovePage(home=home) | TrustRoot(home=home):
            homes = {home}
        case _:
            homes = set()
    return frozenset({author.workspace_key, *homes}) - {""}
