"""What working out a change needs to read; the store answers inside one transaction."""

from typing import Protocol

from keepgate.core.model.entry import Layer
from keepgate.core.model.fact import Fact
from keepgate.core.writing.match import Findable
from keepgate.core.writing.page_steps import PageView
from keepgate.core.writing.states import Recorded
from keepgate.protocol.entries import Entry


class StoreView(Findable, PageView, Protocol):
    """A consistent look at the store."""

    def used(self, layer: Layer) -> int:
        """Units in use in a layer."""

    def twin(self, layer: Layer, agent_key: str, text: str) -> Entry | None:
        """An entry of the layer, visible to that agent, with the same text but for ASCII case."""

    def neighbours(self, layer: Layer, agent_key: str, limit: int) -> tuple[Entry, ...]:
        """The newest entries of the layer, visible to that agent."""

    def facts_about(self, home: str, entity: str | None, now_ms: int, limit: int) -> tuple[Fact, ...]:
        """The newest active facts of a home about that entity, or about none, whoever may see them."""

    def fact(self, fact_id: int) -> Fact | None:
        """The fact with that id, whoever may see it, also one that has expired."""

    def fact_twins(self, home: str, text: str, now_ms: int) -> tuple[Fact, ...]:
        """The active facts of a home with the same letters and digits, oldest first, whoever may see them."""

    def next_fact_id(self) -> int:
        """The id of the next new fact."""

    def taint(self, session_id: str, workspace_key: str) -> tuple[str, ...]:
        """What untrusted material a session of that workspace has read, as far as anybody said so."""

    def change_of(self, seq: int) -> tuple[Recorded, ...]:
        """The steps of the allowed change that row ``seq`` belongs to; empty when there is none."""

    def changes_by_session(self, session_id: str) -> tuple[tuple[Recorded, ...], ...]:
        """The allowed changes that carry a session's id, oldest first; of what was purged nothing."""

    def written_by(self, session_id: str) -> tuple[tuple[Entry, ...], tuple[Fact, ...]]:
        """The entries that a session wrote last, and the facts that it brought and that are not expired."""

    def pages_by(self, session_id: str) -> tuple[Recorded, ...]:
        """The writes of pages that were a session's and the last of their pages; none of what is held."""

    def held_of(self, session_id: str) -> tuple[Recorded, ...]:
        """The steps that put into quarantine what is in it now of a session."""

    def newest_change(self, subject: str) -> int | None:
        """The newest allowed row of an entry or a fact, also of one that is gone; ``None`` without any."""
