/** The views and commands of a window, put together. */

import * as vscode from "vscode";
import { LanguageModels } from "../languageModel/models.vscode.js";
import type { Session } from "../sidecar/session.js";
import { offer } from "../views/editing/drifting.vscode.js";
import { Views } from "../views/window.vscode.js";
import { ADDING_ACTS } from "./adding.vscode.js";
import { ASKING_ACTS } from "./asking.vscode.js";
import { INBOX_ACTS } from "./inbox.vscode.js";
import { LEDGER_ACTS } from "./ledger.vscode.js";
import { MEMORY_ACTS } from "./memories.vscode.js";
import { type Desk, register } from "./running.vscode.js";
import { WHOLE_ACTS } from "./whole.vscode.js";

/** Shows the views and registers their commands, until it is disposed of. */
export function startViews(session: Session, context: vscode.ExtensionContext): vscode.Disposable {
  const views = new Views(session, context.workspaceState, (uri, saved) => void offer(views, uri, saved));
  const models = new LanguageModels(session, context);
  const desk: Desk = { views, models };
  const acts = {
    ...MEMORY_ACTS,
    ...ADDING_ACTS,
    ...INBOX_ACTS,
    ...LEDGER_ACTS,
    ...WHOLE_ACTS,
    ...ASKING_ACTS,
  };
  return vscode.Disposable.from(views, models, register(desk, acts));
}
