"""How adapters are listed, and how those of installed packages are found."""

import re
from collections.abc import Iterable
from traceback import format_exception_only
from typing import Final

from attrs import evolve

from keepgate.adapters.contract import Adapter, Described, EntryPointLike
from keepgate.core.model.text import excerpt
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.portability import ADAPTER_ID_FORM, AdapterInfo

REASON_UNITS_MAX: Final = 300


def described(adapter: Described) -> AdapterInfo:
    """How an adapter is listed; raises ``INVALID_INPUT`` that names every attribute which is wrong."""
    problems: list[Problem] = []

    def words(name: str, wire_name: str) -> str:
        value = getattr(adapter, name, None)
        if not isinstance(value, str) or not value.strip():
            problems.append(Problem(f"$.{wire_name}", "must be text that is not blank"))
            return ""
        return value

    info = AdapterInfo(
        id=words("id", "id"),
        name=words("name", "name"),
        description=words("description", "description"),
        version=words("version", "version"),
        import_formats=[],
        export_format=words("export_format", "exportFormat"),
    )
    formats = getattr(adapter, "import_formats", None)
    if not isinstance(formats, (list, tuple)) or not all(isinstance(item, str) and item for item in formats):
        problems.append(Problem("$.importFormats", "must be a list of texts"))
        formats = ()
    if info.id and not re.fullmatch(ADAPTER_ID_FORM, info.id):
        problems.append(Problem("$.id", f"must match {ADAPTER_ID_FORM}"))
    if problems:
        raise invalid_input(*problems)
    return evolve(info, import_formats=list(formats))


def load_entry_points(points: Iterable[EntryPointLike]) -> tuple[list[Adapter], list[str]]:
    """The adapters that packages offer, and a sentence about each that could not be used.

    A point loads an adapter, or a class that makes one without arguments. Ids that the built-in adapters
    have are for the registry to refuse.
    """
    adapters: dict[str, Adapter] = {}
    problems: list[str] = []
    for point in points:
        try:
            loaded = point.load()
            adapter: Adapter = loaded() if isinstance(loaded, type) else loaded
            adapter_id = described(adapter).id
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one bad package must not stop the others
            reason = excerpt("".join(format_exception_only(error)).strip(), REASON_UNITS_MAX)
            problems.append(f"adapter {point.name} was left out: {reason}")
            continue
        if adapter_id in adapters:
            problems.append(f"adapter {point.name} was left out: its id {adapter_id} is taken")
            continue
        adapters[adapter_id] = adapter
    return list(adapters.values()), problems
