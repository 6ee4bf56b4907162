/** The questions of this window: put by the sidecar or brought from the inbox, kept until somebody decides. Pure. */

import type { ApprovalAnswer, ApprovalRequestParams } from "keepgate-client/generated/types.js";
import { type Disposable, Emitter } from "../events.js";
import { callError, type CallError } from "../sidecar/problems.js";
import type { Session } from "../sidecar/session.js";

export type Decision = "allowed-once" | "allowed-session" | "rejected";

/** Why a question is no longer open here. */
export type End = "decided" | "later" | "elsewhere";

/** One question that is open in this window. */
export interface Open {
  readonly question: ApprovalRequestParams;
  /** Whether somebody waits for this window's answer; else it is decided as a proposal of the inbox. */
  readonly awaited: boolean;
}

/** A question that ended, and a sentence where the person should know more. */
export interface Ended {
  readonly id: string;
  readonly end: End;
  readonly note: string | undefined;
}

interface Held extends Open {
  readonly settle: { answer(answer: ApprovalAnswer): void; refuse(reason: Error): void } | undefined;
}

/** Keeps what is open. Nothing here times out, and nothing but {@link decide} decides. */
export class Questions implements Disposable {
  readonly #session: Session;
  readonly #held = new Map<string, Held>();
  readonly #changes = new Emitter<void>();
  readonly #ends = new Emitter<Ended>();
  readonly #own: readonly Disposable[];
  /** Those of the inbox whose decision is on its way. */
  readonly #deciding = new Set<string>();
  #pending: readonly string[] = [];

  constructor(session: Session) {
    this.#session = session;
    this.#own = [
      session.onRequest("approval/request", (params, signal) => this.#ask(params as ApprovalRequestParams, signal)),
      session.onDidChange((topic) => {
        if (topic === "proposals") void this.refresh();
      }),
      session.onState((state) => {
        if (state.kind !== "running") this.#lose();
      }),
    ];
  }

  readonly onDidChange = (listener: () => void): Disposable => this.#changes.event(listener);
  readonly onDidEnd = (listener: (ended: Ended) => void): Disposable => this.#ends.event(listener);

