/** What a client says about itself in `initialize` (docs/protocol.md). */

import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { isObject } from "./errors.js";
import { PROTOCOL_VERSION } from "./generated/codes.js";
import type { KeepgateCapabilities, Settings } from "./generated/types.js";

/** Who the client is; the ledger names it beside each decision. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** What `initialize` is made of. */
export interface Introduction {
  readonly folders: readonly string[];
  readonly clientInfo: ClientInfo;
  readonly settings: Settings | undefined;
  readonly answersApprovals: boolean;
  readonly completes: boolean;
}

/** The params of `initialize`; the process id is this process's, so that the sidecar ends when it does. */
export function initializeParams(about: Introduction): Readonly<Record<string, unknown>> {
  const folders = about.folders.map((folder) => ({ uri: folderUri(folder), name: basename(folder) }));
  const keepgate = {
    approver: about.answersApprovals,
    approvalRequest: about.answersApprovals,
    languageModel: about.completes,
  };
  return {
    processId: process.pid,
    clientInfo: about.clientInfo,
    rootUri: folders[0]?.uri ?? null,
    workspaceFolders: folders.length > 0 ? folders : null,
    capabilities: {
      workspace: { workspaceFolders: true },
      window: { workDoneProgress: true },
      experimental: { keepgate },
    },
    initializationOptions: about.settings,
  };
}

/** The URI of a folder; a string with a scheme, such as `file:///a`, is one already. */
export function folderUri(folder: string): string {
  return folder.includes("://") ? folder : pathToFileURL(resolve(folder)).href;
}

/** What the sidecar announced. Throws when the answer is not from a keepgate that this client can speak with. */
export function announced(result: unknown): KeepgateCapabilities {
  const capabilities = member(member(member(result, "capabilities"), "experimental"), "keepgate");
  if (member(capabilities, "protocolVersion") !== PROTOCOL_VERSION) {
    throw new Error(`the process is no keepgate of protocol ${PROTOCOL_VERSION}`);
  }
  return capabilities as KeepgateCapabilities;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
