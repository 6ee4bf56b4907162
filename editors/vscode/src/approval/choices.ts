/** The choices of a question, in an order in which no stray key decides. Pure. */

import { withoutIcons } from "../text/visible.js";
import { warningLines } from "./change.js";
import type { Decision, Open } from "./questions.js";

/** What a choice does; a separator does nothing and cannot be chosen. */
export type Act = Decision | "look" | "later" | "separator";

export interface Choice {
  readonly label: string;
  readonly description?: string;
  readonly act: Act;
}

/** Titles of the deciding buttons, the same in every editor. */
export const ALLOW_ONCE = "Allow once";
export const ALLOW_SESSION = "Allow for this session";
export const REJECT = "Reject";

/**
 * The list. Warnings stand on top; the first choices decide nothing, so that Enter, or Down and Enter, typed
 * into the file below when the question appears, change nothing.
 */
export function choices(open: Open): readonly Choice[] {
  const warnings = warningLines(open.question).map(
    (line): Choice => ({ label: `$(warning) ${withoutIcons(line)}`, act: "look" }),
  );
  return [
    ...warnings,
    { label: "$(eye) Look at the change", description: "decides nothing", act: "look" },
    { label: "$(inbox) Decide later", description: "it stays in the inbox", act: "later" },
    { label: "Decide", act: "separator" },
    { label: `$(check) ${ALLOW_ONCE}`, act: "allowed-once" },
    ...(open.question.forSession
      ? [{ label: `$(check-all) ${ALLOW_SESSION}`, description: alsoAllowed(open), act: "allowed-session" } as const]
      : []),
    { label: `$(x) ${REJECT}`, act: "rejected" },
  ];
}

/** What leave for the session covers beside this change, as the sidecar keeps it. */
function alsoAllowed(open: Open): string {
  return open.question.action === "remember" ? "also the facts it remembers next" : "also what it adds to this layer next";
}