  /** Those that are open here, the awaited ones first, each in the order in which they came. */
  get open(): readonly Open[] {
    const all = [...this.#held.values()];
    return [...all.filter((held) => held.awaited), ...all.filter((held) => !held.awaited)];
  }

  /** How many wishes wait for a person in the workspaces of this window, open here or not. */
  get waiting(): number {
    return new Set([...this.#pending, ...this.#held.keys()]).size;
  }

  find(id: string): Open | undefined {
    return this.#held.get(id);
  }

  /**
   * The question to put next: an open one, else the oldest of the inbox; undefined when nothing waits.
   * Rejects with a `CallError`.
   */
  async next(): Promise<Open | undefined> {
    const [first] = this.open;
    if (first !== undefined) return first;
    await this.refresh();
    for (const id of this.#pending) {
      const brought = await this.bring(id);
      if (brought !== undefined) return brought;
    }
    return undefined;
  }

  /** Open a wish of the inbox. Undefined when it can no longer be decided here. Rejects with a `CallError`. */
  async bring(id: string): Promise<Open | undefined> {
    const { ask } = await this.#session.calls.proposalsGet({ id, session: null });
    const held = this.#held.get(id);
    if (held?.awaited === true) return held;
    if (ask === null) {
      this.#end(id, "elsewhere", undefined);
      return undefined;
    }
    const brought = left({ question: ask, awaited: false });
    this.#held.set(id, brought);
    this.#changes.fire();
    return brought;
  }

  /**
   * The person's decision about what `open` showed. Where the change is no longer what was shown, nothing is
   * decided, and the result is the question to show now. Rejects with a `CallError` when the decision could not
   * be made; the question stays open then, unless the sidecar says that the change can no longer be made.
   */
  async decide(open: Open, decision: Decision): Promise<Open | undefined> {
    const held = this.#held.get(open.question.id);
    if (held?.question.hash !== open.question.hash) return held;
    if (held.settle !== undefined) {
      this.#end(held.question.id, "decided", undefined);
      held.settle.answer({ outcome: decision, hash: held.question.hash });
      return undefined;
    }
    return this.#decideInInbox(held, decision);
  }

  /** Leave it undecided: it stays in the inbox, where it can be decided while its caller still waits, and after. */
  later(open: Open): void {
    const held = this.#held.get(open.question.id);
    if (held === undefined) return;
    this.#end(held.question.id, "later", undefined);
    held.settle?.refuse(new Error("the person decides later"));
  }

  /** Look again at what waits. A failure keeps what was known: the next notification asks again. */
  async refresh(): Promise<void> {
    if (this.#session.state.kind === "running") await this.#list().catch(() => undefined);
    this.#changes.fire();
  }

  dispose(): void {
    for (const own of this.#own) own.dispose();
    this.#changes.dispose();
    this.#ends.dispose();
  }

  async #list(): Promise<void> {
    const { proposals } = await this.#session.calls.proposalsList({ status: "pending", session: null });
    this.#pending = proposals.map((proposal) => proposal.id);
    for (const held of this.#held.values()) {
      const { id } = held.question;
      // What is being decided here is told of before its own answer comes.
      if (held.awaited || this.#pending.includes(id) || this.#deciding.has(id)) continue;
      this.#end(id, "elsewhere", "The wish was decided elsewhere, or withdrawn.");
    }
  }

  #ask(question: ApprovalRequestParams, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      const held: Held = { question, awaited: true, settle: { answer: resolve, refuse: reject } };
      signal.addEventListener("abort", () => {
        reject(new Error("given up"));
        if (this.#held.get(question.id) !== held) return;
        // Nobody waits here any more. Whether the wish still does, the inbox knows; until then it stays.
        this.#held.set(question.id, left(held));
        void this.refresh();
      });
      if (signal.aborted) return;
      this.#held.set(question.id, held);
      this.#changes.fire();
    });
  }

  async #decideInInbox(held: Held, decision: Decision): Promise<Open | undefined> {
    const { id, hash } = held.question;
    this.#deciding.add(id);
    try {
      if (decision === "rejected") await this.#session.calls.proposalsDismiss({ id });
      else await this.#session.calls.proposalsApprove({ id, hash });
    } catch (error) {
      return await this.#notDecided(held, callError(error));
    } finally {
      this.#deciding.delete(id);
    }
    this.#end(id, "decided", undefined);
    return undefined;
  }

  async #notDecided(held: Held, fault: CallError): Promise<Open | undefined> {
    const { id } = held.question;
    if (fault.code === "WRITE_DENIED" && fault.details["reason"] === "changed") return this.bring(id);
    if (STAYS.has(fault.code)) throw fault;
    this.#end(id, "elsewhere", fault.code === "PROPOSAL_NOT_FOUND" ? "It was decided elsewhere." : fault.message);
    return undefined;
  }

  /** The sidecar is gone, and with it whoever waited; the wishes are in the store. They are looked at again. */
  #lose(): void {
    for (const [id, held] of this.#held) this.#held.set(id, left(held));
    this.#changes.fire();
  }

  #end(id: string, end: End, note: string | undefined): void {
    this.#pending = this.#pending.filter((pending) => pending !== id || end === "later");
    if (!this.#held.delete(id)) return;
    this.#changes.fire();
    this.#ends.fire({ id, end, note });
  }
}

/** The same question with nobody who waits for this window's answer: leave for the session has no taker then. */
function left(held: Open): Held {
  return { question: { ...held.question, queue: [], forSession: false }, awaited: false, settle: undefined };
}

/** Faults after which the same decision may still succeed. */
const STAYS = new Set(["STORE_BUSY", "STORE_FULL", "STORE_READ_ONLY", "NOT_RUNNING", "INTERNAL", "WRITE_DENIED"]);
