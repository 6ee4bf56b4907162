"""Work that takes a while and touches nothing shared: in a thread that never keeps the process alive.

Not asyncio's own threads: at the end of the loop and of the process those are waited for, also when what
runs in them, such as an installed adapter, never returns.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[..., T], *args: Any) -> T:
    """``work(*args)``, run in a daemon thread. Raises what it raises; cancelling leaves it running."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        settle: Callable[[Any], None]
        try:
            result: Any = work(*args)
            settle = future.set_result
        except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to the one who waits
            result, settle = error, future.set_exception

        def tell() -> None:
            if not future.done():
                settle(result)

        # The loop may be gone, and with it everybody who could have waited.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(tell)

    threading.Thread(target=run, name="keepgate-work", daemon=True).start()
    return await future
