"""What a row of the operation table says; the rows are in ``ops.py``, ``verb_ops.py`` and ``page_ops.py``."""

from enum import StrEnum
from typing import Any, Final

from attrs import frozen

from keepgate.protocol.errors import Code
from keepgate.protocol.naming import AsWritten
from keepgate.protocol.verb_errors import VerbCode


class Access(StrEnum):
    """What an operation may touch; decides the context its handler receives."""

    READ = "read"
    WRITE = "write"
    DECIDE = "decide"
    ADMIN = "admin"


class Latency(StrEnum):
    """How long an answer may take: what clients may expect, and whether it reports progress."""

    INSTANT = "instant"
    SCAN = "scan"
    LONG = "long"
    PERSON = "person"


class Surface(StrEnum):
    """The smallest MCP surface that offers an operation."""

    VERBS = "verbs"
    STARTER = "starter"
    FULL = "full"


@frozen(kw_only=True)
class Operation:
    """One operation. ``session_required`` makes a missing session the first complaint.

    A verb has ``verb_errors`` instead of ``faults``. ``other_results`` are what it may answer instead of
    ``result``; ``Any`` among them means that the answer is the caller's to read.
    ``notification``: it may come as a notification, too, which nobody answers.
    """

    name: str
    params: type
    result: type
    other_results: tuple[Any, ...] = ()
    access: Access
    latency: Latency
    summary: str
    faults: tuple[Code, ...] = ()
    verb_errors: tuple[VerbCode, ...] = ()
    clauses: tuple[str, ...] = ()
    session_required: bool = False
    surface: Surface | None = None
    tool: str | None = None
    notification: bool = False

    @property
    def is_verb(self) -> bool:
        """Whether it speaks the dialect of MEMORY_VERBS."""
        return issubclass(self.params, AsWritten)

    @property
    def refuses_unknown_fields(self) -> bool:
        """A typo on a write must not store into the wrong layer; reads and verbs stay open."""
        return self.access is not Access.READ and not self.is_verb

    @property
    def command(self) -> str | None:
        """Its ``workspace/executeCommand`` mirror; deciding has none."""
        return None if self.access is Access.DECIDE else "keepgate." + self.name.replace("/", ".")


STORE_FAULTS: Final = (Code.STORE_BUSY, Code.STORE_FULL, Code.STORE_READ_ONLY)
GATED_FAULTS: Final = (
    Code.INVALID_INPUT,
    Code.WRITE_REQUIRES_AGENT,
    Code.BUDGET_EXCEEDED,
    Code.WRITE_DENIED,
    *STORE_FAULTS,
)
TARGETED_FAULTS: Final = (*GATED_FAULTS, Code.ENTRY_NOT_FOUND, Code.AMBIGUOUS_MATCH)
READING_FAULTS: Final = (Code.INVALID_INPUT,)
