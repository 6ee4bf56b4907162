"""Being told of changes below roots by the system: one observer for all of them, made when first needed."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from attrs import frozen

JOIN_S: Final = 2.0

Changed = Callable[[str], None]
"""Called in the event loop with the absolute path of what changed: a file or a folder."""

_log: Final = logging.getLogger(__name__)


@frozen(eq=False)
class Watched:
    """A watch of one root; ``handle`` is watchdog's own."""

    folder: str
    handle: Any


class Watcher:
    """Watches folders with everything in them. Its methods block and are called outside of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._observer: Any = None
        self._lock: Final = threading.Lock()
        self._closed = False

    def watch(self, folder: str, changed: Changed) -> Watched | None:
        """Watch a folder; ``None`` where there is none, or the system has no watches left."""
        try:
            with self._lock:
                if self._closed:
                    return None
                if self._observer is None:
                    self._observer = _started()
                handler, events = _handler(self._loop, changed)
                handle = self._observer.schedule(handler, folder, recursive=True, event_filter=events)
        except (OSError, RuntimeError) as error:
            _log.info("pages are looked for now and then only: %s", error)
            return None
        return Watched(folder, handle)

    def unwatch(self, watched: Watched) -> None:
        """End a watch."""
        with self._lock, suppress(KeyError, OSError, RuntimeError):
            if self._observer is not None:
                self._observer.unschedule(watched.handle)

    def close(self) -> None:
        """End every watch and its threads."""
        with self._lock:
            self._closed = True
            observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join(JOIN_S)


def _started() -> Any:
    from watchdog.observers import Observer  # noqa: PLC0415 - only who watches pays for it

    observer = Observer()
    observer.daemon = True
    observer.start()
    return observer


def _handler(loop: asyncio.AbstractEventLoop, changed: Changed) -> tuple[Any, list[Any]]:
    from watchdog import events  # noqa: PLC0415

    def tell(path: str | bytes) -> None:
        # The loop may be gone by the time that the system gives notice.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(changed, os.fsdecode(path))

    class Heard(events.FileSystemEventHandler):
        def on_any_event(self, event: Any) -> None:
            # Of a folder that says that it was modified, its files say more.
            if not (event.is_directory and event.event_type == events.EVENT_TYPE_MODIFIED):
                tell(event.src_path)
                if event.event_type == events.EVENT_TYPE_MOVED:
                    tell(event.dest_path)

    return Heard(), [
        events.FileCreatedEvent,
        events.FileModifiedEvent,
        events.FileDeletedEvent,
        events.FileMovedEvent,
        events.DirCreatedEvent,
        events.DirDeletedEvent,
        events.DirMovedEvent,
    ]
