"""``schema``: the published shapes as JSON Schema."""

from typing import Final

import click

from keepgate.cli.common import Globals, command, pass_globals


@command("schema", example="keepgate schema Entry", short_help="Print a JSON Schema.")
@click.argument("name", metavar="[NAME]", required=False)
@pass_globals
def schema(given: Globals, name: str | None) -> None:
    """Print the JSON Schema of a document, a method or a type. Without NAME: the names there are."""
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.cli.schemas import names, schema_named  # noqa: PLC0415
    from keepgate.fronts.terminal.screen import Column  # noqa: PLC0415

    output = Output(given)
    if name is not None:
        found = schema_named(name)
        if found is None:
            raise click.UsageError(f"There is no schema {name}; keepgate schema lists the names.")
        output.document(found)
    elif given.as_json:
        output.document({"names": [one for one, _ in names()]})
    else:
        output.screen.table([Column(title="name"), Column(title="what")], names())


COMMANDS: Final = {"schema": schema}
