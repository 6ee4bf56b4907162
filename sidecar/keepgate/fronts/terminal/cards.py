"""Single results on a screen: an entry, why it is there, what a write did, the state of the store."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from keepgate.core.model.text import named, named_client
from keepgate.fronts.terminal.screen import Screen
from keepgate.fronts.terminal.tables import budgets_table, clock, memories
from keepgate.protocol.entries import (
    AddResult,
    ConsolidateResult,
    Entry,
    PurgeResult,
    RemoveResult,
    ReplaceResult,
    StatusResult,
    UndoResult,
    Usage,
    VerifyResult,
    WhyLink,
    WhyResult,
)

if TYPE_CHECKING:
    from keepgate.service.maintenance import Finding


def entry_card(screen: Screen, entry: Entry) -> None:
    """One entry with all its fields."""
    screen.quote(entry.text)
    screen.line()
    screen.fields(_entry_fields(entry))


def _entry_fields(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "id", entry.id
    yield "layer", f"{entry.track}/{entry.scope}"
    if entry.workspace_key:
        yield "workspace", entry.workspace_key
    yield "kept for", f"the agent {named(entry.agent_key)}" if entry.agent_key else "every agent"
    if entry.tags:
        yield "tags", ", ".join(entry.tags)
    yield "source", entry.source
    yield "version", str(entry.version)
    yield "created", clock(entry.created_at)
    yield "updated", clock(entry.updated_at)
    yield "recalled", f"{entry.recall_count} times, last {clock(entry.last_recalled)}"
    if entry.session_id:
        yield "session", entry.session_id


def added(screen: Screen, result: AddResult) -> None:
    """What an add did."""
    screen.line(f"Added {result.entry.id}; {_use(result.usage)}.")


def replaced(screen: Screen, result: ReplaceResult) -> None:
    """What a replace did."""
    screen.line(f"Changed {result.entry.id} to version {result.entry.version}; {_use(result.usage)}.")


def removed(screen: Screen, result: RemoveResult) -> None:
    """What a remove did."""
    screen.line(f"Removed {result.entry.id}; {_use(result.usage)}.")


def consolidated(screen: Screen, result: ConsolidateResult) -> None:
    """What a consolidate did."""
    screen.line(
        f"Put {result.entry.id} in the place of {memories(len(result.removed))}; {_use(result.usage)}."
    )


def undone(screen: Screen, result: UndoResult) -> None:
    """What an undo did."""
    for entry in result.removed:
        screen.line(f"Removed {entry.id}: {entry.text}")
    for entry in result.restored:
        screen.line(f"Restored {entry.id}, version {entry.version}: {entry.text}")
    for fact in result.facts:
        screen.line(f"{'Brought back' if fact.active else 'Expired'} fact {fact.id}: {fact.text}")
    for slug in result.pages:
        screen.line(f"Page {slug} is as it was before.")
    for item in result.left:
        screen.line(f"Left {item.subject} as it is (row {item.seq}): {item.reason}.")
    if result.usage:
        budgets_table(screen, result.usage)


def purged(screen: Screen, result: PurgeResult) -> None:
    """What became of a text, without it."""
    told = ", ".join(f"{number} of {table}" for table, number in result.removed.items())
    screen.line(f"Purged: {told}." if told else "No row held it.")
    for path in result.rewritten:
        screen.line(f"Rewritten: {path}")
    screen.line(
        f"Searched {result.files_searched} files: {'none holds it.' if result.clean else 'not clean.'}"
    )
    for path in result.held:
        screen.line(f"Still holds it: {path}")


def _use(usage: Usage) -> str:
    return f"{usage.track}/{usage.scope} holds {usage.used} of {usage.limit}"


def why_card(screen: Screen, result: WhyResult) -> None:
    """Who wanted a memory and who allowed it, change by change."""
    if result.fact is not None:
        screen.quote(result.fact.text)
        if not result.fact.active:
            screen.line("This fact has expired.")
    elif result.page is not None:
        screen.line(f"Page {result.page.slug}, {result.page.path}")
        screen.line(_ON_DISK.get(result.page.on_disk, result.page.on_disk))
        if result.page.quarantined:
            screen.line("It is in quarantine: no read tells of it.")
    elif result.entry is None:
        screen.line("This memory was removed.")
    else:
        screen.quote(result.entry.text)
    for link in result.chain:
        screen.line()
        screen.line(f"Version {link.version}, {link.action}: {link.outcome}")
        screen.fields((f"  {name}", value) for name, value in _link_fields(link))


_ON_DISK: Final = {
    "as-written": "The file is as the last of these changes left it.",
    "changed": "Something else has changed the file since.",
    "gone": "The file is not there.",
    "unreadable": "The file cannot be read as a page.",
}


def _link_fields(link: WhyLink) -> Iterator[tuple[str, str]]:
    if link.asked_by is not None:
        yield "asked", f"{_when(link.asked_at)}by {client_words(link.asked_by)}"
    if link.session_id:
        yield "session", link.session_id
    if link.agent_key:
        yield "agent", link.agent_key
    if link.decided_by is not None:
        yield "decided", f"{_when(link.decided_at)}by {client_words(link.decided_by)}"
    if isinstance(link.reason, str):
        yield "reason", link.reason
    if link.proposal_id:
        yield "proposal", link.proposal_id
    if link.hash:
        yield "sha-256", link.hash
    yield "ledger row", f"{link.seq}, {clock(link.ts)}"


def _when(moment_ms: int | None) -> str:
    # Where nobody had to be asked, both happened as the row was written.
    return "" if moment_ms is None else f"{clock(moment_ms)} "


def client_words(client: Mapping[str, Any] | None) -> str:
    """A client, as ledger rows and proposals name it, in words."""
    if client is None or client.get("via") == "policy":
        return "a standing policy"
    channel = f" ({client['channel']})" if client.get("channel") else ""
    name = client.get("client")
    words = "an unnamed client" if name is None else named_client(str(name), client.get("version"))
    return f"{words}{channel}"


def verify_card(screen: Screen, result: VerifyResult) -> None:
    """Whether the ledger holds, and what is wrong where it does not."""
    for problem in result.problems:
        row = f" at row {problem.seq}" if problem.seq is not None else ""
        screen.line(f"{problem.kind}{row}: {problem.message}")
    if result.ok:
        screen.line(f"The ledger holds: {result.rows} rows, and replaying them gives this store.")
    else:
        screen.line(f"The ledger does not hold; {result.rows} rows were checked.")
    screen.line(f"head {result.head}")


def status_card(screen: Screen, status: StatusResult) -> None:
    """The state of the store."""
    told = status.message if status.message == status.health else f"{status.health}: {status.message}"
    screen.line(told)
    screen.fields(_status_fields(status))
    _problems(screen, status.problems)


def _status_fields(status: StatusResult) -> Iterator[tuple[str, str]]:
    yield "keepgate", status.version
    yield "store", status.store_path
    yield "store id", status.store_id
    yield "store version", str(status.store_version)
    yield "file system", f"{status.file_system}, journal {status.journal_mode}"
    for name, count in status.counts.items():
        yield name.replace("_", " "), str(count)
    took = status.write_round_trip_ms
    yield "write round trip", "failed" if took is None else f"{took:.1f} ms"
    for workspace in status.workspaces:
        yield "workspace", f"{workspace.get('key', '')} ({workspace.get('rule', '')})"


def _problems(screen: Screen, problems: Iterable[str]) -> None:
    for problem in problems:
        screen.line(f"! {problem}")


def findings_card(screen: Screen, findings: "Iterable[Finding]") -> None:
    """What was looked at, one line each, and under each problem what to do."""
    for finding in findings:
        screen.line(f"{'ok ' if finding.ok else '!! '} {finding.name}: {finding.message}")
        if finding.fix:
            screen.line(f"    fix: {finding.fix}")
