"""Params and results of what guards a session and looks back on it: taint."""

from typing import Annotated, Final

from attrs import frozen

from keepgate.protocol.entries import UNSET, SessionParam

TAINT_SOURCES_MAX: Final = 20
TAINT_SOURCE_UNITS_MAX: Final = 256


@frozen(kw_only=True)
class SessionTaintParams:
    """Params of ``session/taint``."""

    sources: Annotated[
        list[str],
        "What untrusted material the session has read, in a few words each: 1 to 20, at most 256 units each.",
    ]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class SessionTaintResult:
    """Result of ``session/taint``."""

    tainted: Annotated[bool, "Always true: there is no way back for a session."]
    sources: Annotated[list[str], "Everything that is known of this session, in the order it was told."]
