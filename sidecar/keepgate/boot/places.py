"""Where things live: configuration, data and state, each in the platform's own folder or under one home."""

import os
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen
from platformdirs import PlatformDirs

from keepgate.pages.roots import user_root


@frozen(kw_only=True)
class Places:
    """Absolute paths. The state folder holds the ledger's key and anchors, away from the store."""

    config_file: str
    data_folder: str
    state_folder: str
    store_path: str

    def table(self) -> list[tuple[str, str, bool]]:
        """Name, path and whether it exists, for ``keepgate where``."""
        rows = [
            ("config", self.config_file),
            ("data", self.data_folder),
            ("state", self.state_folder),
            ("store", self.store_path),
            ("pages", user_root(self.data_folder).folder),
        ]
        return [(name, path, Path(path).exists()) for name, path in rows]


def find_places(environ: Mapping[str, str]) -> Places:
    """``KEEPGATE_HOME`` puts everything under one folder; ``KEEPGATE_STORE`` moves the store alone.

    Relative values are taken from the working directory.
    """
    if home := environ.get("KEEPGATE_HOME"):
        root = Path(os.path.abspath(Path(home).expanduser()))  # noqa: PTH100 - links stay as the user wrote them
        config, data, state = root, root / "data", root / "state"
    else:
        dirs = PlatformDirs("keepgate", appauthor=False, roaming=False)
        config, data, state = (
            Path(dirs.user_config_dir),
            Path(dirs.user_data_dir),
            Path(dirs.user_state_dir),
        )
    store = environ.get("KEEPGATE_STORE")
    store_path = (
        os.path.abspath(Path(store).expanduser()) if store else str(data / "memory.db")  # noqa: PTH100
    )
    return Places(
        config_file=str(config / "config.toml"),
        data_folder=str(data),
        state_folder=str(state),
        store_path=store_path,
    )
