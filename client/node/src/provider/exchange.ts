/** What the host's thread and the worker say to each other. Values travel as JSON text, errors as parts. */

import { Disconnected, KeepgateError, type ErrorCode } from "../errors.js";
import type { Settings } from "../generated/types.js";
import type { Command } from "../process.js";
import type { ApprovalPayload } from "./contract.js";

/** How long the host's thread waits for an answer at most, unless it was told otherwise of reads. */
export const WAIT_SECONDS = 120;

/** How the worker is started. `flag` is set and notified when an answer lies in `answers`. */
export interface WorkerData {
  readonly command: Command | undefined;
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly settings: Settings;
  readonly asks: boolean;
  readonly flag: Int32Array<SharedArrayBuffer>;
}

/** From the host's thread. `params` is JSON. */
export type ToWorker =
  | { readonly kind: "write"; readonly id: number; readonly method: string; readonly params: string }
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "verdict"; readonly question: number; readonly outcome: unknown }
  | { readonly kind: "read"; readonly call: number; readonly method: string; readonly params: string }
  | { readonly kind: "close"; readonly call: number };

/** The number of the call that the host's thread waits for while the worker starts. */
export const START_CALL = 0;

/** What lies in `answers`: the number tells the answer from one that came too late for its own call. */
export interface Answered {
  readonly call: number;
  readonly answer: Answer;
}

/** To the host's thread, in its own time. */
export type ToHost =
  | { readonly kind: "done"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "question"; readonly id: number; readonly question: number; readonly payload: ApprovalPayload };

/** A result, or an error. */
export type Answer = { readonly result: string } | { readonly error: ErrorShape };

interface ErrorShape {
  readonly code: string;
  readonly message: string;
  readonly number?: number;
  readonly details?: string;
  readonly suggestion?: string | undefined;
  readonly aborted?: boolean;
}

/** The answer that a promise's end is. */
export async function answerOf(work: Promise<unknown>): Promise<Answer> {
  try {
    return { result: JSON.stringify((await work) ?? null) };
  } catch (error) {
    return { error: shapeOf(error) };
  }
}

/** The result of an answer. Throws its error; one that the caller's own signal caused is `abortReason`. */
export function resultOf(answer: Answer, abortReason?: unknown): unknown {
  if ("result" in answer) {
    return JSON.parse(answer.result);
  }
  throw answer.error.aborted === true && abortReason !== undefined ? (abortReason as Error) : errorOf(answer.error);
}

function shapeOf(error: unknown): ErrorShape {
  if (error instanceof KeepgateError) {
    const { code, message, number, suggestion } = error;
    return { code, message, number, suggestion, details: JSON.stringify(error.details) };
  }
  if (error instanceof Disconnected) {
    return { code: error.code, message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "FAILED", message, aborted: error instanceof Error && error.name === "AbortError" };
}

function errorOf(shape: ErrorShape): Error {
  const { code, message, number, suggestion } = shape;
  if (number === undefined) {
    return Object.assign(new Error(message), { code, details: {} });
  }
  const details = JSON.parse(shape.details ?? "{}") as Readonly<Record<string, unknown>>;
  return new KeepgateError(code as ErrorCode, message, { number, details, suggestion });
}
