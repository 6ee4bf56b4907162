"""The compose port: where a language model is asked, whoever offers it (VERBS-synthesize).

None is configured by default. A client may offer its own over its connection; other providers implement the
same protocol.
"""

import asyncio
from typing import Final, Protocol

from keepgate.protocol.language_model import Completion, LanguageModelRequest
from keepgate.service.connection import Peer, PeerError

COMPOSE_SECONDS: Final = 180.0
"""So long a model may think; clients give up earlier or later."""


class ComposeError(Exception):
    """The model could not be asked, or did not answer. The text may quote the provider: it stays inside."""


class Composer(Protocol):
    """A language model."""

    async def complete(self, request: LanguageModelRequest) -> Completion:
        """Ask it. Raises :class:`ComposeError`."""


class PeerComposer:
    """The language model of the client at the other end of the connection."""

    def __init__(self, peer: Peer) -> None:
        self._peer: Final = peer

    async def complete(self, request: LanguageModelRequest) -> Completion:
        """Ask the client. Raises :class:`ComposeError`."""
        try:
            async with asyncio.timeout(COMPOSE_SECONDS):
                return await self._peer.request("languageModel/complete", request, Completion)
        except TimeoutError:
            raise ComposeError("timeout") from None
        except PeerError as error:
            raise ComposeError(str(error)) from error
