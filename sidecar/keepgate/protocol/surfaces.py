"""The MCP tools, and which of them a surface offers: one table, one filter for the list and for the calls.

Most tools are an operation under another name. ``memory`` is several, told apart by ``action``; `whoami` and
`request_tools` are answered by the front itself.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import Annotated, Final

from attrs import field, frozen

from keepgate.protocol.naming import AsWritten
from keepgate.protocol.operation import Access, Operation, Surface
from keepgate.protocol.ops import OPERATIONS

SURFACES: Final = (Surface.VERBS, Surface.STARTER, Surface.FULL)
"""From the smallest to the largest; each holds the one before."""

WHOAMI: Final = "whoami"
REQUEST_TOOLS: Final = "request_tools"
MEMORY: Final = "memory"

SESSION_FIELD: Final = "session"
LOCAL_FIELDS: Final = frozenset({SESSION_FIELD, "all_workspaces", "include_expired", "work_done_token"})
"""Fields of local callers, or that the front itself fills in: no arguments of a tool."""
LOCAL_FIELDS_OF: Final[Mapping[str, frozenset[str]]] = {"memory/import": frozenset({"path"})}
"""More of them, by operation: a path would be read where the sidecar runs; a remote caller sends content."""

_REMOTE_ACCESS: Final = (Access.READ, Access.WRITE)
"""Deciding and changing the connection are never tools, whatever a row says."""

_TITLES: Final = {"search": "Search pages", "capture": "Capture a note", "memory": "Agent memory"}

_DESCRIPTIONS: Final = {
    "remember": (
        "Save ONE fact, a sentence that stands alone, with its provenance (where it comes from). Set entity "
        "whenever it is about a person, company or project. A person may be asked first."
    ),
    "recall": (
        "Retrieve saved facts and, with a query, snippets of pages. entity narrows to what is known of one "
        "person, company or project; budget_tokens packs the answer."
    ),
    "entity": (
        "The card of one known person, company or project: summary, open threads, links. Fast, never an "
        "error on a miss. Use it before asking the person what is known."
    ),
    "synthesize": (
        "[EXPENSIVE / SLOW: calls a language model, takes seconds to minutes, may cost money] Answer a "
        "question by combining several pages. Prefer recall or entity for look-ups."
    ),
    "forget": (
        "Expire a fact by the fact_id that remember or recall returned. Idempotent; the fact stays in the "
        "audit trail. A person may be asked first."
    ),
    "context_pack": (
        "One budget-packed block of cards, open threads and facts for up to eight entities. Call it when a "
        "session starts and after its context was compacted."
    ),
    "delta": (
        "What changed since an instant, or since this session_id asked last: pages, facts, open threads. "
        "Delivered at least once; has_more says that there is more."
    ),
    MEMORY: (
        "The bounded memory that every session is given: action add, replace, remove or consolidate changes "
        "it (a person may be asked first), action query, get or list reads it. track is user (about the "
        "person) or agent (conventions, lessons); scope is workspace or user-global."
    ),
    WHOAMI: "Which workspace, tools and contracts this connection has.",
    REQUEST_TOOLS: (
        "Offer fewer or more tools to this connection, never more than the server allows. Without surface: "
        "what there is."
    ),
}


@frozen(kw_only=True)
class WhoamiParams(AsWritten):
    """Params of the tool `whoami`: none."""


@frozen(kw_only=True)
class RequestToolsParams(AsWritten):
    """Params of the tool `request_tools`."""

    surface: Annotated[Surface | None, "`verbs`, `starter` or `full`."] = None


@frozen(kw_only=True)
class Tool:
    """One MCP tool. ``rows`` are its operations by action; a tool of one operation has it under ``""``.

    ``own_params`` is the params type of a tool that the front answers itself, which has no rows.
    """

    name: str
    surface: Surface
    description: str
    rows: Mapping[str, Operation] = field(factory=dict)
    own_params: type | None = None

    @property
    def title(self) -> str:
        """Its name for people."""
        return _TITLES.get(self.name, self.name.replace("_", " ").capitalize())

    @property
    def is_verb(self) -> bool:
        """Whether it is one of the seven."""
        return self.surface is Surface.VERBS

    @property
    def reads_only(self) -> bool:
        """Whether no call of it changes what is stored."""
        return all(row.access is Access.READ for row in self.rows.values()) and self.name != REQUEST_TOOLS


def offered(surface: Surface, ceiling: Surface | None = None) -> Mapping[str, Tool]:
    """The tools of a surface by name: what it lists, and all that can be called on it.

    Below a wider ``ceiling`` the way back is among them: a client that has narrowed itself can widen again.
    """
    return _offered(surface, ceiling or surface)


@cache
def _offered(surface: Surface, ceiling: Surface) -> Mapping[str, Tool]:
    reach = SURFACES[: SURFACES.index(surface) + 1]
    ways_back = (REQUEST_TOOLS,) if ceiling not in reach else ()
    return MappingProxyType(
        {tool.name: tool for tool in TOOLS if tool.surface in reach or tool.name in ways_back}
    )


def within(wanted: Surface, ceiling: Surface) -> bool:
    """Whether a surface offers nothing that ``ceiling`` does not."""
    return SURFACES.index(wanted) <= SURFACES.index(ceiling)


def nearest(name: str, tools: Iterable[str]) -> str | None:
    """The offered tool whose name is most like ``name``; a hidden one is never named."""
    return next(iter(get_close_matches(name, tools, n=1)), None)


def tools_of(operations: tuple[Operation, ...]) -> tuple[Tool, ...]:
    """The tools of a table, in its order: verbs first, then the two that the front answers."""
    named: dict[str, dict[str, Operation]] = {}
    for row in operations:
        if row.surface is not None and row.access in _REMOTE_ACCESS:
            family, _, action = row.name.partition("/")
            name = row.tool or f"{family}_{action}"
            named.setdefault(name, {})["" if name != MEMORY else action] = row
    tools = [_tool(name, rows) for name, rows in named.items()]
    return tuple(sorted([*tools, *_OWN], key=lambda tool: SURFACES.index(tool.surface)))


def _tool(name: str, rows: Mapping[str, Operation]) -> Tool:
    first = next(iter(rows.values()))
    assert first.surface is not None, "only rows with a surface become tools"
    return Tool(
        name=name, surface=first.surface, description=_DESCRIPTIONS.get(name, first.summary), rows=rows
    )


_OWN: Final = tuple(
    Tool(name=name, surface=Surface.STARTER, description=_DESCRIPTIONS[name], own_params=params)
    for name, params in ((WHOAMI, WhoamiParams), (REQUEST_TOOLS, RequestToolsParams))
)

TOOLS: Final = tools_of(OPERATIONS)
"""Every tool."""
