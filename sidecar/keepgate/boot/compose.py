"""Putting store, gate and service together."""

import os
import time
import uuid
from collections.abc import Callable
from importlib.metadata import entry_points

from attrs import evolve

from keepgate.adapters.built_in import BUILT_IN
from keepgate.adapters.registry import Registry
from keepgate.boot.places import Places
from keepgate.boot.projects import Projects
from keepgate.core.model.stamp import Stamp
from keepgate.gate.gate import Gate
from keepgate.protocol.settings import Settings
from keepgate.service.connection import Connection
from keepgate.service.dispatch import require_complete
from keepgate.service.events import Broadcast
from keepgate.service.sidecar import Sidecar
from keepgate.store.memory import Writer
from keepgate.store.open import Store, open_store


def stamp_now() -> Stamp:
    """This moment, with random ids and salts."""
    return Stamp(
        now_ms=time.time_ns() // 1_000_000,
        new_id=lambda: str(uuid.uuid4()),
        new_salt=lambda: os.urandom(16).hex(),
    )


async def compose(settings: Settings, places: Places, *, stamp: Callable[[], Stamp] = stamp_now) -> Sidecar:
    """See :func:`keepgate.boot.open_sidecar`; ``stamp`` says what time it is, and makes ids and salts."""
    require_complete()
    path = settings.store_path or places.store_path
    store = await open_store(path, state_folder=places.state_folder, stamp_maker=stamp)
    try:
        return _over(store, evolve(settings, store_path=path), stamp)
    except BaseException:
        await store.close()
        raise


def _over(store: Store, settings: Settings, stamp: Callable[[], Stamp]) -> Sidecar:
    connections: list[Connection] = []
    broadcast = Broadcast(lambda: connections)
    projects = Projects(
        settings,
        lambda key: {item.path for each in connections for item in each.workspaces if item.key == key},
    )
    gate = Gate(
        writer=Writer(store), store=store, rules_for=projects.rules_for, announcer=broadcast, stamp=stamp
    )
    return Sidecar(
        store=store,
        gate=gate,
        settings=settings,
        rules_for=projects.rules_for,
        registry=Registry(BUILT_IN, lambda: entry_points(group="keepgate.adapters")),
        stamp=stamp,
        broadcast=broadcast,
        connections=connections,
    )
