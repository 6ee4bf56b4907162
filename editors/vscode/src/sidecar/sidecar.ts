/** The window's sidecar: found, started, watched, started again. Implements `Session`. */

import { Calls, type CallOptions } from "keepgate-client/generated/calls.js";
import type { SessionRef } from "keepgate-client/generated/types.js";
import { type Disposable, Emitter } from "../events.js";
import { isProblem, type Program } from "./finder.js";
import { type Incoming, type Link, type OpenLink, serverOf } from "./link.js";
import { CallError, callError, isRecord, NOT_RUNNING, type Problem } from "./problems.js";
import { restartDelayMs, STABLE_AFTER_MS } from "./restarts.js";
import type { Health, RequestHandler, Session, State, Topic } from "./session.js";
import { healthOf, topicsOf } from "./topics.js";

/** What the sidecar needs of its surroundings. */
export interface SidecarOptions {
  readonly find: () => Promise<Program | Problem>;
  readonly open: OpenLink;
  readonly person: SessionRef;
  readonly nowMs: () => number;
  /** Resolves after `ms`, at once when `signal` is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** One line for the log; never the text of a memory. */
  readonly log: (line: string) => void;
}

const TOPICS: readonly Topic[] = ["memory", "facts", "pages", "proposals", "ledger"];

export class Sidecar implements Session {
  readonly calls: Calls;
  readonly person: SessionRef;
  readonly #options: SidecarOptions;
  readonly #states = new Emitter<State>();
  readonly #healths = new Emitter<Health | undefined>();
  readonly #changes = new Emitter<Topic>();
  readonly #listeners = new Map<string, Emitter<unknown>>();
  readonly #handlers = new Map<string, RequestHandler>();
  #state: State = { kind: "idle", reason: "no-folder" };
  #health: Health | undefined;
  #link: Link | undefined;
  /** Aborted when what runs is no longer wanted; undefined while nothing is to run. */
  #wanted: AbortController | undefined;
  /** Everything that starts or ends a process, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: SidecarOptions) {
    this.#options = options;
    this.person = options.person;
    this.calls = new Calls({
      request: (method, params, callOptions) => this.#request(method, params, callOptions),
    });
  }

  get state(): State {
    return this.#state;
  }

  get health(): Health | undefined {
    return this.#health;
  }

  readonly onState = (listener: (state: State) => void): Disposable => this.#states.event(listener);
  readonly onHealth = (listener: (health: Health | undefined) => void): Disposable => this.#healths.event(listener);
  readonly onDidChange = (listener: (topic: Topic) => void): Disposable => this.#changes.event(listener);

  onNotification(method: string, listener: (params: unknown) => void): Disposable {
    let emitter = this.#listeners.get(method);
    if (emitter === undefined) this.#listeners.set(method, (emitter = new Emitter<unknown>()));
    return emitter.event(listener);
  }

  onRequest(method: string, handler: RequestHandler): Disposable {
    this.#handlers.set(method, handler);
    return { dispose: () => void this.#handlers.delete(method) };
  }

  notify(method: string, params: unknown): void {
    this.#link?.notify(method, params);
  }

  /** Run a sidecar from now on; one that runs goes on. */
  start(): void {
    if (this.#wanted !== undefined) return;
    const wanted = (this.#wanted = new AbortController());
    void this.#then(() => this.#run(wanted.signal));
  }

  /** End it and run none until the next start. Resolves when the process is gone. */
  stop(reason: "no-folder" | "stopped" = "stopped"): Promise<void> {
    this.#wanted?.abort();
    this.#wanted = undefined;
    return this.#then(async () => {
      await this.#close();
      this.#become({ kind: "idle", reason });
    });
  }

  async restart(): Promise<void> {
    const stopped = this.stop();
    this.start();
    await stopped;
    await this.#work;
  }

