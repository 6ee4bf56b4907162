/** How to keep a copy of everything. */

import { document, table } from "./layout.js";

/** The commands of a terminal that copy the store and put a copy back. */
export function backupDocument(storePath: string): string {
  return document(
    "Backup",
    table([["the store", storePath]]),
    "An export has the memories that you see here, for other programs. A backup has everything: facts, the\n" +
      "ledger, what waits. It is made and put back in a terminal, also while this window is open:",
    ["    keepgate backup PATH", "    keepgate restore PATH"].join("\n"),
    "Do not copy the file itself while a process has it open.",
  );
}
