/** Renewing what is shown, when much changes at once. */

import type { Disposable } from "../events.js";

/** Gathers what changed for a short while, then renews it; while that runs, further changes wait for the next. */
export class Renewing<T> implements Disposable {
  readonly #renew: (topics: ReadonlySet<T>) => Promise<void>;
  readonly #gatherMs: number;
  #changed = new Set<T>();
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #ended = false;

  /** `renew` does not reject. */
  constructor(renew: (topics: ReadonlySet<T>) => Promise<void>, gatherMs: number) {
    this.#renew = renew;
    this.#gatherMs = gatherMs;
  }

  /** Have it renewed soon. */
  changed(topic: T): void {
    this.#changed.add(topic);
    this.#soon();
  }

  dispose(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #soon(): void {
    if (this.#timer !== undefined || this.#running || this.#ended || this.#changed.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, this.#gatherMs);
  }

  async #run(): Promise<void> {
    const topics = this.#changed;
    this.#changed = new Set();
    this.#running = true;
    await this.#renew(topics);
    this.#running = false;
    this.#soon();
  }
}
