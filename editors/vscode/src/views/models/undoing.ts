/** Undoing a row in the name of a session that sees what it is about. */

import type { AuditRow, SessionRef, UndoResult } from "keepgate-client";

import { callError } from "../../sidecar/problems.js";
import { type Access, sessionFor } from "./access.js";

/** Ask for the row's change to be taken back. Rejects with the fault of the last session that was tried. */
export async function undoRow(access: Access, row: AuditRow, signal?: AbortSignal): Promise<UndoResult> {
  const [first, ...others] = await sessionsOf(access, row);
  let session: SessionRef | undefined = first;
  for (;;) {
    try {
      return await access.calls.undo({ seq: row.seq, session }, { signal });
    } catch (thrown) {
      session = others.shift();
      // What is out of a session's sight is refused before anybody is asked.
      if (session === undefined || callError(thrown).code !== "INVALID_INPUT") throw thrown;
    }
  }
}

/** A session sees one workspace, and the private entries of one agent. */
async function sessionsOf(access: Access, row: AuditRow): Promise<readonly SessionRef[]> {
  const keys = access.folders.length === 0 ? [""] : access.folders.map((folder) => folder.key);
  const agents = new Set([""]);
  if (row.entryId !== null && row.track !== null) {
    const { chain } = await access.calls.why({ id: row.entryId, session: null });
    for (const link of chain) agents.add(link.agentKey);
  }
  return [...agents].flatMap((agent) => keys.map((key) => sessionFor(access, key, agent)));
}
