/** The typed client: `await using memory = await Client.spawn({ workspace: "." })`. */

import { ClientAdapters } from "./adapters.js";
import { answer, type Approver } from "./approver.js";
import { Connection, type Streams } from "./connection.js";
import type { Disconnected } from "./errors.js";
import type { Framing } from "./framing.js";
import { Calls, type CallOptions } from "./generated/calls.js";
import type {
  ApprovalRequestParams,
  Completion,
  KeepgateCapabilities,
  LanguageModelRequest,
  Notifications,
  SessionOpenResult,
  SessionRef,
  Settings,
} from "./generated/types.js";
import { announced, initializeParams, type ClientInfo } from "./handshake.js";
import { Listeners, type ProgressListener } from "./listeners.js";
import { SidecarProcess, type Command } from "./process.js";

/** What every connection can be told. */
export interface ConnectOptions {
  /** The folder of the work: a path or a URI. */
  readonly workspace?: string | undefined;
  /** More folders, after it. */
  readonly workspaces?: readonly string[] | undefined;
  /** Asks a person. With it, the client announces that it can; without, wishes wait in the inbox. */
  readonly approver?: Approver | undefined;
  /** Answers `languageModel/complete`. With it, the client announces that it can. */
  readonly languageModel?:
    | ((request: LanguageModelRequest, context: { readonly signal: AbortSignal }) => Completion | Promise<Completion>)
    | undefined;
  /** Opened as the default of every call. */
  readonly session?: SessionRef | undefined;
  readonly initializationOptions?: Settings | undefined;
  readonly framing?: Framing | undefined;
  readonly clientInfo?: ClientInfo | undefined;
}

/** How a sidecar is started. */
export interface SpawnOptions extends ConnectOptions {
  /** The program and its arguments; default `keepgate serve`, found on PATH. */
  readonly command?: Command | undefined;
  /** Laid over this process's environment; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Hears what the sidecar writes on stderr; nothing of it is printed. */
  readonly stderr?: ((text: string) => void) | undefined;
}

const COMMAND: Command = ["keepgate", "serve"];
const CLIENT_INFO: ClientInfo = { name: "keepgate-client-node" };
const START_MS = 60_000;
const GRACE_MS = 5000;

/**
 * A sidecar and the typed calls to it.
 *
 * Calls reject with `KeepgateError` for what the sidecar refuses and with `Disconnected` when it is gone.
 */
export class Client extends Calls {
  /** The adapters that run in this client. */
  readonly adapters: ClientAdapters;
  /** Settles, with how, when the connection is over. */
  readonly ended: Promise<Disconnected>;
  readonly #connection: Connection;
  readonly #listeners: Listeners;
  readonly #process: SidecarProcess | undefined;
  #capabilities: KeepgateCapabilities | undefined;
  #defaultSession: SessionOpenResult | undefined;
  #closing: Promise<void> | undefined;

  private constructor(streams: Streams, options: ConnectOptions, process?: SidecarProcess) {
    const listeners = new Listeners();
    const connection = new Connection(streams, options.framing ?? "lsp", listeners.tell);
    super(connection);
    this.adapters = new ClientAdapters(connection, this);
    this.ended = connection.ended;
    this.#connection = connection;
    this.#listeners = listeners;
    this.#process = process;
    this.#answerRequests(options);
  }

  /**
   * Starts a sidecar and introduces this client.
   *
   * Rejects with the system's error when the command cannot be started, with `Disconnected` when it ends
   * early, with a `TimeoutError` when it does not answer within a minute, and with the fault of a store
   * that cannot be opened. Nothing is left behind then.
   */
  static async spawn(options: SpawnOptions = {}): Promise<Client> {
    const { command = COMMAND, env, stderr } = options;
    const process = await SidecarProcess.start({ command, env, stderr });
    const client = new Client(process, options, process);
    void process.over.then((exit) => {
      client.#connection.end("the sidecar has ended", exit, process.lastWords());
    });
    return client.#introduced(options);
  }

