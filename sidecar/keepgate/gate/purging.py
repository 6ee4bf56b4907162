"""Purging a text, with a person's leave: asked where the caller's own person is, never through the inbox.

The text is in no proposal, no question, no notification and no row: what is asked about are counts and files,
and of pages what would change in them, with a mark where the text is.
That a purge waits for nobody else follows: whoever decided it later would have to know the text.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from attrs import evolve, frozen

from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Allowed, Decider, Denied, Verdict
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.mutation import PageStep
from keepgate.gate.approvers import Asker, NobodyThere
from keepgate.gate.asking import decider, to_the_end
from keepgate.gate.page_writing import CHANGED, PageWriting
from keepgate.gate.policies import Rules
from keepgate.gate.purging_pages import PageRoot, commit, is_refused, shown, steps_of
from keepgate.gate.purging_told import ACTION, Told
from keepgate.protocol.errors import Fault, Problem, invalid_input, write_denied
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, Outcome
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
ASKS_MAX: Final = 4
"""How often a purge is asked about whose pages change while the person looks."""


@frozen(kw_only=True)
class Purged:
    """What became of a text.

    ``removed`` counts rows by table, ``backups`` are the copies that were looked at; ``held`` are files that
    still hold it, empty when ``clean``; ``rewritten`` are page files that hold it no more.
    """

    removed: Mapping[str, int]
    backups: tuple[str, ...]
    files_searched: int
    held: tuple[str, ...]
    clean: bool
    rewritten: tuple[str, ...] = ()


@frozen(kw_only=True)
class _Wanted:
    """What goes: the text, the forms that it may have, and the folders whose pages are rewritten."""

    text: str
    forms: tuple[str, ...]
    roots: tuple[PageRoot, ...]


class Purge:
    """Purges texts from one store."""

    def __init__(self, store: Store, writer: Writer, pages: PageWriting) -> None:
        self._store = store
        self._writer = writer
        self._pages = pages

    async def run(
        self, text: str, author: Author, asker: Asker, rules: Rules, roots: Sequence[PageRoot] = ()
    ) -> Purged:
        """Ask, and take ``text`` out of everything of the store's, and of the pages of these roots.

        Pages come first, so that nobody reads what the store has just forgotten from one of them again. A
        page that is changed while the person looks is asked about again; with all that is known then.

        Raises ``INVALID_INPUT`` for a text that is too short, ``WRITE_DENIED`` when the answer is not yes,
        and when pages change again and again.
        """
        if units(text) < UNITS_MIN or not text.strip():
            raise invalid_input(Problem("$.text", f"must have at least {UNITS_MIN} units"))
        wanted = _Wanted(text=text, forms=raw_search.forms_of(text), roots=tuple(roots))
        forms = wanted.forms
        for _ in range(ASKS_MAX):
            steps = await self._pages_holding(forms, roots)
            verdict = await self._decide(forms, author, asker, rules, steps)
            if not isinstance(verdict, Allowed):
                outcome = verdict.outcome if isinstance(verdict, Denied) else Outcome.UNAVAILABLE
                await self._note_denied(author, verdict.by, outcome)
                raise write_denied(outcome, None)
            done, cancelled = await to_the_end(self._allowed(wanted, author, verdict, steps))
            if done is not None:
                return done
            if cancelled:
                raise asyncio.CancelledError
        raise write_denied(Outcome.CANCELLED, None, reason=CHANGED)

    async def _pages_holding(self, forms: tuple[str, ...], roots: Sequence[PageRoot]) -> tuple[PageStep, ...]:
        for root in roots:
            await self._pages.settle(root.folder)
        return await asyncio.to_thread(steps_of, self._pages.files, roots, forms) if roots else ()

    async def _allowed(
        self, wanted: _Wanted, author: Author, verdict: Allowed, steps: tuple[PageStep, ...]
    ) -> Purged | None:
        rewritten: tuple[str, ...] = ()
        if steps:
            receipt = await self._writer.run(lambda txn: commit(txn, steps, author, verdict))
            if receipt is None:
                return None
            with suppress(Fault):
                # One that could not be written still holds the text, and is named among those that do.
                await self._pages.finish(receipt)
            rewritten = tuple(f"{made.root}/{made.path}" for made in await self._pages.made(receipt.seqs))
        return evolve(await self._purge(wanted, author, verdict), rewritten=rewritten)

    async def _decide(
        self,
        forms: tuple[str, ...],
        author: Author,
        asker: Asker,
        rules: Rules,
        steps: tuple[PageStep, ...],
    ) -> Verdict:
        by = decider(asker, via=ACTION)
        if rules.settings.write_policy is WritePolicy.OFF or is_refused(steps, author, rules):
            return Denied(by=by, outcome=Outcome.REJECTED)
        if asker.approver is None:
            return Denied(by=by, outcome=Outcome.UNAVAILABLE)
        seconds = rules.settings.approval_timeout_seconds
        question = await self._question(forms, author, seconds, steps)
        try:
            async with asyncio.timeout(seconds), asker.turn:
                answer = await asker.approver.ask(question)
        except (NobodyThere, TimeoutError):
            return Denied(by=by, outcome=Outcome.UNAVAILABLE)
        return _verdict(answer, question, by)

    async def _question(
        self, forms: tuple[str, ...], author: Author, seconds: float, steps: tuple[PageStep, ...]
    ) -> ApprovalRequestParams:
        told = Told(
            counts=await self._store.reading.run(purging.count, forms),
            copies=await asyncio.to_thread(purging.backups_of, self._store),
            pages=shown(steps, forms),
        )
        stamp, text = self._store.stamp_maker(), told.text()
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
            warnings=told.warnings(),
            pages=told.pages,
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

    async def _purge(self, wanted: _Wanted, author: Author, allowed: Allowed) -> Purged:
        store, key, forms = self._store, self._store.key(), wanted.forms
        folders = [root.folder for root in wanted.roots]
        row = self._row(author, allowed.by, ACTION, allowed.by.label(Outcome.ALLOWED_ONCE), Decision.NOTE)

        def work(db: Connection, _tell: Progress, _cancelled: Cancelled) -> Purged:
            stamp = store.stamp_maker()
            removed = purging.purge(db, Appender(db, key, stamp, store.origin), forms, row)
            scrubbed = purging.scrub(db)
            copies = tuple(purging.backups_of(store))
            purged = [purging.purge_backup(path, key, stamp, store.origin, forms, row) for path in copies]
            found = raw_search.search_files(store, wanted.text, [*copies, *purging.page_files(db, folders)])
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
