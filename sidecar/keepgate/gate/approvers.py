"""How a person is reached: what fronts implement, and who speaks through them."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Protocol

from attrs import define, field, frozen

from keepgate.gate.prompts import Prompts
from keepgate.protocol.errors import SecretHit
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalAsked, ApprovalDecided, ApprovalRequestParams


class NobodyThere(Exception):
    """The person cannot be reached this way; the message says why."""


Insisting = Callable[[Sequence[SecretHit]], Awaitable[bool]]
"""Shows where secrets were found, never the secrets; whether the person typed the word that is shown."""


class Approver(Protocol):
    """Puts one question to a person."""

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """Show the whole change and wait for the answer, however long it takes.

        An answer echoes the hash it was given for; only ``allowed-once`` and ``allowed-session`` allow.
        Raises :class:`NobodyThere` when the person cannot be reached. Cancelled when the question is moot.
        """


class Announcer(Protocol):
    """Tells the connections of a workspace about questions and decisions."""

    def asked(self, event: ApprovalAsked, workspaces: Collection[str]) -> None:
        """A question is about to be put; its text is of these workspaces, or only user-global."""

    def decided(self, event: ApprovalDecided, workspace_key: str) -> None:
        """A question was answered, or given up; an empty key is user-global."""


@frozen(kw_only=True)
class ClientInfo:
    """The program at the other end of a connection."""

    name: str
    version: str | None = None


@define(kw_only=True, eq=False)
class Asker:
    """One connection as the gate sees it: who speaks, and through what a person can be asked.

    ``turn`` keeps prompts one at a time per client, ``screening`` its wishes in the order in which they came;
    ``closing`` tells a lost client from a cancelled request; through ``insisting`` the person
    at a terminal can store what looks like a secret.
    """

    connection_id: str
    channel: str
    client: ClientInfo
    approver: Approver | None = None
    insisting: Insisting | None = None
    turn: asyncio.Lock = field(factory=asyncio.Lock)
    screening: asyncio.Lock = field(factory=asyncio.Lock)
    closing: bool = False
    asks_last: bool = False
    patient: bool = False
    prompts: Prompts = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.prompts = Prompts(self.turn)

    @property
    def asks_first(self) -> bool:
        """Whether its own person is asked before those at other windows."""
        return self.approver is not None and not self.asks_last

    def described(self) -> dict[str, Any]:
        """The client as ledger rows and questions name it."""
        shown = {
            "client": self.client.name,
            "version": self.client.version,
            "connection": self.connection_id,
            "channel": self.channel,
        }
        return {name: value for name, value in shown.items() if value is not None}
