/** Answering the question whether a write may happen (docs/protocol.md, "Approvals"). */

import { KeepgateError } from "./errors.js";
import { RPC_NUMBERS } from "./generated/codes.js";
import type { ApprovalAnswer, ApprovalRequestParams } from "./generated/types.js";

/**
 * What a person can say; only the first two let the change through. With `unavailable` nobody could be asked:
 * others may be, and otherwise the wish waits in the inbox.
 */
export type Verdict = "allowed-once" | "allowed-session" | "rejected" | "cancelled" | "unavailable";

/** What an approver is told besides the question. */
export interface ApprovalContext {
  /** Aborted when the question is withdrawn: answered elsewhere, given up by its caller, or too late. */
  readonly signal: AbortSignal;
}

/**
 * Shows a person all of what it is given and says what they said; takes as long as they do.
 *
 * An exception, or anything that is no verdict, denies the change as `cancelled`.
 */
export type Approver = (
  ask: ApprovalRequestParams,
  context: ApprovalContext,
) => Verdict | Promise<Verdict>;

const VERDICTS: readonly unknown[] = [
  "allowed-once",
  "allowed-session",
  "rejected",
  "cancelled",
  "unavailable",
] satisfies readonly Verdict[];

/** Puts a question to an approver; the answer carries the question's hash. Rejects when nobody could be asked. */
export async function answer(
  approver: Approver,
  ask: ApprovalRequestParams,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const outcome = await verdict(approver, ask, signal);
  if (outcome === "unavailable") {
    const parts = { number: RPC_NUMBERS.INTERNAL_ERROR };
    throw new KeepgateError("INTERNAL_ERROR", "nobody can be asked here", parts);
  }
  return { outcome, hash: ask.hash };
}

async function verdict(approver: Approver, ask: ApprovalRequestParams, signal: AbortSignal): Promise<Verdict> {
  try {
    const said: unknown = await approver(ask, { signal });
    return VERDICTS.includes(said) ? (said as Verdict) : "cancelled";
  } catch (error) {
    if (!signal.aborted) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
    return "cancelled";
  }
}
