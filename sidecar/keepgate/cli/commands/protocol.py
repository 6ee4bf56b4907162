"""``protocol``: the verbs as a document, their certification, and what was called how often."""

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.conformance.runner import Outcome

CONTRACTS: Final = ("verbs", "dsh")


class Protocol(click.Group):
    """The group; without a subcommand it prints the specification."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take ``show`` for granted, unless help is asked for or a shell completes the line."""
        names_none = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        takes_show = names_none and not ctx.resilient_parsing
        return super().parse_args(ctx, ["show", *args] if takes_show else args)


@command("show", example="keepgate protocol --json", short_help="Print the seven verbs.")
@pass_globals
def show(given: Globals) -> None:
    """Print one line per verb; with --json the machine-readable specification of MEMORY_VERBS v1."""
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.derive.verbs_schema import protocol_document, signatures  # noqa: PLC0415

    output = Output(given)
    if given.as_json:
        output.document(protocol_document())
    else:
        output.text("\n".join(signatures()))


@command("conformance", example='keepgate protocol conformance --target "npx some-memory-server"',
         short_help="Certify a server.")  # fmt: skip
@click.option("--target", metavar="CMD|URL",
              help="mcp, lsp or in-process (this product, in a temporary store), a command, or an http(s) "
              "address. Default: this product.")  # fmt: skip
@click.option("--token", metavar="TOKEN", envvar="KEEPGATE_CONFORMANCE_TOKEN",
              help="Bearer token for an address; KEEPGATE_CONFORMANCE_TOKEN does the same.")  # fmt: skip
@click.option("--contract", type=click.Choice(CONTRACTS), default="verbs", show_default=True,
              help="MEMORY_VERBS v1, or dsh-memory-protocol v1.")  # fmt: skip
@click.option("--synthesize", is_flag=True, help="Call synthesize, too; it may cost money.")
@click.option("--strict/--no-strict", default=None,
              help="Also what is stricter than the contract. Default: only for this product.")  # fmt: skip
@click.option("--case", "pattern", metavar="GLOB", help="Only the cases of these ids, such as 'recall/*'.")
@click.option("--timeout", type=click.FloatRange(0.1, 3600), default=20.0, show_default=True, metavar="S",
              help="How long one answer may take, in seconds.")  # fmt: skip
@pass_globals
def conformance(given: Globals, **options: Any) -> None:
    """Run the cases of a contract against a server; exit code 0 only when none failed.

    A server that is not this product is written to: synthetic data with a marker that the run prints first.
    """
    from keepgate.cli.certifying import Wanted, certify  # noqa: PLC0415

    progress = _told if sys.stderr.isatty() else None
    if not certify(given, Wanted(**options), progress):
        click.get_current_context().exit(1)


def _told(outcome: "Outcome", number: int, total: int) -> None:
    """One line on stderr that the next one overwrites."""
    sys.stderr.write(f"\r\x1b[K{number}/{total} {outcome.id}" + ("\n" if outcome.status == "failed" else ""))
    if number == total:
        sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()


@command("stats", example="keepgate protocol stats --days 7", short_help="Show how the verbs were used.")
@click.option("--days", type=click.IntRange(min=1, max=3650), default=30, show_default=True, metavar="N",
              help="The last so many days.")  # fmt: skip
@pass_globals
def stats(given: Globals, days: int) -> None:
    """Show calls, errors, latency and budget drops of each verb, from the log on this machine."""
    from keepgate.cli.usage import show_stats  # noqa: PLC0415

    show_stats(given, days)


protocol = Protocol("protocol", short_help="The verbs as a document, and the certification of servers.",
                    help="The verbs of MEMORY_VERBS v1: their specification (the default), the certification "
                    "of any server, and how they were used here.")  # fmt: skip
for one in (show, conformance, stats):
    protocol.add_command(one)

COMMANDS: Final = {"protocol": protocol}
