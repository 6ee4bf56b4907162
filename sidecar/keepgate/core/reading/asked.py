"""What a person is told of a change beside its texts: where it goes, who will see it, which tags change.

Every front takes these facts from here, so that none leaves out what another shows. Names that callers choose
are quoted where they are no plain words: else a preset could say who else will see a memory. Hidden
characters are as they came: fronts make them visible.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from keepgate.core.model.text import named
from keepgate.protocol.proposals import ApprovalRequestParams, AskEntry, AskPage, AskTarget

_NO_TAGS: Final = "none"
BATCH: Final = "batch"
"""Stands for the layer of a change that may span layers."""

FACTS: Final = "facts"
PAGES: Final = "pages"
"""Stand for the track of facts and of pages, which have none."""


def facts(question: ApprovalRequestParams) -> Iterator[tuple[str, str]]:
    """Names and values for the whole change. Workspaces are named in full: folders may share a last name."""
    items, keys = _items(question), workspaces_of(question)
    if keys:
        yield ("workspace", keys[0]) if len(keys) == 1 else ("workspaces", ", ".join(map(named, keys)))
    if question.track == BATCH and items:
        yield "layers", ", ".join(dict.fromkeys(_layer(item) for item in items))
    for page in question.pages:
        yield from page_fields(page)
    agents = dict.fromkeys(item.agent_key for item in items)
    if any((question.agent_key, *agents)) and agents:
        yield "seen by", "; ".join(map(_readers, agents))
    if question.track != BATCH and (tags := _tags(question)):
        yield "tags", tags


def page_fields(page: AskPage) -> Iterator[tuple[str, str]]:
    """Names and values for one page of the change: its slug and its file, or the folder that is trusted."""
    if not page.path:
        yield "folder", page.root
        return
    yield "page", named(page.slug)
    yield "file", f"{page.root}/{page.path}"
    if page.action in ("quarantine", "release"):
        yield "on disk", "the file stays as it is"
    if not page.workspace_key:
        yield "read in", "every workspace"


def workspaces_of(question: ApprovalRequestParams) -> list[str]:
    """Every workspace that the change touches, sorted."""
    keys = {question.workspace_key, *(item.workspace_key for item in _items(question))}
    keys |= {fact.workspace_key for fact in question.facts}
    return sorted((keys | {page.workspace_key for page in question.pages}) - {""})


def fields_of(item: AskTarget | AskEntry) -> Iterator[tuple[str, str]]:
    """Names and values for one memory of the change."""
    yield "layer", _layer(item)
    if item.workspace_key:
        yield "workspace", item.workspace_key
    yield "seen by", _readers(item.agent_key)
    if isinstance(item, AskEntry):
        yield "source", item.source
    if item.tags:
        yield "tags", _listed(item.tags)


def place_of(item: AskTarget | AskEntry, *, among_several: bool) -> str:
    """The same on one line, such as ``agent/workspace of /srv/api, agent coder alone, tags go``.

    The workspace is left out unless the change is ``among_several``: :func:`facts` has named the one.
    """
    workspace = f" of {named(item.workspace_key)}" if among_several and item.workspace_key else ""
    readers = f", {_readers(item.agent_key)}" if item.agent_key else ""
    tags = f", tags {_listed(item.tags)}" if item.tags else ""
    return f"{_layer(item)}{workspace}{readers}{tags}"


def _items(question: ApprovalRequestParams) -> list[AskTarget | AskEntry]:
    return [*question.targets, *question.entries]


def _layer(item: AskTarget | AskEntry) -> str:
    return f"{item.track}/{item.scope}"


def _readers(agent_key: str) -> str:
    return f"agent {named(agent_key)} alone" if agent_key else "every agent"


def _tags(question: ApprovalRequestParams) -> str | None:
    before = list(dict.fromkeys(tag for target in question.targets for tag in target.tags))
    after = list(dict.fromkeys(tag for entry in question.entries for tag in entry.tags))
    if not before and not after:
        return None
    if not question.entries:
        return _listed(before)
    changed = f" (before: {_listed(before)})" if question.targets and before != after else ""
    return f"{_listed(after)}{changed}"


def _listed(tags: Iterable[str]) -> str:
    # A tag of that name is quoted, so that it cannot say that there is none.
    return ", ".join(json.dumps(tag) if tag == _NO_TAGS else named(tag) for tag in tags) or _NO_TAGS
