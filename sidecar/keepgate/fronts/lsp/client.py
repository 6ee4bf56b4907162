"""The client at the other end: the way back to it, and what it said it can do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import frozen
from lsprotocol import types

from keepgate.fronts.lsp.approver import MessageApprover, RequestApprover
from keepgate.fronts.lsp.params import member
from keepgate.fronts.lsp.protocol import KeepgateProtocol
from keepgate.gate.approvers import Approver, ClientInfo
from keepgate.protocol.errors import Fault
from keepgate.protocol.settings import ClientAnnouncement
from keepgate.protocol.wire import structure
from keepgate.service.connection import Connection, PeerError
from keepgate.service.sidecar import Sidecar

T = TypeVar("T")

UNKNOWN: Final = "unknown client"


class ClientPeer:
    """The way back to the client. Implements :class:`keepgate.service.connection.Peer`.

    ``on_notified`` is called after each notification, with what was sent.
    """

    def __init__(self, protocol: KeepgateProtocol, on_notified: Callable[[str, Any], None]) -> None:
        self._protocol = protocol
        self._on_notified = on_notified

    def notify(self, method: str, params: Any) -> None:
        """Send a notification, once the client has the answer to ``initialize``."""
        if self._protocol.is_open:
            self._protocol.notify(method, params)
            self._on_notified(method, params)

    async def request(self, method: str, params: Any, result: type[T]) -> T:
        """Send a request and wait for its typed result. Raises :class:`PeerError`."""
        raw = await self._protocol.ask(method, params)
        try:
            return structure(raw, result)
        except Fault as fault:
            raise PeerError(f"the client's answer to {method} is malformed: {fault.message}") from None


@frozen(kw_only=True)
class Announced:
    """What the client announced, in ``capabilities.experimental.keepgate`` or in its options.

    Anything but ``true`` there is no announcement: an unknown form means the lowest common feature set.
    """

    approver: bool
    approval_request: bool
    language_model: bool
    shows_messages: bool = False

    @property
    def reachable(self) -> bool:
        """Whether its person is asked about other processes' wishes: it said that it can show a question."""
        return self.may_decide or self.shows_messages

    def apply_to(self, sidecar: Sidecar, connection: Connection) -> None:
        """Have the connection count on what the client can do."""
        connection.language_model = self.language_model
        if self.reachable:
            sidecar.make_reachable(connection, acknowledges=self.approval_request)

    @property
    def may_decide(self) -> bool:
        """Whether it may answer proposals on its own; putting structured questions implies it."""
        return self.approver or self.approval_request

    @property
    def approval(self) -> str:
        """How it will be asked: a client that puts no structured questions gets a message."""
        return "request" if self.approval_request else "message"

    def way_to_ask(self, protocol: KeepgateProtocol, folder: Path) -> Approver:
        """The approver; ``folder`` is where changes are written for ``Show change``."""
        return RequestApprover(protocol) if self.approval_request else MessageApprover(protocol, folder)


def announced(params: types.InitializeParams, options: ClientAnnouncement) -> Announced:
    """The announcements of both places together."""
    said = member(params.capabilities.experimental, "keepgate")
    window = params.capabilities.window
    return Announced(
        approver=options.approver or member(said, "approver") is True,
        approval_request=options.approval_request or member(said, "approvalRequest") is True,
        language_model=options.language_model or member(said, "languageModel") is True,
        shows_messages=window is not None and window.show_message is not None,
    )


def client_info(params: types.InitializeParams) -> ClientInfo:
    """The client's name and version as ledger rows will have them."""
    given = params.client_info
    return ClientInfo(name=(given and given.name) or UNKNOWN, version=given.version if given else None)


def folders_of(params: types.InitializeParams) -> list[str]:
    """The open folders, as URIs or paths: the list, else the root URI, else the root path, else none."""
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    root = params.root_uri or params.root_path
    return [root] if root else []
