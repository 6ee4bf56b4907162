"""Loading the SDK without the parts that serving stdio never uses.

Its packages import all there is: a client, a high-level server, a web server with its authorization. That is
nearly half of the time until the first answer. Here the packages are put in place bare and the web parts
hollow; where the SDK is not laid out as this expects, all of it is imported as usual.
"""

import gc
import importlib
import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

FRONT: Final = "keepgate.fronts.mcp.front"
BARE: Final = ("mcp", "mcp.server")
HOLLOW: Final = (
    "mcp.server.auth",
    "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager",
    "mcp.server.transport_security",
    "starlette",
)
"""Modules, and all below them, that are named when the SDK is imported and used over HTTP alone."""


def load_front() -> Any:
    """The module of the front. Raises ``ImportError`` when the SDK is not there, or not as it should be."""
    try:
        return _lean() or importlib.import_module(FRONT)
    finally:
        # What was imported lives as long as the process and need not be looked through for garbage.
        gc.freeze()


def _lean() -> ModuleType | None:
    before = set(sys.modules)
    hollows = _Hollows()
    sys.meta_path.insert(0, hollows)
    try:
        for name in BARE:
            _put_bare(name)
        return importlib.import_module(FRONT)
    except (ImportError, AttributeError, LookupError, TypeError):
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in ("mcp", "starlette") or name.startswith("keepgate.fronts.mcp."):
                del sys.modules[name]
        return None
    finally:
        sys.meta_path.remove(hollows)


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


class _Hollows(MetaPathFinder, Loader):
    """Finds the hollow modules."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """See :class:`importlib.abc.MetaPathFinder`."""
        if name.startswith(HOLLOW) and any(name == each or name.startswith(f"{each}.") for each in HOLLOW):
            return ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """See :class:`importlib.abc.Loader`."""
        return _Hollow(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """See :class:`importlib.abc.Loader`."""


class _Hollow(ModuleType):
    """A module in which every name is a class that nobody can use."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__new__": _refuse})


def _refuse(cls: type, *_: Any, **__: Any) -> Any:
    raise NotImplementedError(f"{cls.__name__} is for serving over HTTP and was not loaded")
