"""What a card and a search result show, and why."""

from collections.abc import Iterator

import pytest

from keepgate.core.model.fact import Fact
from keepgate.core.model.page import Dated
from keepgate.core.reading.card import EDGES_MAX, Linked, edges, open_threads, recent_since
from keepgate.core.reading.rank import create_safety, evidence_of, is_noise
from keepgate.protocol.verbs import CreateSafety, Evidence, FactKind, Visibility

DAY = 86_400_000


def commitment(number: int) -> Fact:
    return Fact(
        id=number,
        home="",
        entity="people/alice",
        text=f"promise {number}",
        kind=FactKind.COMMITMENT,
        visibility=Visibility.WORLD,
        provenance="p",
        created_at=number * DAY,
    )


def link(number: int, kind: str = "links_to") -> Linked:
    return Linked(row=number, type=kind, slug=f"notes/{number}", context=None)


def test_commitments_come_first_newest_first() -> None:
    """VERBS-entity: three threads in all; an old commitment stands before any event."""
    lately = [Dated("2026-11-30", "met"), Dated("2026-11-29", "called"), Dated("2026-11-28", "wrote")]

    threads = open_threads([commitment(2), commitment(9)], lately)

    assert [
        ("commitment", "promise 9", "1970-01-10T00:00:00.000Z"),
        ("commitment", "promise 2", "1970-01-03T00:00:00.000Z"),
        ("recent_event", "met", "2026-11-30"),
    ] == [(thread.kind, thread.text, thread.date) for thread in threads]


def test_the_newest_commitments_of_many() -> None:
    """Of several homes and slugs together."""
    threads = open_threads([commitment(1), commitment(4), commitment(3), commitment(2)], [])

    assert ["promise 4", "promise 3", "promise 2"] == [thread.text for thread in threads]


def test_recent_is_ninety_days() -> None:
    """The day from which entries count."""
    assert ("1970-01-11", "1970-01-01") == (recent_since(100 * DAY), recent_since(DAY))


def test_links_out_of_the_page_come_first_and_once() -> None:
    """VERBS-entity: ten in all, each kind of link to a page once."""
    shown = edges([link(1), link(1), link(1, "works_at")], map(link, range(20)))

    assert [("out", "links_to"), ("out", "works_at")] == [(edge.direction, edge.type) for edge in shown[:2]]
    assert EDGES_MAX == len(shown)
    assert {"in"} == {edge.direction for edge in shown[2:]}


def test_no_more_links_are_read_than_are_shown() -> None:
    """A page may have any number of links to it."""
    read: list[int] = []

    def endless() -> Iterator[Linked]:
        for number in range(10_000):
            read.append(number)
            yield link(number)

    edges([], endless())

    assert len(read) <= EDGES_MAX + 1


@pytest.mark.parametrize(
    ("alias", "title", "every", "evidence", "safety"),
    [
        (True, True, True, Evidence.ALIAS_HIT, CreateSafety.EXISTS),
        (False, True, True, Evidence.EXACT_TITLE_MATCH, CreateSafety.EXISTS),
        (False, False, True, Evidence.KEYWORD_EXACT, CreateSafety.PROBABLE),
        (False, False, False, Evidence.WEAK_SEMANTIC, CreateSafety.UNKNOWN),
    ],
)
def test_the_strongest_reason_counts(
    alias: bool, title: bool, every: bool, evidence: Evidence, safety: CreateSafety
) -> None:
    """VERBS-recall: why a page was found, and whether to create one."""
    found = evidence_of(alias=alias, title=title, every_word=every)

    assert (evidence, safety) == (found, create_safety(found))


def test_less_than_half_of_the_best_is_noise() -> None:
    """The floor is a share of the best score; half of it stays."""
    assert [True, False, False] == [is_noise(score, 8.0, 0.5) for score in (3.9, 4.0, 8.0)]
