/** Where this editor lets the finder look, and which settings it has. */

import * as os from "node:os";
import * as vscode from "vscode";
import type { Surroundings } from "./finder.js";
import { isRecord } from "./problems.js";
import { initializationOptions } from "./settings.js";

export const SECTION = "keepgate";

/** The finder's surroundings, looked up now. */
export function surroundings(): Surroundings {
  return {
    platform: process.platform,
    setting: ownPath(),
    searchPath: process.env["PATH"] ?? "",
    home: os.homedir(),
    trusted: vscode.workspace.isTrusted,
    selectedPython,
  };
}

/** The options for `initialize`, from the person's own settings alone. */
export function optionsNow(): Readonly<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return initializationOptions((name) => configuration.inspect(name));
}

function ownPath(): string {
  const value: unknown = vscode.workspace.getConfiguration(SECTION).inspect("path")?.globalValue;
  return typeof value === "string" ? value.trim() : "";
}

/** The interpreter that is selected in the Python extension, where that is installed. */
async function selectedPython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
  if (extension === undefined) return undefined;
  try {
    const api = await extension.activate();
    const environments = isRecord(api) ? (api["environments"] as PythonEnvironments | undefined) : undefined;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const selected = environments?.getActiveEnvironmentPath(folder);
    const resolved = selected === undefined ? undefined : await environments?.resolveEnvironment(selected);
    return resolved?.executable.uri?.fsPath;
  } catch {
    // Another extension's trouble is not ours: the finder looks elsewhere.
    return undefined;
  }
}

/** What is used of the Python extension's API. */
interface PythonEnvironments {
  getActiveEnvironmentPath(resource?: vscode.Uri): unknown;
  resolveEnvironment(path: unknown): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
}
