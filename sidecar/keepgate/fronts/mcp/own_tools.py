"""The two tools that the front answers itself: `whoami` and `request_tools`."""

from collections.abc import Mapping
from typing import Any, Final

from keepgate import __version__
from keepgate.protocol.lifecycle import CONTRACTS
from keepgate.protocol.operation import Surface
from keepgate.protocol.surfaces import SURFACES, RequestToolsParams, offered, within
from keepgate.protocol.verb_errors import VerbCode, VerbFault
from keepgate.protocol.verb_params import read_verb_params
from keepgate.protocol.verbs import VERBS_VERSION
from keepgate.service.connection import Connection

_NO_WORKSPACE: Final = {"key": "", "rule": "none"}


def whoami(connection: Connection, *, agent: str, surface: Surface, ceiling: Surface) -> dict[str, Any]:
    """Who calls, from where, and what it may call."""
    client = connection.asker.client
    workspaces = [{"key": item.key, "rule": item.rule} for item in connection.workspaces]
    return {
        "client": {"name": client.name, "version": client.version},
        "transport": "stdio",
        "remote": connection.remote,
        "agent": agent,
        "workspace": workspaces[0] if workspaces else _NO_WORKSPACE,
        "workspaces": workspaces,
        "surface": str(surface),
        "ceiling": str(ceiling),
        "contracts": dict(CONTRACTS),
        "version": __version__,
        "protocol_version": VERBS_VERSION,
    }


def requested(
    arguments: Mapping[str, Any], *, surface: Surface, ceiling: Surface
) -> tuple[Surface, list[dict[str, str]]]:
    """The surface that a client asks for; the present one where it names none. Nothing is changed.

    Raises ``invalid_params`` for what is no surface and ``scope_denied`` for one above the ceiling.
    """
    params, warnings = read_verb_params(dict(arguments), RequestToolsParams)
    wanted = surface if params.surface is None else params.surface
    if not within(wanted, ceiling):
        raise VerbFault(
            VerbCode.SCOPE_DENIED,
            f"this server offers nothing above the surface {ceiling}",
            f"Ask for one of: {', '.join(str(each) for each in SURFACES if within(each, ceiling))}.",
        )
    return wanted, warnings


def tools_answer(surface: Surface, ceiling: Surface) -> dict[str, Any]:
    """What is offered now."""
    return {
        "surface": str(surface),
        "ceiling": str(ceiling),
        "tools": list(offered(surface, ceiling)),
        "protocol_version": VERBS_VERSION,
    }
