/** What can go wrong, in words for the person, with the next step. */

/** A next step that the person can choose. */
export type Step = "install" | "open-settings" | "show-log" | "restart";

/** Why there is no sidecar. `message` is one sentence or two, without memory text. */
export interface Problem {
  readonly kind: "not-found" | "not-started" | "not-keepgate" | "too-old" | "refused" | "ended";
  readonly message: string;
  readonly steps: readonly Step[];
}

/** The code of a call that was made while no sidecar runs. */
export const NOT_RUNNING = "NOT_RUNNING";

/** A call that failed. */
export class CallError extends Error {
  override readonly name = "CallError";

  constructor(
    /** The fault's code, `CANCELLED`, `NOT_RUNNING`, or `INTERNAL` for what has none. */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly suggestion?: string,
  ) {
    super(message);
  }
}

/** The error of a call, out of what a JSON-RPC library rejects with. */
export function callError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  if (!isRecord(error)) return new CallError("INTERNAL", String(error));
  const data = isRecord(error["data"]) ? error["data"] : {};
  const message = typeof error["message"] === "string" ? error["message"] : "the call failed";
  const code = typeof data["code"] === "string" ? data["code"] : error["code"] === -32800 ? "CANCELLED" : "INTERNAL";
  const suggestion = typeof data["suggestion"] === "string" ? data["suggestion"] : undefined;
  return new CallError(code, message, isRecord(data["details"]) ? data["details"] : {}, suggestion);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
