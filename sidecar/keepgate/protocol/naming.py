"""How published types are named on the wire: the two dialects (docs/architecture.md)."""


class AsWritten:
    """Marks types whose fields keep their Python names on the wire: those of MEMORY_VERBS, snake_case.

    All other published types are camelCase, also where they stand inside one of these.
    """

    __slots__ = ()


def camel(name: str) -> str:
    """``agent_key`` becomes ``agentKey``, ``from_`` becomes ``from``."""
    head, *rest = name.rstrip("_").split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def wire_name(cls: type, name: str) -> str:
    """The wire name of a field of ``cls``."""
    return name.rstrip("_") if issubclass(cls, AsWritten) else camel(name)
