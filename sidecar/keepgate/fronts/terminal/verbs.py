"""Results of the verbs on a screen: facts, pages, cards and blocks."""

from collections.abc import Sequence
from typing import Final

from keepgate.core.model.text import excerpt
from keepgate.fronts.terminal.screen import Column, Screen
from keepgate.protocol import verbs as v
from keepgate.protocol.entries import Unset

CHUNK_UNITS: Final = 200


def recalled(screen: Screen, result: v.RecallResult) -> None:
    """Facts, and pages where a query asked for them."""
    facts_table(screen, result.facts)
    pages = [] if isinstance(result.results, Unset) else result.results
    if pages:
        if result.facts:
            screen.line()
        rows = [[page.slug, str(page.evidence), excerpt(page.chunk, CHUNK_UNITS)] for page in pages]
        screen.table([Column(title="page"), Column(title="why"), Column(title="text")], rows)
    if not result.facts and not pages:
        screen.line("Nothing found.")
    if not isinstance(result.dropped_count, Unset) and result.dropped_count:
        screen.line(f"{result.dropped_count} more did not fit {result.budget_tokens} tokens.")


def facts_table(screen: Screen, facts: Sequence[v.RecallFact]) -> None:
    """Facts, one a row."""
    private = any(fact.visibility is v.Visibility.PRIVATE for fact in facts)
    ending = any(fact.valid_until or fact.expired_at for fact in facts)
    columns = [Column(title="id", right=True), Column(title="entity"), Column(title="kind")]
    columns += [Column(title="visibility")] if private else []
    columns += [Column(title="holds until")] if ending else []
    rows = []
    for fact in facts:
        row = [fact.fact_id, fact.entity_slug or "", str(fact.kind)]
        row += [str(fact.visibility)] if private else []
        row += [fact.expired_at or fact.valid_until or "always"] if ending else []
        rows.append([*row, fact.fact])
    screen.table([*columns, Column(title="fact")], rows)


def remembered(screen: Screen, result: v.RememberResult) -> None:
    """What became of a fact."""
    until = f", until {result.valid_until}" if result.valid_until else ""
    about = f" about {result.entity_slug}" if result.entity_slug else ""
    screen.line(f"{result.status_text} Fact {result.id}{about}{until}.")
    if not isinstance(result.suggestions, Unset) and result.suggestions:
        screen.line(f"Similar names: {', '.join(other.slug for other in result.suggestions)}")


def forgotten(screen: Screen, result: v.ForgetResult) -> None:
    """What became of a fact that was to go."""
    if result.expired:
        screen.line(f"Forgot fact {result.id}.")
    else:
        screen.line(f"Fact {result.id} was expired already.")


def dry_run(screen: Screen, result: v.DryRun) -> None:
    """What would have been done."""
    about = f" {result.id}" if not isinstance(result.id, Unset) else ""
    screen.line(f"Would {result.action}{about}; nothing was done.")


def entity_card(screen: Screen, result: v.EntityResult) -> None:
    """A card, or what else may be meant."""
    card = result.card
    if not isinstance(card, Unset):
        _card(screen, card)
    others = [] if isinstance(result.suggestions, Unset) else list(result.suggestions)
    if isinstance(card, Unset):
        # A name without a page under which facts stand is its own first suggestion.
        if others and others[0].slug == others[0].title and others[0].create_safety == v.CreateSafety.UNKNOWN:
            slug = others.pop(0).slug
            screen.line(f"No page is called {slug}, but facts are about it: keepgate recall --entity {slug}")
        else:
            screen.line("Nothing is known by that name.")
    if others:
        screen.line(f"Or did you mean: {', '.join(other.slug for other in others)}")


def _card(screen: Screen, card: v.Card) -> None:
    screen.line(f"{card.entity.title} ({card.entity.type}, {card.entity.slug})")
    if card.summary:
        screen.quote(card.summary)
    fields = [("also known as", ", ".join(card.aka))] if card.aka else []
    fields += [("facts", str(card.active_fact_count)), ("backlinks", str(card.backlink_count))]
    touched = card.last_touched
    fields += [("changed", touched.updated_at or "never"), ("recalled", touched.last_retrieved_at or "never")]
    screen.fields(fields)
    for thread in card.open_threads:
        screen.line(f"open: [{thread.kind}] {thread.text}{f' ({thread.date})' if thread.date else ''}")
    rows = [["->" if edge.direction == "out" else "<-", edge.type, edge.slug] for edge in card.edges]
    screen.table([Column(title=""), Column(title="link"), Column(title="page")], rows)


def synthesized(screen: Screen, result: v.SynthesizeResult) -> None:
    """An answer with its sources."""
    screen.quote(result.answer)
    screen.fields(
        [("status", str(result.synthesis_status)), ("sources", ", ".join(result.sources) or "none")]
    )
    for gap in result.gaps:
        screen.line(f"open: {gap}")


def block(screen: Screen, result: v.ContextPackResult) -> None:
    """The block as it would be injected."""
    screen.text(result.text or "Nothing is known of these.")


def changes(screen: Screen, result: v.DeltaResult) -> None:
    """What changed, and how to go on."""
    screen.text(result.text or f"Nothing changed since {result.since}.")
    if result.has_more:
        follow = result.next_cursor
        going_on = [f"--since {follow.since}"]
        going_on += [f"--since-slug {follow.slug}"] if follow.slug else []
        going_on += [f"--since-fact {follow.fact}"] if follow.fact else []
        screen.line(f"More follow: keepgate delta {' '.join(going_on)}")
