"""MCP: the verbs as tools, over pipes or HTTP; the conversation is the same."""

import json
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from attrs import define

from keepgate import __version__
from keepgate.conformance.replies import GARBAGE, Reply, TargetFailure, refusal_in

REVISION: Final = "2025-06-18"


class Wire(Protocol):
    """How MCP messages travel."""

    def start(self) -> None:
        """Open it."""

    def request(self, method: str, params: Any, limit_s: float) -> dict[str, Any]:
        """The response to a request."""

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""

    def send_raw(self, raw: str) -> None:
        """Send a text that may be no message."""

    def close(self) -> None:
        """Close it."""


@define(kw_only=True)
class McpTarget:
    """A server of MCP tools; to it the runner is a remote caller."""

    wire: Wire
    features: frozenset[str] = frozenset({"remote", "mcp"})

    def start(self, limit_s: float) -> None:
        """Shake hands and list the tools."""
        self.wire.start()
        hello = self.wire.request(
            "initialize",
            {
                "protocolVersion": REVISION,
                "capabilities": {},
                "clientInfo": {"name": "keepgate conformance", "version": __version__},
            },
            limit_s,
        )
        if not isinstance(hello.get("result"), dict):
            raise TargetFailure(GARBAGE, f"initialize was refused: {refusal_in(hello)}")
        self.wire.notify("notifications/initialized", {})
        self.features |= {f"tool:{name}" for name in self._tools(limit_s)}

    def _tools(self, limit_s: float) -> list[str]:
        found: list[str] = []
        cursor: Any = None
        for _ in range(100):
            page = self.wire.request("tools/list", {} if cursor is None else {"cursor": cursor}, limit_s)
            result = page.get("result")
            tools = result.get("tools") if isinstance(result, dict) else None
            if not isinstance(tools, list):
                raise TargetFailure(GARBAGE, f"tools/list gave no tools: {page!r:.200}")
            found += [str(tool["name"]) for tool in tools if isinstance(tool, dict) and "name" in tool]
            cursor = result.get("nextCursor") if isinstance(result, dict) else None
            if cursor is None:
                return found
        raise TargetFailure(GARBAGE, "tools/list never ends")

    def call(self, name: str, arguments: Any, *, limit_s: float, person: str | None) -> Reply:
        """Call a tool; the first text block is its answer."""
        return self._timed(
            lambda: self.wire.request("tools/call", {"name": name, "arguments": arguments}, limit_s), read
        )

    def request(self, method: str, params: Any, *, limit_s: float) -> Reply:
        """Any request of MCP."""
        return self._timed(lambda: self.wire.request(method, params, limit_s), read_plain)

    def _timed(self, work: Callable[[], dict[str, Any]], read_as: Callable[[Any], Reply]) -> Reply:
        began = time.monotonic()
        reply = read_as(work())
        reply.about["latencyMs"] = (time.monotonic() - began) * 1000
        return reply

    def send(self, raw: str) -> None:
        """Send a text as it is."""
        self.wire.send_raw(raw)

    def close(self) -> None:
        """Let the server go."""
        self.wire.close()


def read_plain(message: dict[str, Any]) -> Reply:
    """A JSON-RPC response as it is."""
    if "error" in message:
        error = message["error"]
        number = error.get("code") if isinstance(error, dict) else None
        return Reply(ok=False, body=error, about={"rpcError": True, "number": number, "code": number})
    return Reply(ok=True, body=message["result"], about={"rpcError": False})


def read(message: dict[str, Any]) -> Reply:
    """The envelope in a tool's answer. Raises ``TargetFailure`` when there is none."""
    if "error" in message:
        return read_plain(message)
    result = message["result"]
    blocks = result.get("content") if isinstance(result, dict) else None
    if not isinstance(blocks, list):
        raise TargetFailure(GARBAGE, f"a tool's answer has no content: {result!r:.200}")
    texts = [
        block.get("text", "") for block in blocks if isinstance(block, dict) and block.get("type") == "text"
    ]
    if not texts:
        raise TargetFailure(GARBAGE, "a tool's answer has no text block")
    try:
        body = json.loads(str(texts[0]))
    except (ValueError, RecursionError):
        raise TargetFailure(GARBAGE, f"a tool's text is no JSON: {texts[0]!r:.200}") from None
    failed = bool(result.get("isError"))
    about = {
        "rpcError": False,
        "blocks": len(blocks),
        "isError": failed,
        "structured": "structuredContent" in result,
        "meta": result.get("_meta") or {},
        "code": body.get("error") if failed and isinstance(body, dict) else None,
    }
    return Reply(ok=not failed, body=body, about=about)
