-- Version 1. Canonical tables first, then what is derived from them, then the guards.
-- Guards call innocuous functions only, so that they work with trusted_schema off.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Append-only and hash-chained; payload and salt may be purged, nothing else ever changes. homes is a JSON
-- array of all workspaces that a row speaks of, when it is several; only who sees them all may see the row.
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY,
  ts INTEGER NOT NULL,
  action TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('allowed', 'denied', 'refused', 'evidence', 'note')),
  outcome TEXT NOT NULL,
  track TEXT,
  scope TEXT,
  workspace_key TEXT,
  homes TEXT,
  agent_key TEXT,
  entry_id TEXT,
  source TEXT,
  session_id TEXT,
  proposal_id TEXT,
  shown_hash TEXT,
  "by" TEXT,
  payload TEXT,
  salt TEXT,
  digest TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  key_id TEXT NOT NULL,
  mac TEXT NOT NULL,
  CHECK ((payload IS NULL) = (salt IS NULL))
) STRICT;
CREATE INDEX ledger_entry ON ledger (entry_id, seq) WHERE entry_id IS NOT NULL;
CREATE INDEX ledger_session ON ledger (session_id, seq) WHERE session_id IS NOT NULL;
CREATE INDEX ledger_proposal ON ledger (proposal_id, seq) WHERE proposal_id IS NOT NULL;
CREATE INDEX ledger_workspace ON ledger (workspace_key, seq);
CREATE INDEX ledger_snapshot ON ledger (workspace_key, agent_key, session_id, seq) WHERE action = 'snapshot';

-- created_seq is the ledger row that first brought the entry: creation order, also after an undo.
-- units counts UTF-16, folded is the text with A to Z lower-cased, folded_crc finds equal texts.
CREATE TABLE entries (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  track TEXT NOT NULL CHECK (track IN ('user', 'agent')),
  scope TEXT NOT NULL CHECK (scope IN ('user-global', 'workspace')),
  workspace_key TEXT NOT NULL,
  agent_key TEXT NOT NULL,
  text TEXT NOT NULL CHECK (text <> ''),
  source TEXT NOT NULL,
  tags TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
  session_id TEXT,
  units INTEGER NOT NULL CHECK (units > 0),
  folded TEXT NOT NULL,
  folded_crc INTEGER NOT NULL,
  created_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq),
  ledger_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq),
  CHECK ((scope = 'workspace') = (workspace_key <> ''))
) STRICT;
-- Covers the substring test and the order of a query, so that a layer is read in one sweep.
CREATE INDEX entries_layer ON entries
  (scope, workspace_key, track, created_seq, agent_key, updated_at, ledger_seq, folded);
CREATE INDEX entries_twin ON entries (scope, workspace_key, track, folded_crc);

-- change is JSON; workspace_key, agent_key and session_id are those of the session that wishes it, homes as
-- in the ledger.
CREATE TABLE proposals (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'dismissed', 'refused', 'expired')),
  change TEXT NOT NULL,
  workspace_key TEXT NOT NULL,
  homes TEXT,
  agent_key TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  track TEXT NOT NULL,
  scope TEXT NOT NULL,
  source TEXT,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  waiter TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  outcome TEXT,
  decided_by TEXT
) STRICT;
CREATE INDEX proposals_workspace ON proposals (workspace_key, status);
CREATE INDEX proposals_alike ON proposals (workspace_key, agent_key, hash) WHERE status = 'pending';
CREATE INDEX proposals_session ON proposals (session_id) WHERE status = 'pending';
CREATE INDEX proposals_waiter ON proposals (waiter) WHERE status = 'pending' AND waiter IS NOT NULL;
CREATE INDEX proposals_due ON proposals (expires_at) WHERE status = 'pending';

