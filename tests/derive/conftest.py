import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from keepgate.derive.contract_schema import CONTRACT_PATH
from keepgate.derive.files import derived_files
from keepgate.derive.protocol_schema import PROTOCOL_PATH

Complaints = Callable[[str, Any], list[str]]


def complaints_of(path: str) -> Complaints:
    """Validates a value against a definition of a derived document and returns what is wrong with it."""
    document = json.loads(derived_files()[path])
    checker = FormatChecker()

    def complaints(name: str, value: Any) -> list[str]:
        schema = {"$schema": document["$schema"], "$ref": f"#/$defs/{name}", "$defs": document["$defs"]}
        validator = Draft202012Validator(schema, format_checker=checker)
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]

    return complaints


@pytest.fixture(scope="session")
def protocol() -> Complaints:
    """Complaints against a definition of the protocol's schema."""
    return complaints_of(PROTOCOL_PATH)


@pytest.fixture(scope="session")
def contract() -> Complaints:
    """Complaints against a definition of the contract's normative schema."""
    return complaints_of(CONTRACT_PATH)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder in which every derived file is fresh."""
    for path, text in derived_files().items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return tmp_path
