"""The adapters that ship."""

from typing import Final

from keepgate.adapters import claude_md, hermes_md, mem0, server_memory
from keepgate.adapters.contract import Adapter

BUILT_IN: Final[tuple[Adapter, ...]] = (
    claude_md.ADAPTER,
    hermes_md.ADAPTER,
    mem0.ADAPTER,
    server_memory.ADAPTER,
)
