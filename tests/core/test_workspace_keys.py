"""Workspace keys: one spelling per folder, whatever system the path comes from."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.core.model.workspace import holds, is_absolute, is_windows_path, workspace_key
from keepgate.protocol.errors import Fault

SEGMENTS = st.one_of(
    st.sampled_from(
        ["..", ".", "", "?", "UNC", "C:", "wsl$", "Ubuntu", "a", "É", "e\u0301", "İ\u0327", "Σ", "a b"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00/\\"), min_size=1, max_size=4),
)


@pytest.mark.parametrize(
    ("expected", "path"),
    [
        ("/srv/tides", "/srv/tides"),
        ("/srv/tides", "/srv/tides/"),
        ("/srv/tides", "/srv//tides//"),
        ("/srv/tides", "//srv/tides"),
        ("/srv/tides", "///srv/tides"),
        ("/srv/tides", "/srv/./x/../tides"),
        ("/tides", "/../../tides"),
        ("/srv/Tides", "/srv/Tides"),
        ("/srv/caf\u00e9", "/srv/cafe\u0301"),
        ("/srv/ tides ", "/srv/ tides "),
        ("/srv/~x", "/srv/~x"),
        ("/mnt/c/tides", "/mnt/c/tides"),
        ("/\\srv/tides", "/\\srv/tides"),
        ("/srv/a\\b", "/srv/a\\b"),
        ("/c:/tides", "/c:/tides"),
    ],
)
def test_posix_paths_keep_their_case(expected: str, path: str) -> None:
    """Separators, dots and composition are folded; letters, blanks and backslashes are the folder's own."""
    assert expected == workspace_key(path)


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Work\Tides", r"c:\work\tides", "C:/Work/Tides", "C:\\Work/Tides\\", r"C:\\Work\\Tides\\",
        r"C:\Work\.\x\..\Tides", r"C:\..\..\Work\Tides",
        r"\\?\C:\Work\Tides", r"\\.\C:\Work\Tides", "//?/C:/Work/Tides".replace("//", "\\\\", 1),
    ],
)  # fmt: skip
def test_drive_paths_of_one_folder_have_one_key(path: str) -> None:
    """Case, slashes, dots and device prefixes make no other workspace."""
    assert r"c:\work\tides" == workspace_key(path)


@pytest.mark.parametrize(
    "path",
    [
        r"\\Harbour\Charts\Tides", r"\\harbour\charts\tides\\", "\\\\harbour/charts/tides",
        r"\\?\UNC\Harbour\Charts\Tides", r"\\.\unc\harbour\charts\tides",
        r"\\harbour\charts\x\..\tides", r"\\harbour\charts\..\..\tides",
    ],
)  # fmt: skip
def test_share_paths_of_one_folder_have_one_key(path: str) -> None:
    """A share is a root: no dots lead out of it, and its long form is the same folder."""
    assert r"\\harbour\charts\tides" == workspace_key(path)


@pytest.mark.parametrize(
    "path",
    [
        r"\\wsl$\Ubuntu\home\tides", r"\\wsl.localhost\Ubuntu\home\tides", r"\\WSL$\ubuntu\Home\Tides\.",
        r"\\?\UNC\wsl$\Ubuntu\home\tides", r"\\wsl$\Ubuntu\..\..\home\tides",
    ],
)  # fmt: skip
def test_guest_paths_of_one_folder_have_one_key(path: str) -> None:
    """Both names of the guest's share are the same share."""
    assert r"\\wsl.localhost\ubuntu\home\tides" == workspace_key(path)


@pytest.mark.parametrize("path", [r"\\?\Volume{1F}\Tides", r"\\.\Volume{1f}\tides\x\.."])
def test_volume_paths_keep_their_prefix(path: str) -> None:
    """A volume without a drive letter has no shorter absolute form."""
    assert r"\\?\volume{1f}\tides" == workspace_key(path)


@pytest.mark.parametrize(
    "path",
    [
        "/", "//", "///", "/..", "/srv/..", "/.", "C:", "C:\\", "c:/", "C:\\x\\..", r"\\?\C:", r"\\?\C:\.",
        "\\\\", "\\/", r"\\harbour", r"\\harbour\charts", r"\\harbour\charts\x\..", r"\\?\UNC\harbour\charts",
        r"\\?\UNC", "\\\\?\\UNC\\", "\\\\?\\", "\\\\.\\", r"\\?\Volume{1f}", r"\\wsl$\Ubuntu",
    ],
)  # fmt: skip
def test_a_root_is_no_workspace(path: str) -> None:
    """Everything would lie inside it."""
    with pytest.raises(Fault, match="root of a file system"):
        workspace_key(path)


@pytest.mark.parametrize(
    "path",
    ["", "tides", "./tides", "~/tides", "file:///srv/tides", "C:tides", "C:\n", "1:\\x", "\\tides", "é:\\x"],
)
def test_a_relative_path_is_refused(path: str) -> None:
    """It would mean another folder to every process."""
    with pytest.raises(Fault, match="absolute path") as caught:
        workspace_key(path, "$.session.cwd")

    assert "$.session.cwd" == caught.value.details["problems"][0]["path"]


@pytest.mark.parametrize("path", ["/srv\x00/tides", "/srv/\udcff", "C:\\\ud800\\x"])
def test_a_path_that_no_store_could_hold_is_refused(path: str) -> None:
    """U+0000 and bytes that are no text cannot be a key."""
    with pytest.raises(Fault, match="Unicode text"):
        workspace_key(path)


@example(["C:", "İ\u0327"], "\\")
@example(["?", "UNC", "?", "C:", "x"], "\\\\")
@given(
    st.lists(SEGMENTS, max_size=6), st.sampled_from(["/", "\\\\", "\\", "C:\\", "\\\\?\\", "\\\\.\\", "//"])
)
def test_the_key_of_a_key_is_the_key(segments: list[str], root: str) -> None:
    """Keys are absolute, composed paths in their final form, or there is a fault."""
    path = root + ("/" if root[0] == "/" else "\\").join(segments)
    try:
        key = workspace_key(path)
    except Fault:
        return

    assert key == workspace_key(key)
    assert is_absolute(key)
    assert unicodedata.is_normalized("NFC", key)
    assert is_windows_path(path) == is_windows_path(key)


@pytest.mark.parametrize(
    ("expected", "parent", "key"),
    [
        (True, "/srv/tides", "/srv/tides"),
        (True, "/srv/tides", "/srv/tides/a/b"),
        (False, "/srv/tides", "/srv/tides-old"),
        (False, "/srv/tides", "/srv"),
        (True, "/", "/srv"),
        (True, r"c:\work", r"c:\work\tides"),
        (False, r"c:\work", r"c:\workshop"),
        (True, r"\\harbour\charts\a", r"\\harbour\charts\a\b"),
        (False, "/srv/a", "/srv/a\\b"),
    ],
)
def test_a_folder_holds_what_lies_inside_it(expected: bool, parent: str, key: str) -> None:
    """Whole names are compared, by the separator of the parent's own system."""
    assert expected == holds(parent, key)
