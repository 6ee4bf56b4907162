/** What became of a call that failed, in words for the person. */

import { callError, type CallError } from "../sidecar/problems.js";
import { withoutLinks } from "./visible.js";

const DENIED = new Set(["WRITE_DENIED", "scope_denied"]);

/** Whether the person, or nobody, said no: nothing broke. */
export function isDenied(error: CallError): boolean {
  return DENIED.has(error.code) || error.code === "CANCELLED" || isWaiting(error);
}

/** Whether nobody decided, so that the wish lies in the inbox. */
export function isWaiting(error: CallError): boolean {
  return error.code === "unavailable" || error.details["outcome"] === "unavailable";
}

/** One or two sentences on one line, safe to show in a message: nothing in it is drawn as a link. */
export function failureText(thrown: unknown): string {
  const error = callError(thrown);
  if (isWaiting(error)) {
    return "Nobody decided in time. The change waits in the inbox.";
  }
  if (DENIED.has(error.code)) {
    return deniedText(error);
  }
  if (error.code === "CANCELLED") {
    return "It was given up. Nothing was changed.";
  }
  const told = error.suggestion === undefined ? error.message : `${sentence(error.message)} ${error.suggestion}`;
  return withoutLinks(told);
}

function deniedText(error: CallError): string {
  switch (error.details["reason"]) {
    case "queue-full":
      return "Too many wishes wait already. Decide some of them in the inbox first.";
    case "changed":
      return "The change is no longer what was shown. Look at it again.";
    case "policy":
      return "The settings refuse such changes (writePolicy off).";
    default:
      return "It was not allowed. Nothing was changed.";
  }
}

function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
