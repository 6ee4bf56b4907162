"""Loading the editor protocol's types at a third of the price.

``lsprotocol`` defines 554 attrs classes and attrs compiles every method of each, which is most of the time
from spawn to the first answer. This server compares and prints none of them, so they are made without
those methods.
"""

import sys
from functools import partial
from importlib import import_module
from typing import Any, Final

import attrs

MODULE: Final = "lsprotocol.types"
UNUSED: Final = {"eq": False, "repr": False, "match_args": False}


def load() -> None:
    """Import ``lsprotocol.types`` with lean classes, unless it is imported already."""
    if MODULE in sys.modules:
        return
    whole = attrs.define
    attrs.define = partial(_lean, whole)
    try:
        import_module(MODULE)
    finally:
        attrs.define = whole


def _lean(define: Any, cls: type | None = None, **options: Any) -> Any:
    return define(cls, **{**UNUSED, **options})
