/** The ledger, newest row first. */

import type { AuditRow } from "keepgate-client";

import type { Access } from "./access.js";
import { type Page, Paged } from "./paged.js";

export const ROWS_AT_ONCE = 100;

/** How a row ended, in the words for which there is an icon. */
export type Ending = "done" | "denied" | "refused" | "waiting" | "read" | "note";

/** The rows in sight, of one session or of all. */
export function rowsOf(access: () => Access, sessionId?: string, size = ROWS_AT_ONCE): Paged<AuditRow, number> {
  const read = async (before: number | undefined, limit: number): Promise<Page<AuditRow, number>> => {
    const page = await access().calls.audit({ limit: Math.min(limit, 1000), before, sessionId, session: null });
    return { items: page.rows, next: page.next };
  };
  return new Paged(read, size);
}

/** How a row ended. */
export function endingOf(row: AuditRow): Ending {
  if (row.action === "recalled" || row.action === "snapshot") {
    return "read";
  }
  if (row.action === "proposal") {
    return "waiting";
  }
  if (row.action.endsWith("-denied")) {
    return row.outcome?.startsWith("unavailable") === true ? "waiting" : "denied";
  }
  if (row.action.endsWith("-refused") || row.action === "page-abandoned") {
    return "refused";
  }
  return row.outcome?.startsWith("allowed") === true ? "done" : "note";
}

/** Whether undoing can be asked for: a change of memories, facts or pages that was made. */
export function canUndo(row: AuditRow): boolean {
  return endingOf(row) === "done" && !["quarantine", "release", "purge", "expire", "restored"].includes(row.action);
}
