"""Which workspaces a store knows."""

from typing import Final

import apsw

_KEYS: Final = """
SELECT workspace_key FROM usage WHERE workspace_key <> '' AND entries > 0
UNION SELECT home FROM proposals WHERE status = 'pending' AND home <> ''
ORDER BY 1
"""


def workspace_keys(db: apsw.Connection) -> list[str]:
    """The keys of all workspaces with entries or pending proposals, sorted."""
    return [key for (key,) in db.execute(_KEYS)]
