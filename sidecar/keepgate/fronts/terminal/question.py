"""The question as lines of text: the whole change, with every hidden character written out."""

import difflib
import time
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, Final

import click
from attrs import field, frozen

from keepgate.core.model.text import LINE_BREAK_SHOWN, make_visible, named, named_client, one_line
from keepgate.core.reading.asked import BATCH, facts, fields_of, page_fields, place_of, workspaces_of
from keepgate.core.reading.asked_facts import fact_fields, goes
from keepgate.core.writing.page_diff import unified_diff
from keepgate.protocol.entries import Usage
from keepgate.protocol.proposals import ApprovalRequestParams, AskFact, AskPage, ProposalsGetResult


class Tone(Enum):
    """What a line is, so that a terminal with colours can tell."""

    PLAIN = "plain"
    TITLE = "title"
    WARNING = "warning"
    GONE = "gone"
    NEW = "new"


def _on_one_line(text: str) -> str:
    return make_visible(text).replace("\n", LINE_BREAK_SHOWN)


@frozen
class Line:
    """One line of the question, without its end. Whatever it is made of, it holds no control but tabs."""

    text: str = field(converter=_on_one_line)
    tone: Tone = Tone.PLAIN


_PAINT: Final[dict[Tone, Callable[[str], str]]] = {
    Tone.PLAIN: str,
    Tone.TITLE: lambda text: click.style(text, bold=True),
    Tone.WARNING: lambda text: click.style(text, fg="yellow", bold=True),
    Tone.GONE: lambda text: click.style(text, fg="red"),
    Tone.NEW: lambda text: click.style(text, fg="green"),
}


def painted(lines: Iterable[Line], *, colour: bool) -> str:
    """Lines as one text that ends in a line break, in colours or without."""
    return "".join((_PAINT[line.tone](line.text) if colour else line.text) + "\n" for line in lines)


_HEADINGS: Final = {
    "add": "add a memory to {layer}",
    "replace": "change a memory of {layer}",
    "remove": "remove a memory from {layer}",
    "consolidate": "put one memory in the place of {targets} in {layer}",
    "seed": "add {count}",
    "undo": "take a change back",
    "remember": "remember a fact",
    "supersede": "remember a fact in the place of another",
    "forget": "forget a fact",
    "page-put": "write a page",
    "page-remove": "remove a page",
    "trust": "trust a folder of pages",
    "quarantine": "put a session's memories into quarantine",
    "release": "bring a session's memories back from quarantine",
    "purge": "purge a text for good",
}


def question_lines(question: ApprovalRequestParams) -> Iterator[Line]:
    """The question: what and where, warnings, who asks, the whole change, and what it does to the budgets."""
    yield Line(f"keepgate asks: {_heading(question)}?", Tone.TITLE)
    for warning in question.warnings:
        yield Line(f"! {one_line(warning.message)}", Tone.WARNING)
    yield Line("")
    yield from _labelled(_who(question))
    yield Line("")
    yield from change_lines(question)
    yield Line("")
    yield from _budget_lines(question.usage)


def proposal_lines(found: ProposalsGetResult) -> Iterator[Line]:
    """A stored wish: as the question would be put now, or what is left of it once it cannot be asked."""
    proposal = found.proposal
    yield Line(f"Proposal {proposal.id}, {proposal.status}{_ended(proposal.outcome)}")
    if found.ask is not None:
        yield from question_lines(found.ask)
        return
    if found.problem is not None:
        yield Line(f"! It can no longer be made: {one_line(found.problem)}", Tone.WARNING)
    yield Line(f"{proposal.kind} in {proposal.track}/{proposal.scope}:")
    yield from _block("  ", proposal.text, Tone.PLAIN)


def _ended(outcome: str | None) -> str:
    return f", {one_line(outcome)}" if outcome else ""


def change_lines(question: ApprovalRequestParams) -> Iterator[Line]:
    """The change: ``-`` before what goes, ``+`` before what comes, two blanks before what stays."""
    if question.from_ is not None and question.to is not None:
        yield from _difference(question.from_, question.to)
        return
    batch, several = question.track == BATCH, len(workspaces_of(question)) > 1
    for target in question.targets:
        if batch:
            yield Line(f"{one_line(place_of(target, among_several=several))}:")
        yield from _block("- ", target.text, Tone.GONE)
    for entry in question.entries:
        if batch:
            yield Line(f"{one_line(place_of(entry, among_several=several))}:")
        yield from _block("+ ", entry.text, Tone.NEW)
    for fact in question.facts:
        yield from _one_fact_lines(fact)
    for page in question.pages:
        yield from _page_lines(page)


