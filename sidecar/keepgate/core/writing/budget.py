"""Budgets: hard, honest, per layer (DSH-5)."""

from collections.abc import Mapping

from attrs import frozen

from keepgate.core.model.entry import Layer
from keepgate.protocol.entries import Usage
from keepgate.protocol.errors import budget_exceeded
from keepgate.protocol.settings import Budgets


@frozen(kw_only=True)
class LayerUse:
    """What a change does to a layer, in UTF-16 units."""

    layer: Layer
    before: int
    after: int
    limit: int

    @property
    def usage(self) -> Usage:
        """The layer after the change, as reports show it."""
        return Usage(track=self.layer.track, scope=self.layer.scope, used=self.after, limit=self.limit)


def weigh(used: Mapping[Layer, int], deltas: Mapping[Layer, int], budgets: Budgets) -> tuple[LayerUse, ...]:
    """Every layer that a change touches, before and after; nothing is refused here."""
    return tuple(
        LayerUse(
            layer=layer,
            before=used[layer],
            after=used[layer] + delta,
            limit=budgets.limit(layer.track, layer.scope),
        )
        for layer, delta in deltas.items()
    )


def require_room(uses: tuple[LayerUse, ...]) -> None:
    """Raise ``BUDGET_EXCEEDED`` for the first layer that would grow past its budget.

    A layer that is over its budget already, because the budget was lowered, may still shrink.
    """
    for use in uses:
        if use.after > use.limit and use.after > use.before:
            raise budget_exceeded(
                track=use.layer.track,
                scope=use.layer.scope,
                used=use.before,
                limit=use.limit,
                needed=use.after,
            )
