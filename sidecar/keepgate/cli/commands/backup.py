"""The whole store: ``backup`` and ``restore``."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls

RESTORING: Final = "Do that? y = yes, anything else = no: "


@command("backup", example="keepgate backup memory-backup.db", short_help="Copy the whole store to a file.")
@click.argument("path")
@pass_globals
def backup(given: Globals, path: str) -> None:
    """Copy the whole store, ledger included, to PATH, while others go on writing. The copy is verified."""
    from keepgate.cli.running import inside, progress  # noqa: PLC0415
    from keepgate.service import maintenance  # noqa: PLC0415

    target = str(Path(path).absolute())

    async def work(calls: "Calls") -> Any:
        return await maintenance.backup(calls.sidecar, target, progress())

    _shown(given, inside(given, work), f"Backed up to {target}")


@command(
    "restore", example="keepgate restore memory-backup.db", short_help="Put a backup in the store's place."
)
@click.argument("path")
@pass_globals
def restore(given: Globals, path: str) -> None:
    """Put a backup in the store's place, after asking on the terminal. What was there before is kept.

    The backup is checked whole first. It may take the place of a store that can no longer be read.
    """
    import asyncio  # noqa: PLC0415

    from keepgate.boot.compose import stamp_now  # noqa: PLC0415
    from keepgate.cli.running import controlling_terminal, progress, store_place  # noqa: PLC0415
    from keepgate.fronts.terminal.inbox import agree_to, nobody_here  # noqa: PLC0415
    from keepgate.service import maintenance  # noqa: PLC0415

    source = str(Path(path).absolute())
    store, state_folder = store_place(given)
    lines = [
        f"keepgate asks: put the backup {source}",
        f"in the place of the store {store}?",
        "What is there now is kept beside it. If it is damaged, close other keepgate processes first.",
    ]
    with controlling_terminal(given) as terminal:
        if terminal is None:
            raise nobody_here()
        here = terminal

        async def work() -> Any:
            await agree_to(here, lines, RESTORING)
            return await maintenance.restore(
                store, source, state_folder=state_folder, stamp_maker=stamp_now, progress=progress()
            )

        result = asyncio.run(work())
    _shown(given, result, f"Restored from {source}")


def _shown(given: Globals, result: Any, said: str) -> None:
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.protocol.wire import unstructure  # noqa: PLC0415

    document: dict[str, Any] = unstructure(result)
    output = Output(given)
    if given.as_json:
        output.document(document)
    else:
        output.screen.line(said)
        output.screen.fields(
            (_spoken(name), str(value)) for name, value in document.items() if value is not None
        )


def _spoken(name: str) -> str:
    return re.sub("([A-Z])", r" \1", name).lower()


COMMANDS: Final = {"backup": backup, "restore": restore}
