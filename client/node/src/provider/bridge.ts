/** The host's side of the worker: promises for writes, blocked waiting for reads. */

import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from "node:worker_threads";

import { invalidInput } from "../errors.js";
import type { ApprovalPayload, Gate, Write } from "./contract.js";
import { resultOf, START_CALL, WAIT_SECONDS, type Answer, type Answered, type ToHost, type ToWorker, type WorkerData } from "./exchange.js";

interface Pending {
  readonly write: Write;
  readonly settle: (answer: Answer) => void;
}

/** One worker with its sidecars. */
export class Bridge {
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  readonly #gate: Gate | undefined;
  readonly #pending = new Map<number, Pending>();
  readonly #readSeconds: number;
  #lastId = 0;
  #closed = false;

  /** Starts it and waits until the store is open. Throws the fault of a store that cannot be opened. */
  constructor(data: Omit<WorkerData, "flag" | "asks">, gate: Gate | undefined, readSeconds: number = WAIT_SECONDS) {
    this.#readSeconds = readSeconds;
    const { port1, port2 } = new MessageChannel();
    this.#answers = port1;
    this.#gate = gate;
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), {
      workerData: { ...data, flag: this.#flag, asks: gate !== undefined, answers: port2 },
      transferList: [port2],
      execArgv: [],
    });
    this.#worker.on("message", (message: ToHost) => { this.#hear(message); });
    this.#worker.on("error", (error) => { this.#end(error); });
    // A host that forgets to close the provider may end nevertheless; the sidecars end with it.
    this.#worker.unref();
    port1.unref();
    try {
      this.#wait(START_CALL);
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  /** Sends a write; `params` must not hold what JSON cannot. */
  async write(method: string, params: unknown, write: Write): Promise<unknown> {
    const signal = signalOf(write);
    signal?.throwIfAborted();
    const text = asJson(params);
    const id = ++this.#lastId;
    const abort = (): void => { this.#tell({ kind: "abort", id }); };
    const answered = new Promise<Answer>((settle) => {
      this.#tell({ kind: "write", id, method, params: text });
      this.#pending.set(id, { write, settle });
    });
    signal?.addEventListener("abort", abort, { once: true });
    // While a write is under way, the host must not end for want of anything else to do.
    this.#worker.ref();
    try {
      return resultOf(await answered, signal?.reason);
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#pending.delete(id);
      if (this.#pending.size === 0) {
        this.#worker.unref();
      }
    }
  }

  /** Sends a read and blocks until its result is there. */
  read(method: string, params: unknown): unknown {
    const call = ++this.#lastId;
    this.#tell({ kind: "read", call, method, params: asJson(params) });
    return this.#wait(call, this.#readSeconds);
  }

  /** Ends the worker and its sidecars; blocks until these are gone. */
  close(): void {
    if (this.#closed) {
      return;
    }
    const call = ++this.#lastId;
    this.#tell({ kind: "close", call });
    try {
      this.#wait(call);
    } finally {
      this.#end(new Error("the provider was closed"));
    }
  }

  #tell(message: ToWorker): void {
    if (this.#closed) {
      throw Object.assign(new Error("the provider was closed"), { code: "DISCONNECTED", details: {} });
    }
    this.#worker.postMessage(message);
  }

  #wait(call: number, seconds: number = WAIT_SECONDS): unknown {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const received = receiveMessageOnPort(this.#answers) as { readonly message: Answered } | undefined;
      // An answer to another call came too late for it, and nobody waits for it any more.
      if (received?.message.call === call) {
        return resultOf(received.message.answer);
      }
      if (received === undefined) {
        this.#sleep(deadline - performance.now());
      }
    }
  }

  /** Blocks until an answer may be there. */
  #sleep(ms: number): void {
    if (ms <= 0 || Atomics.wait(this.#flag, 0, 0, ms) === "timed-out") {
      throw Object.assign(new Error("the sidecar does not answer"), { code: "DISCONNECTED", details: {} });
    }
    // Before it is looked for: what comes after this look sets the flag again.
    Atomics.store(this.#flag, 0, 0);
  }

  #hear(message: ToHost): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) {
      return;
    }
    if (message.kind === "done") {
      pending.settle(message.answer);
    } else {
      void this.#ask(message.question, message.payload, pending.write);
    }
  }

  async #ask(question: number, payload: ApprovalPayload, write: Write): Promise<void> {
    let outcome: unknown;
    try {
      outcome = await this.#gate?.(Object.freeze(payload), write);
    } catch {
      outcome = "unavailable";
    }
    if (!this.#closed) {
      // Only a word can be a verdict; anything else might not even travel.
      this.#tell({ kind: "verdict", question, outcome: typeof outcome === "string" ? outcome : null });
    }
  }

  #end(why: unknown): void {
    this.#closed = true;
    const message = why instanceof Error ? why.message : String(why);
    for (const { settle } of this.#pending.values()) {
      settle({ error: { code: "DISCONNECTED", message } });
    }
    void this.#worker.terminate();
  }
}

function signalOf(write: unknown): AbortSignal | undefined {
  const signal = (write as Partial<Write> | null | undefined)?.signal;
  return signal instanceof AbortSignal ? signal : undefined;
}

function asJson(params: unknown): string {
  try {
    return JSON.stringify(params);
  } catch (error) {
    throw invalidInput("$", `is not JSON: ${(error as Error).message}`);
  }
}
