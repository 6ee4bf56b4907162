"""Lanes: one daemon thread and one connection each. Work is a plain function: no ``await`` sits inside."""

import asyncio
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, Generic, TypeVar

import apsw
from attrs import define

from keepgate.store import faults
from keepgate.store.connection import WAIT_MS, Patience

T = TypeVar("T")

Connect = Callable[[Patience], apsw.Connection]
"""Opens a lane's connection, in the lane's thread, with the patience that the lane gives it."""


@define(eq=False)
class _Job(Generic[T]):
    work: Callable[[apsw.Connection], T]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[T]"


class Lane:
    """Runs functions one after the other on one connection, in a thread that never keeps the process alive.

    The thread and the connection begin with the first job. ``writing`` is the lock that all writing lanes of
    a store share, so that they queue up instead of napping for one another.
    """

    def __init__(
        self, name: str, path: str, connect: Connect, *, writing: "threading.Lock | None" = None
    ) -> None:
        self.name: Final = name
        self.path: Final = path
        self._connect = connect
        self._writing = writing or threading.Lock()
        self._patience: Final = Patience()
        self._jobs: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._db: apsw.Connection | None = None

    async def run(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run ``work`` in the lane's thread and return what it returns.

        SQLite's errors arrive as faults. When the waiting task is cancelled, a job that has not begun is
        dropped and one that has begun ends as if nothing had happened.
        """
        return await self.submit(work)

    def submit(self, work: Callable[[apsw.Connection], T]) -> "asyncio.Future[T]":
        """Queue ``work`` without waiting for it."""
        if self._closed:
            raise RuntimeError(f"the {self.name} lane is closed")
        loop = asyncio.get_running_loop()
        job = _Job(work, loop, loop.create_future())
        self._jobs.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=f"keepgate-{self.name}", daemon=True)
            self._thread.start()
        return job.future

    async def write(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run ``work`` in one immediate transaction: all of it is stored, or, if it raises, nothing."""
        return await self.run(lambda db: self.transact(db, work))

    def transact(self, db: apsw.Connection, work: Callable[[apsw.Connection], T]) -> T:
        """Run ``work`` in one immediate transaction; for jobs that already run in the lane's thread.

        Raises ``STORE_BUSY`` when the write lock cannot be had for five seconds.
        """
        asked = time.monotonic()
        got = self._writing.acquire(timeout=WAIT_MS / 1000)
        waited_ms = round((time.monotonic() - asked) * 1000)
        if not got:
            raise faults.busy(waited_ms)
        self._patience.already_ms = waited_ms
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                result = work(db)
                db.execute("COMMIT")
            except BaseException:
                # SQLite itself ends a transaction that a full disk has torn.
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            return result
        finally:
            # What the lane does next without this lock has all of its patience.
            self._patience.already_ms = 0
            self._writing.release()

    @property
    def waiting(self) -> int:
        """How many jobs have not begun."""
        return self._jobs.qsize()

    def hurry(self) -> None:
        """Wait for no lock any more: the store is about to be closed."""
        self._patience.give_up()

    async def close(self) -> None:
        """End the thread after the jobs it has; waits for locks are cut short. May be called twice."""
        self._closed = True
        self.hurry()
        if self._thread is None:
            return
        self._jobs.put(None)
        # A blocking join would stop the loop, and waiters of other lanes with it.
        while self._thread.is_alive():  # noqa: ASYNC110 - the end of a thread sets no event
            await asyncio.sleep(0.001)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            if not job.future.cancelled():
                self._do(job)
            del job
        if self._db is not None:
            self._db.close()

    def _do(self, job: _Job[Any]) -> None:
        try:
            if self._db is None:
                self._db = self._connect(self._patience)
            result = job.work(self._db)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to the one who waits
            _tell(job, _refuse, self._shown(error))
        else:
            _tell(job, _answer, result)

    def _shown(self, error: BaseException) -> BaseException:
        if not isinstance(error, apsw.Error):
            return error
        fault = faults.fault_of(error, self.path, self._patience.waited_ms)
        if fault is None:
            return error
        fault.__cause__ = error
        return fault


def _tell(job: _Job[Any], settle: Callable[["asyncio.Future[Any]", Any], None], value: Any) -> None:
    try:
        job.loop.call_soon_threadsafe(settle, job.future, value)
    except RuntimeError:
        # The loop is gone, and with it everybody who could have waited.
        return


def _answer(future: "asyncio.Future[Any]", value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _refuse(future: "asyncio.Future[Any]", error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
