/** One connection with one running sidecar, as the rest needs it: over the editor's client, or over plain pipes. */

import type { Program } from "./finder.js";
import { isRecord, type Problem } from "./problems.js";
import type { Server } from "./session.js";

/** The notifications that a sidecar sends. */
export const NOTIFICATIONS = [
  "approval/asked",
  "approval/decided",
  "approval/queued",
  "facts/didChange",
  "keepgate/status",
  "memory/added",
  "memory/recalled",
  "memory/removed",
  "memory/snapshot",
  "memory/updated",
  "pages/didChange",
  "proposals/didChange",
] as const;

/** The requests that a sidecar sends and that this extension answers. */
export const REQUESTS = ["approval/request", "languageModel/complete"] as const;

export const PROTOCOL_VERSION = 1;

/** Where a link brings what the sidecar sends. */
export interface Incoming {
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notification(method: string, params: unknown): void;
  /** The connection is gone and nobody here ended it; told at most once. */
  lost(): void;
}

/** The connection. */
export interface Link {
  /** The JSON result. Rejects with whatever the library makes of an error answer. */
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Ask the sidecar to leave and wait until its process is gone; one that stays is killed. */
  close(): Promise<void>;
}

/** A connection after `initialize`, with its result as it came. */
export interface Opened {
  readonly link: Link;
  readonly initializeResult: unknown;
}

/** Starts `program` and initializes it. Rejects where either fails or `signal` is aborted, and leaves no process. */
export type OpenLink = (program: Program, incoming: Incoming, signal: AbortSignal) => Promise<Opened>;

/** What the extension announces in `capabilities.experimental.keepgate`. */
export function announcement(languageModel: boolean): Readonly<Record<string, unknown>> {
  return { keepgate: { approvalRequest: true, languageModel } };
}

/** Methods without which the extension is of no use. */
const NEEDED = ["approval/shown", "proposals/approve", "proposals/dismiss", "proposals/get", "proposals/list"];

/** The sidecar that answered `initialize`, or why it cannot be used. */
export function serverOf(result: unknown, program: Program): Server | Problem {
  const info = isRecord(result) && isRecord(result["serverInfo"]) ? result["serverInfo"] : {};
  const capabilities = isRecord(result) && isRecord(result["capabilities"]) ? result["capabilities"] : {};
  const experimental = isRecord(capabilities["experimental"]) ? capabilities["experimental"] : {};
  const said = experimental["keepgate"];
  if (info["name"] !== "keepgate" || !isRecord(said)) {
    return {
      kind: "not-keepgate",
      message: `${program.command} is not keepgate.`,
      steps: ["open-settings", "install"],
    };
  }
  const version = String(info["version"]);
  const methods = Array.isArray(said["methods"]) ? said["methods"].map(String) : [];
  if (said["protocolVersion"] !== PROTOCOL_VERSION || NEEDED.some((method) => !methods.includes(method))) {
    return {
      kind: "too-old",
      message:
        `keepgate ${version} at ${program.command} does not speak the protocol of this extension ` +
        `(version ${PROTOCOL_VERSION}). Bring the older of the two up to date.`,
      steps: ["install", "open-settings"],
    };
  }
  const workspaces = Array.isArray(said["workspaces"]) ? (said["workspaces"] as Server["workspaces"]) : [];
  return { version, methods, workspaces, storePath: String(said["storePath"]) };
}
