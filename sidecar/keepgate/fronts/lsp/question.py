"""The question in words: what the person reads before saying yes, whole and with nothing hidden."""

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from keepgate.core.model.text import make_visible, one_line
from keepgate.protocol.entries import Scope
from keepgate.protocol.proposals import ApprovalRequestParams, AskEntry, ChangeKind

_LAYERS: Final = {"user": "the user memory", "agent": "the agent memory"}


def message_of(question: ApprovalRequestParams) -> str:
    """The text of a prompt: one line that says what, where and who, warnings, then the whole payload."""
    head = [headline(question), *_warning_lines(question), *_sight_lines(question), *_tag_lines(question)]
    return "\n".join(head) + "\n\n" + make_visible(_payload(question))


def headline(question: ApprovalRequestParams) -> str:
    """One readable line, such as ``Add to the agent memory of "project"? Source cli, session s1.``."""
    return f"{_act(question)}? {_who(question)}."


def document_of(question: ApprovalRequestParams) -> str:
    """The whole change as a text document: every layer, tag and text in full, hidden characters shown."""
    return "\n".join(_document(question)) + "\n"


def _payload(question: ApprovalRequestParams) -> str:
    # The contract's payload of a consolidation holds excerpts; a person decides on whole texts.
    if question.action != ChangeKind.CONSOLIDATE:
        return question.text
    removed = [f"remove: {target.match or target.id}\n{target.text}" for target in question.targets]
    return "\n".join([*removed, *(f"new text: {entry.text}" for entry in question.entries)])


def _act(question: ApprovalRequestParams) -> str:
    layer, place = _layer(question), _place(question)
    acts = {
        "add": f"Add to {layer}",
        "replace": f"Replace in {layer}",
        "remove": f"Remove from {layer}",
        "consolidate": f"Consolidate {_memories(len(question.targets))} in {layer}",
        "seed": f"Add {_memories(question.count or len(question.entries))}{place}",
        "undo": f"Take back a change{place}",
    }
    return acts.get(question.action, f"{one_line(question.action)}{place}")


def _memories(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _layer(question: ApprovalRequestParams) -> str:
    owner = _LAYERS.get(question.track, "the memory")
    if question.scope == Scope.USER_GLOBAL:
        return f"{owner} of every workspace"
    return f"{owner} of {_workspace(question)}" if question.workspace_key else owner


def _place(question: ApprovalRequestParams) -> str:
    return f" in {_workspace(question)}" if question.workspace_key else ""


def _workspace(question: ApprovalRequestParams) -> str:
    key = question.workspace_key
    path = PureWindowsPath(key) if "\\" in key else PurePosixPath(key)
    return f'"{one_line(path.name or key)}"'


def _who(question: ApprovalRequestParams) -> str:
    parts = []
    if question.source:
        parts.append(f"source {question.source}")
    if question.agent_key:
        parts.append(f"agent {question.agent_key}")
    if question.session_id:
        parts.append(f"session {question.session_id}")
    if question.client and isinstance(name := question.client.get("client"), str):
        parts.append(f"client {name}")
    said = one_line(", ".join(parts) or "source unknown")
    return said[0].upper() + said[1:]


def _warning_lines(question: ApprovalRequestParams) -> Iterator[str]:
    for warning in question.warnings:
        yield f"Warning: {one_line(warning.message)}"


def _sight_lines(question: ApprovalRequestParams) -> Iterator[str]:
    keys = {entry.agent_key for entry in question.entries}
    if keys and "" not in keys:
        yield f"Only agent {one_line(', '.join(sorted(keys)))} will see it."


def _tag_lines(question: ApprovalRequestParams) -> Iterator[str]:
    after = dict.fromkeys(tag for entry in question.entries for tag in entry.tags)
    before = dict.fromkeys(tag for target in question.targets for tag in target.tags)
    if question.entries and (after or before):
        changed = f" (before: {', '.join(before) or 'none'})" if question.targets and after != before else ""
        yield one_line(f"Tags: {', '.join(after) or 'none'}{changed}")


def _document(question: ApprovalRequestParams) -> Iterator[str]:
    yield headline(question)
    yield from _warning_lines(question)
    yield ""
    if question.workspace_key:
        yield f"Workspace: {one_line(question.workspace_key)}"
    yield f"Proposal: {question.id}"
    yield f"Hash: {question.hash}"
    for target in question.targets:
        yield ""
        yield f"--- entry {one_line(target.id)}, version {target.version}, as it is now"
        yield make_visible(target.text)
    for entry in question.entries:
        yield ""
        yield f"+++ {_described(entry)}"
        yield make_visible(entry.text)
    if not question.targets and not question.entries:
        yield ""
        yield make_visible(question.text)


def _described(entry: AskEntry) -> str:
    agent = f", agent {entry.agent_key}" if entry.agent_key else ""
    tags = f", tags {', '.join(entry.tags)}" if entry.tags else ""
    return one_line(f"{entry.track}/{entry.scope}, source {entry.source}{agent}{tags}")
