"""What a synthesis is composed from: pages and facts that match a question (VERBS-synthesize)."""

from typing import Final

import apsw

from keepgate.core.model.fact import Fact, Sight
from keepgate.core.model.times import Window
from keepgate.core.reading.matching import query_of
from keepgate.store.reads.facts import FactFilter
from keepgate.store.reads.search import PageHit, search_facts, search_pages

PAGES_MAX: Final = 12
FACTS_MAX: Final = 20
_LOOKED_AT: Final = 60
"""Hits that are looked at for those inside the window."""

_CHANGED: Final = "SELECT changed_at FROM pages WHERE home = ? AND slug = ?"


def gathered(
    db: apsw.Connection, sight: Sight, question: str, window: Window, *, now_ms: int, floor: float
) -> tuple[list[PageHit], list[Fact]]:
    """Pages changed and facts saved within the window that match, best first; nothing out of sight."""
    query = query_of(question)
    pages = search_pages(db, sight, question, query, limit=_LOOKED_AT, floor=floor)
    inside = [page for page in pages if window.holds(db.execute(_CHANGED, (page.home, page.slug)).get)]
    if query is None:
        return inside[:PAGES_MAX], []
    wanted = FactFilter(now_ms=now_ms)
    facts = search_facts(db, sight, query, wanted, limit=_LOOKED_AT, floor=floor)
    return inside[:PAGES_MAX], [fact for fact in facts if window.holds(fact.created_at)][:FACTS_MAX]
