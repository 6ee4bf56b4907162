"""Loading the editor protocol's types at half the price (docs/adr/0015-lean-editor-types.md).

``lsprotocol`` defines 554 attrs classes and attrs compiles every method of each, which is most of the time
from spawn to the first answer. This server compares and prints none of them, so they are made without
those methods: they compare by identity.
"""

import sys
import threading
from importlib import import_module
from typing import Any, Final

import attrs

MODULE: Final = "lsprotocol.types"
UNUSED: Final = {"eq": False, "repr": False, "match_args": False}
_loading: Final = threading.Lock()


def load() -> None:
    """Import ``lsprotocol.types`` with lean classes, unless it is imported already.

    Classes that other modules define meanwhile, such as in another thread, are made as ever.
    """
    with _loading:
        if MODULE in sys.modules:
            return
        whole = attrs.define

        def lean(cls: type | None = None, **options: Any) -> Any:
            if cls is None:
                return lambda decorated: lean(decorated, **options)
            return whole(cls, **{**options, **(UNUSED if cls.__module__ == MODULE else {})})

        stand_in: Any = lean
        attrs.define = stand_in
        try:
            import_module(MODULE)
        finally:
            attrs.define = whole
