"""``python -m keepgate.derive [--check] [--root PATH]``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from keepgate.derive.files import checkout_root, stale_files, write_files

COMMAND = "python -m keepgate.derive"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the derived files; 0 when all is well, 1 when a file is stale, 2 on wrong usage."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="Write the files derived from the operation table."
    )
    parser.add_argument("--check", action="store_true", help="write nothing, exit with 1 if a file is stale")
    parser.add_argument("--root", type=Path, help="the repository; default: the one this package is in")
    options = parser.parse_args(arguments)
    root = options.root or checkout_root()
    if root is None or not root.is_dir():
        parser.error("--root must name a repository: this package is not imported from one")
    if options.check:
        return _check(root)
    for path in write_files(root):
        sys.stdout.write(f"wrote {path}\n")
    return 0


def _check(root: Path) -> int:
    stale = list(stale_files(root))
    for path in stale:
        sys.stdout.write(f"{path} is stale; refresh it with: {COMMAND}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