  #then(step: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(step);
    return this.#work;
  }

  async #run(signal: AbortSignal, failures = 0): Promise<void> {
    if (signal.aborted) return;
    this.#become({ kind: "starting" });
    const problem = await this.#open(signal, failures);
    if (problem === undefined || isOff(signal)) return;
    if (problem.kind === "ended") this.#again(signal, failures, problem);
    else this.#become({ kind: "failed", problem });
  }

  /** Undefined when it runs. */
  async #open(signal: AbortSignal, failures: number): Promise<Problem | undefined> {
    const program = await this.#options.find();
    if (isProblem(program)) return program;
    this.#options.log(`starting ${program.command} (from ${program.from})`);
    const since = this.#options.nowMs();
    try {
      const opened = await this.#options.open(program, this.#incoming(signal, since, failures), signal);
      const server = serverOf(opened.initializeResult, program);
      if ("kind" in server) {
        await opened.link.close();
        return server;
      }
      // Also where it is no longer wanted: whoever stops it closes what is open.
      this.#link = opened.link;
      this.#options.log(`keepgate ${server.version} runs`);
      this.#become({ kind: "running", server });
      for (const topic of TOPICS) this.#changes.fire(topic);
      return undefined;
    } catch (error) {
      return problemOf(program, error);
    }
  }

  #incoming(signal: AbortSignal, since: number, failures: number): Incoming {
    return {
      request: (method, params, given) => this.#answer(method, params, given),
      notification: (method, params) => {
        this.#notified(method, params);
      },
      lost: () => {
        if (signal.aborted || this.#link === undefined) return;
        this.#link = undefined;
        const stable = this.#options.nowMs() - since >= STABLE_AFTER_MS;
        this.#again(signal, stable ? 0 : failures, ENDED);
      },
    };
  }

  #again(signal: AbortSignal, failures: number, problem: Problem): void {
    const delay = restartDelayMs(failures);
    this.#hear(undefined);
    if (delay === undefined) {
      this.#become({ kind: "failed", problem: { ...problem, steps: ["restart", "show-log"] } });
      return;
    }
    this.#options.log(`keepgate ended; it is started again in ${delay} ms`);
    this.#become({ kind: "waiting", restartInMs: delay, problem });
    void this.#options.pause(delay, signal).then(() => this.#then(() => this.#run(signal, failures + 1)));
  }

  async #close(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#hear(undefined);
    await link?.close();
  }

  async #request(method: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
    if (this.#link === undefined) throw new CallError(NOT_RUNNING, "keepgate does not run in this window");
    try {
      return await this.#link.request(method, params, options?.signal);
    } catch (error) {
      throw callError(error);
    }
  }

  async #answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) throw new Error(`nobody here answers ${method}`);
    return handler(params, signal);
  }

  #notified(method: string, params: unknown): void {
    if (method === "keepgate/status") this.#hear(healthOf(params));
    this.#listeners.get(method)?.fire(params);
    for (const topic of topicsOf(method)) this.#changes.fire(topic);
  }

  #hear(health: Health | undefined): void {
    this.#health = health;
    this.#healths.fire(health);
  }

  #become(state: State): void {
    this.#state = state;
    this.#states.fire(state);
  }
}

/** In a function, since the compiler takes a signal for one that never changes. */
function isOff(signal: AbortSignal): boolean {
  return signal.aborted;
}

const ENDED: Problem = { kind: "ended", message: "keepgate ended unexpectedly.", steps: ["restart", "show-log"] };

/** A fault of `initialize` is the sidecar's word and stays; a process that ended is tried again. */
function problemOf(program: Program, error: unknown): Problem {
  const fault = callError(error);
  if (fault.code === "STORE_BUSY") return { ...ENDED, message: fault.message };
  if (fault.code !== "INTERNAL") {
    const advice = fault.suggestion === undefined ? "" : ` ${fault.suggestion}`;
    return { kind: "refused", message: `${fault.message}.${advice}`, steps: ["show-log", "open-settings", "restart"] };
  }
  if (isRecord(error) && typeof error["code"] === "string") {
    return {
      kind: "not-started",
      message: `${program.command} could not be started: ${fault.message}`,
      steps: ["open-settings", "show-log"],
    };
  }
  return { ...ENDED, message: `${program.command} ended before it answered.` };
}