-- Derived from here on: running totals, recalls, the search index, the change feed.
CREATE TABLE usage (
  track TEXT NOT NULL,
  scope TEXT NOT NULL,
  workspace_key TEXT NOT NULL,
  used INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  PRIMARY KEY (track, scope, workspace_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE recall (
  entry INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  last_ms INTEGER NOT NULL
) STRICT;

CREATE VIRTUAL TABLE search USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So' tokenchars '_-./'"
);

CREATE TABLE derived (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE feed (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  ts INTEGER NOT NULL,
  origin TEXT NOT NULL,
  kind TEXT NOT NULL,
  ledger_seq INTEGER,
  entry_id TEXT,
  proposal_id TEXT,
  workspace_key TEXT,
  agent_key TEXT,
  track TEXT,
  scope TEXT,
  session_id TEXT,
  status TEXT
) STRICT;

CREATE TRIGGER usage_of_inserted AFTER INSERT ON entries BEGIN
  INSERT INTO usage (track, scope, workspace_key, used, entries)
    SELECT NEW.track, NEW.scope, NEW.workspace_key, 0, 0
    WHERE NOT EXISTS (
      SELECT 1 FROM usage
      WHERE track = NEW.track AND scope = NEW.scope AND workspace_key = NEW.workspace_key
    );
  UPDATE usage SET used = used + NEW.units, entries = entries + 1
    WHERE track = NEW.track AND scope = NEW.scope AND workspace_key = NEW.workspace_key;
END;

CREATE TRIGGER usage_of_rewritten AFTER UPDATE ON entries BEGIN
  UPDATE usage SET used = used - OLD.units + NEW.units
    WHERE track = NEW.track AND scope = NEW.scope AND workspace_key = NEW.workspace_key;
END;

CREATE TRIGGER usage_of_deleted AFTER DELETE ON entries BEGIN
  UPDATE usage SET used = used - OLD.units, entries = entries - 1
    WHERE track = OLD.track AND scope = OLD.scope AND workspace_key = OLD.workspace_key;
  DELETE FROM recall WHERE entry = OLD.row;
END;

-- Guards.
CREATE TRIGGER ledger_follows_its_head BEFORE INSERT ON ledger
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM ledger)
  OR NEW.previous IS NOT coalesce(
    (SELECT hash FROM ledger ORDER BY seq DESC LIMIT 1),
    '0000000000000000000000000000000000000000000000000000000000000000'
  )
  OR NEW.payload IS NULL
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a ledger row must follow the newest one');
END;

CREATE TRIGGER ledger_keeps_rows BEFORE DELETE ON ledger BEGIN
  SELECT RAISE(ABORT, 'keepgate: ledger rows are never deleted');
END;

CREATE TRIGGER ledger_only_purges BEFORE UPDATE ON ledger
WHEN NEW.payload IS NOT NULL OR NEW.salt IS NOT NULL
  OR NEW.seq IS NOT OLD.seq OR NEW.ts IS NOT OLD.ts OR NEW.action IS NOT OLD.action
  OR NEW.decision IS NOT OLD.decision OR NEW.outcome IS NOT OLD.outcome OR NEW.track IS NOT OLD.track
  OR NEW.scope IS NOT OLD.scope OR NEW.workspace_key IS NOT OLD.workspace_key
  OR NEW.homes IS NOT OLD.homes
  OR NEW.agent_key IS NOT OLD.agent_key OR NEW.entry_id IS NOT OLD.entry_id OR NEW.source IS NOT OLD.source
  OR NEW.session_id IS NOT OLD.session_id OR NEW.proposal_id IS NOT OLD.proposal_id
  OR NEW.shown_hash IS NOT OLD.shown_hash OR NEW."by" IS NOT OLD."by" OR NEW.digest IS NOT OLD.digest
  OR NEW.previous IS NOT OLD.previous OR NEW.hash IS NOT OLD.hash OR NEW.key_id IS NOT OLD.key_id
  OR NEW.mac IS NOT OLD.mac
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a ledger row can lose its payload and change in no other way');
END;

-- An entry's row must say what its newest ledger row says was approved.
CREATE TRIGGER entries_insert_needs_approval BEFORE INSERT ON entries
WHEN NOT EXISTS (
  SELECT 1 FROM ledger AS l
  WHERE l.seq = NEW.ledger_seq AND l.decision = 'allowed' AND l.entry_id = NEW.id
    AND l.track = NEW.track AND l.scope = NEW.scope AND l.workspace_key = NEW.workspace_key
    AND l.agent_key = NEW.agent_key AND l.source = NEW.source
    AND json_extract(l.payload, '$.after.text') = NEW.text
    AND json_extract(l.payload, '$.after.tags') = NEW.tags
    AND json_extract(l.payload, '$.after.version') = NEW.version
) OR EXISTS (
  SELECT 1 FROM ledger AS newer
  WHERE newer.entry_id = NEW.id AND newer.seq > NEW.ledger_seq AND newer.decision = 'allowed'
)
BEGIN
  SELECT RAISE(ABORT, 'keepgate: an entry needs an approved ledger row');
END;

CREATE TRIGGER entries_update_needs_approval BEFORE UPDATE ON entries
WHEN NEW.row IS NOT OLD.row OR NEW.id IS NOT OLD.id OR NEW.created_seq IS NOT OLD.created_seq
  OR NEW.created_at IS NOT OLD.created_at OR NEW.track IS NOT OLD.track OR NEW.scope IS NOT OLD.scope
  OR NEW.workspace_key IS NOT OLD.workspace_key OR NEW.ledger_seq <= OLD.ledger_seq
  OR NOT EXISTS (
    SELECT 1 FROM ledger AS l
    WHERE l.seq = NEW.ledger_seq AND l.decision = 'allowed' AND l.entry_id = NEW.id
      AND l.track = NEW.track AND l.scope = NEW.scope AND l.workspace_key = NEW.workspace_key
      AND l.agent_key = NEW.agent_key AND l.source = NEW.source
      AND json_extract(l.payload, '$.after.text') = NEW.text
      AND json_extract(l.payload, '$.after.tags') = NEW.tags
      AND json_extract(l.payload, '$.after.version') = NEW.version
  ) OR EXISTS (
    SELECT 1 FROM ledger AS newer
    WHERE newer.entry_id = NEW.id AND newer.seq > NEW.ledger_seq AND newer.decision = 'allowed'
  )
BEGIN
  SELECT RAISE(ABORT, 'keepgate: an entry needs an approved ledger row');
END;

CREATE TRIGGER entries_delete_needs_approval BEFORE DELETE ON entries
WHEN NOT EXISTS (
  SELECT 1 FROM ledger AS l
  WHERE l.entry_id = OLD.id AND l.seq > OLD.ledger_seq AND l.decision = 'allowed'
    AND json_extract(l.payload, '$.before.version') = OLD.version
    AND json_type(l.payload, '$.after') = 'null'
)
BEGIN
  SELECT RAISE(ABORT, 'keepgate: an entry goes only with an approved ledger row');
END;

CREATE TRIGGER proposals_begin_pending BEFORE INSERT ON proposals
WHEN NEW.status <> 'pending' OR NEW.decided_at IS NOT NULL OR NEW.outcome IS NOT NULL
  OR NEW.decided_by IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a proposal begins pending');
END;

CREATE TRIGGER proposals_end_once BEFORE UPDATE ON proposals
WHEN OLD.status <> 'pending'
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a decided proposal does not change');
END;

-- Who asks again for what is pending takes its place: session and client change only with a waiter.
CREATE TRIGGER proposals_keep_their_wish BEFORE UPDATE ON proposals
WHEN NEW.row IS NOT OLD.row OR NEW.id IS NOT OLD.id OR NEW.change IS NOT OLD.change
  OR NEW.workspace_key IS NOT OLD.workspace_key OR NEW.homes IS NOT OLD.homes
  OR NEW.agent_key IS NOT OLD.agent_key OR NEW.kind IS NOT OLD.kind OR NEW.track IS NOT OLD.track
  OR NEW.scope IS NOT OLD.scope OR NEW.source IS NOT OLD.source
  OR NEW.created_at IS NOT OLD.created_at OR NEW.expires_at IS NOT OLD.expires_at
  OR (NEW.waiter IS NULL
    AND (NEW.session_id IS NOT OLD.session_id OR NEW.asked_by IS NOT OLD.asked_by))
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a proposal keeps what was wished and by whom');
END;

CREATE TRIGGER proposals_stay BEFORE DELETE ON proposals BEGIN
  SELECT RAISE(ABORT, 'keepgate: proposals are never deleted');
END;

CREATE TRIGGER meta_stays BEFORE DELETE ON meta BEGIN
  SELECT RAISE(ABORT, 'keepgate: what identifies a store is never deleted');
END;
