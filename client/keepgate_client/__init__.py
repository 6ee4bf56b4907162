"""A typed client for keepgate over stdio.

    async with Client.spawn(workspace=".", session=SessionRef(id="s1"), approver=ask_person) as memory:
        await memory.add(track=Track.USER, scope=Scope.WORKSPACE, text="Prefers short answers.")

``Client`` is for programs on asyncio, ``SyncClient`` for scripts; ``keepgate_client.testing`` has a
scripted approver and a fake editor for tests.
"""

from keepgate.protocol.entries import UNSET, DraftParams, Entry, IdTarget, Scope, SessionRef, Track
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.framing import Framing
from keepgate.protocol.portability import AdapterInfo
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate_client.adapters import ClientAdapter
from keepgate_client.approver import Approver, allow_once, allow_session, dismiss, reject
from keepgate_client.client import Client
from keepgate_client.connection import Connection
from keepgate_client.errors import Disconnected, RpcError, UnexpectedAnswer
from keepgate_client.sync import SyncClient

__all__ = [
    "UNSET",
    "AdapterInfo",
    "ApprovalAnswer",
    "ApprovalRequestParams",
    "Approver",
    "Client",
    "ClientAdapter",
    "Code",
    "Connection",
    "Disconnected",
    "DraftParams",
    "Entry",
    "Fault",
    "Framing",
    "IdTarget",
    "RpcError",
    "Scope",
    "SessionRef",
    "SyncClient",
    "Track",
    "UnexpectedAnswer",
    "allow_once",
    "allow_session",
    "dismiss",
    "reject",
]
