"""Packages of extensions: one that says of itself that it is newer."""

import json
import zipfile
from pathlib import Path

MANIFEST = "extension.vsixmanifest"
DESCRIPTION = "extension/package.json"


def newer(packed: Path, target: Path) -> str:
    """Write the same extension with a higher version; that version."""
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        now = json.loads(source.read(DESCRIPTION))["version"]
        major, minor, patch = (int(part) for part in now.split("."))
        then = f"{major}.{minor}.{patch + 1}"
        for info in source.infolist():
            content = source.read(info)
            if info.filename in {MANIFEST, DESCRIPTION}:
                content = _renamed(content.decode(), info.filename, now, then).encode()
            made.writestr(info, content)
    return then


def _renamed(text: str, name: str, now: str, then: str) -> str:
    before, after = (f'"version": "{now}"', f'"version": "{then}"')
    if name == MANIFEST:
        before, after = (f'Version="{now}" Publisher', f'Version="{then}" Publisher')
    assert text.count(before) == 1, name
    return text.replace(before, after)
