"""The stage: a temporary store, a screen, and somebody who answers."""

import asyncio
import os
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any, Final

from keepgate.cli.common import Globals
from keepgate.cli.output import Output
from keepgate.cli.running import controlling_terminal
from keepgate.cli.tryout.answers import ALLOW_ONCE, REJECT, SHOW_CHANGE, Answering, Person, Scripted
from keepgate.cli.tryout.play import Play
from keepgate.fronts.terminal.screen import Look, Screen

SCRIPT: Final = (ALLOW_ONCE, SHOW_CHANGE, REJECT)


def perform(given: Globals, *, scripted: bool) -> None:
    """Play the whole show. Raises what the sidecar's own faults are, and ``OSError`` when it cannot start."""
    output = Output(given)
    with controlling_terminal(given) as terminal, tempfile.TemporaryDirectory(prefix="keepgate-try-") as home:
        person = None if scripted or given.as_json or not sys.stdout.isatty() else terminal
        answering: Answering = Person(person) if person is not None else Scripted(SCRIPT)
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a device
            quiet = Screen(stream=nowhere, look=Look(boxes=False, colour=False))
            play = Play(screen=quiet if given.as_json else output.screen, answering=answering)
            play.opening(Path(home), scripted=person is None)
            seen = asyncio.run(_play(play, given, Path(home)))
    if given.as_json:
        output.document({"scripted": person is None, **seen})


async def _play(play: Play, given: Globals, home: Path) -> dict[str, Any]:
    workspace = Path(given.workspace or os.getcwd()).absolute()  # noqa: PTH109
    with resources.as_file(resources.files("keepgate.cli") / "samples" / "MEMORY.md") as sample:
        return await play.through(workspace, home, sample)
