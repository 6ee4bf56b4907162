"""What is synced, and how, on each platform."""

import os
import stat
from pathlib import Path

import pytest

from keepgate.store.syncing import needs_full_sync, sync_file, write_whole


@pytest.mark.parametrize(
    ("platform", "expected"), [("darwin", True), ("linux", False), ("win32", False), ("cygwin", False)]
)
def test_only_macos_must_be_asked_for_a_full_sync(platform: str, expected: bool) -> None:
    """Everywhere else ``fsync`` reaches the disk."""
    assert expected == needs_full_sync(platform)


def test_a_file_is_written_whole_for_this_user_alone(tmp_path: Path) -> None:
    """It takes the place of what was there, and nothing stays beside it."""
    path = tmp_path / "anchor.json"
    for content in (b"first", b"second"):
        write_whole(path, content)
    sync_file(str(path))

    assert ([path], b"second") == (list(tmp_path.iterdir()), path.read_bytes())
    if os.name == "posix":
        assert 0o600 == stat.S_IMODE(path.stat().st_mode)
