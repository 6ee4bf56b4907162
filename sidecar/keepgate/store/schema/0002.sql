-- Version 2: facts and page writes, which are canonical; pages, cursors and their search, which are derived.

-- A fact is never deleted: forgetting, superseding and undoing set expired_at. home is a workspace key, or
-- empty for user-global. twin_crc finds facts that say the same. Times are epoch milliseconds.
CREATE TABLE facts (
  id INTEGER PRIMARY KEY CHECK (id > 0),
  home TEXT NOT NULL,
  entity TEXT CHECK (entity <> ''),
  text TEXT NOT NULL CHECK (text <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('event', 'preference', 'commitment', 'belief', 'fact')),
  visibility TEXT NOT NULL CHECK (visibility IN ('world', 'private')),
  provenance TEXT NOT NULL CHECK (provenance <> ''),
  created_at INTEGER NOT NULL,
  valid_until INTEGER,
  expired_at INTEGER,
  superseded_by INTEGER REFERENCES facts (id) DEFERRABLE INITIALLY DEFERRED,
  reason TEXT,
  session_id TEXT,
  version INTEGER NOT NULL CHECK (version >= 1),
  twin_crc INTEGER NOT NULL,
  ledger_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq)
) STRICT;
CREATE INDEX facts_home ON facts (home, id);
CREATE INDEX facts_entity ON facts (home, entity, id) WHERE entity IS NOT NULL;
CREATE INDEX facts_session ON facts (home, session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX facts_since ON facts (home, created_at, id);
-- What a card counts and shows of an entity, without a look at the rows themselves.
CREATE INDEX facts_card ON facts (home, entity, kind, id, visibility, valid_until, expired_at)
  WHERE entity IS NOT NULL AND expired_at IS NULL;
-- The reference is looked up whenever a fact comes in while another waits for it.
CREATE INDEX facts_superseded ON facts (superseded_by);
CREATE INDEX facts_twin ON facts (home, twin_crc) WHERE expired_at IS NULL;
CREATE INDEX facts_ttl ON facts (valid_until) WHERE valid_until IS NOT NULL AND expired_at IS NULL;

-- What a session has said that it read, looked up before each of its writes.
CREATE INDEX ledger_taint ON ledger (session_id, workspace_key, seq) WHERE action = 'taint';

-- What went into quarantine; what is in it still is told by there being no newer row.
CREATE INDEX ledger_quarantine ON ledger (seq) WHERE action = 'quarantine' AND decision = 'allowed';

-- An approved page write that is on its way to its file: stored with the approval, ended when the file is
-- in place or when it turned out to be another file than the one that was shown. Digests are SHA-256 in hex;
-- NULL means no file. content is NULL for a removal, and once the write has ended.
CREATE TABLE page_writes (
  id INTEGER PRIMARY KEY,
  home TEXT NOT NULL,
  root TEXT NOT NULL,
  slug TEXT NOT NULL,
  path TEXT NOT NULL,
  digest_before TEXT,
  digest_after TEXT,
  content TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'applied', 'abandoned')),
  ledger_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq)
) STRICT;
CREATE INDEX page_writes_pending ON page_writes (id) WHERE state = 'pending';
CREATE INDEX page_writes_file ON page_writes (root, path);

