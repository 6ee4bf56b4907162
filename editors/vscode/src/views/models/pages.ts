/** Pages by slug. */

import type { PageRef } from "keepgate-client";

import type { Access } from "./access.js";
import { PAGE_SIZE } from "./layers.js";
import { type Page, Paged } from "./paged.js";

/** The pages of the open folders and the person's own, by slug. */
export function pagesOf(access: () => Access, size = PAGE_SIZE): Paged<PageRef> {
  const read = async (after: string | undefined, limit: number): Promise<Page<PageRef, string>> => {
    const page = await access().calls.pagesList({ limit: Math.min(limit, 1000), after, session: null });
    return { items: page.pages, next: page.next };
  };
  return new Paged(read, size);
}
