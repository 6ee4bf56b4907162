/** Commands about all of it: budgets, export, backup, what sessions may do unasked. */

import * as vscode from "vscode";
import type { GrantInfo } from "keepgate-client";
import { ago } from "../text/moments.js";
import { grantWords } from "../text/names.js";
import { named, withoutIcons } from "../text/visible.js";
import { backupDocument } from "../views/documents/backup.js";
import type { More } from "../views/sources/look.js";
import { isRecord } from "../sidecar/problems.js";
import { type Act, tellDone, waiting } from "./running.vscode.js";

interface GrantItem extends vscode.QuickPickItem {
  readonly grant: GrantInfo;
}

const budgets: Act = (desk) => desk.views.documents.open("budgets", "Budgets", "");

const refresh: Act = (desk) => {
  desk.views.renew();
  return Promise.resolve();
};

const more: Act = async (_desk, node) => {
  if (isRecord(node) && node["kind"] === "more") await (node as unknown as More).read();
};

const exportAll: Act = async (desk) => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = "keepgate-memory.json";
  const uri = await vscode.window.showSaveDialog({
    title: "Export the memories of this window and your own",
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: { JSON: ["json"] },
  });
  if (uri === undefined) return;
  const payload = await waiting("exporting", (signal) =>
    desk.views.access.calls.export({ session: null }, { signal }),
  );
  await vscode.workspace.fs.writeFile(uri, Buffer.from(`${JSON.stringify(payload, null, 2)}\n`));
  tellDone("exported; a backup keeps more, see the command “keepgate: How to back up”");
};

const backup: Act = async (desk) => {
  const { storePath } = await desk.views.access.calls.status({});
  await desk.views.documents.openFixed("Backup", backupDocument(storePath));
};

const grants: Act = async (desk) => {
  const { calls } = desk.views.access;
  const { grants: given } = await calls.grantsList({});
  if (given.length === 0) {
    void vscode.window.showInformationMessage("keepgate: no session may write without asking.");
    return;
  }
  const items = given.map((grant): GrantItem => ({
    label: `$(key) ${withoutIcons(grantWords(grant))}`,
    description: withoutIcons(`session ${named(grant.sessionId)}, ${ago(grant.grantedAt, Date.now())}`),
    grant,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "What sessions may do unasked",
    placeHolder: "Choose what is to be asked about again",
    canPickMany: true,
  });
  if (chosen === undefined || chosen.length === 0) return;
  const ended = await Promise.all(chosen.map(({ grant }) => calls.grantsRevoke({ id: grant.id })));
  tellDone(`${ended.filter(({ revoked }) => revoked).length} taken back`);
};

export const WHOLE_ACTS: Readonly<Record<string, Act>> = {
  showBudgets: budgets,
  refresh,
  showMore: more,
  exportMemory: exportAll,
  showBackup: backup,
  showGrants: grants,
};
