"""The group of all commands, and the one place where a failure becomes an exit code."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from keepgate import __version__
from keepgate.cli import streams
from keepgate.cli.common import Globals, global_options

PROGRAM: Final = "keepgate"
COMPLETE_VARIABLE: Final = "_KEEPGATE_COMPLETE"

COMMANDS: Final = {
    "serve": "serve",
    "mcp": "mcp",
    "install": "install",
    "try": "trying",
    "add": "writing",
    "replace": "writing",
    "remove": "writing",
    "consolidate": "writing",
    "undo": "writing",
    "query": "reading",
    "list": "reading",
    "show": "reading",
    "history": "reading",
    "why": "reading",
    "budgets": "reading",
    "snapshot": "reading",
    "recall": "verbs",
    "remember": "verbs",
    "forget": "verbs",
    "entity": "verbs",
    "synthesize": "verbs",
    "context-pack": "verbs",
    "delta": "verbs",
    "pages": "pages",
    "reindex": "pages",
    "hook": "hook",
    "audit": "ledger",
    "verify": "ledger",
    "inbox": "proposals",
    "proposals": "proposals",
    "grants": "grants",
    "session": "session",
    "quarantine": "quarantine",
    "release": "quarantine",
    "export": "portability",
    "import": "portability",
    "purge": "purging",
    "backup": "backup",
    "restore": "backup",
    "status": "health",
    "doctor": "health",
    "where": "health",
    "call": "call",
    "protocol": "protocol",
    "schema": "schema",
    "completion": "completion",
}
"""Every command and the module under ``commands`` whose ``COMMANDS`` holds it, in the order of help."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"keepgate.cli.commands.{COMMANDS[cmd_name]}")
        found: click.Command = module.COMMANDS[cmd_name]
        return found


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 ok, 1 failed, 2 usage, 3 denied, 4 not found, 5 ambiguous or conflict, "
    "6 over budget, 7 store problem. Errors are told on stderr; with --json they are also the document on "
    'stdout: {"error": {"code", "message", "details", "suggestion"}}.',
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
def keepgate() -> None:
    """A memory that stores only what a person has seen and allowed."""


keepgate.params.extend(global_options())


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. No failure escapes as an exception."""
    streams.prepare()
    if COMPLETE_VARIABLE in os.environ:
        importlib.import_module("keepgate.cli.completing")
    given = Globals()
    try:
        code = keepgate.main(
            list(arguments) or ["--help"],
            prog_name=PROGRAM,
            complete_var=COMPLETE_VARIABLE,
            standalone_mode=False,
            # A memory may well hold a star or a percent sign; it is stored as it was typed on every system.
            windows_expand_args=False,
            obj=given,
        )
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_left()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost edge: reported, with a code
        return _failed(error, arguments, given)
    return code if isinstance(code, int) else 0


def _failed(error: BaseException, arguments: Sequence[str], given: Globals) -> int:
    from keepgate.cli import failures  # noqa: PLC0415 - a command that succeeds does not need them

    failure = failures.failure_of(error)
    # After a usage error the options may not have been read, so the words themselves are looked at.
    json_wanted = given.as_json or "--json" in arguments[: _end_of_options(arguments)]
    if given.log_level == "debug" and failure.unforeseen:
        failures.log_traceback(error)
    try:
        failures.report(failure, json_wanted=json_wanted)
    except BrokenPipeError:
        return _reader_left()
    return failure.exit_code


def _end_of_options(arguments: Sequence[str]) -> int:
    return arguments.index("--") if "--" in arguments else len(arguments)


def _reader_left() -> int:
    # Whoever read stdout wants no more; without this the interpreter would complain once more at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
