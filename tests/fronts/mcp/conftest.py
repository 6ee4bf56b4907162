"""A raw MCP client, line by line, which speaks any revision; and the SDK's own over the same process."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

MCP = (sys.executable, "-m", "keepgate", "mcp")
HANDSHAKE = "2025-06-18"
NEWEST = "2026-07-28"
CLIENT = {"name": "raw", "version": "1.2"}
Json = dict[str, Any]


class RawMcp:
    """One ``keepgate mcp`` process as a client of one revision sees it."""

    def __init__(self, server: Any, version: str = HANDSHAKE, capabilities: Json | None = None) -> None:
        self.server = server
        self.version = version
        self.capabilities = capabilities or {}

    def initialize(self) -> Json:
        """The handshake of the revisions that have one."""
        params = {
            "protocolVersion": self.version,
            "capabilities": self.capabilities,
            "clientInfo": CLIENT,
        }
        result: Json = self.server.result("initialize", params)
        self.server.notify("notifications/initialized")
        return result

    def stamped(self, params: Json) -> Json:
        """Params with the envelope that the newest revision wants in each request."""
        if self.version != NEWEST:
            return params
        prefix = "io.modelcontextprotocol/"
        envelope = {
            f"{prefix}protocolVersion": NEWEST,
            f"{prefix}clientInfo": CLIENT,
            f"{prefix}clientCapabilities": self.capabilities,
        }
        return {**params, "_meta": {**envelope, **params.get("_meta", {})}}

    def tools(self) -> list[str]:
        """The names that are listed."""
        return [tool["name"] for tool in self.definitions()]

    def definitions(self) -> list[Json]:
        """The tools that are listed."""
        found: list[Json] = self.server.result("tools/list", self.stamped({}))["tools"]
        return found

    def begin(self, name: str, arguments: Any = None, meta: Json | None = None) -> Any:
        """Send a call and return its id."""
        params: Json = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        if meta is not None:
            params["_meta"] = meta
        return self.server.begin("tools/call", self.stamped(params))

    def finish(self, number: Any) -> Json:
        """The whole result of a call."""
        answer = self.server.answer(number)
        assert "error" not in answer, answer
        result: Json = answer["result"]
        assert ["text"] == [block["type"] for block in result["content"]]
        return result

    def call(self, name: str, arguments: Any = None, meta: Json | None = None) -> Json:
        """What a call that succeeds answers."""
        result = self.finish(self.begin(name, arguments, meta))
        assert not result.get("isError"), result
        return document(result)

    def fail(self, name: str, arguments: Any = None, meta: Json | None = None) -> Json:
        """The error that a call answers."""
        result = self.finish(self.begin(name, arguments, meta))
        assert result.get("isError") is True, result
        return document(result)


def document(result: Json) -> Json:
    """The one JSON object of a result."""
    found: Json = json.loads(result["content"][0]["text"])
    return found


OpenMcp = Callable[..., RawMcp]


@pytest.fixture
def open_mcp(spawn: Any, home: Path, project: Path) -> OpenMcp:
    """Start servers in the project's folder; ``settings`` is the text of the user's file."""

    def start(
        *args: str,
        version: str = HANDSHAKE,
        capabilities: Json | None = None,
        settings: str = 'writePolicy = "auto"\n',
        cwd: Path | None = None,
        handshake: bool = True,
        **options: Any,
    ) -> RawMcp:
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(settings, encoding="utf-8")
        server = spawn(*args, command=MCP, framing="lines", cwd=cwd or project, **options)
        client = RawMcp(server, version, capabilities)
        if handshake and version != NEWEST:
            client.initialize()
        return client

    return start


@pytest.fixture
def mcp_command(home: Path, project: Path) -> Callable[..., Any]:
    """The same process as the SDK's client starts it."""
    from mcp.client.stdio import StdioServerParameters

    def parameters(*args: str, settings: str = 'writePolicy = "auto"\n') -> Any:
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(settings, encoding="utf-8")
        env = {**os.environ, "KEEPGATE_HOME": str(home)}
        return StdioServerParameters(command=MCP[0], args=[*MCP[1:], *args], env=env, cwd=project)

    return parameters
