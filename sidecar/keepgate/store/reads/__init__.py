"""Reading the store: plain functions of a connection, and the lanes they run in.

Every function takes the connection first and a :class:`~keepgate.core.model.viewer.Viewer` where somebody
looks: visibility is in the SQL of every read.
"""

from keepgate.store.reads.audit import audit, ever_seen, frozen_snapshot, visible_fact
from keepgate.store.reads.entries import (
    all_entries,
    entry,
    entry_ids,
    list_page,
    query,
    snapshot_entries,
    usage,
    used,
    visible_entry,
)
from keepgate.store.reads.histories import Subject, history, subject_seen, why, written_page
from keepgate.store.reads.proposals import (
    counts,
    pending_count,
    pending_proposals,
    proposal,
    proposal_ids,
    proposals,
    visible_proposal,
    waited_for,
)
from keepgate.store.reads.running import Reads
from keepgate.store.reads.workspaces import workspace_keys

__all__ = [
    "Reads",
    "Subject",
    "all_entries",
    "audit",
    "counts",
    "entry",
    "entry_ids",
    "ever_seen",
    "frozen_snapshot",
    "history",
    "list_page",
    "pending_count",
    "pending_proposals",
    "proposal",
    "proposal_ids",
    "proposals",
    "query",
    "snapshot_entries",
    "subject_seen",
    "usage",
    "used",
    "visible_entry",
    "visible_fact",
    "visible_proposal",
    "waited_for",
    "why",
    "workspace_keys",
    "written_page",
]
