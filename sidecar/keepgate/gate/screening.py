"""The screen for secrets at the gate: before anything is stored, asked or told."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from keepgate.core.model.stamp import Stamp
from keepgate.core.writing.approval import SECRETS_CONFIRMED
from keepgate.core.writing.change import Change, homes_of, kind_of
from keepgate.core.writing.ledger import Decision, Row
from keepgate.core.writing.screen import Finder, look, secrets_in
from keepgate.gate.wishes import Wish
from keepgate.protocol.errors import SecretHit, secret_found


class Screen:
    """Looks for secrets with the core's own patterns and ``finders``."""

    def __init__(self, *finders: Finder) -> None:
        self._finders = finders

    async def look(self, change: Change, *, root: str = "$") -> tuple[SecretHit, ...]:
        """What is found in the new texts of a change, which stands at ``root`` of the params.

        In a thread, for pages are long.
        """
        hits = await asyncio.to_thread(secrets_in, change, self._finders)
        return tuple(evolve(hit, path=root + hit.path.removeprefix("$")) for hit in hits)

    async def warm_up(self) -> None:
        """Have the finders load what they load at their first use."""
        await asyncio.to_thread(look, "$", "", self._finders)

    async def require_clean(self, change: Change) -> None:
        """Raise ``INVALID_INPUT`` for a change that would be refused, such as one that is only tried."""
        if hits := await self.look(change):
            raise secret_found(hits)

    async def require_none(self, path: str, text: str | None) -> None:
        """Raise ``INVALID_INPUT`` for a text beside a change, such as a reason, that holds a secret."""
        hits = await asyncio.to_thread(look, path, text or "", self._finders)
        if hits:
            raise secret_found(hits)


def secret_row(wish: Wish, hits: Sequence[SecretHit], stamp: Stamp) -> Row:
    """The row of a change that the screen refused: where and what kind, and nothing of any text."""
    listed = [hit.described() for hit in hits]
    return Row(
        ts=stamp.now_ms,
        action=f"{kind_of(wish.change)}-refused",
        decision=Decision.REFUSED,
        outcome="INVALID_INPUT (secret)",
        workspace_key=wish.author.workspace_key,
        homes=homes_of(wish.change, wish.author),
        agent_key=wish.author.agent_key,
        session_id=wish.author.session_id,
        by=dict(wish.asked_by),
        payload={"text": "; ".join(f"{hit['path']} {hit['problem']}" for hit in listed), "secrets": listed},
    )


def confirmed(described: Mapping[str, Any], hits: Sequence[SecretHit]) -> dict[str, Any]:
    """A client's description with the kinds of secrets that its person insisted on."""
    return {**described, SECRETS_CONFIRMED: sorted({hit.kind for hit in hits})}
