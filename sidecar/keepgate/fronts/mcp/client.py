"""The MCP client as the product sees it: its name, and the way back to it."""

from typing import Any, Final, TypeVar

import anyio
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    SamplingMessage,
    TextContent,
)
from pydantic import ValidationError

from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.language_model import Completion, LanguageModelRequest
from keepgate.service.connection import PeerError

T = TypeVar("T")

UNNAMED: Final = "MCP client"


def client_info(session: ServerSession) -> ClientInfo:
    """The program behind a session; newer revisions may not say."""
    said = session.client_params
    if said is None:
        return ClientInfo(name=UNNAMED)
    return ClientInfo(name=said.client_info.name or UNNAMED, version=said.client_info.version or None)


def can_sample(session: ServerSession) -> bool:
    """Whether the client said that its language model can be asked, on a revision that has a way to ask."""
    said = session.client_capabilities
    return said is not None and said.sampling is not None and session.can_send_request


class ClientPeer:
    """The way back to an MCP client: of what keepgate asks editors it knows the language model alone.

    ``session`` is the one that spoke first; on revisions without a way back its requests are refused.
    """

    def __init__(self, session: ServerSession) -> None:
        self.session = session

    def notify(self, method: str, params: Any) -> None:
        """Send nothing."""

    async def request(self, method: str, params: Any, result: type[T]) -> T:
        """Have the client sample. Raises ``PeerError`` when it cannot, and for anything else."""
        if not isinstance(params, LanguageModelRequest) or result is not Completion:
            raise PeerError("an MCP client cannot be asked this")
        asked = CreateMessageRequestParams(
            messages=[
                SamplingMessage(
                    role="assistant" if message.role == "assistant" else "user",
                    content=TextContent(type="text", text=message.content),
                )
                for message in params.messages
            ],
            system_prompt=params.system,
            max_tokens=params.max_tokens,
        )
        try:
            said = await self.session.send_request(CreateMessageRequest(params=asked), CreateMessageResult)
        except (MCPError, ValidationError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise PeerError(type(error).__name__) from error
        if not isinstance(said.content, TextContent):
            raise PeerError("the client's model gave no text")
        completion = Completion(text=said.content.text, model=said.model)
        assert isinstance(completion, result)
        return completion
