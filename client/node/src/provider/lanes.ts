/** Sidecars for writes: each has one write at a time, so that a question is always that write's. */

import { Client, type SpawnOptions } from "../client.js";
import type { ApprovalRequestParams } from "../generated/types.js";
import type { Verdict } from "../approver.js";

/** Puts a write's question; `signal` is aborted when it is withdrawn. */
export type Ask = (ask: ApprovalRequestParams, signal: AbortSignal) => Promise<Verdict>;

interface Waiting {
  readonly start: (lane: Lane) => void;
  readonly giveUp: (why: unknown) => void;
}

/** A sidecar, the question of the write that it has under way, and whether that is being asked. */
interface Lane {
  readonly client: Client;
  ask: Ask | undefined;
  asking: boolean;
  gone: boolean;
}

const LANES_MAX = 16;
/**
 * How long writes wait for a lane while gates are asked on all of them, before another is opened. A gate that
 * takes its time, perhaps waiting for this very write, must not hold it up.
 */
const PATIENCE_MS = 50;

/** A pool that begins with one sidecar, which serves reads as well. */
export class Lanes {
  readonly #options: SpawnOptions;
  readonly #asks: boolean;
  readonly #idle: Lane[] = [];
  readonly #all = new Set<Lane>();
  readonly #queue: Waiting[] = [];
  readonly #opening = new Set<Promise<Lane>>();
  #started = 0;
  #closed = false;

  constructor(options: SpawnOptions, asks: boolean) {
    this.#options = options;
    this.#asks = asks;
  }

  /** Starts the first sidecar, or another where it is gone. Rejects as `Client.spawn` does. */
  async reader(): Promise<Client> {
    const [first] = this.#all;
    const lane = first ?? (await this.#open());
    if (first === undefined) {
      this.#release(lane);
    }
    return lane.client;
  }

  /** Runs one write on a lane of its own. */
  async run(ask: Ask, write: (client: Client) => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
    const lane = await this.#free(signal);
    this.#started += 1;
    lane.ask = async (...question) => {
      lane.asking = true;
      try {
        return await ask(...question);
      } finally {
        lane.asking = false;
      }
    };
    try {
      return await write(lane.client);
    } finally {
      lane.ask = undefined;
      this.#release(lane);
    }
  }

  /** Ends every sidecar, and those that are still starting. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { giveUp } of this.#queue.splice(0)) {
      giveUp(new Error("the provider was closed"));
    }
    await Promise.allSettled(this.#opening);
    await Promise.all([...this.#all].map(({ client }) => client.close()));
  }

  async #free(signal: AbortSignal): Promise<Lane> {
    const lane = this.#idle.pop();
    if (lane !== undefined) {
      return lane;
    }
    if (this.#all.size + this.#opening.size === 0) {
      return this.#open();
    }
    if (this.#queue.length === 0) {
      this.#watch();
    }
    return this.#inQueue(signal);
  }

  /** Looks now and then, while writes wait, whether any lane is still of use to them. */
  #watch(): void {
    const before = this.#started;
    setTimeout(() => {
      const stuck = before === this.#started && [...this.#all].every(({ asking }) => asking);
      if (stuck && this.#opening.size === 0) {
        this.#openOneMore();
      }
      if (this.#queue.length > 0) {
        this.#watch();
      }
    }, PATIENCE_MS);
  }

  #inQueue(signal: AbortSignal): Promise<Lane> {
    return new Promise<Lane>((resolve, reject) => {
      const waiting: Waiting = { start: resolve, giveUp: reject };
      this.#queue.push(waiting);
      signal.addEventListener("abort", () => {
        const place = this.#queue.indexOf(waiting);
        if (place >= 0) {
          this.#queue.splice(place, 1);
          reject(signal.reason as Error);
        }
      });
    });
  }

  #openOneMore(): void {
    if (this.#all.size + this.#opening.size >= LANES_MAX) {
      return;
    }
    this.#open().then(
      (lane) => { this.#release(lane); },
      (error: unknown) => { this.#queue.shift()?.giveUp(error); },
    );
  }

  async #open(): Promise<Lane> {
    if (this.#closed) {
      throw new Error("the provider was closed");
    }
    const opened = this.#start();
    this.#opening.add(opened);
    try {
      const lane = await opened;
      this.#keep(lane);
      return lane;
    } finally {
      this.#opening.delete(opened);
    }
  }

  async #start(): Promise<Lane> {
    // Wishes of other processes may come before there is a lane.
    const own: { lane: Lane | undefined } = { lane: undefined };
    const asking = {
      approver: (ask: ApprovalRequestParams, { signal }: { signal: AbortSignal }): Promise<Verdict> =>
        // Wishes of other processes are not this host's to decide.
        own.lane?.ask === undefined || ask.client !== null
          ? Promise.resolve("unavailable")
          : own.lane.ask(ask, signal),
    };
    const client = await Client.spawn({ ...this.#options, ...(this.#asks ? asking : {}) });
    if (this.#closed) {
      await client.close();
      throw new Error("the provider was closed");
    }
    own.lane = { client, ask: undefined, asking: false, gone: false };
    return own.lane;
  }

  #keep(lane: Lane): void {
    this.#all.add(lane);
    void lane.client.ended.then(async () => {
      lane.gone = true;
      this.#all.delete(lane);
      const place = this.#idle.indexOf(lane);
      if (place >= 0) {
        this.#idle.splice(place, 1);
      }
      await lane.client.close();
      if (this.#queue.length > 0 && this.#all.size === 0) {
        this.#openOneMore();
      }
    });
  }

  #release(lane: Lane): void {
    if (lane.gone) {
      return;
    }
    const next = this.#queue.shift();
    if (next === undefined) {
      this.#idle.push(lane);
    } else {
      next.start(lane);
    }
  }
}
