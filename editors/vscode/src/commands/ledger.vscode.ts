/** Looking back: rows, one session's rows, undo, and whether the ledger proves the store. */

import * as vscode from "vscode";
import type { AuditRow } from "keepgate-client";
import { ago } from "../text/moments.js";
import { named, withoutIcons } from "../text/visible.js";
import { undoSummary, verifyDocument } from "../views/documents/ledger.js";
import { sessionFor } from "../views/models/access.js";
import { undoRow } from "../views/models/undoing.js";
import { isRecord } from "../sidecar/problems.js";
import { type Act, type Desk, tellDone, waiting } from "./running.vscode.js";

interface SessionItem extends vscode.QuickPickItem {
  readonly sessionId: string | undefined;
}

const openLedger: Act = async () => {
  await vscode.commands.executeCommand("keepgate.ledger.focus");
};

const showRow: Act = async (desk, node) => {
  const row = rowOf(node);
  if (row === undefined) await openLedger(desk);
  else await desk.views.documents.open("row", "Ledger row", String(row.seq));
};

const undo: Act = async (desk, node) => {
  const row = rowOf(node);
  if (row === undefined) return openLedger(desk);
  const result = await waiting("waiting for the decision", (signal) => undoRow(desk.views.access, row, signal));
  tellDone(undoSummary(result));
};

const undoSession: Act = async (desk, node) => {
  const sessionId = rowOf(node)?.sessionId ?? (await pickSession(desk, "Undo all that a session wrote"));
  if (sessionId === undefined) return;
  const { access } = desk.views;
  const result = await waiting("waiting for the decision", (signal) =>
    access.calls.undo({ sessionId, session: sessionFor(access, "") }, { signal }),
  );
  void vscode.window.showInformationMessage(`keepgate: ${undoSummary(result)}`);
};

const quarantine: Act = async (desk, node) => {
  const sessionId = rowOf(node)?.sessionId ?? (await pickSession(desk, "Quarantine what a session wrote"));
  if (sessionId === undefined) return;
  const prompt = "Why? What the session wrote is not read any more until you release it.";
  const reason = await vscode.window.showInputBox({ title: "Quarantine a session", prompt, placeHolder: "No reason" });
  if (reason === undefined) return;
  const { access } = desk.views;
  const { entries, facts } = await waiting("waiting for the decision", (signal) =>
    access.calls.quarantine(
      { sessionId, reason: reason.trim() || null, session: sessionFor(access, "") },
      { signal },
    ),
  );
  tellDone(`${entries.length} memories and ${facts.length} facts are in quarantine`);
};

const release: Act = async (desk) => {
  const { access } = desk.views;
  const { sessions } = await access.calls.quarantined({ session: null });
  const items = sessions.map((one) => ({
    label: withoutIcons(named(one.sessionId)),
    description: `${one.entries} memories, ${one.facts} facts, ${ago(one.ts, Date.now())}`,
    ...(one.reason === null ? {} : { detail: withoutIcons(one.reason) }),
    sessionId: one.sessionId,
  }));
  const chosen = await picked(items, "Release from quarantine", "nothing is in quarantine.");
  if (chosen?.sessionId === undefined) return;
  const { sessionId } = chosen;
  await waiting("waiting for the decision", (signal) =>
    access.calls.release({ sessionId, session: sessionFor(access, "") }, { signal }),
  );
  tellDone("what the session wrote is read again");
};

const filter: Act = async (desk, node) => {
  const sessionId = rowOf(node)?.sessionId ?? (await pickSession(desk, "Show the rows of one session"));
  if (sessionId !== undefined) narrow(desk, sessionId);
};

const unfilter: Act = (desk) => {
  narrow(desk, undefined);
  return Promise.resolve();
};

const verify: Act = async (desk) => {
  const title = "comparing the ledger with the store";
  const result = await waiting(title, (signal) => desk.views.access.calls.verify({}, { signal }));
  await desk.views.documents.openFixed(result.ok ? "Verified" : "Not verified", verifyDocument(result));
};

export const LEDGER_ACTS: Readonly<Record<string, Act>> = {
  openLedger,
  showRow,
  undo,
  undoSession,
  quarantineSession: quarantine,
  releaseSession: release,
  filterLedger: filter,
  unfilterLedger: unfilter,
  verifyLedger: verify,
};

function narrow(desk: Desk, sessionId: string | undefined): void {
  const { ledger, ledgerTree } = desk.views;
  ledger.filter(sessionId);
  ledgerTree.view.description = sessionId === undefined ? "" : `session ${named(sessionId)}`;
  void vscode.commands.executeCommand("setContext", "keepgate.ledgerFiltered", sessionId !== undefined);
}

/** The sessions of the rows that were read, newest first. */
async function pickSession(desk: Desk, title: string): Promise<string | undefined> {
  const rows = desk.views.ledger.rows;
  const known = new Map<string, AuditRow>();
  for (const row of rows) {
    if (row.sessionId !== null && !known.has(row.sessionId)) known.set(row.sessionId, row);
  }
  const items = [...known].map(([sessionId, row]): SessionItem => ({
    label: withoutIcons(named(sessionId)),
    description: `last ${ago(row.ts, Date.now())}`,
    sessionId,
  }));
  return (await picked(items, title, "no session wrote anything that the ledger shows."))?.sessionId;
}

async function picked(items: readonly SessionItem[], title: string, none: string): Promise<SessionItem | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, { title });
  void vscode.window.showInformationMessage(`keepgate: ${none}`);
  return undefined;
}

function rowOf(node: unknown): AuditRow | undefined {
  return isRecord(node) && node["kind"] === "row" ? (node["row"] as AuditRow) : undefined;
}
