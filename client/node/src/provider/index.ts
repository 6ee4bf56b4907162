/// <reference types="node" preserve="true" />
/** The provider of dsh-memory-protocol v1 over a sidecar of one's own. */

import { resolve } from "node:path";

import { isObject } from "../errors.js";
import type { AuditResult, Entry, ListResult, QueryResult, SessionRef, Usage } from "../generated/types.js";
import { Bridge } from "./bridge.js";
import type {
  AddOutcome,
  AuditEntry,
  ConsolidateInput,
  ConsolidateOutcome,
  EntryInput,
  Provider,
  ProviderOptions,
  QueryFilter,
  QueryOptions,
  QueryOutcome,
  RemoveInput,
  ReplaceInput,
  ReplaceOutcome,
  SeedOutcome,
  Write,
} from "./contract.js";
import { refOf, sessionOf, Sessions } from "./sessions.js";

export type * from "./contract.js";

const PAGE = 1000;
const QUERY_LIMIT = 20;
const AUDIT_LIMIT = 100;

/**
 * Opens a store, and makes it if it is not there.
 *
 * Throws an error with `code` and `details` for a store that cannot be opened, such as `STORE_CORRUPT`.
 */
export function makeProvider(options: ProviderOptions): Provider {
  const { dbPath, budgets, gate, command, env, settings, readSeconds } = options;
  const given = { ...settings, storePath: resolve(dbPath), ...(budgets === undefined ? {} : { budgets }) };
  return new SidecarProvider(new Bridge({ command, env, settings: given }, gate, readSeconds));
}

class SidecarProvider implements Provider {
  readonly #bridge: Bridge;
  readonly #sessions = new Sessions();

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  add(input: EntryInput, write: Write): Promise<AddOutcome> {
    return this.#write("memory/add", input, write) as Promise<AddOutcome>;
  }

  replace(input: ReplaceInput, write: Write): Promise<ReplaceOutcome> {
    return this.#write("memory/replace", input, write) as Promise<ReplaceOutcome>;
  }

  remove(input: RemoveInput, write: Write): Promise<AddOutcome> {
    return this.#write("memory/remove", input, write) as Promise<AddOutcome>;
  }

  consolidate(input: ConsolidateInput, write: Write): Promise<ConsolidateOutcome> {
    return this.#write("memory/consolidate", input, write) as Promise<ConsolidateOutcome>;
  }

  seed(inputs: readonly EntryInput[], write: Write): Promise<SeedOutcome> {
    return this.#write("memory/seed", { entries: inputs }, write) as Promise<SeedOutcome>;
  }

  query(filter?: QueryFilter | null, options?: QueryOptions | null): QueryOutcome {
    const { track, scope, text, tags, limit, offset } = filter ?? {};
    const wanted = { track, scope, text, tags, limit, offset };
    const session = this.#reader(options ?? {});
    if (session !== undefined) {
      return this.#bridge.read("memory/query", { ...wanted, session }) as QueryResult;
    }
    const agentKey = options?.agentKey;
    return typeof agentKey === "string" ? this.#queryOf(agentKey.trim(), wanted) : this.#queryAll(wanted);
  }

  budgets(): readonly Usage[] {
    const cwd = this.#lastFolder();
    const session = cwd === undefined ? null : { id: "budgets", cwd };
    return (this.#bridge.read("memory/budgets", { session }) as { budgets: Usage[] }).budgets;
  }

  listEntries(): readonly Entry[] {
    const found: Entry[] = [];
    let after: string | null | undefined;
    do {
      const params = { limit: PAGE, after, allWorkspaces: true };
      const page = this.#bridge.read("memory/list", params) as ListResult;
      found.push(...page.entries);
      after = page.next;
    } while (after !== null);
    return found;
  }

  auditList(limit: number = AUDIT_LIMIT): readonly AuditEntry[] {
    const found: AuditEntry[] = [];
    let before: number | null | undefined;
    do {
      const params = { limit: Math.min(limit - found.length, PAGE), before, allWorkspaces: true };
      const page = this.#bridge.read("memory/audit", params) as AuditResult;
      found.push(...page.rows.map(auditEntry));
      before = page.next;
    } while (before !== null && found.length < limit);
    return found;
  }

  close(): void {
    this.#bridge.close();
  }

  async #write(method: string, input: unknown, write: Write): Promise<unknown> {
    const session = sessionOf(write);
    if (session !== undefined) {
      this.#sessions.note(session);
    }
    return this.#bridge.write(method, { ...(isObject(input) ? input : {}), session }, write);
  }

  /** The session that a query is for. */
  #reader({ session, sessionId, agentKey }: QueryOptions): SessionRef | undefined {
    const ref = refOf(session) ?? (typeof sessionId === "string" ? this.#named(sessionId) : undefined);
    return ref === undefined || typeof agentKey !== "string" ? ref : { ...ref, agentPreset: agentKey.trim() };
  }

  #queryAll(wanted: QueryFilter): QueryResult {
    return this.#bridge.read("memory/query", { ...wanted, allWorkspaces: true, session: null }) as QueryResult;
  }

  /** The management view, without what is private to other presets. */
  #queryOf(agentKey: string, wanted: QueryFilter): QueryOutcome {
    // Asked with the wanted limit and offset first, for what is wrong with them.
    let page = this.#queryAll(wanted);
    const { limit = QUERY_LIMIT, offset = 0 } = wanted;
    const seen: Entry[] = [];
    for (let from = 0; from === 0 || page.truncated; from += PAGE) {
      page = this.#queryAll({ ...wanted, limit: PAGE, offset: from });
      seen.push(...page.entries.filter((entry) => entry.agentKey === "" || entry.agentKey === agentKey));
    }
    const entries = seen.slice(offset, offset + Math.min(limit, PAGE));
    return { entries, total: seen.length, truncated: offset + entries.length < seen.length };
  }

  /** The session of that id; one that never wrote here is taken to work where the last one did. */
  #named(id: string): SessionRef {
    return this.#sessions.named(id) ?? { id, agentPreset: "", cwd: this.#lastFolder() };
  }

  /** Where the session works that wrote last; before any did, the workspace of the entry that was written last. */
  #lastFolder(): string | undefined {
    if (this.#sessions.last !== undefined) {
      return this.#sessions.last.cwd ?? undefined;
    }
    const there = this.listEntries().filter((entry) => entry.workspaceKey !== "");
    const last = there.reduce<Entry | undefined>(
      (latest, entry) => (latest !== undefined && latest.updatedAt > entry.updatedAt ? latest : entry),
      undefined,
    );
    return last?.workspaceKey;
  }
}

/** The ten fields of the contract. */
function auditEntry(row: AuditEntry): AuditEntry {
  const { seq, ts, action, track, scope, entryId, text, outcome, source, sessionId } = row;
  return { seq, ts, action, track, scope, entryId, text, outcome, source, sessionId };
}
