"""Who looks: the one place that says what a reader or writer may see (DSH-2, visibility)."""

from attrs import frozen

from keepgate.protocol.entries import Entry, Scope


@frozen(kw_only=True)
class Viewer:
    """A reader's sight. Every read and every target resolution applies it.

    ``workspaces`` holds the keys in view (user-global is always in view); ``None`` means all of them.
    ``agent_key`` is the preset whose private entries show beside the shared ones; ``None`` means all.
    """

    workspaces: frozenset[str] | None
    agent_key: str | None

    def sees(self, entry: Entry) -> bool:
        """Whether an entry is in view."""
        if self.agent_key is not None and entry.agent_key not in ("", self.agent_key):
            return False
        return (
            entry.scope is Scope.USER_GLOBAL
            or self.workspaces is None
            or entry.workspace_key in self.workspaces
        )


@frozen(kw_only=True)
class Author:
    """The session behind a write; ``workspace_key`` is empty when it has no workspace."""

    session_id: str
    agent_key: str
    workspace_key: str

    @property
    def viewer(self) -> Viewer:
        """What the author sees, and so what it may change."""
        keys = frozenset({self.workspace_key}) if self.workspace_key else frozenset[str]()
        return Viewer(workspaces=keys, agent_key=self.agent_key)
