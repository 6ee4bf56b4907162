/** A sidecar of one's own, from its start to an end that leaves nothing behind. */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import type { Exit } from "./errors.js";

/** A program and its arguments. */
export type Command = readonly [string, ...string[]];

const STDERR_CHARACTERS_KEPT = 256 * 1024;
const STDERR_LINES_KEPT = 50;
/** How long to wait for the rest (last output, stderr, exit code) once the process or its output has ended. */
const SETTLE_MS = 5000;

/** What a process is started with. */
export interface ProcessOptions {
  readonly command: Command;
  /** Laid over this process's environment; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly stderr?: ((text: string) => void) | undefined;
}

/** A child process. It is the only one that is ever ended here. */
export class SidecarProcess {
  readonly pid: number;
  /** Settles when nothing more can come from it. */
  readonly over: Promise<Exit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  #stderr = "";

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, hear?: (text: string) => void) {
    this.#child = child;
    this.pid = pid;
    this.#exited = new Promise((resolve) => child.once("exit", () => { resolve(); }));
    this.over = new Promise((resolve) => {
      const settle = (): void => { resolve(this.exit); };
      const soon = (): void => { setTimeout(settle, SETTLE_MS).unref(); };
      child.once("close", settle);
      // Something else may hold a pipe open, and a process may close its output and stay.
      child.once("exit", soon);
      child.stdout.once("close", soon);
    });
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS_KEPT);
      hear?.(text);
    });
  }

  /** Starts a process. Rejects with the system's error when that cannot be done. */
  static async start({ command: [program, ...rest], env, stderr }: ProcessOptions): Promise<SidecarProcess> {
    const child = spawn(program, rest, { env: { ...process.env, ...env }, windowsHide: true });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        reject(new Error(`${program} cannot be started: ${error.message}`, { cause: error }));
      });
    });
    // A signal that cannot be sent is reported here; nothing depends on it.
    child.on("error", () => undefined);
    return new SidecarProcess(child, child.pid ?? 0, stderr);
  }

  get readable(): ChildProcessWithoutNullStreams["stdout"] {
    return this.#child.stdout;
  }

  get writable(): ChildProcessWithoutNullStreams["stdin"] {
    return this.#child.stdin;
  }

  /** How it ended; all is null while it runs. */
  get exit(): Exit {
    return { code: this.#child.exitCode, signal: this.#child.signalCode };
  }

  /** What it wrote on stderr, at most the last 256 Ki characters. */
  get stderr(): string {
    return this.#stderr;
  }

  /** The last lines of stderr that are not blank. */
  lastWords(): readonly string[] {
    return this.#stderr
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "")
      .slice(-STDERR_LINES_KEPT);
  }

  /** Ends its input, waits for its exit, then asks it to end, waits again, then kills it. */
  async stop(graceMs: number): Promise<Exit> {
    this.#child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#exitsWithin(graceMs)) {
        break;
      }
      this.#child.kill(signal);
    }
    await this.#exitsWithin(graceMs);
    // Something else may hold these open.
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    return this.exit;
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#exited, late]);
    clearTimeout(timer);
    return this.exit.code !== null || this.exit.signal !== null;
  }
}
