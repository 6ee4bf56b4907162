"""The notification ``keepgate/status``: sent when it says something new, never more than a few a second."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from keepgate.fronts.stdio.logs import incident
from keepgate.protocol.errors import Fault
from keepgate.protocol.lifecycle import KeepgateStatus

METHOD: Final = "keepgate/status"
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

    def notified(self, method: str, params: Any) -> None:
        """The client was sent a notification: where something happened, the status may have changed.

        One that was a status is the last that the client knows, and is followed by the next look's.
        """
        if method == METHOD:
            self._told = params
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
        except Exception as error:  # noqa: BLE001 - whatever it is, the next look may go well
            return KeepgateStatus(
                health="error", quiescent=True, message=f"incident {incident(error)}", pending_approvals=0
            )
