"""Every operation, fault and command is exercised by some test that starts the real thing."""

import re
from collections.abc import Mapping

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES

REAL = (
    "tests/fronts/",
    "tests/conformance/",
    "tests/service/",
    "tests/cli/",
    "tests/faults/",
    "tests/client/test_sidecar",
)
"""Where tests run against a sidecar or its process, not against a part of it."""


@pytest.fixture(scope="module")
def real(tests: Mapping[str, str]) -> str:
    """The text of every such test."""
    return "\n".join(text for path, text in tests.items() if path.startswith(REAL))


def test_every_operation_is_exercised(real: str) -> None:
    """Each method is called by its name."""
    missing = [row.name for row in OPERATIONS if f'"{row.name}"' not in real]

    assert [] == missing, f"no test calls {', '.join(missing)}"


def test_every_message_of_the_server_is_exercised(real: str) -> None:
    """Each notification and request of the server is looked at by its name."""
    missing = [message.name for message in SERVER_MESSAGES if not re.search(rf"\b{message.name}\b", real)]

    assert [] == missing, f"no test looks at {', '.join(missing)}"


def test_every_fault_is_provoked(real: str) -> None:
    """Each code is expected by name."""
    missing = [str(code) for code in Code if not re.search(rf"\b{code}\b", real)]

    assert [] == missing, f"no test provokes {', '.join(missing)}"
