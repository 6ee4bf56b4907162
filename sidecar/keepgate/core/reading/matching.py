"""From a user's query to a full-text expression (docs/adr/0020). No user text reaches the index's syntax.

Terms are quoted and joined with OR, so that a query of many words still finds what holds some of them. A
common word does not open the set, unless the query has no other; words that say nothing never do.
"""

from collections.abc import Callable, Iterable
from itertools import accumulate, islice
from typing import Final

from attrs import frozen

from keepgate.core.reading.analyse import Word, tokens, words

WORDS_MAX: Final = 32
"""Words of a query that count, its first ones; a longer query is a text, not a question."""

TERMS_MAX: Final = 96
COMMON_SHARE: Final = 0.05
COMMON_AT_LEAST: Final = 20
"""In so few documents no term is common: of a small store every word is a large share."""

OPENED_MAX: Final = 10_000
"""Documents that are scored, about: what more would cost shows, what it would find does not."""

_FUNCTION_WORDS: Final = (
    "a about an and are as at be been but by can could d did do does for from had has have he her him his "
    "how i if in into is it its ll m may me my no not of on or our re s shall she should so t than that "
    "the their them then there these they this to us ve was we were what when where which who whom whose "
    "why will with would you your "
)
_SAYS_NOTHING: Final = frozenset(_FUNCTION_WORDS.split())


@frozen(kw_only=True)
class Query:
    """What is looked for: distinct words, of which each says something."""

    words: tuple[Word, ...]

    @property
    def terms(self) -> tuple[str, ...]:
        """The distinct terms of its words, in order."""
        return tuple(islice(dict.fromkeys(term for word in self.words for term in word.terms), TERMS_MAX))


def query_of(text: str) -> Query | None:
    """The query in a text; ``None`` when it has no word that says anything, and so finds nothing."""
    telling = (word for word in words(text) if word.forms[0][0] not in _SAYS_NOTHING)
    chosen = tuple(islice(dict.fromkeys(telling), WORDS_MAX))
    return Query(words=chosen) if chosen else None


def common_from(documents: int) -> int:
    """A term in more documents than this is common."""
    return max(int(documents * COMMON_SHARE), COMMON_AT_LEAST)


def any_of(query: Query, count: Callable[[str, int], int], documents: int) -> str:
    """The expression that opens the set of hits: any term that is not common, else any at all.

    ``count(term, most)`` says in how many documents a term is; it need not count further than ``most``. Of
    terms that are in very many documents together the rarest open the set, the others add to the score.
    """
    terms = query.terms
    if len(terms) == 1:
        # It has no other, so that nothing needs to be counted.
        return quoted(terms[0])
    most = common_from(documents)
    found = {term: count(term, most + 1) for term in terms}
    rare = sorted((term for term in terms if found[term] <= most), key=found.__getitem__)
    if not rare:
        return _any(terms)
    within = sum(1 for total in accumulate(found[term] for term in rare) if total <= OPENED_MAX)
    opening, others = rare[: max(within, 1)], rare[max(within, 1) :]
    opened = _any(opening)
    return f"{opened} OR ({opened} AND {_any(others)})" if others else opened


def all_of(query: Query) -> str:
    """The expression for what holds every word of the query, each in one of its forms."""
    return " AND ".join(_either(word) for word in query.words)


def holds(query: Query, text: str) -> bool:
    """Whether a text that no index has holds every word of the query, as it is written."""
    there = frozenset(tokens(text))
    return all(any(there.issuperset(form) for form in word.forms) for word in query.words)


def quoted(term: str) -> str:
    """A term as the index's syntax takes it."""
    doubled = term.replace('"', '""')
    return f'"{doubled}"'


def _either(word: Word) -> str:
    return "(" + " OR ".join(_all(form) for form in word.forms) + ")"


def _any(terms: Iterable[str]) -> str:
    return "(" + " OR ".join(map(quoted, terms)) + ")"


def _all(form: Iterable[str]) -> str:
    return "(" + " AND ".join(map(quoted, form)) + ")"
