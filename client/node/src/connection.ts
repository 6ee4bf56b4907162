/** JSON-RPC over two streams, in either framing. */

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { Disconnected, errorOf, invalidInput, isObject, KeepgateError, type Exit } from "./errors.js";
import { encode, frame, Framer, type Framing } from "./framing.js";
import { FRAME_BYTES_MAX, RPC_NUMBERS } from "./generated/codes.js";
import type { CallOptions, Requester } from "./generated/calls.js";
import { errorMember, isId, parse, type Incoming, type MessageId } from "./messages.js";

/** Answers a request of the sidecar; `signal` is aborted when it is withdrawn or the connection ends. */
export type RequestHandler = (params: unknown, signal: AbortSignal) => unknown;

/** Hears of a notification. */
export type NotificationListener = (method: string, params: unknown) => void;

/** The streams of a connection. */
export interface Streams {
  readonly readable: Readable;
  readonly writable: Writable;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const NO_EXIT: Exit = { code: null, signal: null };
/** How long a call that was given up waits for the sidecar to say whether it was in time. */
const CANCEL_GRACE_MS = 5000;

/**
 * One connection. What the other side writes is either followed exactly or the connection ends: a client
 * that skips what it cannot read waits for ever for the answer that was in it.
 */
export class Connection implements Requester {
  /** Settles when the connection is over. */
  readonly ended: Promise<Disconnected>;
  readonly #framing: Framing;
  readonly #framer: Framer;
  readonly #streams: Streams;
  readonly #pending = new Map<MessageId, Pending>();
  readonly #handlers = new Map<string, RequestHandler>();
  readonly #answering = new Map<MessageId, AbortController>();
  readonly #listener: NotificationListener;
  #resolveEnded: (why: Disconnected) => void = () => undefined;
  #ending: Disconnected | undefined;
  #lastId = 0;

