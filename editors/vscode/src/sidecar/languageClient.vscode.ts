/** A link over the editor's language client: it brings workspace folders, progress, diagnostics of pages. */

import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import * as os from "node:os";
import * as vscode from "vscode";
import {
  type CancellationToken,
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  type InitializeParams,
  LanguageClient,
  RevealOutputChannelOn,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Program } from "./finder.js";
import { type Incoming, type Link, NOTIFICATIONS, type OpenLink, type Opened, REQUESTS } from "./link.js";
import { startProcess, untilGone } from "./process.js";

/** What is sent along with `initialize`, looked up at each start. */
export interface Said {
  readonly options: Readonly<Record<string, unknown>>;
  readonly experimental: Readonly<Record<string, unknown>>;
}

/** How long a sidecar may take to answer `initialize`. */
const ANSWER_MS = 60_000;

/** Opens links whose log goes to `log`. */
export function languageClientLinks(log: vscode.LogOutputChannel, said: () => Said): OpenLink {
  return async (program, incoming, signal) => open(program, incoming, signal, log, said());
}

async function open(
  program: Program,
  incoming: Incoming,
  signal: AbortSignal,
  log: vscode.LogOutputChannel,
  said: Said,
): Promise<Opened> {
  const child = await startProcess(program, os.homedir());
  let ours = true;
  const seen = { end: false };
  const client = new Client(log, said, () => Promise.resolve(child), () => {
    seen.end = true;
    if (!ours) incoming.lost();
  });
  listen(client, incoming);
  const end = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", end);
  const timer = setTimeout(end, ANSWER_MS);
  try {
    await client.start();
    // The client counts as started, too, when its process went right after it had answered.
    if (seen.end) throw new Error("keepgate ended while it started");
    ours = false;
  } catch (error) {
    child.kill();
    await untilGone(child);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
  const close = (): Promise<void> => {
    ours = true;
    return leave(client, child);
  };
  return { initializeResult: client.initializeResult, link: linkOf(client, close) };
}

async function leave(client: LanguageClient, child: ChildProcessWithoutNullStreams): Promise<void> {
  // A sidecar that is gone already cannot be told to go.
  await client.dispose().catch(() => undefined);
  child.stdin.end();
  await untilGone(child);
}

function linkOf(client: LanguageClient, close: () => Promise<void>): Link {
  return {
    request: (method, params, given) => request(client, method, params, given),
    notify: (method, params) => void client.sendNotification(method, params).catch(() => undefined),
    close,
  };
}

function listen(client: LanguageClient, incoming: Incoming): void {
  for (const method of NOTIFICATIONS) {
    client.onNotification(method, (params: unknown) => {
      incoming.notification(method, params);
    });
  }
  for (const method of REQUESTS) {
    client.onRequest(method, async (params: unknown, token: CancellationToken) => {
      const { signal, done } = signalOf(token);
      try {
        return await incoming.request(method, params, signal);
      } finally {
        done();
      }
    });
  }
}

async function request(
  client: LanguageClient,
  method: string,
  params: unknown,
  given: AbortSignal | undefined,
): Promise<unknown> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => {
    source.cancel();
  };
  if (given?.aborted === true) cancel();
  given?.addEventListener("abort", cancel);
  try {
    return await client.sendRequest(method, params, source.token);
  } finally {
    given?.removeEventListener("abort", cancel);
    source.dispose();
  }
}

function signalOf(token: CancellationToken): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const listening = token.onCancellationRequested(() => {
    controller.abort();
  });
  const done = (): void => {
    listening.dispose();
  };
  return { signal: controller.signal, done };
}

/** The client with its own ways taken away: the extension says what went wrong, and starts again by itself. */
class Client extends LanguageClient {
  constructor(
    log: vscode.LogOutputChannel,
    said: Said,
    start: () => Promise<ChildProcess>,
    closed: () => void,
  ) {
    super("keepgate", "keepgate", start, {
      outputChannel: log,
      traceOutputChannel: silent(log),
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: said.options,
      initializationFailedHandler: () => false,
      middleware: {
        workspace: {
          didChangeWorkspaceFolders: async (event, next) => {
            const added = event.added.filter(isFolder);
            const removed = event.removed.filter(isFolder);
            if (added.length + removed.length > 0) await next({ added, removed });
          },
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    this.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = said.experimental;
      },
      initialize: () => undefined,
      getState: () => ({ kind: "static" }),
      clear: () => undefined,
    });
  }

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    // The sidecar offers its methods as commands for editors that have nothing else; here they would take names.
    if ("registrationType" in feature && feature.registrationType.method === "workspace/executeCommand") return;
    super.registerFeature(feature);
  }

  override error(message: string): void {
    // The data of an error may quote memories, and a box on top of our own message helps nobody.
    super.error(message, undefined, false);
  }

  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    // Folders that are no files cannot be workspaces of a process on this machine.
    params.workspaceFolders = params.workspaceFolders?.filter((folder) => folder.uri.startsWith("file:")) ?? null;
    const [first] = params.workspaceFolders ?? [];
    Object.assign(params, { rootUri: first?.uri ?? null, rootPath: null });
  }
}

/** Whether a process on this machine can have it as a workspace. */
export function isFolder(folder: vscode.WorkspaceFolder): boolean {
  return folder.uri.scheme === "file";
}

/** A channel that keeps nothing: a trace of messages would hold the text of memories. */
function silent(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const nothing = (): void => undefined;
  return {
    name: log.name,
    logLevel: vscode.LogLevel.Off,
    onDidChangeLogLevel: () => new vscode.Disposable(nothing),
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    append: nothing,
    appendLine: nothing,
    replace: nothing,
    clear: nothing,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the interface has both forms
    show: nothing,
    hide: nothing,
    dispose: nothing,
  };
}
