/** What the person can do when a memory was changed elsewhere while it was edited. */

import * as vscode from "vscode";
import { failureText } from "../../text/faults.js";
import { sessionOf } from "../models/access.js";
import type { Views } from "../window.vscode.js";
import type { Saved } from "./drafts.js";
import { idOf } from "./files.vscode.js";

const COMPARE = "Compare";
const GO_ON = "Go On From It";
const ADD_AGAIN = "Add as New";

/** Say what happened and offer what helps; the person's text stays where it is. */
export async function offer(views: Views, uri: vscode.Uri, saved: Saved): Promise<void> {
  if (saved.kind === "drifted") await offerComparison(views, uri, saved.current);
  if (saved.kind === "gone") await offerNew(views, uri);
}

type Current = Extract<Saved, { kind: "drifted" }>["current"];

async function offerComparison(views: Views, uri: vscode.Uri, current: Current): Promise<void> {
  const text = "keepgate: this memory was changed elsewhere while you edited it. Your text is still here, unsaved.";
  const answer = await vscode.window.showWarningMessage(text, COMPARE, GO_ON);
  if (answer === COMPARE) {
    const stored = views.documents.fixed(`Stored now, version ${current.version}`, current.text);
    await vscode.commands.executeCommand("vscode.diff", stored, uri, "Stored now ↔ your text");
    await offerToGoOn(views, uri, current);
  }
  if (answer === GO_ON) goOn(views, current);
}

async function offerToGoOn(views: Views, uri: vscode.Uri, current: Current): Promise<void> {
  const text = `keepgate: save again to ask for your text in the place of version ${current.version}?`;
  const answer = await vscode.window.showInformationMessage(text, GO_ON);
  if (answer === GO_ON && idOf(uri) === current.id) goOn(views, current);
}

function goOn(views: Views, current: Current): void {
  views.drafts.rebase(current);
  vscode.window.setStatusBarMessage(`keepgate: your next save replaces version ${current.version}`, 8_000);
}

async function offerNew(views: Views, uri: vscode.Uri): Promise<void> {
  const text = "keepgate: this memory was removed while you edited it. Your text is still here, unsaved.";
  const answer = await vscode.window.showWarningMessage(text, ADD_AGAIN);
  const base = views.drafts.base(idOf(uri));
  if (answer !== ADD_AGAIN || base === undefined) return;
  const document = await vscode.workspace.openTextDocument(uri);
  const { access } = views;
  const { track, scope, agentKey } = base;
  try {
    const session = sessionOf(access, base);
    await access.calls.add({ track, scope, agentKey, text: document.getText(), tags: base.tags, session });
  } catch (thrown) {
    void vscode.window.showWarningMessage(`keepgate: ${failureText(thrown)}`);
  }
}
