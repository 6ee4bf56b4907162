/**
 * JSON-RPC messages as values: told apart here, without IO.
 *
 * Only the top level of a message is looked at; what stands inside `params` and `result` is data.
 */

import { isObject, KeepgateError } from "./errors.js";
import { RPC_NUMBERS } from "./generated/codes.js";
import { BrokenFrame } from "./framing.js";

export type MessageId = number | string;

export type Incoming =
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "response"; readonly id: MessageId | null; readonly result?: unknown; readonly error?: unknown };

/** Tells what a message is. Throws `BrokenFrame` for anything that is not JSON-RPC 2.0. */
export function parse(message: unknown): Incoming {
  if (!isObject(message) || message["jsonrpc"] !== "2.0") {
    throw new BrokenFrame("it is not a JSON-RPC 2.0 message");
  }
  const { id, method, params } = message;
  if (id !== undefined && id !== null && !isId(id)) {
    throw new BrokenFrame("an id must be an integer or a string");
  }
  if (method === undefined) {
    return response(message, id);
  }
  if (typeof method !== "string" || id === null) {
    throw new BrokenFrame("a request needs a method and an id");
  }
  return id === undefined ? { kind: "notification", method, params } : { kind: "request", id, method, params };
}

/** Whether a value can be the id of a request. */
export function isId(value: unknown): value is MessageId {
  return Number.isSafeInteger(value) || typeof value === "string";
}

function response(message: Readonly<Record<string, unknown>>, id: MessageId | null | undefined): Incoming {
  if (id === undefined || "result" in message === "error" in message) {
    throw new BrokenFrame("a response needs an id and either a result or an error");
  }
  return "error" in message
    ? { kind: "response", id, error: message["error"] }
    : { kind: "response", id, result: message["result"] };
}

/**
 * The error member of an answer of ours.
 *
 * An exception that is no `KeepgateError` is named by its type alone: its text may hold anything.
 */
export function errorMember(error: unknown): unknown {
  if (error instanceof KeepgateError) {
    const data = error.data ?? { code: error.code, details: error.details, suggestion: error.suggestion };
    return { code: error.number, message: error.message, data };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { code: RPC_NUMBERS.INTERNAL_ERROR, message: `the client failed with ${name}` };
}
