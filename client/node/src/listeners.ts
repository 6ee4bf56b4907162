/** Who wants to hear of the sidecar's notifications. */

import { isObject } from "./errors.js";

/** Hears of a call's progress: `{kind: "begin" | "report" | "end", …}`. */
export type ProgressListener = (value: unknown) => void;

type Listener = (params: unknown) => void;

/** Listeners by method. One that throws is reported as a warning, and the others still hear. */
export class Listeners {
  readonly #byMethod = new Map<string, Set<{ readonly call: Listener }>>();

  /** Calls everybody who listens to a method. */
  readonly tell = (method: string, params: unknown): void => {
    for (const { call } of [...(this.#byMethod.get(method) ?? [])]) {
      try {
        call(params);
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  };

  /** Adds a listener; returns the function that withdraws it. */
  add(method: string, call: Listener): () => void {
    const own = { call };
    const all = this.#byMethod.get(method) ?? new Set();
    this.#byMethod.set(method, all.add(own));
    return () => {
      all.delete(own);
    };
  }

  /** Adds a listener to the progress of one call. */
  addProgress(token: string | number, listener: ProgressListener): () => void {
    return this.add("$/progress", (params) => {
      if (isObject(params) && params["token"] === token) {
        listener(params["value"]);
      }
    });
  }
}
