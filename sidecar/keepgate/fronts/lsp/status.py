"""The notification ``keepgate/status``: sent when it says something new, never more than a few a second."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from keepgate.protocol.errors import Fault
from keepgate.protocol.lifecycle import KeepgateStatus

PAUSE_S: Final = 0.2
"""How long changes are gathered before the status is looked at again."""


class StatusNotices:
    """Looks at the status after something happened and tells the client what is new."""

    def __init__(
        self, look: Callable[[], Awaitable[KeepgateStatus]], tell: Callable[[KeepgateStatus], None]
    ) -> None:
        self._look = look
        self._tell = tell
        self._told: KeepgateStatus | None = None
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Tell the status now, and from now on whenever it changes."""
        self._changed.set()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def may_have_changed(self) -> None:
        """Look again soon."""
        self._changed.set()

    def stop(self) -> None:
        """Tell nothing more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            status = await self._now()
            if status != self._told:
                self._told = status
                self._tell(status)
            await asyncio.sleep(PAUSE_S)

    async def _now(self) -> KeepgateStatus:
        try:
            return await self._look()
        except Fault as fault:
            return KeepgateStatus(
                health="error", quiescent=True, message=f"{fault.code}: {fault.message}", pending_approvals=0
            )