  /** Speaks with a sidecar over streams that exist already; `close` ends the writable one. */
  static async connect(streams: Streams, options: ConnectOptions = {}): Promise<Client> {
    const { readable, writable } = streams;
    const client = new Client(streams, options);
    const outputEnded = (): void => { client.#connection.end("the sidecar's output ended"); };
    const inputBroke = (): void => { client.#connection.end("the sidecar's input broke"); };
    for (const event of ["end", "close", "error"]) {
      readable.once(event, outputEnded);
    }
    writable.once("error", inputBroke);
    // One that was ended, and closes then, is no fault: what was asked before may still be answered.
    writable.once("close", () => { if (!writable.writableFinished) inputBroke(); });
    if (readable.readableEnded || readable.destroyed) {
      outputEnded();
    }
    return client.#introduced(options);
  }

  /** What the sidecar announced: methods, workspaces with their keys, the store's path. */
  get capabilities(): KeepgateCapabilities {
    if (this.#capabilities === undefined) {
      throw new Error("the sidecar has not introduced itself yet");
    }
    return this.#capabilities;
  }

  /** Where `options.session` was filed; nothing without one. */
  get defaultSession(): SessionOpenResult | undefined {
    return this.#defaultSession;
  }

  /** The sidecar's process id; nothing for streams of somebody else's. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** What the sidecar wrote on stderr so far, at most the last 256 Ki characters. */
  get stderr(): string {
    return this.#process?.stderr ?? "";
  }

  /** Calls any method with any params. */
  request(method: string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#connection.request(method, params, options);
  }

  /** Sends a notification, for instance `session/active`. Rejects with `Disconnected`. */
  notify(method: string, params: unknown = {}): Promise<void> {
    return this.#connection.notify(method, params);
  }

  /** Calls `listener` for each notification of the sidecar; returns the function that withdraws it. */
  on<M extends keyof Notifications>(method: M, listener: (params: Notifications[M]) => void): () => void {
    return this.#listeners.add(method, listener as (params: unknown) => void);
  }

  /** The same for any notification, such as `window/logMessage`. */
  onNotification(method: string, listener: (params: unknown) => void): () => void {
    return this.#listeners.add(method, listener);
  }

  /** Calls `listener` with each `value` of `$/progress` for the `workDoneToken` of a call. */
  onProgress(token: string | number, listener: ProgressListener): () => void {
    return this.#listeners.addProgress(token, listener);
  }

  /** Takes leave and ends the process, by force after a grace. May be called again, and after its end. */
  close(): Promise<void> {
    this.#closing ??= this.#leave();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #answerRequests({ approver, languageModel }: ConnectOptions): void {
    this.#connection.handle("window/workDoneProgress/create", () => null);
    if (approver !== undefined) {
      this.#connection.handle("approval/request", async (params, signal) => {
        const ask = params as ApprovalRequestParams;
        // Otherwise other windows are asked as well.
        await this.notify("approval/shown", { id: ask.id });
        return answer(approver, ask, signal);
      });
    }
    if (languageModel !== undefined) {
      this.#connection.handle("languageModel/complete", (params, signal) =>
        languageModel(params as LanguageModelRequest, { signal }),
      );
    }
  }

  async #introduced(options: ConnectOptions): Promise<this> {
    const { workspace, workspaces = [], session } = options;
    const params = initializeParams({
      folders: workspace === undefined ? workspaces : [workspace, ...workspaces],
      clientInfo: options.clientInfo ?? CLIENT_INFO,
      settings: options.initializationOptions,
      answersApprovals: options.approver !== undefined,
      completes: options.languageModel !== undefined,
    });
    try {
      const signal = AbortSignal.timeout(START_MS);
      this.#capabilities = announced(await this.#connection.request("initialize", params, { signal }));
      await this.notify("initialized");
      if (session !== undefined) {
        this.#defaultSession = await this.sessionOpen({ ...session, agentPreset: session.agentPreset ?? "", default: true });
      }
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #leave(): Promise<void> {
    try {
      await this.#connection.request("shutdown", undefined, { signal: AbortSignal.timeout(GRACE_MS) });
      await this.notify("exit", undefined);
    } catch {
      // It is gone, or does not listen; the end of its input tells it as well.
    }
    if (this.#process === undefined) {
      this.#connection.end("the connection was closed");
      this.#connection.endInput();
    } else {
      const exit = await this.#process.stop(GRACE_MS);
      this.#connection.end("the connection was closed", exit, this.#process.lastWords());
    }
  }
}
