"""Verdicts, and the one maker of the token that the store's writer asks for (docs/architecture.md).

Invariant: only ``gate`` and the store's writer import this module (``protected`` contract).
"""

from typing import Any, Final

from attrs import frozen

from keepgate.core.writing.ask import Ask
from keepgate.protocol.proposals import Outcome
from keepgate.protocol.settings import WritePolicy

POLICY: Final = "policy"
SECRETS_CONFIRMED: Final = "secretsConfirmed"
"""The kinds of secrets on which the person at the asking terminal insisted, in who asked and who decided."""

FOR_SESSION: Final = "forSession"
"""Beside who decided: whether the yes is a leave for more of its kind in that session, too."""


@frozen(kw_only=True)
class Decider:
    """Who decided, for the ledger.

    ``via`` is ``approval``, ``session grant``, ``policy``, ``inbox`` or ``expiry``; ``secrets`` are the kinds
    of secrets on which a person insisted; ``for_session``: the yes is also a leave for more of its kind in
    that session.
    """

    via: str
    policy: WritePolicy
    client: str | None = None
    version: str | None = None
    connection: str | None = None
    channel: str | None = None
    secrets: tuple[str, ...] = ()
    for_session: bool = False

    def label(self, outcome: str) -> str:
        """The ledger's outcome label, naming the real source (DSH-6)."""
        return f"{outcome} (via {self.via}, writePolicy {self.policy})"

    def by(self) -> dict[str, Any] | None:
        """The decider as ledger rows show it; ``None`` for nobody.

        Behind a policy stands no person: its rows say that it decided, and beside that which client asked.
        """
        shown = {
            "via": POLICY if self.via == POLICY else None,
            "client": self.client,
            "version": self.version,
            "connection": self.connection,
            "channel": self.channel,
            SECRETS_CONFIRMED: list(self.secrets) or None,
            FOR_SESSION: self.for_session or None,
        }
        return {name: value for name, value in shown.items() if value is not None} or None

    def decided_by(self) -> dict[str, Any] | None:
        """The decider alone, as proposals and notifications show it; who asked stands apart there."""
        return {"via": POLICY} if self.via == POLICY else self.by()


@frozen(kw_only=True)
class Allowed:
    """Yes, to the content with this hash; ``for_session`` asks for a grant on top."""

    by: Decider
    hash: str
    for_session: bool = False


@frozen(kw_only=True)
class Denied:
    """No: ``rejected`` or ``cancelled``."""

    by: Decider
    outcome: Outcome


@frozen(kw_only=True)
class Unreachable:
    """Nobody answered; the proposal stays pending."""

    by: Decider
    reason: str


Verdict = Allowed | Denied | Unreachable


class Approved:
    """Permission to commit one ask. Made by :func:`approve` alone."""

    __slots__ = ("ask", "by")

    def __init__(self, key: object, ask: Ask, by: Decider) -> None:
        if key is not _KEY:
            raise TypeError("only approve() makes an Approved")
        self.ask: Final = ask
        self.by: Final = by


_KEY: Final = object()


def approve(ask: Ask, allowed: Allowed) -> Approved:
    """Turn a yes into permission to commit ``ask``.

    Raises ``ValueError`` when the yes was given to other content; that is a programming error, the gate
    compares hashes and asks again first.
    """
    if allowed.hash != ask.hash:
        raise ValueError("the verdict names other content than the ask")
    return Approved(_KEY, ask, allowed.by)
