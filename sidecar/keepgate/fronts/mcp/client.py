"""The MCP client as the product sees it: its name, and the way back to it."""

from typing import Any, Final, TypeVar

from mcp.server.session import ServerSession

from keepgate.gate.approvers import ClientInfo
from keepgate.service.connection import PeerError

T = TypeVar("T")

UNNAMED: Final = "MCP client"


def client_info(session: ServerSession) -> ClientInfo:
    """The program behind a session; newer revisions may not say."""
    said = session.client_params
    if said is None:
        return ClientInfo(name=UNNAMED)
    return ClientInfo(name=said.client_info.name or UNNAMED, version=said.client_info.version or None)


class ClientPeer:
    """The way back to an MCP client: it has no words for what keepgate tells editors.

    ``session`` is the one that spoke first; on revisions without a way back its requests are refused.
    """

    def __init__(self, session: ServerSession) -> None:
        self.session = session

    def notify(self, method: str, params: Any) -> None:
        """Send nothing."""

    async def request(self, method: str, params: Any, result: type[T]) -> T:
        """Refuse."""
        raise PeerError("an MCP client cannot be asked this")
