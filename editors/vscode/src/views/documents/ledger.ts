/** Rows of the ledger, the state of the whole, and budgets. */

import type { AuditRow, UndoResult, VerifyResult } from "keepgate-client";

import { bar, budgetLabel, counted } from "../../text/budget.js";
import { stamp } from "../../text/moments.js";
import { actionName } from "../../text/names.js";
import { oneLine } from "../../text/visible.js";
import type { Layer } from "../models/layers.js";
import { document, nameOrNothing, quoted, section, table, who } from "./layout.js";

/** One row, whole. */
export function rowDocument(row: AuditRow, zone?: string): string {
  const layer = row.track === null ? null : [row.track, row.scope].filter((part) => part !== null).join("/");
  const rows = table([
    ["action", `${actionName(row.action)} (${row.action})`],
    ["outcome", row.outcome],
    ["when", stamp(row.ts, zone)],
    ["layer", layer],
    ["about", nameOrNothing(row.entryId)],
    ["source", nameOrNothing(row.source)],
    ["session", nameOrNothing(row.sessionId)],
    ["by", who(row.by)],
    ["proposal", row.proposalId],
  ]);
  const text = row.purged ? "Its text was purged." : row.text === null ? "" : quoted(row.text);
  return document(`Ledger row ${row.seq}`, rows, text);
}

/** Whether the ledger proves the store. */
export function verifyDocument(result: VerifyResult): string {
  const verdict = result.ok
    ? "The chain of the ledger holds, and replaying it gives exactly what is stored."
    : "The ledger does not prove the store. Keep a copy of the file before anything else writes to it.";
  const problems = result.problems.map(
    (problem) => `${problem.kind}${problem.seq === null ? "" : `, row ${problem.seq}`}: ${oneLine(problem.message)}`,
  );
  return document(
    result.ok ? "Verified" : "NOT verified",
    verdict,
    table([
      ["rows", String(result.rows)],
      ["head", result.head],
    ]),
    problems.length === 0 ? "" : section("Problems", problems.join("\n")),
  );
}

/** What an undo did, in a sentence or two; without stored text. */
export function undoSummary(result: UndoResult): string {
  const parts = [
    ["removed", result.removed.length],
    ["restored", result.restored.length],
  ].flatMap(([verb, count]) =>
    count === 0 ? [] : [`${String(verb)} ${counted(Number(count), "memory", "memories")}`],
  );
  if (result.facts.length > 0) {
    parts.push(`took back ${counted(result.facts.length, "fact", "facts")}`);
  }
  if (result.pages.length > 0) {
    parts.push(`took back ${counted(result.pages.length, "page", "pages")}`);
  }
  const done = parts.length === 0 ? "Nothing was to be changed" : `Undone: ${parts.join(", ")}`;
  const left = result.left.length === 0 ? "" : ` ${result.left.length} changed since and left as they are.`;
  return `${done}.${left}`;
}

/** How full every layer is. */
export function budgetsDocument(layers: readonly Layer[]): string {
  const rows = layers.map(
    // Without the narrow blanks of the tree, which editors mark as unusual.
    ({ name, usage }) => [name, `${bar(usage.used, usage.limit)}  ${budgetLabel(usage)}`] as const,
  );
  return document(
    "Budgets",
    table(rows),
    "Lengths are UTF-16 units. A full layer takes no more until something in it is removed or consolidated.",
  );
}
