"""Memories in and out: ``export`` and ``import``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, agent_option, command, every_workspace, given_params, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls


@command(
    "export", example="keepgate export memories.json", short_help="Write every memory in view to a file."
)
@click.argument("path", metavar="[PATH|-]", default="-")
@click.option("--adapter", metavar="ID", help="Another format; see: keepgate call adapters/list")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@every_workspace
@pass_globals
def exporting(
    given: Globals,
    path: str,
    adapter: str | None,
    force: bool,
    all_workspaces: bool,
) -> None:
    """Write every memory of this workspace and of everywhere to PATH, or to stdout.

    More than 1,000 memories become several numbered files.
    """
    from keepgate.cli.files import documents_of, write_files  # noqa: PLC0415
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.cli.running import inside, progress, store_place  # noqa: PLC0415

    params = given_params(adapter=adapter, all_workspaces=all_workspaces)
    result = inside(given, lambda calls: calls.call("memory/export", params, progress=progress()))
    documents = documents_of(result, adapted=adapter is not None)
    output = Output(given)
    if path == "-":
        if given.as_json:
            output.document(result)
        else:
            output.text(_only(documents))
        return
    written = write_files(Path(path), documents, force=force, store=store_place(given)[0])
    if given.as_json:
        output.document({"paths": [str(one) for one in written]})
    else:
        for one in written:
            output.screen.line(f"Wrote {one}")


def _only(documents: list[str]) -> str:
    if len(documents) > 1:
        raise click.UsageError("More than 1,000 memories make several files; name a PATH for them.")
    return documents[0]


@command("import", example="keepgate import MEMORY.md --adapter claude-code-memory-md --dry-run",
         short_help="Bring memories in from a file.")  # fmt: skip
@click.argument("path", metavar="PATH|-")
@click.option("--adapter", metavar="ID", help="The file's format; see: keepgate call adapters/list")
@click.option("--dry-run", is_flag=True, help="Show what would come in; ask nobody, store nothing.")
@agent_option
@pass_globals
def importing(
    given: Globals,
    path: str,
    adapter: str | None,
    dry_run: bool,
    agent: str | None,
) -> None:
    """Bring in all memories of a file, after one question: all of them or none."""
    from keepgate.cli.running import progress, write  # noqa: PLC0415
    from keepgate.fronts.terminal.tables import import_result  # noqa: PLC0415
    from keepgate.protocol.portability import ImportResult  # noqa: PLC0415

    params = given_params(adapter=adapter, dry_run=dry_run) | _source(path, adapter)

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/import", params, progress=progress())

    write(given, work, ImportResult, lambda screen, result: import_result(screen, result, dry_run=dry_run),
          agent=agent)  # fmt: skip


def _source(path: str, adapter: str | None) -> dict[str, Any]:
    from keepgate.cli.streams import read_stdin  # noqa: PLC0415
    from keepgate.protocol.errors import Problem, invalid_input  # noqa: PLC0415
    from keepgate.protocol.wire import decode  # noqa: PLC0415

    if path != "-":
        return {"path": str(Path(path).absolute())}
    text = read_stdin().removeprefix("\ufeff")
    try:
        return {"payload": decode(text.encode())}
    except ValueError as error:
        if adapter is None:
            raise invalid_input(Problem("stdin", f"is not JSON: {error}")) from None
        return {"payload": text}


COMMANDS: Final = {"export": exporting, "import": importing}
