/** The extension's two doors: its parts are put together here, and end here. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { Desk } from "./approval/desk.vscode.js";
import { Questions } from "./approval/questions.js";
import { startViews } from "./commands/start.vscode.js";
import { isAllowed } from "./languageModel/models.vscode.js";
import { isFolder, languageClientLinks } from "./sidecar/languageClient.vscode.js";
import { findProgram } from "./sidecar/finder.js";
import { announcement } from "./sidecar/link.js";
import { Sidecar } from "./sidecar/sidecar.js";
import { explain, explainFailures, install } from "./sidecar/steps.vscode.js";
import { optionsNow, SECTION, surroundings } from "./sidecar/surroundings.vscode.js";
import { pause } from "./sidecar/restarts.js";
import { PASSED_ON } from "./sidecar/settings.js";
import { statusBar } from "./statusBar/item.vscode.js";

let running: Sidecar | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("keepgate", { log: true });
  const sidecar = new Sidecar({
    find: () => findProgram(surroundings()),
    open: languageClientLinks(log, () => ({ options: optionsNow(), experimental: announcement(isAllowed(context)) })),
    person: { id: `vscode-${randomUUID()}` },
    nowMs: Date.now,
    pause,
    log: (line) => {
      log.info(line);
    },
  });
  running = sidecar;
  const questions = new Questions(sidecar);
  const desk = new Desk(sidecar, questions);
  context.subscriptions.push(
    log,
    questions,
    desk,
    statusBar(sidecar, questions),
    explainFailures(sidecar),
    startViews(sidecar, context),
    ...watching(sidecar),
    ...commands(sidecar, desk, log),
  );
  followFolders(sidecar);
}

/** Ends the sidecar: the editor waits for it. Wishes that are open stay in the inbox. */
export async function deactivate(): Promise<void> {
  await running?.stop();
  running = undefined;
}

/** What the sidecar is told of the window, and what makes it start, end or start anew. */
function watching(sidecar: Sidecar): readonly vscode.Disposable[] {
  const active = (): void => {
    if (vscode.window.state.focused) sidecar.notify("session/active", {});
  };
  return [
    vscode.window.onDidChangeWindowState(active),
    vscode.Disposable.from(
      sidecar.onState((state) => {
        if (state.kind === "running") active();
      }),
    ),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      followFolders(sidecar);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const named = ["path", ...Object.keys(PASSED_ON)].map((name) => `${SECTION}.${name}`);
      if (named.some((name) => event.affectsConfiguration(name))) void restart(sidecar);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (sidecar.state.kind === "failed") void restart(sidecar);
    }),
  ];
}

/** A window without a folder has no workspace, and no sidecar. */
function followFolders(sidecar: Sidecar): void {
  if (hasFolder()) sidecar.start();
  else void sidecar.stop("no-folder");
}

async function restart(sidecar: Sidecar): Promise<void> {
  if (hasFolder()) await sidecar.restart();
  else void vscode.window.showInformationMessage("keepgate starts when a folder is open.");
}

function hasFolder(): boolean {
  return vscode.workspace.workspaceFolders?.some(isFolder) === true;
}

function commands(sidecar: Sidecar, desk: Desk, log: vscode.LogOutputChannel): readonly vscode.Disposable[] {
  const all: Readonly<Record<string, (argument: unknown) => unknown>> = {
    "keepgate.restart": () => restart(sidecar),
    "keepgate.showLog": () => {
      log.show();
    },
    "keepgate.showProblem": () =>
      sidecar.state.kind === "failed" || sidecar.state.kind === "waiting"
        ? explain(sidecar.state.problem)
        : vscode.commands.executeCommand("keepgate.showLog"),
    "keepgate.install": install,
    "keepgate.openSettings": () => vscode.commands.executeCommand("workbench.action.openSettings", "keepgate"),
    "keepgate.openInbox": () => vscode.commands.executeCommand("keepgate.inbox.focus"),
    "keepgate.nextQuestion": () => desk.next(),
    "keepgate.openQuestion": (id) => (typeof id === "string" ? desk.bring(id) : desk.next()),
    "keepgate.showChange": () => desk.act("look"),
    "keepgate.allowOnce": () => desk.act("allowed-once"),
    "keepgate.allowForSession": () => desk.act("allowed-session"),
    "keepgate.reject": () => desk.act("rejected"),
    "keepgate.decideLater": () => desk.act("later"),
  };
  return Object.entries(all).map(([name, run]) => vscode.commands.registerCommand(name, run));
}
