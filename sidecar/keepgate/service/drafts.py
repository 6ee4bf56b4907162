"""From params to changes: every value checked, every key resolved, before the gate sees it.

All problems of one request are reported together.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never

from keepgate.core.model.entry import Layer, clean_tags, source_problems, text_problems
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import (
    Add,
    ById,
    ByMatch,
    Change,
    Consolidate,
    Draft,
    Remove,
    Replace,
    Seed,
    Target,
)
from keepgate.protocol import entries as e
from keepgate.protocol.entries import DEFAULT_SOURCE, IMPORT_ENTRIES_MAX, MATCHES_MAX, Scope, Track
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.proposals import ChangeKind
from keepgate.protocol.wire import structure

WriteParams = e.AddParams | e.ReplaceParams | e.RemoveParams | e.ConsolidateParams | e.SeedParams


class Checked:
    """Collects problems while values are cleaned; :meth:`done` raises them all at once."""

    def __init__(self, root: str = "$") -> None:
        self.root = root
        self.problems: list[Problem] = []
        self._incomplete = False

    def layer(self, track: Track, scope: Scope, author: Author, workspace_key: str | None = None) -> Layer:
        """The layer a write goes to; a workspace layer needs a workspace."""
        if scope is Scope.USER_GLOBAL:
            return Layer(track, scope, "")
        key = author.workspace_key if workspace_key is None else workspace_key
        if not key:
            self.problems.append(
                Problem(f"{self.root}.scope", "workspace needs an open folder or a session with cwd")
            )
        return Layer(track, scope, key)

    def text(self, text: str) -> str:
        """The text, unchanged."""
        self.problems += text_problems(text, f"{self.root}.text")
        return text

    def tags(self, tags: Sequence[str] | None) -> tuple[str, ...]:
        """Clean tags; none for none."""
        cleaned, problems = clean_tags(tags or (), f"{self.root}.tags")
        self.problems += problems
        return cleaned

    def source(self, source: str | None) -> str:
        """The source, or the default one."""
        if source is not None:
            self.problems += source_problems(source, f"{self.root}.source")
        return DEFAULT_SOURCE if source is None else source

    def agent_key(self, agent_key: str | None, author: Author) -> str:
        """Absent means the session's preset, empty the shared layer; nobody writes into another's."""
        if agent_key is None:
            return author.agent_key
        if agent_key not in ("", author.agent_key):
            self.problems.append(
                Problem(f"{self.root}.agentKey", "must be empty or the session's own preset")
            )
        return agent_key

    def target(self, match: str | None, entry_id: str | None, version: int | None) -> Target:
        """Exactly one of match and id names the target."""
        self._one_of("match", match, "id", entry_id)
        if version is not None and match is not None and entry_id is None:
            self.problems.append(Problem(f"{self.root}.version", "goes with id only"))
        if match is not None:
            return ByMatch(self.match(match, f"{self.root}.match"))
        return ById(entry_id or "", version)

    def match(self, match: str, path: str) -> str:
        """A match is a non-empty substring; it is not trimmed."""
        self.problems += text_problems(match, path)
        return match

    def targets(self, matches: list[str] | None, ids: list[e.IdTarget] | None) -> tuple[Target, ...]:
        """1 to 20 targets, all by match or all by id."""
        self._one_of("matches", matches, "ids", ids)
        for name, given in (("matches", matches), ("ids", ids)):
            if given is not None and not 1 <= len(given) <= MATCHES_MAX:
                reason = f"must have 1 to {MATCHES_MAX} items, has {len(given)}"
                self.problems.append(Problem(f"{self.root}.{name}", reason))
        if ids is not None:
            return tuple(ById(item.id, item.version) for item in ids)
        return tuple(
            ByMatch(self.match(match, f"{self.root}.matches[{index}]"))
            for index, match in enumerate(matches or ())
        )

    def _one_of(self, first: str, given_first: object, second: str, given_second: object) -> None:
        problem = one_of(self.root, first, given_first, second, given_second)
        if problem is not None:
            self.problems.append(problem)
            self._incomplete = self._incomplete or given_first is None

    def done(self) -> None:
        """Raise ``INVALID_INPUT`` with every problem found; what is missing is one of shape."""
        if self.problems:
            raise invalid_input(*self.problems, shape=self._incomplete)


def one_of(root: str, first: str, given_first: object, second: str, given_second: object) -> Problem | None:
    """What is wrong where exactly one of two fields must be given; with neither it is one of shape."""
    if given_first is None and given_second is None:
        return Problem(f"{root}.{first}", f"is missing, and so is {second}: one of them must be given")
    if given_first is not None and given_second is not None:
        return Problem(f"{root}.{second}", f"does not go with {first}: only one of them may be given")
    return None


def draft(
    params: e.AddParams | e.DraftParams, author: Author, checked: Checked, workspace_key: str | None = None
) -> Draft:
    """An entry to be, from its fields."""
    return Draft(
        layer=checked.layer(params.track, params.scope, author, workspace_key),
        agent_key=checked.agent_key(params.agent_key, author),
        text=checked.text(params.text),
        tags=checked.tags(params.tags),
        source=checked.source(params.source),
    )


def seed_change(
    entries: Sequence[e.DraftParams], author: Author, open_keys: frozenset[str], root: str = "$"
) -> Seed:
    """``memory/seed``: all drafts checked before anyone is asked (DSH-3-seed)."""
    if not 1 <= len(entries) <= IMPORT_ENTRIES_MAX:
        reason = f"must have 1 to {IMPORT_ENTRIES_MAX} items, has {len(entries)}"
        raise invalid_input(Problem(f"{root}.entries", reason))
    drafts, problems = [], []
    for index, item in enumerate(entries):
        checked = Checked(f"{root}.entries[{index}]")
        key = item.workspace_key or None
        if key is not None and key != author.workspace_key and key not in open_keys:
            checked.problems.append(Problem(f"{checked.root}.workspaceKey", "must be an open workspace"))
        drafts.append(draft(item, author, checked, key))
        problems += checked.problems
    if problems:
        raise invalid_input(*problems)
    return Seed(drafts=tuple(drafts))


def proposed_change(raw: Mapping[str, Any], author: Author, open_keys: frozenset[str]) -> Change:
    """The change inside ``proposals/create``: ``action`` and the fields of the method it names."""
    action = raw.get("action")
    if type(action) is not str:
        reason = "must be a string" if "action" in raw else "is missing"
        raise invalid_input(Problem("$.change.action", reason), shape=True)
    if action not in _PARAMS:
        raise invalid_input(Problem("$.change.action", f"must be one of {', '.join(_PARAMS)}"))
    if "session" in raw:
        raise invalid_input(Problem("$.change.session", "stands beside change, not inside"), shape=True)
    fields = {name: value for name, value in raw.items() if name != "action"}
    params = structure(fields, _PARAMS[action], forbid_unknown=True, root="$.change")
    return change_for(params, author, open_keys, "$.change")


_PARAMS: Final[Mapping[str, type[WriteParams]]] = {
    ChangeKind.ADD: e.AddParams,
    ChangeKind.REPLACE: e.ReplaceParams,
    ChangeKind.REMOVE: e.RemoveParams,
    ChangeKind.CONSOLIDATE: e.ConsolidateParams,
    ChangeKind.SEED: e.SeedParams,
}


def change_for(params: WriteParams, author: Author, open_keys: frozenset[str], root: str = "$") -> Change:
    """The change that a write's params ask for; every problem is raised together, under ``root``."""
    if isinstance(params, e.SeedParams):
        return seed_change(params.entries, author, open_keys, root)
    checked = Checked(root)
    change = _one_layer_change(params, author, checked)
    checked.done()
    return change


