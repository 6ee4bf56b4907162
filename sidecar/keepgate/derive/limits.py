"""What the types alone do not say: forms, bounds and closed sets of words, as JSON Schema keywords.

Lengths are UTF-16 units in the contract and characters in JSON Schema, so a schema may let pass a text
that is over a limit only in the contract's stricter count; it never refuses a valid one.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from keepgate.core.model.entry import SESSION_ID_MAX, SOURCE_FORM
from keepgate.protocol import entries as e
from keepgate.protocol import lifecycle as life
from keepgate.protocol import portability as port
from keepgate.protocol import proposals as prop
from keepgate.protocol import settings as s
from keepgate.protocol.operation import Surface

Keywords: TypeAlias = Mapping[str, Any]

UUID_V4_PATTERN: Final = (
    "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"
)
TEXT: Final[Keywords] = {"minLength": 1, "pattern": r"^[^\u0000]*$"}
TAG: Final[Keywords] = {"minLength": 1, "maxLength": e.TAG_UNITS_MAX, "pattern": r"^[^\u0000-\u001f\u007f]*$"}
STORED_TAGS: Final[Keywords] = {
    "items": {"type": "string", **TAG},
    "maxItems": e.TAGS_MAX,
    "uniqueItems": True,
}
MATCH: Final[Keywords] = {"minLength": 1}
MATCHES: Final[Keywords] = {"minItems": 1, "maxItems": e.MATCHES_MAX}
MATCH_LIST: Final[Keywords] = {**MATCHES, "items": {"type": "string", **MATCH}}
POSITIVE: Final[Keywords] = {"minimum": 1}
NOT_NEGATIVE: Final[Keywords] = {"minimum": 0}
SOURCE: Final[Keywords] = {"pattern": f"^{SOURCE_FORM}$"}
FOUR_ROWS: Final[Keywords] = {"minItems": len(e.LAYERS), "maxItems": len(e.LAYERS)}
_HEALTH: Final[Keywords] = {"enum": ["ok", "warning", "error"]}
_PERIOD: Final[Keywords] = {"minimum": 1, "maximum": 2**31}
_SESSION_ID: Final[Keywords] = {"minLength": 1, "maxLength": SESSION_ID_MAX, "pattern": r"^[^\u0000]*$"}
_ADAPTER_ID: Final[Keywords] = {"pattern": f"^{port.ADAPTER_ID_FORM}$"}

LIMITS: Final[Mapping[tuple[type, str], Keywords]] = {
    (e.Entry, "id"): {"pattern": UUID_V4_PATTERN},
    (e.Entry, "text"): TEXT,
    (e.Entry, "source"): {"minLength": 1},
    (e.Entry, "tags"): STORED_TAGS,
    (e.Entry, "version"): POSITIVE,
    (e.Entry, "created_at"): NOT_NEGATIVE,
    (e.Entry, "updated_at"): NOT_NEGATIVE,
    (e.Entry, "recall_count"): NOT_NEGATIVE,
    (e.Usage, "used"): NOT_NEGATIVE,
    (e.Usage, "limit"): NOT_NEGATIVE,
    (e.SessionRef, "id"): _SESSION_ID,
    (e.AddParams, "text"): TEXT,
    (e.AddParams, "source"): SOURCE,
    (e.ReplaceParams, "text"): TEXT,
    (e.ReplaceParams, "source"): SOURCE,
    (e.ReplaceParams, "match"): MATCH,
    (e.RemoveParams, "match"): MATCH,
    (e.ConsolidateParams, "text"): TEXT,
    (e.ConsolidateParams, "source"): SOURCE,
    (e.ConsolidateParams, "matches"): MATCH_LIST,
    (e.ConsolidateParams, "ids"): MATCHES,
    (e.DraftParams, "text"): TEXT,
    (e.DraftParams, "source"): SOURCE,
    (e.SeedParams, "entries"): {"minItems": 1, "maxItems": e.IMPORT_ENTRIES_MAX},
    (e.QueryParams, "limit"): POSITIVE,
    (e.QueryParams, "offset"): NOT_NEGATIVE,
    (e.ListParams, "limit"): POSITIVE,
    (e.AuditParams, "limit"): POSITIVE,
    (e.BudgetsResult, "budgets"): FOUR_ROWS,
    (e.AuditRow, "action"): {"minLength": 1},
    (e.StatusResult, "health"): _HEALTH,
    (life.SessionOpenParams, "id"): _SESSION_ID,
    (life.KeepgateCapabilities, "framing"): {"enum": ["lsp", "lines"]},
    (life.KeepgateCapabilities, "approval"): {"enum": ["request", "message", "none"]},
    (life.KeepgateStatus, "health"): _HEALTH,
    (port.AdapterInfo, "id"): _ADAPTER_ID,
    (port.AdaptersRegisterParams, "id"): _ADAPTER_ID,
    (port.Envelope, "plugin"): {"const": port.EXPORT_PLUGIN},
    (port.Envelope, "schema"): {"const": port.EXPORT_SCHEMA},
    (port.Envelope, "exported_at"): {"format": "date-time"},
    (port.Envelope, "budgets"): FOUR_ROWS,
    (port.Envelope, "entries"): {"maxItems": e.IMPORT_ENTRIES_MAX},
    (prop.ApprovalAnswer, "outcome"): {
        "enum": ["allowed-once", "allowed-session", "rejected", "cancelled"],
    },
    (s.TrackBudgets, "user_global"): POSITIVE,
    (s.TrackBudgets, "workspace"): POSITIVE,
    (s.ProposalLimits, "max_per_session"): _PERIOD,
    (s.ProposalLimits, "max_per_workspace"): _PERIOD,
    (s.ProposalLimits, "expire_days"): _PERIOD,
    (s.ProposalLimits, "max_text_units"): _PERIOD,
    (s.FactSettings, "max_text_units"): _PERIOD,
    (s.FactSettings, "home"): {"enum": ["workspace", "user"]},
    (s.FactSettings, "score_floor"): {"minimum": 0, "maximum": 1},
    (s.McpSettings, "surface"): {"enum": [str(surface) for surface in Surface]},
    (s.Settings, "approval_timeout_seconds"): _PERIOD,
    (s.Settings, "query_limit"): {"minimum": 1, "maximum": e.PAGE_LIMIT_MAX},
    (s.Settings, "workspace_identity"): {"enum": ["path", "repository"]},
}