-- What a person allowed for the rest of a session, with the change that was allowed then: leave to add to a
-- track of a workspace, or to remember facts of it. holder is the presence token of the process that the
-- session speaks to; with it the leave ends.
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  agent_key TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('add', 'remember')),
  track TEXT CHECK (track IN ('user', 'agent')),
  workspace_key TEXT NOT NULL CHECK (workspace_key <> ''),
  kept_for TEXT NOT NULL,
  holder TEXT NOT NULL,
  granted_at INTEGER NOT NULL,
  "by" TEXT NOT NULL,
  ledger_seq INTEGER NOT NULL REFERENCES ledger (seq),
  CHECK ((kind = 'add') = (track IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_session ON grants (session_id, holder);

-- Derived from here on.

-- Text comes in analysed: all that is not ASCII is part of a term, whatever Unicode says of it.
CREATE VIRTUAL TABLE fact_search USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "porter ascii tokenchars '_-./'"
);

-- The index of page files. root is the folder's absolute path, path the file's below it with slashes;
-- title_key, tail and slug_key are folded for look-ups; changed_at is the moment when the index first saw this digest,
-- later than that of every page indexed before: the order of delta.
CREATE TABLE pages (
  row INTEGER PRIMARY KEY,
  home TEXT NOT NULL,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  tail TEXT NOT NULL,
  slug_key TEXT NOT NULL,
  type TEXT NOT NULL,
  summary TEXT NOT NULL,
  tags TEXT NOT NULL,
  visibility TEXT NOT NULL CHECK (visibility IN ('world', 'private')),
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  digest TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (home, slug),
  UNIQUE (home, root, path)
) STRICT;
CREATE INDEX pages_changed ON pages (home, changed_at, slug);
CREATE INDEX pages_title ON pages (home, title_key);
CREATE INDEX pages_tail ON pages (home, tail);
-- Two files whose slugs differ in capitals alone cannot both be pages, however many share a name.
CREATE INDEX pages_slug_key ON pages (home, slug_key);

CREATE TABLE page_aliases (
  home TEXT NOT NULL,
  key TEXT NOT NULL,
  page INTEGER NOT NULL,
  alias TEXT NOT NULL,
  PRIMARY KEY (home, key, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_aliases_page ON page_aliases (page);

-- home and visibility are those of the page that holds the link, so that links to a page are counted in the
-- index alone.
CREATE TABLE page_links (
  page INTEGER NOT NULL,
  place INTEGER NOT NULL,
  home TEXT NOT NULL,
  visibility TEXT NOT NULL CHECK (visibility IN ('world', 'private')),
  target TEXT NOT NULL,
  type TEXT NOT NULL,
  context TEXT,
  PRIMARY KEY (page, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_links_target ON page_links (home, target, visibility, type);

CREATE TABLE page_timeline (
  page INTEGER NOT NULL,
  place INTEGER NOT NULL,
  date TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (page, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE page_chunks (
  row INTEGER PRIMARY KEY,
  page INTEGER NOT NULL,
  place INTEGER NOT NULL,
  heading TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX page_chunks_page ON page_chunks (page, place);

CREATE VIRTUAL TABLE page_search USING fts5 (
  title,
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "porter ascii tokenchars '_-./'"
);

-- By slug, so that it outlives a new index.
CREATE TABLE page_retrievals (
  home TEXT NOT NULL,
  slug TEXT NOT NULL,
  last_ms INTEGER NOT NULL,
  PRIMARY KEY (home, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE page_problems (
  home TEXT NOT NULL,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  line INTEGER,
  problem TEXT NOT NULL
) STRICT;
CREATE INDEX page_problems_file ON page_problems (home, root, path);

-- indexed_at is when every file was last seen, NULL before the first time. newest is the latest changed_at
-- that was given in this root, also when its page is gone: time never steps back for delta.
CREATE TABLE page_roots (
  home TEXT NOT NULL,
  root TEXT NOT NULL,
  indexed_at INTEGER,
  newest INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (home, root)
) STRICT, WITHOUT ROWID;

-- Where a session's deltas have got to: the newest delivered page and fact of each home. viewer is the workspace
-- that the session is of, empty for none: what is user-global is delivered to each of them. lane is local,
-- remote or a client.
CREATE TABLE cursors (
  viewer TEXT NOT NULL,
  home TEXT NOT NULL,
  lane TEXT NOT NULL,
  session_id TEXT NOT NULL,
  page_since INTEGER NOT NULL,
  page_slug TEXT NOT NULL,
  fact_id INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  PRIMARY KEY (viewer, home, lane, session_id)
) STRICT, WITHOUT ROWID;

-- Guards.

-- A fact's row must say what its newest ledger row says was approved.
CREATE TRIGGER facts_insert_needs_approval BEFORE INSERT ON facts
WHEN NOT EXISTS (
  SELECT 1 FROM ledger AS l
  WHERE l.seq = NEW.ledger_seq AND l.decision = 'allowed' AND l.entry_id = CAST(NEW.id AS TEXT)
    AND l.workspace_key = NEW.home
    AND json_extract(l.payload, '$.after.text') = NEW.text
    AND json_extract(l.payload, '$.after.entity') IS NEW.entity
    AND json_extract(l.payload, '$.after.kind') = NEW.kind
    AND json_extract(l.payload, '$.after.visibility') = NEW.visibility
    AND json_extract(l.payload, '$.after.provenance') = NEW.provenance
    AND json_extract(l.payload, '$.after.validUntil') IS NEW.valid_until
    AND json_extract(l.payload, '$.after.expiredAt') IS NEW.expired_at
    AND json_extract(l.payload, '$.after.supersededBy') IS NEW.superseded_by
    AND json_extract(l.payload, '$.after.reason') IS NEW.reason
    AND json_extract(l.payload, '$.after.version') = NEW.version
) OR EXISTS (
  SELECT 1 FROM ledger AS newer
  WHERE newer.entry_id = CAST(NEW.id AS TEXT) AND newer.seq > NEW.ledger_seq AND newer.decision = 'allowed'
)
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a fact needs an approved ledger row');
END;

CREATE TRIGGER facts_update_needs_approval BEFORE UPDATE ON facts
WHEN NEW.id IS NOT OLD.id OR NEW.home IS NOT OLD.home OR NEW.entity IS NOT OLD.entity
  OR NEW.text IS NOT OLD.text OR NEW.kind IS NOT OLD.kind OR NEW.visibility IS NOT OLD.visibility
  OR NEW.provenance IS NOT OLD.provenance OR NEW.created_at IS NOT OLD.created_at
  OR NEW.valid_until IS NOT OLD.valid_until OR NEW.session_id IS NOT OLD.session_id
  OR NEW.twin_crc IS NOT OLD.twin_crc OR NEW.ledger_seq <= OLD.ledger_seq
  OR NOT EXISTS (
    SELECT 1 FROM ledger AS l
    WHERE l.seq = NEW.ledger_seq AND l.decision = 'allowed' AND l.entry_id = CAST(NEW.id AS TEXT)
      AND l.workspace_key = NEW.home
      AND json_extract(l.payload, '$.after.text') = NEW.text
      AND json_extract(l.payload, '$.after.expiredAt') IS NEW.expired_at
      AND json_extract(l.payload, '$.after.supersededBy') IS NEW.superseded_by
      AND json_extract(l.payload, '$.after.reason') IS NEW.reason
      AND json_extract(l.payload, '$.after.version') = NEW.version
  ) OR EXISTS (
    SELECT 1 FROM ledger AS newer
    WHERE newer.entry_id = CAST(NEW.id AS TEXT) AND newer.seq > NEW.ledger_seq AND newer.decision = 'allowed'
  )
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a fact needs an approved ledger row');
END;

CREATE TRIGGER facts_stay BEFORE DELETE ON facts BEGIN
  SELECT RAISE(ABORT, 'keepgate: facts are expired, never deleted');
END;

CREATE TRIGGER grants_need_approval BEFORE INSERT ON grants
WHEN NOT EXISTS (
  SELECT 1 FROM ledger AS l
  WHERE l.seq = NEW.ledger_seq AND l.decision = 'allowed' AND l.action = NEW.kind
    AND l.session_id = NEW.session_id AND l.workspace_key = NEW.workspace_key AND l.track IS NEW.track
)
BEGIN
  SELECT RAISE(ABORT, 'keepgate: leave for a session comes with an approved change');
END;

CREATE TRIGGER grants_stay_as_given BEFORE UPDATE ON grants BEGIN
  SELECT RAISE(ABORT, 'keepgate: leave for a session is given or taken, never changed');
END;

CREATE TRIGGER page_writes_need_approval BEFORE INSERT ON page_writes
WHEN NEW.state <> 'pending' OR NOT EXISTS (
  SELECT 1 FROM ledger AS l
  WHERE l.seq = NEW.ledger_seq AND l.decision = 'allowed' AND l.entry_id = 'page:' || NEW.slug
    AND l.workspace_key = NEW.home
    AND json_extract(l.payload, '$.after.content') IS NEW.content
)
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a page write needs an approved ledger row');
END;

CREATE TRIGGER page_writes_end_once BEFORE UPDATE ON page_writes
WHEN OLD.state <> 'pending' OR NEW.state NOT IN ('applied', 'abandoned') OR NEW.content IS NOT NULL
  OR NEW.id IS NOT OLD.id OR NEW.home IS NOT OLD.home OR NEW.root IS NOT OLD.root
  OR NEW.slug IS NOT OLD.slug OR NEW.path IS NOT OLD.path OR NEW.digest_before IS NOT OLD.digest_before
  OR NEW.digest_after IS NOT OLD.digest_after OR NEW.ledger_seq IS NOT OLD.ledger_seq
BEGIN
  SELECT RAISE(ABORT, 'keepgate: a page write ends once and changes in no other way');
END;

CREATE TRIGGER page_writes_stay BEFORE DELETE ON page_writes BEGIN
  SELECT RAISE(ABORT, 'keepgate: page writes are never deleted');
END;
