"""Where an MCP client works: its roots, the folder this server was given, or the working directory."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types import ListRootsRequest, ListRootsResult
from pydantic import ValidationError

from keepgate.protocol.errors import Fault
from keepgate.service.connection import Workspace
from keepgate.service.sidecar import Sidecar
from keepgate.service.workspaces import find_root, open_workspace

ROOTS_S: Final = 5.0
"""How long a client may take to name its roots, before the working directory counts."""
ROOT_RULE: Final = "root"

logger = logging.getLogger(__name__)


async def workspaces_of(sidecar: Sidecar, session: ServerSession, override: str | None) -> list[Workspace]:
    """The client's workspaces, the first one its own; none in the root of a file system, or in a folder that
    is gone.

    Raises ``INVALID_INPUT`` for an ``override`` that cannot be used.
    """
    identity = sidecar.settings.workspace_identity
    if override is None and (roots := await _roots(session)):
        return _opened(roots, identity)
    here = _working_directory()
    if override is None and here == Path(here.anchor):
        return []
    return [await find_root(str(here), sidecar.known_workspaces, override, identity=identity)]


def _working_directory() -> Path:
    """Where this process was started; the root of the file system when that is gone."""
    try:
        return Path.cwd()
    except OSError:
        return Path(os.sep)


def has_roots(session: ServerSession) -> bool:
    """Whether the client can be asked for its roots."""
    said = session.client_capabilities
    return said is not None and said.roots is not None and session.can_send_request


async def _roots(session: ServerSession) -> Sequence[str]:
    if not has_roots(session):
        return ()
    try:
        answer = await session.send_request(
            ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=ROOTS_S
        )
    except (MCPError, ValidationError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
        logger.warning("the client did not name its roots: %s", type(error).__name__)
        return ()
    return [str(root.uri) for root in answer.roots]


def _opened(roots: Sequence[str], identity: str) -> list[Workspace]:
    """The workspaces of roots that are folders, each once."""
    found: dict[str, Workspace] = {}
    for root in roots:
        try:
            workspace = open_workspace(root, identity=identity, rule=ROOT_RULE, where="roots")
        except Fault as fault:
            logger.warning("a root cannot be used: %s", fault.message)
        else:
            found.setdefault(workspace.path, workspace)
    return list(found.values())
