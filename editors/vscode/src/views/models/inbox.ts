/** What waits for a decision in this workspace. */

import type { Choice, Decided, Proposal, ProposalsGetResult } from "keepgate-client";

import type { Access } from "./access.js";

const READ_AT_ONCE = 4;
/** Of so many the whole change is read; `proposals/approve` takes no more at once either. */
export const LOOKED_AT = 200;
const LISTED = 1000;

/** A pending proposal and, once it was read, its question; `problem` says why it cannot be put. */
export type Wish = ProposalsGetResult;

/** The pending wishes, oldest first. */
export class Inbox {
  readonly #access: () => Access;
  readonly #read = new Map<string, Wish>();
  #wishes: readonly Wish[] = [];

  constructor(access: () => Access) {
    this.#access = access;
  }

  get wishes(): readonly Wish[] {
    return this.#wishes;
  }

  /** Read the list, and the questions that were not read yet. */
  async renew(): Promise<void> {
    const { proposals } = await this.#access().calls.proposalsList({
      status: "pending",
      limit: LISTED,
      session: null,
    });
    const pending = new Set(proposals.map((one) => one.id));
    for (const id of this.#read.keys()) {
      if (!pending.has(id)) {
        this.#read.delete(id);
      }
    }
    await this.#readAll(proposals.slice(0, LOOKED_AT).filter((one) => !this.#isRead(one)));
    this.#wishes = proposals.map((proposal) => ({
      ...(this.#read.get(proposal.id) ?? { ask: null, problem: null }),
      proposal,
    }));
  }

  /** The question as it would be put now. Rejects with `PROPOSAL_NOT_FOUND` when it is gone. */
  async look(id: string): Promise<Wish> {
    const wish = await this.#access().calls.proposalsGet({ id, session: null });
    this.#read.set(id, wish);
    return wish;
  }

  /** Forget what was read of a proposal: its target may be another by now. */
  stale(id?: string): void {
    if (id === undefined) {
      this.#read.clear();
    } else {
      this.#read.delete(id);
    }
  }

  #isRead(proposal: Proposal): boolean {
    return this.#read.get(proposal.id)?.proposal.hash === proposal.hash;
  }

  async #readAll(proposals: readonly Proposal[]): Promise<void> {
    const left = [...proposals];
    const readers = Array.from({ length: READ_AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        // One that was decided meanwhile is no longer in the next list.
        await this.look(next.id).catch(() => undefined);
      }
    });
    await Promise.all(readers);
  }
}

/** What can be allowed with one look at all of them, and what wants a look of its own. */
export interface Batch {
  readonly together: readonly Wish[];
  readonly alone: readonly Wish[];
}

/** Wishes with warnings, and those that cannot be made any more, are decided one by one. */
export function batchOf(wishes: readonly Wish[]): Batch {
  const fits = (wish: Wish): boolean => wish.ask !== null && wish.ask.warnings.length === 0;
  const together = wishes.filter(fits).slice(0, LOOKED_AT);
  return { together, alone: wishes.filter((wish) => !together.includes(wish)) };
}

/** What `proposals/approve` and `proposals/dismiss` take, by the hashes of what was shown. */
export function choicesOf(wishes: readonly Wish[]): readonly Choice[] {
  return wishes.map(({ proposal, ask }) => ({ id: proposal.id, hash: ask?.hash ?? proposal.hash }));
}

/** `5 stored, 1 not: …` */
export function outcomeOf(results: readonly Decided[], verb: string): string {
  const failed = results.filter((one) => one.error !== null);
  const done = `${String(results.length - failed.length)} ${verb}`;
  const first = failed[0]?.error?.["message"];
  return failed.length === 0
    ? done
    : `${done}, ${String(failed.length)} not: ${typeof first === "string" ? first : "see the ledger"}`;
}
