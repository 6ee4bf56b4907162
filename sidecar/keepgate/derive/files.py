"""The files that are derived, by their paths below the repository's root."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from keepgate.derive.contract_schema import CONTRACT_PATH, contract_schema
from keepgate.derive.markdown import as_json
from keepgate.derive.node_client import node_files
from keepgate.derive.openrpc import OPENRPC_PATH, openrpc_document
from keepgate.derive.pages import ERRORS_PATH, SETTINGS_PATH, errors_page, settings_page
from keepgate.derive.protocol_schema import (
    PROTOCOL_PATH,
    SETTINGS_SCHEMA_PATH,
    protocol_schema,
    settings_schema,
)
from keepgate.derive.python_client import CALLS_PATH, calls_module
from keepgate.derive.reference import MESSAGES_PATH, OPERATIONS_PATH, messages_page, operations_page
from keepgate.derive.tools import TOOLS_PATH, tools_document
from keepgate.derive.tools_page import TOOLS_PAGE_PATH, tools_page
from keepgate.derive.verbs_schema import VERBS_SCHEMA_PATH, verbs_schema
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES


def derived_files() -> Mapping[str, str]:
    """The text of every derived file; each ends with a line end."""
    documents = {
        CONTRACT_PATH: contract_schema(),
        PROTOCOL_PATH: protocol_schema(),
        SETTINGS_SCHEMA_PATH: settings_schema(),
        OPENRPC_PATH: openrpc_document(),
        VERBS_SCHEMA_PATH: verbs_schema(),
        TOOLS_PATH: tools_document(),
    }
    return {
        **{path: as_json(document, indent=2) + "\n" for path, document in documents.items()},
        OPERATIONS_PATH: operations_page(),
        MESSAGES_PATH: messages_page(),
        ERRORS_PATH: errors_page(),
        SETTINGS_PATH: settings_page(),
        TOOLS_PAGE_PATH: tools_page(),
        CALLS_PATH: calls_module(OPERATIONS),
        **node_files(OPERATIONS, SERVER_MESSAGES),
    }


def stale_files(root: Path) -> Iterator[str]:
    """The paths of the files below ``root`` that are missing or differ from what would be written."""
    for path, text in derived_files().items():
        file = root / path
        if not file.is_file() or file.read_bytes() != text.encode():
            yield path


def write_files(root: Path) -> Iterator[str]:
    """Write the stale files below ``root`` and yield their paths; fresh ones are left untouched."""
    files = derived_files()
    for path in list(stale_files(root)):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(files[path].encode())
        yield path


def checkout_root() -> Path | None:
    """The repository that this package is imported from; nothing when it is installed elsewhere."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "pyproject.toml").is_file() and (root / "sidecar" / "keepgate").is_dir() else None
