/** What the rest of the extension sees of the sidecar: one object per window, whatever process runs behind it. */

import type { Calls } from "keepgate-client/generated/calls.js";
import type { SessionRef, WorkspaceInfo } from "keepgate-client/generated/types.js";
import type { Disposable } from "../events.js";
import type { Problem } from "./problems.js";

/** How things stand with the sidecar. */
export type State =
  | { readonly kind: "idle"; readonly reason: "no-folder" | "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly server: Server }
  | { readonly kind: "waiting"; readonly restartInMs: number; readonly problem: Problem }
  | { readonly kind: "failed"; readonly problem: Problem };

/** The sidecar that runs. */
export interface Server {
  readonly version: string;
  /** The methods that it serves to this client. */
  readonly methods: readonly string[];
  readonly workspaces: readonly WorkspaceInfo[];
  readonly storePath: string;
}

/** `keepgate/status`, as it came last. */
export interface Health {
  readonly health: "ok" | "warning" | "error";
  readonly message: string;
  readonly pendingApprovals: number;
}

/**
 * What changed: memories, facts, pages, proposals, or the ledger, which is told beside each of the others.
 * After a restart of the sidecar every topic is told once, since changes in between were not seen.
 */
export type Topic = "memory" | "facts" | "pages" | "proposals" | "ledger";

/** A request of the sidecar: its params, and a signal that says that the sidecar gave it up. */
export type RequestHandler = (params: unknown, signal: AbortSignal) => Promise<unknown>;

export interface Session {
  readonly state: State;
  readonly health: Health | undefined;
  /**
   * Typed calls. They reject with a `CallError` (`problems.ts`): its `code` is that of the fault
   * (`"BUDGET_EXCEEDED"`, ...), or `NOT_RUNNING` while there is no sidecar.
   */
  readonly calls: Calls;
  /** The session that the person's own writes name; reads of the views pass `session: null`. */
  readonly person: SessionRef;
  readonly onState: (listener: (state: State) => void) => Disposable;
  readonly onHealth: (listener: (health: Health | undefined) => void) => Disposable;
  readonly onDidChange: (listener: (topic: Topic) => void) => Disposable;
  /** Listen to one notification, over restarts; params are decoded JSON. */
  onNotification(method: string, listener: (params: unknown) => void): Disposable;
  /** Answer one request of the sidecar, over restarts. A handler that rejects answers with an error. */
  onRequest(method: string, handler: RequestHandler): Disposable;
  /** Send a notification; nothing happens while no sidecar runs. */
  notify(method: string, params: unknown): void;
  /** End the sidecar, if one runs, and start another at once. */
  restart(): Promise<void>;
}
