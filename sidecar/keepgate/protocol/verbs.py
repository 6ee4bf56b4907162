"""MEMORY_VERBS v1: params and results of ``verbs/*``, field by field as the contract freezes them.

The dialect is snake_case with ISO 8601 instants (milliseconds, ``Z``); ``protocol/verb_params.py`` reads it.
A field with the default ``UNSET`` is left out when it does not apply; one with ``None`` is echoed as null.
"""

from enum import StrEnum
from typing import Annotated, Final

from attrs import frozen

from keepgate.protocol.entries import UNSET, SessionParam, Unset
from keepgate.protocol.naming import AsWritten

VERBS_VERSION: Final = 1
VERB_LIMIT_DEFAULT: Final = 50
VERB_LIMIT_MAX: Final = 100
PROVENANCE_UNITS_MAX: Final = 500
PACK_ENTITIES_MAX: Final = 8


class FactKind(StrEnum):
    """What sort of thing a fact is."""

    EVENT = "event"
    PREFERENCE = "preference"
    COMMITMENT = "commitment"
    BELIEF = "belief"
    FACT = "fact"


class Visibility(StrEnum):
    """Who reads it: every connected agent, or local callers alone."""

    WORLD = "world"
    PRIVATE = "private"


class Evidence(StrEnum):
    """Why a result matched."""

    ALIAS_HIT = "alias_hit"
    EXACT_TITLE_MATCH = "exact_title_match"
    HIGH_VECTOR_MATCH = "high_vector_match"
    KEYWORD_EXACT = "keyword_exact"
    WEAK_SEMANTIC = "weak_semantic"


class CreateSafety(StrEnum):
    """Whether a page for this is there already."""

    EXISTS = "exists"
    PROBABLE = "probable"
    UNKNOWN = "unknown"


class RememberStatus(StrEnum):
    """What became of a fact."""

    INSERTED = "inserted"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"


class ThreadKind(StrEnum):
    """Where an open thread comes from."""

    COMMITMENT = "commitment"
    RECENT_EVENT = "recent_event"


class SynthesisStatus(StrEnum):
    """How an answer was made; this server's verb emits the first two alone."""

    OK = "ok"
    EXTRACTIVE_FALLBACK = "extractive_fallback"
    EMPTY_ANSWER = "empty_answer"
    NOT_JSON = "not_json"
    NO_LLM = "no_llm"
    MODEL_UNUSABLE = "model_unusable"
    LLM_ERROR = "llm_error"


