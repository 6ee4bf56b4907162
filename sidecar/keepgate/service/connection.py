"""A connection: one client, its workspaces and sessions, and the way back to it."""

from typing import Any, Protocol, TypeVar

from attrs import define, field, frozen

from keepgate.gate.approvers import Asker
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.lifecycle import WorkspaceInfo
from keepgate.protocol.portability import AdapterInfo

T = TypeVar("T")


class Peer(Protocol):
    """The way back to a client. Fronts implement it; it never blocks."""

    def notify(self, method: str, params: Any) -> None:
        """Send a notification; ``params`` is an attrs type of ``protocol.ops.SERVER_MESSAGES``."""

    async def request(self, method: str, params: Any, result: type[T]) -> T:
        """Send a request and wait for its typed result.

        Raises :class:`PeerError` for an error answer, a malformed result or a lost connection.
        """


class PeerError(Exception):
    """The client did not answer a request as it should; ``number`` is its JSON-RPC error code, if any."""

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.number = number


class Progress(Protocol):
    """Where long work reports. Fronts implement it; calls are cheap and may be dropped."""

    def begin(self, title: str) -> None:
        """The work starts."""

    def report(self, done: int, total: int) -> None:
        """``done`` of ``total`` steps are through."""

    def end(self) -> None:
        """The work is over, in whatever way."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, title: str) -> None:
        """Say nothing."""

    def report(self, done: int, total: int) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


class NoPeer:
    """The way back to a client that has none, such as a command line."""

    def notify(self, method: str, params: Any) -> None:
        """Send nothing."""

    async def request(self, method: str, params: Any, result: type[T]) -> T:
        """Refuse."""
        raise PeerError("this client cannot be asked")


@frozen(kw_only=True)
class Workspace:
    """An open folder: ``path`` as it was given, ``key`` as memories carry it, ``rule`` how it was found."""

    path: str
    uri: str
    key: str
    rule: str

    def info(self) -> WorkspaceInfo:
        """The workspace as clients see it."""
        return WorkspaceInfo(uri=self.uri, key=self.key, rule=self.rule)


@define(kw_only=True, eq=False)
class Connection:
    """State of one client. ``may_decide`` is true only for clients that announced an approver.

    ``workspaces`` are its folders; several may share one key. ``session_keys`` are the workspaces of the
    sessions, by their ids, that spoke while no folder was open and were not closed since.
    ``remote`` callers (MCP) get no management view over all workspaces. ``language_model``: the client
    answers ``languageModel/complete``. ``reachable``: its person is asked about other processes' wishes, too.
    """

    asker: Asker
    peer: Peer
    workspaces: list[Workspace] = field(factory=list)
    remote: bool = False
    may_decide: bool = False
    reachable: bool = False
    language_model: bool = False
    identity: str = "path"
    sessions: dict[str, SessionRef] = field(factory=dict)
    default_session: SessionRef | None = None
    adapters: dict[str, AdapterInfo] = field(factory=dict)
    session_keys: dict[str, str] = field(factory=dict)

    @property
    def keys(self) -> frozenset[str]:
        """The workspaces in this connection's sight: its folders, or where none is open its sessions' own."""
        return frozenset(workspace.key for workspace in self.workspaces) or frozenset(
            self.session_keys.values()
        )
