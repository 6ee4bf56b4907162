"""Which file systems may carry a write-ahead log."""

from pathlib import Path

import pytest

from keepgate.store.filesystem import FileSystem, file_system_of, from_mountinfo, is_local

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /proc rw - proc proc rw
30 22 0:40 / /home rw shared:1 master:2 - nfs4 server:/home rw,vers=4.2
31 30 8:1 / /home/local rw - xfs /dev/sdb1 rw
32 22 0:41 / /mnt/my\\040share rw - cifs //server/share rw
33 22 0:42 / /mnt/host rw - fuse.sshfs user@host:/ rw
34 22 0:43 / /over rw - ext4 /dev/sdc rw
35 22 0:44 / /over rw - 9p host rw
broken line
36 22 0:45 / /half rw -
"""


@pytest.mark.parametrize(
    ("folder", "local", "kind"),
    [
        ("/", True, "ext4"),
        ("/var/lib", True, "ext4"),
        ("/home", False, "nfs4"),
        ("/home/me/.local", False, "nfs4"),
        ("/homestead", True, "ext4"),
        ("/home/local/me", True, "xfs"),
        ("/mnt/my share/data", False, "cifs"),
        ("/mnt/host/x", False, "fuse.sshfs"),
        ("/over/x", False, "9p"),
        ("/half", True, "ext4"),
    ],
)
def test_the_deepest_mount_that_holds_the_folder_decides(folder: str, local: bool, kind: str) -> None:
    """Longest mount point first, of equal ones the newest; escapes in mount points are undone."""
    found = from_mountinfo(MOUNTS, folder)
    assert FileSystem(local=local, type=kind, told_by="/proc/self/mountinfo") == found


def test_without_any_mount_the_type_is_unknown_and_counts_as_local() -> None:
    """A system that tells nothing is not made slower."""
    assert "local (unknown, told by /proc/self/mountinfo)" == str(from_mountinfo("", "/anywhere"))


@pytest.mark.parametrize(
    "name", ["nfs", "NFS4", "cifs", "smb3", "9p", "virtiofs", "fuse", "fuse.x", "fuseblk"]
)
def test_network_and_host_file_systems_are_not_local(name: str) -> None:
    """Their locks are not seen by everyone who can write the file."""
    assert not is_local(name)


@pytest.mark.parametrize("name", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "ntfs"])
def test_disks_of_this_machine_are_local(name: str) -> None:
    """Locks and shared memory work there."""
    assert is_local(name)


def test_this_machine_tells_its_own_file_system(tmp_path: Path) -> None:
    """The platform's own way of telling gives an answer for a real folder."""
    assert file_system_of(str(tmp_path)).type != "unknown"


def test_a_system_that_fails_to_tell_counts_as_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason stays readable in status."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(Path, "read_text", lambda *_: (_ for _ in ()).throw(PermissionError("no")))
    assert "local (unknown, told by PermissionError)" == str(file_system_of(str(tmp_path)))
