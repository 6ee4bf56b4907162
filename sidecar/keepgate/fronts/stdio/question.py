"""The question in words: what the person reads before saying yes, whole and with nothing hidden."""

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from keepgate.core.model.text import continued, make_visible, named, one_line
from keepgate.core.reading.asked import facts, place_of, workspaces_of
from keepgate.protocol.entries import Scope
from keepgate.protocol.proposals import ApprovalRequestParams, ChangeKind

_LAYERS: Final = {"user": "the user memory", "agent": "the agent memory"}


def message_of(question: ApprovalRequestParams) -> str:
    """The text of a prompt: one line that says what, where and who, warnings, facts, the whole payload."""
    head = [headline(question), *_warning_lines(question), *_fact_lines(question)]
    waiting = "".join(f"\n{line}" for line in _queue_lines(question))
    return "\n".join(head) + "\n\n" + make_visible(_payload(question)) + waiting


def headline(question: ApprovalRequestParams) -> str:
    """One readable line, such as ``Add to the agent memory of "project"? Source cli, session s1.``."""
    return f"{_act(question)}? {_who(question)}."


def document_of(question: ApprovalRequestParams) -> str:
    """The whole change as a text document: every layer, tag and text in full, hidden characters shown."""
    return "\n".join(_document(question)) + "\n"


def _payload(question: ApprovalRequestParams) -> str:
    # The contract's payload of a consolidation holds excerpts, and that of a batch does not say which text
    # goes to which workspace; a person decides on whole texts in their places.
    if question.action == ChangeKind.CONSOLIDATE:
        removed = [
            f"remove: {one_line(target.match or target.id)}\n    {continued(target.text)}"
            for target in question.targets
        ]
        return "\n".join([*removed, *(f"new text: {continued(entry.text)}" for entry in question.entries)])
    if question.action == ChangeKind.SEED and question.entries:
        several = len(workspaces_of(question)) > 1
        places = (one_line(place_of(entry, among_several=several)) for entry in question.entries)
        return "\n".join(
            f"{place}: {continued(entry.text)}" for place, entry in zip(places, question.entries, strict=True)
        )
    return question.text


def _act(question: ApprovalRequestParams) -> str:
    layer, place = _layer(question), _place(question)
    acts = {
        "add": f"Add to {layer}",
        "replace": f"Replace in {layer}",
        "remove": f"Remove from {layer}",
        "consolidate": f"Consolidate {_memories(len(question.targets))} in {layer}",
        "seed": f"Add {_memories(question.count or len(question.entries))}{place}",
        "undo": f"Take back a change{place}",
        "remember": f"Remember a fact{_reach(question)}",
        "supersede": f"Remember a fact in the place of another{_reach(question)}",
        "forget": f"Forget a fact{_reach(question)}",
        "page-put": f"{_write_of(question)} {_page(question)}{place}",
        "page-remove": f"Remove {_page(question)}{place}",
        "purge": "Purge a text for good, everywhere",
        "trust": f"Trust a folder of pages{place}",
        "quarantine": f"Put a session's memories into quarantine{place}",
        "release": f"Bring a session's memories back from quarantine{place}",
    }
    return acts.get(question.action, f"{one_line(question.action)}{place}")


def _write_of(question: ApprovalRequestParams) -> str:
    return "Change" if any(page.before is not None for page in question.pages) else "Write"


def _page(question: ApprovalRequestParams) -> str:
    return f"page {one_line(named(question.pages[0].slug))}" if question.pages else "a page"


def _memories(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _layer(question: ApprovalRequestParams) -> str:
    owner = _LAYERS.get(question.track, "the memory")
    if question.scope == Scope.USER_GLOBAL:
        return f"{owner} of every workspace"
    return f"{owner} of {_workspace(question)}" if question.workspace_key else owner


def _place(question: ApprovalRequestParams) -> str:
    return f" in {_workspace(question)}" if question.workspace_key else ""


def _reach(question: ApprovalRequestParams) -> str:
    return " in every workspace" if question.scope == Scope.USER_GLOBAL else _place(question)


def _workspace(question: ApprovalRequestParams) -> str:
    key = question.workspace_key
    path = PureWindowsPath(key) if "\\" in key else PurePosixPath(key)
    return f'"{one_line(path.name or key)}"'


def _who(question: ApprovalRequestParams) -> str:
    parts = []
    if question.source:
        parts.append(f"source {question.source}")
    if question.agent_key:
        parts.append(f"agent {named(question.agent_key)}")
    if question.session_id:
        parts.append(f"session {named(question.session_id)}")
    if question.client and isinstance(name := question.client.get("client"), str):
        parts.append(f"client {named(name)}")
    said = one_line(", ".join(parts) or "source unknown")
    return said[0].upper() + said[1:]


def _warning_lines(question: ApprovalRequestParams) -> Iterator[str]:
    for warning in question.warnings:
        yield f"Warning: {one_line(warning.message)}"


def _fact_lines(question: ApprovalRequestParams) -> Iterator[str]:
    for name, value in facts(question):
        yield f"{name.capitalize()}: {one_line(value)}"


QUEUE_SHOWN: Final = 5
"""How many of the questions behind one are named in its message; their number is always told."""


def _queue_lines(question: ApprovalRequestParams) -> Iterator[str]:
    """What waits behind this question, each on a line of its own; it is asked whole in its turn."""
    if not question.queue:
        return
    yield ""
    yield f"{len(question.queue)} more of this session will be asked after it:"
    for queued in question.queue[:QUEUE_SHOWN]:
        yield one_line(f"- {queued.action}: {queued.text}")
    if len(question.queue) > QUEUE_SHOWN:
        yield "- and others"


def _document(question: ApprovalRequestParams) -> Iterator[str]:
    yield headline(question)
    yield from _warning_lines(question)
    yield ""
    yield from _fact_lines(question)
    yield f"Proposal: {question.id}"
    yield f"Hash: {question.hash}"
    several = len(workspaces_of(question)) > 1
    for target in question.targets:
        yield ""
        place = place_of(target, among_several=several)
        yield one_line(f"--- entry {target.id}, version {target.version}, as it is now: {place}")
        yield make_visible(target.text)
    for entry in question.entries:
        yield ""
        yield one_line(f"+++ {place_of(entry, among_several=several)}, source {entry.source}")
        yield make_visible(entry.text)
    if not question.targets and not question.entries:
        yield ""
        yield make_visible(question.text)
    for page in question.pages:
        if page.before is not None and page.content is not None:
            yield ""
            yield one_line(f"+++ {page.path}, the whole of it after the change")
            yield make_visible(page.content)
