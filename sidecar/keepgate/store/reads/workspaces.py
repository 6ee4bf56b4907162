"""Which workspaces a store knows."""

from typing import Final

import apsw

# From home to home along an index: a store may hold many facts of few homes.
_KEYS: Final = """
WITH RECURSIVE
fact_homes (home) AS (
  SELECT min(home) FROM facts WHERE home > ''
  UNION ALL SELECT (SELECT min(home) FROM facts WHERE home > last.home)
  FROM fact_homes AS last WHERE last.home IS NOT NULL
),
page_homes (home) AS (
  SELECT min(home) FROM pages WHERE home > ''
  UNION ALL SELECT (SELECT min(home) FROM pages WHERE home > last.home)
  FROM page_homes AS last WHERE last.home IS NOT NULL
)
SELECT workspace_key FROM usage WHERE workspace_key <> '' AND entries > 0
UNION SELECT workspace_key FROM proposals WHERE status = 'pending' AND workspace_key <> ''
UNION SELECT home FROM fact_homes WHERE home IS NOT NULL
UNION SELECT home FROM page_homes WHERE home IS NOT NULL
ORDER BY 1
"""


def workspace_keys(db: apsw.Connection) -> list[str]:
    """The keys of all workspaces with entries, facts, pages or pending proposals, sorted."""
    return [key for (key,) in db.execute(_KEYS)]
