/** The change of a question as read-only documents: a difference where something is replaced, else one text. */

import * as vscode from "vscode";
import { headline, shown } from "./change.js";
import type { Open } from "./questions.js";

export const SCHEME = "keepgate-change";
/** A language of its own, without colours: it has long lines wrapped, which memories often are. */
const LANGUAGE = "keepgate-change";

/** Opens and closes them, and knows which question a document is of. */
export class ChangeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "This question is closed.\n";
  }

  /** Show the change of a question in a tab, the one that has it already where there is one. */
  async show(open: Open, preserveFocus: boolean): Promise<void> {
    const { question } = open;
    const change = shown(question);
    const title = `keepgate: ${headline(question)}`;
    const options: vscode.TextDocumentShowOptions = { preview: false, preserveFocus };
    if (change.kind === "whole") {
      const uri = await this.#document(open, "change", title, change.text);
      await vscode.window.showTextDocument(uri, options);
      return;
    }
    const before = await this.#document(open, "before", title, change.before);
    const after = await this.#document(open, "after", title, change.after);
    await vscode.commands.executeCommand("vscode.diff", before, after, title, options);
  }

  /** Close every tab of a question. */
  async close(id: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => questionOf(tab) === id), true);
    for (const uri of this.#texts.keys()) {
      if (idOf(vscode.Uri.parse(uri)) === id) this.#texts.delete(uri);
    }
  }

  /** The question whose change the person looks at in the active tab. */
  get active(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab === undefined ? undefined : questionOf(tab);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #document(open: Open, side: string, title: string, text: string): Promise<vscode.Uri> {
    // The hash in the address: a change that was asked again with another content has other documents.
    const { id, hash } = open.question;
    const name = title.replaceAll(/[/\\]/gu, "∕");
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${id}/${hash.slice(0, 16)}/${side}/${name}` });
    this.#texts.set(uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
    return uri;
  }
}

function questionOf(tab: vscode.Tab): string | undefined {
  if (tab.input instanceof vscode.TabInputTextDiff) return idOf(tab.input.modified);
  return tab.input instanceof vscode.TabInputText ? idOf(tab.input.uri) : undefined;
}

function idOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === SCHEME ? uri.path.split("/")[1] : undefined;
}
