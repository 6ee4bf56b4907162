"""From a command to its result: the terminal, the event loop and the sidecar, for one command."""

import asyncio
import gc
import locale
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.cli.common import Globals
from keepgate.cli.output import Output
from keepgate.cli.streams import output_encoding
from keepgate.fronts.terminal.calls import Calls, Entrance, entered
from keepgate.fronts.terminal.progress import progress_on
from keepgate.fronts.terminal.screen import Screen, look_for
from keepgate.fronts.terminal.tty import Terminal, open_terminal
from keepgate.service.connection import Progress

T = TypeVar("T")


@contextmanager
def controlling_terminal(given: Globals) -> Iterator[Terminal | None]:
    """The terminal where the person sits, or ``None``."""
    announced = (
        sys.stdout.encoding if sys.stdout.isatty() else locale.getpreferredencoding(do_setlocale=False)
    )
    terminal = open_terminal(
        output_encoding(os.environ, is_terminal=True, announced=announced),
        colour=look_for(os.environ, is_terminal=True, no_color=given.no_color).colour,
    )
    try:
        yield terminal
    finally:
        if terminal is not None:
            terminal.close()


def progress() -> Progress:
    """Progress on stderr, where that is a terminal."""
    return progress_on(sys.stderr)


def store_place(given: Globals) -> tuple[str, str]:
    """The paths of the store and of the state folder, without opening anything. Raises ``INVALID_INPUT``."""
    places = find_places(os.environ)
    options = {"storePath": given.store} if given.store is not None else None
    settings = load_settings(places, os.environ, options=options)
    return settings.store_path or places.store_path, places.state_folder


def inside(
    given: Globals,
    work: Callable[[Calls], Awaitable[T]],
    *,
    agent: str | None = None,
    terminal: Terminal | None = None,
    may_decide: bool = False,
    insists: bool = False,
    show: Callable[[T], None] | None = None,
) -> T:
    """Do ``work`` with an open sidecar, in an event loop of its own, and return its result.

    ``show`` prints the result; what the operations owe after their reply is done once that is written out.
    """
    if given.log_level is not None:
        logging.basicConfig(
            level=given.log_level.upper(), format="keepgate: %(levelname)s %(name)s: %(message)s"
        )
    entrance = Entrance(workspace=given.workspace, store=given.store, agent=agent or "")

    async def run() -> T:
        async with entered(entrance, terminal=terminal, may_decide=may_decide, insists=insists) as calls:
            # Loaded it is; from now on there may be garbage.
            gc.freeze()
            gc.enable()
            result = await work(calls)
            if show is not None:
                show(result)
                sys.stdout.flush()
                await calls.after_reply.written()
            return result

    return asyncio.run(run())


def read(
    given: Globals,
    work: Callable[[Calls], Awaitable[Any]],
    cls: type[T],
    render: Callable[[Screen, T], None],
    *,
    agent: str | None = None,
) -> None:
    """Do a read and show its result."""
    inside(given, work, agent=agent, show=lambda result: Output(given).result(result, cls, render))


def write(
    given: Globals,
    work: Callable[[Calls], Awaitable[Any]],
    cls: type[T],
    render: Callable[[Screen, T], None],
    *,
    agent: str | None,
    insists: bool = False,
) -> None:
    """Do a write, asking the person at the terminal, and show its result.

    Where it ``insists``, the person can type a word to store what looks like a secret.
    """
    with controlling_terminal(given) as terminal:
        document = inside(given, work, agent=agent, terminal=terminal, insists=insists)
    Output(given).result(document, cls, render)
