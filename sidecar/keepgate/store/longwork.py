"""Work that takes seconds: on a lane of its own, with progress, and stopped when its caller is cancelled."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import apsw

from keepgate.store.lane import Connect, Lane
from keepgate.store.open import Store
from keepgate.store.stopping import Cancelled, Progress

T = TypeVar("T")


async def run_long(
    store: Store,
    work: Callable[[apsw.Connection, Progress, Cancelled], T],
    *,
    connect: Connect,
    progress: Progress,
) -> T:
    """Run ``work`` on a connection of its own; ``progress`` is called in the event loop.

    When the caller is cancelled, ``work`` is told so and has ended when this returns.
    """
    stop = threading.Event()

    def tell(done: int, total: int) -> None:
        with suppress(RuntimeError):
            store.loop.call_soon_threadsafe(progress, done, total)

    lane = Lane("long", store.path, connect)
    try:
        return await lane.run(lambda db: work(db, tell, stop.is_set))
    finally:
        stop.set()
        await lane.close()
