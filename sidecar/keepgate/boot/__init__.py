"""The composition root: the only place that puts store, gate and service together.

``places`` and ``config`` say where things are and how they are set; whoever asks only that does not pay for
the rest.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgate.boot.places import Places
    from keepgate.protocol.settings import Settings
    from keepgate.service.sidecar import Sidecar


async def open_sidecar(settings: "Settings", places: "Places") -> "Sidecar":
    """Open the store and build everything over it. Raises the ``STORE_*`` faults."""
    from keepgate.boot.compose import compose  # noqa: PLC0415 - `keepgate where` must not load the product

    return await compose(settings, places)
