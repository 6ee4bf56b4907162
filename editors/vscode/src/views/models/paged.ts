/** A list that is read page by page and kept: what a view shows is there at once, also while it is renewed. */

/** Some items, and where the next ones begin; `null` at the end. */
export interface Page<T, C> {
  readonly items: readonly T[];
  readonly next: C | null;
}

/** Reads at most `limit` items from a cursor on, or from the beginning. */
export type ReadPage<T, C> = (after: C | undefined, limit: number) => Promise<Page<T, C>>;

/** The items read so far, in order. Reads follow one another; a failed one changes nothing. */
export class Paged<T, C = string> {
  readonly #read: ReadPage<T, C>;
  readonly #size: number;
  #items: readonly T[] = [];
  #next: C | null | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** `size` is how many items `more` adds, at least, where there are so many. */
  constructor(read: ReadPage<T, C>, size: number) {
    this.#read = read;
    this.#size = size;
  }

  get items(): readonly T[] {
    return this.#items;
  }

  /** Whether anything was read yet. */
  get begun(): boolean {
    return this.#next !== undefined;
  }

  /** Whether there are items that were not read. */
  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Read the first page, unless it was read. */
  first(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.begun) {
        await this.#upTo(this.#size, [], undefined);
      }
    });
  }

  /** Read on. */
  more(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.hasMore) {
        await this.#upTo(this.#items.length + this.#size, this.#items, this.#next ?? undefined);
      }
    });
  }

  /** Read again what was read, at least a page. Until that is done the old items stand. */
  renew(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.begun) {
        await this.#upTo(Math.max(this.#size, this.#items.length), [], undefined);
      }
    });
  }

  async #upTo(count: number, known: readonly T[], from: C | undefined): Promise<void> {
    const items = [...known];
    let next: C | null | undefined = from;
    do {
      const page: Page<T, C> = await this.#read(next, count - items.length);
      items.push(...page.items);
      next = page.next;
    } while (next !== null && items.length < count);
    this.#items = items;
    this.#next = next;
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.#queue.then(act);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}
