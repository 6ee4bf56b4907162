"""Is all well, and where is it: ``status``, ``doctor`` and ``where``."""

import os
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls
    from keepgate.service.maintenance import Finding


@command("status", example="keepgate status", short_help="Show the store's state.")
@pass_globals
def status(given: Globals) -> None:
    """Show the store's state: whether a write goes through, counts, paths. Exit code 7 on an error."""
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.cli.running import inside  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import status_card  # noqa: PLC0415
    from keepgate.protocol.entries import StatusResult  # noqa: PLC0415
    from keepgate.protocol.errors import ExitCode  # noqa: PLC0415

    document = inside(given, lambda calls: calls.call("memory/status", {}))
    Output(given).result(document, StatusResult, status_card)
    if document["health"] == "error":
        click.get_current_context().exit(ExitCode.STORE)


@command("doctor", example="keepgate doctor", short_help="Look for problems, and say how to fix each.")
@pass_globals
def doctor(given: Globals) -> None:
    """Look at the store and its surroundings and say how to fix what is wrong; exit code 1 for problems."""
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import findings_card  # noqa: PLC0415
    from keepgate.protocol.errors import ExitCode  # noqa: PLC0415
    from keepgate.protocol.wire import unstructure  # noqa: PLC0415

    findings = _findings(given)
    healthy = all(one.ok for one in findings)
    output = Output(given)
    if given.as_json:
        output.document({"ok": healthy, "findings": unstructure(findings)})
    else:
        findings_card(output.screen, findings)
    if not healthy:
        click.get_current_context().exit(ExitCode.FAILED)


def _findings(given: Globals) -> "list[Finding]":
    from keepgate.cli.running import inside  # noqa: PLC0415
    from keepgate.protocol.errors import ExitCode, Fault  # noqa: PLC0415
    from keepgate.service.maintenance import Finding, examine  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        return await examine(calls.sidecar)

    try:
        found: list[Finding] = inside(given, work)
    except Fault as fault:
        name = "store" if fault.exit_code is ExitCode.STORE else "settings"
        return [Finding(ok=False, name=name, message=f"{fault.code}: {fault.message}", fix=fault.suggestion)]
    return found


@command("where", example="keepgate where", short_help="Print where everything lives.")
@pass_globals
def where(given: Globals) -> None:
    """Print the paths of the configuration, the data, the state and the store."""
    from attrs import evolve  # noqa: PLC0415

    from keepgate.boot.places import find_places  # noqa: PLC0415
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.fronts.terminal.screen import Column  # noqa: PLC0415

    places = find_places(os.environ)
    if given.store is not None:
        places = evolve(places, store_path=given.store)
    output = Output(given)
    if given.as_json:
        output.document({name: {"path": path, "exists": exists} for name, path, exists in places.table()})
        return
    columns = [Column(title="what"), Column(title="there"), Column(title="path")]
    output.screen.table(
        columns, [[name, "yes" if exists else "no", path] for name, path, exists in places.table()]
    )


COMMANDS: Final = {"status": status, "doctor": doctor, "where": where}
