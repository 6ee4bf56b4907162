/** The process of a sidecar: started without a shell, and gone when it was ended. */

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Program } from "./finder.js";

/** How long a sidecar may take to leave by itself; it promises two seconds. */
const LEAVE_MS = 3_000;

/**
 * Start the program in `folder`, which is none of the workspace's: nothing of a repository is found by being in
 * the current directory. Rejects with the error of the operating system, whose `code` is a string.
 */
export function startProcess(
  program: Program,
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, [...program.args, "--stdio"], {
      cwd: folder,
      env,
      stdio: "pipe",
      windowsHide: true,
    });
    child.once("error", reject);
    child.once("spawn", () => {
      resolve(child);
    });
    // A sidecar that dies while something is written to it is noticed by its end, not by this.
    child.stdin.on("error", () => undefined);
  });
}

/** Resolves when the process has ended; one that stays too long is killed. */
export async function untilGone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => { resolve(); }));
  const timer = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
  await gone;
  clearTimeout(timer);
}
