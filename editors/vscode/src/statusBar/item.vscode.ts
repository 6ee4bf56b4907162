/** The item in the status bar: how many wishes wait, and whether the sidecar is well. */

import * as vscode from "vscode";
import type { Questions } from "../approval/questions.js";
import type { Session } from "../sidecar/session.js";
import { look } from "./look.js";

const BACKGROUNDS = {
  warning: new vscode.ThemeColor("statusBarItem.warningBackground"),
  error: new vscode.ThemeColor("statusBarItem.errorBackground"),
} as const;

/** Shows the item for as long as it is not disposed of. */
export function statusBar(session: Session, questions: Questions): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("keepgate.status", vscode.StatusBarAlignment.Left, 10);
  item.name = "keepgate";
  const update = (): void => {
    const now = look(session.state, session.health, questions.waiting);
    if (now === undefined) {
      item.hide();
      return;
    }
    item.text = now.text;
    item.tooltip = now.tooltip;
    item.accessibilityInformation = { label: now.tooltip };
    item.backgroundColor = now.background === undefined ? undefined : BACKGROUNDS[now.background];
    item.command = now.command;
    item.show();
  };
  update();
  return vscode.Disposable.from(item, session.onState(update), session.onHealth(update), questions.onDidChange(update));
}
