/** What is offered when there is no sidecar: install it, look at the settings or the log, start it again. */

import * as vscode from "vscode";
import { withoutLinks } from "../text/visible.js";
import { installers } from "./install.js";
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

/**
 * Show the commands that install keepgate and run the chosen one in a terminal, where the person sees it. The
 * extension itself downloads nothing.
 */
export async function install(): Promise<void> {
  const chosen = await vscode.window.showQuickPick(
    installers(process.platform).map((installer) => ({
      label: installer.label,
      description: installer.command,
      detail: installer.detail,
      command: installer.command,
    })),
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
