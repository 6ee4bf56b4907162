"""Storing an approved change: ledger rows, entries, facts, totals, indexes and feed, in one transaction.

Invariant: only the writer and this module know an approval (``approval`` contract).
"""

from collections.abc import Mapping
from typing import Any, assert_never

import apsw

from keepgate.core.writing.approval import Approved
from keepgate.core.writing.change import Seed
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.mutation import QUARANTINE, FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_steps import writes_file
from keepgate.core.writing.states import states_of, subject_of
from keepgate.protocol.entries import Scope
from keepgate.protocol.proposals import Outcome
from keepgate.store import facts, page_writes, pages, writing
from keepgate.store.appending import ADDED, FACT, PAGE, REMOVED, UPDATED, Appender


def commit(
    db: apsw.Connection, appender: Appender, approved: Approved, proposal_id: str | None
) -> tuple[int, ...]:
    """Store every step of an approved change, each under its ledger row; the seqs of its rows.

    Raises ``LookupError`` when the plan was made on another state of the store than this transaction's.
    """
    return _Commit(db, appender, approved, proposal_id).run()


class _Commit:
    def __init__(
        self, db: apsw.Connection, appender: Appender, approved: Approved, proposal_id: str | None
    ) -> None:
        self._db = db
        self._appender = appender
        self._approved = approved
        self._proposal_id = proposal_id

    def run(self) -> tuple[int, ...]:
        ask = self._approved.ask
        steps = ask.plan.steps
        summaries = 1 if isinstance(ask.plan.change, Seed) else 0
        length = len(steps) + summaries
        seqs = []
        if summaries:
            seqs.append(self._append(_summary_columns(self._approved), {"text": ask.text, "of": [0, length]}))
        for place, step in enumerate(steps, summaries):
            seq = self._append(_columns(step), {**states_of(step), "of": [place, length]})
            self._apply(step, seq)
            seqs.append(seq)
        return tuple(seqs)

    def _append(self, columns: Mapping[str, Any], payload: Mapping[str, Any]) -> int:
        approved = self._approved
        return self._appender.append(
            Row(
                ts=self._appender.stamp.now_ms,
                decision=Decision.ALLOWED,
                outcome=approved.by.label(Outcome.ALLOWED_ONCE),
                session_id=approved.ask.plan.author.session_id,
                proposal_id=self._proposal_id,
                shown_hash=approved.ask.hash,
                by=approved.by.by(),
                payload=payload,
                **columns,
            )
        )

    def _apply(self, step: Step, seq: int) -> None:
        match step:
            case Mutation():
                self._apply_entry(step, seq)
            case FactStep():
                self._apply_fact(step, seq)
            case PageStep():
                self._apply_page(step, seq)
            case _:
                assert_never(step)

    def _apply_entry(self, step: Mutation, seq: int) -> None:
        if step.before is None:
            writing.insert_entry(self._db, step.entry, seq)
        elif step.after is None:
            writing.delete_entry(self._db, step.before)
        else:
            writing.rewrite_entry(self._db, step.before, step.after, seq)
        kind = ADDED if step.before is None else REMOVED if step.after is None else UPDATED
        entry = step.entry
        self._feed(kind, step, seq, entry.workspace_key, agent_key=entry.agent_key, track=entry.track)

    def _apply_fact(self, step: FactStep, seq: int) -> None:
        if step.before is None:
            facts.insert_fact(self._db, step.after, seq)
        else:
            facts.change_fact(self._db, step.before, step.after, seq)
        self._feed(FACT, step, seq, step.after.home, status=step.action)

    def _apply_page(self, step: PageStep, seq: int) -> None:
        # The file is written once this is stored; the index tells of it then.
        if step.action == QUARANTINE:
            pages.drop_slug(self._db, step.home, step.slug)
            self._appender.feed(PAGE, workspace_key=step.home)
        elif writes_file(step):
            page_writes.insert(self._db, step, seq)

    def _feed(self, kind: str, step: Step, seq: int, home: str, **columns: Any) -> None:
        self._appender.feed(
            kind,
            ledger_seq=seq,
            entry_id=subject_of(step),
            proposal_id=self._proposal_id,
            workspace_key=home,
            session_id=self._approved.ask.plan.author.session_id,
            scope=_scope_of(home),
            **columns,
        )


def _columns(step: Step) -> dict[str, Any]:
    columns = {"action": step.action, "entry_id": subject_of(step)}
    match step:
        case Mutation(entry=entry):
            return {
                **columns,
                "track": entry.track,
                "scope": entry.scope,
                "workspace_key": entry.workspace_key,
                "agent_key": entry.agent_key,
                "source": entry.source,
            }
        case FactStep(after=fact):
            return {**columns, **home_columns(fact.home)}
        case PageStep(home=home):
            return {**columns, **home_columns(home)}
        case _:
            assert_never(step)


def home_columns(home: str) -> dict[str, Any]:
    """The columns of a ledger row that say where a fact or a page belongs: to no track and no agent."""
    return {"scope": _scope_of(home), "workspace_key": home, "agent_key": ""}


def _scope_of(home: str) -> Scope:
    return Scope.WORKSPACE if home else Scope.USER_GLOBAL


def _summary_columns(approved: Approved) -> dict[str, Any]:
    plan = approved.ask.plan
    entries = [step.entry for step in plan.mutations]
    homes = frozenset(entry.workspace_key for entry in entries) - {""}
    # The summary holds every text, so it is in view only where all of them may be.
    private = any(entry.agent_key for entry in entries)
    return {
        "action": "seed",
        "source": approved.ask.source,
        "workspace_key": min(homes, default=""),
        "homes": homes,
        "agent_key": plan.author.agent_key if private else "",
    }