@frozen(kw_only=True)
class RecallParams(AsWritten):
    """Params of ``verbs/recall``."""

    query: Annotated[str | None, "Search facts and pages for this."] = None
    entity: Annotated[str | None, "Only facts about this entity: a slug, a title or an alias."] = None
    budget_tokens: Annotated[float | None, "Pack the answer into so many tokens (characters / 4)."] = None
    since: Annotated[str | None, "Only facts from then on: ISO 8601, or such as `8 hours ago`."] = None
    session_id: Annotated[str | None, "Only facts that this session saved."] = None
    limit: Annotated[float | None, "Facts at most, and results at most: 50 by default, never over 100."] = (
        None
    )
    include_expired: Annotated[bool | None, "Also what is forgotten or past its ttl; local callers."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class RecallFact(AsWritten):
    """A fact as recall returns it."""

    id: Annotated[int, "The number behind `fact_id`."]
    fact_id: Annotated[str, "Opaque id; what `forget` takes."]
    fact: Annotated[str, "The fact itself."]
    kind: FactKind
    entity_slug: Annotated[str | None, "The entity that it is about."]
    visibility: Visibility
    notability: Annotated[str, "Always `medium`."] = "medium"
    valid_from: Annotated[str, "When it was saved."]
    valid_until: Annotated[str | None, "When it expires by its ttl."]
    expired_at: Annotated[str | None, "When it was forgotten or superseded."]
    superseded_by: Annotated[int | None, "The fact that took its place."]
    consolidated_at: Annotated[str | None, "Always null."] = None
    consolidated_into: Annotated[int | None, "Always null."] = None
    source: Annotated[str, "Same as `provenance`."]
    provenance: Annotated[str, "Where it comes from, as the writer said."]
    source_session: Annotated[str | None, "The session that saved it."]
    source_id: Annotated[str, "Its home: the workspace key, or empty for user-global."]
    context: Annotated[str | None, "Always null."] = None
    confidence: Annotated[float, "Always 1."] = 1
    created_at: Annotated[str, "When it was saved."]


@frozen(kw_only=True)
class RecallResultItem(AsWritten):
    """A page that the search arm found."""

    slug: str
    title: Annotated[str | None, "The page's title."]
    chunk: Annotated[str, "The part of the page that matched best."]
    evidence: Evidence
    create_safety: CreateSafety
    provenance: Annotated[str, "The page's slug."]
    source_id: Annotated[str, "The page's home."] = ""


@frozen(kw_only=True)
class RecallResult(AsWritten):
    """Result of ``verbs/recall``."""

    facts: list[RecallFact]
    total: Annotated[int, "Facts in this answer."]
    results: Annotated[list[RecallResultItem] | Unset, "Pages; with `query` only."] = UNSET
    search_degraded: Annotated[str | Unset, "There when the search was by keywords alone."] = UNSET
    budget_tokens: Annotated[int | Unset, "The budget, when one was given."] = UNSET
    budget_used: Annotated[int | Unset, "Tokens packed."] = UNSET
    dropped_count: Annotated[int | Unset, "What did not fit."] = UNSET
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class RememberParams(AsWritten):
    """Params of ``verbs/remember``."""

    fact: Annotated[str, "The fact, a sentence that stands alone."]
    provenance: Annotated[str, "Where it comes from, such as `user said in chat`; at most 500 characters."]
    ttl: Annotated[str | None, "How long it holds: `30d`, `12h`, `45m`, or an ISO 8601 instant."] = None
    entity: Annotated[str | None, "The person, company or project that it is about."] = None
    kind: Annotated[FactKind | None, "`fact` by default."] = None
    visibility: Annotated[Visibility | None, "`world` by default: every connected agent may read it."] = None
    supersedes: Annotated[str | None, "The `fact_id` of the fact whose place it takes."] = None
    dry_run: Annotated[bool | None, "Say what would happen and do nothing."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class Suggestion(AsWritten):
    """Another page that may be meant."""

    slug: str
    title: str
    create_safety: CreateSafety


@frozen(kw_only=True)
class RememberResult(AsWritten):
    """Result of ``verbs/remember``."""

    id: Annotated[str, "Opaque; of a duplicate the id of the fact that is there."]
    status: RememberStatus
    status_text: Annotated[str, "For people; branch on `status`."]
    entity_slug: str | None
    valid_until: Annotated[str | None, "When it expires; null: never."]
    degraded_dedup: Annotated[bool | Unset, "Near-duplicates are not found without embeddings."] = UNSET
    suggestions: Annotated[
        list[Suggestion] | Unset, "Entities of a similar name, where `entity` named none that is known."
    ] = UNSET
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class DryRun(AsWritten):
    """What ``remember`` and ``forget`` answer to ``dry_run``."""

    dry_run: bool
    action: Annotated[str, "What would be done."]
    id: Annotated[str | Unset, "The fact that it would be done to."] = UNSET
    entity_slug: Annotated[str | Unset | None, "The entity as it was resolved."] = UNSET
    valid_until: Annotated[str | Unset | None, "When the fact would expire."] = UNSET
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class EntityParams(AsWritten):
    """Params of ``verbs/entity``."""

    name: Annotated[str, "An alias, a title, a slug or the end of one."]
    session: SessionParam = UNSET


@frozen(kw_only=True)
class EntityName(AsWritten):
    """Which page a card is about."""

    slug: str
    title: str
    type: str


@frozen(kw_only=True)
class LastTouched(AsWritten):
    """When a page and what is known of it last moved."""

    updated_at: str | None
    last_retrieved_at: str | None
    last_timeline_date: str | None


@frozen(kw_only=True)
class Thread(AsWritten):
    """Something open: a commitment, or what happened lately."""

    kind: ThreadKind
    text: str
    date: str | None


@frozen(kw_only=True)
class Edge(AsWritten):
    """A link from or to the entity."""

    type: str
    direction: Annotated[str, "`out` or `in`."]
    slug: str
    context: str | None


@frozen(kw_only=True)
class Card(AsWritten):
    """What is known of one entity."""

    entity: EntityName
    aka: list[str]
    summary: str
    last_touched: LastTouched
    open_threads: list[Thread]
    edges: list[Edge]
    backlink_count: int
    active_fact_count: int


@frozen(kw_only=True)
class EntityResult(AsWritten):
    """Result of ``verbs/entity``; a miss is no error."""

    found: bool
    latency_ms: int
    card: Card | Unset = UNSET
    suggestions: Annotated[list[Suggestion] | Unset, "On a miss always; on a hit when there are others."] = (
        UNSET
    )
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class SynthesizeParams(AsWritten):
    """Params of ``verbs/synthesize``."""

    question: str
    since: Annotated[str | None, "Only pages changed from then on: a day, a month or an instant."] = None
    until: Annotated[str | None, "Only pages changed until then; a day counts to its end."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class Cost(AsWritten):
    """What a composed answer cost, as far as the provider says; no invoice."""

    model: str
    input_tokens: int | None
    output_tokens: int | None
    usd_estimate: float | None


@frozen(kw_only=True)
class SynthesizeResult(AsWritten):
    """Result of ``verbs/synthesize``."""

    answer: str
    sources: Annotated[list[str], "Slugs of pages that were gathered and are cited."]
    gaps: list[str]
    cost: Cost
    synthesis_status: SynthesisStatus
    pages_gathered: int
    takes_gathered: int
    warnings: Annotated[list[str], "Stable codes such as `LLM_OUTPUT_NOT_JSON`."]
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class ForgetParams(AsWritten):
    """Params of ``verbs/forget``."""

    id: Annotated[str, "A `fact_id` from `remember` or `recall`, never a page's slug."]
    reason: Annotated[str | None, "Kept in the ledger."] = None
    dry_run: Annotated[bool | None, "Say what would happen and do nothing."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ForgetResult(AsWritten):
    """Result of ``verbs/forget``."""

    id: str
    expired: Annotated[bool, "False: it was expired already."]
    reason: str | None
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class ContextPackParams(AsWritten):
    """Params of ``verbs/context_pack``."""

    entities: Annotated[str, "Comma-separated; the first eight count."]
    budget_tokens: Annotated[float | None, "Pack the block into so many tokens (characters / 4)."] = None
    since: Annotated[str | None, "Only open threads from then on."] = None
    session_id: str | None = None
    include_private: Annotated[bool | None, "Private facts and pages too; local callers."] = None
    deadline_ms: Annotated[float | None, "Answer in that time with what there is."] = None
    trusted_only: Annotated[bool | None, "Leave out pages of workspace folders that nobody trusted."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class PackCard(AsWritten):
    """A card in a pack."""

    slug: str
    title: str
    type: str
    summary: str
    open_threads: list[Thread]
    edges: list[Edge]
    backlink_count: int


@frozen(kw_only=True)
class PackFact(AsWritten):
    """A fact in a pack or a delta."""

    fact_id: str
    fact: str
    kind: FactKind
    entity_slug: str | None
    valid_from: str
    context: str | None = None
    confidence: float = 1


@frozen(kw_only=True)
class ContextPackResult(AsWritten):
    """Result of ``verbs/context_pack``."""

    entities: Annotated[list[str], "The names that counted."]
    cards: list[PackCard]
    open_threads: list[Thread]
    facts: list[PackFact]
    text: Annotated[str, "The block to inject: marked as data, one line an item, within the budget."]
    degraded_reason: Annotated[str | Unset, "Why the pack is only a part."] = UNSET
    budget_tokens: int | Unset = UNSET
    budget_used: int | Unset = UNSET
    dropped_count: int | Unset = UNSET
    protocol_version: int = VERBS_VERSION


@frozen(kw_only=True)
class DeltaParams(AsWritten):
    """Params of ``verbs/delta``; one of ``since`` and ``session_id`` is needed."""

    since: Annotated[str | None, "What changed after then."] = None
    since_slug: Annotated[str | None, "The slug of `next_cursor`: go on after that page."] = None
    since_fact: Annotated[str | None, "The fact of `next_cursor`: go on after that fact."] = None
    entities: Annotated[str | None, "Comma-separated: whose open threads to add; the first eight count."] = (
        None
    )
    budget_tokens: Annotated[float | None, "Pack the block into so many tokens (characters / 4)."] = None
    session_id: Annotated[str | None, "The cursor of this session says where to go on."] = None
    include_private: Annotated[bool | None, "Private facts and pages too; local callers."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class DeltaPage(AsWritten):
    """A page that changed."""

    slug: str
    source_id: Annotated[str, "The page's home."]
    title: str
    updated_at: str


@frozen(kw_only=True)
class NextCursor(AsWritten):
    """Where to go on: ``since``, ``since_slug`` and ``since_fact`` of the next request."""

    since: str
    slug: str
    fact: Annotated[str, "The newest delivered fact."] = ""


@frozen(kw_only=True)
class DeltaResult(AsWritten):
    """Result of ``verbs/delta``."""

    since: str
    pages: list[DeltaPage]
    facts: list[PackFact]
    threads: list[Thread]
    text: str
    has_more: bool
    next_cursor: NextCursor
    degraded_reason: str | Unset = UNSET
    budget_tokens: int | Unset = UNSET
    budget_used: int | Unset = UNSET
    dropped_count: int | Unset = UNSET
    protocol_version: int = VERBS_VERSION