def label_is_ours(params: WriteParams) -> bool:
    """Whether the caller named no source, so that every label in the change is the product's own."""
    match params:
        case e.RemoveParams():
            return False
        case e.SeedParams():
            return all(item.source is None for item in params.entries)
        case _:
            return params.source is None


def _one_layer_change(
    params: e.AddParams | e.ReplaceParams | e.RemoveParams | e.ConsolidateParams,
    author: Author,
    checked: Checked,
) -> Change:
    match params:
        case e.AddParams():
            return Add(draft=draft(params, author, checked))
        case e.ReplaceParams():
            return Replace(
                layer=checked.layer(params.track, params.scope, author),
                target=checked.target(params.match, params.id, params.version),
                text=checked.text(params.text),
                tags=None if params.tags is None else checked.tags(params.tags),
                source=checked.source(params.source),
            )
        case e.RemoveParams():
            return Remove(
                layer=checked.layer(params.track, params.scope, author),
                target=checked.target(params.match, params.id, params.version),
            )
        case e.ConsolidateParams():
            shared = params.agent_key
            return Consolidate(
                layer=checked.layer(params.track, params.scope, author),
                targets=checked.targets(params.matches, params.ids),
                text=checked.text(params.text),
                tags=checked.tags(params.tags),
                source=checked.source(params.source),
                agent_key=None if shared is None else checked.agent_key(shared, author),
            )
        case _:
            assert_never(params)
