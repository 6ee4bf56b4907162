"""Reading and writing page files on a real disk."""

import errno
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from keepgate.pages import files
from keepgate.pages.folders import UnusableError
from keepgate.protocol.pages import PAGE_BYTES_MAX


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root, resolved as the product resolves it."""
    folder = Path(os.path.realpath(tmp_path)) / "work" / "pages"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, with less room than a page may have."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def put(root: Path, path: str, content: str, before: str | None = None) -> bool:
    digest = None if before is None else sha(before)
    return files.write(str(root), path, content, digest_before=digest, home=str(root.parent))


def names(root: Path) -> list[str]:
    return sorted(str(item.relative_to(root)) for item in root.rglob("*") if item.is_file())


def test_a_page_is_made_with_its_folders_and_read_back(root: Path) -> None:
    """Bytes as they came: line endings, a byte order mark, no last line break; and their digest."""
    text = "\ufeffline\r\nüber 😀"

    assert put(root, "a/b/c.md", text)
    found = files.read(str(root), "a/b/c.md")
    assert found is not None
    assert (text, sha(text)) == (found.text(), found.digest)
    assert ["a/b/c.md"] == names(root)


def test_a_missing_root_is_made_but_no_missing_workspace(tmp_path: Path) -> None:
    """A workspace that was deleted does not come back for the sake of a page."""
    work = Path(os.path.realpath(tmp_path)) / "work"
    root = work / ".keepgate" / "pages"
    with pytest.raises(FileNotFoundError):
        files.write(str(root), "a.md", "x", digest_before=None, home=str(work))
    work.mkdir()

    assert files.write(str(root), "a.md", "x", digest_before=None, home=str(work))
    assert "x" == (root / "a.md").read_text()


def test_what_is_not_there_reads_as_none(root: Path) -> None:
    """A file, a folder, a root."""
    assert None is files.read(str(root), "a.md")
    assert None is files.read(str(root), "no/a.md")
    assert None is files.read(str(root / "gone"), "a.md")


def test_only_what_was_shown_is_written_over(root: Path) -> None:
    """Another text, a file that appeared, one that went: nothing is touched, and nothing is left behind."""
    (root / "a.md").write_text("mine")

    assert not put(root, "a.md", "new", before="other")
    assert not put(root, "a.md", "new", before=None)
    assert not put(root, "b.md", "new", before="other")
    assert ["a.md"] == names(root)
    assert "mine" == (root / "a.md").read_text()
    assert put(root, "a.md", "new", before="mine")
    assert "new" == (root / "a.md").read_text()


def test_only_what_was_shown_is_removed(root: Path) -> None:
    """The same for a removal."""
    (root / "a.md").write_text("mine")

    assert not files.remove(str(root), "a.md", digest_before=sha("other"))
    assert files.remove(str(root), "a.md", digest_before=sha("mine"))
    assert not files.remove(str(root), "a.md", digest_before=sha("mine"))
    assert not files.remove(str(root), "gone/a.md", digest_before=sha("mine"))
    assert [] == names(root)


def test_a_rewritten_file_keeps_its_mode(root: Path) -> None:
    """Who could read it still can, and nobody else."""
    (root / "a.md").write_text("mine")
    (root / "a.md").chmod(0o640)

    assert put(root, "a.md", "new", before="mine")
    assert 0o640 == stat.S_IMODE((root / "a.md").stat().st_mode)


@pytest.mark.parametrize(
    "path", ["../a.md", "/etc/a.md", "a/../../b.md", "./a.md", "a//b.md", "a\x00.md", ""]
)
def test_paths_that_leave_the_root_are_refused(root: Path, path: str) -> None:
    """Even if a slug had not been checked before."""
    with pytest.raises(UnusableError):
        files.read(str(root), path)
    with pytest.raises(UnusableError):
        put(root, path, "x")


@pytest.mark.parametrize("target", ["outside", "inside"])
def test_no_link_is_followed(root: Path, target: str, tmp_path: Path) -> None:
    """Not a linked file, a linked folder, nor a root that became a link; out of the root or not."""
    place = root if target == "inside" else tmp_path
    (place / "real").mkdir()
    (place / "real" / "a.md").write_text("secret")
    (root / "folder").symlink_to(place / "real")
    (root / "file.md").symlink_to(place / "real" / "a.md")
    (root.parent / "root").symlink_to(place / "real")

    for base, path in [(root, "folder/a.md"), (root, "file.md"), (root.parent / "root", "a.md")]:
        with pytest.raises(UnusableError):
            files.read(str(base), path)
    with pytest.raises(UnusableError):
        put(root, "folder/a.md", "x", before="secret")
    with pytest.raises(UnusableError):
        put(root, "folder/b.md", "x")
    assert not put(root, "file.md", "x", before="secret")
    assert not files.remove(str(root), "file.md", digest_before=sha("secret"))
    assert ["a.md"] == names(place / "real")
    assert "secret" == (place / "real" / "a.md").read_text()


def test_a_root_behind_a_link_is_none(root: Path, tmp_path: Path) -> None:
    """A folder above the root that became a link after the root was resolved: nothing goes through it."""
    outside = tmp_path / "outside"
    (outside / "pages").mkdir(parents=True)
    (outside / "pages" / "a.md").write_text("secret")
    root.rmdir()
    root.parent.rmdir()
    root.parent.symlink_to(outside)

    with pytest.raises(UnusableError):
        files.read(str(root), "a.md")
    for path in ("b.md", "sub/b.md"):
        with pytest.raises(UnusableError):
            files.write(str(root), path, "x", digest_before=None, home=str(tmp_path))
    assert ["pages/a.md"] == names(outside)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become another user")
def test_folders_that_one_may_only_pass_through_are_passed() -> None:
    """Such as the folder of all homes: others may neither list nor read it."""
    base = Path(os.path.realpath(tempfile.mkdtemp()))
    base.chmod(0o711)
    root = base / "home" / "pages"
    root.mkdir(parents=True)
    os.chown(root, 65534, 65534)
    child = os.fork()
    if child == 0:
        ended = 1
        try:
            os.setuid(65534)
            ended = 0 if put(root, "sub/a.md", "x") else 2
        finally:
            os._exit(ended)

    assert 0 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert "x" == (root / "sub" / "a.md").read_text()
    shutil.rmtree(base)


def test_a_link_swapped_in_meanwhile_leads_nowhere(root: Path, tmp_path: Path) -> None:
    """While folders and links change places all the time, no write lands outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "folder").mkdir()
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            with suppress(OSError):
                (root / "folder").rename(root / "real")
            with suppress(OSError):
                (root / "folder").symlink_to(outside)
            with suppress(OSError):
                (root / "folder").unlink()
            with suppress(OSError):
                (root / "real").rename(root / "folder")
            if (root / "real").exists():
                # A write made the folder anew in the moment when it was away.
                shutil.rmtree(root / "folder", ignore_errors=True)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for number in range(150):
            try:
                put(root, f"folder/{number}.md", "x")
            except (OSError, UnusableError):
                continue
    finally:
        ended.set()
        swapping.join()
    assert [] == list(outside.iterdir())


