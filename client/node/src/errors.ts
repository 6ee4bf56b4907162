/** What a call can end in besides its result. */

import { FAULT_NUMBERS, RPC_NUMBERS, VERB_NUMBERS } from "./generated/codes.js";
import type { FaultCode, RpcErrorCode, VerbErrorCode } from "./generated/types.js";

/** A word for every error that the sidecar answers with; `UNKNOWN` for numbers that this client does not know. */
export type ErrorCode = FaultCode | VerbErrorCode | RpcErrorCode | "UNKNOWN";

/** What an error says besides its message. */
export interface ErrorParts {
  readonly number: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly suggestion?: string | undefined;
  readonly data?: unknown;
}

const STDERR_LINES_SHOWN = 5;
const RPC_CODES = new Map(Object.entries(RPC_NUMBERS).map(([code, number]) => [number, code as RpcErrorCode]));

/** The sidecar refused, or answered with an error. Branch on `code`. */
export class KeepgateError extends Error {
  override readonly name = "KeepgateError";
  readonly code: ErrorCode;
  /** What the code says about the case, for instance `used` and `limit` of `BUDGET_EXCEEDED`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What to do about it, in one sentence. */
  readonly suggestion: string | undefined;
  /** The JSON-RPC number. */
  readonly number: number;
  /** The JSON-RPC error's `data` as it came. */
  readonly data: unknown;

  constructor(code: ErrorCode, message: string, parts: ErrorParts) {
    super(message);
    this.code = code;
    this.details = parts.details ?? {};
    this.suggestion = parts.suggestion;
    this.number = parts.number;
    this.data = parts.data;
  }
}

/** How a process ended; all is null while it runs. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The sidecar is gone, so what was asked has no answer; a write may or may not have been stored. */
export class Disconnected extends Error {
  override readonly name = "Disconnected";
  readonly code = "DISCONNECTED";
  readonly reason: string;
  readonly exit: Exit;
  /** The last lines that it wrote on stderr. */
  readonly stderr: readonly string[];

  constructor(reason: string, exit: Exit, stderr: readonly string[]) {
    const state = exit.signal ?? (exit.code === null ? undefined : `exit code ${exit.code}`);
    const last = stderr.slice(-STDERR_LINES_SHOWN).map((line) => `\n  ${line}`);
    super(`${reason}${state === undefined ? "" : ` (${state})`}${last.length > 0 ? ":" : ""}${last.join("")}`);
    this.reason = reason;
    this.exit = exit;
    this.stderr = stderr;
  }
}

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The exception that the `error` member of an answer stands for. */
export function errorOf(error: unknown): KeepgateError {
  const { code: number, message, data } = isObject(error) ? error : {};
  if (typeof number !== "number" || typeof message !== "string") {
    const parts = { number: RPC_NUMBERS.INTERNAL_ERROR, data: error };
    return new KeepgateError("INTERNAL_ERROR", "the sidecar sent an error without code and message", parts);
  }
  const told = isObject(data) ? data : {};
  const suggestion = typeof told["suggestion"] === "string" ? told["suggestion"] : undefined;
  const details = detailsOf(told);
  return new KeepgateError(codeOf(told["code"], number), message, { number, details, suggestion, data });
}

/** An error of this client's own, in the form of the sidecar's. */
export function invalidInput(path: string, problem: string): KeepgateError {
  const details = { problems: [{ path, problem }] };
  return new KeepgateError("INVALID_INPUT", `${path}: ${problem}`, {
    number: FAULT_NUMBERS.INVALID_INPUT,
    details,
  });
}

function codeOf(word: unknown, number: number): ErrorCode {
  if (typeof word === "string" && (Object.hasOwn(FAULT_NUMBERS, word) || Object.hasOwn(VERB_NUMBERS, word))) {
    return word as FaultCode | VerbErrorCode;
  }
  return RPC_CODES.get(number) ?? "UNKNOWN";
}

function detailsOf(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const details = isObject(data["details"]) ? data["details"] : {};
  const problems = "problems" in data ? { problems: data["problems"] } : {};
  const detail = "detail" in data ? { detail: data["detail"] } : {};
  return { ...problems, ...detail, ...details };
}
