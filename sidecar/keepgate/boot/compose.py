"""Putting store, gate and service together."""

import os
import time
import uuid
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from attrs import evolve

from keepgate.adapters.built_in import BUILT_IN
from keepgate.adapters.contract import EntryPointLike
from keepgate.adapters.registry import Registry
from keepgate.boot.known_secrets import known_secrets
from keepgate.boot.places import Places
from keepgate.boot.projects import Projects
from keepgate.core.model.stamp import Stamp
from keepgate.gate.approvers import Announcer
from keepgate.gate.gate import Gate
from keepgate.gate.page_writing import PageDisk, PageWriting
from keepgate.gate.policies import RulesFor
from keepgate.gate.screening import Screen
from keepgate.pages.disk import Disk
from keepgate.pages.keeping import Pages
from keepgate.protocol.settings import Settings
from keepgate.service.connection import Connection
from keepgate.service.dispatch import require_complete
from keepgate.service.events import Broadcast
from keepgate.service.pages.homes import homes_of
from keepgate.service.sidecar import Sidecar
from keepgate.service.usage import UsageLog
from keepgate.store.memory import Writer
from keepgate.store.open import Store, open_store

PAGE_LOCKS: Final = "pages"
"""The folder of locks inside the state folder."""


def stamp_now() -> Stamp:
    """This moment, with random ids and salts."""
    return Stamp(
        now_ms=time.time_ns() // 1_000_000,
        new_id=lambda: str(uuid.uuid4()),
        new_salt=lambda: os.urandom(16).hex(),
    )


async def compose(
    settings: Settings,
    places: Places,
    *,
    stamp: Callable[[], Stamp] = stamp_now,
    disk: Callable[[str], PageDisk] = Disk,
) -> Sidecar:
    """See :func:`keepgate.boot.open_sidecar`; ``stamp`` says what time it is, and makes ids and salts.

    ``disk`` makes what reads and writes page files, given a folder for its locks.
    """
    require_complete()
    path = settings.store_path or places.store_path
    store = await open_store(path, state_folder=places.state_folder, stamp_maker=stamp)
    try:
        return _over(store, evolve(settings, store_path=path), stamp, places, disk)
    except BaseException:
        await store.close()
        raise


def _installed_adapters() -> Iterable[EntryPointLike]:
    # What reads the metadata of packages takes longer to load than to run, and only adapters want it.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return entry_points(group="keepgate.adapters")


def _over(
    store: Store,
    settings: Settings,
    stamp: Callable[[], Stamp],
    places: Places,
    disk: Callable[[str], PageDisk],
) -> Sidecar:
    connections: list[Connection] = []
    broadcast = Broadcast(lambda: connections)
    projects = Projects(
        settings,
        lambda key: {item.path for each in connections for item in each.workspaces if item.key == key},
    )
    locks = str(Path(store.state_folder) / PAGE_LOCKS)
    files = disk(locks)
    homes = partial(homes_of, connections, projects.rules_for, places.data_folder)
    pages = Pages(store=store, stamp=stamp, lock_folder=locks, homes=homes)
    gate = _gate(store, files, pages, projects.rules_for, broadcast, stamp)
    usage = UsageLog(state_folder=store.state_folder, now_ms=lambda: stamp().now_ms, on=settings.usage_log)
    usage.stamp_installed()
    return Sidecar(
        store=store,
        gate=gate,
        settings=settings,
        rules_for=projects.rules_for,
        registry=Registry(BUILT_IN, _installed_adapters),
        stamp=stamp,
        broadcast=broadcast,
        connections=connections,
        data_folder=places.data_folder,
        page_files=files,
        pages=pages,
        usage=usage,
    )


def _gate(
    store: Store,
    files: PageDisk,
    pages: Pages,
    rules_for: RulesFor,
    announcer: Announcer,
    stamp: Callable[[], Stamp],
) -> Gate:
    writer = Writer(store, files)
    return Gate(
        writer=writer,
        store=store,
        rules_for=rules_for,
        announcer=announcer,
        stamp=stamp,
        pages=PageWriting(writer, store, files, pages.written),
        screen=Screen(known_secrets),
    )
