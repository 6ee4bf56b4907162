/** What writes the documents that follow what is stored. */

import { entryDocument, factDocument, historyDocument, whyDocument } from "./documents/memories.js";
import { budgetsDocument, rowDocument } from "./documents/ledger.js";
import type { Access } from "./models/access.js";
import { factById } from "./models/facts.js";
import { layersOf } from "./models/layers.js";

/** The kinds of documents. Each takes an id; they reject with the fault of the sidecar. */
export type Written = "memory" | "fact" | "history" | "why" | "row" | "budgets";

/** Writes a document about what is stored now. */
export function writersOf(access: () => Access): Readonly<Record<Written, (id: string) => Promise<string>>> {
  return {
    memory: async (id) => entryDocument((await access().calls.get({ id, session: null })).entry),
    fact: async (id) => factDocument(await factById(access(), id)),
    history: async (id) => historyDocument(id, (await access().calls.history({ id, session: null })).versions),
    why: async (id) => whyDocument(id, await access().calls.why({ id, session: null })),
    row: async (id) => {
      const seq = Number(id);
      const { rows } = await access().calls.audit({ limit: 1, before: seq + 1, session: null });
      const [row] = rows;
      return row?.seq === seq ? rowDocument(row) : `There is no row ${seq} in sight.\n`;
    },
    budgets: async () => budgetsDocument(await layersOf(access())),
  };
}
