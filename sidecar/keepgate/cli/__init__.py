"""The command line. Each command is a module of its own, imported when it is used.

Invariants: starting does not import pygls, rich or asyncio; results go to stdout, everything else to stderr;
no option and no environment variable answers a question in the person's place.
"""


def main() -> None:
    """Run the command line of this process and exit with its code (``protocol.errors.ExitCode``)."""
    import gc  # noqa: PLC0415 - the import of this package alone costs nothing
    import sys  # noqa: PLC0415

    # Nothing that is loaded becomes garbage, and looking for it takes a tenth of a short command.
    gc.disable()

    from keepgate.cli.root import run  # noqa: PLC0415

    sys.exit(run(sys.argv[1:]))