def test_what_is_no_regular_file_is_refused_at_once(root: Path) -> None:
    """A folder, a pipe that nobody writes to."""
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")

    for path in ("folder.md", "pipe.md"):
        with pytest.raises(UnusableError):
            files.read(str(root), path)
        assert not put(root, path, "x")


def test_files_over_the_limit_and_other_bytes_are_no_pages(root: Path) -> None:
    """One byte too many; bytes that are not UTF-8."""
    (root / "large.md").write_bytes(b"x" * (PAGE_BYTES_MAX + 1))
    (root / "full.md").write_bytes(b"x" * PAGE_BYTES_MAX)
    (root / "bytes.md").write_bytes(b"\xff")

    with pytest.raises(UnusableError, match="larger"):
        files.read(str(root), "large.md")
    full = files.read(str(root), "full.md")
    other = files.read(str(root), "bytes.md")
    assert full is not None
    assert other is not None
    assert PAGE_BYTES_MAX == len(full.data)
    with pytest.raises(UnusableError, match="UTF-8"):
        other.text()


def test_what_a_killed_writer_left_is_taken_away_by_the_next(root: Path) -> None:
    """The temporary file has one name per page."""
    kept = os.replace
    try:
        os.replace = lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)  # type: ignore[assignment]
        with pytest.raises(KeyboardInterrupt):
            put(root, "a.md", "x")
    finally:
        os.replace = kept
    assert [] == names(root)
    temporary = files.TEMPORARY + hashlib.sha256(b"a.md").hexdigest()[:16]
    (root / temporary).write_text("half")

    assert put(root, "a.md", "whole")
    assert ["a.md"] == names(root)


def test_a_full_disk_leaves_the_old_file(full_disk: Path) -> None:
    """Nothing is half-written, and no temporary file stays."""
    root = full_disk / "pages"
    root.mkdir()
    (root / "a.md").write_text("old")
    with pytest.raises(OSError) as raised:  # noqa: PT011 - the number is looked at
        put(root, "a.md", "x" * PAGE_BYTES_MAX, before="old")

    assert errno.ENOSPC == raised.value.errno
    assert ["a.md"] == names(root)
    assert "old" == (root / "a.md").read_text()