  constructor(streams: Streams, framing: Framing, listener: NotificationListener) {
    this.#streams = streams;
    this.#framing = framing;
    this.#framer = new Framer(framing);
    this.#listener = listener;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    streams.readable.on("data", (data: Buffer) => {
      this.#receive(data);
    });
    // The end is the owner's to tell (`end`); a stream that breaks must not become an uncaught exception.
    streams.readable.on("error", () => undefined);
    streams.writable.on("error", () => undefined);
  }

  /** Answers the sidecar's requests for `method` from now on; those without a handler get -32601. */
  handle(method: string, handler: RequestHandler): void {
    this.#handlers.set(method, handler);
  }

  /**
   * Asks and waits for the result. Rejects with `KeepgateError` or `Disconnected`; after an abort with the
   * signal's reason, unless the sidecar answers that it was too late to give the call up.
   */
  async request(method: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    const { signal } = options;
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      // Between streams of one process the answer can come while the question is still being written.
      this.#pending.set(id, { resolve, reject });
      try {
        this.#send({ jsonrpc: "2.0", id, method, params }, `before ${method} could be asked`);
      } catch (error) {
        this.#pending.delete(id);
        throw error;
      }
    });
    return signal === undefined ? answer : this.#abortable(id, answer, signal);
  }

  /** Tells the sidecar something; settles when it has been handed to the system. */
  async notify(method: string, params: unknown): Promise<void> {
    if (!this.#send({ jsonrpc: "2.0", method, params }, `before it could be told ${method}`)) {
      await Promise.race([once(this.#streams.writable, "drain"), this.ended]);
    }
  }

  /** Ends the connection: whatever waits is rejected, whatever is being answered is aborted. */
  end(reason: string, exit: Exit = NO_EXIT, stderr: readonly string[] = []): void {
    if (this.#ending !== undefined) {
      return;
    }
    this.#ending = new Disconnected(reason, exit, stderr);
    for (const { reject } of this.#pending.values()) {
      reject(this.#disconnected("before it answered"));
    }
    for (const controller of this.#answering.values()) {
      controller.abort(this.#ending);
    }
    this.#pending.clear();
    this.#resolveEnded(this.#ending);
  }

  /** Sends the end of input. */
  endInput(): void {
    this.#streams.writable.end();
  }

  async #abortable(id: MessageId, answer: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      this.#tell({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
      timer = setTimeout(() => this.#pending.get(id)?.reject(signal.reason as Error), CANCEL_GRACE_MS);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await answer;
    } catch (error) {
      throw signal.aborted && isCancelled(error) ? signal.reason : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      this.#pending.delete(id);
    }
  }

  #send(message: unknown, moment: string): boolean {
    if (this.#ending !== undefined || !this.#streams.writable.writable) {
      throw this.#disconnected(moment);
    }
    const body = encode(message);
    if (body.length > FRAME_BYTES_MAX) {
      throw invalidInput("$", `has ${body.length} bytes; at most ${FRAME_BYTES_MAX} can be sent`);
    }
    return this.#streams.writable.write(frame(body, this.#framing));
  }

  /** Sends where there is still somebody, and is silent where not. */
  #tell(message: unknown): void {
    if (this.#ending === undefined && this.#streams.writable.writable) {
      this.#send(message, "");
    }
  }

  #receive(data: Buffer): void {
    if (this.#ending !== undefined) {
      return;
    }
    try {
      for (const message of this.#framer.feed(data)) {
        this.#dispatch(parse(message));
      }
    } catch (error) {
      this.end(`the sidecar wrote something that is not a message: ${(error as Error).message}`);
      this.#streams.writable.end();
    }
  }

  #dispatch(message: Incoming): void {
    if (message.kind === "response") {
      this.#answered(message);
    } else if (message.kind === "request") {
      void this.#answer(message.id, message.method, message.params);
    } else if (message.method === "$/cancelRequest") {
      const id = isObject(message.params) ? message.params["id"] : undefined;
      if (isId(id)) {
        this.#answering.get(id)?.abort(new KeepgateError("REQUEST_CANCELLED", "withdrawn", CANCELLED));
      }
    } else {
      this.#listener(message.method, message.params);
    }
  }

  #answered(response: Incoming & { kind: "response" }): void {
    if (response.id === null) {
      // The sidecar could not read one of our messages and cannot say which: an error for all that wait
      // is better than one call that waits for ever.
      const waiting = [...this.#pending.values()];
      this.#pending.clear();
      waiting.forEach(({ reject }) => { reject(errorOf(response.error)); });
      return;
    }
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("error" in response) {
      pending?.reject(errorOf(response.error));
    } else {
      pending?.resolve(response.result);
    }
  }

  async #answer(id: MessageId, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#answering.set(id, controller);
    let outcome: object;
    try {
      const handler = this.#handlers.get(method) ?? unknownMethod(method);
      // A request that was withdrawn is answered at once, whatever its handler still does.
      const result = await Promise.race([handler(params, controller.signal), aborted(controller.signal)]);
      outcome = { result: result ?? null };
    } catch (error) {
      outcome = { error: errorMember(error) };
    }
    this.#answering.delete(id);
    try {
      this.#tell({ jsonrpc: "2.0", id, ...outcome });
    } catch (error) {
      // It is no JSON, or too long to be sent.
      this.#tell({ jsonrpc: "2.0", id, error: errorMember(error) });
    }
  }

  #disconnected(moment: string): Disconnected {
    const { reason, exit, stderr } = this.#ending ?? new Disconnected("the sidecar no longer reads", NO_EXIT, []);
    return new Disconnected(`${reason} ${moment}`.trim(), exit, stderr);
  }
}

const CANCELLED = { number: RPC_NUMBERS.REQUEST_CANCELLED };

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => { reject(signal.reason as Error); }, { once: true });
  });
}

function isCancelled(error: unknown): boolean {
  return error instanceof KeepgateError && error.code === "REQUEST_CANCELLED";
}

function unknownMethod(method: string): RequestHandler {
  return () => {
    const parts = { number: RPC_NUMBERS.METHOD_NOT_FOUND };
    throw new KeepgateError("METHOD_NOT_FOUND", `the client does not know ${method}`, parts);
  };
}
