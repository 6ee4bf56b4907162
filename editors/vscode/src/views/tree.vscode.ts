/** A source of nodes as a tree of the editor. */

import * as vscode from "vscode";
import { callError, NOT_RUNNING } from "../sidecar/problems.js";
import { failureText } from "../text/faults.js";
import type { Look, Source } from "./sources/look.js";

const FOLDS = {
  open: vscode.TreeItemCollapsibleState.Expanded,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
} as const;

/** The tree. While `isOn` says no it is empty, so that the editor shows what to do instead. */
export class Tree<N extends object> implements vscode.TreeDataProvider<N>, vscode.Disposable {
  readonly view: vscode.TreeView<N>;
  readonly #source: Source<N>;
  readonly #isOn: () => boolean;
  readonly #changes = new vscode.EventEmitter<N | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;

  constructor(id: string, source: Source<N>, isOn: () => boolean, canSelectMany = false) {
    this.#source = source;
    this.#isOn = isOn;
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, canSelectMany, showCollapseAll: true });
  }

  /** Have the editor ask again; the answers are there already. */
  refresh(): void {
    this.#changes.fire(undefined);
  }

  /** Say in the view what could not be read; an empty text says nothing. */
  complain(problem: string): void {
    this.view.message = problem;
  }

  getTreeItem(node: N): vscode.TreeItem {
    return itemOf(node, this.#source.look(node));
  }

  async getChildren(node?: N): Promise<N[]> {
    if (!this.#isOn()) return [];
    try {
      return [...(await this.#source.children(node))];
    } catch (thrown) {
      if (callError(thrown).code !== NOT_RUNNING) this.complain(failureText(thrown));
      return [];
    }
  }

  dispose(): void {
    this.view.dispose();
    this.#changes.dispose();
  }
}

function itemOf(node: object, look: Look): vscode.TreeItem {
  const folds = look.folds === undefined ? vscode.TreeItemCollapsibleState.None : FOLDS[look.folds];
  const item = new vscode.TreeItem(look.label, folds);
  item.id = look.id;
  // Plain strings: a MarkdownString would draw what agents wrote.
  item.tooltip = look.tooltip ?? look.label;
  if (look.description !== undefined) item.description = look.description;
  if (look.icon !== undefined) {
    const color = look.color === undefined ? undefined : new vscode.ThemeColor(look.color);
    item.iconPath = new vscode.ThemeIcon(look.icon, color);
  }
  if (look.menu !== undefined) item.contextValue = look.menu;
  if (look.spoken !== undefined) item.accessibilityInformation = { label: look.spoken };
  if (look.command !== undefined) item.command = { command: look.command, title: "Open", arguments: [node] };
  return item;
}
