/** How commands run: what they need, and what the person hears when they fail. */

import * as vscode from "vscode";
import type { LanguageModels } from "../languageModel/models.vscode.js";
import { callError } from "../sidecar/problems.js";
import { failureText, isDenied } from "../text/faults.js";
import type { Views } from "../views/window.vscode.js";

/** What the commands work with. */
export interface Desk {
  readonly views: Views;
  readonly models: LanguageModels;
}

/** What a command does; its arguments are those of the menu or key that ran it. */
export type Act = (desk: Desk, ...given: readonly unknown[]) => Promise<void>;

/** Registers the commands. A command that fails says so, and never with more than one line. */
export function register(desk: Desk, acts: Readonly<Record<string, Act>>): vscode.Disposable {
  const registered = Object.entries(acts).map(([name, act]) =>
    vscode.commands.registerCommand(`keepgate.${name}`, async (...given: readonly unknown[]) => {
      try {
        await act(desk, ...given);
      } catch (thrown) {
        tellFailure(thrown);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** Say that something failed; that somebody said no is no error. */
export function tellFailure(thrown: unknown): void {
  const text = `keepgate: ${failureText(thrown)}`;
  if (isDenied(callError(thrown))) void vscode.window.showInformationMessage(text);
  else void vscode.window.showErrorMessage(text);
}

/** Run something that waits for a person, with a way to give it up. */
export async function waiting<T>(title: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title: `keepgate: ${title}` };
  return vscode.window.withProgress(options, (_, token) => {
    const given = new AbortController();
    token.onCancellationRequested(() => {
      given.abort();
    });
    return run(given.signal);
  });
}

/** Say in the status bar that something was done. */
export function tellDone(text: string): void {
  vscode.window.setStatusBarMessage(`keepgate: ${text}`, 8_000);
}
