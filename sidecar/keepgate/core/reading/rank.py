"""Why a page was found, and what that says of creating one (VERBS-recall, without embeddings)."""

from typing import Final

from keepgate.protocol.verbs import CreateSafety, Evidence

_SAFETY: Final = {
    Evidence.ALIAS_HIT: CreateSafety.EXISTS,
    Evidence.EXACT_TITLE_MATCH: CreateSafety.EXISTS,
    Evidence.HIGH_VECTOR_MATCH: CreateSafety.EXISTS,
    Evidence.KEYWORD_EXACT: CreateSafety.PROBABLE,
    Evidence.WEAK_SEMANTIC: CreateSafety.UNKNOWN,
}


def evidence_of(*, alias: bool, title: bool, every_word: bool) -> Evidence:
    """The strongest reason: the query is an alias, is the title, or every word of it is there."""
    if alias:
        return Evidence.ALIAS_HIT
    if title:
        return Evidence.EXACT_TITLE_MATCH
    return Evidence.KEYWORD_EXACT if every_word else Evidence.WEAK_SEMANTIC


def create_safety(evidence: Evidence) -> CreateSafety:
    """Whether a page for what was asked is there already."""
    return _SAFETY[evidence]


def is_noise(score: float, best: float, floor: float) -> bool:
    """Whether a hit scores less than ``floor`` times the best one; scores are positive, more is better."""
    return score < best * floor
