/** The provider face of dsh-memory-protocol v1, as hosts and suites know it. */

import type { Budgets, Entry, Scope, Settings, Track, Usage } from "../generated/types.js";
import type { Command } from "../process.js";

/** What a host's session says of itself. */
export interface HostSession {
  readonly id: string;
  readonly header?: { readonly cwd?: string | null; readonly agentPreset?: string | null } | null;
}

/** Who writes. A write without a session rejects with `WRITE_REQUIRES_AGENT`. */
export interface Write {
  readonly agent: { readonly session: HostSession };
  /** Gives the write up; it rejects with the signal's reason, and nothing is stored. */
  readonly signal?: AbortSignal | undefined;
}

/** What a person is asked about: the whole change (section 3 of the contract). */
export interface ApprovalPayload {
  readonly action: "add" | "replace" | "remove" | "consolidate" | "seed";
  readonly track: Track | "batch";
  readonly scope: Scope | "batch";
  readonly text: string;
  readonly source?: string;
  /** How many entries a batch has. */
  readonly count?: number;
}

/** The closed set of outcomes; only the first lets a write through. */
export type GateOutcome = "allowed-once" | "rejected" | "cancelled" | "unavailable";

/**
 * Asks a person; takes as long as they do. Anything but an outcome counts as `cancelled`, an exception as
 * `unavailable`. `write` is what the caller of the write gave.
 */
export type Gate = (payload: ApprovalPayload, write: Write) => GateOutcome | Promise<GateOutcome>;

/** An entry to be. */
export interface EntryInput {
  readonly track: Track;
  readonly scope: Scope;
  readonly text: string;
  readonly source?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  /** `""` shares the entry; absent, it is private to the session's preset, where it has one. */
  readonly agentKey?: string | null | undefined;
}

/** A rewrite of the one entry that contains `match`. */
export interface ReplaceInput {
  readonly track: Track;
  readonly scope: Scope;
  readonly match: string;
  readonly text: string;
  /** `[]` clears, absent keeps. */
  readonly tags?: readonly string[] | null | undefined;
  readonly source?: string | null | undefined;
}

/** The removal of the one entry that contains `match`. */
export interface RemoveInput {
  readonly track: Track;
  readonly scope: Scope;
  readonly match: string;
}

/** One entry in the place of several. */
export interface ConsolidateInput extends Omit<EntryInput, "text"> {
  readonly matches: readonly string[];
  readonly text: string;
}

/** What a query looks for; everything may be left out. */
export interface QueryFilter {
  readonly track?: Track | undefined;
  readonly scope?: Scope | undefined;
  readonly text?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/**
 * For whom a query is. With a session it sees what that session may see, is counted as a recall and leaves a
 * `recalled` row; without, it sees everything and leaves no trace.
 */
export interface QueryOptions {
  /** A session that wrote through this provider; another is taken to work where the last one did. */
  readonly sessionId?: string | undefined;
  readonly session?: HostSession | undefined;
  /** Only shared entries and those of this preset. */
  readonly agentKey?: string | undefined;
}

/** A row of the ledger. */
export interface AuditEntry {
  readonly seq: number;
  readonly ts: number;
  readonly action: string;
  readonly track: string | null;
  readonly scope: string | null;
  readonly entryId: string | null;
  readonly text: string | null;
  readonly outcome: string | null;
  readonly source: string | null;
  readonly sessionId: string | null;
}

/** The results of writes. */
export interface AddOutcome {
  readonly entry: Entry;
  readonly usage: Usage;
}
export interface ReplaceOutcome extends AddOutcome {
  readonly previous: Entry;
}
export interface ConsolidateOutcome extends AddOutcome {
  readonly removed: readonly Entry[];
}
export interface SeedOutcome {
  readonly added: number;
  readonly entries: readonly Entry[];
}
export interface QueryOutcome {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly truncated: boolean;
}

/** How a provider is made. */
export interface ProviderOptions {
  /** The store's file; a relative path is taken from the current folder. */
  readonly dbPath: string;
  readonly budgets?: Budgets | undefined;
  /** Without it every write that needs a person is denied as `unavailable`, and waits in the inbox. */
  readonly gate?: Gate | undefined;
  /** The sidecar's program and arguments; default `keepgate serve`, found on PATH. */
  readonly command?: Command | undefined;
  /** Laid over this process's environment for the sidecar; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** More settings, such as `approvalTimeoutSeconds`. */
  readonly settings?: Settings | undefined;
  /** How long a read blocks this thread at most, default 120; then it throws `DISCONNECTED`, and others may follow. */
  readonly readSeconds?: number | undefined;
}

/**
 * The provider. Writes reject with an error that has `code` and `details`; reads throw one.
 *
 * Reads are synchronous: they block this thread until the sidecar has answered.
 */
export interface Provider {
  add(input: EntryInput, write: Write): Promise<AddOutcome>;
  replace(input: ReplaceInput, write: Write): Promise<ReplaceOutcome>;
  remove(input: RemoveInput, write: Write): Promise<AddOutcome>;
  consolidate(input: ConsolidateInput, write: Write): Promise<ConsolidateOutcome>;
  seed(inputs: readonly EntryInput[], write: Write): Promise<SeedOutcome>;
  query(filter?: QueryFilter, options?: QueryOptions): QueryOutcome;
  /** Four rows; the workspace layers are those of the session that wrote last, or of the last entry. */
  budgets(): readonly Usage[];
  /** Every entry, in creation order. */
  listEntries(): readonly Entry[];
  /** The ledger, newest first; 100 rows unless told. */
  auditList(limit?: number): readonly AuditEntry[];
  /** Ends the sidecar; writes under way reject. */
  close(): void;
}
