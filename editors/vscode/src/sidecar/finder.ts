/** Finding the program `keepgate`: the setting, the selected Python environment, PATH, where installers put it. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { posix, win32 } from "node:path";
import type { Problem } from "./problems.js";

/** How the sidecar is started. */
export interface Program {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly from: "setting" | "python" | "path" | "home";
}

/** What the finder looks at; the editor and the tests each bring theirs. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  /** The setting `keepgate.path`; empty where it is not set. */
  readonly setting: string;
  /** PATH, as the environment has it. */
  readonly searchPath: string;
  readonly home: string;
  /** Whether the person trusts the workspace: only then may it say which Python is selected. */
  readonly trusted: boolean;
  /** The interpreter that is selected in the Python extension; undefined without one. */
  selectedPython(): Promise<string | undefined>;
}

const SERVE = ["serve"];

/** The program to start, or why there is none. Starts nothing. */
export async function findProgram(around: Surroundings): Promise<Program | Problem> {
  const path = around.platform === "win32" ? win32 : posix;
  if (around.setting !== "") return fromSetting(around, path);
  for (const [from, folders] of await places(around, path)) {
    for (const folder of folders) {
      const command = path.join(folder, around.platform === "win32" ? "keepgate.exe" : "keepgate");
      if (await isProgram(command)) return { command, args: SERVE, from };
    }
  }
  return {
    kind: "not-found",
    message: "keepgate is not installed where this extension looks: the selected Python environment and PATH.",
    steps: ["install", "open-settings"],
  };
}

export function isProblem(found: Program | Problem): found is Problem {
  return "kind" in found;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function fromSetting(around: Surroundings, path: typeof posix): Promise<Program | Problem> {
  const command = /^~[\\/]/u.test(around.setting) ? path.join(around.home, around.setting.slice(2)) : around.setting;
  // A relative path would mean another program in every folder.
  if (path.isAbsolute(command) && (await isProgram(command))) return { command, args: SERVE, from: "setting" };
  return {
    kind: "not-found",
    message: `The setting keepgate.path names ${command}, which is ${
      path.isAbsolute(command) ? "no program" : "no absolute path"
    }.`,
    steps: ["open-settings"],
  };
}

async function places(
  around: Surroundings,
  path: typeof posix,
): Promise<readonly (readonly [Program["from"], readonly string[]])[]> {
  const python = around.trusted ? await around.selectedPython() : undefined;
  const beside = python !== undefined && path.isAbsolute(python) ? [path.dirname(python)] : [];
  const scripts = around.platform === "win32" ? beside.map((folder) => path.join(folder, "Scripts")) : [];
  return [
    ["python", [...beside, ...scripts]],
    // Relative entries and empty ones would look into whatever folder the editor was started in.
    ["path", around.searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder))],
    // An editor that was started from a dock or menu often has not the PATH of a terminal.
    ["home", around.home === "" ? [] : [path.join(around.home, ".local", "bin")]],
  ];
}
