"""The whole store: ``backup`` and ``restore``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls

RESTORING: Final = "Put this backup in the store's place? y = yes, anything else = no: "


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
    """Put a backup in the store's place, after asking on the terminal. The store before it is kept."""
    from keepgate.cli.running import controlling_terminal, inside, progress  # noqa: PLC0415
    from keepgate.fronts.terminal.inbox import agree_to, nobody_here  # noqa: PLC0415
    from keepgate.service import maintenance  # noqa: PLC0415

    source = str(Path(path).absolute())

    with controlling_terminal(given) as terminal:
        if terminal is None:
            raise nobody_here()
        here = terminal

        async def work(calls: "Calls") -> Any:
            lines = [
                f"keepgate asks: replace the store {calls.sidecar.store.path}",
                f"by the backup {source}",
            ]
            await agree_to(here, lines, RESTORING)
            return await maintenance.restore(calls.sidecar, source, progress())

        result = inside(given, work)
    _shown(given, result, f"Restored from {source}")


def _shown(given: Globals, result: Any, said: str) -> None:
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.protocol.wire import unstructure  # noqa: PLC0415

    document = unstructure(result)
    output = Output(given)
    if given.as_json:
        output.document(document)
    else:
        output.screen.line(said)
        output.screen.fields((str(name), str(value)) for name, value in document.items())


COMMANDS: Final = {"backup": backup, "restore": restore}
