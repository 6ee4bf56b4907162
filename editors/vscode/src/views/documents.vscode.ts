/** Read-only documents: what is stored and how it came to be, as plain text. */

import * as vscode from "vscode";
import { failureText } from "../text/faults.js";

export const SCHEME = "keepgate-view";
const LANGUAGE = "keepgate-view";
const ID_IN_TITLE = 8;
/** So many texts of their own are kept; an older one has to be asked for again. */
const FIXED_KEPT = 30;

/** Writes the text of one kind of document for an id. */
export type Writer = (id: string) => Promise<string>;

/** Opens them. Those of a writer are written anew when something changed; a page of its own stays as it was. */
export class ViewDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #writers: Readonly<Record<string, Writer>>;
  readonly #fixed = new Map<string, string>();
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #own: readonly { dispose(): unknown }[];
  readonly onDidChange = this.#changes.event;
  #count = 0;

  constructor(writers: Readonly<Record<string, Writer>>) {
    this.#writers = writers;
    this.#own = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      this.#changes,
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const fixed = this.#fixed.get(uri.toString());
    if (fixed !== undefined) return fixed;
    const [, kind = "", id = ""] = uri.path.split("/");
    const write = this.#writers[kind];
    if (write === undefined) return "This document is no longer kept. Ask for it again.\n";
    try {
      return await write(decodeURIComponent(id));
    } catch (thrown) {
      return `${failureText(thrown)}\n`;
    }
  }

  /** Open the document of a writer. */
  async open(kind: string, title: string, id: string): Promise<void> {
    const name = id.slice(0, ID_IN_TITLE);
    const path = `/${kind}/${encodeURIComponent(id)}/${name === "" ? title : `${title} ${name}`}`;
    await this.#show(vscode.Uri.from({ scheme: SCHEME, path }));
  }

  /** Open a text that stays as it is. */
  async openFixed(title: string, text: string, language = LANGUAGE): Promise<vscode.Uri> {
    const uri = this.fixed(title, text);
    await this.#show(uri, language);
    return uri;
  }

  /** The address of a text that stays as it is. */
  fixed(title: string, text: string): vscode.Uri {
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/fixed/${this.#count}/${title}` });
    this.#fixed.set(uri.toString(), text);
    const [oldest] = this.#fixed.keys();
    if (oldest !== undefined && this.#fixed.size > FIXED_KEPT) this.#fixed.delete(oldest);
    return uri;
  }

  /** Write those that are open anew. */
  renew(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === SCHEME && !this.#fixed.has(document.uri.toString())) {
        this.#changes.fire(document.uri);
      }
    }
  }

  dispose(): void {
    for (const own of this.#own) own.dispose();
  }

  async #show(uri: vscode.Uri, language = LANGUAGE): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

/** Close the tab of a document. */
export async function closeTab(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString());
  await vscode.window.tabGroups.close(ours, true);
}
