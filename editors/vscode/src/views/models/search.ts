/** Two searches side by side: entries that contain the words, and what recall finds by them. */

import type { Entry, RecallFact, RecallResultItem } from "keepgate-client";

import type { Access } from "./access.js";

export type Found =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "fact"; readonly fact: RecallFact }
  | { readonly kind: "page"; readonly page: RecallResultItem };

/** What was found, and how many entries there are beyond those. */
export interface FoundAll {
  readonly entries: readonly Found[];
  readonly entriesLeft: number;
  readonly facts: readonly Found[];
  readonly pages: readonly Found[];
}

const ENTRIES = 50;
const RECALLED = 20;

/** Look for `text`; an empty one finds the entries that were recalled most. It leaves no trace in the ledger. */
export async function search(access: Access, text: string, signal?: AbortSignal): Promise<FoundAll> {
  const query = text.trim();
  const containing = access.calls.query({ text: query, limit: ENTRIES, session: null }, { signal });
  const recalled =
    query === "" ? undefined : access.calls.recall({ query, limit: RECALLED, session: null }, { signal });
  const [entries, others] = await Promise.all([containing, recalled]);
  return {
    entries: entries.entries.map((entry) => ({ kind: "entry", entry })),
    entriesLeft: entries.total - entries.entries.length,
    facts: others?.facts.map((fact) => ({ kind: "fact", fact })) ?? [],
    pages: others?.results?.map((page) => ({ kind: "page", page })) ?? [],
  };
}
