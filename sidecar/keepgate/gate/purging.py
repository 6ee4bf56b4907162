"""Purging a text, with a person's leave: asked where the caller's own person is, never through the inbox.

The text is in no proposal, no question, no notification and no row: what is asked about are counts and files.
That a purge waits for nobody else follows: whoever decided it later would have to know the text.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Allowed, Decider, Denied, Verdict
from keepgate.core.writing.ledger import Decision, Row
from keepgate.gate.approvers import Asker, NobodyThere
from keepgate.gate.asking import decider, to_the_end
from keepgate.gate.policies import Rules
from keepgate.protocol.errors import Problem, invalid_input, write_denied
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, Caution, Outcome
from keepgate.protocol.settings import WritePolicy
from keepgate.store import purging, raw_search
from keepgate.store.appending import Appender
from keepgate.store.connection import Connection, Patience, connect
from keepgate.store.longwork import run_long
from keepgate.store.memory import Writer
from keepgate.store.open import Store
from keepgate.store.stopping import Cancelled, Progress, silent

UNITS_MIN: Final = 6
"""A shorter text stands in too much that is no secret."""
ACTION: Final = "purge"
FILES_SHOWN: Final = 20


@frozen(kw_only=True)
class Purged:
    """What became of a text.

    ``removed`` counts rows by table, ``backups`` are the copies that were looked at; ``held`` are files that
    still hold it, empty when ``clean``.
    """

    removed: Mapping[str, int]
    backups: tuple[str, ...]
    files_searched: int
    held: tuple[str, ...]
    clean: bool


class Purge:
    """Purges texts from one store."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def run(self, text: str, author: Author, asker: Asker, rules: Rules) -> Purged:
        """Ask, and take ``text`` out of everything of the store's.

        Raises ``INVALID_INPUT`` for a text that is too short, ``WRITE_DENIED`` when the answer is not yes.
        """
        if units(text) < UNITS_MIN or not text.strip():
            raise invalid_input(Problem("$.text", f"must have at least {UNITS_MIN} units"))
        forms = raw_search.forms_of(text)
        verdict = await self._decide(forms, author, asker, rules)
        if not isinstance(verdict, Allowed):
            outcome = verdict.outcome if isinstance(verdict, Denied) else Outcome.UNAVAILABLE
            await self._note_denied(author, verdict.by, outcome)
            raise write_denied(outcome, None)
        done, _ = await to_the_end(self._purge(text, forms, author, verdict))
        return done

    async def _decide(self, forms: tuple[str, ...], author: Author, asker: Asker, rules: Rules) -> Verdict:
        by = decider(asker, via=ACTION)
        if rules.settings.write_policy is WritePolicy.OFF:
            return Denied(by=by, outcome=Outcome.REJECTED)
        if asker.approver is None:
            return Denied(by=by, outcome=Outcome.UNAVAILABLE)
        seconds = rules.settings.approval_timeout_seconds
        question = await self._question(forms, author, seconds)
        try:
            async with asyncio.timeout(seconds), asker.turn:
                answer = await asker.approver.ask(question)
        except (NobodyThere, TimeoutError):
            return Denied(by=by, outcome=Outcome.UNAVAILABLE)
        return _verdict(answer, question, by)

    async def _question(
        self, forms: tuple[str, ...], author: Author, seconds: float
    ) -> ApprovalRequestParams:
        counts = await self._store.reading.run(purging.count, forms)
        copies = await asyncio.to_thread(purging.backups_of, self._store)
        stamp = self._store.stamp_maker()
        told = ", ".join(f"{number} of {table}" for table, number in counts.items()) or "no row"
        text = f"purge a text from every table, index, log and backup: {told}"
        shown = [
            *copies[:FILES_SHOWN],
            *([f"and {len(copies) - FILES_SHOWN} more"] if copies[FILES_SHOWN:] else []),
        ]
        warnings = [
            Caution(
                kind=ACTION, message=f"a text would be taken out for good: {told}; this cannot be undone"
            ),
            *(Caution(kind=ACTION, message=f"also from the copy {path}") for path in shown),
        ]
        return ApprovalRequestParams(
            id=stamp.new_id(),
            action=ACTION,
            track="batch",
            scope="batch",
            workspace_key=author.workspace_key,
            agent_key=author.agent_key,
            source=None,
            session_id=author.session_id,
            text=text,
            # Salted by chance: a hash of what is secret must tell nobody that guessed right.
            hash=hashlib.sha256("\0".join([secrets.token_hex(16), *forms, text]).encode()).hexdigest(),
            deadline=stamp.now_ms + int(seconds * 1000),
            warnings=warnings,
        )

    async def _note_denied(self, author: Author, by: Decider, outcome: Outcome) -> None:
        row = self._row(author, by, f"{ACTION}-denied", by.label(outcome), Decision.DENIED)
        await to_the_end(self._writer.run(lambda txn: txn.append(row)))

    def _row(self, author: Author, by: Decider, action: str, outcome: str, decision: Decision) -> Row:
        return Row(
            ts=self._store.stamp_maker().now_ms,
            action=action,
            decision=decision,
            outcome=outcome,
            workspace_key=author.workspace_key,
            agent_key=author.agent_key,
            session_id=author.session_id,
            by=by.by(),
            payload={"text": "a text that is not told"},
        )

    async def _purge(self, text: str, forms: tuple[str, ...], author: Author, allowed: Allowed) -> Purged:
        store, key = self._store, self._store.key()
        row = self._row(author, allowed.by, ACTION, allowed.by.label(Outcome.ALLOWED_ONCE), Decision.NOTE)

        def work(db: Connection, _tell: Progress, _cancelled: Cancelled) -> Purged:
            stamp = store.stamp_maker()
            removed = purging.purge(db, Appender(db, key, stamp, store.origin), forms, row)
            scrubbed = purging.scrub(db)
            copies = tuple(purging.backups_of(store))
            purged = [purging.purge_backup(path, key, stamp, store.origin, forms, row) for path in copies]
            found = raw_search.search_files(store, text, [*copies, *purging.page_files(db)])
            held = found.holding
            clean = scrubbed and all(purged) and not held
            store.announce()
            return Purged(removed=removed, backups=copies, files_searched=found.files, held=held, clean=clean)

        return await run_long(store, work, connect=self._connect, progress=silent)

    def _connect(self, patience: Patience) -> Connection:
        return connect(self._store.path, patience, synchronous="FULL")


def _verdict(answer: ApprovalAnswer, question: ApprovalRequestParams, by: Decider) -> Allowed | Denied:
    if answer.hash == question.hash and answer.outcome in ("allowed-once", "allowed-session"):
        return Allowed(by=by, hash=question.hash)
    rejected = answer.hash == question.hash and answer.outcome == "rejected"
    return Denied(by=by, outcome=Outcome.REJECTED if rejected else Outcome.CANCELLED)
