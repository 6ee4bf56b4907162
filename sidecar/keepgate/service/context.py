"""What a handler receives: its kind of context says what it may do (docs/architecture.md).

A READ handler gets no gate. The evidence that reads owe (recall counts, frozen snapshots) is offered as
named methods of the store's evidence door.
"""

from collections.abc import Callable

from attrs import evolve, frozen

from keepgate.adapters.registry import Registry
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author, Viewer
from keepgate.core.writing.page_steps import PageFiles
from keepgate.gate.gate import Gate
from keepgate.gate.policies import RulesFor
from keepgate.pages.keeping import Pages
from keepgate.protocol.entries import SessionParam
from keepgate.protocol.errors import Problem, invalid_input, write_requires_agent
from keepgate.protocol.settings import Settings
from keepgate.service import sessions
from keepgate.service.after_reply import AfterReply
from keepgate.service.connection import Connection, Progress
from keepgate.store.open import Store


@frozen(kw_only=True)
class ReadCtx:
    """For operations that change nothing a person cares about.

    ``settings`` are the process's; budgets and policies are those of the workspaces: ``rules_for`` them.
    ``after_reply(work)`` puts off what must not happen before the reply is written out. The user's own pages
    lie in the ``data_folder``.
    """

    store: Store
    settings: Settings
    rules_for: RulesFor
    stamp: Callable[[], Stamp]
    connection: Connection
    registry: Registry
    progress: Progress
    after_reply: AfterReply
    data_folder: str
    page_files: PageFiles
    pages: Pages

    def author(self, session: SessionParam) -> Author | None:
        """The session behind a request; ``None`` for the management view."""
        return sessions.resolve(self.connection, session)

    def viewer(self, author: Author | None, *, all_workspaces: bool = False) -> Viewer:
        """What a request of ``author`` may see; of nobody: the management view of its workspaces.

        Raises ``INVALID_INPUT`` where ``allWorkspaces`` meets a session or a remote caller.
        """
        if not all_workspaces:
            seen = author.viewer if author else Viewer(workspaces=self.connection.keys, agent_key=None)
            return evolve(seen, world_only=self.connection.remote)
        if author is not None or self.connection.remote:
            raise invalid_input(
                Problem("$.allWorkspaces", "is for the local management view, without a session")
            )
        return Viewer(workspaces=None, agent_key=None)


@frozen(kw_only=True)
class GatedCtx(ReadCtx):
    """For operations that reach the gate."""

    gate: Gate


@frozen(kw_only=True)
class WriteCtx(GatedCtx):
    """For operations that propose changes."""

    def writing_author(self, session: SessionParam) -> Author:
        """The session behind a write. Raises ``WRITE_REQUIRES_AGENT`` when there is none."""
        author = self.author(session)
        if author is None:
            raise write_requires_agent()
        return author


@frozen(kw_only=True)
class DecideCtx(GatedCtx):
    """For operations that decide proposals; only connections with an approver get here."""


@frozen(kw_only=True)
class AdminCtx(GatedCtx):
    """For operations that change the connection itself."""
