/** A link over plain pipes, with the framing and the cancellation of the editor's client but without an editor. */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type CancellationToken,
  CancellationTokenSource,
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { announcement, type Link, NOTIFICATIONS, type OpenLink, REQUESTS } from "../../src/sidecar/link.js";
import { startProcess, untilGone } from "../../src/sidecar/process.js";

export interface PlainOptions {
  readonly folders: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Told the process id of each sidecar. */
  readonly started?: (pid: number) => void;
}

export function plainLinks(given: PlainOptions): OpenLink {
  return async (program, incoming, signal) => {
    const child = await startProcess(program, process.cwd(), { ...process.env, ...given.env });
    child.stderr.resume();
    given.started?.(child.pid ?? 0);
    signal.addEventListener("abort", () => child.kill());
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    let ours = true;
    connection.onClose(() => {
      connection.dispose();
      if (!ours) incoming.lost();
    });
    for (const method of NOTIFICATIONS) {
      connection.onNotification(method, (params: unknown) => {
        incoming.notification(method, params);
      });
    }
    for (const method of REQUESTS) {
      connection.onRequest(method, (params: unknown, token: CancellationToken) => {
        const controller = new AbortController();
        token.onCancellationRequested(() => {
          controller.abort();
        });
        return incoming.request(method, params, controller.signal);
      });
    }
    connection.listen();
    try {
      const initializeResult: unknown = await connection.sendRequest("initialize", initializeParams(given));
      await connection.sendNotification("initialized", {});
      ours = false;
      return { initializeResult, link: linkOf(connection, async () => {
        ours = true;
        await leave(connection);
        child.stdin.end();
        await untilGone(child);
      }) };
    } catch (error) {
      child.kill();
      await untilGone(child);
      throw error;
    }
  };
}

function initializeParams(given: PlainOptions): unknown {
  return {
    processId: process.pid,
    clientInfo: { name: "vscode-test", version: "1" },
    rootUri: null,
    workspaceFolders: given.folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })),
    initializationOptions: given.options ?? {},
    capabilities: { experimental: announcement(false), workspace: { workspaceFolders: true } },
  };
}

async function leave(connection: ProtocolConnection): Promise<void> {
  try {
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
  } catch {
    // It is gone already.
  }
}

function linkOf(connection: ProtocolConnection, close: () => Promise<void>): Link {
  return {
    request: async (method, params, signal) => {
      const source = new CancellationTokenSource();
      signal?.addEventListener("abort", () => {
        source.cancel();
      });
      return connection.sendRequest<unknown>(method, params, source.token);
    },
    notify: (method, params) => void connection.sendNotification(method, params).catch(() => undefined),
    close,
  };
}
