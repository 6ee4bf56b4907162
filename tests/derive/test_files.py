"""Writing and checking the derived files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from keepgate.derive.__main__ import main
from keepgate.derive.files import checkout_root, derived_files, stale_files


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as people run it."""
    command = [sys.executable, "-m", "keepgate.derive", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)


def test_the_repository_is_fresh() -> None:
    """The committed files are what the table gives today; if not: ``python -m keepgate.derive``."""
    root = checkout_root()

    assert root is not None
    assert [] == list(stale_files(root))


def test_check_names_each_stale_file_and_the_command(checkout: Path) -> None:
    """An edited file, a missing file and an added line end are all stale; the exit code is 1."""
    (checkout / "schemas/openrpc.json").write_text("{}\n")
    (checkout / "docs/reference/errors.md").unlink()
    with (checkout / "schemas/settings.schema.json").open("a") as file:
        file.write("\n")

    done = run("--check", "--root", str(checkout))

    assert (1, "") == (done.returncode, done.stderr)
    assert {
        "schemas/openrpc.json is stale; refresh it with: python -m keepgate.derive",
        "docs/reference/errors.md is stale; refresh it with: python -m keepgate.derive",
        "schemas/settings.schema.json is stale; refresh it with: python -m keepgate.derive",
    } == set(done.stdout.splitlines())


def test_check_is_silent_when_all_is_fresh(checkout: Path) -> None:
    """Nothing to say, exit code 0, nothing touched."""
    before = {path: (checkout / path).stat().st_mtime_ns for path in derived_files()}

    done = run("--check", "--root", str(checkout))

    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert before == {path: (checkout / path).stat().st_mtime_ns for path in derived_files()}


def test_writing_refreshes_what_is_stale_alone(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fresh file is left as it is, a stale one is written, and a second run has nothing to do."""
    stale = checkout / "docs/reference/settings.md"
    stale.write_text("old\n")
    fresh = checkout / "schemas/openrpc.json"
    before = fresh.stat().st_mtime_ns

    code = main(["--root", str(checkout)])

    assert (0, "wrote docs/reference/settings.md\n") == (code, capsys.readouterr().out)
    assert before == fresh.stat().st_mtime_ns
    assert [] == list(stale_files(checkout))


def test_writing_into_an_empty_folder(tmp_path: Path) -> None:
    """Folders are made as needed."""
    main(["--root", str(tmp_path)])

    assert [] == list(stale_files(tmp_path))


def test_a_root_that_is_none_is_wrong_usage(tmp_path: Path) -> None:
    """A missing folder is refused with exit code 2 before anything is written."""
    done = run("--check", "--root", str(tmp_path / "none"))

    assert 2 == done.returncode
    assert "--root must name a repository" in done.stderr


def test_output_is_the_same_in_every_process(checkout: Path) -> None:
    """Hash seeds and order of imports leave no trace."""
    done = subprocess.run(
        [sys.executable, "-m", "keepgate.derive", "--check", "--root", str(checkout)],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        timeout=200,
        check=False,
    )

    assert 0 == done.returncode


@pytest.mark.parametrize("path", derived_files())
def test_files_end_with_one_line_end(path: str) -> None:
    """No blank end, no blanks at line ends, no carriage returns."""
    text = derived_files()[path]

    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text
    assert [] == [line for line in text.split("\n") if line != line.rstrip()]
