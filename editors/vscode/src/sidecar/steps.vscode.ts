/** What is offered when there is no sidecar: install it, look at the settings or the log, start it again. */

import * as vscode from "vscode";
import { withoutLinks } from "../text/visible.js";
import { installers, isKeepgate } from "./install.js";
import type { Problem, Step } from "./problems.js";
import type { Session } from "./session.js";

const TITLES: Readonly<Record<Step, string>> = {
  install: "Install…",
  "open-settings": "Open settings",
  "show-log": "Show log",
  restart: "Try again",
};

const COMMANDS: Readonly<Record<Step, string>> = {
  install: "keepgate.install",
  "open-settings": "keepgate.openSettings",
  "show-log": "keepgate.showLog",
  restart: "keepgate.restart",
};

/** Say what is wrong and offer the next steps. */
export async function explain(problem: Problem): Promise<void> {
  const steps = [...new Set<Step>([...problem.steps, "restart"])];
  const title = await vscode.window.showErrorMessage(withoutLinks(problem.message), ...steps.map((step) => TITLES[step]));
  const step = steps.find((one) => TITLES[one] === title);
  if (step !== undefined) await vscode.commands.executeCommand(COMMANDS[step]);
}

/** Say what is wrong when it begins to be, not at each try. */
export function explainFailures(session: Session): vscode.Disposable {
  return vscode.Disposable.from(
    session.onState((state) => {
      if (state.kind === "failed") void explain(state.problem);
    }),
  );
}

/** The folder of keepgate's repository that the person picks, or undefined. */
async function pickCheckout(): Promise<string | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: "Where is your checkout of the repository of keepgate?",
    openLabel: "Install from here",
    canSelectFiles: false,
    canSelectFolders: true,
  });
  const folder = picked?.[0];
  if (folder === undefined) return undefined;
  try {
    const content = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, "pyproject.toml"));
    if (isKeepgate(new TextDecoder().decode(content))) return folder.fsPath;
  } catch {
    // No such file: no checkout.
  }
  void vscode.window.showErrorMessage("That folder is no checkout of keepgate: its pyproject.toml does not say so.");
  return undefined;
}

/**
 * Ask where a checkout is, show the commands that install from it, and run the chosen one in a terminal, where the
 * person sees it. The extension itself downloads nothing.
 */
export async function install(): Promise<void> {
  const checkout = await pickCheckout();
  if (checkout === undefined) return;
  const ways = installers(process.platform, checkout);
  if (ways.length === 0) {
    void vscode.window.showErrorMessage("The path of that folder holds characters that a shell reads as commands.");
    return;
  }
  const chosen = await vscode.window.showQuickPick(
    ways.map(({ label, command, detail }) => ({ label, description: command, detail, command })),
    {
      title: "Install keepgate: the command runs in a terminal",
      placeHolder: "Choose a command to run, or press Escape. Afterwards: keepgate: Restart",
    },
  );
  if (chosen === undefined) return;
  const terminal = vscode.window.createTerminal({ name: "Install keepgate" });
  terminal.show();
  terminal.sendText(chosen.command);
}
