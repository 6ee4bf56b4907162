"""A command imports what it needs and nothing else: starting is most of what a short command costs."""

import pytest

HEAVY = ("pygls", "lsprotocol", "rich", "watchdog", "keepgate_client", "jsonschema", "http", "socketserver")
RUNNING = ("asyncio", "apsw", "cattrs", "logging")

_REPORT = """
import sys
from keepgate.cli.root import run
code = run(sys.argv[2:])
loaded = [name for name in sys.argv[1].split(",") if name in sys.modules]
print("loaded:", *loaded, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("command", "forbidden"),
    [
        ("--version", (*HEAVY, *RUNNING)),
        ("--help", (*HEAVY, *RUNNING)),
        ("add --help", (*HEAVY, *RUNNING)),
        ("where", (*HEAVY, "asyncio", "apsw")),
        ("completion bash", (*HEAVY, *RUNNING)),
        ("schema Entry", (*HEAVY, "apsw")),
        ("query x", HEAVY),
        ("budgets", HEAVY),
        ("--json status", HEAVY),
        ("proposals", HEAVY),
        ("add x", HEAVY),
        ("recall x", HEAVY),
        ("verify", HEAVY),
        ("export", HEAVY),
    ],
)
def test_a_command_loads_no_more_than_it_needs(keepgate, command, forbidden):
    """Neither the editor protocol nor rich nor file watching is loaded by a command in a pipe."""
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", _REPORT, ",".join(forbidden), *command.split()],
        capture_output=True,
        env=keepgate.environ,
        cwd=keepgate.workspace,
        start_new_session=True,
        check=True,
    )

    assert b"loaded:\n" == done.stderr.splitlines(keepends=True)[-1]


def test_the_version_is_the_packages(keepgate):
    """``--version`` says name and version."""
    from keepgate import __version__

    assert f"keepgate {__version__}\n" == keepgate.run("--version").out
