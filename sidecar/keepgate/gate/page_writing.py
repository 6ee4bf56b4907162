"""Approved page writes on their way to their files: made in order, or given up with a row that says why.

A commit stores what is to be written; the file follows. Whoever comes by, the process that committed or
another that opens the store later, compares digests: a file that is as the write would leave it was written,
one that is as it was shown is written now, any other was changed by somebody else and is left alone.
"""

import errno
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.mutation import RELEASE
from keepgate.gate.receipt import Receipt
from keepgate.protocol.errors import Code, Fault, write_denied
from keepgate.protocol.proposals import Outcome
from keepgate.protocol.verbs import Visibility
from keepgate.store import page_writes
from keepgate.store.connection import Connection
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store
from keepgate.store.page_writes import ABANDONED, APPLIED, PENDING, PageWrite

_log: Final = logging.getLogger(__name__)

CHANGED: Final = "changed"
NO_ROOM: Final = "no-room"
NOT_WRITABLE: Final = "not-writable"
"""Why a page write was given up."""

TRIES: Final = 3
"""How often a folder that another process holds is waited for; in between, other writes have their turn."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class PageDisk(Protocol):
    """How the gate reaches page files; ``boot`` hands it in. Methods block, and are called in a thread."""

    def page_text(self, root: str, path: str) -> str | None:
        """The text of a page file; ``None``: there is none. Raises ``INVALID_INPUT`` for what is no page."""

    def page_visibility(self, text: str) -> Visibility:
        """Who may read a page with this text; private, too, where that cannot be told."""

    def page_texts(self, root: str) -> Iterator[tuple[str, str, str]]:
        """Slug, path and text of each page file of a root that can be read."""

    def digest(self, root: str, path: str) -> str | None:
        """SHA-256 of what is there; ``None``: no file. Raises ``OSError``, also for what is no page."""

    def put(self, root: str, path: str, content: str, *, digest_before: str | None, home: str) -> bool:
        """Write a file whole where ``digest_before`` is there; ``False`` where it is not. ``OSError``."""

    def remove(self, root: str, path: str, *, digest_before: str) -> bool:
        """Remove the file that has ``digest_before``; ``False`` where it is not there. ``OSError``."""

    def alone(self, root: str) -> AbstractContextManager[None]:
        """Keep other processes from writing below ``root``. Raises ``TimeoutError`` and ``OSError``."""


Written = Callable[[str, str, Sequence[str]], Awaitable[None]]
"""Told of a home, a root and paths below it whose files were written, so that the index sees them at once."""


class PageWriting:
    """Makes the writes that commits have left behind."""

    def __init__(self, writer: Writer, store: Store, disk: PageDisk, written: Written) -> None:
        self._writer: Final = writer
        self._store: Final = store
        self._disk: Final = disk
        self._written: Final = written

    @property
    def files(self) -> PageDisk:
        """The page files as they are on the disk."""
        return self._disk

    async def finish(self, receipt: Receipt) -> None:
        """Make the page writes of a commit, and say so when one could not be made; have what was released
        looked at again.

        Raises ``WRITE_DENIED`` (outcome ``cancelled``, reason ``changed``) where somebody changed the file
        between the commit and the writing, ``STORE_FULL`` and ``STORE_READ_ONLY`` where the disk did not take
        it, ``STORE_BUSY`` where it is still to be made: another process holds the folder.
        """
        roots = dict.fromkeys(step.root for step in receipt.pages if step.path)
        left: list[PageWrite] = []
        for _ in range(TRIES):
            for root in roots:
                await self.settle(root)
            found = [await self._store.reading.run(page_writes.by_seq, seq) for seq in receipt.seqs]
            left = [write for write in found if write is not None and write.state != APPLIED]
            if all(write.state != PENDING for write in left):
                break
        for write in left:
            raise await self._fault(write)
        for step in receipt.pages:
            if step.action == RELEASE:
                await self._written(step.home, step.root, [step.path])

    async def replay(self) -> None:
        """Make what a process that is gone has left behind. Raises the store's faults."""
        for root in await self._store.reading.run(page_writes.pending_roots):
            await self.settle(root)

    async def made(self, seqs: Sequence[int]) -> list[PageWrite]:
        """Of the writes with these ledger rows those whose files are written."""
        found = [await self._store.reading.run(page_writes.by_seq, seq) for seq in seqs]
        return [write for write in found if write is not None and write.state == APPLIED]

    async def settle(self, root: str) -> None:
        """Bring every write below a root to its end, in the order of their approval."""
        made = await self._writer.beside(lambda db: self._in_lane(db, root))
        for home in dict.fromkeys(write.home for write in made):
            await self._written(home, root, [write.path for write in made if write.home == home])

    def _in_lane(self, db: Connection, root: str) -> list[PageWrite]:
        made: list[PageWrite] = []
        try:
            with self._disk.alone(root):
                for write in page_writes.pending_below(db, root):
                    state, reason = self._made(write)
                    self._end(db, write, state, reason)
                    if state == APPLIED:
                        made.append(write)
        except OSError as error:
            # Nobody else may write meanwhile, so nothing is: it stays pending, and the answer says so.
            _log.warning("page writes wait: %s", type(error).__name__)
        return made

    def _made(self, write: PageWrite) -> tuple[str, str | None]:
        try:
            return (APPLIED, None) if self._make(write) else (ABANDONED, CHANGED)
        except OSError as error:
            _log.warning("a page could not be written: %s", error.strerror)
            return ABANDONED, NO_ROOM if error.errno in _FULL else NOT_WRITABLE

    def _make(self, write: PageWrite) -> bool:
        disk, root, path = self._disk, write.root, write.path
        if disk.digest(root, path) == write.digest_after:
            return True
        if write.content is not None:
            return disk.put(root, path, write.content, digest_before=write.digest_before, home=write.home)
        assert write.digest_before is not None, "a removal has a file before"
        return disk.remove(root, path, digest_before=write.digest_before)

    def _end(self, db: Connection, write: PageWrite, state: str, reason: str | None) -> None:
        def end(txn: Transaction) -> None:
            if txn.end_page_write(write.id, state) and reason is not None:
                txn.append(_given_up(write, reason, txn.stamp.now_ms))

        try:
            self._writer.within(db, end)
        except Exception as error:
            if state == ABANDONED:
                raise
            # The file is as it was approved; that it is will be noted by whoever comes by next.
            _log.warning("a written page could not be noted: %s", type(error).__name__)

    async def _fault(self, write: PageWrite) -> Fault:
        path = f"{write.root}/{write.path}"
        if write.state == PENDING:
            return Fault(
                Code.STORE_BUSY, f"the approved write of {write.slug} waits for its folder", {"path": path}
            )
        reason = await self._store.reading.run(page_writes.why_abandoned, write)
        if reason == NO_ROOM:
            return Fault(
                Code.STORE_FULL, f"the disk of {path} is full; the page was not written", {"path": path}
            )
        if reason == NOT_WRITABLE:
            return Fault(
                Code.STORE_READ_ONLY, f"{path} cannot be written", {"path": path}, suggestion=_FOLDER_ADVICE
            )
        return write_denied(Outcome.CANCELLED, None, reason=CHANGED, suggestion=_CHANGED_ADVICE)


_FOLDER_ADVICE: Final = "Give this user write permission on the page's folder, then ask again."
_CHANGED_ADVICE: Final = "Somebody changed the page's file after the answer; read it and ask again."


def _given_up(write: PageWrite, reason: str, now_ms: int) -> Row:
    return Row(
        ts=now_ms,
        action=page_writes.ABANDONED_ACTION,
        decision=Decision.NOTE,
        outcome=reason,
        workspace_key=write.home,
        scope="workspace" if write.home else "user-global",
        agent_key="",
        entry_id=f"page:{write.slug}",
        payload={"text": f"{write.path}: {reason}", "write": write.ledger_seq, "reason": reason},
    )
