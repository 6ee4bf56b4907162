/** Memories as files that can be edited: saving one asks, through the gate, for the new text. */

import * as vscode from "vscode";
import { callError } from "../../sidecar/problems.js";
import { failureText } from "../../text/faults.js";
import type { Drafts, Saved } from "./drafts.js";

export const SCHEME = "keepgate-memory";

/** Told when a save failed because the memory is another now, or gone. */
export type OnDrift = (uri: vscode.Uri, saved: Saved) => void;

/** The file of a memory. */
export function uriOf(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${id}/Memory ${id.slice(0, 8)}.keepgate-memory` });
}

/** The memory of a file. */
export function idOf(uri: vscode.Uri): string {
  return uri.path.split("/")[1] ?? "";
}

export class MemoryFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #drafts: Drafts;
  readonly #onDrift: OnDrift;
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #own: readonly { dispose(): unknown }[];
  readonly onDidChangeFile = this.#changes.event;
  /** Files whose next write comes from the editor's own clock, not from the person. */
  readonly #unasked = new Set<string>();

  constructor(drafts: Drafts, onDrift: OnDrift) {
    this.#drafts = drafts;
    this.#onDrift = onDrift;
    this.#own = [
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        if (document.uri.scheme !== SCHEME) return;
        if (reason === vscode.TextDocumentSaveReason.Manual) this.#unasked.delete(document.uri.toString());
        else this.#unasked.add(document.uri.toString());
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === SCHEME) this.#drafts.close(idOf(uri));
      }),
      this.#changes,
    ];
  }

  /** Look whether open memories were changed elsewhere. Clean ones are read anew; the others keep their text. */
  async renew(): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme !== SCHEME) continue;
      const id = idOf(document.uri);
      const base = this.#drafts.base(id);
      const current = await this.#drafts.current(id).catch(() => undefined);
      if (base === undefined || current === undefined || current.version === base.version) continue;
      if (!document.isDirty) {
        this.#drafts.rebase(current);
        this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri: document.uri }]);
      }
    }
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const entry = await this.#entry(uri);
    const size = Buffer.byteLength(entry.text);
    return { type: vscode.FileType.File, ctime: entry.createdAt, mtime: entry.updatedAt, size };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.#entry(uri)).text);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    if (this.#unasked.delete(uri.toString())) {
      throw vscode.FileSystemError.Unavailable("A memory is saved by hand alone, since saving asks at the gate.");
    }
    const saved = await this.#save(idOf(uri), Buffer.from(content).toString("utf8"));
    switch (saved.kind) {
      case "saved":
        this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
        return;
      case "unchanged":
        return;
      case "drifted":
      case "gone":
        this.#onDrift(uri, saved);
        throw vscode.FileSystemError.Unavailable(DRIFTED[saved.kind]);
      case "waiting":
        throw vscode.FileSystemError.Unavailable("Nobody decided. The change waits in the inbox; your text stays here.");
      case "refused":
        throw vscode.FileSystemError.Unavailable(`${saved.message} Your text stays here.`);
    }
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const own of this.#own) own.dispose();
  }

  async #entry(uri: vscode.Uri): ReturnType<Drafts["read"]> {
    const id = idOf(uri);
    try {
      return this.#drafts.base(id) ?? (await this.#drafts.read(id));
    } catch (thrown) {
      const error = callError(thrown);
      if (error.code === "ENTRY_NOT_FOUND" || error.code === "INVALID_INPUT") {
        throw vscode.FileSystemError.FileNotFound(uri);
      }
      throw vscode.FileSystemError.Unavailable(failureText(error));
    }
  }

  async #save(id: string, text: string): Promise<Saved> {
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true };
    return vscode.window.withProgress({ ...options, title: "keepgate: waiting for the decision" }, (_, token) => {
      const given = new AbortController();
      token.onCancellationRequested(() => {
        given.abort();
      });
      return this.#drafts.save(id, text, given.signal);
    });
  }
}

const DRIFTED = {
  drifted: "The memory was changed elsewhere since you opened it. Your text stays here.",
  gone: "The memory was removed since you opened it. Your text stays here.",
} as const;
