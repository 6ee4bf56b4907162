"""Which workspaces a store knows."""

from typing import Final

import apsw

_KEYS: Final = """
SELECT workspace_key FROM usage WHERE workspace_key <> '' AND entries > 0
UNION SELECT workspace_key FROM proposals WHERE status = 'pending' AND workspace_key <> ''
ORDER BY 1
"""


def workspace_keys(db: apsw.Connection) -> list[str]:
    """The keys of all workspaces with entries or pending proposals, sorted."""
    return [key for (key,) in db.execute(_KEYS)]
