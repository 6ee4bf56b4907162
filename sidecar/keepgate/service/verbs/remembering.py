"""remember and forget: params to a change of facts, the change through the gate, the receipt to a result."""

from typing import Final

from attrs import evolve, frozen

from keepgate.core.model.fact import Fact, Sight, sight_of
from keepgate.core.model.times import BadMoment, iso_or_none, parse_ttl
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import FactDraft, Forget, Remember
from keepgate.core.writing.mutation import FactStep
from keepgate.gate.preview import look_ahead
from keepgate.gate.receipt import Receipt
from keepgate.protocol import verbs as v
from keepgate.protocol.entries import UNSET
from keepgate.protocol.verb_errors import invalid_params
from keepgate.service.context import WriteCtx
from keepgate.service.verbs.entities import near_misses
from keepgate.service.verbs.fact_params import (
    cleaned_entity,
    cleaned_fact,
    cleaned_provenance,
    cleaned_reason,
    fact_number,
)
from keepgate.service.verbs.sight import author_for, home_of
from keepgate.store.reads.resolve import Resolution, resolve

_UNREADABLE: Final = " It is private: this caller cannot read it back, nor forget it."
_NAMELESS: Final = "Name a person, company or project, such as people/alice, or leave entity out."


async def remember(ctx: WriteCtx, params: v.RememberParams) -> v.RememberResult | v.DryRun:
    """VERBS-remember. What is said already is answered with the fact that says it; nobody is asked."""
    checked = _checked(ctx, params)
    author = await author_for(ctx, params.session, checked.supersedes)
    sight = sight_of([author.workspace_key], world_only=ctx.connection.remote)
    change, resolved = await _remembering(ctx, params, checked, author, sight)
    if params.dry_run:
        return await _dry_remember(ctx, change, author)
    # Before the change: once it is stored, nothing may keep the answer back.
    similar = await _similar(ctx, sight, params.entity or "", resolved)
    receipt = await ctx.gate.submit(change, author, ctx.connection.asker)
    return evolve(_remembered(ctx, change, receipt), suggestions=similar or UNSET)


@frozen(kw_only=True)
class _Checked:
    """What is sound in itself; ``valid_until`` is epoch milliseconds."""

    text: str
    provenance: str
    valid_until: int | None
    supersedes: int | None
    entity: str | None


def _checked(ctx: WriteCtx, params: v.RememberParams) -> _Checked:
    """The values, checked in the contract's order: fact, provenance, ttl, what it names."""
    text = cleaned_fact(params.fact, ctx.settings.facts.max_text_units)
    provenance = cleaned_provenance(params.provenance)
    try:
        valid_until = parse_ttl(params.ttl or "", ctx.stamp().now_ms)
    except BadMoment as error:
        raise invalid_params(str(error), error.suggestion) from None
    return _Checked(
        text=text,
        provenance=provenance,
        valid_until=valid_until,
        supersedes=None if params.supersedes is None else fact_number(params.supersedes),
        entity=None if params.entity is None else cleaned_entity(params.entity),
    )


async def _remembering(
    ctx: WriteCtx, params: v.RememberParams, checked: _Checked, author: Author, sight: Sight
) -> tuple[Remember, Resolution | None]:
    home = home_of(ctx, author)
    resolved = None if checked.entity is None else await _resolve(ctx, sight, checked.entity)
    change = Remember(
        draft=FactDraft(
            home=home,
            entity=None if resolved is None else resolved.slug,
            text=checked.text,
            kind=params.kind or v.FactKind.FACT,
            visibility=params.visibility or v.Visibility.WORLD,
            provenance=checked.provenance,
            valid_until=checked.valid_until,
        ),
        supersedes=checked.supersedes,
        world_only=sight.world_only,
    )
    return change, resolved


async def _resolve(ctx: WriteCtx, sight: Sight, name: str) -> Resolution:
    """The entity that a name means, among what the writer sees; a similar name is another entity."""
    found = await ctx.store.reading.run(resolve, sight, name, instant=True)
    if not found.slug:
        raise invalid_params("entity names nothing: it holds no letter and no digit", _NAMELESS)
    return found


async def _similar(ctx: WriteCtx, sight: Sight, name: str, resolved: Resolution | None) -> list[v.Suggestion]:
    """Pages that may have been meant by a name that has none: told, and never used."""
    if resolved is None or resolved.hit is not None:
        return []
    floor, now_ms = ctx.settings.facts.score_floor, ctx.stamp().now_ms
    found = await ctx.store.reading.run(near_misses, sight, name, resolved.slug, floor, now_ms)
    return [suggestion for suggestion in found if suggestion.slug != resolved.slug]


def _remembered(ctx: WriteCtx, change: Remember, receipt: Receipt) -> v.RememberResult:
    if receipt.existing is not None:
        fact, status = receipt.existing, v.RememberStatus.DUPLICATE
        text = f"Known already, as fact {fact.fact_id}; nothing was stored."
    else:
        fact = _new_one(receipt.facts)
        superseded = change.supersedes is not None
        status = v.RememberStatus.SUPERSEDED if superseded else v.RememberStatus.INSERTED
        text = f"Remembered in the place of fact {change.supersedes}." if superseded else "Remembered."
        unreadable = fact.visibility is v.Visibility.PRIVATE and ctx.connection.remote
        text += _UNREADABLE if unreadable else ""
    return v.RememberResult(
        id=fact.fact_id,
        status=status,
        status_text=text,
        entity_slug=fact.entity,
        valid_until=iso_or_none(fact.valid_until),
        degraded_dedup=True,
    )


def _new_one(steps: tuple[FactStep, ...]) -> Fact:
    return next(step.after for step in steps if step.before is None)


async def _dry_remember(ctx: WriteCtx, change: Remember, author: Author) -> v.DryRun:
    await ctx.gate.screen.require_clean(change)
    planned = await look_ahead(ctx.store, change, author, ctx.settings.budgets, ctx.stamp())
    if (existing := planned.existing) is not None:
        return v.DryRun(
            dry_run=True,
            action=v.RememberStatus.DUPLICATE,
            id=existing.fact_id,
            entity_slug=existing.entity,
            valid_until=iso_or_none(existing.valid_until),
        )
    draft = change.draft
    return v.DryRun(
        dry_run=True,
        action="remember" if change.supersedes is None else "supersede",
        id=UNSET if change.supersedes is None else str(change.supersedes),
        entity_slug=draft.entity,
        valid_until=iso_or_none(draft.valid_until),
    )


async def forget(ctx: WriteCtx, params: v.ForgetParams) -> v.ForgetResult | v.DryRun:
    """VERBS-forget. Whatever is no fact in sight is ``not_found``; what has expired already is no error."""
    reason = cleaned_reason(params.reason)
    fact_id = fact_number(params.id)
    author = await author_for(ctx, params.session, fact_id)
    change = Forget(id=fact_id, reason=reason, world_only=ctx.connection.remote)
    if params.dry_run:
        await ctx.gate.screen.require_clean(change)
        planned = await look_ahead(ctx.store, change, author, ctx.settings.budgets, ctx.stamp())
        action = "forget" if planned.existing is None else "nothing"
        return v.DryRun(dry_run=True, action=action, id=str(fact_id))
    receipt = await ctx.gate.submit(change, author, ctx.connection.asker)
    return v.ForgetResult(id=str(fact_id), expired=receipt.existing is None, reason=reason)
