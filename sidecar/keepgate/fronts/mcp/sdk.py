"""Loading the SDK without the parts that this front never uses: its client and its high-level server.

They are half of the time until the first answer, and come along only because the SDK's packages import all
there is. Here these packages are put in place bare; where that fails, the whole SDK is imported as usual.
"""

import gc
import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any, Final

BARE: Final = ("mcp", "mcp.server")
FRONT: Final = "keepgate.fronts.mcp.front"
GC_THRESHOLD: Final = 10_000


def is_installed() -> bool:
    """Whether the extra is there."""
    return importlib.util.find_spec("mcp") is not None


def load_front() -> Any:
    """The module of the front. Raises ``ImportError`` when the SDK is not there, or not as it should be."""
    usual = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD)
    try:
        return _lean() or importlib.import_module(FRONT)
    finally:
        # What was imported lives as long as the process and need not be looked through again.
        gc.freeze()
        gc.set_threshold(*usual)


def _lean() -> ModuleType | None:
    before = set(sys.modules)
    try:
        for name in BARE:
            _put_bare(name)
        return importlib.import_module(FRONT)
    except (ImportError, AttributeError):
        # Another layout than the one this was written for.
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "mcp" or name.startswith("keepgate.fronts.mcp."):
                del sys.modules[name]
        return None


def _put_bare(name: str) -> None:
    """Put a package in place without running it."""
    if name in sys.modules:
        return
    parent, _, last = name.rpartition(".")
    if parent:
        path = [f"{folder}/{last}" for folder in sys.modules[parent].__path__]
    else:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.submodule_search_locations is None:
            raise ModuleNotFoundError(name)
        path = list(spec.submodule_search_locations)
    package = ModuleType(name)
    package.__path__ = path
    sys.modules[name] = package
    if parent:
        setattr(sys.modules[parent], last, package)
