"""A VS Code server with folders of its own, and the processes that it leads to."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import install

WAIT_S = 60
"""How long anything may take on a loaded machine."""
STOP_S = 20

ENTRY = install.CODE_SERVER / "out/node/entry.js"
OPTIONS = (
    "--auth=none",
    "--bind-addr=127.0.0.1:0",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
)
QUIET: Mapping[str, object] = {
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "extensions.ignoreRecommendations": True,
    "telemetry.telemetryLevel": "off",
    "window.commandCenter": False,
    "workbench.layoutControl.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
}
"""Settings that leave out what distracts from the extension."""


class CodeServer:
    """The server; :meth:`start` has it listening, :meth:`stop` leaves nothing of it running."""

    def __init__(self, folder: Path, variables: Mapping[str, str | None]) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.extensions = folder / "extensions"
        self.address = ""
        self._log = folder / "code-server.log"
        self._process: asyncio.subprocess.Process | None = None
        self._environment = _environment(folder, variables)
        self.extensions.mkdir(parents=True)

    def settings(self, **more: object) -> None:
        """Write the settings of the person and of the machine; ``.`` of a name is written ``__``."""
        given = {name.replace("__", "."): value for name, value in more.items()}
        for layer in ("User", "Machine"):
            place = self.data / layer
            place.mkdir(parents=True, exist_ok=True)
            (place / "settings.json").write_text(json.dumps({**QUIET, **given}), encoding="utf-8")

    async def install(self, packed: Path) -> None:
        """Install or upgrade an extension from its package."""
        process = await self._spawn("--install-extension", str(packed), "--force")
        code = await asyncio.wait_for(process.wait(), WAIT_S)
        assert code == 0, self._log.read_text(encoding="utf-8")

    async def start(self, *options: str) -> None:
        """Start and wait until it listens."""
        self._log.unlink(missing_ok=True)
        self._process = await self._spawn(*OPTIONS, *options)
        found = await until(self._listening)
        self.address = found[1]

    def _listening(self) -> re.Match[str] | None:
        assert self._process is not None
        text = self._log.read_text(encoding="utf-8")
        assert self._process.returncode is None, text
        return re.search(r"HTTP server listening on (http://127\.0\.0\.1:\d+)", text)

    def kill(self) -> None:
        """End the server as a crash would; its children are not told."""
        assert self._process is not None
        self._process.kill()

    def terminate(self) -> None:
        """Ask the server to end."""
        assert self._process is not None
        self._process.terminate()

    def end(self, pid: int) -> None:
        """Kill one of the server's processes."""
        assert pid in self.processes()
        _kill(pid)

    def installed(self) -> list[str]:
        """The extensions that count, with their versions; replaced ones are removed later."""
        told = json.loads((self.extensions / "extensions.json").read_text(encoding="utf-8"))
        return [one["relativeLocation"] for one in told]

    async def stop(self) -> None:
        """End the server and everything that still runs with its folders."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), STOP_S)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        for pid in self.processes():
            _kill(pid)

    def processes(self, *words: str) -> list[int]:
        """The processes that were started with this server's folders and have the words as arguments."""
        mark = f"KEEPGATE_WORKBENCH={self.folder}".encode()
        return [
            pid
            for pid in _all_processes()
            if mark in _read(pid, "environ").split(b"\0")
            and {word.encode() for word in words} <= set(_read(pid, "cmdline").split(b"\0"))
        ]

    async def _spawn(self, *arguments: str) -> asyncio.subprocess.Process:
        command = (
            install.NODE / "node",
            ENTRY,
            f"--user-data-dir={self.data}",
            f"--extensions-dir={self.extensions}",
            f"--config={self.folder / 'config.yaml'}",
            *arguments,
        )
        with self._log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *command,
                env=self._environment,
                cwd=self.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


async def until(holds: Callable[[], Any | Awaitable[Any]]) -> Any:
    """Look until it holds; what it gave."""
    async with asyncio.timeout(WAIT_S):
        while True:
            found = holds()
            told = await found if isinstance(found, Awaitable) else found
            if told:
                return told
            await asyncio.sleep(0.1)


def _environment(folder: Path, variables: Mapping[str, str | None]) -> dict[str, str]:
    """What the server sees: folders of its own, keepgate in the home, the variables of the house.

    keepgate is where pipx puts it; the server takes its PATH from a login shell, which forgets ours.
    """
    home = folder / "home"
    own = {
        "HOME": home,
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
        "XDG_RUNTIME_DIR": home / "run",
    }
    for place in own.values():
        place.mkdir(parents=True, exist_ok=True)
    programs = home / ".local/bin"
    programs.mkdir(parents=True)
    (programs / "keepgate").symlink_to(Path(sys.executable).parent / "keepgate")
    (folder / "config.yaml").write_text("auth: none\n", encoding="utf-8")
    kept = {name: os.environ[name] for name in ("LANG", "TZ", "PYTHONPATH") if name in os.environ}
    path = (str(install.NODE), os.environ["PATH"])
    return {
        **kept,
        **{name: str(place) for name, place in own.items()},
        **{name: value for name, value in variables.items() if value is not None},
        "PATH": os.pathsep.join(path),
        "KEEPGATE_WORKBENCH": str(folder),
        # No gallery of extensions, which would be asked over the network.
        "EXTENSIONS_GALLERY": "{}",
    }


def _all_processes() -> list[int]:
    return [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]


def _read(pid: int, what: str) -> bytes:
    try:
        return Path("/proc", str(pid), what).read_bytes()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
