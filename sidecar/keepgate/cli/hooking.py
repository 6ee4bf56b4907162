"""What harnesses send their hooks on stdin, what they expect on stdout, and an end that is never late."""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen

CLIENTS: Final = ("claude-code", "codex", "gemini", "cursor", "text")
STDIN_BYTES_MAX: Final = 1024 * 1024
STDIN_WAIT_S: Final = 0.5
"""So long the harness's JSON is waited for: some leave the pipe open and send nothing."""
SESSION_ID_MAX: Final = 256


@frozen(kw_only=True)
class HookCall:
    """What a harness says of itself: ``None`` where it says nothing. ``cwd`` is a path as it was sent."""

    client: str = "text"
    event: str = "SessionStart"
    session_id: str | None = None
    cwd: str | None = None
    source: str | None = None


def hook_call(sent: Mapping[str, Any], client: str | None) -> HookCall:
    """Read a harness's JSON; what it does not say as it should is taken for unsaid.

    ``client`` is given by the person; without it the shape of the JSON tells.
    """
    folders = sent.get("workspace_roots")
    first = folders[0] if isinstance(folders, list) and folders else None
    return HookCall(
        client=client or _client_of(sent),
        event=_text(sent.get("hook_event_name")) or "SessionStart",
        session_id=_session_id(sent.get("session_id")) or _session_id(sent.get("conversation_id")),
        cwd=_text(sent.get("cwd")) or _text(first),
        source=_text(sent.get("source")) or _text(sent.get("trigger")),
    )


def rendered(call: HookCall, text: str) -> str:
    """The text in the form in which the harness adds it to a model's context; empty for nothing."""
    if not text:
        return ""
    match call.client:
        case "claude-code" | "codex" | "gemini":
            output = {"hookEventName": call.event, "additionalContext": text}
            document: Any = {"hookSpecificOutput": output}
        case "cursor":
            document = {"additional_context": text}
        case _:
            return text + "\n"
    return json.dumps(document, ensure_ascii=False) + "\n"


def read_hook_json() -> Mapping[str, Any]:
    """The JSON object on stdin; an empty one at a terminal, and where none comes within the wait."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return {}
    reader = _Reader(sys.stdin.fileno())
    thread = threading.Thread(target=reader.read, daemon=True)
    thread.start()
    thread.join(STDIN_WAIT_S)
    return reader.found


class Deadline:
    """The end of the process after so many seconds, whatever still waits for a store by then."""

    def __init__(self, seconds: float, exit_code: int) -> None:
        self._end_s = time.monotonic() + seconds
        self._exit_code = exit_code
        self._writing = threading.Lock()
        self._over = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    @property
    def left_ms(self) -> float:
        """Milliseconds until then, and never less than one."""
        return max((self._end_s - time.monotonic()) * 1000, 1)

    def write(self, text: str) -> None:
        """Write all of the answer or, too late, nothing; afterwards nothing that is late is a failure."""
        with self._writing:
            self._exit_code = 0
            data = text.encode("utf-8", "backslashreplace")
            while data:
                data = data[os.write(sys.stdout.fileno(), data) :]

    def lift(self) -> None:
        """Let the process end by itself: nothing is left that could wait."""
        self._over.set()

    def _wait(self) -> None:
        if not self._over.wait(max(self._end_s - time.monotonic(), 0)):
            with self._writing:
                os._exit(self._exit_code)


class _Reader:
    """Reads until there is a JSON object, or the input ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.found: Mapping[str, Any] = {}

    def read(self) -> None:
        data = b""
        while len(data) < STDIN_BYTES_MAX:
            try:
                part = os.read(self._descriptor, 65536)
            except OSError:
                return
            data += part
            if self._take(data) or not part:
                return

    def _take(self, data: bytes) -> bool:
        try:
            decoded = json.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return False
        if isinstance(decoded, dict):
            self.found = decoded
        return True


def _client_of(sent: Mapping[str, Any]) -> str:
    if "conversation_id" in sent or "workspace_roots" in sent:
        return "cursor"
    # Claude Code's form, which Codex and Gemini share.
    return "claude-code" if "hook_event_name" in sent else "text"


def _text(value: Any) -> str | None:
    if not isinstance(value, str) or not value or "\x00" in value:
        return None
    return None if any("\ud800" <= char <= "\udfff" for char in value) else value


def _session_id(value: Any) -> str | None:
    text = _text(value)
    return text if text is not None and len(text) <= SESSION_ID_MAX else None
