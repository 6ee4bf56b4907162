// Written by `python -m keepgate.derive`; edit the table instead.

/** A registered adapter. */
export interface AdapterInfo {
  /** `[a-z0-9][a-z0-9-]*` */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly importFormats: readonly string[];
  readonly exportFormat: string;
}

/** Params of the request `adapters/adapt` to the client that registered the adapter. */
export interface AdaptersAdaptParams {
  readonly id: string;
  readonly payload: unknown;
}

/** What the client answers: drafts in the envelope's field names. */
export interface AdaptersAdaptResult {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

/** Params of the request `adapters/export` to the client that registered the adapter. */
export interface AdaptersExportParams {
  readonly id: string;
  readonly entries: readonly Entry[];
}

/** What the client answers. */
export interface AdaptersExportResult {
  /** May be null, which is not the same as missing. */
  readonly payload: unknown;
}

/** Params of `adapters/list`. */
export type AdaptersListParams = Readonly<Record<string, never>>;

/** Result of `adapters/list`, sorted by id. */
export interface AdaptersListResult {
  readonly adapters: readonly AdapterInfo[];
}

/** Params of `adapters/register`; the client then answers `adapters/adapt` and `adapters/export`. */
export interface AdaptersRegisterParams {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly importFormats: readonly string[];
  readonly exportFormat: string;
}

/** Result of `adapters/register`; the adapter vanishes with its connection. */
export interface AdaptersRegisterResult {
  readonly adapter: AdapterInfo;
}

/** Params of `adapters/unregister`. */
export interface AdaptersUnregisterParams {
  readonly id: string;
}

/** Result of `adapters/unregister`. */
export type AdaptersUnregisterResult = Readonly<Record<string, never>>;

/** Params of `memory/add`. */
export interface AddParams {
  readonly track: Track;
  readonly scope: Scope;
  /** The new memory. */
  readonly text: string;
  /** Short labels. */
  readonly tags?: readonly string[] | null | undefined;
  /** Label of the origin; default `keepgate`. */
  readonly source?: string | null | undefined;
  /** `""` for the shared layer; absent means the session's preset. */
  readonly agentKey?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/add`. */
export interface AddResult {
  readonly entry: Entry;
  readonly usage: Usage;
}

/** Result of `approval/request`; anything but an allow with the right hash is a denial. */
export interface ApprovalAnswer {
  /** `allowed-once`, `allowed-session`, `rejected` or `cancelled`. */
  readonly outcome: string;
  readonly hash: string;
}

/** Params of the notification `approval/asked`. */
export interface ApprovalAsked {
  readonly id: string;
  readonly action: string;
  readonly track: string;
  readonly scope: string;
  readonly workspaceKey: string;
  readonly agentKey: string;
  readonly source: string | null;
  readonly sessionId: string | null;
  readonly text: string;
  readonly hash: string;
  readonly deadline: number;
  readonly warnings: readonly Caution[];
  readonly count: number | null;
  /** Facts that the change touches, where it touches any. */
  readonly facts?: readonly AskFact[];
}

/** Params of the notification `approval/decided`. */
export interface ApprovalDecided {
  readonly id: string;
  readonly outcome: Outcome;
  /** Who decided: client, version, connection, channel; `via: policy` for a policy; null for nobody. */
  readonly by: Readonly<Record<string, unknown>> | null;
}

/** Params of the notification `approval/queued`, to clients of structured questions alone. */
export interface ApprovalQueued {
  /** The open question. */
  readonly id: string;
  /** All questions of its session that wait behind it now, in their order; none at last. */
  readonly waiting: readonly QueuedAsk[];
}

/** Params of `approval/request`, the structured question: exactly what the person must see. */
export interface ApprovalRequestParams {
  /** The proposal. */
  readonly id: string;
  readonly action: string;
  /** A track, `batch`, `facts` or `pages`. */
  readonly track: string;
  /** A scope, or `batch`. */
  readonly scope: string;
  readonly workspaceKey: string;
  readonly agentKey: string;
  readonly source: string | null;
  readonly sessionId: string | null;
  /** The full payload text of the contract (DSH-3). */
  readonly text: string;
  /** SHA-256 of the canonical payload; echo it with the answer. */
  readonly hash: string;
  /** When the server stops waiting; epoch milliseconds. */
  readonly deadline: number;
  readonly warnings: readonly Caution[];
  /** The text before, for a change of one entry. */
  readonly from: string | null;
  /** The text after. */
  readonly to: string | null;
  readonly targets: readonly AskTarget[];
  readonly entries: readonly AskEntry[];
  /** Facts that the change touches. */
  readonly facts: readonly AskFact[];
  /** Page files that the change touches. */
  readonly pages: readonly AskPage[];
  /** The layers as they would be after the change. */
  readonly usage: readonly Usage[];
  /** How many entries a batch adds. */
  readonly count: number | null;
  /** The client that asks, when it is another process. */
  readonly client: Readonly<Record<string, unknown>> | null;
  /** Questions of the same session that wait behind it. */
  readonly queue: readonly QueuedAsk[];
  /** Whether `allowed-session` would allow more than this change. */
  readonly forSession: boolean;
}

/** Params of `approval/shown`, which a client that answers `approval/request` sends on showing it. */
export interface ApprovalShownParams {
  /** The proposal of the question. */
  readonly id: string;
}

/** Result of `approval/shown`. */
export interface ApprovalShownResult {
  /** False when this client has no such open question. */
  readonly open: boolean;
}

/** Params of `memory/asOf`: exactly one of `seq` and `at`. */
export interface AsOfParams {
  /** The store as it was after this ledger row. */
  readonly seq?: number | null | undefined;
  /** The store as it was at this moment, in epoch milliseconds. */
  readonly at?: number | null | undefined;
  /** Entries and facts in a page; default 100, never above 1,000. */
  readonly limit?: number | null | undefined;
  /** `next` of the page before. */
  readonly after?: string | null | undefined;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/asOf`, in the order in which things came. */
export interface AsOfResult {
  /** The last ledger row that counts; 0 before the first. */
  readonly seq: number;
  /** When it was written; null before the first. */
  readonly ts: number | null;
  /** As they were; recall counts, which no ledger keeps, are 0. */
  readonly entries: readonly Entry[];
  /** Those that could be recalled then. */
  readonly facts: readonly FactThen[];
  /** Ids of entries and facts whose text of that time was purged. */
  readonly unknown: readonly string[];
  /** Give it as `after` for the next page; null at the end. */
  readonly next: string | null;
}

/** An entry that the change adds or leaves behind. */
export interface AskEntry {
  readonly track: Track;
  readonly scope: Scope;
  readonly workspaceKey: string;
  readonly agentKey: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly source: string;
}

/** A fact that the change adds, expires or brings back, as it would be left. */
export interface AskFact {
  /** `remember`, `supersede`, `forget`, or one of them with `undo-` before it. */
  readonly action: string;
  /** Its id; null for a new one. */
  readonly id: string | null;
  /** Its version as it is now; null for a new one. */
  readonly version: number | null;
  /** Its home: the workspace key, or empty for user-global. */
  readonly workspaceKey: string;
  /** The slug of what it is about. */
  readonly entity: string | null;
  readonly text: string;
  readonly kind: FactKind;
  readonly visibility: Visibility;
  readonly provenance: string;
  /** When it expires by its ttl; epoch milliseconds. */
  readonly validUntil: number | null;
  /** Why it is forgotten. */
  readonly reason: string | null;
}

/** A page file that the change writes or removes, whole, or a folder of pages that it trusts. */
export interface AskPage {
  /** `page-put`, `page-remove`, `trust`, or one of them with `undo-` before it. */
  readonly action: string;
  /** Its home: the workspace key, or empty for user-global. */
  readonly workspaceKey: string;
  /** Absolute path of the folder of pages. */
  readonly root: string;
  /** Empty for a folder. */
  readonly slug: string;
  /** The file's path below the folder, with slashes; empty for a folder. */
  readonly path: string;
  /** The file's text as it is now; null where there is no file. */
  readonly before: string | null;
  /** The file's text as it would be; null where it goes. */
  readonly content: string | null;
}

/** An entry that the change rewrites or removes, as it is now. */
export interface AskTarget {
  readonly id: string;
  readonly version: number;
  readonly track: Track;
  readonly scope: Scope;
  readonly workspaceKey: string;
  readonly agentKey: string;
  readonly text: string;
  /** The substring that named it. */
  readonly match: string | null;
  /** Its tags as they are now. */
  readonly tags: readonly string[];
}

/** Params of `memory/audit`. */
export interface AuditParams {
  /** Default 100, never above 1,000. */
  readonly limit?: number | null | undefined;
  /** Only rows with a smaller seq. */
  readonly before?: number | null | undefined;
  readonly action?: string | null | undefined;
  readonly entryId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/audit`, newest first. */
export interface AuditResult {
  readonly rows: readonly AuditRow[];
  /** Give it as `before` for the next page; null at the end. */
  readonly next: number | null;
}

/** One ledger row (DSH-6). */
export interface AuditRow {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly ts: number;
  readonly action: string;
  readonly track: string | null;
  readonly scope: string | null;
  readonly entryId: string | null;
  /** The payload's text; null when there is none or it was purged. */
  readonly text: string | null;
  readonly outcome: string | null;
  readonly source: string | null;
  readonly sessionId: string | null;
  readonly proposalId: string | null;
  /** Who decided: client, version, connection, channel; with `via: policy`, who asked a policy. */
  readonly by: Readonly<Record<string, unknown>> | null;
  readonly purged: boolean;
}

/** Params of `pages/backlinks`. */
export interface BacklinksParams {
  readonly slug: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/backlinks`. */
export interface BacklinksResult {
  readonly links: readonly PageLink[];
  readonly total: number;
}

/** Budgets of the four layers (DSH-5). */
export interface Budgets {
  /** Memories about the person. Default: `{"userGlobal": 2000, "workspace": 2000}`. */
  readonly user?: TrackBudgets | undefined;
  /** Environment facts, conventions and lessons. Default: `{"userGlobal": 4000, "workspace": 4000}`. */
  readonly agent?: TrackBudgets | undefined;
}

/** Params of `memory/budgets`. */
export interface BudgetsParams {
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/budgets`: four rows in the fixed order. */
export interface BudgetsResult {
  readonly budgets: readonly Usage[];
}

/** Params of `pages/capture`: a dated note into the inbox page of the day's month. */
export interface CaptureParams {
  readonly text: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** What is known of one entity. */
export interface Card {
  readonly entity: EntityName;
  readonly aka: readonly string[];
  readonly summary: string;
  readonly last_touched: LastTouched;
  readonly open_threads: readonly Thread[];
  readonly edges: readonly Edge[];
  readonly backlink_count: number;
  readonly active_fact_count: number;
}

/** Something the person should know before answering. */
export interface Caution {
  /**
   * `hidden-characters`, `duplicate`, `over-budget`, `already-undone`, `overtaken`, `quarantined` or
   * `tainted`.
   */
  readonly kind: string;
  readonly message: string;
}

/** One proposal of a decision over several, and the hash of the question that the person saw. */
export interface Choice {
  readonly id: string;
  readonly hash: string;
}

/** What a client can do, for clients that cannot set `capabilities.experimental`. */
export interface ClientAnnouncement {
  /** It may list and decide proposals. Default: `false`. */
  readonly approver?: boolean | undefined;
  /** It answers `approval/request`. Default: `false`. */
  readonly approvalRequest?: boolean | undefined;
  /** It answers `languageModel/complete`. Default: `false`. */
  readonly languageModel?: boolean | undefined;
}

/** Result of `languageModel/complete`. */
export interface Completion {
  /** What the model said. */
  readonly text: string;
  /** Which model it was. */
  readonly model: string;
  /** As the provider counts them. */
  readonly inputTokens?: number | null | undefined;
  /** As the provider counts them. */
  readonly outputTokens?: number | null | undefined;
}

/** Params of `memory/consolidate`: exactly one of `matches` and `ids`. */
export interface ConsolidateParams {
  readonly track: Track;
  readonly scope: Scope;
  /** The text that takes the targets' place. */
  readonly text: string;
  /** 1 to 20 substrings, each matching exactly one visible entry. */
  readonly matches?: readonly string[] | null | undefined;
  /** 1 to 20 entries by id, instead of `matches`. */
  readonly ids?: readonly IdTarget[] | null | undefined;
  /** Tags of the new entry. */
  readonly tags?: readonly string[] | null | undefined;
  /** Label of the origin; default `keepgate`. */
  readonly source?: string | null | undefined;
  /** `""` shared. Absent: shared when all targets are, else the session's preset. */
  readonly agentKey?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/consolidate`. */
export interface ConsolidateResult {
  readonly removed: readonly Entry[];
  readonly entry: Entry;
  readonly usage: Usage;
}

/** Params of `verbs/context_pack`. */
export interface ContextPackParams {
  /** Comma-separated; the first eight count. */
  readonly entities: string;
  /** Pack the block into so many tokens (characters / 4). */
  readonly budget_tokens?: number | null | undefined;
  /** Only open threads from then on. */
  readonly since?: string | null | undefined;
  readonly session_id?: string | null | undefined;
  /** Private facts and pages too; local callers. */
  readonly include_private?: boolean | null | undefined;
  /** Answer in that time with what there is. */
  readonly deadline_ms?: number | null | undefined;
  /** Leave out pages of workspace folders that nobody trusted. */
  readonly trusted_only?: boolean | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/context_pack`. */
export interface ContextPackResult {
  /** The names that counted. */
  readonly entities: readonly string[];
  readonly cards: readonly PackCard[];
  readonly open_threads: readonly Thread[];
  readonly facts: readonly PackFact[];
  /** The block to inject: marked as data, one line an item, within the budget. */
  readonly text: string;
  /** Why the pack is only a part. */
  readonly degraded_reason?: string;
  readonly budget_tokens?: number;
  readonly budget_used?: number;
  readonly dropped_count?: number;
  readonly protocol_version: number;
}

/** What a composed answer cost, as far as the provider says; no invoice. */
export interface Cost {
  readonly model: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly usd_estimate: number | null;
}

/** Whether a page for this is there already. */
export type CreateSafety =
  | "exists"
  | "probable"
  | "unknown";

/** What became of one proposal of a decision over several: it was decided, or why it was not. */
export interface Decided {
  readonly id: string;
  /** The proposal as it is now; null where it was not decided. */
  readonly proposal: Proposal | null;
  /** Ledger rows written. */
  readonly seqs: readonly number[];
  /** `code` and `message` of the fault, as a single decision would raise it. */
  readonly error: Readonly<Record<string, unknown>> | null;
}

/** A page that changed. */
export interface DeltaPage {
  readonly slug: string;
  /** The page's home. */
  readonly source_id: string;
  readonly title: string;
  readonly updated_at: string;
}

/** Params of `verbs/delta`; one of `since` and `session_id` is needed. */
export interface DeltaParams {
  /** What changed after then. */
  readonly since?: string | null | undefined;
  /** The slug of `next_cursor`: go on after that page. */
  readonly since_slug?: string | null | undefined;
  /** The fact of `next_cursor`: go on after that fact. */
  readonly since_fact?: string | null | undefined;
  /** Comma-separated: whose open threads to add; the first eight count. */
  readonly entities?: string | null | undefined;
  /** Pack the block into so many tokens (characters / 4). */
  readonly budget_tokens?: number | null | undefined;
  /** The cursor of this session says where to go on. */
  readonly session_id?: string | null | undefined;
  /** Private facts and pages too; local callers. */
  readonly include_private?: boolean | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/delta`. */
export interface DeltaResult {
  readonly since: string;
  readonly pages: readonly DeltaPage[];
  readonly facts: readonly PackFact[];
  readonly threads: readonly Thread[];
  readonly text: string;
  readonly has_more: boolean;
  readonly next_cursor: NextCursor;
  readonly degraded_reason?: string;
  readonly budget_tokens?: number;
  readonly budget_used?: number;
  readonly dropped_count?: number;
  readonly protocol_version: number;
}

/** An entry to be, in `memory/seed` and in a proposal's change. */
export interface DraftParams {
  readonly track: Track;
  readonly scope: Scope;
  readonly text: string;
  readonly tags?: readonly string[] | null | undefined;
  readonly source?: string | null | undefined;
  /** `""` for the shared layer; absent means the session's preset. */
  readonly agentKey?: string | null | undefined;
  /** Key of an open workspace; absent means the session's. */
  readonly workspaceKey?: string | null | undefined;
}

/** What `remember` and `forget` answer to `dry_run`. */
export interface DryRun {
  readonly dry_run: boolean;
  /** What would be done. */
  readonly action: string;
  /** The fact that it would be done to. */
  readonly id?: string;
  /** The entity as it was resolved. */
  readonly entity_slug?: string | null;
  /** When the fact would expire. */
  readonly valid_until?: string | null;
  readonly protocol_version: number;
}

/** A link from or to the entity. */
export interface Edge {
  readonly type: string;
  /** `out` or `in`. */
  readonly direction: string;
  readonly slug: string;
  readonly context: string | null;
}

/** Which page a card is about. */
export interface EntityName {
  readonly slug: string;
  readonly title: string;
  readonly type: string;
}

/** Params of `verbs/entity`. */
export interface EntityParams {
  /** An alias, a title, a slug or the end of one. */
  readonly name: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/entity`; a miss is no error. */
export interface EntityResult {
  readonly found: boolean;
  readonly latency_ms: number;
  readonly card?: Card;
  /** On a miss always; on a hit when there are others. */
  readonly suggestions?: readonly Suggestion[];
  readonly protocol_version: number;
}

/** One memory, with all fourteen fields of the contract (DSH-2). */
export interface Entry {
  /** UUID v4, stable over the entry's life. */
  readonly id: string;
  /** `user` for the person, `agent` for environment facts, conventions and lessons. */
  readonly track: Track;
  /** `user-global` holds everywhere, `workspace` in one workspace. */
  readonly scope: Scope;
  /** Canonical path of the workspace; empty for `user-global`. */
  readonly workspaceKey: string;
  /** The agent preset it is private to; empty for the shared layer. */
  readonly agentKey: string;
  /** The memory. Never empty, never trimmed, without U+0000 and lone surrogates. */
  readonly text: string;
  /** Label of where it came from: `[a-z0-9][a-z0-9._-]{0,63}`. */
  readonly source: string;
  /** At most 16 tags of at most 32 units, trimmed, unique, in given order. */
  readonly tags: readonly string[];
  /** 1 for a new entry, one more with each replacement. */
  readonly version: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds, never before `createdAt`. */
  readonly updatedAt: number;
  /** When a session's query last returned it; epoch milliseconds. */
  readonly lastRecalled: number | null;
  /** How many session queries returned it. */
  readonly recallCount: number;
  /** The session that wrote it last. */
  readonly sessionId: string | null;
}

/** `memory-export-v1`: the portable export (DSH-8). */
export interface Envelope {
  /** Always `dsh-memento`. */
  readonly plugin: string;
  /** Always `memory-export-v1`. */
  readonly schema: string;
  /** ISO 8601 with `Z`. */
  readonly exportedAt: string;
  /** Four rows. */
  readonly budgets: readonly Usage[];
  readonly entries: readonly Entry[];
}

/** Why a result matched. */
export type Evidence =
  | "alias_hit"
  | "exact_title_match"
  | "high_vector_match"
  | "keyword_exact"
  | "weak_semantic";

/** Params of `memory/export`. */
export interface ExportParams {
  /** Adapter id; absent: the portable envelope. */
  readonly adapter?: string | null | undefined;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/export` above 1,000 entries. */
export interface ExportParts {
  /** Valid envelopes of at most 1,000 entries each, in creation order. */
  readonly parts: readonly Envelope[];
}

/** What sort of thing a fact is. */
export type FactKind =
  | "event"
  | "preference"
  | "commitment"
  | "belief"
  | "fact";

/** Facts of MEMORY_VERBS. */
export interface FactSettings {
  /** A longer fact is refused, never cut; UTF-16 units. Default: `4000`. */
  readonly maxTextUnits?: number | undefined;
  /** `workspace` or `user`. Default: `"workspace"`. */
  readonly home?: string | undefined;
  /** Recalls leave out what scores lower. Default: `0.5`. */
  readonly scoreFloor?: number | undefined;
}

/** What became of a fact. */
export interface FactState {
  readonly id: string;
  readonly text: string;
  /** Whether it can be recalled: neither expired nor past its ttl. */
  readonly active: boolean;
}

/** A fact as it was. */
export interface FactThen {
  readonly id: string;
  /** Its home: the workspace key, or empty for user-global. */
  readonly workspaceKey: string;
  readonly entity: string | null;
  readonly text: string;
  readonly kind: FactKind;
  readonly visibility: Visibility;
  readonly provenance: string;
  readonly createdAt: number;
  readonly validUntil: number | null;
  readonly sessionId: string | null;
}

/** Params of the notification `facts/didChange`; remote callers, who see no private facts, get none. */
export interface FactsDidChange {
  /** The ledger row. */
  readonly seq: number;
  /** The fact, as `fact_id` of the verbs names it. */
  readonly id: string;
  /** `remember`, `supersede`, `forget`, one of these with `undo-` before it, or `expire`: ttl ran out. */
  readonly action: string;
  /** Its home: the workspace key, or empty for user-global. */
  readonly workspaceKey: string;
  readonly sessionId: string | null;
}

/** Params of `verbs/forget`. */
export interface ForgetParams {
  /** A `fact_id` from `remember` or `recall`, never a page's slug. */
  readonly id: string;
  /** Kept in the ledger. */
  readonly reason?: string | null | undefined;
  /** Say what would happen and do nothing. */
  readonly dry_run?: boolean | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/forget`. */
export interface ForgetResult {
  readonly id: string;
  /** False: it was expired already. */
  readonly expired: boolean;
  readonly reason: string | null;
  readonly protocol_version: number;
}

/** Params of `memory/get`. */
export interface GetParams {
  readonly id: string;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/get`. */
export interface GetResult {
  readonly entry: Entry;
}

/** What a person allowed for the rest of a session. */
export interface GrantInfo {
  readonly id: string;
  readonly sessionId: string;
  /** The session's agent preset. */
  readonly agentKey: string;
  /** `add` or `remember`. */
  readonly kind: string;
  /** Adding to this `track/scope`; null for facts. */
  readonly layer: string | null;
  readonly workspaceKey: string;
  /** Of entries the preset that they are private to, empty for all; of facts their visibility. */
  readonly keptFor: string;
  readonly grantedAt: number;
  /** Who allowed it: client, version, connection, channel. */
  readonly by: Readonly<Record<string, unknown>>;
}

/** Params of `grants/list`. */
export type GrantsListParams = Readonly<Record<string, never>>;

/** Result of `grants/list`, oldest first. */
export interface GrantsListResult {
  readonly grants: readonly GrantInfo[];
}

/** Params of `grants/revoke`. */
export interface GrantsRevokeParams {
  readonly id: string;
}

/** Result of `grants/revoke`. */
export interface GrantsRevokeResult {
  /** False when there is no such leave in these workspaces, or no more. */
  readonly revoked: boolean;
}

/** Params of `memory/history`. */
export interface HistoryParams {
  /** Of an entry or a fact; of a page `page:` and its slug. */
  readonly id: string;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/history`, oldest first. */
export interface HistoryResult {
  readonly versions: readonly Version[];
}

/** An entry named by id. */
export interface IdTarget {
  readonly id: string;
  /** Refuse unless the entry has this version. */
  readonly version?: number | null | undefined;
}

/** Something the import changed on the way in, or would refuse. */
export interface ImportNote {
  readonly path: string;
  readonly problem: string;
}

/** Params of `memory/import`: exactly one of `payload` and `path`. */
export interface ImportParams {
  /** The envelope, or what the adapter accepts. */
  readonly payload?: unknown;
  /** Absolute path of a UTF-8 file, at most 16 MiB. */
  readonly path?: string | null | undefined;
  /** Adapter id; absent: the portable envelope. */
  readonly adapter?: string | null | undefined;
  /** Say what would happen, ask nobody, store nothing. Default: `false`. */
  readonly dryRun?: boolean | undefined;
  /** Where to report progress. */
  readonly workDoneToken?: string | number | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/import`; a dry run returns the same fields and stores nothing. */
export interface ImportResult {
  /** Entries stored; 0 in a dry run. */
  readonly added: number;
  readonly entries: readonly Entry[];
  /** The layers as they are, or in a dry run as they would be. */
  readonly usage: readonly Usage[];
  /** What was mapped, renamed or would be refused. */
  readonly problems: readonly ImportNote[];
}

/** `capabilities.experimental.keepgate` of the `initialize` result. */
export interface KeepgateCapabilities {
  readonly protocolVersion: number;
  readonly contracts: Readonly<Record<string, number>>;
  readonly methods: readonly string[];
  /** `lsp` or `lines`. */
  readonly framing: string;
  /** `request`, `message` or `none`: how this client will be asked. */
  readonly approval: string;
  readonly storePath: string;
  readonly workspaces: readonly WorkspaceInfo[];
}

/** Params of the notification `keepgate/status`. */
export interface KeepgateStatus {
  /** `ok`, `warning` or `error`. */
  readonly health: string;
  readonly quiescent: boolean;
  readonly message: string;
  readonly pendingApprovals: number;
}

/** One message of the conversation. */
export interface LanguageModelMessage {
  /** `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
}

/** Params of `languageModel/complete`. */
export interface LanguageModelRequest {
  /** What it is for: `synthesize`. */
  readonly purpose: string;
  /** The instructions. */
  readonly system: string;
  readonly messages: readonly LanguageModelMessage[];
  /** The answer's length at most. */
  readonly maxTokens: number;
  /** `json` or `text`. */
  readonly responseFormat: string;
}

/** When a page and what is known of it last moved. */
export interface LastTouched {
  readonly updated_at: string | null;
  readonly last_retrieved_at: string | null;
  readonly last_timeline_date: string | null;
}

/** Params of `memory/list`. */
export interface ListParams {
  readonly track?: Track | null | undefined;
  readonly scope?: Scope | null | undefined;
  /** Page size; default 100, never above 1,000. */
  readonly limit?: number | null | undefined;
  /** `next` of the page before. */
  readonly after?: string | null | undefined;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/list`, in creation order. */
export interface ListResult {
  readonly entries: readonly Entry[];
  /** Give it as `after` for the next page; null at the end. */
  readonly next: string | null;
}

/** The MCP front. */
export interface McpSettings {
  /** `verbs`, `starter` or `full`. Default: `"full"`. */
  readonly surface?: string | undefined;
}

/** Params of `memory/added`, `/updated`, `/removed`, `/recalled` and `/snapshot`. */
export interface MemoryEvent {
  /** The ledger row. */
  readonly seq: number;
  /** The entry; null for recalls and snapshots. */
  readonly id: string | null;
  readonly track: string | null;
  readonly scope: string | null;
  readonly sessionId: string | null;
}

/** Where to go on: `since`, `since_slug` and `since_fact` of the next request. */
export interface NextCursor {
  readonly since: string;
  readonly slug: string;
  /** The newest delivered fact. */
  readonly fact: string;
}

/** The closed set of outcomes (DSH-3). */
export type Outcome =
  | "allowed-once"
  | "rejected"
  | "cancelled"
  | "unavailable";

/** A card in a pack. */
export interface PackCard {
  readonly slug: string;
  readonly title: string;
  readonly type: string;
  readonly summary: string;
  readonly open_threads: readonly Thread[];
  readonly edges: readonly Edge[];
  readonly backlink_count: number;
}

/** A fact in a pack or a delta. */
export interface PackFact {
  readonly fact_id: string;
  readonly fact: string;
  readonly kind: FactKind;
  readonly entity_slug: string | null;
  readonly valid_from: string;
  readonly context: string | null;
  readonly confidence: number;
}

/** Params of `pages/get`. */
export interface PageGetParams {
  readonly slug: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** A page that a search found. */
export interface PageHit {
  readonly page: PageRef;
  /** The part that matched best. */
  readonly chunk: string;
  /** 1 for the best hit. */
  readonly score: number;
}

/** A link between two pages. */
export interface PageLink {
  /** Slug of the page that holds the link. */
  readonly from: string;
  /** Slug that it names; there may be no such page yet. */
  readonly to: string;
  /** `links_to`, or the name of the front-matter list. */
  readonly type: string;
  /** The line around it. */
  readonly context: string | null;
}

/** Params of `pages/link`: add a typed link to a page's front matter. */
export interface PageLinkParams {
  readonly from: string;
  readonly to: string;
  /** The name of the front-matter list. Default: `"related"`. */
  readonly type?: string | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** A file that is no page, or not all of one. */
export interface PageProblem {
  /** Absolute path. */
  readonly path: string;
  readonly line: number | null;
  readonly problem: string;
}

/** Params of `pages/put`: the whole file, asked for as a difference. */
export interface PagePutParams {
  readonly slug: string;
  /** Markdown with optional front matter. */
  readonly content: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** A page in lists. */
export interface PageRef {
  /** Its path below the root without the ending, such as `people/alice`. */
  readonly slug: string;
  readonly title: string;
  readonly type: string;
  /** The workspace key, or empty for user-global. */
  readonly home: string;
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  /** When the index first saw its present content. */
  readonly changedAt: number;
}

/** Params of `pages/remove`. */
export interface PageRemoveParams {
  readonly slug: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/get`. */
export interface PageResult {
  readonly page: PageRef;
  /** Absolute path of the file. */
  readonly path: string;
  /** The file's text. */
  readonly content: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly links: readonly PageLink[];
  readonly timeline: readonly TimelineEntry[];
}

/** Pages of MEMORY_VERBS. */
export interface PageSettings {
  /** Folders inside the workspace whose Markdown is indexed. Default: `[".keepgate/pages"]`. */
  readonly roots?: readonly string[] | undefined;
}

/** A page's file, beside what the last write through the gate left. */
export interface PageState {
  readonly slug: string;
  /** Its home; empty for user-global. */
  readonly workspaceKey: string;
  /** The file. */
  readonly path: string;
  /** `as-written`, `changed` by something else since, `gone`, or `unreadable` as a page. */
  readonly onDisk: string;
  readonly quarantined: boolean;
}

/** Params of `pages/timeline`: add a dated line to a page's timeline. */
export interface PageTimelineParams {
  readonly slug: string;
  /** ISO day. */
  readonly date: string;
  readonly text: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of every page write. */
export interface PageWriteResult {
  readonly slug: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** `created`, `updated`, `unchanged` or `removed`. */
  readonly status: string;
  /** The ledger row; null when nothing changed. */
  readonly seq: number | null;
}

/** Params of the notification `pages/didChange`: pages of a home or their problems changed. */
export interface PagesDidChange {
  /** The home: the workspace key, or empty for user-global. */
  readonly workspaceKey: string;
}

/** Params of `pages/list`. */
export interface PagesListParams {
  /** Slugs that begin so. */
  readonly prefix?: string | null | undefined;
  /** Pages of this type. */
  readonly type?: string | null | undefined;
  /** 100 by default, 1,000 at most. */
  readonly limit?: number | null | undefined;
  /** The `next` of the page before. */
  readonly after?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/list`, in slug order. */
export interface PagesListResult {
  readonly pages: readonly PageRef[];
  readonly next: string | null;
}

/** Params of `pages/search`. */
export interface PagesSearchParams {
  readonly query: string;
  /** 20 by default, 100 at most. */
  readonly limit?: number | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/search`, best first. */
export interface PagesSearchResult {
  readonly hits: readonly PageHit[];
}

/** Params of `pages/trust`: have hooks and snapshots carry the pages of a folder. */
export interface PagesTrustParams {
  /** Absolute path of one of the workspace's page folders; default: the first. */
  readonly root?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/trust`. */
export interface PagesTrustResult {
  /** The folder, with links resolved. */
  readonly root: string;
  /** The ledger row; null where the folder is trusted already. */
  readonly seq: number | null;
}

/** A proposal as lists show it. */
export interface Proposal {
  readonly id: string;
  /** The change's `action`; a newer version may have stored one that is unknown here. */
  readonly kind: string;
  readonly status: ProposalStatus;
  readonly track: string;
  readonly scope: string;
  readonly workspaceKey: string;
  readonly agentKey: string;
  readonly source: string | null;
  readonly sessionId: string | null;
  readonly text: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly outcome: string | null;
}

/** How many wishes may wait, and for how long. */
export interface ProposalLimits {
  /** Pending proposals of one session. Default: `32`. */
  readonly maxPerSession?: number | undefined;
  /** Pending proposals of one workspace. Default: `200`. */
  readonly maxPerWorkspace?: number | undefined;
  /** A proposal that nobody decided expires after this many days. Default: `30`. */
  readonly expireDays?: number | undefined;
  /**
   * `proposals/create` refuses a longer text and snapshots leave it out, it is never cut; UTF-16 units.
   * Default: `4000`.
   */
  readonly maxTextUnits?: number | undefined;
  /** Show pending proposals in snapshots; they are not approved. Default: `false`. */
  readonly inSnapshot?: boolean | undefined;
}

/** Where a proposal stands; every state but `pending` is final. */
export type ProposalStatus =
  | "pending"
  | "approved"
  | "dismissed"
  | "refused"
  | "expired";

/**
 * Params of `proposals/approve`; answered only to connections that announced an approver. Either `id` and
 * `hash`, or `ids`.
 */
export interface ProposalsApproveParams {
  readonly id?: string | null | undefined;
  /** The hash of the question that the person saw. */
  readonly hash?: string | null | undefined;
  /** Several, each decided and committed on its own. */
  readonly ids?: readonly Choice[] | null | undefined;
}

/** Result of `proposals/approve`. */
export interface ProposalsApproveResult {
  /** Null for several. */
  readonly proposal: Proposal | null;
  /** Ledger rows written. */
  readonly seqs: readonly number[];
  /** One for each of several, in their order. */
  readonly results: readonly Decided[];
}

/** Params of `proposals/create`: stored, nobody is asked. */
export interface ProposalsCreateParams {
  /** `action` (add, replace, remove, consolidate, seed) and the params of that `memory/*` method. */
  readonly change: Readonly<Record<string, unknown>>;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `proposals/create`. */
export interface ProposalsCreateResult {
  readonly proposal: Proposal;
}

/** Params of the notification `proposals/didChange`. */
export interface ProposalsDidChange {
  readonly id: string;
  readonly status: ProposalStatus;
}

/**
 * Params of `proposals/dismiss`; answered only to connections that announced an approver. Either `id` or
 * `ids`.
 */
export interface ProposalsDismissParams {
  readonly id?: string | null | undefined;
  /** Several, each closed on its own. */
  readonly ids?: readonly Choice[] | null | undefined;
  readonly reason?: string | null | undefined;
}

/** Result of `proposals/dismiss`. */
export interface ProposalsDismissResult {
  /** Null for several. */
  readonly proposal: Proposal | null;
  /** One for each of several, in their order. */
  readonly results: readonly Decided[];
}

/** Params of `proposals/get`. */
export interface ProposalsGetParams {
  readonly id: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `proposals/get`; `ask` is the full question while the proposal is pending. */
export interface ProposalsGetResult {
  readonly proposal: Proposal;
  readonly ask: ApprovalRequestParams | null;
  /** Why the change can no longer be made, when it cannot. */
  readonly problem: string | null;
}

/** Params of `proposals/list`. */
export interface ProposalsListParams {
  /** Default: every status. */
  readonly status?: ProposalStatus | null | undefined;
  readonly limit?: number | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `proposals/list`, oldest first. */
export interface ProposalsListResult {
  readonly proposals: readonly Proposal[];
}

/** Params of `memory/purge`. */
export interface PurgeParams {
  /** The text to take out, as it was stored; at least 6 units. It is noted nowhere. */
  readonly text: string;
  /**
   * Rewrite the page files of the session's workspace and of the user that hold it, too. Default: `false`.
   */
  readonly pages?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/purge`. */
export interface PurgeResult {
  /** How many rows of each table held it. */
  readonly removed: Readonly<Record<string, number>>;
  /** Files whose raw bytes were searched afterwards. */
  readonly filesSearched: number;
  /** Whether none of them holds it, and every backup that is known of was purged. */
  readonly clean: boolean;
  /** Files that still hold it: page files, which are yours to edit, or others. */
  readonly held: readonly string[];
  /** The copies of the store that were looked at. */
  readonly backups: readonly string[];
  /** Page files that held it and were rewritten. */
  readonly rewritten: readonly string[];
}

/** Params of `memory/quarantine`. */
export interface QuarantineParams {
  /** The session whose memories, facts and pages go out of every read. */
  readonly sessionId: string;
  /** Why; kept in the ledger. */
  readonly reason?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/quarantine` and `memory/release`. */
export interface QuarantineResult {
  /** Memories that went, or came back. */
  readonly entries: readonly Entry[];
  /** Facts that went, or came back. */
  readonly facts: readonly FactState[];
  /** Slugs of pages that went, or came back; their files stay. */
  readonly pages: readonly string[];
}

/** Params of `memory/quarantined`. */
export interface QuarantinedParams {
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/quarantined`, in the order in which they went. */
export interface QuarantinedResult {
  readonly sessions: readonly QuarantinedSession[];
}

/** A session of which something is in quarantine. */
export interface QuarantinedSession {
  readonly sessionId: string;
  /** The first ledger row of what is in quarantine still. */
  readonly seq: number;
  readonly ts: number;
  readonly reason: string | null;
  /** How many memories are in quarantine. */
  readonly entries: number;
  /** How many facts. */
  readonly facts: number;
  /** How many pages. */
  readonly pages: number;
}

/** Params of `memory/query`. */
export interface QueryParams {
  readonly track?: Track | null | undefined;
  readonly scope?: Scope | null | undefined;
  /** Substring; ASCII case folds, nothing else does. Empty means all. */
  readonly text?: string | null | undefined;
  /** Only entries that have every one of these tags. */
  readonly tags?: readonly string[] | null | undefined;
  /** At most this many entries; default from the settings, never above 1,000. */
  readonly limit?: number | null | undefined;
  /** Skip this many. */
  readonly offset?: number | null | undefined;
  /** Management view over every workspace; not with a session. Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/query`, most recalled first, then most recently updated (DSH-4). */
export interface QueryResult {
  readonly entries: readonly Entry[];
  /** All hits, also those not returned. */
  readonly total: number;
  /** Whether more hits follow those returned. */
  readonly truncated: boolean;
}

/** A question of the same session that waits behind this one; it is put whole when its turn comes. */
export interface QueuedAsk {
  readonly id: string;
  readonly action: string;
  /** The beginning of its payload text. */
  readonly text: string;
  /** SHA-256 of its canonical payload, for a decision over several. */
  readonly hash: string;
}

/** A fact as recall returns it. */
export interface RecallFact {
  /** The number behind `fact_id`. */
  readonly id: number;
  /** Opaque id; what `forget` takes. */
  readonly fact_id: string;
  /** The fact itself. */
  readonly fact: string;
  readonly kind: FactKind;
  /** The entity that it is about. */
  readonly entity_slug: string | null;
  readonly visibility: Visibility;
  /** Always `medium`. */
  readonly notability: string;
  /** When it was saved. */
  readonly valid_from: string;
  /** When it expires by its ttl. */
  readonly valid_until: string | null;
  /** When it was forgotten or superseded. */
  readonly expired_at: string | null;
  /** The fact that took its place. */
  readonly superseded_by: number | null;
  /** Always null. */
  readonly consolidated_at: string | null;
  /** Always null. */
  readonly consolidated_into: number | null;
  /** Same as `provenance`. */
  readonly source: string;
  /** Where it comes from, as the writer said. */
  readonly provenance: string;
  /** The session that saved it. */
  readonly source_session: string | null;
  /** Its home: the workspace key, or empty for user-global. */
  readonly source_id: string;
  /** Always null. */
  readonly context: string | null;
  /** Always 1. */
  readonly confidence: number;
  /** When it was saved. */
  readonly created_at: string;
}

/** Params of `verbs/recall`. */
export interface RecallParams {
  /** Search facts and pages for this. */
  readonly query?: string | null | undefined;
  /** Only facts about this entity: a slug, a title or an alias. */
  readonly entity?: string | null | undefined;
  /** Pack the answer into so many tokens (characters / 4). */
  readonly budget_tokens?: number | null | undefined;
  /** Only facts from then on: ISO 8601, or such as `8 hours ago`. */
  readonly since?: string | null | undefined;
  /** Only facts that this session saved. */
  readonly session_id?: string | null | undefined;
  /** Facts at most, and results at most: 50 by default, never over 100. */
  readonly limit?: number | null | undefined;
  /** Also what is forgotten or past its ttl; local callers. */
  readonly include_expired?: boolean | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/recall`. */
export interface RecallResult {
  readonly facts: readonly RecallFact[];
  /** Facts in this answer. */
  readonly total: number;
  /** Pages; with `query` only. */
  readonly results?: readonly RecallResultItem[];
  /** There when the search was by keywords alone. */
  readonly search_degraded?: string;
  /** The budget, when one was given. */
  readonly budget_tokens?: number;
  /** Tokens packed. */
  readonly budget_used?: number;
  /** What did not fit. */
  readonly dropped_count?: number;
  readonly protocol_version: number;
}

/** A page that the search arm found. */
export interface RecallResultItem {
  readonly slug: string;
  /** The page's title. */
  readonly title: string | null;
  /** The part of the page that matched best. */
  readonly chunk: string;
  readonly evidence: Evidence;
  readonly create_safety: CreateSafety;
  /** The page's slug. */
  readonly provenance: string;
  /** The page's home. */
  readonly source_id: string;
}

/** Params of `pages/reindex`. */
export interface ReindexParams {
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/reindex`. */
export interface ReindexResult {
  /** Pages in sight. */
  readonly pages: number;
  /** Null for remote callers: private pages count, too. */
  readonly changed: number | null;
  /** Null for remote callers, as well. */
  readonly removed: number | null;
  /** Empty for remote callers. */
  readonly problems: readonly PageProblem[];
}

/** Params of `memory/release`. */
export interface ReleaseParams {
  /** The session whose memories, facts and pages come back. */
  readonly sessionId: string;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Params of `verbs/remember`. */
export interface RememberParams {
  /** The fact, a sentence that stands alone. */
  readonly fact: string;
  /** Where it comes from, such as `user said in chat`; at most 500 characters. */
  readonly provenance: string;
  /** How long it holds: `30d`, `12h`, `45m`, or an ISO 8601 instant. */
  readonly ttl?: string | null | undefined;
  /** The person, company or project that it is about. */
  readonly entity?: string | null | undefined;
  /** `fact` by default. */
  readonly kind?: FactKind | null | undefined;
  /** `world` by default: every connected agent may read it. */
  readonly visibility?: Visibility | null | undefined;
  /** The `fact_id` of the fact whose place it takes. */
  readonly supersedes?: string | null | undefined;
  /** Say what would happen and do nothing. */
  readonly dry_run?: boolean | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/remember`. */
export interface RememberResult {
  /** Opaque; of a duplicate the id of the fact that is there. */
  readonly id: string;
  readonly status: RememberStatus;
  /** For people; branch on `status`. */
  readonly status_text: string;
  readonly entity_slug: string | null;
  /** When it expires; null: never. */
  readonly valid_until: string | null;
  /** Near-duplicates are not found without embeddings. */
  readonly degraded_dedup?: boolean;
  /** Entities of a similar name, where `entity` named none that is known. */
  readonly suggestions?: readonly Suggestion[];
  readonly protocol_version: number;
}

/** What became of a fact. */
export type RememberStatus =
  | "inserted"
  | "duplicate"
  | "superseded";

/** Params of `memory/remove`: exactly one of `match` and `id`. */
export interface RemoveParams {
  readonly track: Track;
  readonly scope: Scope;
  /** Substring that exactly one visible entry of the layer contains. */
  readonly match?: string | null | undefined;
  /** The entry's id, instead of `match`. */
  readonly id?: string | null | undefined;
  /** With `id`: refuse unless the entry has this version. */
  readonly version?: number | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/remove`. */
export interface RemoveResult {
  readonly entry: Entry;
  readonly usage: Usage;
}

/** Params of `memory/replace`: exactly one of `match` and `id`. */
export interface ReplaceParams {
  readonly track: Track;
  readonly scope: Scope;
  /** The new text. */
  readonly text: string;
  /** Substring that exactly one visible entry of the layer contains; ASCII case folds. */
  readonly match?: string | null | undefined;
  /** The entry's id, instead of `match`. */
  readonly id?: string | null | undefined;
  /** With `id`: refuse unless the entry has this version. */
  readonly version?: number | null | undefined;
  /** New tags; `[]` clears, absent keeps. */
  readonly tags?: readonly string[] | null | undefined;
  /** Label named in the question; the entry keeps its own. */
  readonly source?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/replace`. */
export interface ReplaceResult {
  readonly previous: Entry;
  readonly entry: Entry;
  readonly usage: Usage;
}

/** Params of `pages/resolve`. */
export interface ResolveParams {
  readonly names: readonly string[];
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `pages/resolve`. */
export interface ResolveResult {
  readonly resolved: readonly Resolved[];
}

/** What a name stands for. */
export interface Resolved {
  readonly name: string;
  /** Null when no page answers to it. */
  readonly slug: string | null;
  readonly others: readonly string[];
}

/** Where a memory holds (DSH-2). */
export type Scope =
  | "user-global"
  | "workspace";

/** Params of `memory/seed`: all of it or nothing. */
export interface SeedParams {
  /** 1 to 1,000 drafts. */
  readonly entries: readonly DraftParams[];
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/seed` and `memory/import`; entries in the order given. */
export interface SeedResult {
  readonly added: number;
  readonly entries: readonly Entry[];
}

/** Params of `session/active`: none. */
export type SessionActiveParams = Readonly<Record<string, never>>;

/** Result of `session/active`. */
export interface SessionActiveResult {
  /** Whether other processes' questions can come to this client at all. */
  readonly reachable: boolean;
}

/** Params of `session/close`. */
export interface SessionCloseParams {
  readonly id: string;
}

/** Result of `session/close`. */
export interface SessionCloseResult {
  /** False when no such session was open. */
  readonly closed: boolean;
}

/** Params of `session/open`. */
export interface SessionOpenParams {
  /** Session id, chosen by the caller; 1 to 256 characters. */
  readonly id: string;
  /** Default: `""`. */
  readonly agentPreset?: string | undefined;
  /** Working directory; decides the workspace. Absent: the first folder. */
  readonly cwd?: string | null | undefined;
  /** Use it for every request of this connection that carries none. Default: `false`. */
  readonly default?: boolean | undefined;
}

/** Result of `session/open`. */
export interface SessionOpenResult {
  /** Empty when the session has no workspace. */
  readonly workspaceKey: string;
  /** How the workspace was found: `cwd`, `folder`, `folder-containing-cwd`, `none`, ... */
  readonly rule: string;
  readonly agentKey: string;
}

/** Who is asking. */
export interface SessionRef {
  /** Session id, chosen by the caller; 1 to 256 characters. */
  readonly id: string;
  /** Agent preset; its private entries become visible. Absent: as the session was opened. */
  readonly agentPreset?: string | null | undefined;
  /** Working directory; decides the workspace. Absent: the first folder. */
  readonly cwd?: string | null | undefined;
}

/** Params of `session/taint`. */
export interface SessionTaintParams {
  /** What untrusted material the session has read, in a few words each: 1 to 20, at most 256 units each. */
  readonly sources: readonly string[];
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `session/taint`. */
export interface SessionTaintResult {
  /** Always true: there is no way back for a session. */
  readonly tainted: boolean;
  /** Everything that is known of this session, in the order it was told. */
  readonly sources: readonly string[];
}

/** Every setting with its default. */
export interface Settings {
  /** Absolute path of the store; absent: the platform's data folder. */
  readonly storePath?: string | null | undefined;
  /**
   * Default: `{"user": {"userGlobal": 2000, "workspace": 2000}, "agent": {"userGlobal": 4000, "workspace":
   * 4000}}`.
   */
  readonly budgets?: Budgets | undefined;
  /** `ask` a person, `auto` to allow and record it, `off` to refuse. Default: `"ask"`. */
  readonly writePolicy?: WritePolicy | undefined;
  /** Finer keys: `source:<name>`, `<track>/<scope>`, `facts`, `pages`. Default: `{}`. */
  readonly writePolicies?: Readonly<Record<string, WritePolicy>> | undefined;
  /** How long a write waits for a person. Default: `300`. */
  readonly approvalTimeoutSeconds?: number | undefined;
  /**
   * Default: `{"maxPerSession": 32, "maxPerWorkspace": 200, "expireDays": 30, "maxTextUnits": 4000,
   * "inSnapshot": false}`.
   */
  readonly proposals?: ProposalLimits | undefined;
  /** Default: `{"maxTextUnits": 4000, "home": "workspace", "scoreFloor": 0.5}`. */
  readonly facts?: FactSettings | undefined;
  /** Default: `{"surface": "full"}`. */
  readonly mcp?: McpSettings | undefined;
  /** Entries that a query returns when it names no limit. Default: `20`. */
  readonly queryLimit?: number | undefined;
  /** `path`, or `repository` to share one memory between worktrees. Default: `"path"`. */
  readonly workspaceIdentity?: string | undefined;
  /** Default: `{"roots": [".keepgate/pages"]}`. */
  readonly pages?: PageSettings | undefined;
  /** A default session for the connection. */
  readonly session?: SessionRef | null | undefined;
  /** Default: `{"approver": false, "approvalRequest": false, "languageModel": false}`. */
  readonly client?: ClientAnnouncement | undefined;
  /** Provider of embeddings; absent: none. */
  readonly embeddings?: Readonly<Record<string, unknown>> | null | undefined;
  /** Provider of a language model; absent: none. */
  readonly languageModel?: Readonly<Record<string, unknown>> | null | undefined;
  /** Note each verb call in a log on this machine, without its text. Default: `true`. */
  readonly usageLog?: boolean | undefined;
}

/** Params of `memory/snapshot`. */
export interface SnapshotParams {
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/snapshot`: the block a session is given, frozen at its first request. */
export interface SnapshotResult {
  /** Empty when nothing is visible. */
  readonly text: string;
  /** How many entries the text shows. */
  readonly entries: number;
  /** Epoch milliseconds. */
  readonly frozenAt: number;
}

/** Params of `memory/status`. */
export type StatusParams = Readonly<Record<string, never>>;

/** Result of `memory/status`. */
export interface StatusResult {
  /** `ok`, `warning` or `error`. */
  readonly health: string;
  readonly message: string;
  /** keepgate's version. */
  readonly version: string;
  readonly storePath: string;
  readonly storeId: string;
  readonly storeVersion: number;
  /** `local` or `network`, and how it was told. */
  readonly fileSystem: string;
  readonly journalMode: string;
  /**
   * `entries`, `pendingProposals` and `ledgerRows` of the whole store; a remote client and one with a default
   * session get what they see of the first two. `pages` in sight.
   */
  readonly counts: Readonly<Record<string, number>>;
  readonly pendingProposals: number;
  /** A write transaction, rolled back; null when it failed. */
  readonly writeRoundTripMs: number | null;
  readonly workspaces: readonly Readonly<Record<string, string>>[];
  readonly problems: readonly string[];
}

/** Another page that may be meant. */
export interface Suggestion {
  readonly slug: string;
  readonly title: string;
  readonly create_safety: CreateSafety;
}

/** How an answer was made; this server's verb emits the first two alone. */
export type SynthesisStatus =
  | "ok"
  | "extractive_fallback"
  | "empty_answer"
  | "not_json"
  | "no_llm"
  | "model_unusable"
  | "llm_error";

/** Params of `verbs/synthesize`. */
export interface SynthesizeParams {
  readonly question: string;
  /** Only pages changed from then on: a day, a month or an instant. */
  readonly since?: string | null | undefined;
  /** Only pages changed until then; a day counts to its end. */
  readonly until?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `verbs/synthesize`. */
export interface SynthesizeResult {
  readonly answer: string;
  /** Slugs of pages that were gathered and are cited. */
  readonly sources: readonly string[];
  readonly gaps: readonly string[];
  readonly cost: Cost;
  readonly synthesis_status: SynthesisStatus;
  readonly pages_gathered: number;
  readonly takes_gathered: number;
  /** Stable codes such as `LLM_OUTPUT_NOT_JSON`. */
  readonly warnings: readonly string[];
  readonly protocol_version: number;
}

/** Something open: a commitment, or what happened lately. */
export interface Thread {
  readonly kind: ThreadKind;
  readonly text: string;
  readonly date: string | null;
}

/** Where an open thread comes from. */
export type ThreadKind =
  | "commitment"
  | "recent_event";

/** A dated line of a page's timeline. */
export interface TimelineEntry {
  /** ISO day. */
  readonly date: string;
  readonly text: string;
}

/** Whom a memory is about (DSH-2). */
export type Track =
  | "user"
  | "agent";

/** Budgets of one track, in UTF-16 units; positive. */
export interface TrackBudgets {
  /** The layer that holds everywhere. */
  readonly userGlobal: number;
  /** The layer of a workspace; each workspace is counted on its own. */
  readonly workspace: number;
}

/** Something that a session wrote and that its undo left as it is. */
export interface UndoLeft {
  /** The entry's id, the fact's, or `page:` and the slug. */
  readonly subject: string;
  /** The session's last ledger row about it. */
  readonly seq: number;
  /** Why, in words. */
  readonly reason: string;
}

/** Params of `memory/undo`: exactly one of `seq` and `session_id`. */
export interface UndoParams {
  /** Ledger row of the change to take back; all rows of that change go together. */
  readonly seq?: number | null | undefined;
  /** Take back everything that this session wrote, as far as it can be, with one question. */
  readonly sessionId?: string | null | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/undo`. */
export interface UndoResult {
  /** Entries the undo took away. */
  readonly removed: readonly Entry[];
  /** Entries it brought back or changed back; same id, next version. */
  readonly restored: readonly Entry[];
  readonly usage: readonly Usage[];
  /** Facts that it expired or brought back. */
  readonly facts: readonly FactState[];
  /** Slugs of the pages whose files it put back or removed. */
  readonly pages: readonly string[];
  /** Of a session's undo: what it left, because something changed it since. */
  readonly left: readonly UndoLeft[];
}

/** How full a layer is, in UTF-16 units (DSH-5). */
export interface Usage {
  readonly track: Track;
  readonly scope: Scope;
  /** Units in use: the texts of the layer; a workspace layer counts one workspace. */
  readonly used: number;
  /** The budget. */
  readonly limit: number;
}

/** Params of `memory/verify`. */
export interface VerifyParams {
  /** Where to report progress. */
  readonly workDoneToken?: string | number | null | undefined;
}

/** Something the ledger or the store should not show. */
export interface VerifyProblem {
  /** `edit`, `gap`, `reorder`, `cut`, `foreign-key`, `divergence`, `totals` or `purged`. */
  readonly kind: string;
  readonly seq: number | null;
  readonly message: string;
}

/** Result of `memory/verify`. */
export interface VerifyResult {
  /** True when the chain holds and a replay of the ledger equals the store. */
  readonly ok: boolean;
  /** Ledger rows checked. */
  readonly rows: number;
  /** Hash of the newest row, hexadecimal. */
  readonly head: string;
  readonly problems: readonly VerifyProblem[];
}

/** One state an entry, a fact or a page had, read from the ledger. */
export interface Version {
  readonly version: number;
  /** Of a page its whole file. Null when the row was purged. */
  readonly text: string | null;
  /** Null when the row was purged, and for facts and pages. */
  readonly tags: readonly string[] | null;
  /** When; epoch milliseconds. */
  readonly ts: number;
  readonly action: string;
  readonly seq: number;
  readonly outcome: string;
  readonly sessionId: string | null;
  /** Why a fact was forgotten, where that was said. */
  readonly reason?: string;
  /** True where an older text of a page is not whole, to keep the answer small. */
  readonly cut?: boolean;
}

/** Who reads it: every connected agent, or local callers alone. */
export type Visibility =
  | "world"
  | "private";

/** One change of the entry, and the person, session and client behind it. */
export interface WhyLink {
  readonly seq: number;
  readonly ts: number;
  readonly action: string;
  readonly version: number;
  readonly outcome: string;
  readonly proposalId: string | null;
  /** Hash of what the person saw. */
  readonly hash: string | null;
  readonly askedAt: number | null;
  readonly decidedAt: number | null;
  readonly sessionId: string | null;
  readonly agentKey: string;
  /** The client that asked for the write. */
  readonly askedBy: Readonly<Record<string, unknown>> | null;
  /** The client through which it was decided; `via: policy` alone for a policy. */
  readonly decidedBy: Readonly<Record<string, unknown>> | null;
  /** Why a fact was forgotten, where that was said. */
  readonly reason?: string;
}

/** Params of `memory/why`. */
export interface WhyParams {
  /** Of an entry or a fact; of a page `page:` and its slug. */
  readonly id: string;
  /** Default: `false`. */
  readonly allWorkspaces?: boolean | undefined;
  /** Who is asking. Absent: the connection's default session. `null`: the management view. */
  readonly session?: SessionRef | null | undefined;
}

/** Result of `memory/why`, oldest first. */
export interface WhyResult {
  /** Null when the entry was removed, and for facts and pages. */
  readonly entry: Entry | null;
  readonly chain: readonly WhyLink[];
  /** The fact as it is now; null for entries and pages. */
  readonly fact: FactState | null;
  /** The page's file as it is now; null for entries and facts. */
  readonly page: PageState | null;
}

/** A workspace of the connection. */
export interface WorkspaceInfo {
  readonly uri: string;
  readonly key: string;
  readonly rule: string;
}

/** What happens to a write before anyone is asked; later means stricter. */
export type WritePolicy =
  | "auto"
  | "ask"
  | "off";

/** The faults of the contract, and of the store. */
export type FaultCode =
  /** A value is outside what the contract allows. Details: `problems`. */
  | "INVALID_INPUT"
  /** A write named no session. */
  | "WRITE_REQUIRES_AGENT"
  /** The write would take its layer over its budget. Details: `track`, `scope`, `used`, `limit`, `needed`. */
  | "BUDGET_EXCEEDED"
  /** No visible entry matches. Details: `track`, `scope`, `match`. */
  | "ENTRY_NOT_FOUND"
  /** More than one visible entry matches. Details: `track`, `scope`, `match`, `candidates`, `sample`. */
  | "AMBIGUOUS_MATCH"
  /** The write was not allowed; nothing was stored. Details: `outcome`, `proposalId`. */
  | "WRITE_DENIED"
  /** There is no pending proposal with that id. Details: `id`. */
  | "PROPOSAL_NOT_FOUND"
  /** The store cannot be read as a keepgate store; it was left untouched. Details: `path`. */
  | "STORE_CORRUPT"
  /**
   * The store was written by a newer keepgate; it was left untouched. Details: `path`, `found`, `supported`.
   */
  | "STORE_UNSUPPORTED_VERSION"
  /** No adapter has that id. Details: `adapterId`. */
  | "ADAPTER_NOT_FOUND"
  /** The adapter cannot convert this payload. Details: `adapterId`. */
  | "ADAPTER_PAYLOAD"
  /** Another process held the store's write lock for too long; nothing was stored. Details: `waitedMs`. */
  | "STORE_BUSY"
  /** The disk is full; nothing was stored. Details: `path`. */
  | "STORE_FULL"
  /** The store cannot be written; reads still work. Details: `path`. */
  | "STORE_READ_ONLY"
  /** No visible page has that slug. Details: `slug`. */
  | "PAGE_NOT_FOUND";

/** The errors of `verbs/*`. */
export type VerbErrorCode =
  | "invalid_params"
  | "provenance_required"
  | "not_found"
  | "scope_denied"
  | "unavailable"
  | "budget_unsatisfiable"
  | "internal";

/** Errors of JSON-RPC and of the editor protocol, by name. */
export type RpcErrorCode =
  | "PARSE_ERROR"
  | "INVALID_REQUEST"
  | "METHOD_NOT_FOUND"
  | "INVALID_PARAMS"
  | "INTERNAL_ERROR"
  | "SERVER_NOT_INITIALIZED"
  | "REQUEST_CANCELLED";

/** Params and result of every operation, by method. */
export interface Operations {
  "memory/add": { params: AddParams; result: AddResult };
  "memory/replace": { params: ReplaceParams; result: ReplaceResult };
  "memory/remove": { params: RemoveParams; result: RemoveResult };
  "memory/consolidate": { params: ConsolidateParams; result: ConsolidateResult };
  "memory/seed": { params: SeedParams; result: SeedResult };
  "memory/query": { params: QueryParams; result: QueryResult };
  "memory/get": { params: GetParams; result: GetResult };
  "memory/history": { params: HistoryParams; result: HistoryResult };
  "memory/list": { params: ListParams; result: ListResult };
  "memory/budgets": { params: BudgetsParams; result: BudgetsResult };
  "memory/snapshot": { params: SnapshotParams; result: SnapshotResult };
  "memory/audit": { params: AuditParams; result: AuditResult };
  "memory/verify": { params: VerifyParams; result: VerifyResult };
  "memory/undo": { params: UndoParams; result: UndoResult };
  "memory/purge": { params: PurgeParams; result: PurgeResult };
  "memory/why": { params: WhyParams; result: WhyResult };
  "memory/export": { params: ExportParams; result: unknown };
  "memory/import": { params: ImportParams; result: ImportResult };
  "memory/status": { params: StatusParams; result: StatusResult };
  "proposals/create": { params: ProposalsCreateParams; result: ProposalsCreateResult };
  "proposals/list": { params: ProposalsListParams; result: ProposalsListResult };
  "proposals/get": { params: ProposalsGetParams; result: ProposalsGetResult };
  "proposals/approve": { params: ProposalsApproveParams; result: ProposalsApproveResult };
  "proposals/dismiss": { params: ProposalsDismissParams; result: ProposalsDismissResult };
  "adapters/list": { params: AdaptersListParams; result: AdaptersListResult };
  "adapters/register": { params: AdaptersRegisterParams; result: AdaptersRegisterResult };
  "adapters/unregister": { params: AdaptersUnregisterParams; result: AdaptersUnregisterResult };
  "session/open": { params: SessionOpenParams; result: SessionOpenResult };
  "session/close": { params: SessionCloseParams; result: SessionCloseResult };
  "session/taint": { params: SessionTaintParams; result: SessionTaintResult };
  "memory/asOf": { params: AsOfParams; result: AsOfResult };
  "memory/quarantine": { params: QuarantineParams; result: QuarantineResult };
  "memory/release": { params: ReleaseParams; result: QuarantineResult };
  "memory/quarantined": { params: QuarantinedParams; result: QuarantinedResult };
  "grants/list": { params: GrantsListParams; result: GrantsListResult };
  "grants/revoke": { params: GrantsRevokeParams; result: GrantsRevokeResult };
  "session/active": { params: SessionActiveParams; result: SessionActiveResult };
  "approval/shown": { params: ApprovalShownParams; result: ApprovalShownResult };
  "verbs/recall": { params: RecallParams; result: RecallResult };
  "verbs/remember": { params: RememberParams; result: RememberResult | DryRun };
  "verbs/entity": { params: EntityParams; result: EntityResult };
  "verbs/synthesize": { params: SynthesizeParams; result: SynthesizeResult };
  "verbs/forget": { params: ForgetParams; result: ForgetResult | DryRun };
  "verbs/context_pack": { params: ContextPackParams; result: ContextPackResult };
  "verbs/delta": { params: DeltaParams; result: DeltaResult };
  "pages/get": { params: PageGetParams; result: PageResult };
  "pages/list": { params: PagesListParams; result: PagesListResult };
  "pages/search": { params: PagesSearchParams; result: PagesSearchResult };
  "pages/backlinks": { params: BacklinksParams; result: BacklinksResult };
  "pages/resolve": { params: ResolveParams; result: ResolveResult };
  "pages/put": { params: PagePutParams; result: PageWriteResult };
  "pages/remove": { params: PageRemoveParams; result: PageWriteResult };
  "pages/link": { params: PageLinkParams; result: PageWriteResult };
  "pages/timeline": { params: PageTimelineParams; result: PageWriteResult };
  "pages/capture": { params: CaptureParams; result: PageWriteResult };
  "pages/trust": { params: PagesTrustParams; result: PagesTrustResult };
  "pages/reindex": { params: ReindexParams; result: ReindexResult };
}

/** Params and result of every request that the sidecar sends, by method. */
export interface ServerRequests {
  "approval/request": { params: ApprovalRequestParams; result: ApprovalAnswer };
  "adapters/adapt": { params: AdaptersAdaptParams; result: AdaptersAdaptResult };
  "adapters/export": { params: AdaptersExportParams; result: AdaptersExportResult };
  "languageModel/complete": { params: LanguageModelRequest; result: Completion };
}

/** Params of every notification that the sidecar sends, by method. */
export interface Notifications {
  "approval/asked": ApprovalAsked;
  "approval/queued": ApprovalQueued;
  "approval/decided": ApprovalDecided;
  "memory/added": MemoryEvent;
  "memory/updated": MemoryEvent;
  "memory/removed": MemoryEvent;
  "memory/recalled": MemoryEvent;
  "memory/snapshot": MemoryEvent;
  "facts/didChange": FactsDidChange;
  "pages/didChange": PagesDidChange;
  "proposals/didChange": ProposalsDidChange;
  "keepgate/status": KeepgateStatus;
}
