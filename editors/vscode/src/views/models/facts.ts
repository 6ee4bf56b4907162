/** Facts, grouped by what they are about. */

import type { NextCursor, PackFact, RecallFact } from "keepgate-client";

import type { Desk } from "./desk.js";
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
export function factsOf(desk: () => Desk, size = FACTS_AT_ONCE): Paged<PackFact, NextCursor> {
  const read = async (after: NextCursor | undefined): Promise<Page<PackFact, NextCursor>> => {
    const { facts, has_more, next_cursor } = await desk().calls.delta({
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

/** A fact with its provenance and dates, or `null` where recall by its own words does not bring it. */
export async function wholeFact(desk: Desk, fact: PackFact): Promise<RecallFact | null> {
  const found = await desk.calls.recall({
    query: fact.fact,
    entity: fact.entity_slug,
    limit: FOUND_AT_MOST,
    session: null,
  });
  return found.facts.find((one) => one.fact_id === fact.fact_id) ?? null;
}

function compared(left: string | null, right: string | null): number {
  if (left === null || right === null) {
    return Number(left === null) - Number(right === null);
  }
  return left < right ? -1 : Number(left > right);
}
