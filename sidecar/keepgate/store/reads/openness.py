"""What of the ledger and the inbox remote callers may see: nothing that tells of a private fact or page.

A wish counts as private unless it is known to be open: the words of a superseding, a forgetting or an undo
may come from a private fact, so of these a remote caller is shown only what a remote caller asked for.
"""

from typing import Final

_PRIVATE_PAGE: Final = "LIKE '%visibility:%private%'"


def _wish_is_open(column: str, root: str, world_only: str) -> str:
    """SQL for the change that ``column`` holds as JSON at ``root``, where ``world_only`` has that name."""
    draft = f"json_extract({column}, '{root}.draft.visibility')"
    return f"""
    CASE
      WHEN json_extract({column}, '{root}.{world_only}') IS NULL THEN 1
      WHEN {draft} = 'private' THEN 0
      WHEN json_extract({column}, '{root}.{world_only}') = 1 THEN 1
      ELSE {draft} IS NOT NULL AND json_extract({column}, '{root}.supersedes') IS NULL
    END
    AND coalesce(json_extract({column}, '{root}.content'), '') NOT {_PRIVATE_PAGE}
    """


def _state_is_open(state: str) -> str:
    return f"""
    json_extract(payload, '$.{state}.visibility') IS NOT 'private'
    AND coalesce(json_extract(payload, '$.{state}.content'), '') NOT {_PRIVATE_PAGE}
    """


ROW_IS_OPEN: Final = f"""
(:world_only = 0 OR (
  (action <> 'snapshot' OR entry_id IS NULL)
  AND (payload IS NOT NULL OR track IS NOT NULL OR entry_id IS NULL)
  AND {_wish_is_open("payload", "$.change", "worldOnly")}
  AND {_state_is_open("before")} AND {_state_is_open("after")}
))
"""
"""Of ``ledger``; ``:world_only`` is true for remote callers."""

PROPOSAL_IS_OPEN: Final = f"""
(:world_only = 0 OR (
  {_wish_is_open("change", "$", "world_only")}
  AND (track <> 'pages' OR text NOT {_PRIVATE_PAGE})
))
"""
"""Of ``proposals``."""
