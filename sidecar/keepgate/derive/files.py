"""The files that are derived, by their paths below the repository's root."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from keepgate.derive.python_client import CALLS_PATH, calls_module
from keepgate.protocol.ops import OPERATIONS


def derived_files() -> Mapping[str, str]:
    """The text of every derived file; each ends with a line end."""
    return {CALLS_PATH: calls_module(OPERATIONS)}


def stale_files(root: Path) -> Iterator[str]:
    """The paths of the files below ``root`` that are missing or differ from what would be written."""
    for path, text in derived_files().items():
        file = root / path
        if not file.is_file() or file.read_bytes() != text.encode():
            yield path


def write_files(root: Path) -> Iterator[str]:
    """Write the stale files below ``root`` and yield their paths; fresh ones are left untouched."""
    for path in list(stale_files(root)):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(derived_files()[path].encode())
        yield path


def checkout_root() -> Path | None:
    """The repository that this package is imported from; nothing when it is installed elsewhere."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "pyproject.toml").is_file() and (root / "sidecar" / "keepgate").is_dir() else None
