"""A provider over JSON-RPC with LSP framing and life cycle: ``keepgate serve``, or one like it."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from keepgate import __version__
from keepgate.conformance.replies import GARBAGE, Reply, TargetFailure, refusal_in
from keepgate.conformance.target import server_message_answer
from keepgate.conformance.targets.framing import cut_frames, frame
from keepgate.conformance.targets.naming import method_of, params_of, tools_of
from keepgate.conformance.targets.piped import Piped

ALLOW: Final = "allowed-once"
_TITLES: Final[Mapping[str, str]] = {ALLOW: "Allow once", "allowed-session": "Allow for this session",
                                     "rejected": "Reject"}  # fmt: skip


@define(kw_only=True)
class LspTarget:
    """A provider on pipes; to it the runner is an editor with a scripted person."""

    command: Sequence[str]
    folder: str
    env: Mapping[str, str] | None = None
    features: frozenset[str] = frozenset({"local", "approvals", "stdio"})
    _wire: Piped = field(init=False)
    _person: str | None = None
    _asked: list[dict[str, Any]] = field(factory=list)

    def start(self, limit_s: float) -> None:
        """Start the process and initialize it for one workspace folder."""
        self._wire = Piped(
            command=self.command,
            cut=cut_frames,
            pack=frame,
            env=self.env,
            cwd=self.folder,
            answer=self._answer,
        )
        self._wire.start()
        uri = Path(self.folder).as_uri()
        hello = self._wire.request(
            "initialize",
            {
                "processId": None,
                "clientInfo": {"name": "keepgate conformance", "version": __version__},
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": "conformance"}],
                "capabilities": {
                    "experimental": {"keepgate": {"approver": True, "approvalRequest": True}},
                    "window": {"showMessage": {"messageActionItem": {}}},
                },
            },
            limit_s,
        )
        result = hello.get("result")
        if not isinstance(result, dict):
            raise TargetFailure(GARBAGE, f"initialize was refused: {refusal_in(hello)}")
        self._wire.notify("initialized", {})
        self.features |= {f"tool:{name}" for name in tools_of(_methods(result))}

    def _answer(self, method: str, params: Any) -> Mapping[str, Any]:
        """Decide as the case's person does; silence of a person is an error to the server."""
        person = self._person or ALLOW
        if method not in ("approval/request", "window/showMessageRequest") or not isinstance(params, dict):
            return server_message_answer(method)
        self._asked.append({"method": method, **params})
        if person == "nobody":
            return {"error": {"code": -32601, "message": "nobody is there"}}
        if method == "approval/request":
            outcome, _, how = person.partition(":")
            answer = {"outcome": outcome, "hash": "0" * 64 if how == "stale" else params.get("hash")}
            return {"result": answer}
        title = _TITLES.get(person)
        return {"result": None if title is None else {"title": title}}

    def call(self, name: str, arguments: Any, *, limit_s: float, person: str | None) -> Reply:
        """Call an operation and read the contract's fault or envelope out of an error."""
        self._person, self._asked = person, []
        method = method_of(name)
        reply = self.request(method, params_of(method, arguments), limit_s=limit_s)
        self._person = None
        return reply

    def request(self, method: str, params: Any, *, limit_s: float) -> Reply:
        """Any request."""
        began = time.monotonic()
        message = self._wire.request(method, params, limit_s)
        took_ms = (time.monotonic() - began) * 1000
        if "error" not in message:
            plain: dict[str, Any] = {"rpcError": False, "latencyMs": took_ms}
            if method.startswith("verbs/") and isinstance(message["result"], dict):
                plain["meta"] = message["result"].pop("_meta", {})
            return Reply(ok=True, body=message["result"], about=plain, asked=self._asked)
        error = message["error"] if isinstance(message["error"], dict) else {}
        data = error["data"] if isinstance(error.get("data"), dict) else {}
        about: dict[str, Any] = {
            "rpcError": True,
            "number": error.get("code"),
            "code": data.get("error") or data.get("code"),
            "message": error.get("message"),
            "latencyMs": took_ms,
        }
        return Reply(ok=False, body=data or error, about=about, asked=self._asked)

    def send(self, raw: str) -> None:
        """Send a text as it is."""
        self._wire.send_raw(raw)

    def close(self) -> None:
        """End the process."""
        self._wire.close()


def _methods(result: Mapping[str, Any]) -> list[str] | None:
    """The methods that a server announces; ``None`` when it says nothing of them."""
    found: Any = result
    for name in ("capabilities", "experimental", "keepgate", "methods"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, list) else None