def _one_fact_lines(fact: AskFact) -> Iterator[Line]:
    prefix, tone = ("- ", Tone.GONE) if goes(fact) else ("+ ", Tone.NEW)
    yield from _block(prefix, fact.text, tone)
    yield from _labelled((name, value) for name, value in fact_fields(fact) if name != "fact")


def _page_lines(page: AskPage) -> Iterator[Line]:
    """New and removed pages whole, of a rewritten one what differs and the lines around it."""
    if page.before is None and page.content is None:
        yield Line(f"{page.action} {page.root}")
    elif page.before is None or page.content is None:
        mark, tone = ("+ ", Tone.NEW) if page.before is None else ("- ", Tone.GONE)
        yield from _block(mark, page.content or page.before or "", tone)
    else:
        old, new = make_visible(page.before), make_visible(page.content)
        for line in unified_diff(page.path, old, new).split("\n")[2:]:
            yield Line(line if line[0] in "@\\" else f"{line[0]} {line[1:]}", _TONES.get(line[0], Tone.PLAIN))


_TONES: Final = {"-": Tone.GONE, "+": Tone.NEW, "@": Tone.TITLE}


def everything_lines(question: ApprovalRequestParams) -> Iterator[Line]:
    """Every field of the change in full: ids and versions of targets, keys of new entries, the hash."""
    yield from _labelled(
        [
            ("proposal", question.id),
            ("waits until", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(question.deadline / 1000))),
            ("sha-256", question.hash),
        ]
    )
    for target in question.targets:
        yield Line(f"entry {target.id}, version {target.version}, as it is now:", Tone.TITLE)
        if target.match is not None:
            yield from _labelled([("named by", target.match)])
        yield from _labelled(fields_of(target))
        yield from _block("- ", target.text, Tone.GONE)
    for entry in question.entries:
        yield Line("entry as it would be:", Tone.TITLE)
        yield from _labelled(fields_of(entry))
        yield from _block("+ ", entry.text, Tone.NEW)
    for fact in question.facts:
        now = "" if fact.version is None else f" {fact.id}, now version {fact.version},"
        yield Line(f"fact{now} as it would be:", Tone.TITLE)
        yield from _one_fact_lines(fact)
    for page in question.pages:
        yield Line("page as it would be:" if page.content is not None else "page that goes:", Tone.TITLE)
        yield from _labelled(page_fields(page))
        if page.before is not None and page.content is not None:
            yield from _block("- ", page.before, Tone.GONE)
            yield from _block("+ ", page.content, Tone.NEW)


def _heading(question: ApprovalRequestParams) -> str:
    form = _HEADINGS.get(question.action, question.action)
    if question.action == "page-put" and any(page.before is not None for page in question.pages):
        form = "change a page"
    return form.format(
        layer=f"{question.track}/{question.scope}",
        count=_memories(question.count or len(question.entries)),
        targets=_memories(len(question.targets)),
    )


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def _who(question: ApprovalRequestParams) -> Iterator[tuple[str, str]]:
    yield from facts(question)
    yield (
        "asked by",
        _client(question.client) + (f", session {named(question.session_id)}" if question.session_id else ""),
    )
    if question.agent_key:
        yield "agent", question.agent_key
    if question.source:
        yield "source", question.source


def _client(client: dict[str, Any] | None) -> str:
    if client is None:
        return "this command"
    return named_client(str(client.get("client", "unknown")), client.get("version"))


def _labelled(fields: Iterable[tuple[str, str]]) -> Iterator[Line]:
    for name, value in fields:
        yield Line(f"  {name:<11} {one_line(value)}")


def _difference(before: str, after: str) -> Iterator[Line]:
    # Compared as shown, so that two texts that differ in a hidden character alone differ on the screen too.
    old, new = make_visible(before).split("\n"), make_visible(after).split("\n")
    for kind, old_from, old_to, new_from, new_to in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            yield from (Line(f"  {line}") for line in old[old_from:old_to])
            continue
        yield from (Line(f"- {line}", Tone.GONE) for line in old[old_from:old_to])
        yield from (Line(f"+ {line}", Tone.NEW) for line in new[new_from:new_to])


def _block(prefix: str, text: str, tone: Tone) -> Iterator[Line]:
    # Every line carries the prefix: a line break in a memory cannot begin a line of ours.
    yield from (Line(prefix + line, tone) for line in make_visible(text).split("\n"))


def _budget_lines(usage: Iterable[Usage]) -> Iterator[Line]:
    for row in usage:
        over = row.used > row.limit
        yield Line(
            f"{row.track}/{row.scope} will hold {row.used} of {row.limit} units",
            Tone.WARNING if over else Tone.PLAIN,
        )
