"""Operations by the names that cases use: verbs and tools as MCP names them, ``memory/*`` as it is."""

from collections.abc import Iterable
from typing import Any, Final

VERBS: Final = ("recall", "remember", "entity", "synthesize", "forget", "context_pack", "delta")
PROVIDER: Final = tuple(
    f"memory/{name}"
    for name in ("add", "replace", "remove", "consolidate", "seed", "query", "budgets", "audit")
)
SESSION: Final = "conformance"
_PAGES: Final = {"put_page": "pages/put", "get_page": "pages/get", "add_link": "pages/link",
                 "add_timeline_entry": "pages/timeline"}  # fmt: skip


def method_of(name: str) -> str:
    """The JSON-RPC method of an operation."""
    return f"verbs/{name}" if name in VERBS else _PAGES.get(name, name)


def params_of(method: str, arguments: Any) -> Any:
    """The params of a method: a page is written by somebody, so there is a session to name."""
    if method.startswith("pages/") and isinstance(arguments, dict):
        return {"session": {"id": SESSION}, **arguments}
    return arguments


def tools_of(methods: Iterable[str] | None) -> list[str]:
    """The operations that methods offer; the contract's own where a server does not announce any."""
    announced = set(PROVIDER if methods is None else methods)
    tools = [name for name in (*VERBS, *_PAGES) if method_of(name) in announced]
    return [*tools, *announced]
