"""Who looks: the one place that says what a reader or writer may see (DSH-2, visibility)."""

from collections.abc import Collection

from attrs import frozen

from keepgate.core.model.fact import Fact
from keepgate.protocol.entries import Entry, Scope
from keepgate.protocol.verbs import Visibility


@frozen(kw_only=True)
class Viewer:
    """A reader's sight. Every read and every target resolution applies it.

    ``workspaces`` holds the keys in view (user-global is always in view); ``None`` means all of them.
    ``agent_key`` is the preset whose private entries show beside the shared ones; ``None`` means all.
    ``world_only`` leaves out private facts: remote callers never see them.
    """

    workspaces: frozenset[str] | None
    agent_key: str | None
    world_only: bool = False

    def sees(self, entry: Entry) -> bool:
        """Whether an entry is in view."""
        return self.sees_keys(
            () if entry.scope is Scope.USER_GLOBAL else (entry.workspace_key,), entry.agent_key
        )

    def sees_fact(self, fact: Fact) -> bool:
        """Whether a fact is in view."""
        if self.world_only and fact.visibility is Visibility.PRIVATE:
            return False
        return self.workspaces is None or fact.home in ("", *self.workspaces)

    def sees_keys(self, workspace_keys: Collection[str], agent_key: str) -> bool:
        """Whether what belongs to all of these workspaces, and to that agent, is in view.

        What belongs to no workspace is user-global; an empty ``agent_key`` is the shared layer.
        """
        of_agent = self.agent_key is None or agent_key in ("", self.agent_key)
        return of_agent and (self.workspaces is None or self.workspaces.issuperset(workspace_keys))


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
