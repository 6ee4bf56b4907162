"""Derived files are those of the present table; a stale one is named with what refreshes it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

DERIVED = ("schemas", "docs/reference", "client/node/src/generated")


def test_derived_files_are_fresh(run: Run) -> None:
    """``python -m keepgate.derive --check`` has nothing to say."""
    result = run("-m", "keepgate.derive", "--check")

    assert (0, "") == (result.returncode, result.stdout)


@pytest.mark.parametrize(
    "path",
    [
        "schemas/dsh-memory-protocol-v1.schema.json",
        "schemas/openrpc.json",
        "docs/reference/operations.md",
        "client/keepgate_client/calls.py",
        "client/node/src/generated/calls.ts",
    ],
)
def test_a_stale_file_is_named_with_its_remedy(run: Run, copy: Path, root: Path, path: str) -> None:
    """A changed file fails the check, which says how to write it anew."""
    for folder in DERIVED:
        shutil.copytree(root / folder, copy / folder, dirs_exist_ok=True)
    (copy / path).write_text((root / path).read_text(encoding="utf-8") + "\n", encoding="utf-8")

    result = run("-m", "keepgate.derive", "--check", "--root", str(copy))
    (copy / path).write_bytes((root / path).read_bytes())

    assert (1, [f"{path} is stale; refresh it with: python -m keepgate.derive"]) == (
        result.returncode,
        result.stdout.splitlines(),
    )
