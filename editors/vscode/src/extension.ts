/** The extension's two doors: what happens when it is switched on and off. */

import type * as vscode from "vscode";

export function activate(_context: vscode.ExtensionContext): void {
  // The parts are put together here.
}

export async function deactivate(): Promise<void> {
  // Everything that was started ends with its subscription.
}
