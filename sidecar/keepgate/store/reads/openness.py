"""What of the ledger and the inbox remote callers may see: nothing that tells of a private fact or page.

A wish counts as private unless it is known to be open: the words of a superseding, a forgetting or an undo
may come from a private fact, so of these a remote caller is shown only what a remote caller asked for. So it
is with pages; the row of a change that was made says of each text whether it is private.
"""

from typing import Final

_MAY_BE_PRIVATE: Final = "LIKE '%visibility%private%'"
"""Of a page's text in a wish, which nobody has read as a page yet: wider than what says so."""


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
    AND coalesce(json_extract({column}, '{root}.content'), '') NOT {_MAY_BE_PRIVATE}
    """


def _state_is_open(state: str) -> str:
    """SQL for a fact or a page as ``state`` of a payload; a page that does not tell counts as private."""
    visibility = f"json_extract(payload, '$.{state}.visibility')"
    return f"""
    {visibility} IS NOT 'private'
    AND (json_extract(payload, '$.{state}.content') IS NULL OR {visibility} IS 'world')
    """


ROW_IS_OPEN: Final = f"""
(:world_only = 0 OR (
  (action <> 'snapshot' OR entry_id IS NULL)
  AND action <> 'page-abandoned'
  AND (payload IS NOT NULL OR track IS NOT NULL OR entry_id IS NULL)
  AND {_wish_is_open("payload", "$.change", "worldOnly")}
  AND {_state_is_open("before")} AND {_state_is_open("after")}
))
"""
"""Of ``ledger``; ``:world_only`` is true for remote callers."""

PROPOSAL_IS_OPEN: Final = f"""
(:world_only = 0 OR (
  {_wish_is_open("change", "$", "world_only")}
  AND (track <> 'pages' OR text NOT {_MAY_BE_PRIVATE})
))
"""
"""Of ``proposals``."""
