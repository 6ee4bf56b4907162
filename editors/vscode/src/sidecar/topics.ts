/** What the notifications of the sidecar mean for those who show things. */

import { isRecord } from "./problems.js";
import type { Health, Topic } from "./session.js";

const TOPICS: Readonly<Record<string, readonly Topic[]>> = {
  "memory/added": ["memory", "ledger"],
  "memory/updated": ["memory", "ledger"],
  "memory/removed": ["memory", "ledger"],
  "memory/recalled": ["ledger"],
  "memory/snapshot": ["ledger"],
  "facts/didChange": ["facts", "ledger"],
  "pages/didChange": ["pages", "ledger"],
  "proposals/didChange": ["proposals", "ledger"],
  "approval/asked": ["proposals"],
  "approval/queued": ["proposals"],
  "approval/decided": ["proposals", "ledger"],
};

/** What changed with a notification. */
export function topicsOf(method: string): readonly Topic[] {
  return TOPICS[method] ?? [];
}

/** `keepgate/status`; a word that is unknown here counts as a warning. */
export function healthOf(params: unknown): Health | undefined {
  if (!isRecord(params)) return undefined;
  const { health, message, pendingApprovals } = params;
  return {
    health: health === "ok" || health === "error" ? health : "warning",
    message: typeof message === "string" ? message : "",
    pendingApprovals: typeof pendingApprovals === "number" ? pendingApprovals : 0,
  };
}
