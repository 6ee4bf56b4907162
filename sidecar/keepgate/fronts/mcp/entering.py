"""From a client's first word to a connection: the store opened, the workspaces found, the approver chosen."""

import asyncio
import logging
from typing import Any, Final

from attrs import frozen
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp_types import NotificationParams

from keepgate.fronts.mcp.approver import approver_for
from keepgate.fronts.mcp.client import ClientPeer, can_sample, client_info
from keepgate.fronts.mcp.folders import has_roots, workspaces_of
from keepgate.fronts.mcp.terms import Opening, Terms
from keepgate.protocol.errors import Fault
from keepgate.service.connection import Connection
from keepgate.service.sidecar import Sidecar

CHANNEL: Final = "mcp"
START_LATER_S: Final = 0.3
"""What no call waits for is begun so much later: a first answer comes before it."""
START_AGAIN_S: Final = 1.0

logger = logging.getLogger(__name__)


@frozen
class Entered:
    """The product and this client's connection to it."""

    sidecar: Sidecar
    connection: Connection


class Entering:
    """Connects the client once, when it first needs it; after a failure the next call tries again."""

    def __init__(self, terms: Terms, opening: Opening) -> None:
        self._terms = terms
        self._opening = opening
        self._task: asyncio.Task[Entered] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    async def entered(self, session: ServerSession) -> Entered:
        """The connection. Raises the faults of the store and of folders that cannot be used."""
        task = self._task
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._task = asyncio.get_running_loop().create_task(self._enter(session))
        return task.result() if task.done() else await asyncio.shield(task)

    async def initialized(self, ctx: ServerRequestContext[Any, Any], _: NotificationParams) -> None:
        """The client is ready: what its first call needs is looked up now."""
        await self._quietly(ctx.session)

    async def roots_changed(self, ctx: ServerRequestContext[Any, Any], _: NotificationParams) -> None:
        """The client works elsewhere now."""
        if self._terms.workspace is not None or not has_roots(ctx.session):
            return
        entered = await self._quietly(ctx.session)
        if entered is None:
            return
        async with self._turn:
            try:
                await self._move(entered, ctx.session)
            except Fault as fault:
                logger.warning("the new roots cannot be used: %s", fault.message)

    async def leave(self) -> None:
        """Let the client go."""
        if self._starting is not None:
            self._starting.cancel()
        task = self._task
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled() and task.exception() is None:
            await task.result().sidecar.disconnect(task.result().connection)

    async def _quietly(self, session: ServerSession) -> Entered | None:
        # What is wrong is told by the answer to the first call.
        try:
            return await self.entered(session)
        except Fault as fault:
            logger.warning("%s", fault.message)
            return None

    async def _enter(self, session: ServerSession) -> Entered:
        sidecar = await self._opening.sidecar()
        found = await workspaces_of(sidecar, session, self._terms.workspace)
        await sidecar.listen()
        connection = sidecar.connect(
            peer=ClientPeer(session),
            channel=CHANNEL,
            client=client_info(session),
            folders=[workspace.path for workspace in found],
            approver=approver_for(session),
            remote=True,
        )
        connection.language_model = can_sample(session)
        # The same folders, with the rule that found them.
        connection.workspaces = found
        self._starting = asyncio.get_running_loop().create_task(self._start(sidecar))
        return Entered(sidecar, connection)

    async def _move(self, entered: Entered, session: ServerSession) -> None:
        connection = entered.connection
        found = await workspaces_of(entered.sidecar, session, None)
        before = {item.path for item in connection.workspaces}
        after = {item.path for item in found}
        entered.sidecar.change_folders(
            connection, added=sorted(after - before), removed=sorted(before - after)
        )
        connection.workspaces = found

    async def _start(self, sidecar: Sidecar) -> None:
        """Hear of decisions in other windows; where the store cannot be read just now, try again."""
        await asyncio.sleep(START_LATER_S)
        while True:
            try:
                await sidecar.start()
            except Fault as fault:
                logger.warning("changes are not heard of yet: %s", fault.message)
                await asyncio.sleep(START_AGAIN_S)
            else:
                return
