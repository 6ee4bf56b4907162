"""From what a person names as the target to the way to reach it."""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from keepgate.conformance.target import Target
from keepgate.conformance.targets.framing import cut_lines, line
from keepgate.conformance.targets.http import HttpWire
from keepgate.conformance.targets.lsp import LspTarget
from keepgate.conformance.targets.mcp import McpTarget
from keepgate.conformance.targets.piped import Piped

OWN: Final = ("mcp", "lsp", "in-process")
"""Our own server by the way it is spoken to."""

_FOREIGN_NOTE: Final = (
    "This writes facts, pages or memories to the target. They are synthetic, carry the marker {marker}, and "
    "are not removed afterwards."
)


class BadTarget(Exception):
    """The words of a person name no target."""


@define(kw_only=True)
class OwnEndpoint:
    """Our own product over one of its faces, with a temporary home and two workspaces in it."""

    face: str
    contract: str
    label: str = field(init=False)
    note: str = ""
    features: frozenset[str] = frozenset(
        {"own", "fresh", "restart", "synthesize", "as:elsewhere", "as:local", "as:again"}
    )
    _root: Path = field(factory=lambda: Path(tempfile.mkdtemp(prefix="keepgate-conformance-")))

    def __attrs_post_init__(self) -> None:
        self.label = {"mcp": "keepgate mcp", "lsp": "keepgate serve", "in-process": "keepgate, in process"}[
            self.face
        ]
        policy = "auto" if self.contract == "verbs" else "ask"
        home = self._root / "home"
        for folder in (home, self._root / "project", self._root / "elsewhere" / "project"):
            folder.mkdir(parents=True)
        (home / "config.toml").write_text(
            f'writePolicy = "{policy}"\napprovalTimeoutSeconds = 5\n', encoding="utf-8"
        )
        if self.face != "in-process":
            self.features |= {"stdio"}

    def connect(self, role: str) -> Target:
        """A connection in the workspace, or in another one of the same folder name."""
        home = str(self._root / "home")
        place = self._root / "elsewhere" if role == "elsewhere" else self._root
        folder = str(place / "project")
        face = "in-process" if role == "local" and self.face == "mcp" else self.face
        if face == "in-process":
            # Whoever certifies another server does not pay for loading ours.
            from keepgate.conformance.targets.inside import InsideTarget  # noqa: PLC0415

            remote = self.contract == "verbs" and role != "local"
            return InsideTarget(home=home, folder=folder, remote=remote)
        env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("KEEPGATE_")},
            "KEEPGATE_HOME": home,
            "PYTHONIOENCODING": "utf-8",
        }
        ours = [sys.executable, "-m", "keepgate"]
        if face == "lsp":
            return LspTarget(command=[*ours, "serve"], folder=folder, env=env)
        wire = Piped(command=[*ours, "mcp"], cut=cut_lines, pack=line, env=env, cwd=folder)
        return McpTarget(wire=wire, features=frozenset({"remote", "mcp", "stdio"}))

    def close(self) -> None:
        """Remove the temporary home."""
        shutil.rmtree(self._root, ignore_errors=True)


@define(kw_only=True)
class CommandEndpoint:
    """A server that a command starts, speaking MCP on lines or JSON-RPC with LSP framing."""

    command: Sequence[str]
    wire: str
    label: str = field(init=False)
    note: str = _FOREIGN_NOTE
    features: frozenset[str] = frozenset({"restart", "stdio", "as:again"})
    _folder: Path = field(factory=lambda: Path(tempfile.mkdtemp(prefix="keepgate-conformance-")))

    def __attrs_post_init__(self) -> None:
        self.label = shlex.join(self.command)

    def connect(self, role: str) -> Target:
        """Start the command; ``again`` is one more process of it."""
        if self.wire == "lsp":
            return LspTarget(command=self.command, folder=str(self._folder.resolve()))
        piped = Piped(command=self.command, cut=cut_lines, pack=line)
        return McpTarget(wire=piped, features=frozenset({"remote", "mcp", "stdio"}))

    def close(self) -> None:
        """Remove the folder that was its workspace."""
        shutil.rmtree(self._folder, ignore_errors=True)


@define(kw_only=True)
class UrlEndpoint:
    """A server behind an address."""

    url: str
    token: str | None
    limit_s: float
    note: str = _FOREIGN_NOTE
    features: frozenset[str] = frozenset({"as:again"})

    @property
    def label(self) -> str:
        """The address; never the token."""
        return self.url

    def connect(self, role: str) -> Target:
        """A session of its own."""
        return McpTarget(wire=HttpWire(url=self.url, token=self.token, limit_s=self.limit_s))

    def close(self) -> None:
        """There is nothing to remove."""


def endpoint_of(target: str | None, *, contract: str, token: str | None, limit_s: float) -> Any:
    """The endpoint that a person means. Raises :class:`BadTarget`.

    ``mcp``, ``lsp`` and ``in-process`` are our own faces; ``http(s)://...`` is an address; anything else is
    a command, after ``mcp:`` or ``lsp:`` where its wire is not the contract's usual one.
    """
    usual = "mcp" if contract == "verbs" else "lsp"
    named = target or usual
    if named in OWN:
        if named == "mcp" and contract == "dsh":
            raise BadTarget("dsh-memory-protocol is not spoken over MCP")
        return OwnEndpoint(face=named, contract=contract)
    if named.startswith(("http://", "https://")):
        if contract == "dsh":
            raise BadTarget("dsh-memory-protocol is certified over a process's pipes, not over HTTP")
        return UrlEndpoint(url=named, token=token, limit_s=limit_s)
    prefix, _, rest = named.partition(":")
    wire, words = (prefix, rest) if prefix in ("mcp", "lsp") else (usual, named)
    try:
        command = shlex.split(words, posix=os.name != "nt")
    except ValueError as error:
        raise BadTarget(f"the command cannot be read: {error}") from error
    if not command:
        raise BadTarget("the target is empty")
    return CommandEndpoint(command=command, wire=wire)
