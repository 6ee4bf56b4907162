"""The whole store: ``backup`` and ``restore``."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls
    from keepgate.fronts.terminal.tty import Terminal

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
    """Put a backup in the store's place, after asking on the terminal. The store before it is kept."""
    from keepgate.cli.files import set_aside  # noqa: PLC0415
    from keepgate.cli.running import controlling_terminal  # noqa: PLC0415
    from keepgate.fronts.terminal.inbox import nobody_here  # noqa: PLC0415
    from keepgate.protocol.errors import Code, Fault  # noqa: PLC0415

    source = str(Path(path).absolute())
    with controlling_terminal(given) as terminal:
        if terminal is None:
            raise nobody_here()
        try:
            result = _restored(given, terminal, source, asking=True)
        except Fault as fault:
            store = str(fault.details.get("path", ""))
            if fault.code is not Code.STORE_CORRUPT or store == source:
                raise
            # What cannot be read cannot be restored into: it makes room, and nothing of it is thrown away.
            _agreed(
                terminal,
                [
                    f"The store {store} cannot be read: {fault.message}",
                    f"keepgate asks: set it aside, unchanged, and restore {source} in its place?",
                    "Other keepgate processes that still have it open should be closed first.",
                ],
            )
            set_aside(Path(store))
            result = _restored(given, terminal, source, asking=False)
    _shown(given, result, f"Restored from {source}")


def _restored(given: Globals, terminal: "Terminal", source: str, *, asking: bool) -> Any:
    from keepgate.cli.running import inside, progress  # noqa: PLC0415
    from keepgate.fronts.terminal.inbox import agree_to  # noqa: PLC0415
    from keepgate.service import maintenance  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        if asking:
            lines = [
                f"keepgate asks: put the backup {source}",
                f"in the place of the store {calls.sidecar.store.path}?",
                "A copy of the store as it is now is kept beside it.",
            ]
            await agree_to(terminal, lines, RESTORING)
        return await maintenance.restore(calls.sidecar, source, progress())

    return inside(given, work)


def _agreed(terminal: "Terminal", lines: Sequence[str]) -> None:
    import asyncio  # noqa: PLC0415

    from keepgate.fronts.terminal.inbox import agree_to  # noqa: PLC0415

    asyncio.run(agree_to(terminal, lines, RESTORING))


def _shown(given: Globals, result: Any, said: str) -> None:
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.protocol.wire import unstructure  # noqa: PLC0415

    document: dict[str, Any] = unstructure(result)
    output = Output(given)
    if given.as_json:
        output.document(document)
    else:
        output.screen.line(said)
        output.screen.fields((_spoken(name), str(value)) for name, value in document.items())


def _spoken(name: str) -> str:
    return re.sub("([A-Z])", r" \1", name).lower()


COMMANDS: Final = {"backup": backup, "restore": restore}
