"""What ledger rows say of a change: the states before and after each step, written down and read back."""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, assert_never

from attrs import frozen

from keepgate.core.model.digest import digest_of
from keepgate.core.model.fact import Fact
from keepgate.core.writing.ledger import Decision, Sealed
from keepgate.core.writing.mutation import PURGE_PAGE, FactStep, Mutation, PageStep, Step
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.verbs import FactKind, Visibility

PAGE_SUBJECT: Final = "page:"
ROOT_SUBJECT: Final = "root:"


class Sort(Enum):
    """What sort of thing a row's ``entry_id`` names."""

    ENTRY = "entry"
    FACT = "fact"
    PAGE = "page"
    ROOT = "root"


def sort_of(row: Sealed) -> Sort:
    """The sort of a row's subject; a row without one counts as an entry's."""
    subject = row.entry_id or ""
    if subject.startswith(PAGE_SUBJECT):
        return Sort.PAGE
    if subject.startswith(ROOT_SUBJECT):
        return Sort.ROOT
    # Entries belong to a track, and facts to none.
    return Sort.FACT if row.track is None and subject.isdecimal() else Sort.ENTRY


def subject_of(step: Step) -> str:
    """What a step's row names as its subject: an entry's UUID, a fact's id, a page's slug, a root's folder.

    The last two stand behind ``page:`` and ``root:``.
    """
    match step:
        case Mutation():
            return step.entry.id
        case FactStep(after=fact):
            return fact.fact_id
        case PageStep(path="", root=root):
            return f"{ROOT_SUBJECT}{root}"
        case PageStep(slug=slug):
            return f"{PAGE_SUBJECT}{slug}"
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)


@frozen(kw_only=True)
class Recorded:
    """A step of a change that was made, with the row that holds it."""

    seq: int
    step: Step


def states_of(step: Step) -> dict[str, Any]:
    """A step's ``before`` and ``after``, as its row's payload keeps them; ``None`` where there is nothing."""
    match step:
        case Mutation(before=before, after=after):
            return {"before": before and state_of(before), "after": after and state_of(after)}
        case FactStep(before=fact, after=left):
            return {"before": fact and fact_state_of(fact), "after": fact_state_of(left)}
        case PageStep(path=""):
            trusted = {"root": step.root}
            is_trusted = step.action == "trust"
            return {"before": None if is_trusted else trusted, "after": trusted if is_trusted else None}
        case PageStep(action="purge-page"):
            place = _page_state(step, "", step.before_visibility) or {}
            return {
                "before": {**place, "content": None, "digest": digest_of(step.before or "")},
                "after": _page_state(step, step.content, step.visibility),
            }
        case PageStep():
            return {
                "before": _page_state(step, step.before, step.before_visibility),
                "after": _page_state(step, step.content, step.visibility),
            }
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)


def recorded(row: Sealed) -> Step | None:
    """The step of an allowed row; ``None`` for summaries, evidence, denials and purged rows.

    A payload that was spoiled after it was sealed is as good as purged;
    :func:`~keepgate.core.writing.ledger.chain_breaks` names it.
    """
    if row.decision != Decision.ALLOWED or row.entry_id is None or row.payload is None:
        return None
    try:
        payload = json.loads(row.payload)
        return _step(row, payload["before"], payload["after"])
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _step(row: Sealed, before: Any, after: Any) -> Step | None:
    sort = sort_of(row)
    match sort:
        case Sort.ENTRY:
            states = (entry_from(state) if state else None for state in (before, after))
            was, left = states
            return Mutation(action=row.action, before=was, after=left) if was or left else None
        case Sort.FACT:
            fact = fact_from(before) if before else None
            return FactStep(action=row.action, before=fact, after=fact_from(after))
        case Sort.PAGE if row.action == PURGE_PAGE:
            # What was there is not kept, so there is no step that could be looked at again or taken back.
            return None
        case Sort.PAGE | Sort.ROOT:
            return _page_step(row, before, after)
        case _:
            assert_never(sort)


def state_of(entry: Entry) -> dict[str, Any]:
    """An entry as payloads keep it; recall counters are derived and stay out."""
    return {
        "id": entry.id,
        "track": str(entry.track),
        "scope": str(entry.scope),
        "workspaceKey": entry.workspace_key,
        "agentKey": entry.agent_key,
        "text": entry.text,
        "source": entry.source,
        "tags": list(entry.tags),
        "version": entry.version,
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        "sessionId": entry.session_id,
    }


def entry_from(state: Mapping[str, Any]) -> Entry:
    """The entry that :func:`state_of` wrote down."""
    return Entry(
        id=state["id"],
        track=Track(state["track"]),
        scope=Scope(state["scope"]),
        workspace_key=state["workspaceKey"],
        agent_key=state["agentKey"],
        text=state["text"],
        source=state["source"],
        tags=tuple(state["tags"]),
        version=state["version"],
        created_at=state["createdAt"],
        updated_at=state["updatedAt"],
        session_id=state["sessionId"],
    )


def fact_state_of(fact: Fact) -> dict[str, Any]:
    """A fact as payloads keep it; times are epoch milliseconds."""
    return {
        "id": fact.id,
        "home": fact.home,
        "entity": fact.entity,
        "text": fact.text,
        "kind": str(fact.kind),
        "visibility": str(fact.visibility),
        "provenance": fact.provenance,
        "createdAt": fact.created_at,
        "validUntil": fact.valid_until,
        "expiredAt": fact.expired_at,
        "supersededBy": fact.superseded_by,
        "reason": fact.reason,
        "sessionId": fact.session_id,
        "version": fact.version,
    }


def fact_from(state: Mapping[str, Any]) -> Fact:
    """The fact that :func:`fact_state_of` wrote down."""
    return Fact(
        id=state["id"],
        home=state["home"],
        entity=state["entity"],
        text=state["text"],
        kind=FactKind(state["kind"]),
        visibility=Visibility(state["visibility"]),
        provenance=state["provenance"],
        created_at=state["createdAt"],
        valid_until=state["validUntil"],
        expired_at=state["expiredAt"],
        superseded_by=state["supersededBy"],
        reason=state["reason"],
        session_id=state["sessionId"],
        version=state["version"],
    )


def _page_state(step: PageStep, content: str | None, visibility: Visibility | None) -> dict[str, Any] | None:
    if content is None:
        return None
    # What does not tell is taken for private.
    told = str(visibility or Visibility.PRIVATE)
    return {"root": step.root, "path": step.path, "content": content, "visibility": told}


def _page_visibility(state: Mapping[str, Any] | None) -> Visibility | None:
    return Visibility(state.get("visibility", Visibility.PRIVATE)) if state else None


def _page_step(row: Sealed, before: Any, after: Any) -> PageStep:
    place = after or before
    if sort_of(row) is Sort.ROOT:
        return PageStep(
            action=row.action,
            home=row.workspace_key or "",
            root=place["root"],
            slug="",
            path="",
            before=None,
            content=None,
        )
    return PageStep(
        action=row.action,
        home=row.workspace_key or "",
        root=place["root"],
        slug=(row.entry_id or "").removeprefix(PAGE_SUBJECT),
        path=place["path"],
        before=before and before["content"],
        content=after and after["content"],
        before_visibility=_page_visibility(before),
        visibility=_page_visibility(after),
    )
