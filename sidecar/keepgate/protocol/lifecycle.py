"""Sessions, capabilities and notifications."""

from typing import Annotated, Final

from attrs import frozen

from keepgate.protocol.entries import SessionRef

PROTOCOL_VERSION: Final = 1
CONTRACTS: Final = {"dsh-memory-protocol": 1, "MEMORY_VERBS": 1}
"""The contracts that every method of is served; a client may rely on them."""
FRAME_BYTES_MAX: Final = 16 * 1024 * 1024


@frozen(kw_only=True)
class SessionOpenParams:
    """Params of ``session/open``."""

    id: Annotated[str, "Session id, chosen by the caller; 1 to 256 characters."]
    agent_preset: str = ""
    cwd: Annotated[str | None, "Working directory; decides the workspace. Absent: the first folder."] = None
    default: Annotated[bool, "Use it for every request of this connection that carries none."] = False

    def ref(self) -> SessionRef:
        """The session as requests carry it."""
        return SessionRef(id=self.id, agent_preset=self.agent_preset, cwd=self.cwd)


@frozen(kw_only=True)
class SessionOpenResult:
    """Result of ``session/open``."""

    workspace_key: Annotated[str, "Empty when the session has no workspace."]
    rule: Annotated[str, "How the workspace was found: `cwd`, `folder`, `folder-containing-cwd`, `none`, ..."]
    agent_key: str


@frozen(kw_only=True)
class SessionCloseParams:
    """Params of ``session/close``."""

    id: str


@frozen(kw_only=True)
class SessionCloseResult:
    """Result of ``session/close``."""

    closed: Annotated[bool, "False when no such session was open."]


@frozen(kw_only=True)
class SessionActiveParams:
    """Params of ``session/active``: none."""


@frozen(kw_only=True)
class SessionActiveResult:
    """Result of ``session/active``."""

    reachable: Annotated[bool, "Whether other processes' questions can come to this client at all."]


@frozen(kw_only=True)
class WorkspaceInfo:
    """A workspace of the connection."""

    uri: str
    key: str
    rule: str


@frozen(kw_only=True)
class KeepgateCapabilities:
    """``capabilities.experimental.keepgate`` of the ``initialize`` result."""

    protocol_version: int
    contracts: dict[str, int]
    methods: list[str]
    framing: Annotated[str, "`lsp` or `lines`."]
    approval: Annotated[str, "`request`, `message` or `none`: how this client will be asked."]
    store_path: str
    workspaces: list[WorkspaceInfo]


@frozen(kw_only=True)
class MemoryEvent:
    """Params of ``memory/added``, ``/updated``, ``/removed``, ``/recalled`` and ``/snapshot``."""

    seq: Annotated[int, "The ledger row."]
    id: Annotated[str | None, "The entry; null for recalls and snapshots."]
    track: str | None
    scope: str | None
    session_id: str | None


@frozen(kw_only=True)
class FactsDidChange:
    """Params of the notification ``facts/didChange``; remote callers, who see no private facts, get none."""

    seq: Annotated[int, "The ledger row."]
    id: Annotated[str, "The fact, as `fact_id` of the verbs names it."]
    action: Annotated[
        str,
        "`remember`, `supersede`, `forget`, one of these with `undo-` before it, or `expire`: ttl ran out.",
    ]
    workspace_key: Annotated[str, "Its home: the workspace key, or empty for user-global."]
    session_id: str | None


@frozen(kw_only=True)
class PagesDidChange:
    """Params of the notification ``pages/didChange``: pages of a home or their problems changed."""

    workspace_key: Annotated[str, "The home: the workspace key, or empty for user-global."]


@frozen(kw_only=True)
class KeepgateStatus:
    """Params of the notification ``keepgate/status``."""

    health: Annotated[str, "`ok`, `warning` or `error`."]
    quiescent: bool
    message: str
    pending_approvals: int
