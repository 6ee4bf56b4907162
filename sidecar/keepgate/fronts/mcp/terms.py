"""How this server was started, and the product it serves."""

import asyncio
from typing import TYPE_CHECKING, Final

from attrs import evolve, frozen

from keepgate.boot import open_sidecar
from keepgate.boot.places import Places
from keepgate.protocol.operation import Surface
from keepgate.protocol.settings import Settings

if TYPE_CHECKING:
    from keepgate.service.sidecar import Sidecar

WAIT_MAX_S: Final = 45
"""How long a write waits for a person at most: clients give a call up after about a minute."""


@frozen(kw_only=True)
class Terms:
    """``ceiling`` is the largest surface, ``agent`` the preset that calls speak for, empty for none.

    ``workspace`` is a path that overrides what the client and the working directory say.
    """

    settings: Settings
    places: Places
    ceiling: Surface
    agent: str = ""
    workspace: str | None = None


class Opening:
    """The sidecar, opened once; after a failure whoever asks next opens it anew."""

    def __init__(self, terms: Terms) -> None:
        wait_s = min(terms.settings.approval_timeout_seconds, WAIT_MAX_S)
        self._settings = evolve(terms.settings, approval_timeout_seconds=wait_s)
        self._places = terms.places
        self._task: asyncio.Task[Sidecar] | None = None

    @property
    def wait_s(self) -> int:
        """How long a write waits for a person."""
        return self._settings.approval_timeout_seconds

    def begin(self) -> "asyncio.Task[Sidecar]":
        """Open the store, unless it is open or being opened."""
        if self._task is None or (self._task.done() and self._failed(self._task)):
            self._task = asyncio.get_running_loop().create_task(open_sidecar(self._settings, self._places))
        return self._task

    async def sidecar(self) -> "Sidecar":
        """The open sidecar. Raises the ``STORE_*`` faults."""
        return await asyncio.shield(self.begin())

    async def close(self) -> None:
        """Close what was opened."""
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task})
        if self._task is not None and not self._failed(self._task):
            await self._task.result().close()

    @staticmethod
    def _failed(task: "asyncio.Task[Sidecar]") -> bool:
        return task.cancelled() or task.exception() is not None
