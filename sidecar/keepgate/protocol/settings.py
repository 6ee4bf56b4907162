"""Settings: one shape for initialization options, the user's file and the project's file."""

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

    user_global: Annotated[int, "The layer that holds everywhere."]
    workspace: Annotated[int, "The layer of a workspace; each workspace is counted on its own."]


@frozen(kw_only=True)
class Budgets:
    """Budgets of the four layers (DSH-5)."""

    user: Annotated[TrackBudgets, "Memories about the person."] = TrackBudgets(
        user_global=2000, workspace=2000
    )
    agent: Annotated[TrackBudgets, "Environment facts, conventions and lessons."] = TrackBudgets(
        user_global=4000, workspace=4000
    )

    def limit(self, track: Track, scope: Scope) -> int:
        """The budget of a layer."""
        of_track = self.user if track is Track.USER else self.agent
        return of_track.user_global if scope is Scope.USER_GLOBAL else of_track.workspace


@frozen(kw_only=True)
class ProposalLimits:
    """How many wishes may wait, and for how long."""

    max_per_session: Annotated[int, "Pending proposals of one session."] = 32
    max_per_workspace: Annotated[int, "Pending proposals of one workspace."] = 200
    expire_days: Annotated[int, "A proposal that nobody decided expires after this many days."] = 30
    max_text_units: Annotated[
        int,
        "`proposals/create` refuses a longer text and snapshots leave it out, it is never cut; UTF-16 units.",
    ] = 4000
    in_snapshot: Annotated[bool, "Show pending proposals in snapshots; they are not approved."] = False


@frozen(kw_only=True)
class FactSettings:
    """Facts of MEMORY_VERBS."""

    max_text_units: Annotated[int, "A longer fact is refused, never cut; UTF-16 units."] = 4000
    home: Annotated[str, "`workspace` or `user`."] = "workspace"
    score_floor: Annotated[float, "Recalls leave out what scores lower."] = 0.5


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

    approver: Annotated[bool, "It may list and decide proposals."] = False
    approval_request: Annotated[bool, "It answers `approval/request`."] = False
    language_model: Annotated[bool, "It answers `languageModel/complete`."] = False


@frozen(kw_only=True)
class Settings:
    """Every setting with its default."""

    store_path: Annotated[str | None, "Absolute path of the store; absent: the platform's data folder."] = (
        None
    )
    budgets: Budgets = Budgets()
    write_policy: Annotated[
        WritePolicy, "`ask` a person, `auto` to allow and record it, `off` to refuse."
    ] = WritePolicy.ASK
    write_policies: Annotated[
        dict[str, WritePolicy], "Finer keys: `source:<name>`, `<track>/<scope>`, `facts`, `pages`."
    ] = field(factory=dict)
    approval_timeout_seconds: Annotated[int, "How long a write waits for a person."] = 300
    proposals: ProposalLimits = ProposalLimits()
    facts: FactSettings = FactSettings()
    mcp: McpSettings = McpSettings()
    query_limit: Annotated[int, "Entries that a query returns when it names no limit."] = QUERY_LIMIT_DEFAULT
    workspace_identity: Annotated[str, "`path`, or `repository` to share one memory between worktrees."] = (
        "path"
    )
    pages: PageSettings = PageSettings()
    session: Annotated[SessionRef | None, "A default session for the connection."] = None
    client: ClientAnnouncement = ClientAnnouncement()
    embeddings: Annotated[dict[str, Any] | None, "Provider of embeddings; absent: none."] = None
    language_model: Annotated[dict[str, Any] | None, "Provider of a language model; absent: none."] = None
    usage_log: Annotated[bool, "Note each verb call in a log on this machine, without its text."] = True
