/** The provider's worker thread: speaks with the sidecars, so that the host's thread may block. */

import { parentPort, workerData, type MessagePort } from "node:worker_threads";

import type { Verdict } from "../approver.js";
import type { ApprovalRequestParams } from "../generated/types.js";
import type { ApprovalPayload } from "./contract.js";
import { answerOf, START_CALL, type Answer, type Answered, type ToHost, type ToWorker, type WorkerData } from "./exchange.js";
import { Lanes } from "./lanes.js";

const VERDICTS: readonly unknown[] = ["allowed-once", "rejected", "cancelled", "unavailable"];

class Worker {
  readonly #data: WorkerData;
  readonly #host: MessagePort;
  readonly #answers: MessagePort;
  readonly #lanes: Lanes;
  readonly #writes = new Map<number, AbortController>();
  readonly #questions = new Map<number, (verdict: Verdict) => void>();
  #lastQuestion = 0;

  constructor(data: WorkerData, host: MessagePort, answers: MessagePort) {
    const { command, env, settings, asks } = data;
    const clientInfo = { name: "keepgate-provider" };
    this.#data = data;
    this.#host = host;
    this.#answers = answers;
    this.#lanes = new Lanes({ command, env, initializationOptions: settings, clientInfo }, asks);
  }

  async start(): Promise<void> {
    this.#host.on("message", (message: ToWorker) => { void this.#hear(message); });
    this.#answer(START_CALL, await answerOf(this.#lanes.reader().then(() => null)));
  }

  async #hear(message: ToWorker): Promise<void> {
    switch (message.kind) {
      case "write":
        await this.#write(message.id, message.method, message.params);
        break;
      case "abort":
        this.#writes.get(message.id)?.abort();
        break;
      case "verdict":
        this.#decided(message.question, message.outcome);
        break;
      case "read":
        this.#answer(message.call, await answerOf(this.#read(message.method, message.params)));
        break;
      case "close":
        this.#answer(message.call, await answerOf(this.#lanes.close()));
        break;
    }
  }

  async #read(method: string, params: string): Promise<unknown> {
    const client = await this.#lanes.reader();
    return client.request(method, JSON.parse(params));
  }

  async #write(id: number, method: string, params: string): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#writes.set(id, controller);
    const work = this.#lanes.run(
      (ask, withdrawn) => this.#ask(id, ask, withdrawn),
      (client) => client.request(method, JSON.parse(params), { signal }),
      signal,
    );
    const answer = await answerOf(work);
    this.#writes.delete(id);
    this.#tell({ kind: "done", id, answer });
  }

  #ask(id: number, ask: ApprovalRequestParams, withdrawn: AbortSignal): Promise<Verdict> {
    const question = ++this.#lastQuestion;
    return new Promise((resolve) => {
      this.#questions.set(question, resolve);
      withdrawn.addEventListener("abort", () => { this.#decided(question, "cancelled"); });
      this.#tell({ kind: "question", id, question, payload: payloadOf(ask) });
    });
  }

  #decided(question: number, outcome: unknown): void {
    this.#questions.get(question)?.(VERDICTS.includes(outcome) ? (outcome as Verdict) : "cancelled");
    this.#questions.delete(question);
  }

  #tell(message: ToHost): void {
    this.#host.postMessage(message);
  }

  /** Wakes the host's thread, which waits. */
  #answer(call: number, answer: Answer): void {
    this.#answers.postMessage({ call, answer } satisfies Answered);
    Atomics.store(this.#data.flag, 0, 1);
    Atomics.notify(this.#data.flag, 0);
  }
}

/** The payload of the contract, which is less than the question has. */
function payloadOf({ action, track, scope, text, source, count }: ApprovalRequestParams): ApprovalPayload {
  // The entries of a batch have sources of their own.
  const more = action === "seed" ? { count } : { source };
  return { action, track, scope, text, ...more } as ApprovalPayload;
}

const { answers, ...data } = workerData as WorkerData & { readonly answers: MessagePort };
if (parentPort === null) {
  throw new Error("this module is a worker's");
}
await new Worker(data, parentPort, answers).start();
