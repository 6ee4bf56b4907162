/** What the views need of the window: the sidecar's calls, the open folders, and who speaks. */

import type { Calls, Entry, SessionRef } from "keepgate-client";

/** An open folder as the sidecar knows it. */
export interface Folder {
  /** The workspace key; entries carry it. */
  readonly key: string;
  /** As the explorer calls it. */
  readonly name: string;
  /** Its place on the disk. */
  readonly path: string;
}

/** Access to the sidecar. Reads speak for the person, who sees every agent's memories. */
export interface Access {
  readonly calls: Calls;
  readonly folders: readonly Folder[];
  /** The session of the person at this window. */
  readonly sessionId: string;
}

/**
 * In whose name a write about something in that workspace is asked for. `agentKey` is the agent whose private
 * entry it touches: a write finds its target only among what its session sees.
 */
export function sessionFor(access: Access, workspaceKey: string, agentKey = ""): SessionRef {
  const folder = access.folders.find((open) => open.key === workspaceKey) ?? access.folders[0];
  return {
    id: access.sessionId,
    ...(folder === undefined ? {} : { cwd: folder.path }),
    ...(agentKey === "" ? {} : { agentPreset: agentKey }),
  };
}

/** The same, for an entry that is there. */
export function sessionOf(access: Access, entry: Entry): SessionRef {
  return sessionFor(access, entry.workspaceKey, entry.agentKey);
}
