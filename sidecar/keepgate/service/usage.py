"""The usage log: one JSON line per verb call, on this machine alone, statistics and never text.

Each line: ``ts`` (ISO), ``verb``, ``channel``, ``remote``, ``ok``, ``latency_ms``, and where they apply
``error`` (the code), ``budget_dropped`` and ``entity_found``. A log that cannot be written loses lines; it
never fails a call, and costs it one write.
"""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from attrs import Factory, define, field, frozen

from keepgate.core.model.times import iso
from keepgate.protocol.errors import Fault
from keepgate.service.appending import AppendedFile
from keepgate.service.connection import Connection

ROTATE_BYTES: Final = 10 * 1024 * 1024
CANCELLED: Final = "cancelled"
"""The error of a call that its caller gave up."""
_LOG: Final = "memory-verbs.jsonl"
_STAMP: Final = "installed-at"


@define
class Noted:
    """What is known of a call when it ends; the caller puts its result here."""

    result: Any = None


@frozen(kw_only=True)
class UsageLog:
    """The log below a state folder. ``now_ms`` tells the time of day; ``on`` is the setting."""

    state_folder: str
    now_ms: Callable[[], int]
    on: bool = True
    _file: AppendedFile = field(
        init=False, default=Factory(lambda log: AppendedFile(log.path), takes_self=True)
    )

    @property
    def path(self) -> Path:
        """The log's file; what was before its last rotation is beside it with ``.1`` at the end."""
        return usage_folder(self.state_folder) / _LOG

    @contextlib.contextmanager
    def noting(self, verb: str, connection: Connection) -> Iterator[Noted]:
        """Write a line when the block ends, in whatever way it ends."""
        noted, began, error = Noted(), time.perf_counter(), "internal"
        try:
            yield noted
            error = ""
        except Fault as fault:
            error = str(fault.code)
            raise
        except asyncio.CancelledError:
            error = CANCELLED
            raise
        finally:
            if self.on:
                took_ms = (time.perf_counter() - began) * 1000
                self._write(
                    {
                        "ts": iso(self.now_ms()),
                        "verb": verb,
                        "channel": connection.asker.channel,
                        "remote": connection.remote,
                        "ok": not error,
                        **({"error": error} if error else {}),
                        "latency_ms": round(took_ms, 2),
                        **_told_by(verb, noted.result),
                    }
                )

    def stamp_installed(self) -> None:
        """Note once when keepgate was first used here; a later call changes nothing."""
        if not self.on:
            return
        with contextlib.suppress(OSError):
            folder = self.path.parent
            if not (folder / _STAMP).exists():
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                descriptor = os.open(folder / _STAMP, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    file.write(f"{iso(self.now_ms())}\n")

    def _write(self, line: dict[str, Any]) -> None:
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        with contextlib.suppress(OSError):
            self._file.append(data, ROTATE_BYTES)

    def close(self) -> None:
        """Let the file go; a call that still ends is written all the same."""
        self._file.close()


def _told_by(verb: str, result: Any) -> dict[str, Any]:
    """The two things that an answer says of itself."""
    if not isinstance(result, dict):
        return {}
    found: dict[str, Any] = {}
    if "dropped_count" in result:
        found["budget_dropped"] = result["dropped_count"]
    if verb == "entity" and "found" in result:
        found["entity_found"] = result["found"]
    return found


def usage_folder(state_folder: str) -> Path:
    """Where the log and the stamp are."""
    return Path(state_folder) / "usage"


def read_lines(state_folder: str) -> Iterator[dict[str, Any]]:
    """Every readable line, oldest first; lines that are none are passed over. Raises ``OSError``."""
    for name in (f"{_LOG}.1", _LOG):
        file = usage_folder(state_folder) / name
        try:
            lines = file.read_bytes().splitlines()
        except FileNotFoundError:
            continue
        for raw in lines:
            with contextlib.suppress(ValueError):
                line = json.loads(raw)
                if isinstance(line, dict) and isinstance(line.get("verb"), str):
                    yield line


def installed_at(state_folder: str) -> str | None:
    """The stamp of the first use, or ``None``."""
    try:
        return (usage_folder(state_folder) / _STAMP).read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None
