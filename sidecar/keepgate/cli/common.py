"""What every command shares: the global options, which may stand before or after the command's name."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click
from attrs import define

LOG_LEVELS: Final = ("debug", "info", "warning", "error")
TRACKS: Final = ("user", "agent")
SCOPES: Final = ("workspace", "user-global")

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@define(kw_only=True)
class Globals:
    """The global options as given so far."""

    workspace: str | None = None
    store: str | None = None
    as_json: bool = False
    no_color: bool = False
    log_level: str | None = None


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    # Given once on either side of the command's name is given; a default must not undo it.
    if value not in (None, False):
        assert parameter.name is not None
        setattr(context.find_root().ensure_object(Globals), parameter.name, value)


def global_options() -> list[click.Option]:
    """The options that every command takes."""
    path = click.Path(path_type=str)
    return [
        click.Option(["--workspace"], type=path, expose_value=False, callback=_keep, metavar="PATH",
                     help="The workspace; default: found from the working directory."),
        click.Option(["--store"], type=click.Path(path_type=str, resolve_path=True), expose_value=False,
                     callback=_keep, metavar="PATH", help="The store's file."),
        click.Option(["--json", "as_json"], is_flag=True, expose_value=False, callback=_keep,
                     help="Print one JSON document on stdout, errors too."),
        click.Option(["--no-color", "no_color"], is_flag=True, expose_value=False, callback=_keep,
                     help="No colours; NO_COLOR does the same."),
        click.Option(["--log-level", "log_level"], type=click.Choice(LOG_LEVELS), expose_value=False,
                     callback=_keep, help="What to log on stderr; debug shows tracebacks."),
    ]  # fmt: skip


class Command(click.Command):
    """A command that also takes the global options, and whose help keeps the example as it is written."""

    def __init__(self, *args: Any, example: str = "", **named: Any) -> None:
        super().__init__(*args, **named)
        self.params.extend(global_options())
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example."""
        if self.example:
            with formatter.section("Example"):
                formatter.write("".join(f"  {line}\n" for line in self.example.splitlines()))


def command(name: str, *, example: str, **named: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command of this command line."""
    return click.command(name, cls=Command, example=example, **named)


def pass_globals(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the global options to a command as its first argument."""
    return click.pass_obj(function)


def options(*some: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator, in the order of help."""

    def decorate(function: Decorated) -> Decorated:
        for option in reversed(some):
            function = option(function)
        return function

    return decorate


layer_options = options(
    click.option("--track", type=click.Choice(TRACKS), help="About the user, or an agent's notes."),
    click.option("--scope", type=click.Choice(SCOPES), help="This workspace, or everywhere."),
)

agent_option = click.option("--agent", metavar="NAME", help="Speak for this agent preset.")

viewer_options = options(
    agent_option,
    click.option(
        "--as-session", is_flag=True, help="Read as a session does: shared entries and those of --agent."
    ),
)

every_workspace = click.option("--all-workspaces", is_flag=True, help="Look into every workspace.")


def given_params(**named: Any) -> dict[str, Any]:
    """Params in wire names, without what was not given."""
    from keepgate.protocol.naming import camel  # noqa: PLC0415

    return {
        camel(name): list(value) if isinstance(value, tuple) else value
        for name, value in named.items()
        if value is not None and value is not False and value != ()
    }
