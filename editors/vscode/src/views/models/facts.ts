/** Facts, grouped by what they are about. */

import type { NextCursor, PackFact, RecallFact } from "keepgate-client";

import type { Access } from "./access.js";
import { type Page, Paged } from "./paged.js";

const BEGINNING = "1970-01-01T00:00:00.000Z";
const FACTS_AT_ONCE = 500;
const FOUND_AT_MOST = 100;

/** What is known of one entity; `null` for facts about nothing in particular. */
export interface FactGroup {
  readonly entity: string | null;
  readonly facts: readonly PackFact[];
}

/** Every active fact in sight, oldest first. It leaves no trace: no session wakes for it. */
export function factsOf(access: () => Access, size = FACTS_AT_ONCE): Paged<PackFact, NextCursor> {
  const read = async (after: NextCursor | undefined): Promise<Page<PackFact, NextCursor>> => {
    const { facts, has_more, next_cursor } = await access().calls.delta({
      since: after?.since ?? BEGINNING,
      since_slug: after?.slug,
      since_fact: after?.fact,
      include_private: true,
      session: null,
    });
    return { items: facts, next: has_more ? next_cursor : null };
  };
  return new Paged(read, size);
}

/** The facts by entity in the order of the names; what is about nothing in particular comes last. */
export function grouped(facts: readonly PackFact[]): readonly FactGroup[] {
  const byEntity = new Map<string | null, PackFact[]>();
  for (const fact of facts) {
    const group = byEntity.get(fact.entity_slug);
    if (group === undefined) {
      byEntity.set(fact.entity_slug, [fact]);
    } else {
      group.push(fact);
    }
  }
  return [...byEntity]
    .map(([entity, members]) => ({ entity, facts: members }))
    .sort((left, right) => compared(left.entity, right.entity));
}

/** What is known of one fact; `whole` is null where recall by its own words does not bring it. */
export interface KnownFact {
  readonly id: string;
  readonly text: string;
  readonly active: boolean;
  readonly whole: RecallFact | null;
}

/** One fact by its id. Rejects with `ENTRY_NOT_FOUND` when no fact in sight ever had it. */
export async function factById(access: Access, id: string): Promise<KnownFact> {
  const { fact } = await access.calls.why({ id, session: null });
  if (fact === null) {
    throw new Error(`${id} is no fact`);
  }
  const found = await access.calls.recall({
    query: fact.text,
    limit: FOUND_AT_MOST,
    include_expired: !fact.active,
    session: null,
  });
  const whole = found.facts.find((one) => one.fact_id === id) ?? null;
  return { id, text: fact.text, active: fact.active, whole };
}

function compared(left: string | null, right: string | null): number {
  if (left === null || right === null) {
    return Number(left === null) - Number(right === null);
  }
  return left < right ? -1 : Number(left > right);
}
