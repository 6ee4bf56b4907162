"""Asking the person at the editor, in the two ways an editor may offer (docs/protocol.md)."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Final

from lsprotocol import types

from keepgate.fronts.lsp.documents import change_document
from keepgate.fronts.lsp.params import member
from keepgate.fronts.lsp.protocol import KeepgateProtocol
from keepgate.fronts.stdio.question import message_of
from keepgate.gate.approvers import NobodyThere
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.wire import structure
from keepgate.service.connection import PeerError

ALLOW_ONCE: Final = "Allow once"
ALLOW_SESSION: Final = "Allow for this session"
SHOW_CHANGE: Final = "Show change"
REJECT: Final = "Reject"
ACTIONS: Final = (ALLOW_ONCE, ALLOW_SESSION, SHOW_CHANGE, REJECT)
"""All titles, in their order; the second only where a leave for the session can follow."""

CANCELLED: Final = "cancelled"
_ANSWERS: Final = {ALLOW_ONCE: "allowed-once", ALLOW_SESSION: "allowed-session", REJECT: "rejected"}

SHOWN_MAX: Final = 20
"""How often one question may be answered with ``Show change`` before it counts as dismissed."""
SHOW_S: Final = 5.0
"""How long to wait for the editor to say that it opened the document."""


class MessageApprover:
    """Asks with ``window/showMessageRequest``, which every editor has.

    The message holds the whole change. ``Show change`` opens it as a document below ``folder``, where the
    editor can, and asks again.
    """

    def __init__(self, protocol: KeepgateProtocol, folder: Path) -> None:
        self._protocol = protocol
        self._folder = folder

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """See :class:`keepgate.gate.approvers.Approver`. Only an exact title counts."""
        params = types.ShowMessageRequestParams(
            type=types.MessageType.Warning if question.warnings else types.MessageType.Info,
            message=message_of(question),
            actions=[
                types.MessageActionItem(title)
                for title in ACTIONS
                if question.for_session or title != ALLOW_SESSION
            ],
        )
        with contextlib.ExitStack() as documents:
            shown: Path | None = None
            for _ in range(SHOWN_MAX):
                title = member(await self._prompt(params), "title")
                if title != SHOW_CHANGE:
                    outcome = _ANSWERS.get(title, CANCELLED) if isinstance(title, str) else CANCELLED
                    return ApprovalAnswer(outcome=outcome, hash=question.hash)
                if self._shows_documents:
                    shown = shown or self._document(documents, question)
                    await self._show(shown)
        return ApprovalAnswer(outcome=CANCELLED, hash=question.hash)

    @property
    def _shows_documents(self) -> bool:
        window = self._protocol.client_capabilities.window
        return window is not None and window.show_document is not None and window.show_document.support

    async def _prompt(self, params: types.ShowMessageRequestParams) -> Any:
        try:
            return await self._protocol.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        except PeerError as error:
            raise NobodyThere(str(error)) from error

    def _document(self, documents: contextlib.ExitStack, question: ApprovalRequestParams) -> Path | None:
        try:
            return documents.enter_context(change_document(self._folder, question))
        except OSError as error:
            self._protocol.warn(f"the change could not be written as a document: {error.strerror}")
            return None

    async def _show(self, document: Path | None) -> None:
        # Whether the document opens or not, the question is put again: its message holds the whole change.
        if document is None:
            return
        params = types.ShowDocumentParams(uri=document.as_uri(), take_focus=True)
        with contextlib.suppress(PeerError, TimeoutError):
            async with asyncio.timeout(SHOW_S):
                await self._protocol.ask(types.WINDOW_SHOW_DOCUMENT, params)


class RequestApprover:
    """Asks with ``approval/request``, for clients that announced ``approvalRequest``."""

    def __init__(self, protocol: KeepgateProtocol) -> None:
        self._protocol = protocol

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """See :class:`keepgate.gate.approvers.Approver`. A malformed answer is a dismissal; the gate judges
        what a whole one says.
        """
        try:
            raw = await self._protocol.ask("approval/request", question)
        except PeerError as error:
            raise NobodyThere(str(error)) from error
        try:
            return structure(raw, ApprovalAnswer)
        except Fault:
            return ApprovalAnswer(outcome=CANCELLED, hash=question.hash)
