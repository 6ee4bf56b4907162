"""Being told when another process writes the store's log."""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from keepgate.store.open import Store

_log: Final = logging.getLogger(__name__)


@frozen
class Watch:
    """A running watch; nothing is noticed once it has stopped."""

    tell: Callable[[], None]
    _observer: Any

    def stop(self) -> None:
        """End it and its threads."""
        self._observer.stop()
        self._observer.join()


async def start_watch(store: Store, noticed: Callable[[], None]) -> Watch | None:
    """Call ``noticed`` in the event loop whenever the log is written; ``None`` where that cannot be had."""
    if not store.wal:
        return None

    def tell() -> None:
        # The loop may be gone by the time that the system gives notice.
        with suppress(RuntimeError):
            store.loop.call_soon_threadsafe(noticed)

    try:
        # In a thread, because importing the observer takes longer than a frame of an editor.
        return await store.derived.run(lambda _: _observe(Path(store.path).resolve(), tell))
    except (OSError, ImportError) as error:
        # Such as a system that has no watches left.
        _log.info("changes of other processes are looked for every second: %s", error)
        return None


def _observe(path: Path, tell: Callable[[], None]) -> Watch:
    from watchdog.events import FileModifiedEvent, FileSystemEventHandler  # noqa: PLC0415 - only who watches pays
    from watchdog.observers import Observer  # noqa: PLC0415

    name = f"{os.sep}{path.name}-wal"

    class Heard(FileSystemEventHandler):
        def on_modified(self, event: Any) -> None:
            # Every page that is written to the log is an event.
            if event.src_path.endswith(name):
                tell()

    observer = Observer()
    observer.schedule(Heard(), str(path.parent), recursive=False, event_filter=[FileModifiedEvent])
    observer.start()
    return Watch(tell, observer)
