"""The shapes that cases may name: the response registry of the verbs, and the types of the provider."""

from keepgate.derive.contract_schema import contract_schema
from keepgate.derive.json_schema import DEFS, Schema
from keepgate.derive.verbs_schema import response_schemas


def schemas_of(contract: str) -> dict[str, Schema]:
    """Schemas by name: ``recall`` to ``delta`` and ``error``, or ``Entry``, ``Usage``, ``Error``, ..."""
    if contract == "verbs":
        return response_schemas()
    shared = contract_schema()["$defs"]
    return {name: {"$ref": f"{DEFS}{name}", "$defs": shared} for name in shared}
