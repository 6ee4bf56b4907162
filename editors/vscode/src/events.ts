/** What can be ended: a listener, a handler, something shown. */
export interface Disposable {
  dispose(): void;
}

/** Tells listeners, in the order in which they came. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(event: T) => void>();

  /** Listen until the result is disposed of; usable as an `onDidSomething` member. */
  readonly event = (listener: (event: T) => void): Disposable => {
    // Wrapped, so that one function may listen twice and stop once.
    const own = (event: T): void => {
      listener(event);
    };
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  /** Tell everybody who listens now. */
  fire(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
