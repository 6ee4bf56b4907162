"""Settings: one shape for initialization options, the user's file and the project's file (section 2)."""

from enum import StrEnum
from typing import Annotated, Any, Final

from attrs import field, frozen

from keepgate.protocol.entries import QUERY_LIMIT_DEFAULT, Scope, SessionRef, Track


class WritePolicy(StrEnum):
    """What happens to a write before anyone is asked; later means stricter."""

    AUTO = "auto"
    ASK = "ask"
    OFF = "off"


STRICTNESS: Final = {WritePolicy.AUTO: 0, WritePolicy.ASK: 1, WritePolicy.OFF: 2}


@frozen(kw_only=True)
class TrackBudgets:
    """Budgets of one track, in UTF-16 units; positive."""

    user_global: int
    workspace: int


@frozen(kw_only=True)
class Budgets:
    """Budgets of the four layers (DSH-5)."""

    user: TrackBudgets = TrackBudgets(user_global=2000, workspace=2000)
    agent: TrackBudgets = TrackBudgets(user_global=4000, workspace=4000)

    def limit(self, track: Track, scope: Scope) -> int:
        """The budget of a layer."""
        of_track = self.user if track is Track.USER else self.agent
        return of_track.user_global if scope is Scope.USER_GLOBAL else of_track.workspace


@frozen(kw_only=True)
class ProposalLimits:
    """How many wishes may wait, and for how long."""

    max_per_session: int = 32
    max_per_workspace: int = 200
    expire_days: int = 30
    max_text_units: int = 4000
    in_snapshot: bool = False


@frozen(kw_only=True)
class FactSettings:
    """Facts of MEMORY_VERBS."""

    max_text_units: int = 4000
    home: Annotated[str, "`workspace` or `user`."] = "workspace"
    score_floor: float = 0.5


@frozen(kw_only=True)
class PageSettings:
    """Pages of MEMORY_VERBS."""

    roots: Annotated[list[str], "Folders inside the workspace whose Markdown is indexed."] = field(
        factory=lambda: [".keepgate/pages"]
    )


@frozen(kw_only=True)
class McpSettings:
    """The MCP front."""

    surface: Annotated[str, "`verbs`, `starter` or `full`."] = "full"


@frozen(kw_only=True)
class ClientAnnouncement:
    """What a client can do, for clients that cannot set ``capabilities.experimental``."""

    approver: bool = False
    approval_request: bool = False
    language_model: bool = False


@frozen(kw_only=True)
class Settings:
    """Every setting with its default."""

    store_path: Annotated[str | None, "Absolute path of the store; absent: the platform's data folder."] = (
        None
    )
    budgets: Budgets = Budgets()
    write_policy: WritePolicy = WritePolicy.ASK
    write_policies: Annotated[
        dict[str, WritePolicy], "Finer keys: `source:<name>`, `<track>/<scope>`, `facts`, `pages`."
    ] = field(factory=dict)
    approval_timeout_seconds: int = 300
    proposals: ProposalLimits = ProposalLimits()
    facts: FactSettings = FactSettings()
    mcp: McpSettings = McpSettings()
    query_limit: int = QUERY_LIMIT_DEFAULT
    workspace_identity: Annotated[str, "`path`, or `repository` to share one memory between worktrees."] = (
        "path"
    )
    pages: PageSettings = PageSettings()
    session: SessionRef | None = None
    client: ClientAnnouncement = ClientAnnouncement()
    embeddings: dict[str, Any] | None = None
    language_model: dict[str, Any] | None = None
